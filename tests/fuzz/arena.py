"""Games between a scripted bot and one without faults, with a tape of what was said to the first."""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import trio

from arbiter.match import seat
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import TimeControl
from arbiter.match.game import Competitor, GameResult, GameSetup
from arbiter.match.process import BotProcess
from arbiter.match.referee import play_game
from arbiter.match.transcript import Transcript
from protocol.rules import Position, Side
from tests.e2e.table import BOTS, Table

TIGHT = TimeControl(game=400, grace=20, start=1_500)
EMPTY_BOARD = Position.start()
PATIENT = TimeControl(game=120_000, start=60_000)

Action = Sequence[Any]


class Piece(NamedTuple):
    """Bytes that the arbiter sent (``>``) or received (``<``), and when (monotonic ns)."""

    stamp: int
    direction: str
    data: bytes


class Tape(Transcript):
    """A transcript that keeps every byte, in the order in which the arbiter sent and received them."""

    def __init__(self, begin: int) -> None:
        super().__init__(begin)
        self.pieces: list[Piece] = []

    def _add(self, stamp: int, direction: str, data: bytes) -> None:
        super()._add(stamp, direction, data)
        self.pieces.append(Piece(stamp, direction, data))


@dataclass(frozen=True)
class Match:
    """What is drawn for one game; ``start`` is another than the empty board only among DVP bots."""

    script: tuple[Action, ...]
    dialect: Dialect = Dialect.DVP
    side: Side = Side.WHITE
    opponent: Dialect = Dialect.DVP
    start: Position = EMPTY_BOARD
    substitute: bool = False
    time: TimeControl = TIGHT

    def __repr__(self) -> str:
        more = f", from {self.start.dpos!r}" if self.start != EMPTY_BOARD else ""
        script = json.dumps(self.script)
        return (
            f"<{self.side.word} {self.dialect} against {self.opponent}: {script}{more}, {self.substitute=}>"
        )


@dataclass(frozen=True)
class Played:
    """What came of it."""

    match: Match
    result: GameResult
    tape: list[Piece]
    ended_at: int


def play(table: Table, match: Match) -> Played:
    """Play one game between real processes."""
    chaos = Competitor(_bot(table, match.dialect, "chaos", match.script), match.time)
    honest = Competitor(_bot(table, match.opponent, "honest", ()), PATIENT)
    white, black = (chaos, honest) if match.side is Side.WHITE else (honest, chaos)
    setup = GameSetup(white, black, match.start, substitute=match.substitute, quit_grace=0.3)
    tapes: dict[str, Tape] = {}

    class TapedProcess(BotProcess):
        def __init__(self, bot: Bot, *more: Any) -> None:
            super().__init__(bot, *more)
            self.transcript = tapes[bot.name] = Tape(self.spawned_at)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seat, "BotProcess", TapedProcess)
        result = trio.run(play_game, setup)
    return Played(match, result, tapes["chaos"].pieces, time.monotonic_ns())


def _bot(table: Table, dialect: Dialect, name: str, script: tuple[Action, ...]) -> Bot:
    argv = (sys.executable, "-ISB", str(BOTS / "chaos.py"), str(dialect), json.dumps(script))
    return table.bot(*argv, name=name, dialect=dialect)
