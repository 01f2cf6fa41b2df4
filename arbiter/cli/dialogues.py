"""What is shown and kept of dialogues: ``--trace``, ``--log``, and a wrapped bot's stderr."""

import argparse
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TextIO

from arbiter.cli.errors import UsageError
from arbiter.cli.look import has_colour
from arbiter.live.dialogue_log import DialogueLog
from arbiter.live.output import Output
from arbiter.live.plain import LineView
from arbiter.live.trace import Style, Trace
from arbiter.live.writer import writing
from arbiter.match.bot import Bot
from arbiter.match.dialogue import Ear
from arbiter.tournament.events import GameStarted, Overheard
from arbiter.tournament.schedule import Fixture


def screen_of(form: str) -> TextIO:
    """Where people read; a format for programs has the standard output for itself."""
    return sys.stdout if form == "text" else sys.stderr


def trace_of(arguments: argparse.Namespace, bots: list[Bot]) -> Trace | None:
    """The trace that is asked for; of a wrapped bot at least what its wrapper says is shown."""
    wrapped = next((bot.name for bot in bots if bot.wrap), None)
    if not (arguments.trace or wrapped):
        return None
    screen = screen_of(arguments.format)
    width = shutil.get_terminal_size().columns if screen.isatty() else None
    return Trace(
        Style(has_colour(screen), width, games=getattr(arguments, "concurrency", 1) > 1),
        quiet=getattr(arguments, "quiet", True),
        only=None if arguments.trace else wrapped,
    )


def log_of(directory: str | None) -> DialogueLog | None:
    """The log in the directory of ``--log``, which is made when it is missing.

    Raises:
        UsageError: when it cannot be made.
    """
    if directory is None:
        return None
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--log {directory}: cannot be made: {error.strerror}") from None
    return DialogueLog(Path(directory))


@asynccontextmanager
async def listening(
    trace: Trace | None, screen: TextIO, number: int, names: Sequence[str]
) -> AsyncIterator[Ear | None]:
    """An ear for a game outside of a tournament, between bots of these names; None when nobody listens."""
    if trace is None:
        yield None
        return
    fixture = Fixture(number, 1, 1, 1, white=names[0], black=names[1])
    with closing(Output(screen)) as output:
        view = LineView(trace.lines, output, wants_bulk=True)
        async with writing([view], [output]) as watch:
            watch(GameStarted(fixture, 1))
            yield lambda said: watch(Overheard(fixture, said))
