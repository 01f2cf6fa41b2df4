"""Ratings of other sports and programs, as they were published."""

import math

import numpy as np
import pytest

from arbiter.rating.davidson import Games, maximise
from arbiter.rating.interval import ELO, elo_of, score_interval, score_of

BASEBALL = """
Milwaukee Detroit 4 3, Milwaukee Toronto 4 2, Milwaukee NewYork 4 3, Milwaukee Boston 6 1,
Milwaukee Cleveland 4 2, Milwaukee Baltimore 6 0, Detroit Milwaukee 3 3, Detroit Toronto 4 2,
Detroit NewYork 4 3, Detroit Boston 6 0, Detroit Cleveland 6 1, Detroit Baltimore 4 3,
Toronto Milwaukee 2 5, Toronto Detroit 4 3, Toronto NewYork 2 4, Toronto Boston 4 3,
Toronto Cleveland 4 2, Toronto Baltimore 6 0, NewYork Milwaukee 3 3, NewYork Detroit 5 1,
NewYork Toronto 2 5, NewYork Boston 4 3, NewYork Cleveland 4 2, NewYork Baltimore 6 1,
Boston Milwaukee 5 1, Boston Detroit 2 5, Boston Toronto 3 3, Boston NewYork 4 2,
Boston Cleveland 5 2, Boston Baltimore 6 0, Cleveland Milwaukee 2 5, Cleveland Detroit 3 3,
Cleveland Toronto 3 4, Cleveland NewYork 4 3, Cleveland Boston 4 2, Cleveland Baltimore 2 4,
Baltimore Milwaukee 2 5, Baltimore Detroit 1 5, Baltimore Toronto 1 6, Baltimore NewYork 2 4,
Baltimore Boston 1 6, Baltimore Cleveland 3 4
"""
"""Home team, away team, and their wins in the Eastern Division of the American League in 1987: Agresti,
Categorical Data Analysis.
"""
ABILITIES = {
    "Boston": (1.1438, 0.3378),
    "Cleveland": (0.7047, 0.3350),
    "Detroit": (1.4754, 0.3446),
    "Milwaukee": (1.6196, 0.3474),
    "NewYork": (1.2813, 0.3404),
    "Toronto": (1.3271, 0.3403),
}
"""Over Baltimore, with standard errors, by the R package BradleyTerry2 with an advantage of being at home."""
AT_HOME = 0.3023


def test_baseball_by_bradley_and_terry_with_the_advantage_of_being_at_home() -> None:
    rows = [row.split() for row in BASEBALL.replace("\n", " ").split(",")]
    games = Games.of(
        ["Baltimore", *ABILITIES], {(home, away): (int(w), 0, int(n)) for home, away, w, n in rows}
    )
    assert games.wins.sum() + games.losses.sum() == 21 * 13
    best = maximise(games, half_points=True, prior_sd=None)
    above = (best.ratings - best.ratings[0]) / ELO
    errors = np.diag(best.covariance) + best.covariance[0, 0] - 2 * best.covariance[0]
    found = {
        team: (ability, math.sqrt(error) / ELO)
        for team, ability, error in zip(games.bots, above, errors, strict=True)
    }
    for team, published in ABILITIES.items():
        assert found[team] == pytest.approx(published, abs=6e-5)
    assert best.advantage / ELO == pytest.approx(AT_HOME, abs=6e-5)


@pytest.mark.parametrize(
    ("pairs", "games", "elo", "error"),
    [
        ((609, 3850, 9708, 10948, 4885), (24193, 27264, 8543), 92.77, 2.1),
        ((74, 1583, 8550, 7776, 2017), (12756, 24567, 2677), 89.47, 2.0),
    ],
)
def test_stockfish_with_its_first_network(
    pairs: tuple[int, ...], games: tuple[int, int, int], elo: float, error: float
) -> None:
    """Against the version before it, on fishtest: with one thread at 10+0.1, and with eight at 20+0.2."""
    wins, draws, losses = games
    assert 2 * sum(pairs) == wins + draws + losses
    found = score_interval(pairs)
    assert found.score == pytest.approx((wins + draws / 2) / sum(games))
    assert found.score is not None
    assert found.low is not None
    assert found.high is not None
    assert elo_of(found.score) == pytest.approx(elo, abs=0.005)
    low, high = elo_of(found.low), elo_of(found.high)
    assert low is not None
    assert high is not None
    assert (high - low) / 2 == pytest.approx(error, abs=0.06)
    assert found.los > 0.9995


@pytest.mark.parametrize(
    ("score", "elo"),
    [(0.55, 34.86), (0.6, 70.44), (0.7, 147.19), (0.75, 190.85), (0.9, 381.70), (0.99, 798.25)],
)
def test_the_table_of_the_logistic_curve(score: float, elo: float) -> None:
    assert elo_of(score) == pytest.approx(elo, abs=0.005)
    assert score_of(elo) == pytest.approx(score, abs=1e-5)
