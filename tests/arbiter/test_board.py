"""The board in the terminal: every space where a player looks for it, stacks, reds and the last ply."""

import re

import pytest

from arbiter.cli.board import PLAIN, Look, board_key, draw_board, removed_stacks, stack_text
from protocol.rules import SPACES, Position, Side, Stack, parse_dpos, parse_ply


def test_a_whole_board() -> None:
    position = parse_dpos("........w/....w4*b2..b3./.......b3w12*../......b3.../......... w m")
    assert draw_board(position).splitlines() == [
        " 5         .     .     .     .     .     .     .     .     W1",
        "          /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\",
        " 4      .     .     .     .     W4*   B2    .     .     B3    .",
        "       /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\",
        " 3   .     .     .     .     .     .     .     B3    W12*  .     .",
        "       \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\",
        " 2      .     .     .     .     .     .     B3    .     .     .     K",
        "          \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\  /  \\",
        " 1         .     .     .     .     .     .     .     .     .     J",
        "             \\     \\     \\     \\     \\     \\     \\     \\     \\",
        "              A     B     C     D     E     F     G     H     I",
    ]


def place(space: str) -> tuple[int, int]:
    """Line and column at which a lone piece on a space is drawn."""
    text = draw_board(Position.start().play(parse_ply(space)))
    found = [(number, line.index("R")) for number, line in enumerate(text.splitlines()) if "R" in line]
    assert len(found) == 1
    return found[0]


def test_every_space_has_a_place_of_its_own_in_the_usual_orientation() -> None:
    places = {space: place(space) for space in SPACES}
    assert len(set(places.values())) == 49
    for space, (line, column) in places.items():
        letter, row = space[0], int(space[1])
        right, upper_left, upper_right = (
            (chr(ord(letter) + 1), row),
            (letter, row + 1),
            (chr(ord(letter) + 1), row + 1),
        )
        for (name, number), step in ((right, (0, 6)), (upper_left, (-2, -3)), (upper_right, (-2, 3))):
            near = f"{name}{number}"
            if near in places:
                assert places[near] == (line + step[0], column + step[1])


@pytest.mark.parametrize(
    "stack, text",
    [
        (Stack(1, None, True), "R"),
        (Stack(1, Side.WHITE, False), "W1"),
        (Stack(12, Side.BLACK, True), "B12*"),
    ],
)
def test_a_stack_in_short(stack: Stack, text: str) -> None:
    assert stack_text(stack) == text


def test_the_last_ply_and_what_it_removed() -> None:
    before = parse_dpos("........./........../w2*bwbb....../........../......... b m")
    ply = parse_ply("B3C3")
    after = before.play(ply)
    assert removed_stacks(before, ply, after) == {
        "C3": Stack(2, Side.BLACK, False),
        "D3": Stack(1, Side.BLACK, False),
        "E3": Stack(1, Side.BLACK, False),
    }
    row = draw_board(after, ply=ply, before=before).splitlines()[4]
    assert row.startswith(" 3   W2*  [.]   [x]    x     x     .")
    kept = before.play(parse_ply("E3D3"))
    row = draw_board(kept, ply=parse_ply("E3D3"), before=before).splitlines()[4]
    assert row.startswith(" 3   W2*   B1    W1   [B2]  [.]    .")


def test_a_placement_and_a_pass_remove_nothing() -> None:
    start = Position.start()
    placed = start.play(parse_ply("A3"))
    assert removed_stacks(start, parse_ply("A3"), placed) == {}
    assert draw_board(placed, ply=parse_ply("A3"), before=start).splitlines()[4].startswith(" 3  [R]    .")
    assert removed_stacks(placed, parse_ply("PASS"), placed) == {}
    assert "[" not in draw_board(placed, ply=parse_ply("PASS"), before=placed)


def test_colours_and_dots_change_nothing_else() -> None:
    position = parse_dpos("........w/....w4*b2..b3./.......b3w12*../......b3.../......... w m")
    coloured = draw_board(position, Look(colour=True))
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).replace(" ", "") == draw_board(position).replace(" ", "")
    assert (
        coloured.count("\x1b[1;38;5;16;48;5;230m") == 5
    )  # three white stacks; after a star the colour begins anew
    assert draw_board(position).isascii()
    assert "\x1b" not in draw_board(position)
    assert draw_board(position, Look(unicode=True)).replace("·", ".") == draw_board(position)


def test_the_key_explains_the_marks_that_are_there() -> None:
    assert board_key(PLAIN) == " W4*  white on top, height 4, * a red inside    R  a lone red"
    assert board_key(PLAIN, marked=True, gone=True).endswith("[ ] last ply   x removed by it")
