"""Clocks: what a ply may take, what it costs, and whose doing an overrun was; in integer nanoseconds.

The rules are those of ``protocol/SPEC.md``, "Clocks". Nothing here reads the time or a counter: every case
can be tested with numbers.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

MS = 1_000_000
"""Nanoseconds in a millisecond."""
MOST_WAITING = 10_000 * MS
"""Waiting for a core in one ply past which the machine cannot play the game."""
_BACKSTOP = 1_000 * MS
_ALL_WEEK = 7 * 24 * 3_600_000 * MS
_ANY = 2**62
SAMPLE = 20 * MS
"""How often is looked at a clock of CPU time, which several cores use up faster than time passes, and at a
bot that the machine keeps waiting past its limit."""
_SOON = MS // 5
"""The shortest time to the next look at an overrun that may be the machine's."""


class Reading(NamedTuple):
    """What was known at one moment of a game about one bot and about the arbiter.

    ``stamp`` is monotonic. ``cpu`` and ``wait`` are sums over the bot's processes since its start: CPU time,
    and time that the machine kept from its threads (see `waits`). ``lag`` is what the arbiter itself took
    between the arrival of the bytes that are being read and ``stamp``; ``stalled`` is the sum, since its
    start, of the times in which it or the whole machine did not run. ``ready_since`` is the time since when a
    thread of a bot that owes an answer has been ready to run and did not, as far as that is known.
    """

    stamp: int
    cpu: int = 0
    wait: int = 0
    lag: int = 0
    stalled: int = 0
    ready_since: int | None = None


class Spent(NamedTuple):
    """What a ply took: ``wall`` is elapsed time without what the arbiter itself took, ``cpu`` the CPU time
    of all of the bot's processes, ``wait`` the part of ``wall`` in which the machine gave the bot no core.
    """

    wall: int = 0
    cpu: int = 0
    wait: int = 0


def spent_between(question: Reading, answer: Reading) -> Spent:
    """What a bot spent from the reading at its question to the one at its answer.

    With T elapsed, S stalled, A = lag + S the arbiter's part, C the CPU time and W the time that the machine
    kept from the bot's threads, the machine's part is M = min(W, T - A - C), never below 0: what the bot
    computed meanwhile was not lost. ``wall`` is T - A, or the CPU time where that is more, for delays of the
    arbiter are no gift to an engine that computes through them on several cores.
    """
    elapsed = max(0, answer.stamp - question.stamp)
    stalled = min(elapsed, max(0, answer.stalled - question.stalled))
    own = min(elapsed, stalled + max(0, answer.lag))
    cpu = max(0, answer.cpu - question.cpu)
    waited = max(0, answer.wait - question.wait)
    wall = max(elapsed - own, min(elapsed - stalled, cpu))
    return Spent(wall, cpu, min(waited, max(0, elapsed - own - cpu)))


class Overrun(NamedTuple):
    """By how much a ply is past its limit (below 0: what is left), and how much of that the machine took.

    ``most`` is what it may have taken, if it turns out that it has kept the bot waiting all the time.
    """

    ns: int
    machine: int = 0
    most: int = 0

    @property
    def is_late(self) -> bool:
        return self.ns > 0

    @property
    def is_machines(self) -> bool:
        """Whether the machine's part explains all of it."""
        return 0 < self.ns <= self.machine

    @property
    def may_be_machines(self) -> bool:
        return 0 < self.ns <= self.most


class ClockKind(StrEnum):
    """What a clock charges."""

    WALL = "wall"
    """Elapsed time."""
    CPU = "cpu"
    """CPU time of the bot's whole tree of processes."""
    FAIR = "fair"
    """Elapsed time less what the machine kept the bot waiting for a core."""
    STILL = "still"
    """Nothing: for a bot whose author is looking into it, and who may take all day."""

    def charge(self, spent: Spent) -> int:
        """The nanoseconds that count."""
        if self is ClockKind.WALL:
            return spent.wall
        if self is ClockKind.FAIR:
            return spent.wall - spent.wait
        return spent.cpu if self is ClockKind.CPU else 0


CHARGING = tuple(kind for kind in ClockKind if kind is not ClockKind.STILL)
"""Those that a tournament can have, and that bots are told of."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a bot has. All values in milliseconds.

    ``game`` is the budget for the whole game, None for no game clock; ``increment`` is added after
    each ply made in time; ``move`` is a hard limit for every ply; ``grace`` is one budget for the
    whole game that forgives small overruns; ``start`` bounds starting up; ``stall`` bounds the
    silence within one ply of a game that has neither ``game`` nor ``move``.
    """

    game: int | None = 5_000
    increment: int = 0
    move: int | None = None
    grace: int = 50
    start: int = 10_000
    stall: int = 300_000
    clock: ClockKind = ClockKind.WALL

    @property
    def is_timed(self) -> bool:
        return self.game is not None or self.move is not None

    def __str__(self) -> str:
        """As a tournament file writes it: ``5s + 100ms, move 1s``; ``none`` without a clock."""
        parts = []
        if self.game is not None:
            parts.append(format_ms(self.game) + (f" + {format_ms(self.increment)}" if self.increment else ""))
        if self.move is not None:
            parts.append(f"move {format_ms(self.move)}")
        if self.clock != ClockKind.WALL:
            parts.append(f"clock {self.clock}")
        return ", ".join(parts) or "none"

    @property
    def header(self) -> str:
        """As a game record writes it: ``5000+100``, ``movetime:200``, both joined by a blank, or ``-``."""
        parts = []
        if self.game is not None:
            parts.append(f"{self.game}+{self.increment}")
        if self.move is not None:
            parts.append(f"movetime:{self.move}")
        return " ".join(parts) or "-"


def format_ms(ms: int) -> str:
    """A duration in the largest unit that keeps it whole: ``2m``, ``5s``, ``1500ms``."""
    if ms and ms % 60_000 == 0:
        return f"{ms // 60_000}m"
    if ms % 1_000 == 0:
        return f"{ms // 1_000}s"
    return f"{ms}ms"


@dataclass(frozen=True, slots=True)
class ClockUse:
    """How a bot used its clock in a game: plies in time, and in ns their charges in all, the worst one,
    the grace used, and the CPU time that its processes took in the opponent's turns.

    ``elapsed`` is the time that these plies took, ``waited`` the part of it in which the machine gave the bot
    no core. Nothing elapsed in games of which that is not known.
    """

    plies: int = 0
    used: int = 0
    worst: int = 0
    grace: int = 0
    idle_cpu: int = 0
    elapsed: int = 0
    waited: int = 0


class Clock:
    """One bot's clock during one game."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.left = None if control.game is None else control.game * MS
        self.grace_left = control.grace * MS
        self._is_still = control.clock is ClockKind.STILL
        self._most_a_ply = _most_a_ply(control)
        self.last_charge = 0
        self._plies = self._used = self._worst = self._elapsed = self._waited = 0

    @property
    def limit(self) -> int:
        """Nanoseconds the coming ply may take, the grace included; past it the game is lost on time."""
        return self._allowance + self.grace_left

    @property
    def _allowance(self) -> int:
        """The same without the grace."""
        left, most = self.left, self._most_a_ply
        return most if left is None or left > most or self._is_still else left

    def overrun(self, spent: Spent) -> Overrun:
        """How a ply that has taken this stands to its limit.

        CPU time alone would let a bot sleep for ever, so with that clock elapsed time is bounded, too.
        Waiting for a core can excuse only what elapsed time is charged for.
        """
        kind = self.control.clock
        used, limit = self.bound(spent)
        if kind is ClockKind.WALL or (kind is ClockKind.CPU and limit != self.limit):
            return Overrun(used - limit, spent.wait, max(0, spent.wall - spent.cpu))
        if kind is ClockKind.FAIR:
            return Overrun(used - limit, 0, max(0, spent.wall - spent.cpu) - spent.wait)
        return Overrun(used - limit)

    def bound(self, spent: Spent) -> tuple[int, int]:
        """What a ply has used and what it may use: of CPU time, elapsed time where that is nearer to its own
        limit and CPU time is not past the other.
        """
        used, limit = self.control.clock.charge(spent), self.limit
        if self.control.clock is ClockKind.CPU and used <= limit:
            backstop = 3 * self._allowance + _BACKSTOP
            if spent.wall - backstop > used - limit:
                return spent.wall, backstop
        return used, limit

    @property
    def first_look(self) -> int:
        """The `patience` with a bot that was asked just now."""
        most = SAMPLE if self.control.clock is ClockKind.CPU else MOST_WAITING
        return max(1, min(self.limit, most))

    def patience(self, spent: Spent) -> int:
        """After how many ns the verdict on a ply that has taken this, and has no answer yet, may be another
        one.
        """
        over = self.overrun(spent)
        if over.is_late:
            return min(SAMPLE, max(_SOON, over.machine - over.ns))
        to_starvation = max(_SOON, MOST_WAITING - spent.wait)
        rest = min(max(1, -over.ns), to_starvation)
        return min(rest, SAMPLE) if self.control.clock is ClockKind.CPU else rest

    def charge(self, used: int, spent: Spent | None = None) -> bool:
        """Book a ply that took ``used`` nanoseconds, of all that was ``spent``; False when that was past the
        limit.

        What exceeds the allowance comes out of the grace; the clock pays at most what is left on
        it, and gets its increment only after a ply made in time.
        """
        self.last_charge = used
        overrun = max(0, used - self._allowance)
        in_time = overrun <= self.grace_left
        self._plies += 1
        self._used += used
        self._worst = max(self._worst, used)
        if spent is not None:
            self._elapsed += spent.wall
            self._waited += spent.wait
        self.grace_left = max(0, self.grace_left - overrun)
        if self.left is not None:
            self.left = max(0, self.left - used)
            if in_time:
                self.left += self.control.increment * MS
        return in_time

    def use(self, idle_cpu: int = 0) -> ClockUse:
        """What has been used so far."""
        grace = self.control.grace * MS - self.grace_left
        return ClockUse(self._plies, self._used, self._worst, grace, idle_cpu, self._elapsed, self._waited)


def _most_a_ply(control: TimeControl) -> int:
    """What a ply may take, however much is left for the game; in ns."""
    if control.clock is ClockKind.STILL:
        return _ALL_WEEK
    if control.move is not None:
        return control.move * MS
    return control.stall * MS if control.game is None else _ANY
