"""Rules that public programs are known to have had wrong."""

import pytest

from protocol.errors import IllegalPlyError
from protocol.rules import PASS, SPACES, Phase, Position, Rules, Side, Stack, parse_dpos, parse_ply
from protocol.rules.geometry import NAME, NEIGHBOURS, names

EDGE = {name for index, name in NAME.items() if NEIGHBOURS[index].bit_count() < 6}
"""Spaces that lack at least one neighbour."""


def after(*texts: str, start: Position | None = None) -> Position:
    position = start or Position.start()
    for text in texts:
        position = position.play(parse_ply(text))
    return position


def legal(position: Position) -> list[str]:
    return [ply.text for ply in sorted(position.legal_plies())]


def refusal(position: Position, text: str) -> str:
    with pytest.raises(IllegalPlyError) as caught:
        position.play(parse_ply(text))
    assert caught.value.legal == tuple(sorted(position.legal_plies()))
    return f"{caught.value.rule}: {caught.value.reason}"


def board(stacks: dict[str, str], side: str = "w") -> Position:
    """A movement position from cells of a DPOS."""
    rows = ("".join(stacks.get(name, ".") for name in SPACES if name[1] == row) for row in "54321")
    return parse_dpos(f"{'/'.join(rows)} {side} m")


def full_board(side: str) -> Position:
    """Three reds in the middle; the rest white and black in turn: A1 white, B1 black, B2 white."""
    coloured = [name for name in SPACES if name not in ("E3", "F3", "G3")]
    return board(dict.fromkeys(SPACES, "r") | {name: "wb"[i % 2] for i, name in enumerate(coloured)}, side)


@pytest.mark.parametrize("rules, first", [(Rules.STANDARD, Side.WHITE), (Rules.BLACK_FIRST, Side.BLACK)])
def test_58_order_of_placement_and_the_first_stack_move(rules: Rules, first: Side) -> None:
    position = Position.start(rules)
    for number, name in enumerate(SPACES, 1):
        mover = Side.WHITE if number % 2 else Side.BLACK
        assert position.to_move is mover
        assert position.phase is Phase.PLACEMENT
        position = position.play(parse_ply(name))
        top = None if number <= 3 else mover
        assert position.stacks()[name] == Stack(1, top, has_red=number <= 3)
    assert number == 49
    assert position.phase is Phase.MOVEMENT
    assert position.to_move is first
    tops = [stack.top for stack in position.stacks().values()]
    assert (tops.count(None), tops.count(Side.WHITE), tops.count(Side.BLACK)) == (3, 23, 23)


def test_59_a_stack_lands_on_occupied_spaces_only() -> None:
    position = board({"A1": "w", "B1": "r", "B2": "b"})
    assert legal(position) == ["A1B1", "A1B2"]
    assert refusal(position, "A1A2") == "empty-target: A2 is empty, and a stack lands on an occupied space"


@pytest.mark.parametrize("target", ["E4", "G2"])
def test_59_two_neighbouring_columns_and_rows_are_no_direction(target: str) -> None:
    position = board({"F3": "w", "F4": "r", "E3": "r", "E4": "b", "F2": "b", "G2": "b"})
    assert refusal(position, f"F3{target}").startswith(
        f"direction: {target} is not in a straight line from F3"
    )


def test_59_nothing_leaves_the_board_at_the_right_edge() -> None:
    position = board({"J2": "w", "K3": "r", "I2": "b"})
    assert legal(position) == ["J2I2", "J2K3"]


def test_59_neighbours_of_k3() -> None:
    index = next(index for index, name in NAME.items() if name == "K3")
    assert set(names(NEIGHBOURS[index])) == {"J3", "K4", "J2"}
    assert legal(board({"K3": "w", "J3": "r", "K4": "b", "J2": "b"})) == ["K3J2", "K3J3", "K3K4"]


def test_60_on_a_full_board_the_24_edge_stacks_move() -> None:
    sources = {ply.source for side in "wb" for ply in full_board(side).legal_plies()}
    assert len(EDGE) == 24
    assert sources == EDGE


def test_60_a_surrounded_tower_does_not_jump() -> None:
    ring = {"E2": "b", "F2": "b", "F3": "r", "E4": "b", "D3": "b", "D2": "b", "F4": "b"}
    position = board({"E3": "w3", **ring, "E5": "b", "B3": "b", "C3": "b", "H3": "b", "G3": "b", "A3": "w"})
    assert not [text for text in legal(position) if text.startswith("E3")]
    assert refusal(position, "E3B3").startswith("surrounded: E3 has all six neighbours occupied")


def test_60_a_surrounded_stack_becomes_free_when_a_neighbour_leaves() -> None:
    position = full_board("b")
    assert position.stacks()["B2"].top is Side.WHITE
    assert refusal(full_board("w"), "B2C2").startswith("surrounded")
    freed = after("B1A1", start=position)
    assert [text for text in legal(freed) if text.startswith("B2")] == [
        "B2A1",
        "B2A2",
        "B2B3",
        "B2C2",
        "B2C3",
    ]


def test_61_equal_stacks_are_each_counted() -> None:
    position = board({"A1": "w3", "B1": "r", "C1": "w3", "B2": "b3", "C2": "b3"})
    assert position.score == (6, 6)
    assert position.winner is None


def test_61_own_stacks_are_removed_too_and_lone_reds_stay() -> None:
    position = board({"A1": "r", "B1": "w", "C1": "w", "D1": "w5", "E1": "b", "I5": "r"})
    position = after("B1A1", start=position)
    assert position.stacks() == {"A1": Stack(2, Side.WHITE, True), "I5": Stack(1, None, True)}
    assert position.score == (2, 0)
    assert position.winner is Side.WHITE


def test_61_a_stack_that_lands_among_those_cut_off_goes_with_them() -> None:
    position = after("B1C1", start=board({"A1": "r", "B1": "w", "C1": "b", "D1": "b"}))
    assert position.stacks() == {"A1": Stack(1, None, True)}
    assert position.is_over
    assert position.score == (0, 0)


def test_62_a_stack_with_a_red_inside_moves_and_keeps_others_alive() -> None:
    position = board({"A1": "w2*", "A2": "w", "B1": "b", "C1": "b", "D1": "b"})
    moved = after("A1C1", start=position)
    kept = {"B1": Stack(1, Side.BLACK, False), "D1": Stack(1, Side.BLACK, False)}
    assert moved.stacks() == {"C1": Stack(3, Side.WHITE, True), **kept}


@pytest.mark.parametrize("side", ["w", "b"])
def test_62_a_lone_red_never_moves(side: str) -> None:
    position = board({"A1": "r", "B1": "w", "C1": "b"}, side)
    assert not [text for text in legal(position) if text.startswith("A1")]
    assert refusal(position, "A1B1") == "lone-red: A1 is a lone red, which never moves"


def test_63_one_side_stuck_is_not_the_end() -> None:
    position = board({"A1": "w3", "B1": "r", "A2": "b", "B2": "b"})
    assert not position.is_over
    assert position.legal_plies() == [PASS]
    assert refusal(position, "A1B1") == "must-pass: white has no stack move and must pass"
    passed = position.play(PASS)
    assert passed.to_move is Side.BLACK
    assert passed.stacks() == position.stacks()
    assert refusal(passed, "PASS").startswith("may-not-pass: black has a stack move")


def test_63_a_side_resumes_when_it_can() -> None:
    ring = dict.fromkeys(["A1", "B1", "A2", "C2", "B3"], "b") | {"C3": "r"}
    stuck = board({"B2": "w"} | ring)
    assert legal(stuck) == ["PASS"]
    freed = after("PASS", "B1A1", start=stuck)
    assert freed.to_move is Side.WHITE
    assert legal(freed) == ["B2A1", "B2A2", "B2B3", "B2C2", "B2C3"]


def test_63_white_may_be_stuck_right_after_the_last_placement() -> None:
    edge = [name for name in SPACES if name in EDGE]
    inner = [name for name in SPACES if name not in EDGE]
    reds, black, white = [edge[0], *inner[:2]], edge[1:], inner[2:]
    texts = reds + [name for pair in zip(black, white, strict=True) for name in pair]
    position = after(*texts)
    assert position.phase is Phase.MOVEMENT
    assert position.to_move is Side.WHITE
    assert position.legal_plies() == [PASS]
    assert position.play(PASS).to_move is Side.BLACK
    assert after(*texts, start=Position.start(Rules.BLACK_FIRST)).to_move is Side.BLACK


def test_63_the_score_may_be_nothing_to_nothing() -> None:
    position = board({"A1": "r", "K5": "r"})
    assert position.is_over
    assert position.legal_plies() == []
    assert position.score == (0, 0)
    assert position.winner is None
    for text in ("PASS", "A1K5", "B1"):
        assert refusal(position, text) == "game-over: neither side has a stack move, the game is over"
