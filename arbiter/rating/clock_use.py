"""Sums of what a bot's clock was charged, over many games."""

from dataclasses import dataclass

from arbiter.match.clock import MS, ClockUse


@dataclass(slots=True)
class ClockSums:
    """Over ``games`` games: plies, their charges in all and the worst one, the most grace used in a
    game, and the CPU time taken in the opponent's turns; times in nanoseconds.
    """

    games: int = 0
    plies: int = 0
    used: int = 0
    worst: int = 0
    worst_grace: int = 0
    idle_cpu: int = 0

    def add(self, use: ClockUse) -> None:
        self.games += 1
        self.plies += use.plies
        self.used += use.used
        self.worst = max(self.worst, use.worst)
        self.worst_grace = max(self.worst_grace, use.grace)
        self.idle_cpu += use.idle_cpu

    @property
    def mean_ms(self) -> float:
        """A ply's mean charge."""
        return self.used / self.plies / MS if self.plies else 0.0

    @property
    def worst_ms(self) -> float:
        return self.worst / MS

    @property
    def worst_grace_ms(self) -> float:
        return self.worst_grace / MS

    @property
    def idle_ms_a_game(self) -> float:
        return self.idle_cpu / self.games / MS if self.games else 0.0
