"""``arbiter match``: two bots against each other, without a file."""

import argparse
import shlex
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.cli.arguments import natural, positive
from arbiter.cli.errors import INTERRUPTED, UsageError
from arbiter.cli.results import shown
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import TimeControl
from protocol.errors import PositionError
from protocol.rules import Position, parse_dpos

if TYPE_CHECKING:
    from arbiter.tournament.openings import OpeningsSpec

NAME = "match"
HELP = "play two bots against each other"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "bots",
        nargs=2,
        metavar="BOT",
        help="a path, a quoted command, or sample:NAME; codecup: before it for a bot of that dialect",
    )
    parser.add_argument("--games", type=positive, default=2, metavar="N", help="how many games (default: 2)")
    parser.add_argument(
        "--time",
        default="5s",
        metavar="T",
        help='time control, such as "5s + 100ms" or "move 1s" (default: 5s)',
    )
    parser.add_argument("--seed", type=natural, metavar="N", help="the seed of all chance (default: drawn)")
    parser.add_argument(
        "--openings",
        default="empty",
        metavar="KIND",
        help="where games start: empty, random, balanced, symmetric, FILE or random:FILE (default: empty)",
    )
    parser.add_argument("--position", metavar="DPOS", help="the position from which every game starts")
    parser.add_argument(
        "--concurrency", type=positive, default=1, metavar="N", help="games at a time (default: 1)"
    )
    parser.add_argument(
        "--isolation",
        choices=("none", "limits", "jail", "auto"),
        default="none",
        help="what holds the bots back (default: none)",
    )
    parser.add_argument(
        "--results", metavar="DIR", help="where results go (default: a new directory in results/)"
    )
    parser.add_argument("--quiet", action="store_true", help="print the final table only")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="format of the final table (default: text)"
    )
    parser.epilog = (
        "examples:\n"
        "  arbiter match ./mybot sample:greedy --games 10\n"
        '  arbiter match "python3 mybot.py --depth 3" codecup:./oldbot --time "10s + 50ms"'
    )


def run(arguments: argparse.Namespace) -> int:
    """Play; exit status as for ``run``."""
    from arbiter.cli.playing import Session, open_results, settle_plan
    from arbiter.tournament.config import Tournament

    bots, time = _bots(arguments.bots), _time(arguments.time)
    start = _start(arguments.position, bots)
    openings = _openings(arguments.openings, arguments.position, bots)
    tournament = Tournament(
        name=f"{bots[0].name} - {bots[1].name}",
        path=Path.cwd() / "match",
        bots=tuple(bots),
        given=tuple({"run": text} for text in arguments.bots),
        rounds=-(-arguments.games // 2),
        time=time,
        openings=openings,
        concurrency=arguments.concurrency,
        isolation=arguments.isolation,
    )
    directory = Path(arguments.results) if arguments.results else _new_directory(tournament.slug)
    again = shlex.join(["arbiter", "match", *arguments.bots, *_options(arguments, directory)])
    with open_results(directory) as league:
        plan = settle_plan(tournament, arguments.seed, league, start)
        status = Session(
            plan, league, form=arguments.format, quiet=arguments.quiet, games=arguments.games, again=again
        ).run()
    if arguments.format == "text" and not arguments.quiet and status != INTERRUPTED and directory.exists():
        place = shown(directory)
        print(f"\nresults in {place}; see a game: arbiter show {place} --game 1")
    return status


def _bots(texts: list[str]) -> list[Bot]:
    from arbiter.tournament.bots import resolve_bots_on_command_line
    from arbiter.tournament.problems import ConfigurationError

    try:
        return resolve_bots_on_command_line(texts)
    except ConfigurationError as error:
        raise UsageError(str(error)) from None


def _time(text: str) -> TimeControl:
    from arbiter.tournament.durations import parse_time_control
    from arbiter.tournament.problems import ConfigurationError

    try:
        time = parse_time_control(text)
    except ConfigurationError as error:
        raise UsageError(
            f"--time: {error}", 'examples: --time 5s, --time "1m + 100ms", --time "move 1s"'
        ) from None
    if not time.is_timed:
        raise UsageError("--time none needs a limit of depth or nodes", "use a tournament file for that")
    return time


def _start(dpos: str | None, bots: list[Bot]) -> Position | None:
    if dpos is None:
        return None
    for bot in bots:
        if bot.dialect is Dialect.CODECUP:
            raise UsageError(
                f"--position: {bot.name} speaks the CodeCup dialect, which knows the empty board only"
            )
    try:
        position = parse_dpos(dpos)
    except PositionError as error:
        raise UsageError(f"--position: {error}") from None
    if position.is_over:
        raise UsageError("--position: the game is over there: neither side can move")
    return position


def _openings(text: str, position: str | None, bots: list[Bot]) -> "OpeningsSpec":
    from arbiter.tournament.openings import OpeningsError, parse_openings

    try:
        spec = parse_openings(text)
    except OpeningsError as error:
        raise UsageError(f"--openings: {error}") from None
    if spec.kind == "empty":
        return spec
    if position is not None:
        raise UsageError("--openings and --position both say where games start", "leave one of them out")
    for bot in bots:
        if bot.dialect is Dialect.CODECUP:
            raise UsageError(
                f"--openings {text}: {bot.name} speaks the CodeCup dialect, which knows the empty board only"
            )
    return spec


def _new_directory(slug: str) -> Path:
    """A fresh directory, named after the bots and the time."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    path, number = Path("results") / f"{slug}-{stamp}", 1
    while path.exists():
        number += 1
        path = Path("results") / f"{slug}-{stamp}-{number}"
    return path


def _options(arguments: argparse.Namespace, directory: Path) -> list[str]:
    """The options that go on with this match."""
    options = ["--games", str(arguments.games), "--time", arguments.time, "--results", str(directory)]
    if arguments.isolation != "none":
        options += ["--isolation", arguments.isolation]
    if arguments.position:
        options += ["--position", arguments.position]
    if arguments.openings != "empty":
        options += ["--openings", arguments.openings]
    return options
