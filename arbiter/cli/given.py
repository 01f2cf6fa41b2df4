"""What commands about two bots are given on the command line, read and checked."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.cli.errors import UsageError
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import ClockKind, TimeControl
from protocol.errors import PositionError
from protocol.rules import Position, parse_dpos

if TYPE_CHECKING:
    from arbiter.tournament.openings import OpeningsSpec

_ALL_DAY = 24 * 3_600_000

BOT_HELP = "a path, a quoted command, or sample:NAME; codecup: before it for a bot of that dialect"
WRAP_HELP = (
    "start {bot} through this: valgrind, strace -o FILE, or gdb, which gets the terminal while the bot keeps "
    "its pipes; what comes on stderr is shown"
)
OPENINGS_HELP = "where games start: empty, random, balanced, symmetric, book, FILE or random:FILE"


def bots_of(texts: list[str]) -> list[Bot]:
    """The bots of these arguments, under names that differ.

    Raises:
        UsageError: when one is not there.
    """
    from arbiter.tournament.bots import resolve_bots_on_command_line
    from arbiter.tournament.problems import ConfigurationError

    try:
        return resolve_bots_on_command_line(texts)
    except ConfigurationError as error:
        raise UsageError(str(error)) from None


def told_apart(bots: list[Bot]) -> list[Bot]:
    """Two versions mostly have one name; then the table calls them new and old."""
    if bots[1].name != f"{bots[0].name}-2":
        return bots
    return [replace(bot, name=f"{bots[0].name} {age}") for bot, age in zip(bots, ("new", "old"), strict=True)]


def time_of(text: str, option: str = "--time") -> TimeControl:
    """The time control of ``--time``, or of another option.

    Raises:
        UsageError: when it is none, or no clock at all.
    """
    from arbiter.tournament.durations import parse_time_control
    from arbiter.tournament.problems import ConfigurationError

    try:
        time = parse_time_control(text)
    except ConfigurationError as error:
        examples = (f"{option} 5s", f'{option} "1m + 100ms"', f'{option} "move 1s"')
        raise UsageError(f"{option}: {error}", f"examples: {', '.join(examples)}") from None
    if not time.is_timed:
        raise UsageError(f"{option} none needs a limit of depth or nodes", "use a tournament file for that")
    return time


def start_of(dpos: str | None, bots: list[Bot]) -> Position | None:
    """The position of ``--position``.

    Raises:
        UsageError: when it is none, the game is over there, or a bot cannot be told of it.
    """
    if dpos is None:
        return None
    _require_dvp("--position", bots)
    try:
        position = parse_dpos(dpos)
    except PositionError as error:
        raise UsageError(f"--position: {error}") from None
    if position.is_over:
        raise UsageError("--position: the game is over there: neither side can move")
    return position


def openings_of(text: str, bots: list[Bot]) -> "OpeningsSpec":
    """The openings of ``--openings``.

    Raises:
        UsageError: when there are none of this name, or a bot cannot be told of them.
    """
    from arbiter.tournament.openings import OpeningsError, parse_openings

    try:
        spec = parse_openings(text)
    except OpeningsError as error:
        raise UsageError(f"--openings: {error}") from None
    if spec.kind != "empty":
        _require_dvp(f"--openings {text}", bots)
    return spec


def _require_dvp(option: str, bots: list[Bot]) -> None:
    for bot in bots:
        if bot.dialect is Dialect.CODECUP:
            raise UsageError(
                f"{option}: {bot.name} speaks the CodeCup dialect, which knows the empty board only"
            )


def wrapped(bot: Bot, command: str, time: TimeControl, *, keep_clock: bool) -> Bot:
    """The bot as it is started through a command, such as ``valgrind`` or ``gdb --args``.

    It hears of the same clock as always, but that stands still unless it is to be kept: programs take
    their time under such tools, or stand at a breakpoint all day.

    Raises:
        UsageError: when the command cannot be split into words, or its program cannot be started.
    """
    from arbiter.isolation.launch import fault_of_command
    from arbiter.tournament.bots import resolve_build
    from arbiter.tournament.problems import ConfigurationError

    try:
        words = resolve_build(command, Path.cwd())
    except ConfigurationError as error:
        raise UsageError(f"--wrap: {error}", "examples: --wrap valgrind, --wrap gdb") from None
    if fault := fault_of_command(words[0], Path.cwd()):
        raise UsageError(f"--wrap: {fault}")
    if not keep_clock:
        time = replace(time, clock=ClockKind.STILL, start=_ALL_DAY)
    return replace(bot, wrap=words, time=time, directory=Path.cwd())


def new_directory(slug: str) -> Path:
    """A fresh directory for results, named after the bots and the time."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    path, number = Path("results") / f"{slug}-{stamp}", 1
    while path.exists():
        number += 1
        path = Path("results") / f"{slug}-{stamp}-{number}"
    return path
