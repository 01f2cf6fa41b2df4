"""``arbiter table``: the league table from what is stored, or another view of the same games, also
while a run goes on.
"""

import argparse
import io
import shutil
import sys
from typing import TYPE_CHECKING

from arbiter.cli.errors import UsageError
from arbiter.cli.results import reading

if TYPE_CHECKING:
    from arbiter.rating.sheet import Sheet
    from arbiter.rating.table import LeagueTable

NAME = "table"
HELP = "print the league table of a results directory, or who did what against whom"
FORMATS = ("text", "md", "csv", "json")
VIEWS = ("pairing", "colour", "opening", "ending", "clock")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "directories", nargs="+", metavar="DIR", help="results directory; several make one table"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print it (default: text)")
    views = parser.add_mutually_exclusive_group()
    views.add_argument(
        "--crosstable", action="store_true", help="instead: points of every bot against every other"
    )
    views.add_argument(
        "--by",
        choices=VIEWS,
        help="instead: results by pairing (with Elo), colour or opening, how games ended, or clock use",
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="BOT", help="only games among these bots (repeatable)"
    )
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="BOT",
        help="leave this bot's games out (repeatable)",
    )
    parser.epilog = (
        "example: arbiter table results/spring-league --format md > table.md\n"
        "What each key of the JSON means: `arbiter schema table`, `arbiter schema pairing` and so on."
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the table."""
    from arbiter.tournament.roster import Roster
    from arbiter.tournament.standings import league_page, league_table

    if arguments.format in ("md", "csv") and isinstance(sys.stdout, io.TextIOWrapper):
        # A file format does not depend on who writes it where.
        sys.stdout.reconfigure(encoding="utf-8")
    with reading(arguments.directories) as leagues:
        known = Roster(leagues).known
        for name in (*arguments.only, *arguments.exclude):
            if name not in known:
                raise UsageError(f"no bot is named {name} there", f"bots: {', '.join(sorted(known))}")
        chosen = arguments.only, arguments.exclude
        if arguments.crosstable or arguments.by:
            text = _render_page(league_page(leagues, arguments.by or "crosstable", *chosen), arguments.format)
        else:
            text = render(league_table(leagues, *chosen), arguments.format)
    sys.stdout.write(text)
    return 0


def render(table: "LeagueTable", form: str) -> str:
    """A league table in one of ``FORMATS``."""
    from arbiter.rating.render import as_csv, as_json, as_markdown, as_text

    if form == "text":
        return as_text(table, _width())
    return {"md": as_markdown, "csv": as_csv, "json": as_json}[form](table)


def _render_page(sheet: "Sheet", form: str) -> str:
    if form == "text":
        return sheet.as_text(_width())
    return {"md": sheet.as_markdown, "csv": sheet.as_csv, "json": sheet.as_json}[form]()


def _width() -> int:
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 100
