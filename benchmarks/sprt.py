"""How often the sequential test errs, and how long it takes, in simulated matches.

Usage: ``python benchmarks/sprt.py [--matches N] [--quick]``. Each row is a test and a true difference
in Elo. Every pair has an opening that favours one side by a normally distributed amount, and a few
draws; the two games of a pair swap colours. Exit status 1 if an error is more frequent than the test
promises, beyond what chance explains.
"""

import argparse
import bisect
import itertools
import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from arbiter.rating.interval import score_of
from arbiter.rating.sprt import Sprt

OPENINGS = 140.0
"""Standard deviation of an opening's advantage for the first player, in Elo."""
DRAWS = 0.03
_STEPS = 400  # of the integral over openings
_MOST_PAIRS = 100_000
H0, H1 = "H0", "H1"


@dataclass(frozen=True)
class Measured:
    accepted_h1: float
    mean_pairs: float
    late_pairs: int  # all but 5 % of the tests had ended by then


@cache
def frequencies(elo: float) -> tuple[float, ...]:
    """Of LL, LD, DD+WL, DW, WW, for a bot whose expected score is that of ``elo``."""
    low, high = -4000.0, 4000.0
    while high - low > 1e-9:  # the strength that has this score, averaged over openings
        middle = (low + high) / 2
        low, high = (low, middle) if _score(_pairs(middle)) > score_of(elo) else (middle, high)
    return _pairs((low + high) / 2)


def _score(pairs: tuple[float, ...]) -> float:
    return sum(i * p for i, p in enumerate(pairs)) / 4


def _pairs(strength: float) -> tuple[float, ...]:
    cells = [0.0] * 5
    weights = 0.0
    for step in range(_STEPS):
        z = (step + 0.5) / _STEPS * 10 - 5
        weight = math.exp(-z * z / 2)
        weights += weight
        as_first, as_second = (_game(strength + sign * OPENINGS * z) for sign in (1, -1))
        for (i, p), (j, q) in itertools.product(enumerate(as_first), enumerate(as_second)):
            cells[i + j] += weight * p * q
    return tuple(cell / weights for cell in cells)


def _game(elo: float) -> tuple[float, float, float]:
    """Chances of loss, draw, win."""
    score = score_of(elo)
    draw = min(DRAWS, 2 * score, 2 - 2 * score)
    return 1 - score - draw / 2, draw, score - draw / 2


def run(test: Sprt, elo: float, chance: random.Random) -> tuple[bool, int]:
    """One match: whether H1 was accepted, and after how many pairs."""
    steps = list(itertools.accumulate(frequencies(elo)))
    counts = [0] * 5
    for pairs in range(1, _MOST_PAIRS + 1):
        counts[min(4, bisect.bisect(steps, chance.random()))] += 1
        decision = test.decision(counts)
        if decision != "continue":
            return decision == "H1", pairs
    raise RuntimeError("the test does not end")


def measure(test: Sprt, elo: float, matches: int, seed: int = 1) -> Measured:
    chance = random.Random(seed)
    runs = [run(test, elo, chance) for _ in range(matches)]
    lengths = sorted(pairs for _, pairs in runs)
    return Measured(
        sum(accepted for accepted, _ in runs) / matches,
        sum(lengths) / matches,
        lengths[min(matches - 1, math.ceil(0.95 * matches) - 1)],
    )


def rows() -> Iterator[tuple[Sprt, str, float]]:
    tests = (Sprt(0, 100), Sprt(0, 50), Sprt(0, 20), Sprt(-20, 20), Sprt(0, 55, model="normalized"))
    for test in tests:
        # What a normalized hypothesis means in Elo depends on the spread: about nine tenths of it here.
        scale = 1.0 if test.model == "logistic" else 50 / 55
        for truth, elo in ((H0, test.elo0), (H1, test.elo1), ("between", (test.elo0 + test.elo1) / 2)):
            yield test, truth, elo * scale


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--matches", type=int, default=2000, help="simulated matches per row (default: 2000)")
    parser.add_argument("--quick", action="store_true", help="200 matches per row")
    options = parser.parse_args()
    matches = 200 if options.quick else options.matches
    print("model       hypotheses   true   H1 accepted   pairs   95 % end by   expected pairs")
    missed = 0
    for test, truth, elo in rows():
        found = measure(test, elo, matches)
        limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / matches)
        error = {H0: found.accepted_h1, H1: 1 - found.accepted_h1}.get(truth, 0.0)
        wrong = error > limit
        missed += wrong
        print(
            f"{test.model:10} {f'[{test.elo0:g}, {test.elo1:g}]':>11} {elo:6.1f} {found.accepted_h1:13.1%} "
            f"{found.mean_pairs:7.0f} {found.late_pairs:13} {test.expected_pairs(elo):16.0f}"
            f"{'  <- too often wrong' if wrong else ''}",
            flush=True,
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
