"""One bot against another: Elo, its 95 % interval and the likelihood of superiority, from counts alone.

Counts are either single games by points (losses, draws, wins: 0, 1/2, 1) or complete colour-swapped
pairs by points (LL, LD, DD+WL, DW, WW: 0, 1/2, 1, 3/2, 2), always of the first of the two bots. The
length, 3 or 5, says which. A score is points per game, from 0 to 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

ELO = 400 / math.log(10)
"""Elo in one natural unit of the logistic curve."""

Z95 = 1.959963984540054
"""Standard errors on either side of a 95 % interval."""

_PRIOR = 2.0  # observations of the usual spread that the spread found is mixed with
_USUAL = {3: 1.0, 5: 0.5}  # variance of a mean over that of one coin toss: the two games of a pair halve it
_LEAST = 0.02


def normal_cdf(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def elo_of(score: float) -> float | None:
    """The difference in Elo that makes this score expected; None where it would be infinite."""
    if not 0 < score < 1:
        return None
    # The difference of logarithms keeps scores near 0 and 1 exact; adding 0 makes -0 a 0.
    return (math.log(score) - math.log1p(-score)) * ELO + 0.0


def score_of(elo: float) -> float:
    """The expected score at this difference in Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True, slots=True)
class Sample:
    """``n`` pairs or games with their mean score, the variance of it and games per observation."""

    n: int
    mean: float
    variance: float
    games: int

    @classmethod
    def of(cls, counts: Sequence[int]) -> "Sample":
        """Raises ValueError unless there are 3 or 5 counts, none below 0, and some game."""
        if len(counts) not in _USUAL or min(counts) < 0:
            raise ValueError(f"neither 3 nor 5 counts from 0 up: {counts!r}")
        n = sum(counts)
        if not n:
            raise ValueError("no games")
        top = len(counts) - 1
        mean = sum(i * count for i, count in enumerate(counts)) / (top * n)
        variance = sum(count * (i / top - mean) ** 2 for i, count in enumerate(counts)) / n
        return cls(n, mean, variance, 2 if top == 4 else 1)

    @property
    def nelo(self) -> float | None:
        """Normalized Elo: how many standard deviations of a game the score is from 1/2, on a scale
        that equals Elo between nearly equal bots without draws. None where it would be infinite.
        """
        if not self.variance:
            return 0.0 if self.mean == 0.5 else None
        return (self.mean - 0.5) / math.sqrt(self.games * self.variance) * 2 * ELO

    @property
    def nelo_error(self) -> float | None:
        """Half the width of its 95 % interval; None without any spread."""
        return Z95 * 2 * ELO / math.sqrt(self.games * self.n) if self.variance else None


@dataclass(frozen=True, slots=True)
class ScoreInterval:
    """A score between its 95 % bounds.

    ``score`` is None without games; then the bounds are 0 and 1. ``spread`` is the variance of an
    observation over that of a coin toss, ``los`` the likelihood of superiority: the chance that the
    first bot is the stronger.
    """

    score: float | None
    low: float
    high: float
    spread: float | None
    los: float

    @property
    def elo(self) -> float | None:
        return None if self.score is None else elo_of(self.score)

    @property
    def elo_low(self) -> float | None:
        """None: no lower bound."""
        return elo_of(self.low)

    @property
    def elo_high(self) -> float | None:
        """None: no upper bound."""
        return elo_of(self.high)


def score_interval(counts: Sequence[int]) -> ScoreInterval:
    """Wilson's interval with the spread that was found in place of that of coin tosses.

    The spread is shrunken towards what is usual, so that a few equal results do not make the interval
    a point. It never leaves 0 to 1, and has some width for any counts.
    Raises ValueError unless there are 3 or 5 counts.
    """
    if len(counts) in _USUAL and not any(counts):
        return _NOTHING
    sample = Sample.of(counts)
    return _wilson(sample.mean, sample.n, _spread(counts))


def match_interval(games: Sequence[int], pairs: Sequence[int]) -> ScoreInterval:
    """The same for a match in which some games are halves of complete pairs and others stand alone.

    ``games`` are the 3 counts of all games, ``pairs`` the 5 of the complete pairs among them.

    The score is points per game, so every game has the same weight. With P pairs and S games alone,
    N = 2P + S, its variance is the sum over independent observations,
    ``(P var(points of a pair) + S var(points of a game)) / N^2``, as for a mean over clusters of unequal
    size (Cochran, Sampling Techniques, 9A). By their spreads phi and psi, in units of a coin toss with
    the chance q, that is ``q (1 - q) (4 P phi + S psi) / N^2``: as certain as
    ``m = N^2 / (4 P phi + S psi)`` coin tosses. phi is found from the pairs; psi, like the score, from
    all games, because one game alone varies as any game does, whether or not it is half of a pair.
    Without games alone m is P / phi, without pairs S / psi: ``score_interval`` of these counts.
    Raises ValueError unless there are 3 and 5 counts and the games hold the pairs.
    """
    if not any(games) and not any(pairs):
        return _NOTHING
    sample, paired = Sample.of(games), sum(pairs)
    alone = sample.n - 2 * paired
    if alone < 0:
        raise ValueError(f"{sample.n} games are not {paired} pairs")
    variance = alone * _spread(games) + (4 * paired * _spread(pairs) if paired else 0.0)
    observations = paired + alone
    return _wilson(sample.mean, observations, variance * observations / sample.n**2)


_NOTHING = ScoreInterval(None, 0.0, 1.0, None, 0.5)


def _spread(counts: Sequence[int]) -> float:
    sample = Sample.of(counts)
    found = sample.n * sample.variance + _PRIOR * _USUAL[len(counts)] / 4
    expected = sample.n * sample.mean * (1 - sample.mean) + _PRIOR / 4
    return min(1.0, max(_LEAST, found / expected))


def _wilson(mean: float, n: int, spread: float) -> ScoreInterval:
    size = n / spread  # coin tosses that would be as certain
    shrinkage = 1 + Z95**2 / size
    centre = (mean + Z95**2 / (2 * size)) / shrinkage
    half = Z95 * math.sqrt(mean * (1 - mean) / size + (Z95 / (2 * size)) ** 2) / shrinkage
    return ScoreInterval(
        score=mean,
        low=max(0.0, centre - half) if mean > 0 else 0.0,
        high=min(1.0, centre + half) if mean < 1 else 1.0,
        spread=spread,
        los=normal_cdf((mean - 0.5) / math.sqrt(spread / (4 * n))),
    )
