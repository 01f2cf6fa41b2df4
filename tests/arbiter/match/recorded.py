"""Games as their referee saw them: every event with its numbers, one JSON line each.

    python -m tests.arbiter.match.recorded

plays the games of `GAMES` with real programs and writes them to ``tests/data/dialogues``, for machines of
which the readings are none that anybody would have thought of.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import trio

from arbiter.isolation.tree import become_subreaper
from arbiter.match.actions import End, Write
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import Reading, TimeControl
from arbiter.match.driver import Table
from arbiter.match.fault import Fault, as_json, from_json
from arbiter.match.game import Competitor, GameSetup
from arbiter.match.referee import Look, Referee
from protocol.rules import Position, Side, parse_dpos

HERE = Path(__file__).resolve()
DATA = HERE.parents[2] / "data" / "dialogues"
BOTS = HERE.parents[2] / "bots"
QUICK = ("/bin/sh", str(BOTS / "quick.sh"))
CODECUP = (sys.executable, str(BOTS / "codecup.py"))


@dataclass(frozen=True)
class Sides:
    """Both programs of a game, and what decides how it is played."""

    white: tuple[str, ...]
    black: tuple[str, ...]
    time: TimeControl = TimeControl(game=10_000, increment=10)  # noqa: RUF009 (it is immutable)
    start: str = Position.start().dpos
    substitute: bool = False

    def setup(self) -> GameSetup:
        return GameSetup(
            self._competitor("one", self.white),
            self._competitor("two", self.black),
            parse_start(self.start),
            substitute=self.substitute,
        )

    def _competitor(self, name: str, argv: tuple[str, ...]) -> Competitor:
        dialect = Dialect.CODECUP if argv[: len(CODECUP)] == CODECUP else Dialect.DVP
        root = HERE.parents[3]
        return Competitor(Bot(name, argv, root, dialect, env={"PYTHONPATH": str(root)}), self.time, seed=5)


GAMES = {
    "mixed": Sides((*QUICK, "first"), CODECUP),
    "crash": Sides((*QUICK, "crash"), (*QUICK, "last"), substitute=True),
    "late": Sides((*QUICK, "late"), (*QUICK, "first"), TimeControl(game=300, grace=20)),
    "leaves": Sides(CODECUP, (*CODECUP, "leaves")),
}


def parse_start(dpos: str) -> Position:
    return Position.start() if dpos == Position.start().dpos else parse_dpos(dpos)


class Recorder(Referee):
    """Writes down what happens to it, times counted from the first one."""

    def __init__(self, setup: GameSetup) -> None:
        super().__init__(setup)
        self.events: list[list[object]] = []
        self._began = 0

    def _add(self, event: str, *values: object) -> None:
        self.events.append([event, *values])

    def _from(self, reading: Reading) -> list[int | None]:
        return list(reading._replace(stamp=self._time(reading.stamp)))

    def _time(self, stamp: int) -> int:
        self._began = self._began or stamp
        return stamp - self._began

    def spawned(self, side: Side, stamp: int) -> None:
        self._add("spawned", side, self._time(stamp))
        super().spawned(side, stamp)

    def asked(self, side: Side, reading: Reading) -> None:
        self._add("asked", side, self._from(reading))
        super().asked(side, reading)

    def received(self, side: Side, data: bytes, reading: Reading) -> None:
        self._add("received", side, data.decode("latin-1"), self._from(reading))
        super().received(side, data, reading)

    def ended(self, side: Side, stamp: int) -> None:
        self._add("ended", side, self._time(stamp))
        super().ended(side, stamp)

    def woke(self, stamp: int) -> None:
        self._add("woke", self._time(stamp))
        super().woke(stamp)

    def stalled(self, ns: int, ran: Mapping[Side, int]) -> None:
        self._add("stalled", ns, list(ran.items()))
        super().stalled(ns, ran)

    def drained(self, ticket: int, looks: Mapping[Side, Look]) -> None:
        seen = [
            [side, self._from(look.reading), look.end and [as_json(look.end.fault), look.end.has_exited]]
            for side, look in looks.items()
        ]
        self._add("drained", ticket, seen)
        super().drained(ticket, looks)


def replayed(setup: GameSetup, events: list[list[object]]) -> tuple[Referee, bytes]:
    """A referee to which the same has happened, and all that it wrote."""
    referee, wrote = Referee(setup), b""
    for event, *values in events:
        _HAPPEN[str(event)](referee, *values)
        while referee.actions:
            action = referee.actions.popleft()
            if isinstance(action, Write):
                wrote += bytes((action.side, *action.data))
    return referee, wrote


def _reading(values: list[int]) -> Reading:
    return Reading(*values)


def _looks(seen: list[list[object]]) -> Iterator[tuple[Side, Look]]:
    for side, reading, end in seen:
        known = None if end is None else End(from_json(end[0]), end[1])  # type: ignore[index]
        yield Side(side), Look(_reading(reading), known)  # type: ignore[arg-type]


_HAPPEN: dict[str, Callable[..., None]] = {
    "spawned": lambda referee, side, stamp: referee.spawned(Side(side), stamp),
    "asked": lambda referee, side, values: referee.asked(Side(side), _reading(values)),
    "received": lambda referee, side, text, values: referee.received(
        Side(side), text.encode("latin-1"), _reading(values)
    ),
    "ended": lambda referee, side, stamp: referee.ended(Side(side), stamp),
    "woke": lambda referee, stamp: referee.woke(stamp),
    "stalled": lambda referee, ns, ran: referee.stalled(ns, {Side(side): cpu for side, cpu in ran}),
    "drained": lambda referee, ticket, seen: referee.drained(ticket, dict(_looks(seen))),
}


def summary(referee: Referee, wrote: bytes) -> dict[str, object]:
    """What came of a game: its verdict, and every ply as it is recorded."""
    fault: Fault | None = referee.fault
    return {
        "verdict": list(map(str, referee.verdict())),
        "fault": None if fault is None else as_json(fault),
        "final": referee.position.dpos,
        "plies": [[each.ply, each.used, each.left, *each.spent] for each in referee.records],
        "wrote": sha256(wrote).hexdigest(),
    }


async def _play(sides: Sides) -> Recorder:
    recorder = Recorder(sides.setup())
    table = Table(recorder)
    async with table.open():
        for side in Side:
            table.spawn(side)
        await table.until(lambda: recorder.is_over)
    return recorder


def record() -> None:
    """Play all games anew."""
    become_subreaper()
    os.environ.pop("PYTHONUNBUFFERED", None)  # it would be named in a fault, as nowhere where tests run
    DATA.mkdir(exist_ok=True)
    for name, sides in GAMES.items():
        recorder = trio.run(_play, sides)
        lines = [summary(*replayed(sides.setup(), recorder.events)), *recorder.events]
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        (DATA / f"{name}.jsonl").write_text(text)


if __name__ == "__main__":
    record()
