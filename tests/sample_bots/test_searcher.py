"""The search of ``searcher``, against brute force where that is possible."""

from math import inf
from random import Random

import pytest

from protocol.bot import Clock
from protocol.rules import PASS, Position, parse_dpos, parse_ply
from protocol.rules.board import Board, can_move, moved, passed, stack_moves
from sample_bots.board import light
from sample_bots.evaluation import PIECE, Evaluation, margin
from sample_bots.limits import Limits
from sample_bots.searcher import LEVELS, Search, Searcher
from tests.sample_bots.ladder import ask, endings, middle, player, solved, words

ENDINGS = endings(60, stacks=12)


def searched(position: Position, depth: int) -> tuple[Search, float]:
    """A search to a depth, and the score of its last iteration."""
    limits = Limits(Clock(position, depth=depth))
    search = Search(light(position), limits, Evaluation(), Random(1))
    found = list(search.deepen())
    assert [iteration.depth for iteration in found] == list(range(1, len(found) + 1))
    return search, found[-1].score


def minimax(board: Board, depth: int) -> float:
    """The value without anything clever."""
    if depth == 0:
        return Evaluation()(board)
    plies = stack_moves(board)
    if not plies:
        waiting = passed(board)
        return -minimax(waiting, depth) if can_move(waiting) else margin(board)
    return max(-minimax(moved(board, ply), depth - 1) for ply in plies)


@pytest.mark.parametrize("stacks, depth, positions", [(49, 2, 2), (34, 2, 2), (20, 3, 10)])
def test_all_that_is_clever_changes_no_value(stacks: int, depth: int, positions: int) -> None:
    """In the middle of a game, where nothing is solved."""
    for number in range(positions):
        position = middle(number, stacks)
        assert searched(position, depth)[1] == minimax(light(position), depth)


def test_solves_endings_as_brute_force_does() -> None:
    lost = 0
    for position in ENDINGS:
        answer, said = ask(player(Searcher), position, nodes=100_000)
        info = words(said[-1])
        assert info["exact"] == 1
        assert info["score"] == solved(position)
        assert -solved(position.play(answer)) == solved(position)
        lost += any(-solved(position.play(ply)) < solved(position) for ply in position.legal_plies())
    assert lost == len(ENDINGS)


def test_the_line_of_an_ending_leads_to_its_score() -> None:
    for position in ENDINGS:
        info = words(ask(player(Searcher), position, nodes=100_000)[1][-1])
        sign = 1
        for text in info["pv"]:
            ply = parse_ply(text)
            assert ply in position.legal_plies()
            assert (ply is PASS) == (position.legal_plies() == [PASS])
            position, sign = position.play(ply), -sign
        assert sign * solved(position) == info["score"]


def test_says_exact_only_when_it_is_proved() -> None:
    """Before an ending is solved the score often is right already; that is no proof."""
    unproved = proved = 0
    for position in ENDINGS:
        for line in ask(player(Searcher), position, nodes=100_000)[1]:
            info = words(line)
            unproved += "exact" not in info
            proved += "exact" in info
            assert "exact" not in info or info["score"] == solved(position)
    assert proved == len(ENDINGS)
    assert unproved > len(ENDINGS)


def test_wins_where_greed_loses() -> None:
    """Black can top the red D1 at once, but E2 then tops all of it."""
    position = parse_dpos("........./........../.........../....w...../...r.b3*..b5* b m")
    for seed in range(5):
        answer, said = ask(player(Searcher, seed=seed), position, depth=9)
        assert (str(answer), words(said[-1])["score"]) == ("F1I1", solved(position))


@pytest.mark.parametrize("keys", [{"nodes": 1500}, {"depth": 3}], ids=str)
def test_limits_are_kept_and_repeat(keys: dict[str, int]) -> None:
    position = middle(7)
    games = []
    for _ in range(2):
        answer, said = ask(player(Searcher, seed=5), position, **keys)
        info = words(said[-1])
        assert info["nodes"] <= keys.get("nodes", inf)
        assert info["depth"] <= keys.get("depth", inf)
        assert info["pv"][0] == str(answer)
        games.append((answer, [words(line)["pv"] for line in said], [words(line)["score"] for line in said]))
    assert games[0] == games[1]


def test_exactly_so_many_positions() -> None:
    for nodes in (1, 2, 50, 1000):
        search = Search(light(middle(1)), Limits(Clock(nodes=nodes)), Evaluation(), Random(1))
        assert list(search.deepen()) is not None
        assert search.nodes == nodes


def test_levels_look_at_fewer_positions() -> None:
    seen = []
    for level, most in LEVELS.items():
        said = ask(player(Searcher, level=level), middle(2), nodes=5000)[1]
        seen.append(max([words(line)["nodes"] for line in said], default=0))
        assert seen[-1] <= most
    assert seen == sorted(seen)
    assert seen[0] < seen[-1] / 20


def test_one_ply_is_played_at_once() -> None:
    """A forced ply takes no time from the others."""
    position = parse_dpos("........./........../rbw2......../........../......... w m")
    assert len(position.legal_plies()) == 1
    search, _ = searched(position, 9)
    assert search.nodes == 1


def test_chance_decides_between_equals() -> None:
    position = parse_dpos("........./........../...rwr...../........../......... w m")
    assert {str(ask(player(Searcher, seed=seed), position)[0]) for seed in range(12)} == {"E3D3", "E3F3"}


def test_values_are_those_of_the_side_to_move() -> None:
    position = ENDINGS[0]
    score = words(ask(player(Searcher), position, depth=30)[1][-1])["score"]
    assert score * PIECE == searched(position, 30)[1]
