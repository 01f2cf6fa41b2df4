"""One game between two bots: who is asked when, and what becomes of the answers.

A complete line that was read is taken first; without a line, a process that is gone has crashed,
and one that is past its limit has lost on time.
"""

import time
from datetime import UTC, datetime

import trio

from arbiter.isolation.launch import StartError
from arbiter.match.bell import Bell
from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, ClockKind, Spent
from arbiter.match.codecup_seat import CodecupSeat
from arbiter.match.dialogue import Ear
from arbiter.match.dvp_seat import DvpSeat
from arbiter.match.game import GameResult, GameSetup, Observer, PlyRecord, Result, won_by
from arbiter.match.heartbeat import Heartbeat
from arbiter.match.seat import Seat, Turn
from arbiter.match.termination import Termination
from arbiter.match.verdict import Failure, ForfeitError, NobodysFaultError, judge_answer, judge_time
from protocol.rules import Ply, Side

_SAMPLE = 20 * MS
"""How often counters are read while a bot thinks: threads that end in between take theirs with them."""
_LONGEST_CONTEST = 1_000 * MS


async def play_game(setup: GameSetup, observer: Observer | None = None, ear: Ear | None = None) -> GameResult:
    """Play one game from start to end, with two processes of its own.

    ``observer`` hears of every ply, ``ear`` of every piece that is said. Returns whatever the bots do;
    only a fault of the arbiter itself raises. Neither process nor any of their children outlives the
    call, however it ends.
    """
    return await _Game(setup, observer, ear).play()


class _Game:
    def __init__(self, setup: GameSetup, observer: Observer | None, ear: Ear | None) -> None:
        self._setup = setup
        self._observer = observer
        self._bell = Bell()
        self._heartbeat = Heartbeat(self._bell)
        self._seats = {side: make_seat(side, setup, self._bell, ear) for side in Side}
        self._position = setup.start
        self._plies: list[PlyRecord] = []
        # In the order in which they happened: the first one decides the game.
        self._failures: dict[Side, Failure] = {}
        self._both_failed = False
        self._nobodys_fault: str | None = None
        self._answer: str | None = None

    async def play(self) -> GameResult:
        started_at = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
        began = time.monotonic()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._heartbeat.run)
            try:
                await self._seat_both(nursery)
                if not self._failures:
                    await self._play_on()
                self._part()
            finally:
                await self._clear_table()
                nursery.cancel_scope.cancel()
        return self._report(started_at, time.monotonic() - began)

    async def _seat_both(self, nursery: trio.Nursery) -> None:
        """Start both bots side by side; note who could not."""

        async def get_ready(seat: Seat) -> None:
            try:
                seat.spawn(nursery)
            except StartError as error:
                self._failures[seat.side] = Failure(Termination.START, str(error))
                return
            failure = await seat.get_ready()
            if failure is not None:
                self._failures[seat.side] = failure

        async with trio.open_nursery() as starting:
            for seat in self._seats.values():
                starting.start_soon(get_ready, seat)
        self._both_failed = len(self._failures) == 2
        ready_at = time.monotonic_ns()
        for seat in self._seats.values():
            seat.ready_at = ready_at
            if not self._failures:
                seat.rest()

    async def _play_on(self) -> None:
        """Play until the board, a failure or nobody's fault ends the game."""
        try:
            while not self._position.is_over:
                side = self._position.to_move
                try:
                    self._play_ply(side, *await self._next_ply(side))
                except ForfeitError as forfeit:
                    if not await self._goes_on_after(forfeit):
                        return
        except NobodysFaultError as error:
            if not self._failures:
                self._nobodys_fault = str(error)

    def _play_ply(self, side: Side, ply: Ply, record: PlyRecord) -> None:
        self._position = self._position.play(ply)
        self._plies.append(record)
        if not self._position.is_over and side.other not in self._failures:
            self._seats[side.other].tell(ply.text)
        if self._observer is not None:
            self._observer(record, self._position)

    async def _next_ply(self, side: Side) -> tuple[Ply, PlyRecord]:
        seat = self._seats[side]
        if side in self._failures:
            return self._substitute(seat)
        ply, spent = await self._get_ply(seat, self._seats[side.other])
        return ply, PlyRecord(ply.text, seat.clock.last_charge, seat.clock.left, spent, dict(seat.info))

    def _substitute(self, seat: Seat) -> tuple[Ply, PlyRecord]:
        """The first legal ply by its text, in place of a bot that failed."""
        ply = min(self._position.legal_plies(), key=lambda each: each.text)
        return ply, PlyRecord(ply.text, 0, seat.clock.left, Spent(), {"substitute": "1"})

    async def _goes_on_after(self, forfeit: ForfeitError) -> bool:
        """Note a failure; whether the other side plays on against substituted plies."""
        is_first = not self._failures
        self._failures[forfeit.side] = forfeit.failure
        if is_first:
            self._answer = forfeit.answer
        if not (is_first and self._setup.substitute and forfeit.failure.termination.is_forfeit):
            return False
        seat = self._seats[forfeit.side]
        self._say_end(seat)
        await seat.leave(forfeit.failure)
        return True

    async def _get_ply(self, seat: Seat, other: Seat) -> tuple[Ply, Spent]:
        """Ask for one ply unless that was done, wait for the answer, judge it; the ply and what it took.

        Raises:
            ForfeitError: when one of the two lost the game instead.
            NobodysFaultError: when it cannot be judged fairly.
        """
        if not seat.owes:
            await seat.process.drain()
            seat.ask(self._turn(other))
        await self._wait(seat, other)
        if self._heartbeat.standstill is not None:
            raise NobodysFaultError(f"the arbiter stood still for {self._heartbeat.standstill:.0f} s")
        if not seat.has_answer:
            await self._raise_fault(seat, other)
        answer = seat.take_answer()
        spent = seat.stopwatch.answered(answer.reading)
        judge_time(seat.clock, spent, seat.side, self._contestable(seat, spent))
        return judge_answer(answer.text, self._position), spent

    def _turn(self, other: Seat) -> Turn:
        plies = [record.ply for record in self._plies]
        return Turn(len(plies) + 1, self._position, plies, other.clock)

    async def _wait(self, seat: Seat, other: Seat) -> None:
        """Wait until there is something to judge, past the limit as long as a loss could be contested."""

        def is_decided() -> object:
            is_faulty = seat.has_fault(on_turn=True) or self._has_idle_fault(other)
            return seat.has_answer or is_faulty or self._heartbeat.standstill is not None

        # The counters are read only after a first wait: a quick answer must not wait for that.
        rest = seat.clock.limit - (time.monotonic_ns() - seat.stopwatch.started_at)
        while rest > 0:
            await self._bell.wait(is_decided, time.monotonic_ns() + min(rest, _SAMPLE))
            if is_decided():
                return
            spent = self._spent_now(seat)
            rest = -seat.clock.overrun(spent)
            if rest <= 0:
                # What the machine takes may still grow while the bot waits for it.
                rest += self._contestable(seat, spent)
        # The answer may have arrived at the very moment at which the wait ended.
        await seat.process.drain()

    def _spent_now(self, seat: Seat) -> Spent:
        return seat.stopwatch.spent(seat.stopwatch.read(time.monotonic_ns()))

    def _contestable(self, seat: Seat, spent: Spent) -> int:
        """Nanoseconds of this ply that the machine took and not the bot: waiting for a core, our own lag."""
        # The other clocks do not charge for waiting in the first place.
        wait = spent.wait if seat.clock.control.clock is ClockKind.WALL else 0
        return min(_LONGEST_CONTEST, wait + self._heartbeat.lag(seat.stopwatch.started_at))

    def _has_idle_fault(self, seat: Seat) -> bool:
        return seat.side not in self._failures and seat.has_fault(on_turn=False)

    async def _raise_fault(self, seat: Seat, other: Seat) -> None:
        if seat.has_fault(on_turn=True):
            raise ForfeitError(seat.side, await seat.fault())
        if self._has_idle_fault(other):
            raise ForfeitError(other.side, await other.fault())
        raise ForfeitError(seat.side, seat.overdue())

    # The end

    def _verdict(self) -> tuple[Result, Termination]:
        if self._both_failed or self._nobodys_fault is not None:
            return "*", Termination.VOID
        for side, failure in self._failures.items():
            return won_by(side.other), failure.termination
        return won_by(self._position.winner), Termination.NORMAL

    def _part(self) -> None:
        for seat in self._seats.values():
            if seat.is_running and not seat.has_left:
                self._say_end(seat)

    def _say_end(self, seat: Seat) -> None:
        result, termination = self._verdict()
        seat.say_end(result, self._position.score, termination, self._failures.get(seat.side))

    async def _clear_table(self) -> None:
        async with trio.open_nursery() as leaving:
            for side, seat in self._seats.items():
                leaving.start_soon(seat.leave, self._failures.get(side))

    def _report(self, started_at: str, seconds: float) -> GameResult:
        result, termination = self._verdict()
        is_void = termination is Termination.VOID
        went_well = termination in (Termination.NORMAL, Termination.RESIGN)
        white, black = (self._seats[side].report(with_transcript=not went_well) for side in Side)
        return GameResult(
            result=result,
            termination=termination,
            detail=self._nobodys_fault or self._failure_details(),
            offender=None if is_void else next(iter(self._failures), None),
            plies=tuple(self._plies),
            answer=self._answer,
            score=self._position.score,
            final=self._position.dpos,
            white=white,
            black=black,
            started_at=started_at,
            seconds=seconds,
            both_failed=self._both_failed,
            lag=self._heartbeat.worst,
        )

    def _failure_details(self) -> str:
        if len(self._failures) < 2:
            return "".join(failure.detail for failure in self._failures.values())
        return "; ".join(f"{side.word}: {self._failures[side].detail}" for side in Side)


def make_seat(side: Side, setup: GameSetup, bell: Bell, ear: Ear | None = None) -> Seat:
    """The seat for the dialect that the bot speaks; ``ear`` hears all that is said there."""
    is_codecup = setup.competitor(side).bot.dialect is Dialect.CODECUP
    seat: Seat = CodecupSeat(side, setup, bell) if is_codecup else DvpSeat(side, setup, bell)
    seat.ear = ear
    return seat
