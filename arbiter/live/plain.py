"""Plain lines: for pipes, files, and terminals that cannot do more. Each game has one start and one end."""

import shlex
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from textwrap import shorten

from arbiter.live.output import PROGRESS, RESULTS, Output
from arbiter.live.writer import Heard, View
from arbiter.match.termination import Termination
from arbiter.store import PlayedGame
from arbiter.tournament.events import (
    BotWithdrawn,
    Event,
    GameFinished,
    GameStarted,
    Notice,
    Overheard,
    PlayBegins,
    PlyPlayed,
    SprtAdvanced,
    StageDrawn,
    TieSettled,
)
from arbiter.tournament.schedule import Stage

_DETAIL = 160
"""Characters of a forfeit's detail that a line shows; the record has all of it."""
_PASSING = (GameStarted, PlyPlayed, Overheard, SprtAdvanced)
"""Events that tell nothing any more once the game or the test is over."""


class LineView(View):
    """Writes the lines that a function makes of each event."""

    def __init__(
        self, lines: Callable[[Heard], Iterable[str]], output: Output, *, wants_bulk: bool = False
    ) -> None:
        self._lines = lines
        self._output = output
        self.wants_bulk = wants_bulk

    def hear(self, heard: Heard) -> None:
        most = PROGRESS if isinstance(heard.event, _PASSING) else RESULTS
        for line in self._lines(heard):
            self._output.write(f"{line}\n", most)


class PlainLines:
    """A line for every event worth one."""

    def __init__(self) -> None:
        self._progress = Progress()

    def lines(self, heard: Heard) -> list[str]:
        self._progress.note(heard.event)
        line = describe(heard.event, self._progress)
        return [line] if line else []


def warning_lines(heard: Heard) -> list[str]:
    """What even those want to read who asked for quiet: what went wrong before the games."""
    event = heard.event
    return [event.text] if isinstance(event, Notice) and event.is_warning else []


class Progress:
    """How many games there are, were begun and are over. Numbers of games may have gaps; these do not."""

    def __init__(self) -> None:
        self.total: int | None = 0
        self.begun = self.done = self._round = 0
        self.may_grow = False
        self.round_goes_on = False
        """Whether the stage drawn last belongs to the round of the one before: ties not decided yet."""
        self._places: dict[int, int] = {}
        self._to_replay: dict[int, tuple[str, str]] = {}

    def place(self, number: int) -> int:
        """The place of a game under way among those that have begun, from 1; all attempts at it are one."""
        return self._places[number]

    def note(self, event: Event) -> None:
        match event:
            case PlayBegins(total, done, may_grow):
                self.total, self.begun, self.done, self.may_grow = total, done, done, may_grow
            case GameStarted(fixture, _):
                # The first attempt of this run may be a later one of the game's.
                if fixture.number not in self._places:
                    self.begun += 1
                    self._places[fixture.number] = self.begun
                self._to_replay.pop(fixture.number, None)
            case GameFinished(game, True, _):
                self._to_replay[game.number] = (game.white, game.black)
            case GameFinished(game, False, _):
                self.done += 1
                self._places.pop(game.number, None)
            case BotWithdrawn(bot, _, cancelled):
                self.total = None if self.total is None else self.total - cancelled
                self._drop_replays(bot)
            case StageDrawn(stage, total):
                self.total = total
                self.round_goes_on = stage.first == self._round
                self._round = stage.first

    def _drop_replays(self, bot: str) -> None:
        """Games of a bot that are not replayed after all, and so among the cancelled ones, have not begun."""
        for number in [number for number, players in self._to_replay.items() if bot in players]:
            del self._to_replay[number], self._places[number]
            self.begun -= 1

    @property
    def of(self) -> str:
        """What stands behind a number of games: of how many; empty where nobody knows."""
        if self.total is None:
            return ""
        return f" of {'at least ' if self.may_grow else ''}{self.total:,}"


def describe(event: Event, progress: Progress) -> str:
    """The line for an event; empty for those that need none."""
    match event:
        case Notice(text):
            return text
        case PlayBegins(_, done):
            return f"{done:,}{progress.of} games were played before" if done else ""
        case GameStarted(fixture, attempt):
            names = f"{fixture.white} - {fixture.black}"
            of = f", {progress.place(fixture.number):,}{progress.of}" if progress.of else ""
            again = f", attempt {attempt}" if attempt > 1 else ""
            return f"game {fixture.number} starts: {names} (round {fixture.round}{of}{again})"
        case GameFinished(game, replayed, bundle):
            more = f"; more in {_shown(bundle)}, again: {_again(bundle)}" if bundle else ""
            return describe_game(game) + ("; it is replayed" if replayed else "") + more
        case StageDrawn(stage):
            return describe_stage(stage, goes_on=progress.round_goes_on)
        case TieSettled(tie):
            return f"tie ends: {tie} (round {tie.round})"
        case SprtAdvanced(test):
            return test.line
        case BotWithdrawn(bot, reason):
            return f"{bot} is withdrawn: {shorten(reason, _DETAIL, placeholder=' ...')}"
    return ""


def describe_stage(stage: Stage, *, goes_on: bool) -> str:
    """Who meets whom next, in one line."""
    ties = [f"{one} - {other}" for one, other in stage.pairings] + [f"{bot} has a bye" for bot in stage.byes]
    return f"round {stage.first}{' goes on' if goes_on else ''}: {', '.join(ties)}"


def _again(bundle: Path) -> str:
    """The command that makes a failure happen again."""
    return shlex.join(["arbiter", "replay", _shown(bundle)])


def _shown(path: Path) -> str:
    """A path as one would type it from here."""
    with suppress(ValueError):
        return str(path.absolute().relative_to(Path.cwd()))
    return str(path)


def describe_game(game: PlayedGame) -> str:
    """How a game ended, in one line."""
    outcome = game.outcome
    score = f"{outcome.score.white}:{outcome.score.black}"
    start = f"game {game.number} ends: {game.white} - {game.black} {outcome.result}"
    if outcome.termination is Termination.NORMAL:
        return f"{start} ({score}, {len(outcome.plies)} plies)"
    if outcome.termination is Termination.VOID:
        return f"{start} (void: {outcome.detail})"
    loser = game.black if outcome.offender else game.white
    if outcome.termination is Termination.RESIGN:
        return f"{start} ({loser} resigned at {score})"
    played = [index for index, record in enumerate(outcome.plies, 1) if "substitute" in record.info]
    ply = played[0] if played else len(outcome.plies) + 1
    detail = shorten(outcome.detail, _DETAIL, placeholder=" ...")
    rest = f"; played on with the first legal plies, {score}" if played else ""
    return f"{start} ({loser} forfeits at ply {ply}, {outcome.termination}: {detail}{rest})"
