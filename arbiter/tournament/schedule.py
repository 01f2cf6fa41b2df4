"""Who plays whom, in which order: computed as it is needed, never held as a whole."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Fixture(NamedTuple):
    """One game of the schedule: its number, round, number in the round and pair, each from 1."""

    number: int
    round: int
    game: int
    pair: int
    white: str
    black: str


def round_robin(bots: Sequence[str], rounds: int) -> Iterator[Fixture]:
    """In each round every pairing plays one pair: two games with colours swapped.

    The pairings come in the order of the circle method, so that all bots and all pairings advance
    evenly; who has White first changes from round to round.
    """
    number = 0
    for round_number in range(1, rounds + 1):
        for index, (one, other) in enumerate(_circle(bots)):
            white, black = (one, other) if round_number % 2 else (other, one)
            pair = (number // 2) + 1
            yield Fixture(number + 1, round_number, 2 * index + 1, pair, white, black)
            yield Fixture(number + 2, round_number, 2 * index + 2, pair, black, white)
            number += 2


def games_in_round_robin(bots: int, rounds: int) -> int:
    """How many games ``round_robin`` yields."""
    return bots * (bots - 1) * rounds


def _circle(bots: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Every pairing once; in each turn of the circle every bot plays at most once."""
    ring: list[str | None] = [*bots, *([None] if len(bots) % 2 else [])]
    half = len(ring) // 2
    for _ in range(len(ring) - 1):
        for one, other in zip(ring[:half], reversed(ring[half:]), strict=True):
            if one is not None and other is not None:
                yield one, other
        ring[1:] = [ring[-1], *ring[1:-1]]
