"""Chance that comes out the same on every machine and in every year.

Of Python's ``random`` only ``random()`` itself is promised to stay as it is; how it shuffles or chooses may
change with a version. The numbers here are those of SHAKE-256 (FIPS 202), and all that is made of them is
written out below.
"""

from collections.abc import Iterable, Iterator
from hashlib import shake_256
from itertools import count
from struct import unpack
from typing import TypeVar

T = TypeVar("T")

WORD_BITS = 64
_BLOCK = 128
"""Words made at a time: one board of the simplest kind needs about a dozen."""


class Chance:
    """Numbers without end that depend on a key alone, such as ``Chance("random", seed, index)``."""

    def __init__(self, *key: str | int) -> None:
        self._words = _words("/".join(map(str, key)))

    def word(self) -> int:
        """The next 64 bits as a number."""
        return next(self._words)

    def below(self, end: int) -> int:
        """A number from 0 to ``end - 1``, each with the same chance; ``end`` is from 1 to 2**64."""
        shift = WORD_BITS - (end - 1).bit_length()
        while (number := self.word() >> shift) >= end:
            pass
        return number

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in an order of which each has the same chance (Fisher and Yates)."""
        shuffled = list(items)
        for place in range(len(shuffled) - 1, 0, -1):
            other = self.below(place + 1)
            shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
        return shuffled


def _words(key: str) -> Iterator[int]:
    for block in count():
        octets = shake_256(f"{key}/{block}".encode()).digest(_BLOCK * WORD_BITS // 8)
        yield from unpack(f"<{_BLOCK}Q", octets)
