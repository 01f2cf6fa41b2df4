"""Formats whose pairings depend on no result: everybody, or everybody against a few challengers."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Self

from arbiter.tournament.formats.format import Format
from arbiter.tournament.schedule import Pairing, Stage


class League(Format):
    """In each round every pairing plays one pair: two games on one opening, colours swapped."""

    def __init__(self, pairings: Sequence[Pairing], rounds: int) -> None:
        self._pairings = pairings
        self._rounds = rounds

    @classmethod
    def round_robin(cls, bots: Sequence[str], rounds: int) -> Self:
        """Everybody against everybody."""
        return cls(list(_circle(bots)), rounds)

    @classmethod
    def gauntlet(cls, bots: Sequence[str], challengers: Collection[str], rounds: int) -> Self:
        """Each challenger against everybody else; challengers do not meet, nor do the others."""
        return cls(
            [
                (one, other)
                for other in bots
                if other not in challengers
                for one in bots
                if one in challengers
            ],
            rounds,
        )

    def extend(self, stages: Sequence[Stage]) -> list[Stage]:
        """The rounds that a pairing still lacks: all for one that is new, the last ones for the others."""
        covered: Counter[frozenset[str]] = Counter()
        for stage in stages:
            for pairing in stage.pairings:
                covered[frozenset(pairing)] = max(covered[frozenset(pairing)], stage.last)
        lacking: dict[int, list[Pairing]] = {}
        for pairing in self._pairings:
            lacking.setdefault(covered[frozenset(pairing)], []).append(pairing)
        return [
            Stage(tuple(pairings), last + 1, self._rounds)
            for last, pairings in sorted(lacking.items())
            if last < self._rounds
        ]


def _circle(bots: Sequence[str]) -> Iterator[Pairing]:
    """Every pairing once, by the circle method: in each turn of the circle every bot plays at most once,
    so that all bots advance evenly.
    """
    ring: list[str | None] = [*bots, *([None] if len(bots) % 2 else [])]
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        for one, other in zip(ring[:half], reversed(ring[half:]), strict=True):
            if one is not None and other is not None:
                yield one, other
        ring[1:] = [ring[-1], *ring[1:-1]]
