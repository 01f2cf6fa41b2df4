"""One bot at the board: its process, its clock, and what it has said so far.

A seat turns what a dialect says into four things the referee can use: ready or not, an answer, a
fault, notes. The dialects differ in how they ask and read; they share everything here.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import trio

from arbiter.isolation.environment import withheld
from arbiter.match.bell import Bell
from arbiter.match.clock import MS, Clock, ClockKind, Spent
from arbiter.match.dialogue import Ear, Said, Voice
from arbiter.match.game import BotReport, GameSetup, Result
from arbiter.match.last_words import last_words
from arbiter.match.process import FULL_SPEED, BotProcess
from arbiter.match.stopwatch import Stopwatch
from arbiter.match.termination import Termination
from arbiter.match.usage import Meter
from arbiter.match.verdict import Failure
from protocol.rules import Position, Score, Side

_NOTES = 50
_NOTE_LENGTH = 300
_EXIT_NEWS = 0.25
"""Seconds to wait for the exit status of a process whose output has ended."""


class Answer(NamedTuple):
    """What a bot answered; ``text`` None means that it resigns.

    ``reading`` has its counters from when the last byte was read, and the time of that as ``wall``.
    """

    text: str | None
    reading: Spent


@dataclass(frozen=True, slots=True)
class Turn:
    """What a bot is asked: the ply with this number, in this position, after these plies.

    They were played from ``start`` on, or from where the game started.
    """

    number: int
    position: Position
    plies: Sequence[str]
    opponent_clock: Clock
    start: Position | None = None


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
        self.info: dict[str, str] = {}
        self.ear: Ear | None = None
        """Who else hears what is said here; to be set before ``spawn``."""
        self._bell = bell
        self._notes: list[str] = []
        self.ready_at = 0
        self.owes = False
        """Whether a ply was asked for and not yet answered."""
        self.has_left = False
        self._process: BotProcess | None = None
        self._stopwatch: Stopwatch | None = None

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
        overhear = None if self.ear is None else self._pass_on
        self._process = BotProcess(self.bot, self, nursery, self.setup.cores, overhear)
        self._stopwatch = Stopwatch(Meter(self._process.pid))

    def _pass_on(self, voice: Voice, stamp: int, data: bytes) -> None:
        if self.ear is not None:
            self.ear(Said(self.side, voice, stamp, data))

    @property
    def stopwatch(self) -> Stopwatch:
        """What the bot spends; there is one from ``spawn`` on."""
        assert self._stopwatch is not None
        return self._stopwatch

    # What the referee asks for

    @abstractmethod
    async def get_ready(self) -> Failure | None:
        """Do what the dialect wants before the first ply; why it failed, if it did."""

    def ask(self, turn: Turn) -> None:
        """Request a ply and start the stopwatch."""
        self.owes = True
        self.info = {}
        self.process.begin_turn()
        self._request(turn)

    @abstractmethod
    def _request(self, turn: Turn) -> None:
        """Do what the dialect does for ``ask``."""

    @property
    @abstractmethod
    def has_answer(self) -> bool:
        """Whether the answer to the open request has come."""

    def take_answer(self) -> Answer:
        """The answer to the open request, which is closed by that; the bot's turn is over."""
        self.owes = False
        self.rest()
        return self._take_answer()

    @abstractmethod
    def _take_answer(self) -> Answer:
        """Do what the dialect does for ``take_answer``."""

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
        termination, detail = self.process.describe_end()
        last = last_words(self.process.stderr)
        words = [detail, *([f"its last words: {last}"] if last else []), *self.process.explain(last)]
        return Failure(termination, "; ".join(words))

    def overdue(self) -> Failure:
        """The fault of a bot that did not answer within its limit."""
        of_what = " of CPU time" if self.clock.control.clock is ClockKind.CPU else ""
        detail = f"no answer within {self.clock.limit // MS} ms{of_what}{self._spending()}"
        return Failure(Termination.TIMEOUT, "; ".join([detail, *self._why_silent()]))

    def _spending(self) -> str:
        """What left so little: the earlier answers of a game with one clock for all."""
        use = self.clock.use()
        if self.clock.control.game is None or not use.plies:
            return ""
        return f", after {use.used // MS} ms for {use.plies} {'ply' if use.plies == 1 else 'plies'}"

    def _why_silent(self) -> Iterator[str]:
        """What may explain that no answer came."""
        if self.process.bytes_read == 0:
            names = " and ".join(withheld())
            aside = f" ({names}: not passed on to bots)" if names else ""
            yield f"no output was ever received: does the bot flush its standard output?{aside}"
        elif self.unfinished:
            yield f"{self.unfinished[:_NOTE_LENGTH]!r} was written without a line end"
        elif self.process.turn_bytes == 0 and not self.clock.use().plies:
            yield "nothing was written in this turn: is every answer flushed?"
        elif self.process.turn_bytes > FULL_SPEED:
            written = f"{self.process.turn_bytes:,} bytes were written in this turn"
            yield f"{written}, and output is read slowly past 64 KiB"
        if self._notes and self.process.turn_bytes:
            yield self._notes[-1]

    @property
    @abstractmethod
    def unfinished(self) -> str:
        """What stands in stdout without a line end, made readable."""

    def rest(self) -> None:
        """The opponent's turn begins: with ``suspend_idle`` the bot's processes stand still."""
        self.process.end_turn()
        if self.setup.suspend_idle:
            self.process.suspend()

    def wake(self) -> None:
        """The bot is needed again."""
        if self.setup.suspend_idle:
            self.process.resume()

    def note(self, text: str) -> None:
        """Keep something odd for the record; only so many of them, since bots can be talkative."""
        if len(self._notes) < _NOTES:
            self._notes.append(text[:_NOTE_LENGTH])
            self._pass_on(Voice.NOTE, time.monotonic_ns(), text[:_NOTE_LENGTH].encode() + b"\n")

    def report(self, *, with_transcript: bool) -> BotReport:
        return BotReport(
            identity=self.identity,
            stderr=self._process.stderr.text() if self._process else "",
            notes=tuple(self._notes),
            transcript=self._process.transcript.text() if self._process and with_transcript else "",
            clock=self.clock.use(self._stopwatch.idle_cpu if self._stopwatch else 0),
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
        if self._process is None or self.has_left:
            return
        self.has_left = True
        try:
            self.wake()
            self.process.close_input()
            if failed is None:
                await self.process.wait_exit(self.setup.quit_grace)
        finally:
            with trio.CancelScope(shield=True):
                await self.process.destroy()
