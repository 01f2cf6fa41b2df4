"""A league table as text, Markdown, CSV or JSON. Numbers never depend on the locale."""

import csv
import io
import json
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from arbiter.match.termination import FORFEITS
from arbiter.rating.clock_use import ClockSums
from arbiter.rating.layout import (
    csv_cell,
    joined,
    markdown_escaped,
    markdown_table,
    printable,
    signed,
    text_table,
    with_errors,
)
from arbiter.rating.sprt import SprtProgress
from arbiter.rating.table import Group, LeagueTable, Row

HEADERS = ("Rank", "Bot", "Games", "W", "D", "L", "Points", "Elo ± 95 %", "Margin ±", "CodeCup", "Forfeits")
_ALIGN = ("right", "left", *["right"] * 8, "left")

CLOCK_HEADERS = ("Clock", "Plies", "Mean ms", "Worst ms", "Worst grace ms", "Idle CPU ms a game", "Waited %")
_CLOCK_ALIGN = ("left", *["right"] * 6)

Layout = Callable[[Sequence[str], Sequence[Sequence[str]], Sequence[str], Collection[int]], str]
"""Headings, rows, alignment, and the columns that have names."""

CSV_COLUMNS = (
    *("name", "rank", "games", "wins", "draws", "losses", "points", "bye_points"),
    *("elo", "elo_low", "elo_high"),
    *("mean_margin", "margin_error", "codecup_points"),
    *(f"forfeits_{kind}" for kind in FORFEITS),
    *("clock_plies", "clock_mean_ms", "clock_worst_ms", "clock_worst_grace_ms", "clock_idle_cpu_ms"),
    *("clock_waited_share", "group"),
)

_WIDTH = 100


def as_text(table: LeagueTable, width: int = _WIDTH) -> str:
    """For a terminal, 80 to 100 columns with ordinary names; notes are wrapped at ``width``."""
    blocks = _title(table, "{}", printable) + _groups(table, text_table, "{}") + _clock(table, text_table)
    notes = [textwrap.fill(printable(note), width, subsequent_indent="  ") for note in table.notes]
    return joined([*blocks, "\n".join(notes), "\n".join(map(printable, _footer(table)))])


def as_markdown(table: LeagueTable) -> str:
    blocks = _title(table, "## {}", markdown_escaped) + _groups(table, markdown_table, "### {}")
    blocks += _clock(table, markdown_table)
    lines = (*table.notes, *_footer(table))
    return joined([*blocks, "\n".join(f"- {markdown_escaped(line)}" for line in lines)])


def as_csv(table: LeagueTable) -> str:
    """One header line and one line a bot; full precision, empty fields where there is no number."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for number, group in enumerate(table.groups, start=1):
        for row in group.rows:
            kinds = [row.forfeits.get(kind, 0) for kind in FORFEITS]
            numbers = [v for key, v in _row_json(row).items() if key not in ("name", "forfeits", "clock")]
            clock = _clock_json(row.clock) or dict.fromkeys(range(6))
            cells = (row.bot, *numbers, *kinds, *clock.values(), number)
            writer.writerow(map(csv_cell, cells))
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
        "withdrawn": named(table.withdrawn),
        "readmitted": [each.as_json() for each in table.readmitted],
        "retired": named(table.retired),
        "annulled": [asdict(each) for each in table.annulled],
        "test": None if table.test is None else _test_json(table.test),
        "ties": list(table.ties),
        "arbiter_lag_ms": table.lag_ms,
        "notes": list(table.notes),
        "title": facts.title,
        "seed": facts.seed,
        "time_control": facts.time_control,
        "versions": dict(facts.versions),
        "machine": facts.machine,
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def named(reasons: Mapping[str, str]) -> list[dict[str, str]]:
    """Bots with the reason for something."""
    return [{"name": bot, "why": why} for bot, why in reasons.items()]


def _test_json(test: SprtProgress) -> dict[str, Any]:
    low, high = test.test.bounds
    return {
        **asdict(test.test),
        "ending": test.ending,
        "llr": test.llr,
        "llr_low": low,
        "llr_high": high,
        "pairs": test.pairs,
        "counts": list(test.counts),
        "forfeits": test.forfeits,
        "played_counts": list(test.played),
        "played_llr": test.played_llr,
        "played_ending": test.played_ending,
    }


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "name": row.bot,
        "rank": row.rank,
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "points": row.points,
        "bye_points": row.bye_points,
        "elo": row.elo,
        "elo_low": row.elo_low,
        "elo_high": row.elo_high,
        "mean_margin": row.mean_margin,
        "margin_error": row.margin_error,
        "codecup_points": row.codecup_points,
        "forfeits": dict(row.forfeits),
        "clock": _clock_json(row.clock),
    }


def _clock_json(use: ClockSums | None) -> dict[Any, Any] | None:
    if use is None:
        return None
    return {
        "plies": use.plies,
        "mean_ms": use.mean_ms,
        "worst_ms": use.worst_ms,
        "worst_grace_ms": use.worst_grace_ms,
        "idle_cpu_ms": use.idle_ms_a_game,
        "waited_share": use.waited_share,
    }


def _title(table: LeagueTable, heading: str, escape: Callable[[str], str]) -> list[str]:
    return [heading.format(escape(table.facts.title))] if table.facts.title else []


def _groups(table: LeagueTable, layout: Layout, heading: str) -> list[str]:
    plus = table.anchor is None or table.anchor.elo == 0
    blocks = []
    for number, group in enumerate(table.groups, start=1):
        if len(table.groups) > 1:
            blocks.append(heading.format(f"Group {number}"))
        blocks.append(layout(HEADERS, _all_cells(group, plus), _ALIGN, (1,)) if group.rows else "No bots.")
    return blocks


def _clock(table: LeagueTable, layout: Layout) -> list[str]:
    """How the bots used their clocks, where that is known; and what they waited, where that is."""
    uses = {row.bot: row.clock for row in table.rows if row.clock is not None}
    columns = len(CLOCK_HEADERS) - all(use.waited_share is None for use in uses.values())
    rows = [_clock_cells(bot, use)[:columns] for bot, use in uses.items()]
    return [layout(CLOCK_HEADERS[:columns], rows, _CLOCK_ALIGN[:columns], (0,))] if rows else []


def _clock_cells(bot: str, use: ClockSums) -> list[str]:
    return [
        bot,
        f"{use.plies:,}",
        f"{use.mean_ms:.1f}",
        f"{use.worst_ms:.0f}",
        f"{use.worst_grace_ms:.0f}",
        f"{use.idle_ms_a_game:.0f}",
        "" if use.waited_share is None else f"{100 * use.waited_share:.1f}",
    ]


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
    if table.lag_ms is not None:
        parts.append(f"the arbiter was late by {table.lag_ms:.0f} ms at most")
    if table.advantage is not None:
        parts.insert(3, f"first move {signed(table.advantage)} Elo")
    return " · ".join(parts)


def _all_cells(group: Group, plus: bool) -> list[list[str]]:
    elos = _elo_cells(group.rows, plus)
    margins = with_errors(
        [row.mean_margin for row in group.rows], [row.margin_error for row in group.rows], 1
    )
    return [_cells(*each) for each in zip(group.rows, elos, margins, strict=True)]


def _cells(row: Row, elo: str, margin: str) -> list[str]:
    return [
        str(row.rank),
        row.bot,
        str(row.games),
        str(row.wins),
        str(row.draws),
        str(row.losses),
        f"{row.points:.1f}",
        elo,
        margin,
        "-" if row.codecup_points is None else f"{row.codecup_points:.1f}",
        ", ".join(f"{kind} {count}" for kind, count in row.forfeits.items()),
    ]


def _elo_cells(rows: Sequence[Row], plus: bool) -> list[str]:
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
        elo = signed(row.elo) if plus else f"{round(row.elo)}"
        cells.append(f"{elo} ± {error:>{width}}" if error else f"{elo} {'(anchor)':>{width + 2}}")
    return cells
