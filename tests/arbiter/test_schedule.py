"""The round robin: complete, balanced at every moment, lazy."""

from collections import Counter
from itertools import combinations, islice

import pytest

from arbiter.tournament.schedule import games_in_round_robin, round_robin


@pytest.mark.parametrize("bots", range(2, 12))
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_every_pairing_plays_both_colours_in_every_round(bots: int, rounds: int) -> None:
    names = [f"bot{index}" for index in range(bots)]
    games = list(round_robin(names, rounds))
    assert len(games) == games_in_round_robin(bots, rounds)
    assert [game.number for game in games] == list(range(1, len(games) + 1))
    for number in range(1, rounds + 1):
        colours = Counter((game.white, game.black) for game in games if game.round == number)
        assert colours == {(a, b): 1 for one in combinations(names, 2) for a, b in (one, one[::-1])}
        in_round = [game.game for game in games if game.round == number]
        assert in_round == list(range(1, len(in_round) + 1))


@pytest.mark.parametrize("bots", [2, 5, 8])
def test_pairs_stand_together_with_colours_swapped(bots: int) -> None:
    games = list(round_robin([str(index) for index in range(bots)], 3))
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert first.pair == second.pair == (first.number + 1) // 2
        assert (first.white, first.black) == (second.black, second.white)


@pytest.mark.parametrize("bots", [4, 5, 9])
def test_bots_advance_evenly(bots: int) -> None:
    """After any number of pairs nobody is more than two pairs behind another."""
    games = list(round_robin([str(index) for index in range(bots)], 2))
    played: Counter[str] = Counter({str(index): 0 for index in range(bots)})
    for game in games[::2]:
        played[game.white] += 1
        played[game.black] += 1
        assert max(played.values()) - min(played.values()) <= 2


def test_who_begins_changes_from_round_to_round() -> None:
    games = list(round_robin(["a", "b"], 2))
    assert [game.white for game in games] == ["a", "b", "b", "a"]


def test_a_million_rounds_cost_nothing_before_they_are_played() -> None:
    games = round_robin(["a", "b", "c"], 1_000_000)
    assert [game.number for game in islice(games, 3)] == [1, 2, 3]
