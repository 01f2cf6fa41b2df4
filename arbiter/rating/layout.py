"""Laying tables out as text and as Markdown, whatever the names in them look like."""

import re
from collections.abc import Sequence

_LONGEST_NAME = 24  # columns of a terminal

# Cells are laid out with a stand-in of the right width where a name holds characters that are not
# one column wide: tabulate alone would count characters. Both ranges are for private use.
_STAND_IN, _FILLER = 0xF0000, "\ue000"

Rows = Sequence[Sequence[str]]
"""Cells by row; the names of bots are in the column ``names``."""


def text_table(headers: Sequence[str], rows: Rows, align: Sequence[str], names: int) -> str:
    """A heading, a rule, and the rows; the cells of column ``names`` may be anything."""
    from tabulate import tabulate

    shown = _shortened([printable(row[names]) for row in rows])
    stand_ins = [_stand_in(name, number) for number, name in enumerate(shown)]
    cells = [
        [*row[:names], stand_in, *row[names + 1 :]] for row, stand_in in zip(rows, stand_ins, strict=True)
    ]
    # The headings go in as a row: as headings they would each cost two columns more.
    text = tabulate([list(headers), *cells], tablefmt="plain", colalign=align, disable_numparse=True)
    head, *lines = (line.rstrip() for line in text.splitlines())
    body = "\n".join((head, "─" * max(map(len, (head, *lines))), *lines))
    for name, stand_in in zip(shown, stand_ins, strict=True):
        body = body.replace(stand_in, name)
    return body


def markdown_table(headers: Sequence[str], rows: Rows, align: Sequence[str], names: int) -> str:
    """The same for Markdown."""
    from tabulate import tabulate

    cells = [[*row[:names], markdown_escaped(row[names]), *row[names + 1 :]] for row in rows]
    return tabulate(cells, headers, tablefmt="pipe", colalign=align, disable_numparse=True)


def printable(text: str) -> str:
    """Control characters and the like as escapes, so that a name cannot break lines or colour them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def markdown_escaped(text: str) -> str:
    r"""What Markdown would read as markup, behind a backslash; `_` inside a word is none."""
    return re.sub(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", printable(text))


def _shortened(names: Sequence[str]) -> list[str]:
    """Long names without their middle, unless two would then look the same."""
    head = _LONGEST_NAME * 2 // 3
    tail = _LONGEST_NAME - head - 1
    short = [f"{n[:head]}…{n[-tail:]}" if len(n) > _LONGEST_NAME else n for n in names]
    return short if len(set(short)) == len(set(names)) else list(names)


def _stand_in(name: str, number: int) -> str:
    """The name, or something tabulate measures rightly that stands for it until the layout is done."""
    if name.isascii():
        return name
    from rich.cells import cell_len

    return chr(_STAND_IN + number) + _FILLER * max(0, cell_len(name) - 1)
