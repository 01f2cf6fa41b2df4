"""A league table as text, Markdown, CSV or JSON. Numbers never depend on the locale."""

import csv
import io
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from arbiter.match.termination import FORFEITS
from arbiter.rating.table import Group, LeagueTable, Row

HEADERS = ("Rank", "Bot", "Games", "W", "D", "L", "Points", "Elo ± 95 %", "Margin", "CodeCup", "Forfeits")
_ALIGN = ("right", "left", *["right"] * 8, "left")

CSV_COLUMNS = (
    *("name", "rank", "games", "wins", "draws", "losses", "points", "elo", "elo_low", "elo_high"),
    *("mean_margin", "codecup_points"),
    *(f"forfeits_{kind}" for kind in FORFEITS),
    "group",
)

_LONGEST_NAME = 24  # columns of a terminal

# Cells are laid out with a stand-in of the right width where a name holds characters that are not
# one column wide: tabulate alone would count characters. Both ranges are for private use.
_WIDTH = 100
_STAND_IN, _FILLER = 0xF0000, "\ue000"


def as_text(table: LeagueTable, width: int = _WIDTH) -> str:
    """For a terminal, 80 to 100 columns with ordinary names; notes are wrapped at ``width``."""
    blocks = _title(table, "{}", _printable) + _groups(table, _text_group, "{}")
    notes = [textwrap.fill(_printable(note), width, subsequent_indent="  ") for note in table.notes]
    return _joined([*blocks, "\n".join(notes), "\n".join(map(_printable, _footer(table)))])


def as_markdown(table: LeagueTable) -> str:
    blocks = _title(table, "## {}", _markdown_escaped) + _groups(table, _markdown_group, "### {}")
    lines = (*table.notes, *_footer(table))
    return _joined([*blocks, "\n".join(f"- {_markdown_escaped(line)}" for line in lines)])


def as_csv(table: LeagueTable) -> str:
    """One header line and one line a bot; full precision, empty fields where there is no number."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for number, group in enumerate(table.groups, start=1):
        for row in group.rows:
            kinds = [row.forfeits.get(kind, 0) for kind in FORFEITS]
            numbers = [value for key, value in _row_json(row).items() if key not in ("name", "forfeits")]
            cells = (_printable(row.bot), *numbers, *kinds, number)
            writer.writerow(["" if cell is None else cell for cell in cells])
    return out.getvalue()


def as_json(table: LeagueTable) -> str:
    """The whole table in ASCII, which any terminal or pipe can carry; null where there is no number.

    ``bots`` in the table's order, group after group; ``groups`` their names.
    """
    facts = table.facts
    document = {
        "bots": [_row_json(row) for row in table.rows],
        "groups": [[row.bot for row in group.rows] for group in table.groups],
        "games": table.games,
        "draw_share": table.draw_share,
        "white_share": table.white_share,
        "first_move_elo": table.advantage,
        "anchor": None if table.anchor is None else {"name": table.anchor.bot, "elo": table.anchor.elo},
        "void": [{"number": number, "why": why} for number, why in table.void.items()],
        "withdrawn": [{"name": bot, "why": why} for bot, why in table.withdrawn.items()],
        "notes": list(table.notes),
        "title": facts.title,
        "seed": facts.seed,
        "time_control": facts.time_control,
        "versions": dict(facts.versions),
        "machine": facts.machine,
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "name": row.bot,
        "rank": row.rank,
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "points": row.points,
        "elo": row.elo,
        "elo_low": row.elo_low,
        "elo_high": row.elo_high,
        "mean_margin": row.mean_margin,
        "codecup_points": row.codecup_points,
        "forfeits": dict(row.forfeits),
    }


def _title(table: LeagueTable, heading: str, escape: Callable[[str], str]) -> list[str]:
    return [heading.format(escape(table.facts.title))] if table.facts.title else []


def _groups(table: LeagueTable, layout: Callable[[Group, bool], str], heading: str) -> list[str]:
    signed = table.anchor is None or table.anchor.elo == 0
    blocks = []
    for number, group in enumerate(table.groups, start=1):
        if len(table.groups) > 1:
            blocks.append(heading.format(f"Group {number}"))
        blocks.append(layout(group, signed) if group.rows else "No bots.")
    return blocks


def _joined(blocks: Iterable[str]) -> str:
    """A blank line between blocks, none for empty ones."""
    return "\n\n".join(block for block in blocks if block) + "\n"


def _footer(table: LeagueTable) -> list[str]:
    facts = table.facts
    lines = [_summary(table)]
    conditions = []
    if facts.seed is not None:
        conditions.append(f"seed {facts.seed}")
    if facts.time_control is not None:
        conditions.append(f"time {facts.time_control}")
    setting = [f"{program} {version}" for program, version in facts.versions.items()]
    if facts.machine:
        setting.append(facts.machine)
    return lines + [" · ".join(parts) for parts in (conditions, setting) if parts]


def _summary(table: LeagueTable) -> str:
    if table.draw_share is None or table.white_share is None:
        return "0 games"
    parts = [
        f"{table.games:,} game{'' if table.games == 1 else 's'}",
        f"draws {100 * table.draw_share:.1f} %",
        f"White scored {100 * table.white_share:.1f} %",
    ]
    if table.advantage is not None:
        parts.append(f"first move {_signed(table.advantage)} Elo")
    return " · ".join(parts)


def _text_group(group: Group, signed: bool) -> str:
    from tabulate import tabulate

    names = _shortened([_printable(row.bot) for row in group.rows])
    stand_ins = [_stand_in(name, number) for number, name in enumerate(names)]
    # The headings go in as a row: as headings they would each cost two columns more.
    cells = [list(HEADERS), *_all_cells(group.rows, stand_ins, signed)]
    text = tabulate(cells, tablefmt="plain", colalign=_ALIGN, disable_numparse=True)
    head, *lines = (line.rstrip() for line in text.splitlines())
    body = "\n".join((head, "─" * max(map(len, (head, *lines))), *lines))
    for name, stand_in in zip(names, stand_ins, strict=True):
        body = body.replace(stand_in, name)
    return body


def _markdown_group(group: Group, signed: bool) -> str:
    from tabulate import tabulate

    cells = _all_cells(group.rows, [_markdown_escaped(row.bot) for row in group.rows], signed)
    return tabulate(cells, HEADERS, tablefmt="pipe", colalign=_ALIGN, disable_numparse=True)


def _all_cells(rows: Sequence[Row], names: Iterable[str], signed: bool) -> list[list[str]]:
    elos = _elo_cells(rows, signed)
    return [_cells(row, name, elo) for row, name, elo in zip(rows, names, elos, strict=True)]


def _cells(row: Row, name: str, elo: str) -> list[str]:
    return [
        str(row.rank),
        name,
        str(row.games),
        str(row.wins),
        str(row.draws),
        str(row.losses),
        f"{row.points:.1f}",
        elo,
        "-" if row.mean_margin is None else _signed(row.mean_margin, 1),
        "-" if row.codecup_points is None else f"{row.codecup_points:.1f}",
        ", ".join(f"{kind} {count}" for kind, count in row.forfeits.items()),
    ]


def _elo_cells(rows: Sequence[Row], signed: bool) -> list[str]:
    """Ratings and half widths, the ± below each other."""
    errors = [
        "" if row.elo_low is None or row.elo_high is None else f"{(row.elo_high - row.elo_low) / 2:.0f}"
        for row in rows
    ]
    width = max(map(len, errors), default=0)
    cells = []
    for row, error in zip(rows, errors, strict=True):
        if row.elo is None:
            cells.append("-")
            continue
        elo = _signed(row.elo) if signed else f"{round(row.elo)}"
        cells.append(f"{elo} ± {error:>{width}}" if error else f"{elo} {'(anchor)':>{width + 2}}")
    return cells


def _signed(value: float, decimals: int = 0) -> str:
    """With a sign, and never a negative zero."""
    return f"{round(value, decimals) + 0.0:+.{decimals}f}"


def _printable(text: str) -> str:
    """Control characters and the like as escapes, so that a name cannot break lines or colour them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _markdown_escaped(text: str) -> str:
    r"""What Markdown would read as markup, behind a backslash; `_` inside a word is none."""
    return re.sub(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", _printable(text))


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
