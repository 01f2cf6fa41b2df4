"""Clocks: what a ply may take and what it costs, in integer nanoseconds.

The rules are those of ``protocol/SPEC.md``, "Clocks". A clock is a plain value machine: it never
reads the time itself, so every case of it can be tested with numbers.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

MS = 1_000_000
"""Nanoseconds in a millisecond."""
_BACKSTOP = 1_000 * MS
_ALL_WEEK = 7 * 24 * 3_600_000 * MS


class Spent(NamedTuple):
    """Nanoseconds: elapsed, run by all threads together, ready but waiting for a core."""

    wall: int = 0
    cpu: int = 0
    wait: int = 0

    def since(self, before: "Spent") -> "Spent":
        """What was added after an earlier reading."""
        return Spent(self.wall - before.wall, self.cpu - before.cpu, self.wait - before.wait)


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
        """Nanoseconds that count: of waiting no more than leaves the CPU time to be paid."""
        if self is ClockKind.STILL:
            return 0
        if self is ClockKind.CPU:
            return spent.cpu
        if self is ClockKind.FAIR:
            return min(spent.wall, max(spent.wall - spent.wait, spent.cpu))
        return spent.wall


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
    """

    plies: int = 0
    used: int = 0
    worst: int = 0
    grace: int = 0
    idle_cpu: int = 0


class Clock:
    """One bot's clock during one game."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.left = None if control.game is None else control.game * MS
        self.grace_left = control.grace * MS
        self.last_charge = 0
        self._plies = self._used = self._worst = 0

    @property
    def limit(self) -> int:
        """Nanoseconds the coming ply may take, the grace included; past it the game is lost on time."""
        return self._allowance + self.grace_left

    def overrun(self, spent: Spent) -> int:
        """By how much a ply that has taken this is past its limit, in ns; below 0: what is left.

        CPU time alone would let a bot sleep for ever, so with that clock elapsed time is bounded, too.
        """
        kind = self.control.clock
        over = kind.charge(spent) - self.limit
        if kind is ClockKind.CPU:
            over = max(over, spent.wall - 3 * self._allowance - _BACKSTOP)
        return over

    @property
    def _allowance(self) -> int:
        if self.control.clock is ClockKind.STILL:
            return _ALL_WEEK
        budgets = [ns for ns in (self.left, self._move) if ns is not None]
        return min(budgets) if budgets else self.control.stall * MS

    @property
    def _move(self) -> int | None:
        return None if self.control.move is None else self.control.move * MS

    def charge(self, used: int) -> bool:
        """Book a ply that took ``used`` nanoseconds; False when that was past the limit.

        What exceeds the allowance comes out of the grace; the clock pays at most what is left on
        it, and gets its increment only after a ply made in time.
        """
        self.last_charge = used
        overrun = max(0, used - self._allowance)
        in_time = overrun <= self.grace_left
        self._plies += 1
        self._used += used
        self._worst = max(self._worst, used)
        self.grace_left = max(0, self.grace_left - overrun)
        if self.left is not None:
            self.left = max(0, self.left - used)
            if in_time:
                self.left += self.control.increment * MS
        return in_time

    def use(self, idle_cpu: int = 0) -> ClockUse:
        """What has been used so far."""
        grace = self.control.grace * MS - self.grace_left
        return ClockUse(self._plies, self._used, self._worst, grace, idle_cpu)
