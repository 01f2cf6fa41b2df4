"""Elo and intervals of one match: golden numbers, and that nothing is ever infinite."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.rating.interval import Sample, elo_of, match_interval, score_interval, score_of

DATA = json.loads((Path(__file__).parents[1] / "data" / "statistics_match.json").read_text())
MATCHES: list[dict[str, Any]] = DATA["sprt"]
PRINTED = 6e-11
"""The references have ten decimals."""
INTERVALS: list[dict[str, Any]] = DATA["intervals"]


def finite(value: object) -> object:
    """What stands in our results for a reference's number."""
    return None if value in ("inf", "-inf", "nan") else value


def counts_of(vector: dict[str, Any]) -> Sequence[int]:
    counts: Sequence[int] = vector.get("pentanomial") or vector["trinomial"]
    return counts


@pytest.mark.parametrize("vector", MATCHES, ids=[v["name"] for v in MATCHES])
def test_elo_and_normalized_elo_meet_the_reference(vector: dict[str, Any]) -> None:
    sample, reference = Sample.of(vector["counts"]), vector["ref"]
    assert sample.n == reference["n"]
    assert (sample.mean, sample.variance) == pytest.approx(
        (reference["score"], reference["var"]), abs=PRINTED
    )
    assert elo_of(sample.mean) == pytest.approx(finite(reference["elo"]), abs=PRINTED)
    assert sample.nelo == pytest.approx(finite(reference["nelo"]), abs=PRINTED)
    assert sample.nelo_error == pytest.approx(finite(reference["nelo_err"]), abs=PRINTED)


@pytest.mark.parametrize("vector", INTERVALS, ids=[str(counts_of(v)) for v in INTERVALS])
def test_score_intervals_meet_the_reference(vector: dict[str, Any]) -> None:
    found = score_interval(counts_of(vector))
    assert found.score == pytest.approx(vector["score"], abs=PRINTED)
    assert found.spread == pytest.approx(vector["phi"], abs=PRINTED)
    assert (found.low, found.high) == pytest.approx((vector["lo"], vector["hi"]), abs=PRINTED)
    assert found.elo == pytest.approx(finite(vector["elo"]), abs=PRINTED)
    assert found.elo_low == pytest.approx(finite(vector["elo_lo"]), abs=PRINTED)
    assert found.elo_high == pytest.approx(finite(vector["elo_hi"]), abs=PRINTED)
    assert found.los == pytest.approx(vector["los"], abs=PRINTED)


counted = st.integers(0, 10**6)


@given(st.one_of(st.tuples(*[counted] * 3), st.tuples(*[counted] * 5)))
def test_any_counts_give_an_interval_around_the_score(counts: tuple[int, ...]) -> None:
    found, mirrored = score_interval(counts), score_interval(counts[::-1])
    assert 0 <= found.low < found.high <= 1
    assert found.score is None or found.low <= found.score <= found.high
    assert (found.low, found.los) == pytest.approx((1 - mirrored.high, 1 - mirrored.los), abs=1e-9)
    for elo in (found.elo, found.elo_low, found.elo_high):
        assert elo is None or math.isfinite(elo)


@pytest.mark.parametrize("elo", [-3000.0, -50.0, 0.0, 12.5, 3000.0])
def test_elo_and_score_are_inverse(elo: float) -> None:
    assert elo_of(score_of(elo)) == pytest.approx(elo, abs=1e-4)


@pytest.mark.parametrize("counts", [(), (1, 2), (1, 2, 3, 4), (1, -1, 0)])
def test_other_counts_are_refused(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="counts"):
        score_interval(counts)


@pytest.mark.parametrize("vector", INTERVALS, ids=[str(counts_of(v)) for v in INTERVALS])
def test_a_match_of_one_kind_alone_meets_the_reference(vector: dict[str, Any]) -> None:
    counts = counts_of(vector)
    if len(counts) == 3:
        found = match_interval(counts, [0] * 5)
    else:
        ll, ld, dd, dw, ww = counts
        found = match_interval([2 * ll + ld, ld + 2 * dd + dw, dw + 2 * ww], counts)
    assert found.score == pytest.approx(vector["score"], abs=PRINTED)
    assert (found.low, found.high) == pytest.approx((vector["lo"], vector["hi"]), abs=PRINTED)
    assert (found.spread, found.los) == pytest.approx((vector["phi"], vector["los"]), abs=PRINTED)


def test_games_without_their_pair_count_in_the_score_of_a_match() -> None:
    found, alone = match_interval([2, 0, 1], [0, 0, 1, 0, 0]), score_interval([0, 0, 1, 0, 0])
    assert found.score == pytest.approx(1 / 3)
    assert found.elo == pytest.approx(-120.41, abs=0.01)
    assert found.los < 0.5 == alone.los
    assert found.low < alone.low
    assert found.high < alone.high


def test_a_pair_counts_by_its_spread_and_a_lone_game_by_its_own() -> None:
    """As certain as N^2 / (4 P phi + S psi) coin tosses: by hand, for 10 pairs and 5 games."""
    pairs, games = [1, 0, 5, 0, 4], [9, 0, 16]
    phi = score_interval(pairs).spread
    psi = score_interval(games).spread
    assert phi is not None
    assert psi is not None
    assert psi == pytest.approx(1)  # without draws a game is a coin toss
    size = 25**2 / (4 * 10 * phi + 5 * psi)
    found = match_interval(games, pairs)
    assert found.score == 16 / 25
    assert found.los == pytest.approx(math.erfc(-(16 / 25 - 0.5) * 2 * math.sqrt(size / 2)) / 2)
    assert found.spread == pytest.approx(15 / size)


@given(st.tuples(*[st.integers(0, 1000)] * 5), st.tuples(*[st.integers(0, 1000)] * 3))
def test_any_match_gives_an_interval_around_the_score(pairs: tuple[int, ...], lone: tuple[int, ...]) -> None:
    ll, ld, dd, dw, ww = pairs
    games = (2 * ll + ld + lone[0] + dd, ld + dw + lone[1], dw + 2 * ww + lone[2] + dd)
    found, mirrored = match_interval(games, pairs), match_interval(games[::-1], pairs[::-1])
    assert 0 <= found.low < found.high <= 1
    assert found.score is None or found.low <= found.score <= found.high
    assert (found.low, found.los) == pytest.approx((1 - mirrored.high, 1 - mirrored.los), abs=1e-9)


def test_more_pairs_than_the_games_hold_are_refused() -> None:
    with pytest.raises(ValueError, match="2 games are not 2 pairs"):
        match_interval([1, 0, 1], [0, 0, 2, 0, 0])
