"""Games between a scripted bot and one without faults, with a tape of what was said to the first."""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import trio

from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import TimeControl
from arbiter.match.dialogue import Said, Voice
from arbiter.match.driver import play_game
from arbiter.match.game import Competitor, GameResult, GameSetup
from protocol.rules import Position, Side
from tests.e2e.table import BOTS, Table

TIGHT = TimeControl(game=400, grace=20, start=1_500)
EMPTY_BOARD = Position.start()
PATIENT = TimeControl(game=120_000, start=60_000)

Action = Sequence[Any]


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
    """What came of it; ``tape`` is what was said to the scripted bot and by it, as the arbiter saw it."""

    match: Match
    result: GameResult
    tape: list[Said]
    ended_at: int


def play(table: Table, match: Match) -> Played:
    """Play one game between real processes."""
    chaos = Competitor(_bot(table, match.dialect, "chaos", match.script), match.time)
    honest = Competitor(_bot(table, match.opponent, "honest", ()), PATIENT)
    white, black = (chaos, honest) if match.side is Side.WHITE else (honest, chaos)
    setup = GameSetup(white, black, match.start, substitute=match.substitute, quit_grace=0.3)
    tape: list[Said] = []

    def listen(said: Said) -> None:
        if said.side is match.side and said.voice in (Voice.TO_BOT, Voice.FROM_BOT):
            tape.append(said)

    result = trio.run(play_game, setup, None, listen)
    return Played(match, result, tape, time.monotonic_ns())


def _bot(table: Table, dialect: Dialect, name: str, script: tuple[Action, ...]) -> Bot:
    argv = (sys.executable, "-ISB", str(BOTS / "chaos.py"), str(dialect), json.dumps(script))
    return table.bot(*argv, name=name, dialect=dialect)
