"""The data of the check, from the JSON lines in ``protocol/conformance``; its README explains them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from arbiter.match.bot import Dialect
from protocol.rules import Position, parse_dpos


@dataclass(frozen=True, slots=True)
class Exchange:
    """Lines that are said, and the answer that is due: ``hear`` is None where none is.

    ``within`` are the milliseconds for the answer if the lines do not say so themselves; ``needs`` names the
    feature without which it is left out.
    """

    say: tuple[str, ...]
    hear: str | None = None
    within: int | None = None
    close: bool = False
    needs: str | None = None


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation with a bot, line by line; ``harmless`` when no game is lost by failing in it."""

    name: str
    step: str
    about: str
    protocol: Dialect
    needs: str | None
    harmless: bool
    turns: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A position to start from."""

    name: str
    about: str
    position: Position


@cache
def positions() -> Mapping[str, Case]:
    """All positions by name, in the order of the file."""
    return {
        row["name"]: Case(row["name"], row["about"], parse_dpos(row["position"]))
        for row in _rows("positions.jsonl")
    }


@cache
def dialogues(step: str, protocol: Dialect = Dialect.DVP) -> tuple[Dialogue, ...]:
    """The dialogues of a step, in the order of the file."""
    found = tuple(
        Dialogue(
            name=row["name"],
            step=row["step"],
            about=row["about"],
            protocol=Dialect(row["protocol"]),
            needs=row.get("needs"),
            harmless=row.get("harmless", False),
            turns=tuple(map(_exchange, row["turns"])),
        )
        for row in _rows("dialogues.jsonl")
    )
    return tuple(each for each in found if (each.step, each.protocol) == (step, protocol))


def _exchange(turn: dict[str, Any]) -> Exchange:
    return Exchange(
        say=tuple(turn["say"]),
        hear=turn.get("hear"),
        within=turn.get("within"),
        close=turn.get("close", False),
        needs=turn.get("needs"),
    )


def _rows(name: str) -> Iterator[dict[str, Any]]:
    text = (files("protocol") / "conformance" / name).read_text(encoding="utf-8")
    return map(json.loads, text.splitlines())
