"""Clocks: what a ply may take and what it costs, in integer nanoseconds.

The rules are those of ``protocol/SPEC.md``, "Clocks". A clock is a plain value machine: it never
reads the time itself, so every case of it can be tested with numbers.
"""

from dataclasses import dataclass

MS = 1_000_000
"""Nanoseconds in a millisecond."""


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


class Clock:
    """One bot's clock during one game."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.left = None if control.game is None else control.game * MS
        self.grace_left = control.grace * MS
        self.last_charge = 0

    @property
    def limit(self) -> int:
        """Nanoseconds the coming ply may take, the grace included; past it the game is lost on time."""
        return self._allowance + self.grace_left

    @property
    def _allowance(self) -> int:
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
        self.grace_left = max(0, self.grace_left - overrun)
        if self.left is not None:
            self.left = max(0, self.left - used)
            if in_time:
                self.left += self.control.increment * MS
        return in_time
