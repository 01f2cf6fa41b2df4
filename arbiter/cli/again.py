"""Going on with what was begun: the command that does it, and bots that come back."""

import argparse
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.cli.errors import UsageError

if TYPE_CHECKING:
    from arbiter.store import League
    from arbiter.tournament.config import Tournament


def add_readmit(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Declare ``--readmit``; ``more`` is what else it means to this command."""
    parser.add_argument(
        "--readmit",
        action="append",
        default=[],
        metavar="BOT",
        help="let this bot, which was withdrawn, play again, without regard to what it failed so far: it "
        f"plays what it missed{more} (repeatable)",
    )


def command_again(arguments: argparse.Namespace, results: Path | None = None) -> str:
    """The command that goes on; who is readmitted once is not for ever. ``results`` is the directory where it
    would not be found without being named.
    """
    words = ["arbiter", *_without_readmit(arguments.words)]
    if results is not None and not arguments.results:
        words += ["--results", str(results)]
    return shlex.join(words)


def _without_readmit(given: Sequence[str]) -> Iterator[str]:
    words = iter(given)
    for word in words:
        if word == "--readmit":
            next(words, None)
        elif not word.startswith("--readmit="):
            yield word


def readmitted(names: list[str], tournament: "Tournament", league: "League | None") -> list[str]:
    """The bots of ``--readmit``.

    Raises:
        UsageError: when one of them cannot come back.
    """
    from arbiter.tournament.withdrawals import ReadmissionError, require_readmissible

    try:
        require_readmissible(known(names, tournament, "--readmit"), tournament, league)
    except ReadmissionError as error:
        raise UsageError(f"--readmit: {error}") from None
    return names


def known(names: list[str], tournament: "Tournament", option: str) -> list[str]:
    """The bots that an option names.

    Raises:
        UsageError: when the tournament has no bot of one of these names.
    """
    bots = [bot.name for bot in tournament.bots]
    for name in names:
        if name not in bots:
            raise UsageError(f"{option}: no bot is named {name}", f"bots: {', '.join(bots)}")
    return names
