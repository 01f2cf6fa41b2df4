"""The pool fit: golden numbers, what holds at any maximum, and pools with odd results."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arbiter.rating.davidson import (
    Games,
    Ratings,
    design_effect,
    has_maximum,
    maximise,
    rate,
)
from arbiter.rating.interval import normal_cdf

DATA = json.loads((Path(__file__).parents[1] / "data" / "statistics_pool.json").read_text())
VECTORS: list[dict[str, Any]] = DATA["rating_vectors"]
DAVIDSON = "davidson_adv"
PHANTOM = "half_point_logistic_adv_MAP_1phantom_draw_advsd100"

# The reference's ratings are good to about 1e-7, its errors (numerical derivatives) to about 1e-4.
RATING, ERROR = 1e-6, 2e-4

Counts = Mapping[tuple[str, str], tuple[int, int, int]]


def with_reference(key: str) -> pytest.MarkDecorator:
    chosen = [vector for vector in VECTORS if key in vector["reference"]]
    return pytest.mark.parametrize("vector", chosen, ids=[vector["name"] for vector in chosen])


def games_of(vector: dict[str, Any]) -> Games:
    rated = {(white, black): counts for white, black, *counts in vector["games_white_black_W_D_L"]}
    return Games.of(vector["players"], rated)


def pool(
    bots: str, counts: Counts, pairs: Mapping[tuple[str, str], tuple[int, ...]] | None = None
) -> Ratings:
    return rate(Games.of(list(bots), counts, pairs))


def assert_sane(ratings: Ratings) -> None:
    assert np.isfinite(ratings.elo).all()
    assert np.isfinite(ratings.covariance).all()
    assert math.isfinite(ratings.advantage)
    for bot in ratings.bots:
        low, high = ratings.interval(bot) or (0.0, 0.0)
        assert math.isfinite(low)
        assert math.isfinite(high)
        assert high - low > 1


@with_reference(DAVIDSON)
def test_davidson_meets_the_reference(vector: dict[str, Any]) -> None:
    games, reference = games_of(vector), vector["reference"][DAVIDSON]
    best = maximise(games, half_points=not games.draws.any(), prior_sd=None)
    assert dict(zip(games.bots, best.ratings, strict=True)) == pytest.approx(reference["rating"], abs=RATING)
    errors = np.sqrt(np.diag(best.covariance))
    assert dict(zip(games.bots, errors, strict=True)) == pytest.approx(reference["se"], abs=ERROR)
    assert best.advantage == pytest.approx(reference["advantage"], abs=RATING)
    assert best.nu == pytest.approx(reference["nu"], abs=1e-9)
    assert 2 / (2 + best.nu) == pytest.approx(reference["elo_scale"], abs=1e-9)


@with_reference(PHANTOM)
def test_phantoms_and_prior_meet_the_reference(vector: dict[str, Any]) -> None:
    games, reference = games_of(vector), vector["reference"][PHANTOM]
    best = maximise(games, phantoms=True, half_points=True)
    assert dict(zip(games.bots, best.ratings, strict=True)) == pytest.approx(reference["rating"], abs=RATING)
    errors = np.sqrt(np.diag(best.covariance))
    assert dict(zip(games.bots, errors, strict=True)) == pytest.approx(reference["se"], abs=ERROR)
    assert best.advantage == pytest.approx(reference["advantage"], abs=RATING)


@with_reference(DAVIDSON)
def test_los_meets_the_reference(vector: dict[str, Any]) -> None:
    """LOS does not depend on the display scale, and the prior on the first move hardly moves it."""
    ratings, reference = rate(games_of(vector)), vector["reference"][DAVIDSON]["los"]
    found = [[ratings.los(a, b) for b in ratings.bots] for a in ratings.bots]
    assert np.allclose(found, reference, atol=0.025)
    assert np.allclose(np.array(found) + np.array(found).T, 1)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_existence_of_a_maximum_meets_the_reference(vector: dict[str, Any]) -> None:
    assert has_maximum(games_of(vector)) == vector["mle_exists"]


@with_reference(DAVIDSON)
def test_shown_ratings_are_scaled_by_the_draws(vector: dict[str, Any]) -> None:
    games = games_of(vector)
    best, shown = maximise(games, half_points=not games.draws.any()), rate(games)
    scale = 2 / (2 + best.nu)
    assert shown.elo == pytest.approx(best.ratings * scale)
    assert shown.advantage == pytest.approx(best.advantage * scale)
    assert shown.error(0) == pytest.approx(math.sqrt(best.covariance[0, 0]) * scale)
    low, high = shown.interval(games.bots[0]) or (0.0, 0.0)
    assert (high - low) / 2 == pytest.approx(1.959964 * shown.error(0))


@pytest.mark.parametrize("pairs, expected", [((500, 0, 0, 0, 500), 2.0), ((0, 0, 500, 0, 0), 0.3)])
def test_design_effect_is_held_within_bounds(pairs: tuple[int, ...], expected: float) -> None:
    counts = {("A", "B"): (50, 0, 50), ("B", "A"): (50, 0, 50)}
    assert pool("AB", counts, {("A", "B"): pairs}).design_effect == pytest.approx(expected, abs=0.02)


def test_errors_are_the_curvature_times_the_design_effect() -> None:
    counts = {("A", "B"): (6, 2, 2), ("B", "A"): (5, 2, 3)}
    apart = pool("AB", counts)
    swinging = pool("AB", counts, {("A", "B"): (0, 0, 10, 0, 0)})
    clumped = pool("AB", counts, {("A", "B"): (4, 0, 1, 0, 5)})
    assert apart.design_effect == 1
    assert swinging.design_effect < 0.6
    assert clumped.design_effect > 1.5
    for ratings in (swinging, clumped):
        assert ratings.error(0) == pytest.approx(apart.error(0) * math.sqrt(ratings.design_effect))


def test_design_effect_by_hand() -> None:
    """Equal bots, no draws: a pair has the mean 1 and the variance 1/2."""
    games = Games.of("AB", {("A", "B"): (5, 0, 5), ("B", "A"): (5, 0, 5)}, {("A", "B"): (3, 0, 4, 0, 3)})
    best = maximise(games, half_points=True)
    squares, spread, prior = 6.0, 10 * 0.5, 10 * 0.5
    assert design_effect(games, best.chances) == pytest.approx((squares + prior) / (spread + prior))


def test_pairs_may_be_named_in_either_order() -> None:
    counts = {("A", "B"): (6, 2, 2), ("B", "A"): (5, 2, 3)}
    one = pool("AB", counts, {("A", "B"): (1, 2, 3, 4, 5)})
    other = pool("AB", counts, {("B", "A"): (5, 4, 3, 2, 1)})
    assert one.design_effect == other.design_effect


def test_anchor_keeps_its_elo_and_gives_its_error_to_the_others() -> None:
    counts = {("A", "B"): (6, 2, 2), ("B", "C"): (5, 2, 3), ("C", "A"): (4, 0, 6)}
    games = Games.of("ABC", counts)
    free, anchored = rate(games), rate(games, ("B", 1500.0))
    assert anchored.elo[1] == pytest.approx(1500)
    assert anchored.elo - anchored.elo[1] == pytest.approx(free.elo - free.elo[1])
    assert anchored.interval("B") is None
    assert anchored.error(0) == pytest.approx(free.error(0, 1))
    assert anchored.los("A", "C") == pytest.approx(free.los("A", "C"))


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {("A", "B"): (1, 0, 0)},
        {("A", "B"): (0, 1, 0)},
        {("A", "B"): (0, 500, 0), ("B", "A"): (0, 500, 0)},
        {("A", "B"): (9, 0, 0), ("B", "A"): (0, 0, 9)},
        {("A", "B"): (100_000, 0, 0), ("B", "A"): (100_000, 0, 0)},
        {("A", "B"): (100_000, 0, 1)},
        {("A", "B"): (7, 3, 0), ("B", "A"): (0, 3, 7)},
        {("A", "B"): (0, 2, 3), ("B", "C"): (0, 4, 0)},
    ],
    ids=["none", "one", "draw", "draws", "sweep", "white wins", "lopsided", "never lost", "few"],
)
def test_odd_results_give_finite_ratings(counts: Counts) -> None:
    assert_sane(pool("ABC", counts))


def test_single_bot() -> None:
    assert_sane(pool("A", {}))


def test_all_draws_are_equal_bots() -> None:
    ratings = pool("ABC", {("A", "B"): (0, 4, 0), ("B", "C"): (0, 1, 0)})
    assert ratings.elo == pytest.approx([0, 0, 0])
    assert not ratings.decisive
    assert ratings.los("A", "C") == pytest.approx(0.5)


def test_winless_bot_is_rated_below_by_phantoms() -> None:
    vector = next(v for v in VECTORS if v["name"] == "E_zero_player")
    ratings = rate(games_of(vector))
    assert ratings.phantoms
    assert ratings.elo[2] == min(ratings.elo)
    assert -1000 < ratings.elo[2] < -300


def test_won_and_drawn_but_never_lost_has_no_maximum() -> None:
    """The graph "beat or drew" is connected, yet the likelihood grows for ever with nu."""
    never_lost = Games.of("AB", {("A", "B"): (6, 4, 0)})
    assert not has_maximum(never_lost)
    assert rate(never_lost).phantoms
    assert has_maximum(Games.of("AB", {("A", "B"): (6, 4, 1)}))
    # A chain of levels A > B > C, neighbours drew as well: still none; C beats A: one.
    chain: dict[tuple[str, str], tuple[int, int, int]] = {("A", "B"): (2, 1, 0), ("B", "C"): (2, 1, 0)}
    assert not has_maximum(Games.of("ABC", chain))
    assert not has_maximum(Games.of("ABC", chain | {("A", "C"): (3, 0, 0)}))
    # A draw across two levels closes a cycle with more wins than draws.
    assert has_maximum(Games.of("ABC", chain | {("A", "C"): (0, 1, 0)}))
    assert has_maximum(Games.of("ABC", chain | {("C", "A"): (1, 0, 0)}))


def test_white_winning_every_game_is_held_by_the_prior() -> None:
    ratings = pool("AB", {("A", "B"): (10, 0, 0), ("B", "A"): (10, 0, 0)})
    assert not ratings.phantoms
    assert ratings.elo == pytest.approx([0, 0])
    assert 100 < ratings.advantage < 400


def test_forty_bots() -> None:
    random = np.random.default_rng(3)
    bots = [f"bot{i}" for i in range(40)]
    rated = {(a, b): tuple(random.multinomial(10, (0.5, 0.03, 0.47))) for a in bots for b in bots if a != b}
    ratings = rate(Games.of(bots, rated))
    assert_sane(ratings)
    assert not ratings.phantoms
    points = np.zeros(40)
    for (white, black), (wins, draws, losses) in rated.items():
        points[bots.index(white)] += wins + draws / 2
        points[bots.index(black)] += losses + draws / 2
    order = np.argsort(ratings.elo)
    assert (np.diff(points[order]) >= 0).all(), "a balanced round robin ranks in order of points"


SIZES = st.integers(2, 5)
CELLS = st.one_of(st.just((0, 0, 0)), st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 9)))


@st.composite
def pools(draw: st.DrawFn) -> Games:
    size = draw(SIZES)
    bots = "ABCDE"[:size]
    return Games.of(bots, {(a, b): draw(CELLS) for a in bots for b in bots if a != b})


@given(pools())
def test_any_pool_is_sane(games: Games) -> None:
    assert_sane(rate(games))


@given(pools())
def test_expected_points_are_the_observed_ones(games: Games) -> None:
    assume(games.wins.any() or games.losses.any())
    assume(has_maximum(games))
    best = maximise(games, half_points=not games.draws.any())
    played = games.wins + games.draws + games.losses
    excess = games.wins + games.draws / 2 - played * best.chances.points
    assert excess.sum(axis=1) - excess.sum(axis=0) == pytest.approx(0, abs=1e-6)
    assert (played * best.chances.draw).sum() == pytest.approx(games.draws.sum(), abs=1e-6)
    # White's points too, but for the pull of the prior (units: natural; SD 100 Elo).
    pull = best.advantage * math.log(10) / 400 * (400 / math.log(10) / 100) ** 2
    assert excess.sum() == pytest.approx(pull, abs=1e-6)


@given(pools(), st.randoms(use_true_random=False))
def test_names_and_their_order_do_not_matter(games: Games, random: Any) -> None:
    order = list(range(len(games.bots)))
    random.shuffle(order)
    cells = np.ix_(order, order)
    moved = Games(
        tuple(f"new {i}" for i in order),
        games.wins[cells],
        games.draws[cells],
        games.losses[cells],
        games.pairs,
    )
    before, after = rate(games), rate(moved)
    assert after.elo == pytest.approx(before.elo[order], abs=1e-5)
    assert np.diag(after.covariance) == pytest.approx(np.diag(before.covariance)[order], rel=1e-5)
    assert after.elo.sum() == pytest.approx(0, abs=1e-6)


def test_normal_distribution() -> None:
    assert [normal_cdf(z) for z in (0.0, 1.959964, -1.959964)] == pytest.approx([0.5, 0.975, 0.025], abs=1e-6)
