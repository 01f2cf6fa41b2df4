"""Tie-breaks of a round robin: golden numbers, each rule in turn, shared ranks."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.match.termination import Termination
from arbiter.rating.outcome import Outcome, Result
from arbiter.rating.tally import Tally
from arbiter.rating.tiebreaks import buchholz, head_to_head, rank, sonneborn_berger, totals

DATA = json.loads((Path(__file__).parents[1] / "data" / "statistics_pool.json").read_text())
VECTORS: list[dict[str, Any]] = DATA["tiebreak_vectors"]
RESULTS: dict[str, Result] = {">": "1-0", "=": "1/2-1/2", "<": "0-1"}


def tally_of(bots: str, games: Iterable[str]) -> Tally:
    """From games such as ``A>B`` (A, White, beat B), ``A=B`` and ``A>B 7`` with a margin."""
    tally = Tally(bots)
    for number, game in enumerate(games, start=1):
        white, sign, black, margin = game[0], game[1], game[2], int(game[3:] or 0)
        score = (margin, 0) if sign == ">" else (0, margin)
        tally.add(Outcome(number, None, white, black, RESULTS[sign], Termination.NORMAL, None, *score))
    return tally


def ranking(tally: Tally) -> list[tuple[int, str]]:
    return rank(tally.standings, tally.standings, tally.points, tally.meetings)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_golden_tie_breaks(vector: dict[str, Any]) -> None:
    games = [a + ">=<"[counts.index(1)] + b for a, b, *counts in vector["games"]]
    tally = tally_of("".join(vector["tiebreaks"]), games)
    total = totals(tally.points)
    for bot, expected in vector["tiebreaks"].items():
        assert total[bot] == expected["points"]
        assert sonneborn_berger(tally.points, total, bot) == expected["sonneborn_berger"]
        assert buchholz(tally.meetings, total, bot) == expected["buchholz"]
        assert tally.standings[bot].wins == expected["wins"]
        for other, points in expected["head_to_head"].items():
            assert head_to_head(tally.points, bot, {bot, other}) == points
    assert ranking(tally) == [(1, "C"), (2, "A"), (3, "B"), (4, "D")]


@pytest.mark.parametrize(
    "bots, games, expected",
    [
        ("AB", ["A>B"], [(1, "A"), (2, "B")]),
        # A and B have 2 of 3 each; B beat A.
        ("ABCD", ["B>A", "A>C", "A>D", "C>B", "B>D", "C=D"], [(1, "B"), (2, "A"), (3, "C"), (4, "D")]),
        # A and B drew with each other; B's win is over the better of the other two.
        ("ABCD", ["A=B", "A>D", "A<C", "B>C", "B<D", "C>D"], [(1, "C"), (2, "B"), (3, "A"), (4, "D")]),
        # All equal until wins, where B has none.
        (
            "BACD",
            ["A>C", "A<D", "A=B", "B=C", "B=D", "C>D"],
            [(1, "A"), (1, "C"), (1, "D"), (4, "B")],
        ),
        # All equal but for the margins.
        ("ABC", ["A>B 5", "B>C 9", "C>A 2"], [(1, "B"), (2, "A"), (3, "C")]),
        ("ABC", ["A>B", "B>C", "C>A"], [(1, "A"), (1, "B"), (1, "C")]),
        ("CBA", ["A=B", "A=C", "B=C"], [(1, "C"), (1, "B"), (1, "A")]),
        # B beat A, whose wins were over the better bots.
        (
            "ABSTW",
            ["B>A", "B>W", "S>B", "T>B", "A>S", "A>T", "W>A", "S>W", "T>W", "S=T"],
            [(1, "S"), (1, "T"), (3, "B"), (4, "A"), (5, "W")],
        ),
    ],
    ids=[
        "points",
        "head-to-head",
        "sonneborn-berger",
        "wins",
        "margin",
        "cycle",
        "draws",
        "head-to-head first",
    ],
)
def test_order(bots: str, games: list[str], expected: list[tuple[int, str]]) -> None:
    assert ranking(tally_of(bots, games)) == expected


GAMES = st.lists(st.sampled_from([f"{a}{s}{b}" for a in "ABCD" for b in "ABCD" if a != b for s in ">=<"]))


@given(GAMES, st.randoms(use_true_random=False))
def test_order_of_games_does_not_matter(games: list[str], random: Any) -> None:
    shuffled = list(games)
    random.shuffle(shuffled)
    assert ranking(tally_of("ABCD", games)) == ranking(tally_of("ABCD", shuffled))


@given(GAMES)
def test_ranks_are_standard_and_fall_with_points(games: list[str]) -> None:
    tally = tally_of("ABCD", games)
    ranked = ranking(tally)
    ranks = [rank for rank, _ in ranked]
    assert [rank for place, rank in enumerate(ranks, start=1) if rank not in (place, ranks[place - 2])] == []
    points = [tally.standings[bot].points for _, bot in ranked if tally.standings[bot].games]
    assert points == sorted(points, reverse=True)
    assert sum(points) == len(games)
