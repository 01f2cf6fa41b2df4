"""Bitboards against the plain version, ply by ply."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import IllegalPlyError
from protocol.rules import PASS, SPACES, Phase, Position, Rules, parse_dpos, parse_ply, perft
from protocol.rules.board import moved, successors
from tests.protocol.oracle import SPACES as ORACLE_SPACES
from tests.protocol.oracle import Oracle, random_setup

SEEDS = st.integers(0, 2**32 - 1)


def agree(position: Position, oracle: Oracle) -> None:
    assert [ply.text for ply in sorted(position.legal_plies())] == oracle.legal()
    assert position.dpos == oracle.dpos()
    assert position.score == oracle.score()
    assert position.is_over == (not oracle.legal())
    again = parse_dpos(position.dpos, position.rules)
    assert again == position
    assert hash(again) == hash(position)


def same_after_each(position: Position) -> None:
    """The counting loop leaves the same boards as playing does."""
    if position.phase is Phase.MOVEMENT and position.legal_plies()[:1] != [PASS]:
        one_by_one = [moved(position._board, ply) for ply in position.legal_plies()]
        assert sorted(successors(position._board)) == sorted(one_by_one)


def play_out(position: Position, oracle: Oracle, rng: random.Random) -> None:
    agree(position, oracle)
    while legal := oracle.legal():
        same_after_each(position)
        illegal = rng.choice(SPACES) + rng.choice(SPACES)
        if illegal not in legal:
            with pytest.raises(IllegalPlyError) as caught:
                position.play(parse_ply(illegal))
            assert [ply.text for ply in caught.value.legal] == legal
        text = rng.choice(legal)
        oracle.play(text)
        position = position.play(parse_ply(text))
        agree(position, oracle)


def test_same_spaces() -> None:
    assert list(SPACES) == ORACLE_SPACES


@settings(max_examples=25)
@given(seed=SEEDS, black_first=st.booleans())
def test_random_games(seed: int, black_first: bool) -> None:
    rules = Rules.BLACK_FIRST if black_first else Rules.STANDARD
    play_out(Position.start(rules), Oracle(black_first=black_first), random.Random(seed))


@settings(max_examples=150)
@given(seed=SEEDS)
def test_random_setups(seed: int) -> None:
    rng = random.Random(seed)
    oracle = random_setup(rng)
    play_out(parse_dpos(oracle.dpos()), oracle, rng)


@settings(max_examples=8)
@given(seed=SEEDS)
def test_perft_of_setups(seed: int) -> None:
    oracle = random_setup(random.Random(seed))
    assert perft(parse_dpos(oracle.dpos()), 2) == plain_perft(oracle, 2)


def plain_perft(oracle: Oracle, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for text in oracle.legal():
        following = Oracle(dict(oracle.stacks), oracle.mover, oracle.placing, oracle.black_first)
        following.play(text)
        total += plain_perft(following, depth - 1)
    return total


@pytest.mark.sweep
@settings(max_examples=3000)
@given(seed=SEEDS)
def test_many_random_setups(seed: int) -> None:
    rng = random.Random(seed)
    oracle = random_setup(rng)
    play_out(parse_dpos(oracle.dpos()), oracle, rng)
