"""What ``greedy`` chooses, without a process."""

from random import Random

from protocol.rules import Phase, Position, Side
from sample_bots import greedy
from tests.sample_bots.referee import mover


def after_placement(seed: int) -> Position:
    position, choose = Position.start(), mover(seed)
    while position.phase is Phase.PLACEMENT:
        position = position.play(choose(position))
    return position


def test_takes_the_greatest_margin_for_its_own_side() -> None:
    position, choose = after_placement(1), mover(1)
    sides = set()
    while not position.is_over:
        ply, info = greedy.choose(position, Random(3))
        scores = {other: position.play(other).score for other in position.legal_plies()}
        sign = 1 if position.to_move is Side.WHITE else -1
        margins = {other: sign * (score.white - score.black) for other, score in scores.items()}
        assert margins[ply] == max(margins.values())
        assert info == f"depth 1 score {margins[ply]} nodes {len(margins)} pv {ply}"
        sides.add(position.to_move)
        position = position.play(choose(position))
    assert sides == set(Side)


def test_chance_decides_between_equals() -> None:
    position = after_placement(2)
    chosen = {greedy.choose(position, Random(seed))[0] for seed in range(40)}
    assert len(chosen) > 1
    assert len({greedy.choose(position, Random(7))[0] for _ in range(5)}) == 1


def test_placements_are_equals() -> None:
    """Nothing is gained by a placement, so nothing is said about its score."""
    chosen = [greedy.choose(Position.start(), Random(seed)) for seed in range(40)]
    assert len({ply for ply, _ in chosen}) > 10
    assert {info for _, info in chosen} == {""}


def test_beats_a_random_mover() -> None:
    won = 0
    for seed in range(20):
        position, opponent, rng = after_placement(seed), mover(seed), Random(seed)
        side = Side(seed % 2)
        while not position.is_over:
            ours = position.to_move is side
            position = position.play(greedy.choose(position, rng)[0] if ours else opponent(position))
        won += position.winner is side
    assert won >= 15
