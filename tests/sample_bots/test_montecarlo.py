"""The tree of ``montecarlo``."""

from random import Random
from typing import Any

import pytest

from protocol.bot import Clock
from protocol.rules import PASS, parse_dpos, parse_ply
from sample_bots.board import light
from sample_bots.evaluation import Evaluation
from sample_bots.limits import Limits
from sample_bots.montecarlo import LEVELS, PRIOR, MonteCarlo, Node, Tree
from tests.sample_bots.ladder import ask, endings, middle, player, solved, words

ENDINGS = endings(30, stacks=8)


def grown(number: int, rollout: int = 6, **limits: Any) -> Tree:
    tree = Tree(light(middle(number)), Limits(Clock(**limits)), Evaluation(), rollout, Random(1))
    assert list(tree.grow())
    return tree


def every(node: Node) -> list[Node]:
    return [node, *[below for child in node.children or () for below in every(child)]]


def test_visits_and_values_add_up() -> None:
    """Each playout counts once at every ply it went through, by its value for the side that played it."""
    tree = grown(1, nodes=20_000)
    for node in every(tree._root):
        assert abs(node.total) <= node.visits
        if node.children:
            below = sum(child.visits - PRIOR for child in node.children)
            assert 0 <= node.visits - PRIOR - below <= 1
    assert tree._root.visits == PRIOR + tree.playouts


def test_good_plies_are_tried_more_often() -> None:
    tree = grown(2, nodes=30_000)
    children = sorted(tree._root.children or (), key=lambda child: child.visits)
    assert tree.best is children[-1].ply
    most, least = children[-1], children[0]
    assert most.visits > 10 * least.visits
    assert most.total / most.visits > least.total / least.visits


def test_finds_what_wins_in_endings() -> None:
    """It proves nothing, but it wins what can be won."""
    won = [position for position in ENDINGS if solved(position) > 0]
    kept = 0
    for position in won:
        kept += solved(position.play(ask(player(MonteCarlo), position, nodes=3000)[0])) < 0
    assert len(won) > 8
    assert kept >= 0.9 * len(won)


def test_wins_where_greed_loses() -> None:
    position = parse_dpos("........./........../.........../....w...../...r.b3*..b5* b m")
    for seed in range(5):
        assert str(ask(player(MonteCarlo, seed=seed), position, nodes=2000)[0]) == "F1I1"


def test_the_main_line_is_legal() -> None:
    for position in [*ENDINGS, middle(3)]:
        answer, said = ask(player(MonteCarlo), position, nodes=3000)
        info = words(said[-1])
        assert info["pv"][0] == str(answer)
        assert info["depth"] == len(info["pv"])
        assert abs(info["score"]) <= 49
        for text in info["pv"]:
            assert parse_ply(text) in position.legal_plies()
            assert (text == "PASS") == (position.legal_plies() == [PASS])
            position = position.play(parse_ply(text))


@pytest.mark.parametrize("keys", [{"nodes": 4000}, {"depth": 4}], ids=str)
def test_limits_are_kept_and_repeat(keys: dict[str, int]) -> None:
    first, again, other = [ask(player(MonteCarlo, seed=seed), middle(5), **keys) for seed in (3, 3, 4)]
    told = [[words(line) | {"time": 0} for line in said] for _, said in (first, again, other)]
    assert first[0] == again[0]
    assert told[0] == told[1] != told[2]
    last = told[0][-1]
    assert last["depth"] >= keys.get("depth", 0)
    assert last["nodes"] <= keys.get("nodes", 10**6) + 150  # the last playout is finished


def test_a_limit_of_depth_ends_with_the_game() -> None:
    for position in ENDINGS:
        assert ask(player(MonteCarlo), position, depth=90)[0] in position.legal_plies()


def test_lower_levels_play_farther_by_chance() -> None:
    playouts = [grown(4, rollout=rollout, nodes=8000).playouts for rollout in LEVELS.values()]
    assert sorted(playouts[1:]) == playouts[1:]
    assert max(playouts[:2]) < playouts[-1] / 1.5
    assert list(LEVELS.values()) == sorted(LEVELS.values(), reverse=True)


def test_tells_how_it_stands_as_playouts_double() -> None:
    said = ask(player(MonteCarlo), middle(6), nodes=8000)[1]
    numbers = [words(line)["x-playouts"] for line in said]
    assert numbers[:-1] == [2.0**power for power in range(1, len(numbers))]
    assert numbers[-2] <= numbers[-1] < 2 * numbers[-2]
