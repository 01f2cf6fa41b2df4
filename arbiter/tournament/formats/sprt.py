"""A match that goes on until a sequential test knows which of two bots is better."""

from collections import deque
from collections.abc import Sequence

from arbiter.rating.outcome import Outcome
from arbiter.rating.sprt import Ending, Sprt, SprtProgress
from arbiter.tournament.formats.format import Format
from arbiter.tournament.schedule import Pairing, Stage

REPEATED_PAIRS = 3
"""So many pairs in a row that only repeat earlier games end the match: more of them tell nothing."""


class SprtMatch(Format):
    """Two bots play pairs until the test decides, or ``max_pairs`` are over.

    The test looks at the pairs in the order of the schedule, whatever the order in which they end,
    so that its decision does not depend on how many games run at a time. Pairs with a void game are
    passed over, as are those that repeat earlier games.
    """

    needs_results = True
    is_open_ended = True

    def __init__(self, bots: Pairing, test: Sprt, max_pairs: int) -> None:
        self._bots = bots
        self._test = test
        self._max_pairs = max_pairs
        self._waiting: dict[int, list[Outcome]] = {}
        self._next_pair = 1
        self._seen: set[int] = set()
        self._counts = [0] * 5
        self._spoilt = [0] * 5
        self._forfeits = 0
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
    def progress(self) -> SprtProgress:
        counts, spoilt = tuple(self._counts), tuple(self._spoilt)
        llr = self._test.llr(counts)
        return SprtProgress(self._test, sum(counts), counts, llr, self._ending, self._forfeits, spoilt)

    def _count(self, pair: Sequence[Outcome]) -> None:
        if any(outcome.is_void for outcome in pair):
            return
        fresh = [self._is_fresh(outcome) for outcome in sorted(pair, key=lambda outcome: outcome.number)]
        self._repeats.append(not any(fresh))
        if all(fresh):
            forfeits = sum(outcome.termination.is_forfeit for outcome in pair)
            cell = round(2 * sum(_points(outcome, self._bots[0]) for outcome in pair))
            self._counts[cell] += 1
            self._spoilt[cell] += bool(forfeits)
            self._forfeits += forfeits
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
