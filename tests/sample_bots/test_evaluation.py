"""What is counted on the light board, against ``protocol.rules``, and what the evaluation makes of it."""

import pytest

from protocol.rules import PASS, Ply, Position, Side, parse_dpos
from sample_bots.board import around, layers, light, prospects
from sample_bots.evaluation import EARLY, LATE, Evaluation, Weights, margin
from tests.protocol.oracle import neighbours
from tests.sample_bots.ladder import middle

POSITIONS = [middle(number) for number in range(12)]


def turned(position: Position) -> Position:
    """The same board with the other side to move."""
    side = position.to_move.other.letter
    return parse_dpos(f"{position.dpos[:-3]}{side} m")


def plies(position: Position) -> list[Ply]:
    return [ply for ply in position.legal_plies() if ply is not PASS]


@pytest.mark.parametrize("position", POSITIONS, ids=str)
def test_prospects_are_the_legal_plies_of_either_side(position: Position) -> None:
    occupied, own, opposing, _, heights, _ = light(position)
    tall = heights.to_bytes(60, "little")
    for stacks, found in ((own, plies(position)), (opposing, plies(turned(position)))):
        targets = 0
        for ply in found:
            targets |= ply.landing
        movers = len({ply.source for ply in found})
        assert prospects(occupied, stacks, tall) == (movers, len(found), targets)


@pytest.mark.parametrize("position", POSITIONS, ids=str)
def test_pieces_and_margin_are_those_of_the_score(position: Position) -> None:
    board = light(position)
    score = {Side.WHITE: position.score.white, Side.BLACK: position.score.black}
    assert layers(board[4], board[1]) == score[position.to_move]
    assert layers(board[4], board[2]) == score[position.to_move.other]
    assert layers(board[4], board[0]) == sum(stack.height for stack in position.stacks().values())
    assert margin(board) == 100 * (score[position.to_move] - score[position.to_move.other])
    assert Evaluation(Weights(pieces=100))(board) == margin(board)


def test_around_is_a_space_and_its_neighbours() -> None:
    stacks = parse_dpos(POSITIONS[0].dpos).stacks()
    board = light(POSITIONS[0])
    masks = {space: light(parse_dpos(f"{_alone(space)} w m"))[3] for space in stacks}
    for space, mask in masks.items():
        near = {space, *neighbours(space)}
        assert around(mask) & board[0] == sum(masks[other] for other in stacks if other in near)


def _alone(space: str) -> str:
    """The rows of a board with a red on this space only."""
    rows = {"5": "CDEFGHIJK", "4": "BCDEFGHIJK", "3": "ABCDEFGHIJK", "2": "ABCDEFGHIJ", "1": "ABCDEFGHI"}
    return "/".join("".join("r" if c + row == space else "." for c in cs) for row, cs in rows.items())


CHAIN = parse_dpos("........./........../rwbww....../........../......... w m")
"""A3 is red; B3 is close to it, C3 near, D3 and E3 farther away."""


@pytest.mark.parametrize(
    "weights, value",
    [
        (Weights(pieces=1), 3 - 1),
        (Weights(close=1), 1 - 0),
        (Weights(near=1), 1 - 1),
        (Weights(movers=1), 3 - 1),
        (Weights(moves=1), 5 - 2),
        (Weights(safe=1), 1 - 0),
        (Weights(turn=7), 7),
    ],
    ids=lambda value: str(value),
)
def test_each_weight_counts_one_thing(weights: Weights, value: int) -> None:
    assert Evaluation(weights)(light(CHAIN)) == value


def test_weights_change_with_the_number_of_stacks() -> None:
    full = "bwbwwwwrb/bbbwwbrwbb/wwrwbbwbwwb/wwbwbwbwbw/bbwbbwbwb w m"
    board = light(parse_dpos(full))
    at_first, at_last = Evaluation(EARLY, EARLY)(board), Evaluation(LATE, LATE)(board)
    assert Evaluation()(board) == at_first != at_last
    few = light(CHAIN)
    share = 5 / 49
    mixed = share * Evaluation(EARLY, EARLY)(few) + (1 - share) * Evaluation(LATE, LATE)(few)
    assert Evaluation()(few) == pytest.approx(mixed, abs=10)


@pytest.mark.parametrize("position", POSITIONS, ids=str)
def test_what_is_good_for_one_side_is_bad_for_the_other(position: Position) -> None:
    evaluate = Evaluation(EARLY._replace(turn=0), LATE._replace(turn=0))
    assert evaluate(light(position)) == -evaluate(light(turned(position)))
