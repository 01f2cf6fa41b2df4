"""How often the 95 % intervals of the ratings contain the truth, in simulated leagues.

Usage: ``python benchmarks/coverage.py [--leagues N] [--quick]``. Each row is a kind of league; its
bots' true strengths are drawn anew for every league. "Covered" is the share of (league, bot) whose
true rating, on the display scale and centred like the estimates, lies within the printed interval;
the last column counts the leagues whose results alone set no finite ratings. Exit status 1 if a row
that is promised 93-97 % misses it.
"""

import argparse
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arbiter.rating.davidson import Games, rate
from arbiter.rating.interval import ELO, Z95

LOW, HIGH = 0.93, 0.97


@dataclass(frozen=True)
class League:
    """A kind of round robin. ``spread``: standard deviation of the strengths in Elo. ``draws``: their
    share between equal bots. ``correlation``: of the points of one bot in the two games of a pair.
    ``advantage``: of the first move, in Elo.
    """

    bots: int = 5
    rounds: int = 2
    draws: float = 0.05
    correlation: float = 0.0
    spread: float = 150.0
    advantage: float = 40.0

    @property
    def nu(self) -> float:
        return 2 * self.draws / (1 - self.draws)


@dataclass(frozen=True)
class Coverage:
    league: League
    covered: float
    width: float
    phantoms: int


def play(league: League, strengths: NDArray[np.float64], random: np.random.Generator) -> Games:
    """One round robin. The second game of a pair repeats the luck of the first one, or its opposite,
    as often as the correlation asks for, and is independent otherwise.
    """
    n, nu = league.bots, league.nu
    x = (strengths[:, None] - strengths[None, :] + league.advantage) / ELO
    win, loss = np.exp(x / 2), np.exp(-x / 2)
    total = win + loss + nu
    lose_below, win_from = loss / total, 1 - win / total
    results = np.zeros((n, n, 3))
    pairs = np.zeros((n, n, 5))
    for i, j in itertools.combinations(range(n), 2):
        luck = random.random(league.rounds)
        mirrored = luck if league.correlation >= 0 else 1 - luck
        tied = random.random(league.rounds) < abs(league.correlation)
        other = np.where(tied, mirrored, random.random(league.rounds))
        # Points of i: with luck as White, and with other luck as Black (a high number is good for i).
        first = np.where(luck < lose_below[i, j], 0.0, np.where(luck >= win_from[i, j], 1.0, 0.5))
        as_black = 1 - other
        second = np.where(as_black < lose_below[j, i], 1.0, np.where(as_black >= win_from[j, i], 0.0, 0.5))
        for white, black, points in ((i, j, first), (j, i, 1 - second)):
            for cell, value in enumerate((1.0, 0.5, 0.0)):
                results[white, black, cell] += np.sum(points == value)
        np.add.at(pairs[i, j], np.rint(2 * (first + second)).astype(int), 1)
    return Games(tuple(map(str, range(n))), results[..., 0], results[..., 1], results[..., 2], pairs)


def measure(league: League, leagues: int, seed: int = 1) -> Coverage:
    random = np.random.default_rng(seed)
    inside = phantoms = 0
    width = 0.0
    for _ in range(leagues):
        strengths = random.normal(0, league.spread, league.bots)
        strengths -= strengths.mean()
        ratings = rate(play(league, strengths, random))
        errors = np.array([ratings.error(i) for i in range(league.bots)])
        truth = strengths * 2 / (2 + league.nu)
        inside += int(np.sum(np.abs(ratings.elo - truth) <= Z95 * errors))
        phantoms += ratings.phantoms
        width += float(np.sum(Z95 * errors))
    total = leagues * league.bots
    return Coverage(league, inside / total, width / total, phantoms)


def promised() -> Iterator[League]:
    """From five bots and two rounds up, draws 0-10 %, correlation -.3 to +.3."""
    for draws, correlation in itertools.product((0.0, 0.03, 0.1), (-0.3, 0.0, 0.3)):
        yield League(draws=draws, correlation=correlation)
    for bots, rounds in ((5, 4), (5, 10), (8, 2), (10, 4), (16, 2)):
        for correlation in (-0.3, 0.3):
            yield League(bots, rounds, 0.03, correlation)
    for spread in (50.0, 100.0, 200.0):
        yield League(spread=spread, correlation=-0.3)
        yield League(spread=spread, correlation=0.3)


def beyond() -> Iterator[League]:
    """Less data, or a wider field, than is promised."""
    yield League(bots=3, rounds=2)
    yield League(bots=5, rounds=1)
    yield League(spread=300.0)
    yield League(bots=10, spread=300.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--leagues", type=int, default=2000, help="leagues per row (default: 2000)")
    parser.add_argument("--quick", action="store_true", help="300 leagues per row")
    options = parser.parse_args()
    leagues = 300 if options.quick else options.leagues
    print("bots rounds draws  corr spread   covered   ± Elo  phantoms")
    missed = 0
    for league, binding in [(k, True) for k in promised()] + [(k, False) for k in beyond()]:
        result = measure(league, leagues)
        fine = LOW <= result.covered <= HIGH
        missed += binding and not fine
        remark = "" if fine else "  <- outside" if binding else "  (not promised)"
        print(
            f"{league.bots:4} {league.rounds:6} {league.draws:5.0%} {league.correlation:+5.1f} "
            f"{league.spread:6.0f} {result.covered:9.1%} {result.width:7.0f} "
            f"{result.phantoms / leagues:9.1%}{remark}",
            flush=True,
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
