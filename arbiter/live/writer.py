"""Showing events on a thread of its own: clocks run while events come in, and showing them takes time."""

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from math import inf
from queue import Empty, SimpleQueue
from threading import Event as Flag
from threading import Thread
from typing import NamedTuple

import trio

from arbiter.live.output import Output
from arbiter.tournament.events import Event, Notice, Overheard, PlyPlayed, Watcher

_PERIOD = 0.5
_GATHERED = 0.05
"""Seconds of events that are shown together: each time costs the clocks of quick bots something."""
_BREATH = 0.0001
"""Seconds that the thread rests after an event, so that the one that keeps the clocks is not kept from
running: Python runs one thread at a time."""
_BULK = (PlyPlayed, Overheard)
_MANY = 5_000
"""Events that may wait for the thread; beyond them plies and dialogue are dropped, and all beyond twice as
many. Only a disk that stalls, or bots that flood their stderr, get that far."""
_PATIENCE = 0.5
"""Seconds that a run which is broken off waits for the reader of its output."""
_LONGEST_END = 2
"""Seconds after which the thread is left to itself then, if it is caught in writing to a file."""


class Heard(NamedTuple):
    """An event, and when it came (monotonic ns)."""

    stamp: int
    event: Event


class View:
    """Shows events to somebody. All its methods but ``open`` are called by the writer's thread."""

    wants_bulk = False
    """Whether it wants plies and dialogue, too."""

    def open(self) -> None:
        """Begin, before anything is played."""

    def hear(self, heard: Heard) -> None:
        """Take an event in."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Bring out what events have led to; called after each few of them, and twice a second."""

    def close(self) -> None:
        """Bring out the rest, and leave nothing open."""


@asynccontextmanager
async def writing(views: Sequence[View], outputs: Sequence[Output]) -> AsyncIterator[Watcher]:
    """A watcher whose events these views show, through these outputs, until all is shown and read.

    Nobody waits for the reader of an output but the end, and that not when it is cancelled or comes by an
    error.

    Raises:
        Exception: what a view failed with, or an output, at once; in the group of a nursery.
    """
    writer = _Writer(views, outputs)
    async with trio.open_nursery() as nursery:
        writer.start()
        nursery.start_soon(writer.supervise)
        try:
            yield writer.watch
            writer.end()
            await writer.join()
        except BaseException:
            writer.end(_PATIENCE)
            with trio.move_on_after(_LONGEST_END, shield=True):
                await writer.join()
            raise


class _Writer:
    """The queue of events and the thread that empties it."""

    def __init__(self, views: Sequence[View], outputs: Sequence[Output]) -> None:
        self._views = views
        self._outputs = outputs
        self._wants_bulk = any(view.wants_bulk for view in views)
        self._queue: SimpleQueue[Heard | None] = SimpleQueue()
        self._missed = 0
        self._is_ending = Flag()
        self._deadline = inf
        self._error: BaseException | None = None
        # A daemon: nothing waits for it when it is caught in writing to a file.
        self._thread = Thread(target=self._run, name="writer", daemon=True)

    # On the thread that keeps the clocks

    def start(self) -> None:
        for view in self._views:
            view.open()
        self._thread.start()

    def watch(self, event: Event) -> None:
        """Put an event in the queue."""
        is_bulk = isinstance(event, _BULK)
        if is_bulk and not self._wants_bulk:
            return
        waiting = self._queue.qsize()
        if waiting >= (_MANY if is_bulk else 2 * _MANY):
            self._missed += 1
            return
        if self._missed and waiting < _MANY // 2:
            self._tell_missed()
        self._put(event)

    def end(self, patience: float = inf) -> None:
        """Let the thread end when all is shown, and read, for which it waits this long."""
        if self._missed:
            self._tell_missed()
        self._deadline = time.monotonic() + patience
        self._is_ending.set()
        self._queue.put(None)

    async def join(self) -> None:
        """Wait until the thread has ended."""
        await trio.to_thread.run_sync(self._thread.join, abandon_on_cancel=True)

    async def supervise(self) -> None:
        """Raise what the thread fails with."""
        await self.join()
        if self._error is not None:
            raise self._error

    def _tell_missed(self) -> None:
        missed, self._missed = self._missed, 0
        self._put(Notice(f"{missed:,} events are not shown: they came too fast", is_warning=True))

    def _put(self, event: Event) -> None:
        self._queue.put(Heard(time.monotonic_ns(), event))

    # On the writer's thread

    def _run(self) -> None:
        try:
            with ExitStack() as closing:
                for view in self._views:
                    closing.callback(view.close)
                while self._show():
                    pass
            self._drain()
        except BaseException as error:
            with suppress(OSError):
                self._hand_over()  # what came before the fault
            self._error = error

    def _show(self) -> bool:
        """Show the events of a moment; whether more will come."""
        goes_on = True
        for heard in self._gather():
            if heard is None:
                goes_on = False
                continue
            for view in self._views:
                view.hear(heard)
            if not self._is_ending.is_set():
                time.sleep(_BREATH)
        for view in self._views:
            view.refresh()
        self._hand_over()
        return goes_on

    def _gather(self) -> Iterator[Heard | None]:
        """What is in the queue after a moment: one in which a reader may go on reading, or the one that
        follows the first event.
        """
        if self._is_read:
            try:
                yield self._queue.get(timeout=_PERIOD)
            except Empty:
                return
            self._is_ending.wait(_GATHERED)
        else:
            self._hand_over(_GATHERED)
        for _ in range(self._queue.qsize()):
            yield self._queue.get()

    def _drain(self) -> None:
        """Hand over the rest until the deadline, which may be put forward meanwhile."""
        while not self._is_read and time.monotonic() < self._deadline:
            self._hand_over(_GATHERED)

    @property
    def _is_read(self) -> bool:
        return not any(output.is_waiting for output in self._outputs)

    def _hand_over(self, patience: float = 0) -> None:
        for output in self._outputs:
            output.drain(patience)
