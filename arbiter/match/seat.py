"""One bot's end of a game, as a state machine: what it was asked, what it answered, what it may not do.

It does no I/O and looks at no time. Bytes come in with a reading, what is to be written goes out as an
action. The dialects differ in how they ask and read; they share everything here.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arbiter.isolation.environment import withheld
from arbiter.match.actions import Action, Note, Rest, Write
from arbiter.match.bot import Bot
from arbiter.match.clock import (
    MS,
    SAMPLE,
    Clock,
    ClockKind,
    ClockUse,
    Reading,
    Spent,
    TimeControl,
    spent_between,
)
from arbiter.match.fault import Code, Fact, Fault
from arbiter.match.game import GameSetup, Result
from arbiter.match.termination import Termination
from protocol.lines import Overflow
from protocol.rules import Position, Score, Side

_NOTES = 50
_NOTE_LENGTH = 300
_UNFINISHED_LENGTH = 300
_SURE = 1 * MS
"""How long a thread that is ready has to be watched to know whether it runs."""
PLY = "ply"
"""What is waited for in a turn; before the first one it is the word that the bot owes."""


class Answer(NamedTuple):
    """What a bot answered, and when; ``text`` None means that it resigns."""

    text: str | None
    reading: Reading


@dataclass(frozen=True, slots=True)
class Turn:
    """What a bot is asked: the ply with this number, in this position, after these plies.

    They were played from ``start`` on, or from where the game started. ``side`` is who is asked, where that
    is not the side to move.
    """

    number: int
    position: Position
    plies: Sequence[str]
    opponent_clock: Clock
    start: Position | None = None
    side: Side | None = None


class Seat(ABC):
    """A bot in one game; ``actions`` is where it puts what is to be done.

    ``wanted`` is what the bot owes now, empty when that is nothing, and ``wake_at`` the moment (monotonic
    ns) at which somebody has to look whether it is late.
    """

    dies_at_once = True
    """Whether the end of its program in the opponent's turn already loses the game."""

    def __init__(self, side: Side, setup: GameSetup, actions: deque[Action]) -> None:
        competitor = setup.competitor(side)
        self.side = side
        self.setup = setup
        self.bot: Bot = competitor.bot
        self.seed = competitor.seed
        self.clock = Clock(competitor.time)
        self.info: dict[str, str] = {}
        self.notes: list[str] = []
        self.actions = actions
        self.wanted = ""
        self.wake_at: int | None = None
        self.is_spawned = self.is_ready = self.has_ended = self.has_left = False
        self.is_suspect = False
        """Whether it ended or wrote too much: in many states that loses the game."""
        self.bytes_read = self.turn_bytes = 0
        self.question = Reading(0)
        self.late_at: int | None = None
        """When it was last found to be past its limit in this turn."""
        self.spawned_at = self.ready_at = 0
        self.idle_cpu = 0
        self._start_clock = Clock(TimeControl(game=None, move=competitor.time.start, grace=0))
        self._heard: Reading | None = None
        self._answered: Reading | None = None
        """When its last turn ended, or its beginning, and it began to rest; None in its turn."""
        self._is_waiting = False

    # The start

    def spawned(self, stamp: int) -> None:
        """The program was started at ``stamp``."""
        self.is_spawned = True
        self.spawned_at = stamp
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Do what the dialect wants before the first ply; ``is_ready`` tells when that is done."""

    def expect(self, wanted: str, data: bytes) -> None:
        """Say something that the bot has to answer within the start limit."""
        self.wanted = wanted
        self._is_waiting = False
        self.write(data, starts_clock=True)

    def settle(self) -> None:
        """What was owed before the first ply has come."""
        self.wanted, self.wake_at = "", None

    def get_ready(self) -> None:
        """It has said all that it owes before it is asked; until then it rests."""
        self.is_ready = True
        self._answered = self._heard

    # A turn

    def ask(self, turn: Turn) -> None:
        """Request a ply."""
        self.info = {}
        self.turn_bytes = 0
        self.wanted = PLY
        self._is_waiting = False
        self.wake()
        self.request(turn)

    @abstractmethod
    def request(self, turn: Turn) -> None:
        """Do what the dialect does for ``ask``."""

    def asked(self, reading: Reading) -> None:
        """What starts a clock was written at this reading's stamp; its counters are from right before."""
        if self._answered is not None:
            self.idle_cpu += max(0, reading.cpu - self._answered.cpu)
            self._answered = None
        self.question = reading
        if self.wanted:
            self.start_waiting()

    def start_waiting(self) -> None:
        """The clock runs from the question on."""
        self._is_waiting = True
        self.late_at = None
        self.wake_at = self.question.stamp + self.waiting_clock.first_look

    @property
    def waiting_clock(self) -> Clock:
        """The clock that bounds what is waited for."""
        return self.clock if self.wanted == PLY else self._start_clock

    def spent(self, reading: Reading) -> Spent:
        """What the open question has taken up to a reading."""
        return spent_between(self.question, reading)

    @property
    @abstractmethod
    def has_answer(self) -> bool:
        """Whether the answer to the open request has come."""

    def take_answer(self) -> Answer:
        """The answer to the open request, which is closed by that; the bot's turn is over."""
        answer = self.pop_answer()
        self.wanted, self.wake_at = "", None
        # One that came before its turn was given when the turn came.
        self._answered = max(answer.reading, self.question, key=lambda reading: reading.stamp)
        self.rest()
        return answer

    @abstractmethod
    def pop_answer(self) -> Answer:
        """Do what the dialect does for ``take_answer``."""

    @abstractmethod
    def tell(self, ply: str) -> None:
        """Let the bot know a ply of its opponent."""

    @abstractmethod
    def say_end(self, result: Result, score: Score, termination: Termination, failed: Fault | None) -> None:
        """Tell the bot how the game ended, and that nothing more will be asked."""

    # What it says

    def received(self, data: bytes, reading: Reading) -> None:
        """Bytes from its standard output."""
        self.bytes_read += len(data)
        self.turn_bytes += len(data)
        self._heard = reading
        self.read(data, reading)
        if self.flood() is not None:
            self.is_suspect = True

    def end(self) -> None:
        """Its output has ended, or its program."""
        self.has_ended = self.is_suspect = True

    @abstractmethod
    def read(self, data: bytes, reading: Reading) -> None:
        """Do what the dialect does for ``received``."""

    @abstractmethod
    def flood(self) -> Fault | None:
        """The limit of the protocol that its output went past, if it did."""

    @property
    def refusal(self) -> Fault | None:
        """Why the bot says that it cannot play, if it does."""
        return None

    @property
    def identity(self) -> dict[str, str]:
        """What the bot calls itself."""
        return {}

    @property
    def features(self) -> frozenset[str]:
        """What the bot announced that it can do."""
        return frozenset()

    @property
    @abstractmethod
    def unfinished(self) -> str:
        """What stands in stdout without a line end, made readable."""

    # Faults

    def is_in_doubt(self, *, on_turn: bool) -> bool:
        """Whether the bot did something that may lose the game now."""
        return self.flood() is not None or (self.has_ended and (on_turn or self.dies_at_once))

    def overdue(self, spent: Spent) -> Fault:
        """The fault of a bot that did not answer within its limit, when it had spent this."""
        if self.wanted != PLY:
            limit = self.waiting_clock.limit
            return Fault(Code.NOT_READY, {"wanted": self.wanted, "limit": limit, **self._silence()})
        _, limit = self.clock.bound(spent)
        kind = self.clock.control.clock if limit == self.clock.limit else ClockKind.WALL
        facts: dict[str, Fact] = {"limit": limit, "clock": str(kind)}
        if self.clock.control.game is not None:
            facts["used"] = self.clock.use().used
        return Fault(Code.NO_ANSWER, {**facts, **self._silence()})

    def _silence(self) -> dict[str, Fact]:
        """What may explain that no answer came."""
        return {
            "plies": self.clock.use().plies,
            "bytes": self.bytes_read,
            "turn_bytes": self.turn_bytes,
            "unfinished": self.unfinished[:_UNFINISHED_LENGTH],
            "note": self.notes[-1] if self.notes else "",
            "withheld": " and ".join(withheld()),
        }

    def doubtful_for(self, reading: Reading) -> int:
        """For how many ns it is not clear yet whether a late bot is waiting for a core; 0 if it is not.

        How long a thread has waited is known once it runs again. That it waits is known when it was ready to
        run at two looks and did not run in between.
        """
        if reading.ready_since is None:
            return 0
        before, self.late_at = self.late_at, reading.stamp
        if reading.stamp - reading.ready_since >= _SURE:
            return SAMPLE
        return _SURE if before is None or reading.stamp - before < _SURE else 0

    def before_ready(self, fault: Fault) -> Fault:
        """A fault of a bot that is not ready yet; one that owed nothing so far just has that fault."""
        if self.is_ready or not self.wanted or fault.termination is Termination.START or fault.is_void:
            return fault
        return Fault(Code.ENDED_BEFORE, {"wanted": self.wanted, "end": fault})

    # Actions

    def write(self, data: bytes, *, starts_clock: bool = False) -> None:
        self.actions.append(Write(self.side, data, starts_clock))

    def rest(self) -> None:
        """The opponent's turn begins."""
        self.turn_bytes = 0
        if self.setup.suspend_idle:
            self.actions.append(Rest(self.side))

    def wake(self) -> None:
        """The bot is needed again."""
        if self.setup.suspend_idle:
            self.actions.append(Rest(self.side, is_over=True))

    def note(self, text: str) -> None:
        """Keep something odd for the record; only so many of them, since bots can be talkative."""
        if len(self.notes) < _NOTES:
            self.notes.append(text[:_NOTE_LENGTH])
            self.actions.append(Note(self.side, text[:_NOTE_LENGTH]))

    def idle_cpu_until(self, reading: Reading) -> int:
        """The CPU time that it took since its last answer, in a turn that is not its own; in ns."""
        return 0 if self._answered is None else max(0, reading.cpu - self._answered.cpu)

    def clock_use(self) -> ClockUse:
        """How it used its clock so far."""
        return self.clock.use(self.idle_cpu)


def flood_of(overflow: Overflow | None) -> Fault | None:
    """The fault of a bot whose output went past a limit of lines or bytes."""
    return None if overflow is None else Fault(Code(overflow.kind), {"limit": overflow.limit})


class Guest(Seat):
    """A seat without a program: a person, or plies that are known already.

    Its plies come as they are, from ``answer``; the clock judges them like everybody's.
    """

    def __init__(self, side: Side, setup: GameSetup, actions: deque[Action]) -> None:
        super().__init__(side, setup, actions)
        self.is_ready = True
        self._answer: Answer | None = None

    def begin(self) -> None:
        """There is nothing to wait for."""

    def request(self, turn: Turn) -> None:
        self._answer = None
        self.write(b"", starts_clock=True)

    def answer(self, text: str | None, reading: Reading) -> None:
        """The ply of this side; None gives the game up."""
        self._answer = Answer(text, reading)

    @property
    def has_answer(self) -> bool:
        return self._answer is not None and self.wanted == PLY

    def pop_answer(self) -> Answer:
        assert self._answer is not None
        answer, self._answer = self._answer, None
        return answer

    def tell(self, ply: str) -> None:
        """A guest sees the board."""

    def say_end(self, result: Result, score: Score, termination: Termination, failed: Fault | None) -> None:
        """A guest sees how it ended."""

    def read(self, data: bytes, reading: Reading) -> None:
        """A guest has no output."""

    def flood(self) -> Fault | None:
        return None

    def _silence(self) -> dict[str, Fact]:
        return {"plies": self.clock.use().plies}

    @property
    def unfinished(self) -> str:
        return ""
