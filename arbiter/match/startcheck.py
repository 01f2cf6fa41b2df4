"""Trying a bot before anything depends on it: does it start, and does it speak its dialect?"""

from dataclasses import dataclass

from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, Clock, TimeControl
from arbiter.match.fault import Code, Fault
from arbiter.match.game import BotReport, Competitor, GameSetup
from arbiter.match.session import NotReadyError, Session, open_session
from arbiter.match.termination import Termination
from arbiter.match.wording import describe
from protocol.rules import Position, Side


@dataclass(frozen=True, slots=True)
class StartCheck:
    """What came of a trial start: ``problem`` is None when all went well."""

    problem: Fault | None
    report: BotReport


async def check_start(competitor: Competitor) -> StartCheck:
    """Start a bot once and end it again.

    A DVP bot has to get ready for a game; a CodeCup bot, which says nothing before its first ply,
    has to answer ``Start`` with a legal placement within the start limit.
    """
    setup = GameSetup(competitor, competitor, Position.start())
    problem = None
    try:
        async with open_session(Side.WHITE, setup) as session:
            if competitor.bot.dialect is Dialect.CODECUP:
                problem = await _try_first_placement(session)
    except NotReadyError as error:
        return StartCheck(error.fault, error.report)
    return StartCheck(problem, session.report())


async def _try_first_placement(session: Session) -> Fault | None:
    limit = session.seat.clock.control.start
    session.seat.clock = Clock(TimeControl(game=None, move=limit, grace=0))
    fault = (await session.ask()).fault
    if fault is None or fault.is_void:
        return fault
    if fault.termination is Termination.TIMEOUT:
        return Fault(Code.NOT_READY, {**fault.facts, "wanted": "placement", "limit": limit * MS})
    if fault.termination in (Termination.ILLEGAL, Termination.SYNTAX):
        return Fault(Code.BAD_PLACEMENT, {"text": describe(fault)})
    return Fault(Code.ENDED_BEFORE, {"wanted": "placement", "end": fault})
