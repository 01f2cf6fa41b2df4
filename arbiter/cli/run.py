"""``arbiter run``: play or resume a tournament described in a file."""

import argparse
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.cli.again import add_readmit, command_again, known, readmitted
from arbiter.cli.arguments import natural, positive
from arbiter.cli.errors import UsageError
from arbiter.cli.results import shown

if TYPE_CHECKING:
    from arbiter.store import League
    from arbiter.tournament.config import Tournament

NAME = "run"
HELP = "play or resume a tournament described in a YAML file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument("file", metavar="FILE.yaml", help="the tournament, see tournaments/quickstart.yaml")
    parser.add_argument(
        "--results", metavar="DIR", help="where results go (default: results/NAME beside the file)"
    )
    parser.add_argument(
        "--concurrency", type=positive, metavar="N", help="games at a time, instead of the file's"
    )
    parser.add_argument(
        "--seed", type=natural, metavar="N", help="the seed of all chance, instead of the file's"
    )
    parser.add_argument(
        "--new-version",
        action="append",
        default=[],
        metavar="BOT",
        help="let this bot, whose program changed since its last games, enter as a new one, or as the one it "
        "was when it had this program before (repeatable)",
    )
    add_readmit(
        parser,
        "; a Swiss system draws it again from the next round on, a knockout takes it back while no further "
        "round has been drawn",
    )
    parser.add_argument("--quiet", action="store_true", help="print the final table and the last line only")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="say who would play whom, what is left to play, and how long that may take",
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="format of the final table (default: text)"
    )
    parser.epilog = (
        "example: arbiter run tournaments/quickstart.yaml\n"
        "Ctrl-C stops in order; the same command again goes on where it stopped."
    )


def run(arguments: argparse.Namespace) -> int:
    """Play; 0 fine, 1 a bot could not start or was withdrawn or the machine lacked something, 2 a file that
    cannot be used, 130 stopped.
    """
    from arbiter.tournament.load import load_tournament
    from arbiter.tournament.problems import TournamentFileError

    try:
        tournament = load_tournament(Path(arguments.file))
    except TournamentFileError as error:
        raise UsageError(str(error)) from None
    if arguments.concurrency:
        tournament = replace(tournament, concurrency=arguments.concurrency)
    if arguments.dry_run:
        return _describe(tournament, arguments)
    return _play(tournament, arguments)


def _play(tournament: "Tournament", arguments: argparse.Namespace) -> int:
    from arbiter.cli.playing import Session, open_results, settle_plan

    directory = _directory(tournament, arguments)
    place = shown(directory)
    with open_results(directory) as league:
        return Session(
            settle_plan(tournament, arguments.seed, league),
            league,
            form=arguments.format,
            quiet=arguments.quiet,
            again=command_again(arguments),
            hint=f"results in {place}; see its games: arbiter show {place}; "
            f"game records: arbiter export {place} > games.drec",
            new_versions=known(arguments.new_version, tournament, "--new-version"),
            readmitted=readmitted(arguments.readmit, tournament, league),
        ).run()


def _directory(tournament: "Tournament", arguments: argparse.Namespace) -> Path:
    return Path(arguments.results) if arguments.results else tournament.results_dir


def _describe(tournament: "Tournament", arguments: argparse.Namespace) -> int:
    """Bots, pairings, games, and an honest guess at the time; where games are stored, what they leave.
    Refuses what the run itself would refuse, as far as that shows without starting a bot.
    """
    from arbiter.tournament.play import is_through
    from arbiter.tournament.prepare import foreseen
    from arbiter.tournament.withdrawals import withdrawn

    with _begun(_directory(tournament, arguments)) as league:
        away = withdrawn(league, back=[*arguments.readmit, *arguments.new_version]) if league else {}
        bots = [bot for bot in tournament.bots if bot.name not in away]
        missing = foreseen(bots)
        for line in _outlook(tournament, arguments, league, {each.bot.name for each in missing}):
            print(line)
        if league and not arguments.new_version and is_through(tournament, bots, league):
            return 0
    for each in missing:
        consequence = " is left out" if each.bot.optional else ""
        print(f"arbiter: {each.bot.name}{consequence}: {each.problem}", file=sys.stderr)
    if too_few := len(bots) - len(missing) + len(away) < 2:
        print("arbiter: fewer than two bots can play here", file=sys.stderr)
    return 1 if too_few or not all(each.bot.optional for each in missing) else 0


def _outlook(
    tournament: "Tournament",
    arguments: argparse.Namespace,
    league: "League | None",
    missing: Collection[str],
) -> Iterator[str]:
    from arbiter.cli.playing import foreseen_plan
    from arbiter.tournament.outlook import outlook
    from arbiter.tournament.play import changed_bots
    from arbiter.tournament.versions import ChangedProgramError

    plan = foreseen_plan(tournament, arguments.seed, league)
    new_versions = known(arguments.new_version, tournament, "--new-version")
    back = readmitted(arguments.readmit, tournament, league)
    left_out = {bot.name for bot in tournament.bots if bot.optional and bot.name in missing}
    if league is None:
        return outlook(plan.tournament, arguments.seed, left_out=left_out)
    try:
        changed = changed_bots(plan, league, new_versions)
    except ChangedProgramError as error:
        raise UsageError(str(error)) from None
    return outlook(plan.tournament, plan.seed, league, changed, back, new_versions, left_out)


@contextmanager
def _begun(directory: Path) -> "Iterator[League | None]":
    """The results in a directory, to be looked at; None where no game was played."""
    from arbiter.store import FILE_NAME, League, StoreError

    if not (directory / FILE_NAME).exists():
        yield None
        return
    try:
        with League.open_for_reading(directory) as league:
            yield league if league.has_games() else None
    except StoreError as error:
        raise UsageError(str(error), error.remedy) from None
