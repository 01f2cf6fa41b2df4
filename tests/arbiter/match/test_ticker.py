"""The arbiter's own lag and stalls, with a clock and counters that are numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import pytest
import trio
import trio.testing

from arbiter.match import ticker as module
from arbiter.match.ticker import Arrivals, OwnCounters, Ticker, ticking

MS = 1_000_000


class Listener:
    """Whoever hears of ticks."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, int]] = []
        self.ticked = trio.Event()

    def tick(self, late: int, stalled: int) -> None:
        self.heard.append((late, stalled))
        self.ticked.set()


PIPE = 7


class Pipes:
    """Tells of what has arrived, once."""

    is_available = True

    def __init__(self) -> None:
        self.fresh: list[int] = []
        self.fault: Exception | None = None

    def poll(self) -> list[int]:
        if self.fault is not None:
            raise self.fault
        fresh, self.fresh = self.fresh, []
        return fresh

    def close(self) -> None:
        """Nothing is open."""


class Machine:
    """A thread's time: it runs, waits for a core, sleeps as it means to, or is stopped."""

    def __init__(self) -> None:
        self.now = 1_000_000 * MS
        self.ran = self.waited = 0
        self.arrivals = Pipes()
        self.ticker = Ticker(cast(OwnCounters, self), cast(Arrivals, self.arrivals), lambda: self.now)
        self.listener = Listener()

    def queued(self) -> int:
        return self.waited

    def used(self) -> int:
        return self.ran + self.waited

    def close(self) -> None:
        """Nothing is open."""

    def run(self, ms: float) -> None:
        self.now += int(ms * MS)
        self.ran += int(ms * MS)

    def wait(self, ms: float) -> None:
        self.now += int(ms * MS)
        self.waited += int(ms * MS)

    def sleep(self, ms: float) -> None:
        """Sleep, or be stopped: the thread can see no difference but by how long it had meant to sleep."""
        self.now += int(ms * MS)

    def poll(self, ms: float = 0, waited: float = 0) -> None:
        """Trio polls: it sleeps, and waits for a core when it is woken."""
        self.ticker.before_io_wait(ms / 1_000)
        self.sleep(ms)
        self.wait(waited)
        self.ticker.after_io_wait(ms / 1_000)

    def arrive_in_sleep(self, waited: float = 0) -> None:
        """Bytes wake the loop up."""
        self.ticker.before_io_wait(1)
        self.sleep(5)
        self.wait(waited)
        self.arrivals.fresh.append(PIPE)
        self.ticker.after_io_wait(1)

    @property
    def lag(self) -> float:
        """Of what is read now."""
        return self.ticker.lag(PIPE, self.now) / MS

    def tick(self) -> None:
        self.ticker.tick()

    @property
    def stalled(self) -> float:
        return self.ticker.stalled() / MS


class Nursery:
    """Takes tasks and does not run them."""

    def start_soon(self, *task: object) -> None:
        """It is the test that ticks."""


@pytest.fixture
def machine() -> Iterator[Machine]:
    machine = Machine()
    with machine.ticker.heard_by(machine.listener, cast(trio.Nursery, Nursery())):
        yield machine


def test_lag_is_what_passed_since_bytes_woke_the_loop(machine: Machine) -> None:
    machine.arrive_in_sleep()
    machine.run(3)
    assert machine.lag == 3
    machine.sleep(4)
    assert machine.lag == 7
    machine.arrive_in_sleep()
    assert machine.lag == 0


def test_lag_has_the_waiting_for_a_core_of_the_sleep_that_they_ended(machine: Machine) -> None:
    machine.arrive_in_sleep(waited=9)
    machine.run(1)
    assert machine.lag == 10
    machine.arrive_in_sleep()
    assert machine.lag == 0, "that of the last one only"


@pytest.mark.parametrize("kept", ["at work", "from a core"])
def test_what_arrives_while_the_arbiter_is_at_work_arrived_after_the_look_before(
    machine: Machine, kept: str
) -> None:
    """The arbiter works for other games, or is kept from it, before it looks again and reads."""
    machine.poll(5)
    machine.run(2)
    machine.ticker.look()
    machine.arrivals.fresh.append(PIPE)
    machine.run(6) if kept == "at work" else machine.wait(6)
    machine.ticker.look()
    machine.run(1)
    machine.poll(0)
    assert machine.lag == 7


def test_bytes_that_follow_others_count_from_their_own_arrival(machine: Machine) -> None:
    machine.arrive_in_sleep()
    machine.run(3)
    machine.ticker.look()
    machine.arrivals.fresh.append(PIPE)
    machine.run(2)
    machine.ticker.look()
    assert machine.lag == 2


def test_lag_is_never_below_nothing(machine: Machine) -> None:
    machine.arrive_in_sleep()
    assert machine.ticker.lag(PIPE, machine.now - 20 * MS) == 0


def test_ticks_in_time_are_no_stall(machine: Machine) -> None:
    for _ in range(100):
        machine.poll(19)
        machine.run(1)
        machine.tick()
    assert machine.stalled == 0
    assert machine.listener.heard == [(0, 0)] * 100


@pytest.mark.parametrize("missing, stalled", [(4, 0), (5, 0), (5.001, 5.001), (100, 100), (60_000, 60_000)])
def test_a_stall(machine: Machine, missing: float, stalled: float) -> None:
    machine.poll(20 + missing)
    machine.tick()
    assert machine.stalled == pytest.approx(stalled)
    assert machine.listener.heard == [(int(missing * MS), int(stalled * MS))]


def test_two_stalls_are_both_counted(machine: Machine) -> None:
    for ms in (300, 7_000):
        machine.poll(20 + ms)
        machine.tick()
        machine.poll(20)
        machine.tick()
    assert machine.stalled == 7_300


def test_a_busy_pass_is_no_stall(machine: Machine) -> None:
    machine.poll(10)
    machine.run(500)
    machine.tick()
    assert machine.stalled == 0
    assert machine.listener.heard == [(490 * MS, 0)]


def test_waiting_for_a_core_is_no_stall(machine: Machine) -> None:
    """It is lag, or part of it."""
    machine.poll(10, waited=700)
    machine.tick()
    assert machine.stalled == 0


def test_a_stall_in_a_busy_pass(machine: Machine) -> None:
    machine.poll(20)
    machine.run(100)
    machine.sleep(80)
    machine.wait(50)
    machine.tick()
    assert machine.stalled == 80


def test_a_stall_counts_before_a_tick_notices_it(machine: Machine) -> None:
    """Bytes that arrived meanwhile are read right after the poll, maybe before the tick."""
    machine.poll(20)
    machine.tick()
    machine.poll(420)
    assert machine.stalled == 400
    machine.tick()
    assert machine.stalled == 400, "once"
    machine.poll(20)
    assert machine.stalled == 400


def test_a_short_delay_is_no_stall_yet(machine: Machine) -> None:
    machine.poll(25)
    assert machine.stalled == 0


def test_a_stall_after_the_poll_counts_with_the_next_one(machine: Machine) -> None:
    """For what was read before it that time is lag already."""
    machine.poll(10)
    machine.sleep(1_000)
    assert machine.stalled == 0
    assert machine.lag == 1_000
    machine.poll(0)
    assert machine.stalled == 990


# Who ticks.


@contextmanager
def heard(machine: Machine, listener: Listener) -> Iterator[None]:
    with machine.ticker.heard_by(listener, cast(trio.Nursery, Nursery())):
        yield


def test_a_stall_that_no_tick_has_noticed_outlives_whoever_ticks() -> None:
    """A game ends just after a stall: another one still has to know of it."""
    machine, other = Machine(), Listener()
    first = heard(machine, machine.listener)
    first.__enter__()
    with heard(machine, other):
        machine.poll(1_020)
        first.__exit__(None, None, None)
        assert machine.stalled == 1_000
        machine.tick()
        assert machine.stalled == 1_000
        assert other.heard[-1] == (1_000 * MS, 1_000 * MS)


def test_time_in_which_nobody_listened_is_no_stall() -> None:
    machine = Machine()
    machine.poll(5_000)
    with heard(machine, machine.listener):
        machine.poll(20)
        machine.tick()
    assert machine.listener.heard == [(0, 0)]
    machine.poll(5_000)
    assert machine.stalled == 0
    with heard(machine, machine.listener):
        assert machine.stalled == 0
        machine.poll(20)
        machine.tick()
    assert machine.stalled == 0


# In an event loop.


@pytest.mark.trio
async def test_one_ticker_for_all_and_none_afterwards() -> None:
    """Whoever ticks may leave; the others go on hearing ticks."""
    first, second = Listener(), Listener()
    async with trio.open_nursery() as nursery, trio.open_nursery() as inner:
        with ticking(first, inner) as one, ticking(second, nursery) as two:
            assert one is two
            await _until_ticked(first, second)
    assert module._ticker.get() is None


@pytest.mark.trio
async def test_the_task_that_ticks_is_handed_over() -> None:
    first, second = Listener(), Listener()
    async with trio.open_nursery() as nursery:
        with ticking(second, nursery) as ticker:
            async with trio.open_nursery() as inner:
                with ticking(first, inner):
                    await _until_ticked(first, second)
            await _until_ticked(second)
            async with trio.open_nursery() as inner:
                with ticking(first, inner):
                    first.heard.clear()
                    await _until_ticked(first, second)
            assert ticker.is_heard


@pytest.mark.trio
async def test_ticks_go_on_when_the_first_to_come_leaves_first() -> None:
    first, second = Listener(), Listener()
    leave, left = trio.Event(), trio.Event()

    async def listen_until_told() -> None:
        async with trio.open_nursery() as inner:
            with ticking(first, inner):
                await leave.wait()
        left.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen_until_told)
        await trio.testing.wait_all_tasks_blocked()
        with ticking(second, nursery):
            await _until_ticked(first, second)
            leave.set()
            await left.wait()
            heard = len(first.heard)
            await _until_ticked(second)
            assert len(first.heard) == heard, "it has left"


@pytest.mark.trio
async def test_ticks_go_on_when_whoever_ticks_is_being_cancelled() -> None:
    """A game that is broken off may take its time to leave; the others go on hearing ticks."""
    first, second = Listener(), Listener()
    leave = trio.Event()
    outer = trio.CancelScope()

    async def listen_until_told() -> None:
        with outer:
            async with trio.open_nursery() as inner:
                with ticking(first, inner), trio.CancelScope(shield=True):
                    await leave.wait()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen_until_told)
        await trio.testing.wait_all_tasks_blocked()
        with ticking(second, nursery):
            await _until_ticked(second)
            outer.cancel()
            await trio.testing.wait_all_tasks_blocked()
            heard = len(second.heard)
            try:
                await _until_ticked(second)
            finally:
                leave.set()
            assert len(second.heard) > heard


async def _until_ticked(*listeners: Listener) -> None:
    """Wait until each has heard of another tick; a machine without time is given a lot of it."""
    with trio.fail_after(20):
        for listener in listeners:
            listener.ticked = trio.Event()
            await listener.ticked.wait()


def test_waiting_for_a_core_counts_as_used(monkeypatch: pytest.MonkeyPatch) -> None:
    own = OwnCounters()
    monkeypatch.setattr(own, "queued", lambda: 10**15)
    assert own.used() >= 10**15
    own.close()


def test_own_counters() -> None:
    own = OwnCounters()
    before = own.used()
    sum(range(100_000))
    assert own.used() > before
    assert own.queued() >= 0
    own.close()
    own.close()


def test_a_pipe_may_hold_what_has_come_since_it_was_found_empty(machine: Machine) -> None:
    """However short ago somebody looked."""
    assert not machine.ticker.may_hold(PIPE)
    machine.poll()
    machine.arrivals.fresh.append(PIPE)
    assert machine.ticker.may_hold(PIPE)
    assert machine.ticker.may_hold(PIPE), "until it is read"
    machine.ticker.found_empty(PIPE)
    assert not machine.ticker.may_hold(PIPE)
    machine.arrivals.is_available = False
    assert machine.ticker.may_hold(PIPE), "nobody knows"


def test_what_is_read_before_a_look_has_shown_it_came_after_the_last_one(machine: Machine) -> None:
    """No look will: it is not in the pipe any more. Older bytes of the same pipe tell nothing."""
    machine.arrive_in_sleep()
    machine.ticker.found_empty(PIPE)
    machine.sleep(300)
    machine.poll()
    machine.run(2)
    assert machine.lag == 2
    machine.ticker.look()
    machine.run(1)
    assert machine.lag == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_fault_of_the_ticker_itself_is_raised_and_not_only_logged(machine: Machine, when: str) -> None:
    """Trio calls an instrument that has raised no more, and goes on."""
    machine.poll()
    machine.arrivals.fault = LookupError(when)
    machine.ticker.before_io_wait(1) if when == "before" else machine.ticker.after_io_wait(1)
    with pytest.raises(LookupError, match=when):
        machine.tick()
