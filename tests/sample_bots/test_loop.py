"""The conversation the Python sample bots share, inside this process."""

import io
import sys
from random import Random

import pytest

from protocol.rules import Ply, Position, Rules
from sample_bots import loop

START = str(Position.start())


def talk(monkeypatch: pytest.MonkeyPatch, *lines: str) -> list[Position]:
    """The positions a bot is asked about in a conversation; it answers with the first legal ply."""
    asked = []

    def choose(position: Position, rng: Random) -> tuple[Ply, str]:
        asked.append(position)
        return min(position.legal_plies()), "score 1"

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    loop.run("first", choose)
    return asked


def test_answers_with_info_and_move(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    talk(monkeypatch, "dvp 1", f"board {START}", "go ply 1")
    assert capsys.readouterr().out.splitlines() == [
        "id name first",
        "option Seed spin 0 0 2147483647",
        "dvpok",
        "info score 1",
        "move A1",
    ]


@pytest.mark.parametrize(
    "newgame, rules",
    [
        ("newgame white", Rules.STANDARD),
        ("newgame white rules standard game 1", Rules.STANDARD),
        ("newgame black time 1000 rules black-first", Rules.BLACK_FIRST),
        ("newgame black opponent plays rules black-first", Rules.STANDARD),
        ("newgame white\trules\tblack-first opponent A rules standard", Rules.BLACK_FIRST),
    ],
)
def test_a_position_has_the_rules_of_its_game(
    monkeypatch: pytest.MonkeyPatch, newgame: str, rules: Rules
) -> None:
    assert [position.rules for position in talk(monkeypatch, newgame, f"board {START}", "go")] == [rules]


def test_rules_last_for_one_game(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = (f"board {START}", "go")
    asked = talk(monkeypatch, "newgame white rules black-first", *turn, "newgame white", *turn)
    assert [position.rules for position in asked] == [Rules.BLACK_FIRST, Rules.STANDARD]


def test_hears_nothing_after_quit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert talk(monkeypatch, f"board {START}", "quit", "go") == []
