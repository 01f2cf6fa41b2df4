"""Room for games in parallel, in which one can also be played alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio


class Room:
    """Places for so many games.

    Who comes first enters first: a game that is to be played alone waits until those before it are over, and
    those after it wait for its end. A game is never waited for that has not entered yet.
    """

    def __init__(self, places: int) -> None:
        self._size = places
        self._door = trio.Lock()
        self._places = trio.Semaphore(places)

    @asynccontextmanager
    async def place(self, *, alone: bool) -> AsyncIterator[None]:
        """Wait for a place, or for all of them, and keep it as long as the context lasts."""
        taken = 0
        try:
            async with self._door:
                while taken < (self._size if alone else 1):
                    await self._places.acquire()
                    taken += 1
            yield
        finally:
            for _ in range(taken):
                self._places.release()
