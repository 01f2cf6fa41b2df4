"""Plain lines: for pipes, files, and terminals that cannot do more. Each game has one start and one end."""

from collections.abc import Callable
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
)

_DETAIL = 160
"""Characters of a forfeit's detail that a line shows; the record has all of it."""


def plain_watcher(write: Callable[[str], None]) -> Callable[[Event], None]:
    """A watcher that writes a line for every event worth one."""
    total = 0

    def watch(event: Event) -> None:
        nonlocal total
        if isinstance(event, PlayBegins):
            total = event.total
        line = describe(event, total)
        if line:
            write(line)

    return watch


def describe(event: Event, total: int) -> str:
    """The line for an event; empty for those that need none."""
    match event:
        case Notice(text):
            return text
        case PlayBegins(games, done):
            return f"{done} of {games} games were played before" if done else ""
        case GameStarted(fixture, attempt):
            again = f", attempt {attempt}" if attempt > 1 else ""
            return (
                f"game {fixture.number} of {total} starts: "
                f"{fixture.white} - {fixture.black} (round {fixture.round}{again})"
            )
        case GameFinished(game, replayed):
            return describe_game(game) + ("; it is replayed" if replayed else "")
        case BotWithdrawn(bot, reason):
            return f"{bot} is withdrawn: {reason}"
    return ""


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
    ply = len(outcome.plies) + 1
    detail = shorten(outcome.detail, _DETAIL, placeholder=" ...")
    return f"{start} ({loser} forfeits at ply {ply}, {outcome.termination}: {detail})"
