"""A match that goes on until a sequential test knows which of two bots is better."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from arbiter.rating.outcome import Outcome
from arbiter.rating.sprt import Decision, Sprt
from arbiter.tournament.formats.format import Format
from arbiter.tournament.schedule import Pairing, Stage

REPEATED_PAIRS = 3
"""So many pairs in a row that only repeat earlier games end the match: more of them tell nothing."""

Ending = Decision | Literal["repeats"]


@dataclass(frozen=True, slots=True)
class TestProgress:
    """Where a test stands: its ratio between two bounds after so many pairs.

    ``counts``: pairs by the first bot's points 0, 1/2, 1, 3/2, 2. ``ending``: the hypothesis that was
    accepted, ``repeats`` when the bots only repeat their games, or ``continue``.
    """

    test: Sprt
    pairs: int
    counts: tuple[int, ...]
    llr: float
    ending: Ending

    @property
    def line(self) -> str:
        low, high = self.test.bounds
        counts = "-".join(map(str, self.counts))
        return f"pair {self.pairs:,}: LLR {self.llr:+.2f} ({low:.2f} to {high:.2f}), pairs by points {counts}"


class SprtMatch(Format):
    """Two bots play pairs until the test decides, or ``max_pairs`` are over.

    The test looks at the pairs in the order of the schedule, whatever the order in which they end,
    so that its decision does not depend on how many games run at a time. Pairs with a void game are
    passed over, as are those that repeat earlier games.
    """

    needs_results = True

    def __init__(self, bots: Pairing, test: Sprt, max_pairs: int) -> None:
        self._bots = bots
        self._test = test
        self._max_pairs = max_pairs
        self._waiting: dict[int, list[Outcome]] = {}
        self._next_pair = 1
        self._seen: set[int] = set()
        self._counts = [0] * 5
        self._repeats: deque[bool] = deque(maxlen=REPEATED_PAIRS)
        self._ending: Ending = "continue"

    def extend(self, stages: Sequence[Stage]) -> list[Stage]:
        covered = max((stage.last for stage in stages), default=0)
        if covered >= self._max_pairs:
            return []
        return [Stage((self._bots,), covered + 1, self._max_pairs)]

    def note(self, round_number: int, outcome: Outcome) -> None:
        self._waiting.setdefault(round_number, []).append(outcome)
        while self._ending == "continue" and len(self._waiting.get(self._next_pair, ())) == 2:
            self._count(self._waiting.pop(self._next_pair))
            self._next_pair += 1

    @property
    def is_decided(self) -> bool:
        return self._ending != "continue"

    @property
    def progress(self) -> TestProgress:
        counts = tuple(self._counts)
        return TestProgress(self._test, sum(counts), counts, self._test.llr(counts), self._ending)

    def _count(self, pair: Sequence[Outcome]) -> None:
        if any(outcome.is_void for outcome in pair):
            return
        fresh = [self._is_fresh(outcome) for outcome in sorted(pair, key=lambda outcome: outcome.number)]
        self._repeats.append(not any(fresh))
        if all(fresh):
            self._counts[round(2 * sum(_points(outcome, self._bots[0]) for outcome in pair))] += 1
            self._ending = self._test.decision(self._counts)
        if len(self._repeats) == REPEATED_PAIRS and all(self._repeats):
            self._ending = "repeats"

    def _is_fresh(self, outcome: Outcome) -> bool:
        """Whether a game is no repetition, ply by ply, of an earlier one."""
        if outcome.fingerprint is None:
            return True
        known = outcome.fingerprint in self._seen
        self._seen.add(outcome.fingerprint)
        return not known


def _points(outcome: Outcome, bot: str) -> float:
    return outcome.white_points if outcome.white == bot else 1 - outcome.white_points
