"""Driving a referee with trio: owns the programs of one game, feeds it what happens, does what it wants.

Bytes are read, judged and answered with the next bot's question in one task step: the task that reads a
bot's output hands the bytes to the referee and writes what the referee wants written. What is not urgent
(deadlines, output that takes long to read, the end of programs) is done by other tasks of the same table.
"""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from math import inf

import trio

from arbiter.isolation.launch import StartError
from arbiter.match.actions import Action, Dismiss, Drain, Note, Played, Rest, Write
from arbiter.match.clock import Reading
from arbiter.match.dialogue import Ear, Said, Voice
from arbiter.match.fault import Code, Fault
from arbiter.match.game import BotReport, GameResult, GameSetup, Observer
from arbiter.match.process import BotProcess
from arbiter.match.referee import Look, Referee
from arbiter.match.termination import Termination
from arbiter.match.ticker import Ticker, ticking
from protocol.rules import Side

_QUICK_BITES = 2
"""Bites of a bot's output that are read at once before a question; more is read with pauses for others."""
_MOST_BITES = 1_100
"""More than a pipe holds, however short the lines are; what is written meanwhile may wait."""
IDLE_SPEED = 100_000
"""Bytes a second that are read of a bot in its opponent's turn, past ``IDLE_FREE``."""
IDLE_FREE = 8_192
_NEVER = 2**63
_LINE_COST = 64
"""A line costs as much time to make sense of as so many bytes."""


class Table:
    """The programs of one game and their referee."""

    def __init__(self, referee: Referee, observer: Observer | None = None, ear: Ear | None = None) -> None:
        self.referee = referee
        self.worst_lag = 0
        self._observer = observer
        self._ear = ear
        self._processes: dict[Side, BotProcess] = {}
        self._idle_budget: dict[Side, _IdleBudget] = {}
        self._nursery: trio.Nursery
        self._ticker: Ticker
        self._waiting: dict[trio.Event, Callable[[], object]] = {}
        self._is_performing = False
        self._alarm, self._alarm_at = trio.CancelScope(), _NEVER
        self._slow: Drain | None = None
        self._has_slow = trio.Event()
        self._cpu_at_tick: dict[Side, int] = {}

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Be there for a game; whatever was started is gone afterwards."""
        error: BaseException | None = None
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            with ticking(self, nursery) as self._ticker:
                nursery.start_soon(self._watch_deadlines)
                nursery.start_soon(self._drain_slowly)
                try:
                    yield
                except Exception as caught:
                    # Raised again below, where the nursery does not make a group of it.
                    error = caught
                finally:
                    await self._leave_all()
                    nursery.cancel_scope.cancel()
        if error is not None:
            raise error

    # --- programs ----------------------------------------------------------------------------------------

    def spawn(self, side: Side) -> None:
        """Start the program of this side and let the referee begin with it."""
        setup = self.referee.setup
        self._ticker.look()
        overhear = None if self._ear is None else self._overhearing(side, self._ear)
        try:
            process = BotProcess(setup.competitor(side).bot, setup.cores, overhear)
        except StartError as error:
            self.referee.not_spawned(side, Fault(Code.CANNOT_START, {"text": str(error)}))
            self._perform()
            return
        self._ticker.look()
        self._processes[side] = process
        self._ticker.watch(process.output)
        self._idle_budget[side] = _IdleBudget(process.spawned_at)
        for task in (self._read, self._watch_exit, self._watch_limits):
            self._nursery.start_soon(task, side)
        self._nursery.start_soon(process.read_stderr)
        self.referee.spawned(side, process.spawned_at)
        self._perform()

    @staticmethod
    def _overhearing(side: Side, ear: Ear) -> Callable[[Voice, int, bytes], None]:
        return lambda voice, stamp, data: ear(Said(side, voice, stamp, data))

    def process(self, side: Side) -> BotProcess | None:
        """The program of a side, if one was started."""
        return self._processes.get(side)

    # --- what happens ------------------------------------------------------------------------------------

    async def _read(self, side: Side) -> None:
        """Read a bot's output: in its own turn as fast as it comes, in its opponent's at a bounded speed."""
        process, seat = self._processes[side], self.referee.seats[side]
        try:
            while not process.output_ended:
                await process.wait_readable()
                if seat.wanted:
                    self._take(side)
                else:
                    await self._take_idly(side)
        except trio.ClosedResourceError:
            return

    async def _take_idly(self, side: Side) -> None:
        """Read a bot in its opponent's turn, whom reading a talkative bot must not cost time."""
        budget, seat = self._idle_budget[side], self.referee.seats[side]
        while (pause := budget.pause(time.monotonic_ns())) > 0 and not seat.wanted:
            await self.until(lambda: seat.wanted, pause / 1e9)
        data = self._take(side)
        budget.spend(len(data) + _LINE_COST * data.count(b"\n"))

    def _take(self, side: Side) -> bytes:
        """Read a bite of a bot's output and let the referee judge it."""
        process = self._processes[side]
        had_ended = process.output_ended
        taken = process.take()
        lag = 0 if taken is None else self._ticker.lag(process.output, taken[1])
        if process.is_dry:
            self._ticker.found_empty(process.output)
        if taken is not None:
            data, stamp = taken
            self._ticker.look()
            self.referee.received(side, data, self._reading(side, stamp, lag))
            self._perform()
            return data
        if process.output_ended and not had_ended:
            self.referee.ended(side, time.monotonic_ns())
            self._perform()
        return b""

    async def _watch_exit(self, side: Side) -> None:
        process = self._processes[side]
        await process.wait()
        # What it wrote before it ended counts; what a child of its own writes later does not.
        for _ in range(_MOST_BITES):
            if not self._take(side):
                break
            await trio.lowlevel.checkpoint()
        process.output_ended = True
        self.referee.ended(side, time.monotonic_ns())
        self._perform()

    async def _watch_limits(self, side: Side) -> None:
        process = self._processes[side]
        await process.watch_limits()
        process.output_ended = True
        self.referee.ended(side, time.monotonic_ns())
        self._perform()

    async def _watch_deadlines(self) -> None:
        while True:
            moment = self.referee.wake_at
            self._alarm_at = moment if moment is not None else _NEVER
            with trio.CancelScope(deadline=self._wake_time()) as self._alarm:
                await trio.sleep_forever()
            moment = self.referee.wake_at
            if moment is not None and time.monotonic_ns() >= moment:
                self.referee.woke(time.monotonic_ns())
                self._perform()
                await trio.lowlevel.checkpoint()

    def _wake_time(self) -> float:
        moment = self.referee.wake_at
        if moment is None:
            return inf
        return trio.current_time() + (moment - time.monotonic_ns()) / 1e9

    def tick(self, late: int, stalled: int) -> None:
        """A tick: look at the counters of bots that think, and see what they used a stall for."""
        self.worst_lag = max(self.worst_lag, late)
        ran = {}
        for side, process in self._processes.items():
            is_thinking = bool(self.referee.seats[side].wanted)
            now = process.meter.tick(is_thinking=is_thinking)
            before, self._cpu_at_tick[side] = self._cpu_at_tick.get(side, now), now
            if is_thinking:
                ran[side] = now - before
        if stalled:
            self.referee.stalled(stalled, ran)
            self._perform()

    # --- what is to be done ------------------------------------------------------------------------------

    def answer(self, side: Side, text: str | None) -> None:
        """Let a guest play this now, or give up."""
        reading = Reading(time.monotonic_ns(), stalled=self._ticker.stalled())
        self.perform(lambda: self.referee.answered(side, text, reading))

    def perform(self, event: Callable[[], None]) -> None:
        """Let something happen at the referee, and do what it wants then."""
        event()
        self._perform()

    def _perform(self) -> None:
        """Do what the referee wants, until it wants nothing more; in order, also where one thing leads to
        another.
        """
        if self._is_performing:
            return
        self._is_performing = True
        try:
            while self.referee.actions:
                self._do(self.referee.actions.popleft())
        finally:
            self._is_performing = False
        moment = self.referee.wake_at
        if moment is not None and moment < self._alarm_at:
            self._alarm_at = moment
            self._alarm.deadline = self._wake_time()
        for event, condition in self._waiting.items():
            if condition():
                event.set()

    def _do(self, action: Action) -> None:
        match action:
            case Write(side, data, starts_clock):
                self._write(side, data, starts_clock=starts_clock)
            case Drain():
                self._drain(action)
            case Rest(side, is_over):
                self._rest(side, is_over=is_over)
            case Played(record, position):
                if self._observer is not None:
                    self._observer(record, position)
            case Note(side, text):
                if self._ear is not None:
                    self._ear(Said(side, Voice.NOTE, time.monotonic_ns(), text.encode() + b"\n"))
            case Dismiss(side):
                self._nursery.start_soon(self._leave, side)

    def _write(self, side: Side, data: bytes, *, starts_clock: bool) -> None:
        process = self._processes.get(side)
        if process is None:  # a guest
            self.referee.asked(side, Reading(time.monotonic_ns(), stalled=self._ticker.stalled()))
            return
        counters = process.meter.read_resting() if starts_clock else None
        had_unsent = process.has_unsent
        stamp = process.write(data)
        if process.has_unsent and not had_unsent:
            self._nursery.start_soon(process.send_rest)
        if counters is not None:
            self._begin_turn(side, stamp, counters.cpu)
            self.referee.asked(side, Reading(stamp, counters.cpu, counters.wait, 0, self._ticker.stalled()))

    def _begin_turn(self, side: Side, stamp: int, cpu: int) -> None:
        """One bot begins to think, and its opponent to rest."""
        self._cpu_at_tick[side] = cpu
        for process in self._processes.values():
            process.turn_stderr_bytes = 0
        if side.other in self._idle_budget:
            self._idle_budget[side.other].begin(stamp)

    def _rest(self, side: Side, *, is_over: bool) -> None:
        if (process := self._processes.get(side)) is not None:
            process.resume() if is_over else process.suspend()

    # --- draining ----------------------------------------------------------------------------------------

    def _drain(self, drain: Drain) -> None:
        """Read what there is; where that is much, leave it to a task that pauses for others."""
        for side in drain.sides:
            if (drain.thorough or not self._is_dry(side)) and not self._empty(side, _QUICK_BITES):
                self._slow = drain
                self._has_slow.set()
                return
        self._finish_drain(drain)

    def _is_dry(self, side: Side) -> bool:
        """Whether it is known that nothing is left to be read of a bot."""
        process = self._processes.get(side)
        return process is None or (process.is_dry and not self._ticker.may_hold(process.output))

    def _empty(self, side: Side, bites: int) -> bool:
        """Read up to so many bites of a bot's output; whether nothing is left."""
        if side not in self._processes:
            return True
        return any(not self._take(side) for _ in range(bites))

    async def _drain_slowly(self) -> None:
        while True:
            await self._has_slow.wait()
            self._has_slow = trio.Event()
            drain = self._slow
            assert drain is not None
            for side in drain.sides:
                for _ in range(_MOST_BITES):
                    if self._slow is not drain or self._empty(side, 1):
                        break
                    await trio.lowlevel.checkpoint()
            if self._slow is drain:
                self._slow = None
                self._finish_drain(drain)
                self._perform()

    def _finish_drain(self, drain: Drain) -> None:
        looks = {side: self._look(side, drain) for side in Side} if drain.thorough else {}
        self.referee.drained(drain.ticket, looks)

    def _look(self, side: Side, drain: Drain) -> Look:
        process = self._processes.get(side)
        if process is None:
            return Look(Reading(time.monotonic_ns(), stalled=self._ticker.stalled()))
        if process.look_for_exit():
            self._empty(side, _MOST_BITES)  # it may have written since it was drained
            process.output_ended = True
        return Look(self._reading(side, time.monotonic_ns(), 0, is_overdue=True), process.end())

    def _reading(self, side: Side, stamp: int, lag: int, *, is_overdue: bool = False) -> Reading:
        counters = self._processes[side].meter.read(is_overdue=is_overdue)
        stalled = self._ticker.stalled()
        return Reading(stamp, counters.cpu, counters.wait, lag, stalled, counters.ready_since)

    # --- the end -----------------------------------------------------------------------------------------

    async def until(self, condition: Callable[[], object], seconds: float = inf) -> bool:
        """Wait until a condition holds that some event brings about, for at most so long; whether it does."""
        if condition():
            return True
        event = trio.Event()
        self._waiting[event] = condition
        try:
            with trio.move_on_after(seconds):
                await event.wait()
        finally:
            del self._waiting[event]
        return bool(condition())

    async def _leave_all(self) -> None:
        self.perform(self.referee.finish)
        async with trio.open_nursery() as leaving:
            for side in self._processes:
                leaving.start_soon(self._leave, side)

    async def _leave(self, side: Side) -> None:
        """End a program: at once when it failed, else once it has had its quit grace."""
        process, fault = self._processes[side], self.referee.faults.get(side)
        try:
            if self.referee.setup.suspend_idle:
                process.resume()
            process.close_input()
            if fault is None:
                await self.exits_within(side, self.referee.setup.quit_grace)
        finally:
            with trio.CancelScope(shield=True):
                await process.kill()
            if process.is_open:
                self._ticker.unwatch(process.output)
                process.close()

    async def exits_within(self, side: Side, seconds: float) -> bool:
        """Wait for the end of a program that was told to quit; whether it came in so many seconds.

        A time in which the arbiter stalled is none of it.
        """
        rest = seconds
        while rest > 0.001:
            stalled = self._ticker.stalled()
            if await self._processes[side].wait_exit(rest):
                return True
            rest = (self._ticker.stalled() - stalled) / 1e9
        return self._processes[side].look_for_exit()

    def reports(self, *, with_transcript: bool) -> dict[Side, BotReport]:
        """What is known about both bots so far."""
        return {side: self.report(side, with_transcript=with_transcript) for side in Side}

    def report(self, side: Side, *, with_transcript: bool = False) -> BotReport:
        """What is known about a bot so far."""
        seat, process = self.referee.seats[side], self._processes.get(side)
        return BotReport(
            identity=seat.identity,
            notes=tuple(seat.notes),
            clock=seat.clock_use(),
            stderr="" if process is None else process.stderr.text(),
            transcript=process.transcript.text() if process is not None and with_transcript else "",
            isolation="" if process is None else str(process.applied),
            means=() if process is None else process.applied.means,
        )


class _IdleBudget:
    """How fast a bot is read in its opponent's turn: byte n at a time that depends on n alone."""

    def __init__(self, now: int) -> None:
        self.begin(now)

    def begin(self, now: int) -> None:
        """The opponent's turn begins."""
        self._began, self._spent = now, 0

    def spend(self, amount: int) -> None:
        """So many bytes, or what costs as much, were read."""
        self._spent += amount

    def pause(self, now: int) -> int:
        """Nanoseconds to the next read; not above 0 when it is due."""
        due = max(0, self._spent - IDLE_FREE) * 1_000_000_000 // IDLE_SPEED
        return self._began + due - now


async def play_game(setup: GameSetup, observer: Observer | None = None, ear: Ear | None = None) -> GameResult:
    """Play one game from start to end, with two processes of its own.

    ``observer`` hears of every ply, ``ear`` of every piece that is said. Returns whatever the bots do;
    only a fault of the arbiter itself raises. Neither process nor any of their children outlives the
    call, however it ends.
    """
    started_at = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    began = time.monotonic()
    referee = Referee(setup)
    table = Table(referee, observer, ear)
    async with table.open():
        for side in Side:
            table.spawn(side)
            await trio.lowlevel.checkpoint()
        await table.until(lambda: referee.is_over)
    went_well = referee.verdict()[1] in (Termination.NORMAL, Termination.RESIGN)
    reports = table.reports(with_transcript=not went_well)
    return referee.result(reports, started_at, time.monotonic() - began, table.worst_lag)
