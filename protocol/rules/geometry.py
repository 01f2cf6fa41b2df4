"""The board as bits: 49 spaces in a padded grid of five rows of twelve.

A space in column ``c`` and row ``r`` (both from 0) is bit ``12 r + c``. Column 11 and the cut corners are
always empty, so a neighbour is one shift away and no shift ever wraps onto a space of the next row.
"""

from functools import lru_cache

ROW_WIDTH = 12
COLUMNS = "ABCDEFGHIJK"
ROWS = "12345"
ROW_SPANS = ((0, 9), (0, 10), (0, 11), (1, 11), (2, 11))
"""First column and the one past the last, per row."""

DIRECTIONS = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
"""Steps (column, row) in the order in which they go round a space: consecutive ones are neighbours."""

LONGEST_JUMP = 10
TALLEST = 49

_COORDINATES = tuple((c, r) for r, (first, end) in enumerate(ROW_SPANS) for c in range(first, end))
_INDEX = {(c, r): ROW_WIDTH * r + c for c, r in _COORDINATES}
_NEVER_OCCUPIED = 1 << (ROW_WIDTH - 1)

SPACES: tuple[str, ...] = tuple(COLUMNS[c] + ROWS[r] for c, r in _COORDINATES)
"""Names of all spaces, row 1 first: A1..I1, A2..J2, A3..K3, B4..K4, C5..K5."""

INDEX: dict[str, int] = {COLUMNS[c] + ROWS[r]: index for (c, r), index in _INDEX.items()}
"""Bit number of each space."""

NAME: dict[int, str] = {index: name for name, index in INDEX.items()}
"""The space of each bit number."""

COORDINATES: dict[str, tuple[int, int]] = dict(zip(SPACES, _COORDINATES, strict=True))
"""Column and row of each space, from 0."""

FULL_BOARD = sum(1 << index for index in NAME)


def neighbour(index: int, direction: tuple[int, int], distance: int = 1) -> int | None:
    """Bit number of the space so far away in a direction; ``None`` off the board."""
    row, column = divmod(index, ROW_WIDTH)
    return _INDEX.get((column + distance * direction[0], row + distance * direction[1]))


def _around(index: int) -> list[int]:
    """Bits of the six neighbours in the order of ``DIRECTIONS``; 0 where the board ends."""
    spaces = [neighbour(index, direction) for direction in DIRECTIONS]
    return [0 if space is None else 1 << space for space in spaces]


def _safe_patterns(around: list[int]) -> frozenset[int]:
    """Occupied neighbours whose chains cannot break when the space between them is emptied.

    That is so when they form at most one unbroken arc around it.
    """
    circle = around * 2
    arcs = (circle[start : start + length] for start in range(6) for length in range(7))
    return frozenset(sum(arc) for arc in arcs if all(arc))


_AROUND = {index: _around(index) for index in NAME}

NEIGHBOURS: dict[int, int] = {index: sum(around) for index, around in _AROUND.items()}
"""By bit number: the spaces next to it."""

FENCE: dict[int, int] = {
    index: sum(around) if all(around) else _NEVER_OCCUPIED for index, around in _AROUND.items()
}
"""By bit number: what must be occupied for a stack to be surrounded. At the edge that cannot be."""

CANNOT_SPLIT: dict[int, frozenset[int]] = {index: _safe_patterns(around) for index, around in _AROUND.items()}
"""By bit number: patterns of occupied neighbours that stay connected when the space is emptied."""


def surrounded(occupied: int) -> int:
    """Spaces of which all six neighbours exist and are occupied."""
    o = occupied
    return o << 1 & o >> 1 & o << 12 & o >> 12 & o << 13 & o >> 13


@lru_cache(maxsize=1 << 13)
def cut_off(occupied: int, red: int, shores: int) -> int:
    """Occupied spaces without a chain of neighbours to a red.

    ``shores`` are occupied spaces that the caller knows to speak for all: once each of them is reached,
    nothing is cut off.
    """
    reached = red
    while True:
        right = reached | reached << 1
        left = reached | reached >> 1
        grown = (right | left | right << 12 | left >> 12) & occupied
        if grown & shores == shores:
            return 0
        if grown == reached:
            return occupied ^ reached
        reached = grown


def straight_distance(source: str, target: str) -> int:
    """Spaces from one to another in one of the six directions; -1 off those lines and for the same space."""
    (c0, r0), (c1, r1) = COORDINATES[source], COORDINATES[target]
    dc, dr = c1 - c0, r1 - r0
    if dc and dr and dc != dr:
        return -1
    return max(abs(dc), abs(dr)) or -1


def names(mask: int) -> list[str]:
    """The spaces in a mask, in the order of ``SPACES``."""
    return [name for index, name in NAME.items() if mask >> index & 1]
