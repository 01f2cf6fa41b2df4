"""How to count on the light board of bots that look ahead: the plain tuple of :mod:`protocol.rules.board`.

It is ``(occupied, own, opposing, red, heights, mover)``: four masks with a bit for each space, the heights
packed into one number, and the side to move. Plies are listed and made on it more quickly than on a
``Position``, it is its own key in a dictionary, and to count is mostly a matter of a few operations on masks.
"""

from typing import TypeAlias

from protocol.rules import Position
from protocol.rules.board import Board
from protocol.rules.geometry import DIRECTIONS, ROW_SPANS, ROW_WIDTH, TALLEST, neighbour, surrounded
from protocol.rules.notation import board_of

Space: TypeAlias = tuple[int, tuple[int, ...]]
"""A space: its bit number, and by height the spaces that a stack on it can move to."""


def light(position: Position) -> Board:
    """The board of a position in which stacks are moved."""
    return board_of(position.stacks(), position.to_move)


def around(spaces: int) -> int:
    """These spaces and all next to them; bits off the board may be set, too, so it needs a mask."""
    right, left = spaces | spaces << 1, spaces | spaces >> 1
    return right | left | right << ROW_WIDTH | left >> ROW_WIDTH


def prospects(occupied: int, stacks: int, tall: bytes) -> tuple[int, int, int]:
    """What stacks of one side could do if it were to move: how many can move, their moves, where they land.

    ``tall`` are the heights by bit number.
    """
    movers = moves = targets = 0
    for index, reach in _within(stacks & ~surrounded(occupied)):
        if landings := reach[tall[index]] & occupied:
            movers += 1
            moves += landings.bit_count()
            targets |= landings
    return movers, moves, targets


def layers(heights: int, spaces: int) -> int:
    """Pieces on these spaces.

    Packed heights are a number to the base 256. Divided by 255 it leaves the same rest as the sum of its
    digits does, and that sum is 49 at most.
    """
    wanted = (
        _BYTES_1[spaces & 0x1FF]
        | _BYTES_2[spaces >> _SHIFT_2 & 0x3FF]
        | _BYTES_3[spaces >> _SHIFT_3 & 0x7FF]
        | _BYTES_4[spaces >> _SHIFT_4 & 0x3FF]
        | _BYTES_5[spaces >> _SHIFT_5]
    )
    return (heights & wanted) % 255


def _within(mask: int) -> tuple[Space, ...]:
    """The spaces of a mask: five look-ups are quicker than a loop over its bits."""
    return (
        _ROW_1[mask & 0x1FF]
        + _ROW_2[mask >> _SHIFT_2 & 0x3FF]
        + _ROW_3[mask >> _SHIFT_3 & 0x7FF]
        + _ROW_4[mask >> _SHIFT_4 & 0x3FF]
        + _ROW_5[mask >> _SHIFT_5]
    )


def _reach(index: int) -> tuple[int, ...]:
    """By height: the spaces so far away in the six directions."""
    ends = [[neighbour(index, step, height) for step in DIRECTIONS] for height in range(1, TALLEST + 1)]
    return 0, *[sum(1 << end for end in row if end is not None) for row in ends]


def _subsets(first: int, end: int) -> tuple[list[tuple[Space, ...]], list[int]]:
    """All subsets of a row, at the number whose bits say which: their spaces, and masks of their heights."""
    spaces: list[tuple[Space, ...]] = [()]
    masks = [0]
    for index in range(first, end):
        space = index, _reach(index)
        spaces += [(*subset, space) for subset in spaces]
        masks += [mask | 0xFF << 8 * index for mask in masks]
    return spaces, masks


_SHIFTS = tuple(ROW_WIDTH * row + first for row, (first, _) in enumerate(ROW_SPANS))
_, _SHIFT_2, _SHIFT_3, _SHIFT_4, _SHIFT_5 = _SHIFTS
(
    (_ROW_1, _BYTES_1),
    (_ROW_2, _BYTES_2),
    (_ROW_3, _BYTES_3),
    (_ROW_4, _BYTES_4),
    (_ROW_5, _BYTES_5),
) = (_subsets(shift, shift + end - first) for shift, (first, end) in zip(_SHIFTS, ROW_SPANS, strict=True))
