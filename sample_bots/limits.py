"""How much a search may still spend: positions, depth, time."""

from math import inf
from time import sleep

from protocol.bot import Clock

WITHOUT_LIMITS = 20_000
"""Positions for a ply when nobody sets any limit."""

_LOOK = 32
"""Positions between two looks at the clock: about a millisecond."""

_PAUSE = 0.01
"""Seconds between two looks whether ``stop`` has come."""


class Limits:
    """The end of a search of one ply.

    ``most`` is the most positions that the bot's level allows. With a limit of nodes or depth time plays no
    part, so that a game can be repeated; only the end of the whole clock still stops such a search.
    ``depth`` is the greatest depth, infinity without such a limit.

    >>> limits = Limits(Clock(nodes=100), most=1000)
    >>> limits.are_spent(99), limits.are_spent(100)
    (False, True)
    """

    def __init__(self, clock: Clock, most: float = inf) -> None:
        self._clock = clock
        self._until = _until(clock)
        self._next_look = 0
        self.depth = inf if clock.depth is None else clock.depth
        self._nodes = min(most, inf if clock.nodes is None else clock.nodes)
        if not clock.infinite and min(self.depth, self._nodes, self._until) == inf:
            self._nodes = WITHOUT_LIMITS

    def are_spent(self, nodes: int) -> bool:
        """Whether to answer after so many positions."""
        if nodes >= self._nodes:
            return True
        if nodes < self._next_look:
            return False
        self._next_look = nodes + _LOOK
        return self._clock.stopped or self._clock.elapsed >= self._until

    def hold(self) -> None:
        """Wait for ``stop`` where the arbiter wants the answer not before."""
        while self._clock.infinite and not self._clock.stopped:
            sleep(_PAUSE)


def _until(clock: Clock) -> float:
    """Milliseconds of this turn after which to answer."""
    if clock.limit is None or clock.budget is None:
        return inf
    if clock.depth is not None or clock.nodes is not None:
        return clock.limit
    if clock.time is None:
        return clock.budget
    # Never more than half of what is left: then a machine that stumbles does not cost the game.
    return min(clock.budget, clock.limit / 2)
