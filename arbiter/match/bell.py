"""Waking the task that runs a game when something happened at one of its bots."""

import time
from collections.abc import Callable

import trio


class Bell:
    """Rung by the reading tasks; whoever waits looks for itself whether it was meant."""

    def __init__(self) -> None:
        self._rung = trio.Event()

    def ring(self) -> None:
        self._rung.set()
        self._rung = trio.Event()

    async def wait(self, condition: Callable[[], object], deadline: int) -> None:
        """Return once ``condition()`` is true, or at ``deadline`` (monotonic ns) at the latest."""
        remaining = max(0, deadline - time.monotonic_ns()) / 1e9
        with trio.move_on_after(remaining):
            while not condition():
                await self._rung.wait()
