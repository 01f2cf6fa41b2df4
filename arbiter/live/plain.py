"""Plain lines: for pipes, files, and terminals that cannot do more. Each game has one start and one end."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from textwrap import shorten

from arbiter.match.termination import Termination
from arbiter.store import PlayedGame
from arbiter.tournament.events import (
    BotWithdrawn,
    Event,
    GameFinished,
    GameStarted,
    Notice,
    PlayBegins,
    StageDrawn,
    TestAdvanced,
)
from arbiter.tournament.schedule import Stage

_DETAIL = 160
"""Characters of a forfeit's detail that a line shows; the record has all of it."""


def plain_watcher(write: Callable[[str], None]) -> Callable[[Event], None]:
    """A watcher that writes a line for every event worth one."""
    progress = Progress()

    def watch(event: Event) -> None:
        progress.note(event)
        line = describe(event, progress)
        if line:
            write(line)

    return watch


class Progress:
    """How many games there are, were begun and are over. Numbers of games may have gaps; these do not."""

    def __init__(self) -> None:
        self.total = self.begun = self.done = self._round = 0
        self.round_goes_on = False
        """Whether the stage drawn last belongs to the round of the one before: ties not decided yet."""

    def note(self, event: Event) -> None:
        match event:
            case PlayBegins(total, done):
                self.total, self.begun, self.done = total, done, done
            case GameStarted(_, attempt):
                self.begun += attempt == 1
            case GameFinished(_, replayed, _):
                self.done += not replayed
            case BotWithdrawn(_, _, cancelled):
                self.total -= cancelled
            case StageDrawn(stage, total):
                self.total = total
                self.round_goes_on = stage.first == self._round
                self._round = stage.first


def describe(event: Event, progress: Progress) -> str:
    """The line for an event; empty for those that need none."""
    match event:
        case Notice(text):
            return text
        case PlayBegins(games, done):
            return f"{done:,} of {games:,} games were played before" if done else ""
        case GameStarted(fixture, attempt):
            place = f"attempt {attempt}" if attempt > 1 else f"{progress.begun:,} of {progress.total:,}"
            names = f"{fixture.white} - {fixture.black}"
            return f"game {fixture.number} starts: {names} (round {fixture.round}, {place})"
        case GameFinished(game, replayed, bundle):
            more = f"; more in {_shown(bundle)}" if bundle else ""
            return describe_game(game) + ("; it is replayed" if replayed else "") + more
        case StageDrawn(stage):
            return describe_stage(stage, goes_on=progress.round_goes_on)
        case TestAdvanced(test):
            return test.line
        case BotWithdrawn(bot, reason):
            return f"{bot} is withdrawn: {shorten(reason, _DETAIL, placeholder=' ...')}"
    return ""


def describe_stage(stage: Stage, *, goes_on: bool) -> str:
    """Who meets whom next, in one line."""
    ties = [f"{one} - {other}" for one, other in stage.pairings] + [f"{bot} has a bye" for bot in stage.byes]
    return f"round {stage.first}{' goes on' if goes_on else ''}: {', '.join(ties)}"


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
