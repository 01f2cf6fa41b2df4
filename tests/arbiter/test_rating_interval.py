"""Elo and intervals of one match: golden numbers, and that nothing is ever infinite."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.rating.interval import Sample, elo_of, score_interval, score_of

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
