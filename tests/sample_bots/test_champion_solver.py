"""champion against the rules core: what may be played, how the board changes, and how endings come out."""

import json
from functools import cache
from pathlib import Path

import pytest

from protocol.rules import Phase, Position, Side, parse_ply, perft
from tests.sample_bots.champion import answer, ending, run, wander
from tests.sample_bots.referee import Process, greet, started

pytestmark = pytest.mark.needs("cc")

GOLDEN = Path(__file__).parents[1] / "data" / "perft.jsonl"


def counted(program: Path, position: Position, depth: int) -> int:
    return int(run(program, "perft", position.dpos, str(depth)))


def test_counts_what_the_golden_file_counts(champion: Path) -> None:
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    for record in map(json.loads, lines):
        position = Position.start()
        for ply in record["moves"]:
            position = position.play(parse_ply(ply))
        for depth, nodes in enumerate(record["perft"], 1):
            assert counted(champion, position, depth) == nodes, position.dpos
    assert len(lines) == 20


def test_counts_what_the_rules_core_counts_in_random_positions(champion: Path) -> None:
    positions = [wander(seed, 46 + seed) for seed in range(40)]
    assert {position.phase for position in positions} == set(Phase)
    for position in positions:
        depth = 2 if position.phase is Phase.PLACEMENT or len(position.legal_plies()) > 25 else 3
        assert counted(champion, position, depth) == perft(position, depth), position.dpos


def test_divides_a_count_by_plies(champion: Path) -> None:
    position = wander(3, 80)
    *lines, total = run(champion, "perft", position.dpos, "2", "divide").splitlines()
    counts = {name: int(nodes) for name, nodes in map(str.split, lines)}
    assert counts == {str(ply): perft(position.play(ply), 1) for ply in position.legal_plies()}
    assert int(total) == sum(counts.values())


@cache
def margin(position: Position) -> int:
    """The final margin of the side to move under best play: every line of play to its end."""
    plies = position.legal_plies()
    if not plies:
        white, black = position.score
        return white - black if position.to_move is Side.WHITE else black - white
    return max(-margin(position.play(ply)) for ply in plies)


def check_solved(bot: Process, position: Position) -> None:
    """The last score is proved and right, and the move reaches it."""
    bot.say(f"board {position.dpos}", "go nodes 30000000")
    ply, infos = answer(bot)
    assert infos[-1]["exact"] == "1", position.dpos
    assert float(infos[-1]["score"]) == margin(position), position.dpos
    assert -margin(position.play(parse_ply(ply))) == margin(position), position.dpos


def check_all(program: Path, positions: list[Position]) -> None:
    with started([str(program)]) as bot:
        greet(bot, Side.WHITE, seed=1)
        for position in positions:
            check_solved(bot, position)
            margin.cache_clear()


def test_solves_endings_as_brute_force_does(champion: Path) -> None:
    positions = [ending(seed, 4 + seed % 8) for seed in range(240)]
    outcomes = [margin(position) for position in positions]
    check_all(champion, positions)
    assert {(outcome > 0) - (outcome < 0) for outcome in outcomes} == {-1, 0, 1}


@pytest.mark.sweep
def test_solves_longer_endings_as_brute_force_does(champion: Path) -> None:
    positions = [ending(10_000 + seed, 14) for seed in range(400)]
    check_all(champion, positions)
    assert len(set(positions)) == 400


def test_says_exact_only_when_the_margin_is_proved(champion: Path) -> None:
    """Each ``exact 1`` that a shallow search announces in the middle of an ending is the true margin."""
    announced = 0
    with started([str(champion)]) as bot:
        greet(bot, Side.WHITE, seed=1)
        for position in (ending(500 + seed, 11) for seed in range(60)):
            for depth in (1, 2, 3):
                bot.say(f"board {position.dpos}", f"go depth {depth}")
                for info in answer(bot)[1]:
                    if "exact" in info:
                        announced += 1
                        assert float(info["score"]) == margin(position), position.dpos
    margin.cache_clear()
    assert announced > 20


def test_a_game_that_is_over_has_nothing_to_search(champion: Path) -> None:
    over = wander(1, 200)
    assert over.is_over
    white, black = over.score
    ahead = white - black if over.to_move is Side.WHITE else black - white
    assert run(champion, "search", over.dpos) == f"best none score {ahead:.2f} exact\n"
