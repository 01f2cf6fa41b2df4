"""Draws the state tables as they stand in SPEC.md.

``python -m protocol.diagram`` prints them, ``python -m protocol.diagram protocol/SPEC.md`` renews them
in that file.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from protocol.states import CODECUP, DVP, MEANING, NEEDED_FEATURE, TURN_MEANING, Role

S = TypeVar("S", bound=StrEnum)
_Table = Mapping[S, Mapping[Role, Mapping[str, S]]]

_BLOCK = re.compile(r"(<!-- generated: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)

_EVERYWHERE = frozenset({"quit", "error", "info string", "Quit"})
"""Words that would clutter the drawing; the text says where they belong."""


def blocks() -> dict[str, str]:
    """The generated parts of SPEC.md by name."""
    return {
        "dvp-diagram": _diagram(DVP),
        "dvp-table": _listing(DVP, MEANING),
        "codecup-diagram": _diagram(CODECUP),
        "codecup-table": _listing(CODECUP, TURN_MEANING),
    }


def renewed(spec: str) -> str:
    """``spec`` with every generated part as the tables have it now."""
    current = blocks()
    return _BLOCK.sub(lambda match: f"{match[1]}{current[match[2]]}\n{match[3]}", spec)


def _diagram(table: _Table[S]) -> str:
    """The table as a state diagram in the Mermaid language, which code hosts draw."""
    arcs: dict[tuple[S, S], list[str]] = {}
    for state, role, word, following in _steps(table):
        if word not in _EVERYWHERE or (word == "error" and following is not state):
            arcs.setdefault((state, following), []).append(f"{role} {word}")
    lines = [f"    {state} --> {following}: {', '.join(words)}" for (state, following), words in arcs.items()]
    return "\n".join(["```mermaid", "stateDiagram-v2", f"    [*] --> {next(iter(table))}", *lines, "```"])


def _listing(table: _Table[S], meanings: Mapping[S, str]) -> str:
    """The table row by row, complete."""
    head = ["| State | Meaning | The arbiter may say | The bot may say |", "|---|---|---|---|"]
    rows = [
        f"| **{state}** | {meanings[state]} | {_words(table, state, Role.ARBITER)} "
        f"| {_words(table, state, Role.BOT)} |"
        for state in table
    ]
    return "\n".join(head + rows)


def _words(table: _Table[S], state: S, role: Role) -> str:
    """What ``role`` may say in ``state``, words with the same effect together."""
    effects: dict[S, list[str]] = {}
    for word, following in table[state][role].items():
        feature = NEEDED_FEATURE.get((state, word))
        effects.setdefault(following, []).append(f"`{word}`" + (f" (feature {feature})" if feature else ""))
    return "; ".join(
        ", ".join(words) + (f" → {following}" if following is not state else "")
        for following, words in effects.items()
    )


def _steps(table: _Table[S]) -> Iterator[tuple[S, Role, str, S]]:
    for state, rows in table.items():
        for role, row in rows.items():
            for word, following in row.items():
                yield state, role, word, following


def main(arguments: list[str]) -> None:
    if not arguments:
        print("\n\n".join(blocks().values()))
    for name in arguments:
        path = Path(name)
        path.write_text(renewed(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
