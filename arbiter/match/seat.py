"""One bot at the board: its process, its clock, and what it has said so far.

A seat turns what a dialect says into four things the referee can use: ready or not, an answer, a
fault, notes. The dialects differ in how they ask and read; they share everything here.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import trio

from arbiter.match.bell import Bell
from arbiter.match.clock import MS, Clock
from arbiter.match.game import BotReport, GameSetup, Result
from arbiter.match.process import BotProcess
from arbiter.match.termination import Termination
from protocol.rules import Position, Score, Side

_NOTES = 50
_NOTE_LENGTH = 300
_EXIT_NEWS = 0.25
"""Seconds to wait for the exit status of a process whose output has ended."""


class Failure(NamedTuple):
    """Why a bot lost without the board saying so."""

    termination: Termination
    detail: str


class Answer(NamedTuple):
    """What a bot answered, and when its last byte was read; ``text`` None means that it resigns."""

    text: str | None
    stamp: int


@dataclass(frozen=True, slots=True)
class Turn:
    """What a bot is asked: the ply with this number, in this position, after these plies."""

    number: int
    position: Position
    plies: Sequence[str]
    opponent_clock: Clock


class Seat(ABC):
    """A bot in one game; listens to its process."""

    dies_at_once = True
    """Whether the end of its process in the opponent's turn already loses the game."""

    def __init__(self, side: Side, setup: GameSetup, bell: Bell) -> None:
        competitor = setup.competitor(side)
        self.side = side
        self.setup = setup
        self.bot = competitor.bot
        self.seed = competitor.seed
        self.clock = Clock(competitor.time)
        self.turn_start = 0
        self.info: dict[str, str] = {}
        self._bell = bell
        self._notes: list[str] = []
        self.ready_at = 0
        self._process: BotProcess | None = None

    @property
    def is_running(self) -> bool:
        """Whether a process was started."""
        return self._process is not None

    @property
    def process(self) -> BotProcess:
        """The process; there is one from ``spawn`` on."""
        assert self._process is not None
        return self._process

    def spawn(self, nursery: trio.Nursery) -> None:
        """Start the process.

        Raises:
            StartError: when it cannot be started.
        """
        self._process = BotProcess(self.bot, self, nursery)

    # What the referee asks for

    @abstractmethod
    async def get_ready(self) -> Failure | None:
        """Do what the dialect wants before the first ply; why it failed, if it did."""

    @abstractmethod
    def ask(self, turn: Turn) -> None:
        """Request a ply and set ``turn_start``."""

    @property
    @abstractmethod
    def has_answer(self) -> bool:
        """Whether the answer to the open request has come."""

    @abstractmethod
    def take_answer(self) -> Answer:
        """The answer to the open request, which is closed by that."""

    @abstractmethod
    def tell(self, ply: str) -> None:
        """Let the bot know a ply of its opponent."""

    @abstractmethod
    def say_end(self, result: Result, score: Score, termination: Termination, failed: Failure | None) -> None:
        """Tell the bot how the game ended, and that nothing more will be asked."""

    @abstractmethod
    def flood(self) -> str | None:
        """The limit of the protocol that its output went past, if it did."""

    @property
    def identity(self) -> dict[str, str]:
        """What the bot calls itself."""
        return {}

    def has_fault(self, *, on_turn: bool) -> bool:
        """Whether the bot did something that loses the game now."""
        return self.flood() is not None or (self.process.output_ended and (on_turn or self.dies_at_once))

    async def fault(self) -> Failure:
        """The fault that ``has_fault`` announced."""
        flood = self.flood()
        if flood is not None:
            return Failure(Termination.FLOOD, flood)
        await self.process.wait_exit(_EXIT_NEWS)
        return Failure(*self.process.describe_end())

    def overdue(self) -> Failure:
        """The fault of a bot that did not answer within its limit."""
        detail = f"no answer within {self.clock.limit // MS} ms"
        if self.process.bytes_read == 0:
            detail += "; no output was ever received: does the bot flush its standard output?"
        return Failure(Termination.TIMEOUT, detail)

    def note(self, text: str) -> None:
        """Keep something odd for the record; only so many of them, since bots can be talkative."""
        if len(self._notes) < _NOTES:
            self._notes.append(text[:_NOTE_LENGTH])

    def report(self) -> BotReport:
        return BotReport(
            identity=self.identity,
            stderr=self._process.stderr.text() if self._process else "",
            notes=tuple(self._notes),
            grace_used=self.clock.control.grace * MS - self.clock.grace_left,
            isolation=str(self._process.applied) if self._process else "",
            means=self._process.applied.means if self._process else (),
        )

    # What the process tells

    @abstractmethod
    def received(self, data: bytes, stamp: int) -> None:
        """Bytes from stdout, with the time at which they were read."""

    def ended(self) -> None:
        self._bell.ring()

    # The end

    async def leave(self, failed: Failure | None) -> None:
        """End the process: at once when it failed, else once it has had its quit grace."""
        if self._process is None:
            return
        try:
            self.process.close_input()
            if failed is None:
                await self.process.wait_exit(self.setup.quit_grace)
        finally:
            with trio.CancelScope(shield=True):
                await self.process.destroy()
