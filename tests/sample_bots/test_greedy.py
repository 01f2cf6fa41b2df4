"""What ``greedy`` chooses, without a process."""

from random import Random

from protocol.bot import Clock
from protocol.rules import Phase, Ply, Position, Side
from sample_bots.greedy import Greedy
from tests.sample_bots.referee import mover


def ask(position: Position, seed: int) -> tuple[Ply, list[str]]:
    """What greedy plays with this chance, and the lines it says about it."""
    bot, said = Greedy(), list[str]()
    bot.random = Random(seed)
    bot.on_say(said.append)
    return bot.choose(position, Clock(position)), said


def after_placement(seed: int) -> Position:
    position, choose = Position.start(), mover(seed)
    while position.phase is Phase.PLACEMENT:
        position = position.play(choose(position))
    return position


def test_takes_the_greatest_margin_for_its_own_side() -> None:
    position, choose = after_placement(1), mover(1)
    sides = set()
    while not position.is_over:
        ply, said = ask(position, 3)
        scores = {other: position.play(other).score for other in position.legal_plies()}
        sign = 1 if position.to_move is Side.WHITE else -1
        margins = {other: sign * (score.white - score.black) for other, score in scores.items()}
        assert margins[ply] == max(margins.values())
        assert said == [f"info depth 1 score {margins[ply]} nodes {len(margins)} pv {ply}"]
        sides.add(position.to_move)
        position = position.play(choose(position))
    assert sides == set(Side)


def test_chance_decides_between_equals() -> None:
    position = after_placement(2)
    chosen = {ask(position, seed)[0] for seed in range(40)}
    assert len(chosen) > 1
    assert len({ask(position, 7)[0] for _ in range(5)}) == 1


def test_placements_are_equals() -> None:
    """Nothing is gained by a placement, so nothing is said about its score."""
    chosen = [ask(Position.start(), seed) for seed in range(40)]
    assert len({ply for ply, _ in chosen}) > 10
    assert [said for _, said in chosen if said] == []


def test_beats_a_random_mover() -> None:
    won = 0
    for seed in range(20):
        position, opponent = after_placement(seed), mover(seed)
        side = Side(seed % 2)
        while not position.is_over:
            ours = position.to_move is side
            position = position.play(ask(position, seed)[0] if ours else opponent(position))
        won += position.winner is side
    assert won >= 15
