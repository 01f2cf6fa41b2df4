"""What ``careful`` takes, and what it leaves, on boards made for it."""

import pytest

from protocol.bot import Bot
from protocol.rules import Position, Side, parse_dpos
from sample_bots.careful import LEVELS, Careful
from sample_bots.evaluation import PIECE
from sample_bots.greedy import Greedy
from tests.sample_bots.ladder import ask, middle, play, player, points, solved, words


def answers(position: Position, level: int = 0) -> set[str]:
    """What it plays by different seeds."""
    return {str(ask(player(Careful, level=level, seed=seed), position)[0]) for seed in range(20)}


def value(position: Position, text: str) -> int:
    """What a ply is worth by brute force."""
    return next(-solved(position.play(ply)) for ply in position.legal_plies() if str(ply) == text)


@pytest.mark.parametrize("level", LEVELS)
def test_sees_what_a_ply_cuts_off(level: int) -> None:
    """B3 is the bridge to the red. B3A3 takes it away from the black stacks, B3C3 from itself as well."""
    position = parse_dpos("........./........../rwb2b......./........../......... w m")
    assert answers(position, level) == {"B3A3"}
    assert (value(position, "B3A3"), value(position, "B3C3")) == (2, 0)


def test_stays_near_a_red() -> None:
    """D4 gains the same on C3, two steps from the red, and on D3, one more: that is cut off earlier."""
    position = parse_dpos("........./..w......./rbbb......./........../......... w m")
    assert answers(position, level=1) == {"D4C3", "D4D3"}
    assert answers(position, level=2) == {"D4C3"}


def test_leaves_a_gain_that_can_be_topped() -> None:
    """Black can top the red D1 with its stack of five, and E2 then tops all six: greedy's mistake."""
    position = parse_dpos("........./........../.........../....w...../...r.b3*..b5* b m")
    assert answers(position, level=2) == {"I1D1"}
    assert answers(position, level=3) == answers(position) == {"F1I1"}
    assert value(position, "F1I1") > 0 > value(position, "I1D1")


def test_keeps_able_to_move() -> None:
    """G2G3 gains a piece and leaves black without a move; G2F1 makes a stack that reaches A1."""
    position = parse_dpos("........./........../......r..../......b.../w3*....b4*... b m")
    assert answers(position, level=3) == {"G2G3"}
    assert answers(position, level=4) == {"G2F1"}
    assert value(position, "G2F1") > value(position, "G2G3")


@pytest.mark.parametrize("level", LEVELS)
def test_says_what_it_counted(level: int) -> None:
    position = middle(3)
    ply, said = ask(player(Careful, level=level), position)
    (info,) = map(words, said)
    assert (info["depth"], info["nodes"], info["pv"]) == (1, len(position.legal_plies()), [str(ply)])
    if level == 1:
        after = position.play(ply).score
        margin = after.white - after.black
        assert info["score"] == (margin if position.to_move is Side.WHITE else -margin)
    assert abs(info["score"] * PIECE) < 49 * PIECE


def test_chance_decides_between_equals() -> None:
    """What is equal depends on the level; the same seed decides alike."""
    position = parse_dpos("........./..w......./rbbb......./........../......... w m")
    plies = [[ask(player(Careful, level=1, seed=seed), position)[0] for seed in range(20)] for _ in range(2)]
    assert plies[0] == plies[1]


def match(better: Bot, worse: Bot, pairs: int) -> float:
    """The share of the points of the first; deterministic, since no clock plays a part."""
    won = 0.0
    for seed in range(pairs):
        start = middle(seed, 49)
        won += points(play(start, better, worse)[1], Side.WHITE)
        won += points(play(start, worse, better)[1], Side.BLACK)
    return won / (2 * pairs)


def test_beats_greedy() -> None:
    assert match(player(Careful), Greedy(), 15) > 0.75


@pytest.mark.parametrize("level", list(LEVELS)[1:])
def test_each_level_beats_the_one_before(level: int) -> None:
    assert match(player(Careful, level=level), player(Careful, level=level - 1), 25) > 0.53
