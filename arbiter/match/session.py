"""One bot without an opponent: asked for plies in a game or out of one, and judged by the same referee."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from arbiter.match.dialogue import Ear
from arbiter.match.driver import Table
from arbiter.match.fault import Fault
from arbiter.match.game import BotReport, GameSetup, PlyRecord
from arbiter.match.judging import Reply
from arbiter.match.process import BotProcess
from arbiter.match.referee import Referee
from arbiter.match.seat import Guest, Seat, Turn
from arbiter.match.wording import describe
from protocol.rules import Ply, Side


class NotReadyError(Exception):
    """A bot could not be started, or did not get ready; ``report`` is what is known about it."""

    def __init__(self, fault: Fault, report: BotReport) -> None:
        super().__init__(describe(fault))
        self.fault = fault
        self.report = report


class Session:
    """A bot on one side and a guest on the other. After a fault nothing more may be asked."""

    def __init__(self, table: Table, side: Side) -> None:
        self.table = table
        self.referee = table.referee
        self.side = side

    @property
    def seat(self) -> Seat:
        return self.referee.seats[self.side]

    @property
    def guest(self) -> Seat:
        return self.referee.seats[self.side.other]

    @property
    def process(self) -> BotProcess:
        """The bot's program. Raises LookupError when none was started."""
        process = self.table.process(self.side)
        if process is None:
            raise LookupError("no program was started")
        return process

    @property
    def fault(self) -> Fault | None:
        """Why the bot lost, or why nothing can be judged any more."""
        return self.referee.faults.get(self.side) or self.referee.void

    async def ask(self, turn: Turn | None = None) -> Reply:
        """Ask the bot for the next ply, or what ``turn`` says, and judge the answer as in a game."""
        self.begin_asking(turn)
        return await self.reply()

    def begin_asking(self, turn: Turn | None = None) -> None:
        """Ask whoever is to move, and do not wait for the answer."""
        self.table.perform(lambda: self.referee.ask(turn))

    async def reply(self) -> Reply:
        """The answer to the open question, or why there will be none."""
        await self.table.until(lambda: self.referee.reply is not None or self.referee.is_over)
        return self.referee.reply or Reply(None, None, self.referee.fault)

    def play(self, ply: Ply, record: PlyRecord | None = None) -> None:
        """Play a ply for the side to move; the bot hears of its opponent's."""
        self.table.perform(lambda: self.referee.play(ply, record))

    async def exits_within(self, seconds: float) -> bool:
        """Wait for the end of a bot that was told to quit; whether it came in so many seconds."""
        return await self.table.exits_within(self.side, seconds)

    async def fails_within(self, seconds: float) -> Fault | None:
        """Ask for nothing and wait whether the bot fails; its fault, if it does."""
        await self.table.until(lambda: self.fault is not None, seconds)
        return self.fault

    def finish(self) -> None:
        """Tell the bot that the game is over."""
        self.table.perform(self.referee.finish)

    def report(self) -> BotReport:
        """What is known about the bot so far."""
        return self.table.report(self.side)


@asynccontextmanager
async def start_session(
    side: Side, setup: GameSetup, ear: Ear | None = None, seat: type[Seat] | None = None
) -> AsyncIterator[Session]:
    """Start the bot of this side, which need not work; on leaving it is ended, at once if it failed.

    ``ear`` hears all that is said; ``seat`` is another kind of seat than that of the bot's dialect.
    """
    kinds: dict[Side, type[Seat]] = {side.other: Guest}
    if seat is not None:
        kinds[side] = seat
    session = Session(Table(Referee(setup, kinds, leads=False), ear=ear), side)
    async with session.table.open():
        session.table.spawn(side)
        yield session


@asynccontextmanager
async def open_session(side: Side, setup: GameSetup, ear: Ear | None = None) -> AsyncIterator[Session]:
    """Start the bot of this side and make it ready; on leaving it is ended, at once if it failed.

    Raises:
        NotReadyError: when it cannot be started, or does not get ready.
    """
    async with start_session(side, setup, ear) as session:
        await session.table.until(lambda: session.referee.has_begun or session.referee.is_over)
        if session.fault is None:
            yield session
            return
    raise NotReadyError(session.fault, session.report())
