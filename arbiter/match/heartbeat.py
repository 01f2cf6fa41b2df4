"""Whether the arbiter itself was late, or stood still.

A time that the arbiter was too busy to look is not a bot's time. A heart beats all through a game;
how late each beat comes tells how late anything else may have been noticed.
"""

import time
from collections import deque

import trio

from arbiter.match.bell import Bell

_PERIOD = 0.02
_STANDSTILL = 5.0
"""Seconds without a beat after which the machine, or the arbiter, must have slept."""
_KEPT = 500


class Heartbeat:
    """Beats until cancelled."""

    def __init__(self, bell: Bell) -> None:
        self._bell = bell
        self._late: deque[tuple[int, int]] = deque(maxlen=_KEPT)
        self._due = _now() + round(_PERIOD * 1e9)
        self.worst = 0

    async def run(self) -> None:
        while True:
            self._due = _now() + round(_PERIOD * 1e9)
            await trio.sleep(_PERIOD)
            late = max(0, _now() - self._due)
            self._late.append((time.monotonic_ns(), late))
            self.worst = max(self.worst, late)
            if late > _STANDSTILL * 1e9:
                self._bell.ring()

    @property
    def standstill(self) -> float | None:
        """Seconds that the arbiter stood still, if it did.

        Whoever woke up before the heart did has to know, too: a beat that is due counts before it comes.
        """
        late = max(self.worst, _now() - self._due)
        return late / 1e9 if late > _STANDSTILL * 1e9 else None

    def lag(self, since: int) -> int:
        """The most by which something since then (monotonic ns) may have been noticed late, in ns."""
        beats = (late for stamp, late in self._late if stamp >= since)
        return max(*beats, max(0, _now() - self._due), 0)


def _now() -> int:
    """Also runs while the machine sleeps, where the system has such a clock."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime_ns(clock)
