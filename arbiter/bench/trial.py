"""One look at a bot whose sources have changed: does it build, does it keep to the protocol, does it win?"""

import re
import shlex
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from textwrap import shorten

from arbiter.bench.checking import check
from arbiter.isolation.launch import StartError
from arbiter.isolation.resources import require_disk
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import TimeControl
from arbiter.store import League
from arbiter.tournament.config import Tournament
from arbiter.tournament.events import Event, GameFinished
from arbiter.tournament.openings import OpeningsSpec, open_openings
from arbiter.tournament.play import BotsNotReadyError, play_tournament, settle
from arbiter.tournament.prepare import run_build

_ERRORS = re.compile(r"\berror\b|undefined reference|not found|No such file", re.IGNORECASE)
_SHOWN = 8
_DETAIL = 160


@dataclass(frozen=True, slots=True)
class Ladder:
    """Whom the bot meets: so many games against each, under these conditions.

    ``openings`` count between bots that can be told of them. Those of a file have an absolute path.
    """

    opponents: Sequence[Bot]
    games: int
    openings: OpeningsSpec
    time: TimeControl
    seed: int
    concurrency: int


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a stage: a few words for the line, and lines that explain what is wrong.

    ``is_sound`` tells whether all was well, ``goes_on`` whether there is a point in the next stage.
    """

    words: str
    details: tuple[str, ...] = ()
    is_sound: bool = True
    goes_on: bool = True


Stage = Callable[[], Awaitable[Finding | None]]


class Trial:
    """The stages for one state of the sources; logs and results go to ``directory``, which exists."""

    def __init__(self, bot: Bot, ladder: Ladder, directory: Path, *, with_check: bool = True) -> None:
        self._bot = bot
        self._ladder = ladder
        self._directory = directory
        self._with_check = with_check

    @property
    def plan(self) -> str:
        """What is done, in words."""
        stages = ["build"] if self._bot.build is not None else []
        stages += ["check"] if self._with_check else []
        ladder = self._ladder
        games = f"{ladder.games} game{'' if ladder.games == 1 else 's'}"
        names = " and ".join(opponent.name for opponent in ladder.opponents)
        each = "each of " if len(ladder.opponents) > 1 else ""
        start = open_openings(ladder.openings, ladder.seed).description
        return ", ".join([*stages, f"{games} against {each}{names}, from {start}"])

    async def run(self, tell: Callable[[Finding], None]) -> bool:
        """Go through the stages as far as that makes sense; whether all was well."""
        stages: list[Stage] = [self._build, self._check]
        stages += [self._match_against(opponent) for opponent in self._ladder.opponents]
        is_sound = True
        for stage in stages:
            finding = await stage()
            if finding is None:
                continue
            tell(finding)
            is_sound = is_sound and finding.is_sound
            if not finding.goes_on:
                break
        return is_sound

    async def _build(self) -> Finding | None:
        if self._bot.build is None:
            return None
        log, began = self._directory / "build.log", time.monotonic()
        try:
            status = await run_build(self._bot, self._bot.build, log)
        except StartError as error:
            return Finding("build FAILED", (str(error),), is_sound=False, goes_on=False)
        seconds = f"{time.monotonic() - began:.1f} s"
        if status == 0:
            return Finding(f"build ok {seconds}")
        require_disk((self._bot.directory, self._directory))
        details = first_errors(log.read_text(errors="backslashreplace"))
        return Finding(
            f"build FAILED {seconds}", (*details, f"all of it: {log}"), is_sound=False, goes_on=False
        )

    async def _check(self) -> Finding | None:
        if not self._with_check:
            return None
        checked = await check(self._bot)
        is_sound = checked.passed == checked.steps
        untried = f", {checked.untried} not tried" if checked.untried else ""
        return Finding(
            f"check {checked.passed}/{checked.steps}{untried}",
            checked.failures,
            is_sound=is_sound,
            goes_on=checked.passed > checked.skipped,
        )

    def _match_against(self, opponent: Bot) -> Stage:
        async def match() -> Finding:
            return await self._play(opponent)

        return match

    async def _play(self, opponent: Bot) -> Finding:
        """Some games against one opponent, from a directory of results of their own."""
        results = self._directory / opponent.name
        rmtree(results, ignore_errors=True)
        score = _Score(self._bot.name)
        with League.open_for_writing(results) as league:
            plan = settle(self._tournament(opponent), self._ladder.seed, league)
            try:
                await play_tournament(plan, league, score.watch, self._ladder.games)
            except BotsNotReadyError as error:
                problem = str(error).splitlines()
                return Finding("does not start", tuple(problem), is_sound=False, goes_on=False)
        words = f"{score.text} against {opponent.name}"
        if self._openings(opponent) != self._ladder.openings:
            words += " (from the empty board)"
        return Finding(words, tuple(score.failures), is_sound=not score.failures)

    def _openings(self, opponent: Bot) -> OpeningsSpec:
        is_codecup = Dialect.CODECUP in (self._bot.dialect, opponent.dialect)
        return OpeningsSpec() if is_codecup else self._ladder.openings

    def _tournament(self, opponent: Bot) -> Tournament:
        bots = (replace(self._bot, build=None), opponent)
        return Tournament(
            name=f"{self._bot.name} - {opponent.name}",
            path=self._directory / "watch",
            bots=bots,
            given=({}, {}),
            rounds=-(-self._ladder.games // 2),
            time=self._ladder.time,
            openings=self._openings(opponent),
            concurrency=self._ladder.concurrency,
            isolation=self._bot.isolation or "none",
            max_failures=self._ladder.games,
        )


class _Score:
    """Points of a bot and of its opponent, and how it lost otherwise than on the board."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._points = [0.0, 0.0]
        self.forfeits = 0
        self.failures: list[str] = []
        """Lines about the first of them, which mostly explains the others."""

    def watch(self, event: Event) -> None:
        if not isinstance(event, GameFinished) or event.replayed:
            return
        game, outcome = event.game, event.game.outcome
        white = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}.get(outcome.result)
        if white is None:
            return
        is_white = game.white == self._name
        self._points[0] += white if is_white else 1 - white
        self._points[1] += 1 - white if is_white else white
        loser = game.black if outcome.offender else game.white
        if event.bundle is not None and loser == self._name:
            again = shlex.join(["arbiter", "replay", str(event.bundle)])
            place = f"game {game.number} as {'white' if is_white else 'black'}, ply {len(outcome.plies) + 1}"
            detail = shorten(outcome.detail, _DETAIL, placeholder=" ...")
            self.forfeits += 1
            if self.forfeits == 1:
                self.failures += [f"{place}: {outcome.termination}: {detail}", f"  again: {again}"]

    @property
    def text(self) -> str:
        own, other = self._points
        forfeits = f" ({self.forfeits} forfeited)" if self.forfeits else ""
        return f"{own:g}-{other:g}{forfeits}"


def first_errors(text: str) -> list[str]:
    """What a compiler said first that was wrong: the cause of most of what follows."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    first = next((index for index, line in enumerate(lines) if _ERRORS.search(line)), 0)
    rest = len(lines) - first - _SHOWN
    return [*lines[first : first + _SHOWN], *([f"... and {rest} more lines"] if rest > 0 else [])]
