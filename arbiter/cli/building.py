"""Building the bots that a command is given, before it asks them anything."""

import sys
from collections.abc import Iterable

from arbiter.cli.errors import UsageError
from arbiter.match.bot import Bot


async def build_all(bots: Iterable[Bot]) -> None:
    """Build those that have to be built, saying so on stderr.

    Raises:
        UsageError: when a build fails, with the end of what it said.
    """
    from arbiter.tournament.bots import cache_directory
    from arbiter.tournament.prepare import build

    built: set[tuple[object, ...]] = set()
    for bot in bots:
        problem = await build(bot, cache_directory() / "logs", built, _say)
        if problem is not None:
            raise UsageError(f"{bot.name}: {problem}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
