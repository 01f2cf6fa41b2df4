"""A short run of the simulation in benchmarks/coverage.py."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).parents[2] / "benchmarks" / "coverage.py"


def simulation() -> ModuleType:
    name = "interval_coverage"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, SOURCE)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.mark.parametrize("correlation", [-0.3, 0.3])
def test_intervals_cover_the_truth(correlation: float) -> None:
    """300 leagues of five bots: one standard error of the share is about .7 %."""
    benchmark = simulation()
    result = benchmark.measure(benchmark.League(draws=0.05, correlation=correlation), 300)
    assert 0.92 < result.covered < 0.98
    assert 100 < result.width < 250


def test_a_pool_of_known_strengths_is_ranked_right() -> None:
    benchmark = simulation()
    league = benchmark.League(bots=6, rounds=60)
    strengths = benchmark.np.array([250.0, 150.0, 50.0, -50.0, -150.0, -250.0])
    games = benchmark.play(league, strengths, benchmark.np.random.default_rng(4))
    ratings = benchmark.rate(games)
    assert list(ratings.elo) == sorted(ratings.elo, reverse=True)
    assert abs(ratings.advantage - league.advantage) < 40
