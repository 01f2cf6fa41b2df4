"""How far the mean margin of a bot can be trusted.

Margins are pieces of one bot minus the other's, over games played to their end. The two games of a
pair share an opening, so they are one observation. The opponents are taken as given: the error is
that of playing the same field again.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from arbiter.rating.interval import Z95

_USUAL = 13.0**2
"""Variance of the margin of a game; 12 to 15 is the standard deviation between strong bots."""
_LEAST = 0.02  # times the usual variance: less is not believed
_PRIOR = 2.0  # observations of the usual variance that those found are mixed with


@dataclass(slots=True)
class MarginSums:
    """Over the games of two bots, from the first one's side: the games' margins, and for complete
    pairs the sums of their two.
    """

    games: int = 0
    total: int = 0
    squares: int = 0
    pairs: int = 0
    pair_total: int = 0
    pair_squares: int = 0

    def add(self, margin: int) -> None:
        self.games += 1
        self.total += margin
        self.squares += margin * margin

    def add_pair(self, both: int) -> None:
        """Two games that were added before belong together; their margins sum to ``both``."""
        self.pairs += 1
        self.pair_total += both
        self.pair_squares += both * both

    @property
    def mean(self) -> float | None:
        return self.total / self.games if self.games else None


def mean_error(opponents: Iterable[MarginSums]) -> float | None:
    """Half the width of the 95 % interval of a mean over all these games; None without any.

    Variances are those around each opponent's mean, pooled over the opponents, with two observations
    of the usual variance added: a few equal margins do not make the interval a point. A pair is
    expected to vary as two games apart would.
    """
    met = [sums for sums in opponents if sums.games]
    if not met:
        return None
    games, pairs = sum(sums.games for sums in met), sum(sums.pairs for sums in met)
    deviations = sum(sums.squares - sums.total**2 / sums.games for sums in met)
    game = max(_LEAST * _USUAL, (deviations + _PRIOR * _USUAL) / (games - len(met) + _PRIOR))
    paired = [sums for sums in met if sums.pairs]
    deviations = sum(sums.pair_squares - sums.pair_total**2 / sums.pairs for sums in paired)
    pair = max(_LEAST * 2 * _USUAL, (deviations + _PRIOR * 2 * game) / (pairs - len(paired) + _PRIOR))
    return Z95 * math.sqrt(pairs * pair + (games - 2 * pairs) * game) / games
