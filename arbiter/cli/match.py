"""``arbiter match``: two bots against each other, without a file."""

import argparse
from pathlib import Path

from arbiter.cli.again import add_readmit, command_again, readmitted
from arbiter.cli.arguments import natural, positive
from arbiter.cli.errors import UsageError
from arbiter.cli.given import (
    BOT_HELP,
    OPENINGS_HELP,
    WRAP_HELP,
    bots_of,
    new_directory,
    openings_of,
    start_of,
    time_of,
    wrapped,
)
from arbiter.cli.results import shown

NAME = "match"
HELP = "play two bots against each other"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "bots",
        nargs=2,
        metavar="BOT",
        help=BOT_HELP,
    )
    parser.add_argument(
        "--games", type=positive, metavar="N", help="how many games (default: 2, or 1 with --wrap)"
    )
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
        help=f"{OPENINGS_HELP} (default: empty)",
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
    add_readmit(parser)
    _add_debugging(parser)
    parser.add_argument("--quiet", action="store_true", help="print the final table and the last line only")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="format of the final table (default: text)"
    )
    parser.epilog = (
        "examples:\n"
        "  arbiter match ./mybot sample:greedy --games 10\n"
        '  arbiter match "python3 mybot.py --depth 3" codecup:./oldbot --time "10s + 50ms"\n'
        "  arbiter match ./mybot sample:random --wrap valgrind\n"
        "  arbiter match ./mybot sample:random --wrap gdb"
    )


def _add_debugging(parser: argparse.ArgumentParser) -> None:
    """What shows a bot at work."""
    parser.add_argument(
        "--trace", action="store_true", help="show what is said to and by both bots as it is said, with times"
    )
    parser.add_argument(
        "--log", metavar="DIR", help="write what is said in each game to DIR/game-N.log, while it is played"
    )
    parser.add_argument("--wrap", metavar="COMMAND", help=WRAP_HELP.format(bot="the first BOT"))
    parser.add_argument(
        "--keep-clock",
        action="store_true",
        help="with --wrap: let the wrapped bot lose on time all the same (default: its clock stands still)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Play; exit status as for ``run``."""
    from arbiter.cli.dialogues import log_of, trace_of
    from arbiter.cli.playing import Session, open_results, settle_plan
    from arbiter.tournament.config import Tournament

    bots = bots_of(arguments.bots)
    if arguments.position is not None and arguments.openings != "empty":
        raise UsageError("--openings and --position both say where games start", "leave one of them out")
    start = start_of(arguments.position, bots)
    time = time_of(arguments.time)
    games = arguments.games or (2 if arguments.wrap is None else 1)
    if arguments.wrap is not None:
        bots[0] = wrapped(bots[0], arguments.wrap, time, keep_clock=arguments.keep_clock)
    tournament = Tournament(
        name=f"{bots[0].name} - {bots[1].name}",
        path=Path.cwd() / "match",
        bots=tuple(bots),
        given=tuple({"run": text} for text in arguments.bots),
        rounds=-(-games // 2),
        time=time,
        openings=openings_of(arguments.openings, bots),
        concurrency=arguments.concurrency,
        isolation=arguments.isolation,
    )
    directory = Path(arguments.results) if arguments.results else new_directory(tournament.slug)
    place = shown(directory)
    log = log_of(arguments.log)
    with open_results(directory) as league:
        return Session(
            settle_plan(tournament, arguments.seed, league, start),
            league,
            form=arguments.format,
            quiet=arguments.quiet,
            games=games,
            again=command_again(arguments, directory),
            hint=f"results in {place}; see a game: arbiter show {place} --game 1",
            readmitted=readmitted(arguments.readmit, tournament, league),
            trace=trace_of(arguments, bots),
            log=log,
        ).run()
