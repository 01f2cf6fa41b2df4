"""One bot at a board without an opponent: it is asked for plies, in a game or out of one."""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import trio

from arbiter.isolation.launch import StartError
from arbiter.match.bell import Bell
from arbiter.match.clock import MS
from arbiter.match.dialogue import Ear
from arbiter.match.game import BotReport, GameSetup
from arbiter.match.referee import make_seat
from arbiter.match.seat import Seat, Turn
from arbiter.match.termination import Termination
from arbiter.match.verdict import Failure, ForfeitError, judge_answer, judge_time
from protocol.rules import Ply, Side

_SAMPLE = 20 * MS
"""How often the counters of a thinking bot are read; as in a game."""


class NotReadyError(Exception):
    """A bot could not be seated; ``failure`` says why, ``report`` what is known about it."""

    def __init__(self, failure: Failure, report: BotReport) -> None:
        super().__init__(failure.detail)
        self.failure = failure
        self.report = report


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question: a legal ``ply``, or a failure, which resigning is here as well.

    ``answer`` is what the bot said, None when it said no ply; ``used`` is in ns of elapsed time; ``info``
    is what it said while it thought.
    """

    ply: Ply | None
    answer: str | None
    failure: Failure | None
    used: int
    info: Mapping[str, str] = field(default_factory=dict)


class Sitting:
    """A bot that is seated and ready. After a failure nothing more may be asked."""

    def __init__(self, seat: Seat, bell: Bell) -> None:
        self.seat = seat
        self.failure: Failure | None = None
        self._bell = bell

    async def ask(self, turn: Turn) -> Reply:
        """Ask for a ply, and judge the answer as in a game."""
        seat = self.seat
        await seat.process.drain()
        seat.ask(turn)
        try:
            text, used = await self._answer()
            ply = judge_answer(text, turn.position)
        except ForfeitError as forfeit:
            self.failure = forfeit.failure
            took = time.monotonic_ns() - seat.stopwatch.started_at
            return Reply(None, forfeit.answer, forfeit.failure, took, dict(seat.info))
        return Reply(ply, text, None, used, dict(seat.info))

    async def watch(self, patience: int) -> Reply:
        """Ask for nothing, as in the opponent's turn, and wait ``patience`` ns for the bot to fail."""
        seat, began = self.seat, time.monotonic_ns()

        def has_failed() -> bool:
            return seat.has_fault(on_turn=False)

        await self._bell.wait(has_failed, began + patience)
        self.failure = await seat.fault() if has_failed() else None
        return Reply(None, None, self.failure, time.monotonic_ns() - began)

    async def _answer(self) -> tuple[str | None, int]:
        seat = self.seat
        await self._wait()
        if not seat.has_answer:
            failure = await seat.fault() if seat.has_fault(on_turn=True) else seat.overdue()
            raise ForfeitError(seat.side, failure)
        answer = seat.take_answer()
        spent = seat.stopwatch.answered(answer.reading)
        judge_time(seat.clock, spent, seat.side, 0)
        return answer.text, spent.wall

    async def _wait(self) -> None:
        """Wait until there is something to judge, or its limit has passed."""
        seat = self.seat

        def is_decided() -> bool:
            return seat.has_answer or seat.has_fault(on_turn=True)

        rest = seat.clock.limit
        while rest > 0:
            await self._bell.wait(is_decided, time.monotonic_ns() + min(rest, _SAMPLE))
            if is_decided():
                return
            spent = seat.stopwatch.spent(seat.stopwatch.read(time.monotonic_ns()))
            rest = -seat.clock.overrun(spent)
        # The answer may have arrived at the very moment at which the wait ended.
        await seat.process.drain()

    def report(self) -> BotReport:
        """What is known about the bot so far."""
        return self.seat.report(with_transcript=False)


@asynccontextmanager
async def sit_down(side: Side, setup: GameSetup, ear: Ear | None = None) -> AsyncIterator[Sitting]:
    """Start the bot of this side and make it ready; on leaving it is ended, at once if it failed.

    Raises:
        NotReadyError: when it cannot be started, or does not get ready.
    """
    bell = Bell()
    sitting = Sitting(make_seat(side, setup, bell, ear), bell)
    error: Exception | None = None
    async with trio.open_nursery() as nursery:
        try:
            sitting.failure = await _get_ready(sitting.seat, nursery)
            if sitting.failure is None:
                yield sitting
        except Exception as caught:
            # Raised again below, where the nursery does not make a group of it.
            error = caught
        finally:
            await sitting.seat.leave(sitting.failure)
            nursery.cancel_scope.cancel()
    if error is not None:
        raise error
    if not sitting.seat.ready_at and sitting.failure is not None:
        raise NotReadyError(sitting.failure, sitting.report())


async def _get_ready(seat: Seat, nursery: trio.Nursery) -> Failure | None:
    """Start the bot and do what its dialect wants; why it failed, if it did."""
    try:
        seat.spawn(nursery)
    except StartError as error:
        return Failure(Termination.START, str(error))
    failure = await seat.get_ready()
    if failure is None:
        seat.ready_at = time.monotonic_ns()
    return failure
