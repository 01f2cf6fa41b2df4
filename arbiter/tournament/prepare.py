"""Before the first game: build every bot once, start every bot once, and know who can play."""

import errno
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from arbiter.isolation import scratch
from arbiter.isolation.launch import StartError, fault_of_command, launch
from arbiter.isolation.resources import ResourceError, needed_for, require_disk
from arbiter.match.bot import Bot
from arbiter.match.game import Competitor
from arbiter.match.startcheck import StartCheck, check_start
from arbiter.match.wording import describe
from arbiter.tournament.config import Tournament, slugify
from arbiter.tournament.sandboxes import build_sandbox

BUILD_LIMIT = 600
"""Seconds that a build may take."""
_LOG_TAIL = 20
_TRIES = 3
STARTS = 4
"""Bots that are tried at a time: most of a start is waiting, and thirty take long one by one."""
_WORDS_TAIL = 5
_INTERPRETERS = re.compile(r"(python|pypy|node|ruby|perl|php|lua|luajit)[0-9.]*")
"""Programs whose first argument is a script, unless it is an option."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a bot can play: ``problem`` says why not."""

    bot: Bot
    problem: str | None


async def prepare(
    bots: Sequence[Bot], tournament: Tournament, logs: Path, tell: Callable[[str], None]
) -> list[Readiness]:
    """Build and start-check these bots of a tournament.

    What a build prints goes to ``logs``; ``tell`` gets a line for each thing worth knowing. A bot
    that is started through something else is not tried: nobody wants to see a debugger twice.
    """
    built: set[tuple[object, ...]] = set()
    found: dict[str, Readiness] = {}
    for bot in bots:
        problem = await build(bot, logs, built, tell)
        if problem is not None:
            found[bot.name] = Readiness(bot, problem)
    limiter = trio.CapacityLimiter(max(tournament.concurrency, STARTS))

    async def check(bot: Bot) -> None:
        async with limiter:
            outcome = await _try_start(Competitor(bot, bot.time or tournament.time))
        found[bot.name] = Readiness(bot, _explained(outcome))
        for note in outcome.report.notes:
            tell(f"{bot.name}: {note}")

    async with trio.open_nursery() as nursery:
        for bot in bots:
            if bot.name not in found and bot.wrap:
                found[bot.name] = Readiness(bot, None)
            elif bot.name not in found:
                nursery.start_soon(check, bot)
    return [found[bot.name] for bot in bots]


async def _try_start(competitor: Competitor) -> StartCheck:
    """Start a bot for trial, again where the machine has spoilt that.

    Raises:
        ResourceError: when it does so each time.
    """
    for _ in range(_TRIES):
        outcome = await check_start(competitor)
        if outcome.problem is None or not outcome.problem.is_void:
            return outcome
    assert outcome.problem is not None
    name = competitor.bot.name
    why = f"{name} could not be tried: {describe(outcome.problem)}"
    raise ResourceError(errno.EBUSY, why, "end what keeps it busy, then run the same command again")


def foreseen(bots: Sequence[Bot]) -> list[Readiness]:
    """Bots that cannot play, as far as that shows before any is built or started."""
    found = ((bot, _fault_before_start(bot)) for bot in bots)
    return [Readiness(bot, fault) for bot, fault in found if fault]


def _fault_before_start(bot: Bot) -> str | None:
    """The program may still have to be built; what builds it must be there."""
    first = (bot.build or bot.argv)[0]
    return fault_of_command(first, bot.directory, bot.env.get("PATH")) or _missing_script(bot)


def _missing_script(bot: Bot) -> str | None:
    """The script that an interpreter is to run, if it is named first and not there."""
    if bot.build or len(bot.argv) < 2 or not _INTERPRETERS.fullmatch(Path(bot.argv[0]).name):
        return None
    script = bot.directory / bot.argv[1]
    return None if bot.argv[1].startswith("-") or script.exists() else f"{script}: no such file"


def _explained(outcome: StartCheck) -> str | None:
    """The problem of a bot that did not start, and what it wrote to stderr about it."""
    words = outcome.report.stderr.splitlines()[-_WORDS_TAIL:]
    if outcome.problem is None:
        return None
    problem = describe(outcome.problem)
    if len(words) < 2:
        return problem
    return "\n".join([f"{problem}; the end of its stderr:", *(f"    {word}" for word in words)])


async def build(
    bot: Bot, logs: Path, built: set[tuple[object, ...]], tell: Callable[[str], None]
) -> str | None:
    """Run a bot's build command unless it is among those ``built``; what went wrong, if anything did.

    Raises:
        ResourceError: when it failed on a machine that has no room for it.
    """
    if bot.build is None or (bot.build, bot.directory) in built:
        return None
    built.add((bot.build, bot.directory))
    tell(f"{bot.name}: building with `{' '.join(bot.build)}`")
    log = _log_file(logs, bot.name)
    try:
        status = await run_build(bot, bot.build, log)
    except StartError as error:
        return f"its build command cannot be started: {error}"
    if status == 0:
        return None
    with needed_for("building"):
        require_disk((bot.directory, log.parent, scratch.place()))
    reason = f"its build took more than {BUILD_LIMIT} s" if status is None else f"its build failed ({status})"
    tail = log.read_text(errors="backslashreplace").splitlines()[-_LOG_TAIL:]
    return "\n".join([f"{reason}; the end of {log}:", *(f"    {line}" for line in tail)])


def _log_file(logs: Path, name: str) -> Path:
    logs.mkdir(parents=True, exist_ok=True)
    return logs / f"build-{slugify(name)}.log"


async def run_build(bot: Bot, command: tuple[str, ...], log: Path) -> int | None:
    """The exit status of a build; None when it took too long."""
    with log.open("wb") as output:
        program = launch(
            command,
            bot.directory,
            bot.env,
            build_sandbox(bot),
            stdin=subprocess.DEVNULL,
            stdout=output.fileno(),
            stderr=subprocess.STDOUT,
        )
        try:
            with trio.move_on_after(BUILD_LIMIT):
                return await program.wait()
            return None
        finally:
            await program.kill()
