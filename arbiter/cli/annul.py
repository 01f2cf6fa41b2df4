"""``arbiter annul``: the organiser takes a game out of the tables, on the record."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from arbiter.cli.arguments import positive
from arbiter.cli.errors import UsageError
from arbiter.cli.results import reading, shown

NAME = "annul"
HELP = "take a game out of all tables, on the record, or have it played again"

_LONGEST_REASON = 200
"""Characters."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument("directory", metavar="DIR", help="results directory")
    parser.add_argument(
        "--game", type=positive, required=True, metavar="N", help="the game's number in the schedule"
    )
    parser.add_argument(
        "--why", required=True, metavar="TEXT", help="the reason, shown below every table of these results"
    )
    parser.add_argument(
        "--replay", action="store_true", help="have the game played again when the tournament goes on"
    )
    parser.epilog = (
        'example: arbiter annul results/spring-league --game 17 --why "power cut" --replay\n'
        "The game stays in exports, marked; rounds that were drawn by its result stay as they are. Only in\n"
        "the last round of a knockout a tie is decided anew: what is said then tells how."
    )


def run(arguments: argparse.Namespace) -> int:
    """Note it in the results."""
    from arbiter.cli.playing import open_results
    from arbiter.tournament.aftermath import aftermath

    why = " ".join(arguments.why.split())
    if not why:
        raise UsageError("--why is empty", "say in a few words why the game does not count")
    if len(why) > _LONGEST_REASON:
        raise UsageError(
            f"--why has {len(why):,} characters; it stands below every table",
            f"say it in at most {_LONGEST_REASON} characters",
        )
    directory = Path(arguments.directory)
    with reading([arguments.directory]):
        pass  # only to know that there are results, for opening them to write would make some
    with open_results(directory) as league:
        game = league.annul(
            arguments.game,
            why,
            datetime.now(UTC).astimezone().isoformat(timespec="seconds"),
            replay=arguments.replay,
        )
        replay, *more = aftermath(league, game)
    print(f"game {arguments.game}, {game['white']} - {game['black']} {game['result']}, is annulled; {replay}")
    for line in more:
        print(f"  {line}")
    print(f"see `arbiter table {shown(directory)}`")
    return 0
