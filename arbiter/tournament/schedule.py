"""Which games are played, and their numbers: stages one after the other, never held as a whole.

A format adds stages: a league all of them at once, a Swiss system or a knockout one whenever the
results allow it. Stages are stored before their games are played, so that a game keeps its number
whatever happens later: bots that join, more rounds, results that are taken out.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple, Self

Pairing = tuple[str, str]


class Fixture(NamedTuple):
    """One game of the schedule: its number, round, number in the round and pair, each from 1.

    ``meeting`` counts the pairs that these two bots played before this one, from 0; it chooses the
    opening, so that two bots see a new one each time.
    """

    number: int
    round: int
    game: int
    pair: int
    white: str
    black: str
    meeting: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of the schedule: every pairing plays one pair in each round from ``first`` to ``last``.

    ``byes`` are bots without an opponent in these rounds.
    """

    pairings: tuple[Pairing, ...]
    first: int
    last: int
    byes: tuple[str, ...] = ()

    @property
    def games(self) -> int:
        return 2 * len(self.pairings) * (self.last - self.first + 1)

    @property
    def bots(self) -> set[str]:
        return {bot for pairing in self.pairings for bot in pairing}.union(self.byes)

    def as_json(self) -> dict[str, Any]:
        return {
            "pairings": [list(pairing) for pairing in self.pairings],
            "first": self.first,
            "last": self.last,
            "byes": list(self.byes),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        pairings = tuple((one, other) for one, other in value["pairings"])
        return cls(pairings, value["first"], value["last"], tuple(value["byes"]))


class Schedule:
    """All stages so far. Numbers go on from stage to stage."""

    def __init__(self, stages: Iterable[Stage] = ()) -> None:
        self.stages: list[Stage] = []
        self.games = 0
        self.planned: Counter[frozenset[str]] = Counter()
        """For each two bots, the games between them."""
        self._parts: list[_Part] = []
        for stage in stages:
            self.add(stage)

    def add(self, stage: Stage) -> None:
        meetings = [self.planned[frozenset(pairing)] // 2 for pairing in stage.pairings]
        self._parts.append(_Part(stage, tuple(self.stages), self.games, meetings))
        self.stages.append(stage)
        self.games += stage.games
        for pairing in stage.pairings:
            self.planned[frozenset(pairing)] += 2 * (stage.last - stage.first + 1)

    def fixtures(self, first_stage: int = 0, last: int | None = None) -> Iterator[Fixture]:
        """The games from a stage on, round by round, so that all pairings advance evenly; those up to number
        ``last``, where it is given.

        A bot that joined late catches up: the rounds it missed come before those that nobody played.
        """
        parts: list[Iterator[Fixture]] = [part.fixtures() for part in self._parts[first_stage:]]
        if last is not None:
            parts = [takewhile(lambda fixture: fixture.number <= last, part) for part in parts]
        return parts[0] if len(parts) == 1 else heapq.merge(*parts, key=lambda fixture: fixture.round)


@dataclass(frozen=True, slots=True)
class _Part:
    """A stage in its place: after others. ``meetings``: how many pairs each pairing played before it."""

    stage: Stage
    earlier: Sequence[Stage]
    games_before: int
    meetings: Sequence[int]

    def fixtures(self) -> Iterator[Fixture]:
        number = self.games_before
        for round_number in range(self.stage.first, self.stage.last + 1):
            game = self._games_before_in(round_number)
            for (one, other), met in zip(self.stage.pairings, self.meetings, strict=True):
                meeting = met + round_number - self.stage.first
                # Who has White first changes from meeting to meeting.
                white, black = (other, one) if meeting % 2 else (one, other)
                pair = number // 2 + 1
                yield Fixture(number + 1, round_number, game + 1, pair, white, black, meeting)
                yield Fixture(number + 2, round_number, game + 2, pair, black, white, meeting)
                number += 2
                game += 2

    def _games_before_in(self, round_number: int) -> int:
        """Games of earlier stages in the same round."""
        stages = (stage for stage in self.earlier if stage.first <= round_number <= stage.last)
        return sum(2 * len(stage.pairings) for stage in stages)
