"""Writing down elsewhere what happens here: clocks run while events come in, and writing takes time."""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import trio

from arbiter.tournament.events import Event

_GATHERED = 0.05
"""Seconds of events that are written together: each time costs the clocks of quick bots something."""
_BREATH = 0.0001
"""Seconds that the writing thread rests after an event, so that the one that keeps the clocks is not kept
from running: Python runs one thread at a time."""


class Heard(NamedTuple):
    """An event, and when it came (monotonic ns)."""

    stamp: int
    event: Event


class Scribe(ABC):
    """Takes events down at once and has them written by another thread, a moment later and in order."""

    def __init__(self) -> None:
        self._unwritten: list[Heard] = []
        self._has_unwritten = trio.Event()

    def watch(self, event: Event) -> None:
        """Take an event down."""
        self._unwritten.append(Heard(time.monotonic_ns(), event))
        self._has_unwritten.set()

    async def show(self, task_status: trio.TaskStatus[None]) -> None:
        """Write until cancelled, and then what is still there."""
        task_status.started()
        try:
            while True:
                await self._has_unwritten.wait()
                await trio.sleep(_GATHERED)
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(self.write, _unhurried(self._take()))
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self.end, self._take())

    def _take(self) -> list[Heard]:
        heard, self._unwritten = self._unwritten, []
        self._has_unwritten = trio.Event()
        return heard

    @abstractmethod
    def write(self, heard: Iterable[Heard]) -> None:
        """Write these events, so that they stay even if the arbiter is killed; by one thread at a time."""

    def end(self, heard: Iterable[Heard]) -> None:
        """Write the last events and close what is open."""
        self.write(heard)


def _unhurried(heard: Iterable[Heard]) -> Iterator[Heard]:
    for each in heard:
        yield each
        time.sleep(_BREATH)
