"""The hexagonal board as text.

Row 5 is on top, as on paper. A line of the drawing holds one row of spaces; the slanted strokes between two
lines lead to the neighbours above and below. A column letter stands at the lower right end of its column.
"""

from dataclasses import dataclass

from protocol.rules import SPACES, Ply, Position, Side, Stack

COLUMNS = "ABCDEFGHIJK"

_STEP = 6
"""Characters from one space of a row to the next; the neighbouring rows are shifted by half of it."""

_MARGIN = 4
_LINES = 11
"""Five rows, the strokes below each of them, and the line of the column letters."""

_RESET, _DIM, _RED = "\x1b[0m", "\x1b[2m", "\x1b[1;31m"

_CHIPS = {
    Side.WHITE: "\x1b[1;38;5;16;48;5;230m",
    Side.BLACK: "\x1b[1;38;5;231;48;5;238m",
    None: "\x1b[1;38;5;231;48;5;160m",
}
"""Stacks have a background of their own, and so look the same on dark and on light terminals."""

_RED_INSIDE = {Side.WHITE: "\x1b[38;5;160m", Side.BLACK: "\x1b[38;5;210m"}


@dataclass(frozen=True, slots=True)
class Look:
    """What the terminal can show; with neither the drawing is plain ASCII."""

    colour: bool = False
    unicode: bool = False

    def paint(self, style: str, text: str) -> str:
        """The text in a colour, where there are colours."""
        return f"{style}{text}{_RESET}" if self.colour else text


PLAIN = Look()


def draw_board(
    position: Position, look: Look = PLAIN, *, ply: Ply | None = None, before: Position | None = None
) -> str:
    """Draw a position; no line end after the last line.

    A stack is the side on top, its height, and ``*`` when it holds a red: ``W4*``, ``B1``; a lone red
    is ``R``. ``ply`` is the one just played: its spaces stand in brackets. ``before`` is the position
    it was played in: what left the board by it shows as ``x``.
    """
    canvas = _Canvas(look)
    gone = removed_stacks(before, ply, position) if before and ply else {}
    touched = (ply.source, ply.target) if ply else ()
    stacks = position.stacks()
    for row in range(1, 6):
        canvas.put(_line(row), 1, str(row), _DIM)
    for space in SPACES:
        canvas.cell(space, stacks.get(space), gone=space in gone, marked=space in touched)
        canvas.strokes(space)
    for letter in COLUMNS:
        lowest = next(row for row in range(1, 6) if f"{letter}{row}" in SPACES)
        canvas.put(_line(lowest - 1), _start(letter, lowest - 1) + 1, letter, _DIM)
    return canvas.text()


def removed_stacks(before: Position, ply: Ply, after: Position) -> dict[str, Stack]:
    """The stacks that lost their connection by a ply, by space; a moved one with what it fell on."""
    if ply.source is None or ply.target is None:
        return {}
    old, new = before.stacks(), after.stacks()
    moved, below = old.pop(ply.source), old[ply.target]
    old[ply.target] = Stack(moved.height + below.height, moved.top, moved.has_red or below.has_red)
    return {space: stack for space, stack in old.items() if space not in new}


def stack_text(stack: Stack) -> str:
    """A stack in short: ``W4*``, ``B1``, ``R``."""
    if stack.top is None:
        return "R"
    return f"{stack.top.letter.upper()}{stack.height}{'*' if stack.has_red else ''}"


def board_key(look: Look = PLAIN, *, marked: bool = False, gone: bool = False) -> str:
    """One line that explains the drawing, with the marks of a last ply and of removals if asked for."""
    example = _paint_stack(" W4* ", Stack(4, Side.WHITE, True), look)
    red = _paint_stack(" R ", Stack(1, None, True), look)
    parts = [f"{example} white on top, height 4, * a red inside", f"{red} a lone red"]
    parts += ["[ ] last ply"] if marked else []
    parts += [f"{look.paint(_RED, 'x')} removed by it"] if gone else []
    return "   ".join(parts)


def _line(row: int) -> int:
    return 2 * (5 - row)


def _start(letter: str, row: int) -> int:
    """Where the five characters of a space begin."""
    return _MARGIN + _STEP * COLUMNS.index(letter) - _STEP // 2 * (row - 3)


def _paint_stack(text: str, stack: Stack, look: Look) -> str:
    """A stack on its background, the star in red."""
    chip = _CHIPS[stack.top]
    if look.colour and stack.top is not None:
        text = text.replace("*", f"{_RED_INSIDE[stack.top]}*{chip}")
    return look.paint(chip, text)


class _Canvas:
    """Pieces of text put at lines and columns."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.lines: list[dict[int, tuple[int, str]]] = [{} for _ in range(_LINES)]

    def put(self, line: int, column: int, text: str, style: str) -> None:
        self.lines[line][column] = (len(text), self.look.paint(style, text))

    def cell(self, space: str, stack: Stack | None, *, gone: bool, marked: bool) -> None:
        """A space: a mark or blank, what stands there, a mark or blank."""
        line, column = _line(int(space[1])), _start(space[0], int(space[1]))
        opening, closing = "[]" if marked else "  "
        if stack is None:
            dot = "x" if gone else "·" if self.look.unicode else "."
            style = _RED if gone else _DIM
            if marked:
                self.put(line, column, f"{opening}{dot}{closing}", style)
            else:
                self.put(line, column + 1, dot, style)
            return
        text = f"{opening}{stack_text(stack)}{closing}"
        self.lines[line][column] = (len(text), _paint_stack(text, stack, self.look))

    def strokes(self, space: str) -> None:
        """The strokes to the neighbours below, and to the column letter."""
        letter, row = space[0], int(space[1])
        line, column = _line(row) + 1, _start(letter, row)
        if letter != "A" and f"{COLUMNS[COLUMNS.index(letter) - 1]}{row - 1}" in SPACES:
            self.put(line, column, "/", _DIM)
        self.put(line, column + 3, "\\", _DIM)

    def text(self) -> str:
        return "\n".join(map(_joined, self.lines))


def _joined(pieces: dict[int, tuple[int, str]]) -> str:
    line, width = "", 0
    for column in sorted(pieces):
        length, text = pieces[column]
        line += " " * (column - width) + text
        width = column + length
    return line.rstrip()
