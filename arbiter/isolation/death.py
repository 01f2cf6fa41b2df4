"""Why a program was killed: by somebody, or because the kernel ran out of memory and chose it.

Without control groups the kernel says of such a kill only that there was one: a count for the whole
machine. Who was to blame follows from the sizes, since it means to choose the largest.
"""

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple

from arbiter.isolation import proc, usage

SHORTLY = 5.0
"""Seconds that a large program may take to vanish once the kernel has chosen it."""
_EVERY = 0.1
"""Seconds between two readings, whoever asks for them."""
_CHANGES = 64
_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
"""Exit statuses of a program that was killed; the second is how a shell that started it puts it."""


class Cause(StrEnum):
    """What ended a program, as far as its exit status does not tell it."""

    OTHER = "other"
    """What the status says: it ended by itself, or by a signal from somebody."""
    MEMORY = "memory"
    """The machine ran out of memory, and it was the largest user."""
    MACHINE = "machine"
    """The machine ran out of memory, and it was not: nobody knows how it would have gone on."""


class Death(NamedTuple):
    """A cause, and the facts behind it; all sizes are resident memory in bytes, as last looked at.

    ``oom_kills`` is how many processes of the whole machine the kernel killed for lack of memory
    shortly before.
    """

    cause: Cause
    oom_kills: int
    held: int
    largest_other: int
    arbiter: int


def judge(status: int | None, oom_kills: int, held: int, others: Iterable[int], arbiter: int) -> Death:
    """Why a program with this exit status died; ``others`` are the sizes of the other programs."""
    largest = max(others, default=0)
    cause = Cause.OTHER
    if status in _KILLED and oom_kills:
        cause = Cause.MEMORY if held > max(largest, arbiter) else Cause.MACHINE
    return Death(cause, oom_kills, held, largest, arbiter)


class OomKills:
    """The kernel's count of processes killed for lack of memory, and when it rose."""

    def __init__(self, path: str = "/proc/vmstat", clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._looked_at = -_EVERY
        self._changes: deque[tuple[float, int]] = deque(maxlen=_CHANGES)

    def look(self) -> None:
        """Note the count, unless that was done a moment ago. To be called now and then."""
        if self._clock() - self._looked_at >= _EVERY:
            self._look()

    def _look(self) -> None:
        self._looked_at = self._clock()
        count = self._read()
        if count is not None and (not self._changes or self._changes[-1][1] != count):
            self._changes.append((self._looked_at, count))

    def _read(self) -> int | None:
        """The count; None where the kernel keeps none."""
        try:
            words = proc.whole(self._path).split()
            return int(words[words.index(b"oom_kill") + 1])
        except (OSError, ValueError, IndexError):
            return None

    def since(self, moment: float) -> int:
        """How many there were since a moment of the clock, as far as it was looked at."""
        self._look()
        if not self._changes:
            return 0
        before = [count for stamp, count in self._changes if stamp <= moment]
        return self._changes[-1][1] - (before[-1] if before else self._changes[0][1])


def own_size() -> int:
    """The resident memory of the arbiter, in bytes."""
    return usage.measure([os.getpid()]).memory
