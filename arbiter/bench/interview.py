"""Putting a list of positions to a bot, out of any game."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import trio

from arbiter.bench.positions import Question
from arbiter.match.bot import Bot
from arbiter.match.clock import MS, TimeControl
from arbiter.match.fault import Fault
from arbiter.match.game import Competitor, GameSetup
from arbiter.match.judging import Reply
from arbiter.match.session import NotReadyError, Session, open_session
from arbiter.match.wording import describe
from protocol.rules import Position, Side

_STALL = 30_000
"""Milliseconds of silence about a position that are none of the bot's thinking any more."""
_MOST_FAILURES = 3


class InterviewError(Exception):
    """A bot that cannot be asked, or fails again and again; the text says which and why."""

    def __init__(self, bot: str, fault: Fault, text: str) -> None:
        super().__init__(f"{bot}: {text}")
        self.termination = fault.termination


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds the thinking about one position: one of the three; ``time`` in ms."""

    nodes: int | None = None
    depth: int | None = None
    time: int | None = None

    def __str__(self) -> str:
        pairs = (("nodes", self.nodes), ("depth", self.depth), ("movetime", self.time))
        return ", ".join(f"{name} {value}" for name, value in pairs if value is not None)

    @property
    def control(self) -> TimeControl:
        """The clock that says the same: none, and silence is bounded, or a time for each ply."""
        if self.time is None:
            return TimeControl(game=None, stall=_STALL)
        return TimeControl(game=None, move=self.time, grace=_STALL)


Teller = Callable[[Question, Reply], None]


async def interview(
    bot: Bot,
    questions: Sequence[Question],
    limits: Limits,
    seed: int,
    cores: trio.CapacityLimiter,
    tell: Teller,
) -> None:
    """Ask a bot for its ply in each of the positions; ``tell`` gets the answers as they come.

    White's positions and Black's go to a process each, since a bot may know its side from the start of
    the game. After a failure the bot is started anew. No more bots think at a time than ``cores`` allows.

    Raises:
        InterviewError: when the bot cannot be started, or fails three times in a row.
    """
    async with trio.open_nursery() as nursery:
        for side in Side:
            own = deque(each for each in questions if each.position.to_move is side)
            if own:
                nursery.start_soon(_Interview(bot, side, limits, seed, cores, tell).hold, own)


class _Interview:
    def __init__(
        self,
        bot: Bot,
        side: Side,
        limits: Limits,
        seed: int,
        cores: trio.CapacityLimiter,
        tell: Teller,
    ) -> None:
        self._bot = bot
        self._side = side
        self._limits = limits
        # Both versions hear the same of their opponent.
        other = Bot("nobody", bot.argv, bot.directory)
        competitors = {
            side: Competitor(bot, limits.control, seed),
            side.other: Competitor(other, limits.control),
        }
        self._setup = GameSetup(
            competitors[Side.WHITE],
            competitors[Side.BLACK],
            Position.start(),
            depth=limits.depth,
            nodes=limits.nodes,
        )
        self._cores = cores
        self._tell = tell
        self._failures = 0

    async def hold(self, questions: deque[Question]) -> None:
        while questions:
            try:
                async with open_session(self._side, self._setup) as session:
                    while questions and await self._ask_next(session, questions):
                        pass
            except NotReadyError as error:
                raise InterviewError(self._bot.name, error.fault, str(error)) from None

    async def _ask_next(self, session: Session, questions: deque[Question]) -> bool:
        """Ask what comes first; whether the bot can be asked on."""
        question = questions.popleft()
        async with self._cores:
            # A little late each time is no failure, however many positions there are.
            session.seat.clock.grace_left = self._limits.control.grace * MS
            session.referee.set_up(question.start, question.plies)
            reply = await session.ask()
        if reply.failure is None:
            self._failures = 0
        else:
            self._count_failure(reply.failure)
        if reply.failure is not None and reply.failure.is_void:
            questions.appendleft(question)  # the machine was too busy: once more
        else:
            self._tell(question, reply)
        return reply.failure is None

    def _count_failure(self, failure: Fault) -> None:
        self._failures += 1
        if self._failures == _MOST_FAILURES:
            why = f"failed {_MOST_FAILURES} times in a row, the last by {failure.termination}"
            raise InterviewError(self._bot.name, failure, f"{why}: {describe(failure)}")
