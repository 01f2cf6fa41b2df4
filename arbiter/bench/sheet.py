"""The record of a game outside of any tournament, under way or over."""

from dataclasses import replace

from arbiter.match.game import BotReport
from arbiter.match.referee import Referee
from arbiter.store import PlayedGame
from arbiter.store.drec import game_record
from protocol.records import Record
from protocol.rules import Position, Side


def record_of(game: Referee, started_at: str, number: int, seed: int, opening: str | None) -> Record:
    """A game as its referee has it; one that was broken off has neither a winner nor a termination."""
    setup, nothing = game.setup, BotReport(identity={}, stderr="", notes=())
    start = setup.start
    played = PlayedGame(
        number=number,
        attempt=1,
        round=1,
        game=1,
        pair=1,
        white=setup.white.bot.name,
        black=setup.black.bot.name,
        white_time=setup.white.time.header,
        black_time=setup.black.time.header,
        white_hash="",
        black_hash="",
        clock="",
        rules=str(start.rules),
        start=None if start == Position.start(start.rules) else start.dpos,
        seed=seed,
        outcome=game.result(dict.fromkeys(Side, nothing), started_at, seconds=0.0, lag=0),
        opening=opening,
    )
    record = game_record(played, "arbiter play")
    if game.fault is not None or game.position.is_over:
        return record
    headers = {name: value for name, value in record.headers.items() if name != "Termination"}
    return replace(record, headers=headers)
