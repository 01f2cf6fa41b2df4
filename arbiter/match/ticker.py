"""What the arbiter itself takes from the clocks: its lag when bytes come in, and times in which it stalled.

Nobody notes when bytes arrive in a pipe. A look at all pipes at once, without waiting, tells which have got
some since the last look. Looks are taken before and after the loop sleeps and before each step in which a bot
is judged. What came in a sleep woke the loop up: it came when the thread began to wait for a core, which the
kernel counts (see `meter`). What came while the arbiter was at work came after the look before at the
earliest, and is counted from there: work, and being kept from it, is the arbiter's own.

A tick every 20 ms shows stalls: time in which the thread neither ran nor waited for a core nor slept as it
had meant to, since it, or the whole machine, was stopped.
"""

import os
import select
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import trio

PERIOD = 20_000_000
_TOLERANCE = 5_000_000
"""How far a tick may be off, in ns, without being a stall: timers and sleeping threads are no more exact."""
_RECENT = 100_000
"""A look that is no older than this, in ns, is not repeated."""


class Ticked(Protocol):
    """Whoever wants to hear of every tick."""

    def tick(self, late: int, stalled: int) -> None:
        """A tick came so many ns late, and that much of it the arbiter stalled."""


class Ticker(trio.abc.Instrument):
    """One for each event loop, shared by all games on it; it ticks as long as somebody listens."""

    def __init__(
        self, own: "OwnCounters", arrivals: "Arrivals", now: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._own = own
        self._arrivals = arrivals
        self._now = now
        self._polled_at = self._looked_at = now()
        self._arrived: dict[int, int] = {}
        self._queued_before: int | None = None
        self._fault: Exception | None = None
        self._stalled = 0
        self._ticked_at = 0
        self._used_at_tick = 0
        self._listeners: list[Ticked] = []

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def close(self) -> None:
        """To be called when nobody listens any more."""
        self._own.close()
        self._arrivals.close()

    # The loop's own times

    # An exception here would be logged by trio, and no more of this called; so it is raised at the next tick.

    def before_io_wait(self, timeout: float) -> None:
        try:
            self._note_arrivals(self._looked_at)
            self._queued_before = self._own.queued() if timeout > 0 else None
        except Exception as error:
            self._fault = error

    def after_io_wait(self, timeout: float) -> None:
        try:
            self._note_poll()
        except Exception as error:
            self._fault = error

    def _note_poll(self) -> None:
        if self._queued_before is None:
            self._polled_at = self._now()
            self._note_arrivals(self._looked_at)
        else:
            queued = self._own.queued() - self._queued_before
            self._polled_at = self._now()
            self._note_arrivals(self._polled_at - queued)

    def look(self) -> None:
        """See which pipes have got bytes since the last look; to be called before a bot is judged."""
        if self._now() - self._looked_at > _RECENT:
            self._note_arrivals(self._looked_at)

    def _note_arrivals(self, since: int) -> None:
        for descriptor in self._arrivals.poll():
            self._arrived[descriptor] = since
        self._looked_at = self._now()

    def may_hold(self, descriptor: int) -> bool:
        """Whether something may be in a pipe by now; the end is something, too."""
        self._note_arrivals(self._looked_at)
        return descriptor in self._arrived or not self._arrivals.is_available

    def found_empty(self, descriptor: int) -> None:
        """A pipe was read until nothing was left."""
        self._arrived.pop(descriptor, None)

    def watch(self, descriptor: int) -> None:
        """Note from now on when bytes arrive in a pipe."""
        self._arrivals.add(descriptor)

    def unwatch(self, descriptor: int) -> None:
        """To be called before the pipe is closed."""
        self._arrivals.remove(descriptor)
        self._arrived.pop(descriptor, None)

    def lag(self, descriptor: int, stamp: int) -> int:
        """What the arbiter took between the arrival of bytes and ``stamp``, when they were read; in ns.

        To be called right after reading. What no look has shown came after the last one; nor will another
        one show it, since it is not in the pipe any more.
        """
        return max(0, stamp - self._arrived.get(descriptor, self._looked_at))

    def stalled(self) -> int:
        """For how long the arbiter has stalled since it began, up to its last poll; in ns."""
        elapsed = self._polled_at - self._ticked_at
        if elapsed <= PERIOD + _TOLERANCE or not self._listeners:
            return self._stalled
        return self._stalled + self._stall(elapsed, self._own.used() - self._used_at_tick)

    @staticmethod
    def _stall(elapsed: int, used: int) -> int:
        """How much of a time between ticks it did not run, wait for a core or sleep as it meant to."""
        missing = elapsed - used - PERIOD
        return missing if missing > _TOLERANCE else 0

    # Ticks

    @contextmanager
    def heard_by(self, listener: Ticked, nursery: trio.Nursery) -> Iterator[None]:
        """Let somebody hear of every tick.

        Each listener brings a task of its own, and whichever is awake first ticks for all: so any of them
        may leave or be cancelled.
        """
        if not self._listeners:
            self._ticked_at, self._used_at_tick = self._now(), self._own.used()
        self._listeners.append(listener)
        scope = trio.CancelScope()
        nursery.start_soon(self._tick_until_cancelled, scope)
        try:
            yield
        finally:
            self._listeners.remove(listener)
            scope.cancel()

    async def _tick_until_cancelled(self, scope: trio.CancelScope) -> None:
        with scope:
            while True:
                await trio.sleep(max(0, self._ticked_at + PERIOD - self._now()) / 1e9)
                if self._now() - self._ticked_at >= PERIOD:
                    self.tick()

    def tick(self) -> None:
        """Measure the time since the last tick, and let everybody know."""
        if self._fault is not None:
            raise self._fault
        now, used = self._now(), self._own.used()
        elapsed = now - self._ticked_at
        stalled = self._stall(elapsed, used - self._used_at_tick)
        self._stalled += stalled
        self._ticked_at, self._used_at_tick = now, used
        for listener in list(self._listeners):
            listener.tick(max(0, elapsed - PERIOD), stalled)


class Arrivals:
    """Tells, once for each time, in which pipes bytes have arrived; never where the system cannot."""

    def __init__(self) -> None:
        self._poll = select.epoll() if hasattr(select, "epoll") else None
        self.is_available = self._poll is not None

    def add(self, descriptor: int) -> None:
        if self._poll is not None:
            self._poll.register(descriptor, select.EPOLLIN | select.EPOLLET)

    def remove(self, descriptor: int) -> None:
        if self._poll is not None:
            self._poll.unregister(descriptor)

    def poll(self) -> list[int]:
        """Those in which something arrived since the last call."""
        found = self._poll.poll(0) if self._poll is not None else ()
        return [descriptor for descriptor, _ in found] if found else []

    def close(self) -> None:
        if self._poll is not None:
            self._poll.close()


class OwnCounters:
    """What the calling thread used so far: the time it ran, and waited for a core; zeros where nobody
    counts.
    """

    def __init__(self) -> None:
        path = f"/proc/self/task/{threading.get_native_id()}/schedstat"
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._file = -1

    def queued(self) -> int:
        """Nanoseconds in which it was ready to run and got no core."""
        return int(os.pread(self._file, 64, 0).split()[1]) if self._file >= 0 else 0

    def used(self) -> int:
        """Nanoseconds in which it ran or waited for a core."""
        return time.thread_time_ns() + self.queued()

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


_ticker: trio.lowlevel.RunVar[Ticker | None] = trio.lowlevel.RunVar("ticker", default=None)


@contextmanager
def ticking(listener: Ticked, nursery: trio.Nursery) -> Iterator[Ticker]:
    """The ticker of this event loop, which ``listener`` hears as long as it is inside."""
    ticker = _ticker.get()
    if ticker is None:
        ticker = Ticker(OwnCounters(), Arrivals())
        _ticker.set(ticker)
        trio.lowlevel.add_instrument(ticker)
    try:
        with ticker.heard_by(listener, nursery):
            yield ticker
    finally:
        if not ticker.is_heard:
            trio.lowlevel.remove_instrument(ticker)
            _ticker.set(None)
            ticker.close()
