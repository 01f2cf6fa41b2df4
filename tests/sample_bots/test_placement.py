"""Where the reference players place their pieces."""

from collections import deque
from random import Random

from protocol.rules import SPACES, Phase, Ply, Position
from sample_bots.placement import place, steps
from tests.protocol.oracle import neighbours
from tests.sample_bots.ladder import RUNGS, ask, player


def distances(source: str) -> dict[str, int]:
    """Steps to every space, by walking there."""
    found, queue = {source: 0}, deque([source])
    while queue:
        space = queue.popleft()
        for near in neighbours(space):
            if near not in found:
                found[near] = found[space] + 1
                queue.append(near)
    return found


def test_steps_are_those_of_a_walk() -> None:
    assert {a: {b: steps(a, b) for b in SPACES} for a in SPACES} == {a: distances(a) for a in SPACES}


def placed(seed: int) -> tuple[list[Ply], Position]:
    """A placement phase in which both sides place by the rule."""
    chance, position, plies = Random(seed), Position.start(), list[Ply]()
    while position.phase is Phase.PLACEMENT:
        plies.append(place(position, chance))
        position = position.play(plies[-1])
    return plies, position


def test_pieces_go_as_near_to_a_red_as_can_be() -> None:
    plies, _ = placed(3)
    reds = [str(ply) for ply in plies[:3]]
    away = [min(steps(red, str(ply)) for red in reds) for ply in plies[3:]]
    assert away == sorted(away)
    assert away[0] == 1


def test_placements_differ_by_seed_only() -> None:
    assert placed(1)[0] == placed(1)[0]
    games = [tuple(map(str, placed(seed)[0])) for seed in range(10)]
    assert len(set(games)) == len({game[:3] for game in games}) == 10


def test_all_rungs_place_by_the_rule_and_say_nothing() -> None:
    position, chance = Position.start(), Random(4)
    for _ in range(20):
        for rung in RUNGS:
            expected = place(position, Random(9))
            assert ask(player(rung, seed=9), position, time=1000) == (expected, [])
        position = position.play(place(position, chance))
