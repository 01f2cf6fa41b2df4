"""Ratings of a pool of bots: Davidson's model of wins, draws and losses, with a first-move term.

For White i against Black j let ``x = (R_i - R_j + h) ln10/400``. Then win, draw and loss have the
chances ``e^(x/2) : nu : e^(-x/2)`` (Davidson 1970, with the order effect of Davidson & Beaver 1977).
The log-likelihood is concave in ``(R, h, log nu)``; Newton's method finds its maximum from sums
alone, so neither the order nor the number of games matters. At the maximum every bot's expected
points are the points it made. Half-point logistic Elo is the same model with ``nu = 0`` and a draw
as half a win and half a loss.

Matrices are indexed ``[White, Black]``. Inside, ratings are in natural units, one of which is
``400/ln10`` Elo.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arbiter.rating.interval import ELO, Z95, normal_cdf

Matrix = NDArray[np.float64]

PRIOR_SD = 100.0
"""Standard deviation in Elo of the prior on the first-move term, whose mean is 0."""

_PAIR_POINTS = np.arange(5) / 2
_PAIR_PRIOR = 10.0  # pairs of the expected variance that hold the design effect near 1
_MAX_STEPS = 200
_CONVERGED = 1e-11
_LONGEST_STEP = 8.0  # natural units; keeps exponentials in range far from the maximum


@dataclass(frozen=True, slots=True)
class Games:
    """Sums over the games of a pool.

    ``wins``, ``draws``, ``losses``: White's, n x n. ``pairs[i, j]`` for i < j: complete pairs by the
    points 0, 1/2, 1, 3/2, 2 of bot i, n x n x 5.
    """

    bots: tuple[str, ...]
    wins: Matrix
    draws: Matrix
    losses: Matrix
    pairs: Matrix

    @classmethod
    def of(
        cls,
        bots: Sequence[str],
        rated: Mapping[tuple[str, str], Sequence[int]],
        pairs: Mapping[tuple[str, str], Sequence[int]] | None = None,
    ) -> "Games":
        """From a tally's counts; those of other bots are left out.

        ``rated[white, black]``: wins, draws, losses. ``pairs[first, second]``: five counts by the
        first bot's points.
        """
        place = {bot: i for i, bot in enumerate(bots)}
        size = len(place)
        results = np.zeros((size, size, 3))
        for (white, black), counts in rated.items():
            if white in place and black in place:
                results[place[white], place[black]] += counts
        couples = np.zeros((size, size, 5))
        for (first, second), counts in (pairs or {}).items():
            if first in place and second in place:
                i, j = place[first], place[second]
                couples[min(i, j), max(i, j)] += counts if i < j else counts[::-1]
        return cls(tuple(place), results[..., 0], results[..., 1], results[..., 2], couples)


@dataclass(frozen=True, slots=True)
class Chances:
    """Probabilities of White's win, draw and loss for every ordered couple of bots, n x n each."""

    win: Matrix
    draw: Matrix
    loss: Matrix

    @property
    def points(self) -> Matrix:
        """White's expected points."""
        return self.win + self.draw / 2

    @property
    def variance(self) -> Matrix:
        """The variance of White's points."""
        lead = self.win - self.loss
        return (self.win + self.loss - lead * lead) / 4


@dataclass(frozen=True, slots=True)
class Optimum:
    """Where the likelihood is greatest, in Elo before the display scale.

    ``ratings`` have the mean 0; ``covariance`` is the inverse of the negative Hessian, centred on the
    mean of the pool; ``chances`` are those of single games.
    """

    ratings: Matrix
    covariance: Matrix
    advantage: float
    nu: float
    chances: Chances


@dataclass(frozen=True, slots=True)
class Ratings:
    """The rating of a pool, as it is shown.

    ``elo`` and ``covariance`` are on the display scale ``2/(2 + nu)``, on which the expected score of
    two nearly equal bots has the slope of the usual Elo curve, so that few or many draws do not
    stretch the numbers. Mean 0, or the anchor at its Elo. ``phantoms``: each bot was given half a
    point for and half a point against a bot at 0, because the results alone set no finite ratings.
    ``decisive``: some game was won. ``design_effect``: by how much the two games of a pair together
    vary more (> 1) or less than two games apart.
    """

    bots: tuple[str, ...]
    elo: Matrix
    covariance: Matrix
    advantage: float
    nu: float
    scale: float
    phantoms: bool
    decisive: bool
    design_effect: float
    anchor: str | None

    def error(self, i: int, j: int | None = None) -> float:
        """Standard error in Elo of bot i, or of its difference to bot j."""
        if j is None and self.anchor is not None:
            j = self.bots.index(self.anchor)
        covariance = self.covariance
        variance = covariance[i, i]
        if j is not None:
            variance = variance + covariance[j, j] - 2 * covariance[i, j]
        return math.sqrt(max(0.0, float(variance)))

    def interval(self, bot: str) -> tuple[float, float] | None:
        """The 95 % interval of a bot's Elo; None for the anchor, whose Elo is a choice."""
        if bot == self.anchor:
            return None
        i = self.bots.index(bot)
        half = Z95 * self.error(i)
        return float(self.elo[i]) - half, float(self.elo[i]) + half

    def los(self, bot: str, other: str) -> float:
        """Likelihood of superiority: the chance that ``bot`` is the stronger of the two."""
        if bot == other:
            return 0.5
        i, j = self.bots.index(bot), self.bots.index(other)
        return normal_cdf(float(self.elo[i] - self.elo[j]) / self.error(i, j))


def rate(games: Games, anchor: tuple[str, float] | None = None) -> Ratings:
    """Ratings of one group of bots, whatever their results: never nan, never infinite.

    ``anchor`` is a bot of the group and its Elo. The errors are those of the likelihood times the
    design effect of the pairs.
    """
    drawn, decisive = games.draws.sum() > 0, (games.wins + games.losses).sum() > 0
    phantoms = not (decisive and has_maximum(games))
    best = maximise(games, phantoms=phantoms, half_points=not (drawn and decisive))
    effect = design_effect(games, best.chances)
    scale = 2 / (2 + best.nu)
    elo = best.ratings * scale
    if anchor is not None:
        elo = elo + (anchor[1] - elo[games.bots.index(anchor[0])])
    return Ratings(
        bots=games.bots,
        elo=elo,
        covariance=best.covariance * (effect * scale**2),
        advantage=best.advantage * scale,
        nu=best.nu,
        scale=scale,
        phantoms=phantoms,
        decisive=bool(decisive),
        design_effect=effect,
        anchor=None if anchor is None else anchor[0],
    )


def has_maximum(games: Games) -> bool:
    """Whether the likelihood of these games (some of them won) is greatest at finite ratings.

    It is not when it keeps growing as some ratings drift apart. That happens when the graph "beat or
    drew" is not strongly connected. With draws it also happens, nu growing along, when levels can be
    given to the bots such that every winner stands at least one above the loser and drawn games lie
    at most one apart: for instance when A beat B and drew with B, and never lost. Such levels exist
    unless some cycle of "beat" and "drew" has more wins than draws.
    """
    beat = (games.wins + games.losses.T) > 0
    drew = (games.draws + games.draws.T) > 0
    links = beat | drew
    if not (_reaches_all(links) and _reaches_all(links.T)):
        return False
    if not drew.any() or (beat & beat.T).any():
        return True
    # Bellman and Ford: a cycle of negative cost is one with more wins than draws.
    cost = np.where(beat, -1.0, np.where(drew, 1.0, np.inf))
    distance = np.zeros(len(games.bots))
    for _ in games.bots:
        shorter = np.minimum(distance, (distance[:, None] + cost).min(axis=0))
        if (shorter == distance).all():
            return False
        distance = shorter
    return True


def _reaches_all(links: NDArray[np.bool_]) -> bool:
    reached = np.zeros(len(links), dtype=bool)
    reached[:1] = True
    while True:
        more = reached | links[reached].any(axis=0)
        if (more == reached).all():
            return bool(reached.all())
        reached = more


def design_effect(games: Games, chances: Chances) -> float:
    """How far the points of whole pairs spread, over what independent games would do.

    Held near 1 by ten pairs of exactly the expected variance, and within .3 to 2.
    """
    counts = games.pairs.sum(axis=2)
    expected = chances.points + 1 - chances.points.T
    variance = chances.variance + chances.variance.T
    squares = (games.pairs * (_PAIR_POINTS - expected[..., None]) ** 2).sum()
    spread = (counts * variance).sum()
    if not spread:  # no pair, or none whose result was in doubt
        return 1.0
    prior = _PAIR_PRIOR * spread / counts.sum()
    return float(np.clip((squares + prior) / (spread + prior), 0.3, 2.0))


def maximise(
    games: Games,
    *,
    phantoms: bool = False,
    half_points: bool = False,
    prior_sd: float | None = PRIOR_SD,
) -> Optimum:
    """The maximum of the likelihood by Newton's method with halved steps.

    ``half_points``: a draw is half a win and half a loss, and nu is 0. Without ``half_points`` there
    must be draws and won games, and without ``phantoms`` the games must have a maximum.
    """
    likelihood = _Likelihood(games, phantoms, half_points, prior_sd)
    place = likelihood.start()
    height = likelihood.value(place)
    for _ in range(_MAX_STEPS):
        gradient, curvature = likelihood.slopes(place)
        step = np.linalg.solve(curvature, gradient)
        if np.abs(step).max() < _CONVERGED:
            break
        size = min(1.0, _LONGEST_STEP / np.abs(step).max())
        while (higher := likelihood.value(place + size * step)) < height - 1e-12 * abs(height):
            size /= 2
        place, height = place + size * step, higher
    return likelihood.optimum(place)


class _Likelihood:
    """The log-likelihood as a function of the vector (ratings, first-move term, log nu if fitted)."""

    def __init__(self, games: Games, phantoms: bool, half_points: bool, prior_sd: float | None) -> None:
        self.size = len(games.bots)
        self.phantoms = phantoms
        self.half_points = half_points
        self.precision = 0.0 if prior_sd is None else (ELO / prior_sd) ** 2
        self.played = games.wins + games.draws + games.losses
        self.draws = float(games.draws.sum())
        self.scores = games.wins + games.draws / 2  # White's points

    def start(self) -> Matrix:
        """Equal bots, and nu as the share of draws asks for."""
        if self.half_points:
            return np.zeros(self.size + 1)
        nu = 2 * self.draws / (float(self.played.sum()) - self.draws)
        return np.append(np.zeros(self.size + 1), math.log(nu))

    def value(self, place: Matrix) -> float:
        ratings, advantage, nu = self._unpack(place)
        x = self._differences(ratings, advantage)
        total = np.sum(self.scores * x) - np.sum(self.played * (x / 2 + self._log_sum(x, nu)))
        if not self.half_points:
            total += self.draws * place[-1]
        if self.phantoms:
            total += np.sum(ratings / 2 - np.logaddexp(0, ratings))
        return float(total - self.precision * advantage**2 / 2)

    def slopes(self, place: Matrix) -> tuple[Matrix, Matrix]:
        """The gradient and the negative Hessian, the latter made regular in the direction in which
        all ratings move together, where without phantoms nothing changes.
        """
        n = self.size
        ratings, advantage, nu = self._unpack(place)
        chances = self._chances(ratings, advantage, nu)
        gradient, curvature = np.zeros(len(place)), np.zeros((len(place), len(place)))
        excess = self.scores - self.played * chances.points
        gradient[:n] = excess.sum(axis=1) - excess.sum(axis=0)
        gradient[n] = excess.sum() - self.precision * advantage
        weight = self.played * chances.variance
        curvature[:n, :n] = np.diag(weight.sum(axis=1) + weight.sum(axis=0)) - weight - weight.T
        curvature[:n, n] = curvature[n, :n] = weight.sum(axis=1) - weight.sum(axis=0)
        curvature[n, n] = weight.sum() + self.precision
        if not self.half_points:
            mixed = self.played * chances.draw * (chances.loss - chances.win) / 2
            gradient[-1] = self.draws - np.sum(self.played * chances.draw)
            curvature[:n, -1] = curvature[-1, :n] = mixed.sum(axis=1) - mixed.sum(axis=0)
            curvature[n, -1] = curvature[-1, n] = mixed.sum()
            curvature[-1, -1] = np.sum(self.played * chances.draw * (1 - chances.draw))
        if self.phantoms:
            expected = 1 / (1 + np.exp(-ratings))
            gradient[:n] += 0.5 - expected
            curvature[:n, :n] += np.diag(expected * (1 - expected))
        else:
            curvature[:n, :n] += max(np.trace(curvature[:n, :n]), 1e-300) / n**2
        return gradient, curvature

    def optimum(self, place: Matrix) -> Optimum:
        ratings, advantage, nu = self._unpack(place)
        inverse = np.asarray(np.linalg.inv(self.slopes(place)[1]), dtype=np.float64)
        covariance = inverse[: self.size, : self.size]
        if self.size > 1:
            centring = np.eye(self.size) - 1 / self.size
            covariance = centring @ covariance @ centring
        return Optimum(
            ratings=(ratings - ratings.mean()) * ELO,
            covariance=covariance * ELO**2,
            advantage=advantage * ELO,
            nu=nu,
            chances=self._chances(ratings, advantage, nu),
        )

    def _unpack(self, place: Matrix) -> tuple[Matrix, float, float]:
        nu = 0.0 if self.half_points else math.exp(place[-1])
        return place[: self.size], float(place[self.size]), nu

    @staticmethod
    def _differences(ratings: Matrix, advantage: float) -> Matrix:
        return ratings[:, None] - ratings[None, :] + advantage

    @staticmethod
    def _log_sum(x: Matrix, nu: float) -> Matrix:
        """log(e^(x/2) + nu + e^(-x/2)), safe for any x."""
        half = np.abs(x) / 2
        return half + np.log1p(np.exp(-2 * half) + nu * np.exp(-half))

    def _chances(self, ratings: Matrix, advantage: float, nu: float) -> Chances:
        x = self._differences(ratings, advantage)
        log_sum = self._log_sum(x, nu)
        win, loss = np.exp(x / 2 - log_sum), np.exp(-x / 2 - log_sum)
        return Chances(win, nu * np.exp(-log_sum), loss)
