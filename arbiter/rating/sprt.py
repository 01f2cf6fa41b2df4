"""Is one bot better than another? A sequential test that stops as soon as the games say so.

The generalised sequential probability ratio test on colour-swapped pairs (or on single games): after
every pair the log-likelihood ratio of two hypotheses, each with the frequencies that fit the results
best under it, is compared with Wald's bounds. Counts are as in ``interval``. A hypothesis fixes

``logistic``    the mean score, given as Elo;
``normalized``  the mean's distance from 1/2 in standard deviations of a game, given as normalized Elo.

Whoever stops when the test says so must not read the Elo shown then as an estimate: it is biased away
from the middle.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from arbiter.rating.interval import ELO, elo_of, score_of

Model = Literal["logistic", "normalized"]
Decision = Literal["H0", "H1", "continue"]

PAIR_VARIANCE = 0.105
"""Of a pair's mean score between equal bots: openings that favour a side by 140 Elo, 3 % draws."""

_EMPTY = 1e-3  # what an empty cell counts, so that no result is taken to be impossible
_OVERSHOOT = 0.583  # by how many standard deviations of a step a random walk passes a bound (Siegmund)
_ROUNDS = 100
_CONVERGED = 1e-11
_INSIDE = 1 - 1e-15
_FARTHEST = 200.0  # normalized Elo up to which the fit is known to be found for any counts


Ending = Decision | Literal["repeats"]
"""How a match stands: as the test says, or given up because the bots only repeat their games."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """The test of H0 "the difference is ``elo0``" against H1 "it is ``elo1``".

    ``alpha``: chance to accept H1 when H0 holds; ``beta``: to accept H0 when H1 holds.
    Raises ValueError unless elo0 < elo1, both chances lie between 0 and 1/2, and normalized Elos
    between -200 and 200.
    """

    elo0: float = 0.0
    elo1: float = 50.0
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "logistic"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise ValueError(f"the hypotheses have to be two finite Elos, the lower first: {self}")
        if self.model == "normalized" and max(-self.elo0, self.elo1) > _FARTHEST:
            raise ValueError(f"normalized Elos have to lie between -200 and 200: {self}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"alpha and beta have to lie between 0 and 1/2: {self}")

    @property
    def bounds(self) -> tuple[float, float]:
        """H0 is accepted from the first downwards, H1 from the second upwards."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """The log-likelihood ratio of H1 to H0; 0 without games.

        Raises ValueError unless there are 3 or 5 counts, none below 0.
        """
        if len(counts) not in (3, 5) or min(counts) < 0:
            raise ValueError(f"neither 3 nor 5 counts from 0 up: {counts!r}")
        if not any(counts):
            return 0.0
        cells = [count or _EMPTY for count in counts]
        total = sum(cells)
        found = [cell / total for cell in cells]
        fit = _fit_mean if self.model == "logistic" else _fit_distance
        p0, p1 = (fit(found, self._fixed(elo, len(counts))) for elo in (self.elo0, self.elo1))
        return total * sum(p * math.log(b / a) for p, a, b in zip(found, p0, p1, strict=True))

    def decision(self, counts: Sequence[int]) -> Decision:
        low, high = self.bounds
        llr = self.llr(counts)
        return "H0" if llr <= low else "H1" if llr >= high else "continue"

    def expected_pairs(self, elo: float, variance: float = PAIR_VARIANCE) -> float:
        """How many pairs the test takes on average when the difference is ``elo``.

        Wald's approximation with a correction for passing the bounds. ``variance``: of a pair's mean
        score; the model ``normalized`` needs none.
        """
        deviation = math.sqrt(variance)
        zero, one, true = (self._distance(each, deviation) for each in (self.elo0, self.elo1, elo))
        step = one - zero  # also the standard deviation of what a pair adds to the ratio
        drift = step * (true - (zero + one) / 2)
        low, high = self.bounds
        low, high = low - _OVERSHOOT * step, high + _OVERSHOOT * step
        tilt = -2 * drift / step**2
        if abs(tilt) < 1e-6:
            return max(1.0, -low * high / step**2)
        reached_high = math.expm1(tilt * low) / (math.exp(tilt * low) - math.exp(tilt * high))
        return max(1.0, (high * reached_high + low * (1 - reached_high)) / drift)

    def _fixed(self, elo: float, cells: int) -> float:
        """What a hypothesis fixes: a score, or a distance in standard deviations of an observation."""
        if self.model == "logistic":
            return score_of(elo)
        return elo / (2 * ELO) * (math.sqrt(2) if cells == 5 else 1.0)

    def _distance(self, elo: float, deviation: float) -> float:
        fixed = self._fixed(elo, 5)
        return (fixed - 0.5) / deviation if self.model == "logistic" else fixed


@dataclass(frozen=True, slots=True)
class SprtProgress:
    """Where a test stands: its ratio between two bounds after so many pairs.

    ``counts``: pairs by the first bot's points 0, 1/2, 1, 3/2, 2. ``ending``: the hypothesis that was
    accepted, ``repeats`` when the bots only repeat their games, or ``continue``. ``forfeits``: games of
    these pairs that ended by forfeit, and ``spoilt`` the pairs that they are in, counted as all pairs are.
    """

    test: Sprt
    pairs: int
    counts: tuple[int, ...]
    llr: float
    ending: Ending
    forfeits: int = 0
    spoilt: tuple[int, ...] = (0, 0, 0, 0, 0)

    @property
    def played(self) -> tuple[int, ...]:
        """The pairs without a forfeit: what the bots' play alone has shown."""
        return tuple(a - b for a, b in zip(self.counts, self.spoilt, strict=True))

    @property
    def played_llr(self) -> float:
        """The ratio after these pairs alone."""
        return self.test.llr(self.played)

    @property
    def played_ending(self) -> Decision:
        """What the test says of these pairs alone."""
        return self.test.decision(self.played)

    @property
    def is_by_forfeit(self) -> bool:
        """Whether forfeits made the decision: the games that were played would not."""
        return self.ending in ("H0", "H1") and self.played_ending != self.ending

    @property
    def line(self) -> str:
        low, high = self.test.bounds
        counts = "-".join(map(str, self.counts))
        forfeits = f", {self.forfeits:,} of {2 * self.pairs:,} games by forfeit" if self.forfeits else ""
        return (
            f"pair {self.pairs:,}: LLR {self.llr:+.2f} ({low:.2f} to {high:.2f}), "
            f"pairs by points {counts}{forfeits}"
        )


def detectable_elo(
    pairs: int, alpha: float = 0.05, beta: float = 0.05, variance: float = PAIR_VARIANCE
) -> float | None:
    """The least ``elo1`` that a test against 0 Elo tells apart in this many pairs on average, wherever
    between the two the truth lies; None when no difference is large enough.
    """
    low, high = 0.0, 2000.0

    def needed(elo1: float) -> float:
        test = Sprt(0.0, elo1, alpha, beta)
        middle = elo_of((0.5 + score_of(elo1)) / 2)  # where it takes longest
        return test.expected_pairs(middle or 0.0, variance)

    if pairs < needed(high):
        return None
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if needed(middle) <= pairs else (middle, high)
    return high


def _fit_mean(found: Sequence[float], score: float) -> list[float]:
    """The likeliest frequencies whose mean is ``score``."""
    top = len(found) - 1
    return _fit_zero(found, [i / top - score for i in range(len(found))])


def _fit_distance(found: Sequence[float], distance: float) -> list[float]:
    """The likeliest frequencies whose mean is ``distance`` standard deviations above 1/2.

    The constraint is not linear; it is replaced by its tangent at the last solution until that stays.
    """
    values = [i / (len(found) - 1) for i in range(len(found))]
    fitted = [1 / len(found)] * len(found)
    for _ in range(_ROUNDS):
        mean = sum(p * a for p, a in zip(fitted, values, strict=True))
        sigma = math.sqrt(sum(p * (a - mean) ** 2 for p, a in zip(fitted, values, strict=True)))
        tangent = [a - 0.5 - distance * sigma / 2 * (1 + ((a - mean) / sigma) ** 2) for a in values]
        last, fitted = fitted, _fit_zero(found, tangent)
        if max(abs(p - q) for p, q in zip(last, fitted, strict=True)) < _CONVERGED:
            break
    return fitted


def _fit_zero(found: Sequence[float], values: Sequence[float]) -> list[float]:
    """The likeliest frequencies under which ``values`` have the mean 0: ``p / (1 + x value)``."""

    def excess(x: float) -> float:
        return sum(p * v / (1 + x * v) for p, v in zip(found, values, strict=True))

    def slope(x: float) -> float:
        return -sum(p * (v / (1 + x * v)) ** 2 for p, v in zip(found, values, strict=True))

    # At the bounds themselves a frequency would be infinite.
    x = _falling_root(excess, slope, -_INSIDE / max(values), -_INSIDE / min(values))
    return [p / (1 + x * v) for p, v in zip(found, values, strict=True)]


def _falling_root(
    function: Callable[[float], float], slope: Callable[[float], float], low: float, high: float
) -> float:
    """Where a function that falls from above 0 to below 0 between two bounds is 0: Newton's steps
    while they stay between the bounds, which close in, and halvings otherwise.
    """
    x = 0.0
    for _ in range(_ROUNDS):
        value = function(x)
        low, high = (x, high) if value > 0 else (low, x)
        step = value / slope(x)
        last, x = x, x - step if low < x - step < high else (low + high) / 2
        if abs(x - last) <= _CONVERGED * abs(x):
            break
    return x
