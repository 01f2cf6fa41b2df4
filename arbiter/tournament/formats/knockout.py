"""The knockout: who loses a tie is out."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from arbiter.rating.outcome import Outcome
from arbiter.tournament.formats.format import Format
from arbiter.tournament.schedule import Pairing, Stage

EXTRA_PAIRS = 3
"""A tie that is level goes on for one more pair at a time, at most so many."""


class Knockout(Format):
    """Ties of a best-of-N: a stage is one pair for every tie of the round that is not decided yet.

    ``seeds`` are the bots, strongest first: 1 and 2 can meet in the final only, and while there are
    fewer bots than places in the bracket, the first seeds have byes. A tie that is still level after
    all its pairs goes to the bot with the better margin, then to the higher seed.
    """

    needs_results = True

    def __init__(self, seeds: Sequence[str], best_of: int) -> None:
        self._seeds = {bot: index for index, bot in enumerate(seeds)}
        self._best_of = best_of
        self._points: Counter[tuple[int, str]] = Counter()
        self._margins: Counter[tuple[int, str]] = Counter()

    def note(self, round_number: int, outcome: Outcome) -> None:
        if outcome.is_void:
            return
        white, black = (round_number, outcome.white), (round_number, outcome.black)
        # In half points, which are whole numbers.
        self._points[white] += round(2 * outcome.white_points)
        self._points[black] += round(2 - 2 * outcome.white_points)
        self._margins[white] += outcome.margin or 0
        self._margins[black] -= outcome.margin or 0

    def draw(self, stages: Sequence[Stage], present: Collection[str]) -> list[Stage]:
        if not stages:
            seeds = [bot for bot in self._seeds if bot in present]
            return self._round(1, seeds, seeds) if len(seeds) > 1 else []
        current = stages[-1].last
        ties = _pairings(stages, current)
        open_ties = [tie for tie in ties if self._winner(tie, stages, current, present) is None]
        playable = [tie for tie in open_ties if set(tie) <= set(present)]
        if playable:
            return [Stage(tuple(playable), current, current)]
        winners = {self._winner(tie, stages, current, present) for tie in ties} - {None}
        through = winners.union(*(stage.byes for stage in stages if stage.last == current))
        left = [bot for bot in self._seeds if bot in through and bot in present]
        entrants = [bot for bot in self._seeds if any(bot in stage.bots for stage in stages)]
        return self._round(current + 1, left, entrants) if len(left) > 1 else []

    def undrawn(self, stages: Sequence[Stage], present: Collection[str]) -> int:
        """The fewest pairs that decide what is to come, two games each."""
        if not stages:
            return 2 * self._shortest * max(0, len(present) - 1)
        current = stages[-1].last
        in_round = len(_pairings(stages, current)) + sum(
            len(stage.byes) for stage in stages if stage.last == current
        )
        return 2 * self._shortest * max(0, in_round - 1)

    def closed(self, stages: Sequence[Stage]) -> str:
        if not stages:
            return ""
        return "the first round was drawn without it; it can play in another --results directory"

    def survived(self, stages: Sequence[Stage], present: Collection[str]) -> dict[str, int]:
        """How many rounds each bot came through, as far as the last round is decided."""
        if not stages:
            return {}
        survived: dict[str, int] = {}
        for stage in stages:
            survived |= dict.fromkeys(stage.bots, stage.last - 1) | dict.fromkeys(stage.byes, stage.last)
        current = stages[-1].last
        for tie in _pairings(stages, current):
            winner = self._winner(tie, stages, current, present)
            if winner is not None:
                survived[winner] = current
        return survived

    @property
    def _shortest(self) -> int:
        return self._best_of // 2 + 1

    def _round(self, number: int, left: Sequence[str], entrants: Sequence[str]) -> list[Stage]:
        """The next round that has a tie in it; one in which all have byes is skipped."""
        blocks = list(_blocks(left, entrants, number))
        ties = [(block[0], block[1]) for block in blocks if len(block) == 2]
        byes = [block[0] for block in blocks if len(block) == 1]
        if not ties:
            return self._round(number + 1, left, entrants)
        return [Stage(tuple(ties), number, number, tuple(byes))]

    def _winner(
        self, tie: Pairing, stages: Sequence[Stage], current: int, present: Collection[str]
    ) -> str | None:
        """Who is through; None while the tie is open, or when neither bot can play any more."""
        one, other = tie
        played = sum(tie in stage.pairings for stage in stages if stage.last == current)
        lead = self._points[current, one] - self._points[current, other]
        left = max(0, self._best_of - played)
        if abs(lead) > 4 * left:
            return one if lead > 0 else other
        if len(here := [bot for bot in tie if bot in present]) == 1:
            return here[0]
        if played < self._best_of + EXTRA_PAIRS:
            return None
        margin = self._margins[current, one]
        if margin:
            return one if margin > 0 else other
        return min(tie, key=self._seeds.__getitem__)


def _pairings(stages: Sequence[Stage], round_number: int) -> list[Pairing]:
    """The ties of a round, each once."""
    return list(dict.fromkeys(p for stage in stages if stage.last == round_number for p in stage.pairings))


def _blocks(left: Sequence[str], entrants: Sequence[str], round_number: int) -> Iterator[list[str]]:
    """The bots that are left, by the part of the bracket from which one comes through this round."""
    places = _bracket(len(entrants))
    size = 2**round_number
    for start in range(0, len(places), size):
        names = [entrants[seed] for seed in places[start : start + size] if seed < len(entrants)]
        yield sorted((bot for bot in names if bot in left), key=entrants.index)


def _bracket(count: int) -> list[int]:
    """Seeds from 0 in the order of the bracket: next to each other those that meet first."""
    places = [0]
    while len(places) < count:
        size = 2 * len(places)
        places = [seed for place in places for seed in (place, size - 1 - place)]
    return places
