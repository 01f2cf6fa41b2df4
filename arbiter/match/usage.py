"""What a bot's processes have used of the machine, and what the machine kept from them.

The kernel counts for every thread the time it ran and the time it was ready to run but got no core
(`Documentation/scheduler/sched-stats.rst`: the first two fields of ``schedstat``). A thread's
numbers vanish with it, so they are read while the threads live and the last reading is kept.
"""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from arbiter.match.clock import Spent


def is_available() -> bool:
    """Whether this system has the counters that the clocks ``cpu`` and ``fair`` need."""
    return sys.platform == "linux" and Path("/proc/self/schedstat").exists()


class Meter:
    """Reads the counters of one tree of processes; every reading is a sum since the start."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._threads: dict[str, tuple[int, int]] = {}
        self._ended = (0, 0)
        self._has_counters = is_available()

    def read(self) -> Spent:
        """The sums so far, threads included that have ended since they were last seen."""
        if self._has_counters:
            self._visit(self._root, set())
        cpu = self._ended[0] + sum(ran for ran, _ in self._threads.values())
        wait = self._ended[1] + sum(waited for _, waited in self._threads.values())
        return Spent(time.monotonic_ns(), cpu, wait)

    def _visit(self, process: int, seen: set[int]) -> None:
        seen.add(process)
        directory = f"/proc/{process}/task"
        try:
            threads = os.listdir(directory)  # noqa: PTH208 (read several times a ply; pathlib takes four times as long)
        except OSError:
            return
        for thread in threads:
            with suppress(OSError, ValueError):
                ran, waited, _ = _content(f"{directory}/{thread}/schedstat").split()
                self._book(thread, int(ran), int(waited))
            with suppress(OSError):
                for child in _content(f"{directory}/{thread}/children").split():
                    if int(child) not in seen:
                        self._visit(int(child), seen)

    def _book(self, thread: str, ran: int, waited: int) -> None:
        before = self._threads.get(thread, (0, 0))
        if ran < before[0]:  # another thread has the number now
            self._ended = (self._ended[0] + before[0], self._ended[1] + before[1])
        self._threads[thread] = (ran, waited)


def _content(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)
