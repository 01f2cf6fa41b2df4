"""What commands about a single bot share: finding it, and the sandbox it is to run in."""

from dataclasses import replace
from pathlib import Path

from arbiter.cli.errors import UsageError
from arbiter.match.bot import Bot


def find_bot(text: str) -> Bot:
    """The bot that a BOT argument names. Raises UsageError."""
    from arbiter.tournament.bots import resolve_bots_on_command_line
    from arbiter.tournament.problems import ConfigurationError

    try:
        (bot,) = resolve_bots_on_command_line([text])
    except ConfigurationError as error:
        raise UsageError(str(error)) from None
    return bot


def confined(bot: Bot, level: str, hidden: Path, command: str) -> Bot:
    """The bot in a sandbox of this level, in which ``hidden`` cannot be read. Raises UsageError."""
    from arbiter.isolation.levels import UnavailableError
    from arbiter.tournament.config import Tournament
    from arbiter.tournament.sandboxes import sandboxed

    bot = replace(bot, isolation=level)
    alone = Tournament(name=command, path=Path.cwd() / command, bots=(bot,), given=({},))
    try:
        return sandboxed(alone, hidden).bots[0]
    except UnavailableError as error:
        raise UsageError(str(error), f"{error.remedy}, or {command} with --isolation none") from None
