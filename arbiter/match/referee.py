"""One game between two bots: who is asked when, and how every answer is judged.

The order of judging is that of ``protocol/SPEC.md``: a complete line that was read is taken first
and judged by its time stamp, then by its form, then by the rules; without a line, a process that
is gone has crashed, and one that is past its limit has lost on time.
"""

import time
from datetime import UTC, datetime

import trio

from arbiter.isolation.launch import StartError
from arbiter.match.bell import Bell
from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, ClockKind, Spent
from arbiter.match.codecup_seat import CodecupSeat
from arbiter.match.dvp_seat import DvpSeat
from arbiter.match.game import GameResult, GameSetup, Observer, PlyRecord, Result, won_by
from arbiter.match.heartbeat import Heartbeat
from arbiter.match.seat import Failure, Seat, Turn
from arbiter.match.termination import Termination
from protocol.errors import PlySyntaxError
from protocol.rules import Ply, Side, parse_ply

_SAMPLE = 50 * MS
"""How often counters are read while a bot thinks: threads that end in between take theirs with them."""
_LONGEST_CONTEST = 1_000 * MS


class _Forfeit(Exception):  # noqa: N818 (an event of the game, not an error of the program)
    """A side lost without the board saying so."""

    def __init__(self, side: Side, failure: Failure, answer: str | None = None) -> None:
        super().__init__(side, failure, answer)
        self.side = side
        self.failure = failure
        self.answer = answer


class _NobodysFault(Exception):  # noqa: N818 (as above)
    """The game cannot be judged fairly: it is void."""


async def play_game(setup: GameSetup, observer: Observer | None = None) -> GameResult:
    """Play one game from start to end, with two processes of its own.

    Returns whatever the bots do; only a fault of the arbiter itself raises. Neither process nor any
    of their children outlives the call, however it ends.
    """
    return await _Game(setup, observer).play()


class _Game:
    def __init__(self, setup: GameSetup, observer: Observer | None) -> None:
        self._setup = setup
        self._observer = observer
        self._bell = Bell()
        self._seats = {side: make_seat(side, setup, self._bell) for side in Side}
        self._position = setup.start
        self._plies: list[PlyRecord] = []
        self._failures: dict[Side, Failure] = {}
        self._nobodys_fault: str | None = None
        self._answer: str | None = None
        self._spent = Spent()
        self._heartbeat = Heartbeat(self._bell)

    async def play(self) -> GameResult:
        started_at = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
        began = time.monotonic()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._heartbeat.run)
            try:
                result, termination = await self._play_inside(nursery)
            finally:
                await self._clear_table()
                nursery.cancel_scope.cancel()
        return self._report(result, termination, started_at, time.monotonic() - began)

    async def _play_inside(self, nursery: trio.Nursery) -> tuple[Result, Termination]:
        await self._seat_both(nursery)
        if not self._failures:
            try:
                await self._play_on()
            except _Forfeit as forfeit:
                self._failures[forfeit.side] = forfeit.failure
                self._answer = forfeit.answer
            except _NobodysFault as fault:
                self._nobodys_fault = str(fault)
        result, termination = self._verdict()
        for side, seat in self._seats.items():
            if seat.is_running:
                seat.say_end(result, self._position.score, termination, self._failures.get(side))
        return result, termination

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
        ready_at = time.monotonic_ns()
        for seat in self._seats.values():
            seat.ready_at = ready_at
            if not self._failures:
                seat.rest()

    async def _play_on(self) -> None:
        while not self._position.is_over:
            side = self._position.to_move
            seat, other = self._seats[side], self._seats[side.other]
            ply = await self._get_ply(seat, other)
            self._position = self._position.play(ply)
            record = PlyRecord(
                ply.text, seat.clock.last_charge, seat.clock.left, self._spent, dict(seat.info)
            )
            self._plies.append(record)
            seat.rest()
            if not self._position.is_over:
                other.tell(ply.text)
            if self._observer is not None:
                self._observer(record, self._position)

    async def _get_ply(self, seat: Seat, other: Seat) -> Ply:
        """Ask for one ply, wait for the answer, judge it.

        Raises:
            _Forfeit: when one of the two lost the game instead.
        """
        seat.ask(self._turn(other))
        await self._wait(seat, other)
        if self._heartbeat.standstill is not None:
            raise _NobodysFault(f"the arbiter stood still for {self._heartbeat.standstill:.0f} s")
        if not seat.has_answer:
            await self._raise_fault(seat, other)
        return self._judge(seat)

    async def _wait(self, seat: Seat, other: Seat) -> None:
        """Wait until there is something to judge, past the limit as long as a loss could be contested."""

        def is_decided() -> object:
            is_faulty = seat.has_fault(on_turn=True) or other.has_fault(on_turn=False)
            return seat.has_answer or is_faulty or self._heartbeat.standstill is not None

        # The counters are read only after a first wait: a quick answer must not wait for that.
        spent = Spent()
        rest = seat.clock.limit - (time.monotonic_ns() - seat.stopwatch.started_at)
        while rest > 0:
            await self._bell.wait(is_decided, time.monotonic_ns() + min(rest, _SAMPLE))
            if is_decided():
                return
            spent = self._spent_now(seat)
            rest = -seat.clock.overrun(spent)
        await self._bell.wait(is_decided, time.monotonic_ns() + self._contestable(seat, spent) + rest)
        # The answer may have arrived at the very moment at which the wait ended.
        seat.process.poll_output()

    def _spent_now(self, seat: Seat) -> Spent:
        return seat.stopwatch.spent(seat.stopwatch.read(time.monotonic_ns()))

    def _contestable(self, seat: Seat, spent: Spent) -> int:
        """Nanoseconds of this ply that the machine took and not the bot: waiting for a core, our own lag."""
        wait = 0 if seat.clock.control.clock is ClockKind.FAIR else spent.wait
        return min(_LONGEST_CONTEST, wait + self._heartbeat.lag(seat.stopwatch.started_at))

    def _turn(self, other: Seat) -> Turn:
        plies = [record.ply for record in self._plies]
        return Turn(len(plies) + 1, self._position, plies, other.clock)

    async def _raise_fault(self, seat: Seat, other: Seat) -> None:
        if seat.has_fault(on_turn=True):
            raise _Forfeit(seat.side, await seat.fault())
        if other.has_fault(on_turn=False):
            raise _Forfeit(other.side, await other.fault())
        raise _Forfeit(seat.side, seat.overdue())

    def _judge(self, seat: Seat) -> Ply:
        answer = seat.take_answer()
        self._spent = seat.stopwatch.answered(answer.reading)
        self._judge_time(seat, self._spent)
        if answer.text is None:
            raise _Forfeit(seat.side, Failure(Termination.RESIGN, ""))
        try:
            ply = parse_ply(answer.text)
        except PlySyntaxError as error:
            raise _Forfeit(seat.side, Failure(Termination.SYNTAX, str(error)), answer.text) from None
        illegal = self._position.check(ply)
        if illegal is not None:
            raise _Forfeit(seat.side, Failure(Termination.ILLEGAL, str(illegal)), answer.text)
        return ply

    def _judge_time(self, seat: Seat, spent: Spent) -> None:
        """Charge the clock; a loss on time stands only when the machine cannot have caused it."""
        limit, overrun = seat.clock.limit, seat.clock.overrun(spent)
        used = seat.clock.control.clock.charge(spent)
        if overrun <= 0:
            seat.clock.charge(used)
            return
        late = f"answered after {used / MS:.1f} ms, {overrun / MS:.1f} ms past its limit of {limit // MS} ms"
        taken = self._contestable(seat, spent)
        if overrun <= taken:
            raise _NobodysFault(f"{seat.bot.name} {late}; the machine took {taken / MS:.1f} ms of it")
        raise _Forfeit(seat.side, Failure(Termination.TIMEOUT, late))

    def _verdict(self) -> tuple[Result, Termination]:
        if len(self._failures) == 2 or self._nobodys_fault is not None:
            return "*", Termination.VOID
        for side, failure in self._failures.items():
            return won_by(side.other), failure.termination
        return won_by(self._position.winner), Termination.NORMAL

    async def _clear_table(self) -> None:
        async with trio.open_nursery() as leaving:
            for side, seat in self._seats.items():
                leaving.start_soon(seat.leave, self._failures.get(side))

    def _report(
        self, result: Result, termination: Termination, started_at: str, seconds: float
    ) -> GameResult:
        details = [f"{side.word}: {failure.detail}" for side, failure in self._failures.items()]
        only = next(iter(self._failures), None) if len(self._failures) == 1 else None
        if only is not None:
            details = [self._failures[only].detail]
        if self._nobodys_fault is not None:
            details = [self._nobodys_fault]
        return GameResult(
            result=result,
            termination=termination,
            detail="; ".join(details),
            offender=only,
            plies=tuple(self._plies),
            answer=self._answer,
            score=self._position.score,
            final=self._position.dpos,
            white=self._seats[Side.WHITE].report(),
            black=self._seats[Side.BLACK].report(),
            started_at=started_at,
            seconds=seconds,
            both_failed=len(self._failures) == 2,
            lag=self._heartbeat.worst,
        )


def make_seat(side: Side, setup: GameSetup, bell: Bell) -> Seat:
    dialect = setup.competitor(side).bot.dialect
    return CodecupSeat(side, setup, bell) if dialect is Dialect.CODECUP else DvpSeat(side, setup, bell)
