"""The schedule: stages one after the other, numbers that stay, colours and openings that alternate, lazy."""

from collections import Counter
from itertools import combinations, islice

import pytest

from arbiter.tournament.formats.league import League
from arbiter.tournament.schedule import Fixture, Schedule, Stage


def league(names: list[str], rounds: int) -> list[Fixture]:
    return list(Schedule(League.round_robin(names, rounds).extend([])).fixtures())


@pytest.mark.parametrize("bots", range(2, 12))
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_every_pairing_plays_both_colours_in_every_round(bots: int, rounds: int) -> None:
    names = [f"bot{index}" for index in range(bots)]
    games = league(names, rounds)
    assert len(games) == bots * (bots - 1) * rounds
    assert [game.number for game in games] == list(range(1, len(games) + 1))
    for number in range(1, rounds + 1):
        colours = Counter((game.white, game.black) for game in games if game.round == number)
        assert colours == {(a, b): 1 for one in combinations(names, 2) for a, b in (one, one[::-1])}
        in_round = [game.game for game in games if game.round == number]
        assert in_round == list(range(1, len(in_round) + 1))


@pytest.mark.parametrize("bots", [2, 5, 8])
def test_pairs_stand_together_with_colours_swapped_on_one_opening(bots: int) -> None:
    games = league([str(index) for index in range(bots)], 3)
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert first.pair == second.pair == (first.number + 1) // 2
        assert (first.white, first.black) == (second.black, second.white)
        assert first.meeting == second.meeting == first.round - 1


@pytest.mark.parametrize("bots", [4, 5, 9])
def test_bots_advance_evenly(bots: int) -> None:
    """After any number of pairs nobody is more than two pairs behind another."""
    games = league([str(index) for index in range(bots)], 2)
    played: Counter[str] = Counter({str(index): 0 for index in range(bots)})
    for game in games[::2]:
        played[game.white] += 1
        played[game.black] += 1
        assert max(played.values()) - min(played.values()) <= 2


@pytest.mark.parametrize("share", [0.1, 0.37, 0.5, 0.9])
def test_after_a_share_of_the_games_every_pairing_has_its_share(share: float) -> None:
    names = [str(index) for index in range(7)]
    games = league(names, 20)
    played = Counter(frozenset((game.white, game.black)) for game in games[: int(share * len(games))])
    assert all(abs(played[frozenset(pair)] / 2 - share * 20) <= 1 for pair in combinations(names, 2))


def test_who_begins_changes_from_round_to_round() -> None:
    assert [game.white for game in league(["a", "b"], 2)] == ["a", "b", "b", "a"]


def test_a_million_rounds_cost_nothing_before_they_are_played() -> None:
    schedule = Schedule(League.round_robin(["a", "b", "c"], 10**12).extend([]))
    assert [game.number for game in schedule.fixtures(last=4)] == [1, 2, 3, 4]
    games = schedule.fixtures()
    assert [game.number for game in islice(games, 3)] == [1, 2, 3]


def test_a_bot_that_joins_leaves_all_numbers_as_they_were_and_catches_up() -> None:
    before = League.round_robin(["a", "b", "c"], 3).extend([])
    after = [*before, *League.round_robin(["a", "x", "b", "c"], 3).extend(before)]
    known = list(Schedule(before).fixtures())
    games = list(Schedule(after).fixtures())
    assert len(games) == 4 * 3 * 3
    assert {game.number: game for game in games if "x" not in (game.white, game.black)} == {
        game.number: game for game in known
    }
    assert sorted(game.number for game in games) == list(range(1, len(games) + 1))
    assert [game.round for game in games] == sorted(game.round for game in games)
    assert len({(game.round, game.game) for game in games}) == len(games)
    met = Counter((frozenset((g.white, g.black)), g.meeting) for g in games)
    assert set(met.values()) == {2}


def test_more_rounds_go_on_where_the_last_ones_ended() -> None:
    before = League.round_robin(["a", "b", "c"], 2).extend([])
    after = Schedule([*before, *League.round_robin(["a", "b", "c"], 5).extend(before)])
    assert list(after.fixtures()) == league(["a", "b", "c"], 5)


def test_more_rounds_and_a_new_bot_at_once() -> None:
    stages = League.round_robin(["a", "b"], 2).extend([])
    stages += League.round_robin(["a", "b", "c"], 3).extend(stages)
    games = list(Schedule(stages).fixtures())
    assert Counter(frozenset((g.white, g.black)) for g in games) == {
        frozenset(pair): 6 for pair in combinations("abc", 2)
    }
    assert League.round_robin(["a", "b", "c"], 3).extend(stages) == []


def test_a_pairing_that_is_drawn_again_goes_on_with_its_openings() -> None:
    stages = [Stage((("a", "b"),), 1, 1), Stage((("b", "a"),), 2, 2, ("c",))]
    games = list(Schedule(stages).fixtures())
    assert [(game.number, game.white, game.meeting) for game in games] == [
        (1, "a", 0), (2, "b", 0), (3, "a", 1), (4, "b", 1),
    ]  # fmt: skip


def test_stages_of_one_round_share_its_numbers() -> None:
    stages = [Stage((("a", "b"), ("c", "d")), 1, 1), Stage((("c", "d"),), 1, 1)]
    assert [game.game for game in Schedule(stages).fixtures()] == [1, 2, 3, 4, 5, 6]


def test_a_stage_survives_the_store() -> None:
    stage = Stage((("a", "b"),), 2, 7, ("c",))
    assert Stage.from_json(stage.as_json()) == stage
    assert stage.games == 12
