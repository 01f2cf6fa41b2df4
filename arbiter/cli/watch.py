"""``arbiter watch``: a line of verdict each time the sources of a bot are saved."""

import argparse
import errno
import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.cli.arguments import natural, positive
from arbiter.cli.errors import UsageError
from arbiter.cli.given import BOT_HELP, OPENINGS_HELP, bots_of, openings_of, time_of
from arbiter.cli.records import printable, say
from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl

if TYPE_CHECKING:
    from arbiter.bench.sources import Sources
    from arbiter.bench.trial import Finding, Trial
    from arbiter.tournament.openings import OpeningsSpec

NAME = "watch"
HELP = "build, check and play a bot each time its sources are saved"

_LADDER = ("sample:random", "sample:greedy")
_FILE = "league.yaml"
_TIME = "1s + 10ms"
_RUN_HINT = "say how the bot is started: --run ./mybot"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument("directory", metavar="DIR", help="where the sources of the bot lie")
    parser.add_argument(
        "--run",
        dest="command",
        metavar="COMMAND",
        help=f"how the bot is started, from DIR (default: the first `run` in DIR/{_FILE} that is no sample)",
    )
    parser.add_argument("--build", metavar="COMMAND", help="with --run: how it is built, from DIR")
    parser.add_argument(
        "--against",
        metavar="BOT",
        action="append",
        help=f"whom it plays, for several ones again (default: {', '.join(_LADDER)}); {BOT_HELP}",
    )
    parser.add_argument(
        "--games", type=positive, default=4, metavar="N", help="games against each of them (default: 4)"
    )
    parser.add_argument(
        "--time", metavar="T", help=f'time control (default: that of DIR/{_FILE}, else "{_TIME}")'
    )
    parser.add_argument(
        "--openings",
        metavar="OPENINGS",
        help=f"{OPENINGS_HELP} (default: those of DIR/{_FILE}, else empty)",
    )
    parser.add_argument(
        "--seed", type=natural, default=1, metavar="N", help="the seed of all chance (default: 1)"
    )
    parser.add_argument(
        "--concurrency", type=positive, default=1, metavar="N", help="games at a time (default: 1)"
    )
    parser.add_argument("--no-check", action="store_true", help="leave the check out, which takes longest")
    parser.add_argument("--once", action="store_true", help="do it once, and do not wait for changes")
    parser.epilog = (
        "examples:\n"
        "  arbiter watch mybot\n"
        '  arbiter watch src --run ./mybot --build make --against "git-old/mybot" --games 10\n'
        "A score is the bot's points, then those of its opponent.\n"
        "A save while it is at work begins it anew. What tools make does not count: hidden files, what\n"
        ".gitignore names, target/, build/ and the like. Ctrl-C ends it.\n"
        "exit status: 130 after Ctrl-C; with --once 0 when all was well, else 1"
    )


def run(arguments: argparse.Namespace) -> int:
    """Watch until interrupted."""
    from arbiter.bench.sources import Sources
    from arbiter.cli.failures import require_room
    from arbiter.cli.interruptible import run_interruptible
    from arbiter.tournament.play import UnfitMachineError

    require_room(2 * arguments.concurrency, arguments.concurrency)
    directory = Path(arguments.directory)
    if not directory.is_dir():
        raise UsageError(f"{directory}: no such directory", "it is where the sources of the bot lie")
    if arguments.build and not arguments.command:
        raise UsageError("--build goes with --run", f"or put both into {directory / _FILE}")
    watch = _Watch(arguments, directory, Sources(directory))
    watch.trial()  # what is wrong with the command line is told before anything else
    task = watch.once if arguments.once else watch.for_ever
    try:
        return 0 if run_interruptible(task) else 1
    except BaseException as error:
        watch.line.break_off("interrupted" if isinstance(error, KeyboardInterrupt) else "broken off")
        if isinstance(error, UnfitMachineError):
            raise UsageError(str(error)) from None
        raise


class _Line:
    """The verdict as it grows, with what has to be explained below it."""

    def __init__(self) -> None:
        self._details: list[str] = []
        self._is_open = False

    def add(self, finding: "Finding") -> None:
        self._details += finding.details
        self._write(finding.words)

    def end(self) -> None:
        """End the line, and explain."""
        if self._is_open:
            say("")
        for detail in self._details:
            say(f"    {printable(detail)}")
        self._details, self._is_open = [], False

    def break_off(self, why: str) -> None:
        """End the line as it is."""
        self._details = []
        if self._is_open:
            self._write(why)
            self.end()

    def _write(self, words: str) -> None:
        start = " ·" if self._is_open else f"{datetime.now():%H:%M:%S}"
        print(f"{start} {printable(words)}", end="", flush=True)
        self._is_open = True


class _Watch:
    """Trials of one bot after another, a new one for each change."""

    def __init__(self, arguments: argparse.Namespace, directory: Path, sources: "Sources") -> None:
        self._arguments = arguments
        self._directory = directory
        self._sources = sources
        self.line = _Line()

    async def for_ever(self) -> bool:
        """A trial now, and one after each change."""
        count = self._sources.count
        files = f"{count} file{'' if count == 1 else 's'}"
        say(f"watching {files} in {printable(str(self._directory))}; Ctrl-C ends it")
        say(f"each time: {printable(self.trial().plan)}")
        while True:
            if not await self._try_until_saved():
                self._sources.settle(keep_code=True)
            await self._sources.change()
            await self._sources.rest()

    async def _try_until_saved(self) -> bool:
        """One trial, broken off when code is saved meanwhile; whether it was."""
        import trio

        was_saved = False
        async with trio.open_nursery() as nursery:

            async def look_out() -> None:
                nonlocal was_saved
                await self._sources.change(code_only=True)
                was_saved = True
                nursery.cancel_scope.cancel()

            nursery.start_soon(look_out)
            await self.once()
            nursery.cancel_scope.cancel()
        if was_saved:
            self.line.break_off("saved again")
        return was_saved

    async def once(self) -> bool:
        """One trial; whether all was well."""
        try:
            trial = self.trial()
        except UsageError as error:
            from arbiter.bench.trial import Finding

            self.line.add(Finding("no bot", tuple(error.message.splitlines())))
            self.line.end()
            return False
        is_sound = await trial.run(self.line.add)
        self.line.end()
        return is_sound

    # What is tried

    def trial(self) -> "Trial":
        """The trial for the sources as they are now.

        Raises:
            UsageError: when it is not clear what is to be run, or against whom.
        """
        from arbiter.bench.trial import Ladder, Trial
        from arbiter.tournament.bots import cache_directory
        from arbiter.tournament.config import slugify

        bot, time, openings = self._subject()
        _require_level(bot)
        if self._arguments.time:
            time = time_of(self._arguments.time)
        opponents = bots_of(self._arguments.against or list(_LADDER))
        taken = [
            replace(each, name=f"{each.name}-2") if each.name == bot.name else each for each in opponents
        ]
        given = self._arguments
        if given.openings:
            openings = _found(openings_of(given.openings, [bot, *opponents]), Path.cwd())
        ladder = Ladder(taken, given.games, openings, time, given.seed, given.concurrency)
        mark = hashlib.sha256(str(self._directory.resolve()).encode()).hexdigest()[:8]
        place = _made(cache_directory() / "watch" / f"{slugify(bot.name)}-{mark}")
        return Trial(bot, ladder, place, with_check=not self._arguments.no_check)

    def _subject(self) -> tuple[Bot, TimeControl, "OpeningsSpec"]:
        """The bot that is worked on, the time control it is made for, and where its games start."""
        from arbiter.tournament.openings import OpeningsSpec

        if self._arguments.command:
            mine = self._command(self._arguments.command, self._arguments.build)
            return mine, time_of(_TIME), OpeningsSpec()
        from arbiter.tournament.load import load_tournament
        from arbiter.tournament.problems import TournamentFileError

        path = self._directory / _FILE
        if not path.exists():
            raise UsageError(
                f"{self._directory}: there is no {_FILE}", "say how the bot is started: --run ./mybot"
            )
        try:
            tournament = load_tournament(path)
        except TournamentFileError as error:
            raise UsageError(str(error)) from None
        given = zip(tournament.bots, tournament.given, strict=True)
        bot = next((bot for bot, texts in given if not _is_sample(texts.get("run"))), None)
        if bot is None:
            raise UsageError(f"{path}: all its bots are samples", _RUN_HINT)
        return bot, bot.time or tournament.time, _found(tournament.openings, self._directory)

    def _command(self, run: str, build: str | None) -> Bot:
        from arbiter.tournament.bots import resolve_build, resolve_command
        from arbiter.tournament.problems import ConfigurationError

        try:
            bot = resolve_command(run, self._directory.absolute()).bot()
            return bot if build is None else replace(bot, build=resolve_build(build, bot.directory))
        except ConfigurationError as error:
            raise UsageError(str(error)) from None


def _require_level(bot: Bot) -> None:
    """See that the isolation level of the bot works here. Raises UsageError."""
    from arbiter.isolation.levels import UnavailableError, choose

    try:
        choose(bot.isolation or "none")
    except UnavailableError as error:
        raise UsageError(str(error), error.remedy) from None


def _made(place: Path) -> Path:
    """A directory for logs and results. Raises UsageError when it cannot be one."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        if not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise UsageError(
            f"{place}: logs and results cannot be kept there: {error.strerror}",
            "XDG_CACHE_HOME names another place than ~/.cache",
        ) from None
    return place


def _found(openings: "OpeningsSpec", base: Path) -> "OpeningsSpec":
    """Openings whose file, named from the directory ``base``, is there and in order. Raises UsageError."""
    from arbiter.tournament.openings import OpeningsError, open_openings

    if openings.path is None:
        return openings
    try:
        open_openings(openings, base=base)
    except OpeningsError as error:
        raise UsageError(f"openings: {error}") from None
    return replace(openings, path=str((base / openings.path).resolve()))


def _is_sample(run: str | Sequence[str] | None) -> bool:
    text = run if isinstance(run, str) else " ".join(run or ())
    return text.strip().removeprefix("codecup:").startswith("sample:")
