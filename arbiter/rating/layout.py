"""Laying tables out as text and as Markdown, whatever the names in them look like."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence

LONGEST_NAME = 24
"""Columns of a terminal that a name may take."""

# Cells are laid out with a stand-in of the right width where a name holds characters that are not
# one column wide: tabulate alone would count characters. Both ranges are for private use.
_STAND_IN, _FILLER = 0xF0000, "\ue000"

_FORMULA = ("=", "+", "-", "@")

Rows = Sequence[Sequence[str]]
"""Cells by row; those of the columns ``names`` may be anything, such as the names of bots."""


def text_table(
    headers: Sequence[str],
    rows: Rows,
    align: Sequence[str],
    names: Collection[int],
    longest: int = LONGEST_NAME,
) -> str:
    """A heading, a rule, and the rows."""
    from tabulate import tabulate

    shown = _shortened({row[column] for row in rows for column in names}, longest)
    stand_ins = {name: _stand_in(short, number) for number, (name, short) in enumerate(shown.items())}
    cells = [_replaced(row, names, stand_ins.__getitem__) for row in rows]
    # The headings go in as a row: as headings they would each cost two columns more.
    text = tabulate([list(headers), *cells], tablefmt="plain", colalign=align, disable_numparse=True)
    head, *lines = (line.rstrip() for line in text.splitlines())
    body = "\n".join((head, "─" * max(map(len, (head, *lines))), *lines))
    for name, stand_in in stand_ins.items():
        body = body.replace(stand_in, shown[name])
    return body


def markdown_table(headers: Sequence[str], rows: Rows, align: Sequence[str], names: Collection[int]) -> str:
    """The same for Markdown."""
    from tabulate import tabulate

    cells = [_replaced(row, names, markdown_escaped) for row in rows]
    return tabulate(cells, headers, tablefmt="pipe", colalign=align, disable_numparse=True)


def _replaced(row: Sequence[str], columns: Collection[int], change: Callable[[str], str]) -> list[str]:
    return [change(cell) if column in columns else cell for column, cell in enumerate(row)]


def printable(text: str) -> str:
    """Control characters and the like as escapes, so that a name cannot break lines or colour them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def csv_cell(value: object) -> object:
    """A value as CSV holds it: texts in one line, and none that a spreadsheet would compute.

    A text that begins like a formula, such as the name ``=cmd()``, has the ``'`` before it by which
    spreadsheets themselves mark texts.
    """
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def markdown_escaped(text: str) -> str:
    r"""What Markdown would read as markup, behind a backslash; `_` inside a word is none."""
    return re.sub(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", printable(text))


def joined(blocks: Iterable[str]) -> str:
    """A blank line between blocks, none for empty ones."""
    return "\n\n".join(block for block in blocks if block) + "\n"


def signed(value: float, decimals: int = 0) -> str:
    """With a sign, and never a negative zero."""
    return f"{round(value, decimals) + 0.0:+.{decimals}f}"


def with_errors(values: Sequence[float | None], errors: Sequence[float | None], decimals: int) -> list[str]:
    """Signed values and half widths of their intervals, the ± below each other."""
    halves = ["" if error is None else f"{error:.{decimals}f}" for error in errors]
    width = max(map(len, halves), default=0)
    return [
        "-" if value is None else signed(value, decimals) + (f" ± {half:>{width}}" if half else "")
        for value, half in zip(values, halves, strict=True)
    ]


def _shortened(names: Iterable[str], longest: int) -> dict[str, str]:
    """By name what is printed: long ones without their middle, unless two would then look the same."""
    head = longest * 2 // 3
    tail = longest - head - 1
    whole = {name: printable(name) for name in names}
    short = {n: f"{w[:head]}…{w[-tail:]}" if len(w) > longest else w for n, w in whole.items()}
    return short if len(set(short.values())) == len(set(whole.values())) else whole


def _stand_in(name: str, number: int) -> str:
    """The name, or something tabulate measures rightly that stands for it until the layout is done."""
    if name.isascii():
        return name
    from rich.cells import cell_len

    return chr(_STAND_IN + number) + _FILLER * max(0, cell_len(name) - 1)
