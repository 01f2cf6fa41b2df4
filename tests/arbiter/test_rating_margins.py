"""The error of mean margins: never nothing, right on average, and blind to the opponents' strengths."""

import random

import pytest

from arbiter.rating.margins import MarginSums, mean_error


def sums(*pairs: tuple[int, int], singles: tuple[int, ...] = ()) -> MarginSums:
    found = MarginSums()
    for first, second in pairs:
        found.add(first)
        found.add(second)
        found.add_pair(first + second)
    for margin in singles:
        found.add(margin)
    return found


def test_without_margins_there_is_no_error() -> None:
    assert mean_error([]) is None
    assert mean_error([MarginSums()]) is None
    assert MarginSums().mean is None


@pytest.mark.parametrize("games", [((3, 3),), ((5, 5),) * 100])
def test_equal_margins_leave_some_doubt(games: tuple[tuple[int, int], ...]) -> None:
    error = mean_error([sums(*games)])
    assert error is not None
    assert error > 0.2


def test_one_game_is_as_uncertain_as_games_usually_are() -> None:
    assert mean_error([sums(singles=(7,))]) == pytest.approx(1.96 * 13, abs=0.01)


def test_the_strength_of_opponents_is_no_uncertainty() -> None:
    near = [sums((3, -3), (4, -4)), sums((3, -3), (4, -4))]
    far = [sums((3, -3), (4, -4)), sums((33, 27), (34, 26))]
    assert mean_error(far) == pytest.approx(mean_error(near))


def test_games_of_a_pair_that_offset_each_other_say_more() -> None:
    offset, alike = sums(*[(12, -12), (-12, 12)] * 10), sums(*[(12, 12), (-12, -12)] * 10)
    assert (mean_error([offset]) or 99) < (mean_error([alike]) or 0) / 2


@pytest.mark.parametrize(
    "opponents, pairs, spread", [(1, 10, 13.0), (5, 2, 10.0), (5, 1, 15.0), (1, 40, 8.0)]
)
def test_intervals_cover_the_truth(opponents: int, pairs: int, spread: float) -> None:
    """1000 leagues each; openings that favour one side take a fifth off the variance of a pair."""
    chance = random.Random(5)
    inside = 0
    for _ in range(1000):
        met = []
        for _ in range(opponents):
            luck = [(chance.gauss(0, spread), chance.gauss(0, spread)) for _ in range(pairs)]
            met.append(sums(*[(round(a), round(0.98 * b - 0.2 * a)) for a, b in luck]))
        mean = sum(each.total for each in met) / sum(each.games for each in met)
        inside += abs(mean) <= (mean_error(met) or 0)
    assert 0.93 <= inside / 1000 <= 0.99
