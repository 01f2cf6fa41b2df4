"""``arbiter ab``: is the new version of a bot better than the old one? Plays until it is known."""

import argparse
from collections.abc import Iterator
from itertools import count
from math import ceil, nan
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.cli.again import add_readmit, command_again, readmitted
from arbiter.cli.arguments import natural, positive
from arbiter.cli.errors import UsageError
from arbiter.cli.given import (
    BOT_HELP,
    OPENINGS_HELP,
    bots_of,
    new_directory,
    openings_of,
    time_of,
    told_apart,
)
from arbiter.cli.results import shown
from arbiter.match.bot import Bot, Dialect

if TYPE_CHECKING:
    from arbiter.rating.sprt import Sprt
    from arbiter.tournament.config import Tournament

_WEEK = 7 * 24 * 3600
"""Seconds; no longer budget can be given."""

NAME = "ab"
HELP = "find out by a sequential test whether a new version is better than an old one"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument("new", metavar="NEW", help=f"the new version: {BOT_HELP}")
    parser.add_argument("old", metavar="OLD", help="the old version, given in the same way")
    parser.add_argument(
        "--elo",
        nargs=2,
        type=_elo,
        default=(0.0, 50.0),
        metavar=("LO", "HI"),
        help="NEW is better by HI Elo, or only by LO: which is it? (default: 0 50)",
    )
    parser.add_argument(
        "--budget", metavar="T", help="stop after this time, such as 20m, even if it is not decided"
    )
    parser.add_argument(
        "--time", default="1s + 10ms", metavar="T", help='time control (default: "1s + 10ms")'
    )
    parser.add_argument(
        "--openings",
        metavar="KIND",
        help=f"{OPENINGS_HELP} (default: balanced, and empty for a CodeCup bot)",
    )
    parser.add_argument("--seed", type=natural, metavar="N", help="the seed of all chance (default: drawn)")
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
    parser.add_argument("--quiet", action="store_true", help="print the end only")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="format of the final table (default: text)"
    )
    parser.epilog = (
        'example: arbiter ab ./mybot "git-old/mybot" --budget 20m\n'
        "The last line is for scripts: `result test=H1` when NEW is better, `test=H0` when it is not,\n"
        "`test=continue` when the time was not enough."
    )


def run(arguments: argparse.Namespace) -> int:
    """Play; exit status as for ``run``, whatever the test says."""
    from arbiter.cli.playing import Session, open_results, settle_plan

    tournament = _tournament(arguments)
    budget = _budget(arguments.budget)
    directory = Path(arguments.results) if arguments.results else new_directory(tournament.slug)
    with open_results(directory) as league:
        plan = settle_plan(tournament, arguments.seed, league)
        session = Session(
            plan,
            league,
            form=arguments.format,
            quiet=arguments.quiet,
            again=command_again(arguments, directory),
            hint=f"results in {shown(directory)}",
            readmitted=readmitted(arguments.readmit, tournament, league),
            budget=budget,
        )
        for line in _forecast(plan.tournament, budget):
            session.say(line)
        return session.run()


def _tournament(arguments: argparse.Namespace) -> "Tournament":
    from arbiter.tournament.config import SprtSettings, Tournament

    texts = [arguments.new, arguments.old]
    bots = told_apart(bots_of(texts))
    return Tournament(
        name=f"{bots[0].name} - {bots[1].name}",
        path=Path.cwd() / "ab",
        bots=tuple(bots),
        given=tuple({"run": text} for text in texts),
        format="sprt",
        sprt=SprtSettings(_test(*arguments.elo)),
        time=time_of(arguments.time),
        openings=openings_of(arguments.openings or _usual_openings(bots), bots),
        concurrency=arguments.concurrency,
        isolation=arguments.isolation,
    )


def _test(low: float, high: float) -> "Sprt":
    from arbiter.rating.sprt import Sprt

    if low >= high:
        raise UsageError(f"--elo {low:g} {high:g}: the first has to be the smaller", "example: --elo 0 20")
    return Sprt(low, high)


def _elo(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not abs(value) < 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a difference in Elo")
    return value


def _usual_openings(bots: list[Bot]) -> str:
    """Balanced boards tell most in few games; who can only start from the empty board does so."""
    return "empty" if any(bot.dialect is Dialect.CODECUP for bot in bots) else "balanced"


def _budget(text: str | None) -> float | None:
    """The seconds of ``--budget``."""
    from arbiter.tournament.durations import parse_positive_duration
    from arbiter.tournament.problems import ConfigurationError

    if text is None:
        return None
    try:
        return parse_positive_duration(text) / 1000
    except (ConfigurationError, ValueError) as error:
        raise UsageError(f"--budget: {error}", "example: --budget 20m") from None


def _forecast(tournament: "Tournament", budget: float | None) -> Iterator[str]:
    """What the test is about, how long it may take, and what the budget is good for."""
    from arbiter.tournament.outlook import longest_pair

    test = tournament.sprt.test
    new, old = (bot.name for bot in tournament.bots)
    middle = (test.elo0 + test.elo1) / 2
    yield f"the test: is {new} better than {old} by {test.elo1:g} Elo, or only by {test.elo0:g}?"
    sure, between = (round(test.expected_pairs(elo)) for elo in (test.elo1, middle))
    yield f"about {sure:,} pairs when one of the two is true, {between:,} in the middle"
    seconds = longest_pair(tournament)
    if budget is not None and seconds is not None:
        yield f"the budget is enough for {_use_of(budget, seconds, sure)}"


def _use_of(budget: float, seconds: float, pairs: int) -> str:
    """What can be told within the budget by pairs that take so many seconds; the test takes so many."""
    from arbiter.rating.sprt import detectable_elo

    played = int(budget / seconds)
    counted = f"{played:,} pair{'' if played == 1 else 's'}" if played else "no pair"
    used_up = f"{counted} in which every clock is used up"
    least = detectable_elo(played)
    if least is not None:
        return f"{used_up}, to tell a difference of {least:.0f} Elo"
    fewest = next(number for number in count(1) if detectable_elo(number))
    return f"{used_up}, too little to tell anything: {_needed(max(pairs, fewest) * seconds)}"


def _needed(seconds: float) -> str:
    """The budget that a test takes, as one would give it, or what else would help."""
    if seconds > _WEEK:
        return "the test takes more than a week; a shorter --time or a larger HI of --elo takes less"
    minutes = ceil(seconds / 60)
    budget = f"{minutes}m" if minutes < 180 else f"{ceil(minutes / 60)}h"
    return f"the test takes about --budget {budget}, less with a shorter --time"
