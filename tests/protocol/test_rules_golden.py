"""Games, positions and counts confirmed by independent programs must come out exactly."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from protocol.rules import Position, Side, Stack, divide, parse_dpos, parse_ply, perft

DATA = Path(__file__).parent.parent / "data"
CHEAP = 700_000
"""Nodes a count may have in the normal run; the sweep does the rest."""


@cache
def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def after(plies: list[str]) -> Position:
    position = Position.start()
    for text in plies:
        position = position.play(parse_ply(text))
    return position


def pieces(position: Position) -> int:
    return sum(stack.height for stack in position.stacks().values())


def stack(text: str) -> Stack:
    tops = {"W": Side.WHITE, "B": Side.BLACK, "R": None}
    return Stack(len(text), tops[text[-1]], "R" in text)


def test_golden_games() -> None:
    for game in lines("games.jsonl"):
        position, counts, removed = Position.start(), [], {}
        for number, text in enumerate(game["moves"]):
            counts.append(len(position.legal_plies()))
            before, position = pieces(position), position.play(parse_ply(text))
            if number >= 49 and before != pieces(position):
                removed[str(number)] = before - pieces(position)
        assert counts == game["legal_counts"]
        assert removed == game["removed"]
        assert position.is_over
        assert position.legal_plies() == []
        assert position.score == (game["white"], game["black"])
        assert position.stacks() == {space: stack(text) for space, text in game["final"].items()}
        assert game["moves"].count("PASS") == game["passes"]


def test_golden_positions() -> None:
    for entry in lines("positions.jsonl"):
        position = after(entry["moves"])
        assert position.to_move.letter.upper() == entry["to_move"]
        assert [ply.text for ply in sorted(position.legal_plies())] == entry["legal"]
        assert position.is_over == entry["over"]
        assert position.score == (entry["white"], entry["black"])
        assert position.stacks() == {space: stack(text) for space, text in entry["board"].items()}
        assert parse_dpos(position.dpos) == position


def counts(cheap: bool) -> list[Any]:
    return [
        pytest.param(entry, depth, nodes, id=f"{number}-depth{depth}")
        for number, entry in enumerate(lines("perft.jsonl"))
        for depth, nodes in enumerate(entry["perft"], 1)
        if (nodes <= CHEAP) is cheap
    ]


@pytest.mark.parametrize("entry, depth, nodes", counts(cheap=True))
def test_golden_perft(entry: dict[str, Any], depth: int, nodes: int) -> None:
    position = after(entry["moves"])
    assert position.to_move.letter.upper() == entry["to_move"]
    assert perft(position, depth) == nodes


@pytest.mark.sweep
@pytest.mark.parametrize("entry, depth, nodes", counts(cheap=False))
def test_golden_perft_deep(entry: dict[str, Any], depth: int, nodes: int) -> None:
    assert perft(after(entry["moves"]), depth) == nodes


def test_perft_counts_placements() -> None:
    assert [perft(Position.start(), depth) for depth in range(4)] == [1, 49, 49 * 48, 49 * 48 * 47]


def test_perft_crosses_from_placement_to_movement() -> None:
    moves = lines("games.jsonl")[0]["moves"]
    full = after(moves[:49])
    assert perft(after(moves[:48]), 2) == len(full.legal_plies())
    assert perft(after(moves[:48]), 3) == perft(full, 2)


def test_divide_adds_up_to_perft() -> None:
    position = after(lines("perft.jsonl")[0]["moves"])
    parts = divide(position, 4)
    assert list(parts) == position.legal_plies()
    assert sum(parts.values()) == perft(position, 4) == lines("perft.jsonl")[0]["perft"][3]


def test_depths_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="-1"):
        perft(Position.start(), -1)
    with pytest.raises(ValueError, match="0"):
        divide(Position.start(), 0)
