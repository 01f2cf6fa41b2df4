"""Which sandbox each bot runs in: the chosen level, the owner's limits, and what it must not see."""

from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from arbiter.isolation.levels import choose
from arbiter.isolation.sandbox import MIB, Level, Sandbox
from arbiter.match.bot import Bot
from arbiter.tournament.bots import cache_directory
from arbiter.tournament.config import Tournament

_BUILD_MEMORY, _BUILD_DISK, _BUILD_PROCESSES = 2048 * MIB, 1024 * MIB, 512


def chosen_levels(tournament: Tournament) -> dict[str, Level]:
    """The level of each bot, by name, as it works on this machine.

    Raises:
        UnavailableError: when a level was asked for by name and does not work here.
    """
    return {bot.name: choose(bot.isolation or tournament.isolation) for bot in tournament.bots}


def sandboxed(tournament: Tournament, results: Path) -> Tournament:
    """The tournament with a sandbox for each bot, in which results and other bots' directories are hidden.

    Raises:
        UnavailableError: as ``chosen_levels`` does.
    """
    levels = chosen_levels(tournament)
    directories = {bot.directory.resolve() for bot in tournament.bots}
    packages = tuple(Path(str(files(name))).resolve() for name in ("protocol", "sample_bots"))
    bots = tuple(
        replace(
            bot,
            sandbox=replace(
                bot.sandbox,
                level=levels[bot.name],
                visible=packages,
                listed=tuple({package.parent for package in packages}),
                hidden=tuple(_hidden(bot, directories, results.resolve())),
            ),
        )
        for bot in tournament.bots
    )
    return replace(tournament, bots=bots)


def _hidden(bot: Bot, directories: Iterable[Path], results: Path) -> Iterable[Path]:
    """Results and the directories of others; never one in which the bot's own directory lies."""
    own = bot.directory.resolve()
    yield results
    for directory in directories:
        if not own.is_relative_to(directory):
            yield directory


def build_sandbox(bot: Bot) -> Sandbox:
    """What a bot's build command runs in: it may write, and needs more than a bot that plays."""
    return replace(
        bot.sandbox,
        memory=max(bot.sandbox.memory or 0, _BUILD_MEMORY),
        disk=max(bot.sandbox.disk or 0, _BUILD_DISK),
        processes=max(bot.sandbox.processes or 0, _BUILD_PROCESSES),
        writable=_writable(bot),
    )


def _writable(bot: Bot) -> tuple[Path, ...]:
    """A sample is built into a directory of the cache, named in its command; another bot where it lies."""
    builds = cache_directory() / "builds"
    outputs = {Path(word).parent for word in bot.build or () if Path(word).is_relative_to(builds)}
    return tuple(outputs) or (bot.directory,)
