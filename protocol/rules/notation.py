"""DPOS, a position on one line: boards as text and back.

``<row5>/<row4>/<row3>/<row2>/<row1> <w|b> <p|m>``; a cell is ``.``, ``r`` (a lone red) or the letter of the
top with the height (left out when 1) and ``*`` when a red lies inside. Whether a position that reads well
could be played is for :mod:`protocol.rules.setup`.
"""

import re
from collections.abc import Iterator
from functools import cache

from protocol.errors import PositionError
from protocol.rules.board import HEIGHT_BYTES, Board
from protocol.rules.geometry import COLUMNS, INDEX, ROW_SPANS, TALLEST
from protocol.rules.terms import Phase, Side, Stack

_CELL = re.compile(r"\.|[rwb][0-9]*\*?|(?s:.)")
_ROWS_DOWNWARD = tuple(
    tuple(f"{column}{number}" for column in COLUMNS[first:end])
    for number, (first, end) in reversed(list(enumerate(ROW_SPANS, 1)))
)
"""The names of the spaces as a DPOS has them: row 5 first."""
_SPACES = tuple((name, index, 1 << index) for name, index in INDEX.items())
_BLANKS = re.compile(r"[ \t]+")
_SIDES = {side.letter: side for side in Side}
_PHASES = {phase.value: phase for phase in Phase}


def stacks_of(board: Board) -> dict[str, Stack]:
    """Space to stack, occupied spaces only, in the order of ``SPACES``."""
    occupied, own, opposing, red, heights, mover = board
    opponent = mover.other
    packed = heights.to_bytes(HEIGHT_BYTES, "little")
    stacks = {}
    for name, index, bit in _SPACES:
        if bit & occupied:
            top = mover if bit & own else opponent if bit & opposing else None
            stacks[name] = Stack(packed[index], top, bool(bit & red))
    return stacks


def board_of(stacks: dict[str, Stack], mover: Side) -> Board:
    """The board with these stacks; the reverse of :func:`stacks_of`."""
    masks = {None: 0, Side.WHITE: 0, Side.BLACK: 0}
    red = heights = 0
    for name, stack in stacks.items():
        masks[stack.top] |= 1 << INDEX[name]
        red |= stack.has_red << INDEX[name]
        heights |= stack.height << 8 * INDEX[name]
    return sum(masks.values()), masks[mover], masks[mover.other], red, heights, mover


def format_dpos(stacks: dict[str, Stack], to_move: Side, phase: Phase) -> str:
    """Write a position as DPOS."""
    rows = ["".join([_cell(stacks.get(name)) for name in row]) for row in _ROWS_DOWNWARD]
    return f"{'/'.join(rows)} {to_move.letter} {phase.value}"


def read_dpos(text: str) -> tuple[dict[str, Stack], Side, Phase]:
    """Read a DPOS without asking whether the rules allow it.

    :raises PositionError: with the cell and what is wrong with its text, or with the missing or unknown part.
    """
    parts = _BLANKS.split(text.strip(" \t"))
    if len(parts) != 3:
        raise PositionError(
            None, "parts", f"rows, side and phase are needed, this has {_counted(parts, 'part')}"
        )
    rows, side, phase = parts
    if side not in _SIDES:
        raise PositionError(None, "side", f"the side to move is w or b, not {_short(side)}")
    if phase not in _PHASES:
        raise PositionError(None, "phase", f"the phase is p (placement) or m (movement), not {_short(phase)}")
    return _read_rows(rows.split("/")), _SIDES[side], _PHASES[phase]


def _read_rows(rows: list[str]) -> dict[str, Stack]:
    if len(rows) != len(ROW_SPANS):
        raise PositionError(
            None, "rows", f"5 rows divided by / are needed, row 5 first; this has {len(rows)}"
        )
    stacks: dict[str, Stack] = {}
    for names, row in zip(_ROWS_DOWNWARD, rows, strict=True):
        stacks |= dict(_read_row(names, row))
    return {name: stacks[name] for name in INDEX if name in stacks}


def _read_row(names: tuple[str, ...], row: str) -> Iterator[tuple[str, Stack]]:
    cells = _CELL.findall(row)
    for name, cell in zip(names, cells, strict=False):
        if cell != ".":
            yield name, _read_cell(name, cell)
    if len(cells) != len(names):
        cell, lack = (
            (names[len(cells)], "missing") if len(cells) < len(names) else (names[-1], "the last one")
        )
        reason = f"row {names[0][1]} has {len(names)} cells, this has {len(cells)}: {cell} is {lack}"
        raise PositionError(cell, "row-length", reason)


def _read_cell(name: str, cell: str) -> Stack:
    letter, height, star = cell[0], cell[1:].rstrip("*"), cell.endswith("*")
    if letter not in "rwb":
        hint = " (lower case)" if letter in "RWB" else ""
        raise PositionError(name, "cell", f"a cell is '.', r, w or b{hint}, not {_short(letter)}")
    if letter == "r":
        if height or star:
            raise PositionError(
                name, "cell", "r is a lone red; a taller stack is named by its top: w or b, height, *"
            )
        return Stack(1, None, True)
    if height and (len(height) > 2 or height[0] == "0" or not 2 <= int(height) <= TALLEST):
        raise PositionError(name, "height", f"a height is 2 to 49 and left out when 1, not {_short(height)}")
    if star and not height:
        raise PositionError(name, "red-inside", "* means a red below the top, so the height is 2 or more")
    return Stack(int(height or 1), _SIDES[letter], star)


# There are few different stacks, and every request to a bot carries a whole board.
@cache
def _cell(stack: Stack | None) -> str:
    if stack is None:
        return "."
    if stack.top is None:
        return "r"
    return f"{stack.top.letter}{stack.height if stack.height > 1 else ''}{'*' if stack.has_red else ''}"


def _counted(parts: list[str], noun: str) -> str:
    return f"{len(parts)} {noun}{'' if len(parts) == 1 else 's'}"


def _short(text: str) -> str:
    return ascii(text if len(text) <= 12 else f"{text[:12]}...")
