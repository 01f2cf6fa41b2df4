"""The sequential test: golden numbers, its error rates by simulation, and how long it takes."""

import importlib.util
import json
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.rating.sprt import Model, Sprt, detectable_elo

ROOT = Path(__file__).parents[1]
DATA = json.loads((ROOT / "data" / "statistics_match.json").read_text())
VECTORS: list[dict[str, Any]] = [v for v in DATA["sprt"] if v["model"] in ("logistic", "normalized")]

PRINTED = 6e-11
"""The references have ten decimals."""


def simulation() -> ModuleType:
    name = "sprt_simulation"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, ROOT.parent / "benchmarks" / "sprt.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.mark.parametrize("vector", VECTORS, ids=[v["name"] for v in VECTORS])
def test_ratio_bounds_and_decision_meet_the_reference(vector: dict[str, Any]) -> None:
    test = Sprt(*(vector[key] for key in ("elo0", "elo1", "alpha", "beta", "model")))
    assert test.bounds == pytest.approx(vector["bounds"], abs=PRINTED)
    assert test.llr(vector["counts"]) == pytest.approx(vector["ref"]["llr"], abs=PRINTED)
    assert test.decision(vector["counts"]) == vector["ref"]["decision"]


counted = st.one_of(st.just(0), st.integers(0, 10**5))


@given(
    st.one_of(st.tuples(*[counted] * 3), st.tuples(*[counted] * 5)),
    st.sampled_from(["logistic", "normalized"]),
    st.floats(-200, 195),
    st.floats(0.5, 200),
)
def test_the_ratio_is_finite_and_turns_with_the_board(
    counts: tuple[int, ...], model: Model, elo0: float, width: float
) -> None:
    elo1 = min(200.0, elo0 + width)
    test, turned = Sprt(elo0, elo1, model=model), Sprt(-elo1, -elo0, model=model)
    llr = test.llr(counts)
    assert math.isfinite(llr)
    if model == "logistic":  # the other fit starts from both sides alike, but need not end so
        assert turned.llr(counts[::-1]) == pytest.approx(-llr, abs=1e-6, rel=1e-6)


def test_without_games_nothing_is_decided() -> None:
    assert Sprt().llr([0] * 5) == 0
    assert Sprt().decision([0, 0, 0]) == "continue"


@pytest.mark.parametrize(
    "wrong",
    [
        {"elo1": 0.0},
        {"elo1": math.inf},
        {"alpha": 0.0},
        {"beta": 0.5},
        {"elo0": math.nan},
        {"elo1": 201.0, "model": "normalized"},
    ],
)
def test_impossible_tests_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="have to"):
        Sprt(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("counts", [(), (1, 2, 3, 4), (0, -1, 5)])
def test_other_counts_are_refused(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="counts"):
        Sprt().llr(counts)


@pytest.mark.parametrize(
    "test, elo, pairs",
    [
        (Sprt(0, 50), 0, 120),
        (Sprt(0, 50), 25, 191),
        (Sprt(0, 20), 20, 720),
        (Sprt(0, 20), 10, 1220),
        (Sprt(-20, 20), -20, 189),
        (Sprt(0, 55, model="normalized"), 0, 118),
    ],
)
def test_expected_pairs_are_near_those_of_long_simulations(test: Sprt, elo: float, pairs: int) -> None:
    assert test.expected_pairs(elo) == pytest.approx(pairs, rel=0.07)


def test_what_can_be_detected() -> None:
    """A test that is as wide as that takes as long as was allowed."""
    for pairs in (60, 200, 1200):
        elo1 = detectable_elo(pairs)
        assert elo1 is not None
        assert Sprt(0, elo1).expected_pairs(elo1 / 2) == pytest.approx(pairs, rel=0.05)
    assert (detectable_elo(200) or 0) == pytest.approx(50, abs=3)
    assert detectable_elo(1) is None


@pytest.mark.parametrize("model, matches", [("logistic", 250), ("normalized", 50)])
def test_error_rates(model: Model, matches: int) -> None:
    """Both kinds of error are promised to be 5 %; what is more is within two standard errors."""
    benchmark = simulation()
    test, limit = Sprt(0, 100, model=model), 0.05 + 2 * math.sqrt(0.05 * 0.95 / matches)
    kept, found = (benchmark.measure(test, elo, matches, seed=2) for elo in (0.0, 100.0))
    assert kept.accepted_h1 <= limit
    assert found.accepted_h1 >= 1 - limit
    assert kept.mean_pairs == pytest.approx(31, rel=0.25)
