"""Trying a bot before anything depends on it: does it start, and does it speak its dialect?"""

import time
from dataclasses import dataclass

import trio

from arbiter.isolation.launch import StartError
from arbiter.match.bell import Bell
from arbiter.match.bot import Dialect
from arbiter.match.clock import MS
from arbiter.match.game import BotReport, Competitor, GameSetup
from arbiter.match.referee import make_seat
from arbiter.match.seat import Seat, Turn
from arbiter.match.termination import Termination
from arbiter.match.verdict import Failure
from protocol.errors import ProtocolError
from protocol.rules import Position, Score, Side, parse_ply


@dataclass(frozen=True, slots=True)
class StartCheck:
    """What came of a trial start: ``problem`` is None when all went well."""

    problem: str | None
    report: BotReport


async def check_start(competitor: Competitor) -> StartCheck:
    """Start a bot once and end it again.

    A DVP bot has to get ready for a game; a CodeCup bot, which says nothing before its first ply,
    has to answer ``Start`` with a legal placement within the start limit.
    """
    setup = GameSetup(competitor, competitor, Position.start())
    bell = Bell()
    seat = make_seat(Side.WHITE, setup, bell)
    async with trio.open_nursery() as nursery:
        failure: Failure | None = None
        try:
            failure = await _try(seat, bell, nursery)
            if failure is None or seat.is_running:
                seat.say_end("*", Score(0, 0), Termination.VOID, failure)
        except StartError as error:
            failure = Failure(Termination.START, str(error))
        finally:
            await seat.leave(failure)
            nursery.cancel_scope.cancel()
    return StartCheck(failure.detail if failure else None, seat.report(with_transcript=False))


async def _try(seat: Seat, bell: Bell, nursery: trio.Nursery) -> Failure | None:
    seat.spawn(nursery)
    failure = await seat.get_ready()
    if failure is None and seat.bot.dialect is Dialect.CODECUP:
        failure = await _try_first_placement(seat, bell)
    return failure


async def _try_first_placement(seat: Seat, bell: Bell) -> Failure | None:
    start = seat.clock.control.start
    position = Position.start()
    seat.ask(Turn(1, position, (), seat.clock))
    deadline = time.monotonic_ns() + start * MS
    await bell.wait(lambda: seat.has_answer or seat.has_fault(on_turn=True), deadline)
    if not seat.has_answer:
        if seat.has_fault(on_turn=True):
            fault = await seat.fault()
            return fault._replace(detail=f"before its first placement: {fault.detail}")
        return Failure(Termination.START, f"no placement within {start} ms of `Start`")
    try:
        position.play(parse_ply(seat.take_answer().text or ""))
    except ProtocolError as error:
        return Failure(Termination.START, f"its answer to `Start`: {error}")
    return None
