"""What the ply asked for may take: clocks, limits, and a suggestion how long to think."""

from collections.abc import Mapping
from math import inf
from threading import Event
from time import perf_counter

from protocol.rules import SPACES, Phase, Position

LAG = 10.0
"""Milliseconds kept back for the way of the answer, which the clock charges, too."""

_PLACEMENT_SHARE = 0.25
"""What a placement is worth, in stack moves: most bots have little to find out there."""

_MEAN_SHARE = 3
"""A player makes about one more stack move for every three stacks (counted in games of several bots)."""

_SPARE_MOVES = 1
"""Games can last longer than that; with one move in reserve the clock never comes to an end."""

_INCREMENT_SHARE = 0.75


class Clock:
    """The clock of a turn. All times are in milliseconds; None where there is no such limit.

    ``ply`` is the number of the ply asked for, ``time`` and ``opponent_time`` what both sides have left,
    ``increment`` and ``opponent_increment`` what a ply made in time adds, ``movetime`` the most that this ply
    may take, ``used`` what the bot's previous ply was charged, ``depth`` and ``nodes`` limits of a search,
    ``infinite`` whether to think until told to stop.

    ``limit`` is the most that this ply can take without losing on time, ``budget`` what it should take: a
    share of the time by the plies that a game usually still has. Both are None when nothing limits the time.

    >>> clock = Clock(Position.start(), time=60_000, increment=100)
    >>> round(clock.budget), clock.limit
    (711, 59990.0)
    >>> Clock(Position.start(), movetime=200).budget
    190.0
    >>> clock.is_up
    False
    """

    def __init__(
        self,
        position: Position | None = None,
        *,
        ply: int = 1,
        time: int | None = None,
        opponent_time: int | None = None,
        increment: int = 0,
        opponent_increment: int | None = None,
        movetime: int | None = None,
        used: int | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        infinite: bool = False,
    ) -> None:
        self.ply = ply
        self.time = time
        self.opponent_time = opponent_time
        self.increment = increment
        self.opponent_increment = increment if opponent_increment is None else opponent_increment
        self.movetime = movetime
        self.used = used
        self.depth = depth
        self.nodes = nodes
        self.infinite = infinite
        self.limit = None if infinite else _limit(time, movetime)
        self.budget = None if self.limit is None else self._share(position, self.limit)
        self._started = perf_counter()
        self._stop = Event()

    @classmethod
    def of_turn(cls, values: Mapping[str, int], position: Position, started: float, stop: Event) -> "Clock":
        """The clock that the keys of a ``go`` line tell; ``started`` by ``perf_counter``."""
        clock = cls(
            position,
            ply=values.get("ply", 1),
            time=values.get("time"),
            opponent_time=values.get("opptime"),
            increment=values.get("inc", 0),
            opponent_increment=values.get("oppinc"),
            movetime=values.get("movetime"),
            used=values.get("used"),
            depth=values.get("depth"),
            nodes=values.get("nodes"),
            infinite=bool(values.get("infinite", 0)),
        )
        clock._started = started
        clock._stop = stop
        return clock

    @property
    def elapsed(self) -> float:
        """Time since the request was read."""
        return (perf_counter() - self._started) * 1000

    @property
    def stopped(self) -> bool:
        """Whether the arbiter wants the answer now: it said ``stop`` or ``quit``, or is gone."""
        return self._stop.is_set()

    @property
    def is_up(self) -> bool:
        """Whether to answer now: the budget is used up, or the arbiter wants the answer.

        Cheap enough to be looked at every thousand positions or so.
        """
        return self._stop.is_set() or (self.budget is not None and self.elapsed >= self.budget)

    def _share(self, position: Position | None, limit: float) -> float:
        if self.time is None:
            return limit
        target = max(self.time - LAG, 0) * time_share(position) + self.increment * _INCREMENT_SHARE
        return min(target, limit)


def _limit(time: int | None, movetime: int | None) -> float | None:
    least = min(inf if time is None else time, inf if movetime is None else movetime)
    return None if least == inf else max(least - LAG, 0.0)


def time_share(position: Position | None) -> float:
    """Which part of the time left a side should spend on its ply; an unknown position counts as a full board.

    >>> round(time_share(None), 3)
    0.058
    """
    stacks = len(SPACES) if position is None else len(position.stacks())
    if position is None or position.phase is Phase.MOVEMENT:
        return 1 / (stacks / _MEAN_SHARE + _SPARE_MOVES)
    placements = (len(SPACES) - stacks + 1) // 2
    moves = len(SPACES) / _MEAN_SHARE + _SPARE_MOVES
    return _PLACEMENT_SHARE / (_PLACEMENT_SHARE * placements + moves)
