"""Stack moves on bitboards: which there are, and what they leave behind.

A board is a plain tuple ``(occupied, own, opposing, red, heights, mover)``. The first four are masks of
spaces: with any stack, topped by the side to move, topped by the other side, holding a red. ``heights`` packs
one byte per space, so that a stack move is a single addition. The same position always gives the same tuple.

Nothing here knows of turns and passes; :mod:`protocol.rules.position` does.
"""

from typing import TypeAlias

from protocol.rules.geometry import (
    CANNOT_SPLIT,
    DIRECTIONS,
    LONGEST_JUMP,
    NAME,
    NEIGHBOURS,
    ROW_SPANS,
    ROW_WIDTH,
    TALLEST,
    cut_off,
    neighbour,
    surrounded,
)
from protocol.rules.ply import Ply, stack_move
from protocol.rules.terms import Side

Board: TypeAlias = tuple[int, int, int, int, int, Side]
Jumps: TypeAlias = tuple[int, dict[int, tuple[Ply, ...]]]
"""Where a stack could land, and its plies by the part of that which is occupied."""
Space: TypeAlias = tuple[int, int, tuple[Jumps, ...], int, frozenset[int]]
"""A space as the loops want it: bit, bit number, jumps by height, neighbours, patterns that cannot split."""

REDS = 3
OPPONENT = (Side.BLACK, Side.WHITE)
HEIGHT_BYTES = ROW_WIDTH * len(ROW_SPANS)
_OTHER_BYTES = tuple(~(0xFF << 8 * index) for index in range(HEIGHT_BYTES))


def _jumps(index: int, height: int) -> Jumps:
    landings = [end for step in DIRECTIONS if (end := neighbour(index, step, height)) is not None]
    plies: dict[int, tuple[Ply, ...]] = {0: ()}
    for end in sorted(landings):
        ply = stack_move(NAME[index], NAME[end])
        plies |= {mask | ply.landing: (*known, ply) for mask, known in plies.items()}
    return max(plies), plies


def _space(index: int) -> Space:
    stuck: Jumps = (0, {0: ()})
    reachable = tuple(_jumps(index, height) for height in range(1, LONGEST_JUMP + 1))
    jumps = (stuck, *reachable, *[stuck] * (TALLEST - LONGEST_JUMP))
    return 1 << index, index, jumps, NEIGHBOURS[index], CANNOT_SPLIT[index]


def _subsets(spaces: list[Space]) -> tuple[tuple[Space, ...], ...]:
    """All subsets, at the number whose bits say which are in."""
    table: list[tuple[Space, ...]] = [()]
    for space in spaces:
        table += [(*subset, space) for subset in table]
    return tuple(table)


_ROWS = tuple(
    (ROW_WIDTH * row + first, _subsets([_space(ROW_WIDTH * row + column) for column in range(first, end)]))
    for row, (first, end) in enumerate(ROW_SPANS)
)
(_, _ROW_1), (_SHIFT_2, _ROW_2), (_SHIFT_3, _ROW_3), (_SHIFT_4, _ROW_4), (_SHIFT_5, _ROW_5) = _ROWS


def _in(mask: int) -> tuple[Space, ...]:
    """The spaces of a mask: five look-ups instead of a loop over bits."""
    return (
        _ROW_1[mask & 0x1FF]
        + _ROW_2[mask >> _SHIFT_2 & 0x3FF]
        + _ROW_3[mask >> _SHIFT_3 & 0x7FF]
        + _ROW_4[mask >> _SHIFT_4 & 0x3FF]
        + _ROW_5[mask >> _SHIFT_5]
    )


def stack_moves(board: Board) -> list[Ply]:
    """The plies of the side to move, without passes: by source, then target, in the order of ``SPACES``."""
    occupied, own, _, _, heights, _ = board
    tall = heights.to_bytes(HEIGHT_BYTES, "little")
    plies: list[Ply] = []
    for _, index, jumps, _, _ in _in(own & ~surrounded(occupied)):
        landings, table = jumps[tall[index]]
        plies += table[occupied & landings]
    return plies


def layers(board: Board, spaces: int) -> int:
    """Pieces on the spaces of a mask."""
    tall = board[4].to_bytes(HEIGHT_BYTES, "little")
    return sum([tall[index] for _, index, _, _, _ in _in(spaces)])


def can_move(board: Board) -> bool:
    """Whether the side to move has a stack move."""
    occupied, own, _, _, heights, _ = board
    tall = heights.to_bytes(HEIGHT_BYTES, "little")
    # A loop, since making a generator for `any` would take longer than the first few spaces.
    for _, index, jumps, _, _ in _in(own & ~surrounded(occupied)):  # noqa: SIM110
        if occupied & jumps[tall[index]][0]:
            return True
    return False


def allows(board: Board, ply: Ply) -> bool:
    """Whether a ply is one of the stack moves, without listing them."""
    occupied, own, _, _, heights, _ = board
    return (
        ply.lifted & own != 0
        and ply.landing & occupied != 0
        and heights >> ply.byte & 0xFF == ply.distance
        and occupied & ply.fence != ply.fence
    )


def passed(board: Board) -> Board:
    """The same board with the other side to move."""
    occupied, own, opposing, red, heights, mover = board
    return occupied, opposing, own, red, heights, OPPONENT[mover]


def placed(board: Board, ply: Ply) -> Board:
    """The board after a placement: of a red while fewer than three lie there, else of the mover's piece."""
    occupied, own, opposing, red, heights, mover = board
    bit = ply.landing
    if occupied.bit_count() < REDS:
        red |= bit
    else:
        own |= bit
    return occupied | bit, opposing, own, red, heights + ply.carry, OPPONENT[mover]


def moved(board: Board, ply: Ply) -> Board:
    """The board after one of its stack moves."""
    occupied, own, opposing, red, heights, mover = board
    lifted, landing = ply.lifted, ply.landing
    remaining = occupied ^ lifted
    shores = occupied & ply.around
    if lifted & red:
        red = red ^ lifted | landing
        lost = cut_off(remaining, red, shores)
    else:
        lost = 0 if shores in ply.arcs else cut_off(remaining, red, shores)
    after = (
        remaining,
        opposing & ply.kept,
        own ^ lifted | landing,
        red,
        heights + ply.carry,
        OPPONENT[mover],
    )
    return without(lost, after) if lost else after


def without(lost: int, board: Board) -> Board:
    """The board less the stacks on the spaces ``lost``."""
    occupied, own, opposing, red, heights, mover = board
    return occupied & ~lost, own & ~lost, opposing & ~lost, red & ~lost, _lowered(heights, lost), mover


def _lowered(heights: int, lost: int) -> int:
    """Packed heights with zeros on the spaces ``lost``."""
    for _, index, _, _, _ in _in(lost):
        heights &= _OTHER_BYTES[index]
    return heights


def successors(board: Board) -> list[Board]:
    """The boards after each of the stack moves, in no particular order.

    Made for counting: what depends on the source alone is worked out once per source.
    """
    occupied, own, opposing, red, heights, mover = board
    tall = heights.to_bytes(HEIGHT_BYTES, "little")
    opponent = OPPONENT[mover]
    boards: list[Board] = []
    add = boards.append
    for lifted, index, jumps, around, cannot_split in _in(own & ~surrounded(occupied)):
        landings, table = jumps[tall[index]]
        landings &= occupied
        if not landings:
            continue
        if lifted & red:
            boards += [moved(board, ply) for ply in table[landings]]
            continue
        remaining, staying, rivals, low = occupied ^ lifted, own ^ lifted, opposing, heights
        shores = occupied & around
        if shores not in cannot_split and (lost := cut_off(remaining, red, shores)):
            remaining, staying, rivals = remaining & ~lost, staying & ~lost, opposing & ~lost
            low = _lowered(heights, lost)
            if landings & lost:
                drowned = remaining, rivals, staying, red, low & _OTHER_BYTES[index], opponent
                boards += [drowned] * len(table[landings & lost])
                landings ^= landings & lost
        for ply in table[landings]:
            add((remaining, rivals & ply.kept, staying | ply.landing, red, low + ply.carry, opponent))
    return boards
