"""Sums of what a bot's clock was charged, over many games."""

from dataclasses import dataclass

from arbiter.match.clock import MS, ClockUse

STARVED_SHARE = 0.1
"""The share of its time that a bot waits for a core above which its results say something of the machine."""
_USUAL_WAIT = MS
"""What a ply may wait on a machine that is not too busy."""


@dataclass(slots=True)
class ClockSums:
    """Over ``games`` games: plies, their charges in all and the worst one, the most grace used in a
    game, and the CPU time taken in the opponent's turns; times in nanoseconds.

    Of games in which it is known: ``timed_plies``, the time ``elapsed`` in them, and ``waited`` for a core.
    """

    games: int = 0
    plies: int = 0
    used: int = 0
    worst: int = 0
    worst_grace: int = 0
    idle_cpu: int = 0
    timed_plies: int = 0
    elapsed: int = 0
    waited: int = 0

    def add(self, use: ClockUse) -> None:
        self.games += 1
        self.plies += use.plies
        self.used += use.used
        self.worst = max(self.worst, use.worst)
        self.worst_grace = max(self.worst_grace, use.grace)
        self.idle_cpu += use.idle_cpu
        if use.elapsed:
            self.timed_plies += use.plies
            self.elapsed += use.elapsed
            self.waited += use.waited

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

    @property
    def waited_share(self) -> float | None:
        """The part of its time in which the machine gave the bot no core; None where that is not known."""
        return self.waited / self.elapsed if self.elapsed else None

    @property
    def is_starved(self) -> bool:
        """Whether the machine took enough of its time to change results.

        A share alone would not tell: of a ply of 0.1 ms the usual delay of a scheduler is a good part.
        """
        return self.waited > STARVED_SHARE * self.elapsed and self.waited > _USUAL_WAIT * self.timed_plies
