"""The knockout: who loses a tie is out."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from arbiter.rating.outcome import Outcome
from arbiter.tournament.formats.format import Format
from arbiter.tournament.formats.tie import By, Tie
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
    may_grow = True

    def __init__(self, seeds: Sequence[str], best_of: int) -> None:
        self._seeds = {bot: index for index, bot in enumerate(seeds)}
        self._best_of = best_of
        self._points: Counter[tuple[int, str]] = Counter()
        self._margins: Counter[tuple[int, str]] = Counter()
        self._games: Counter[tuple[int, str]] = Counter()

    def note(self, round_number: int, outcome: Outcome) -> None:
        white, black = (round_number, outcome.white), (round_number, outcome.black)
        self._games.update((white, black))
        if outcome.is_void:
            return
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
        ties = self._ties(stages, current, present)
        playable = [tie for tie in ties if tie.winner is None and {tie.one, tie.other} <= set(present)]
        if playable:
            return [Stage(tuple((tie.one, tie.other) for tie in playable), current, current)]
        through = {tie.winner for tie in ties}.union(_byes(stages, current))
        left = [bot for bot in self._seeds if bot in through and bot in present]
        entrants = [bot for bot in self._seeds if any(bot in stage.bots for stage in stages)]
        return self._round(current + 1, left, entrants) if len(left) > 1 else []

    def undrawn(self, stages: Sequence[Stage], present: Collection[str]) -> int:
        """The fewest pairs that decide what is to come, two games each."""
        if not stages:
            return 2 * self._shortest * max(0, len(present) - 1)
        current = stages[-1].last
        ties = _pairings(stages, current)
        in_round = sum(not set(tie).isdisjoint(present) for tie in ties)
        in_round += sum(bot in present for bot in _byes(stages, current))
        pairs = sum(self._fewest(tie, stages, current) for tie in ties if set(tie) <= set(present))
        return 2 * (pairs + self._shortest * max(0, in_round - 1))

    def closed(self, stages: Sequence[Stage]) -> str:
        if not stages:
            return ""
        return "the first round was drawn without it; it can play in another --results directory"

    def parted(self, stages: Sequence[Stage], bot: str) -> str:
        current = stages[-1].last if stages else 0
        if any(bot in (*stage.bots, *stage.byes) for stage in stages if stage.last == current):
            return ""
        return f"round {current} of the knockout was drawn without it"

    def survived(self, stages: Sequence[Stage], present: Collection[str]) -> dict[str, int]:
        """How many rounds each bot came through, as far as the last round is decided."""
        if not stages:
            return {}
        survived: dict[str, int] = {}
        for stage in stages:
            survived |= dict.fromkeys(stage.bots, stage.last - 1) | dict.fromkeys(stage.byes, stage.last)
        for tie in self._ties(stages, stages[-1].last, present):
            if tie.winner is not None:
                survived[tie.winner] = tie.round
        return survived

    def ties(self, stages: Sequence[Stage], present: Collection[str]) -> list[Tie]:
        """All ties, round by round; who came through a round is known from the draw of a later one."""
        *earlier, current = sorted({stage.last for stage in stages}) or [0]
        found: list[Tie] = []
        for number in earlier:
            later = {bot for stage in stages if stage.last > number for bot in stage.bots}
            played = self._ties(stages, number, self._seeds)
            found += [_as_drawn(tie, later, present) for tie in played]
        return found + self._ties(stages, current, present)

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

    def _ties(self, stages: Sequence[Stage], number: int, present: Collection[str]) -> list[Tie]:
        """The ties of a round by what was played, and by who can go on."""
        return [self._tie(pairing, stages, number, present) for pairing in _pairings(stages, number)]

    def _tie(self, pairing: Pairing, stages: Sequence[Stage], number: int, present: Collection[str]) -> Tie:
        one, other = pairing
        lead, left, pending = self._state(pairing, stages, number)
        margin = self._margins[number, one]
        points = self._points[number, one] / 2, self._points[number, other] / 2

        def over(winner: str | None, by: By | None) -> Tie:
            return Tie(number, one, other, points, margin, pending, winner, by)

        if abs(lead) > 4 * max(0, left) + 2 * pending:
            return over(one if lead > 0 else other, "score")
        if one not in present or other not in present:
            here = [bot for bot in pairing if bot in present]
            return over(here[0] if here else None, "absence")
        if pending or left > -EXTRA_PAIRS:
            return over(None, None)
        if margin:
            return over(one if margin > 0 else other, "margin")
        return over(min(pairing, key=self._seeds.__getitem__), "seed")

    def _state(self, pairing: Pairing, stages: Sequence[Stage], number: int) -> tuple[int, int, int]:
        """The first bot's lead in half points, the pairs left of the tie, below 0 when it went on, and the
        games that were drawn and are not over.
        """
        one, other = pairing
        drawn = sum(pairing in stage.pairings for stage in stages if stage.last == number)
        lead = self._points[number, one] - self._points[number, other]
        return lead, self._best_of - drawn, 2 * drawn - self._games[number, one]

    def _fewest(self, pairing: Pairing, stages: Sequence[Stage], number: int) -> int:
        """The fewest further pairs that decide a tie."""
        lead, left, pending = self._state(pairing, stages, number)
        for pairs in range(left + EXTRA_PAIRS + 1):
            if abs(lead) + 2 * pending + 4 * pairs > 4 * max(0, left - pairs):
                return pairs
        return 0


def _pairings(stages: Sequence[Stage], round_number: int) -> list[Pairing]:
    """The ties of a round, each once."""
    return list(dict.fromkeys(p for stage in stages if stage.last == round_number for p in stage.pairings))


def _byes(stages: Sequence[Stage], round_number: int) -> list[str]:
    return [bot for stage in stages if stage.last == round_number for bot in stage.byes]


def _as_drawn(tie: Tie, later: Collection[str], present: Collection[str]) -> Tie:
    """The same tie with the winner that went on, whatever was taken out since."""
    went_on = [bot for bot in (tie.one, tie.other) if bot in later]
    if went_on in ([], [tie.winner]):
        return tie if tie.winner else replace(tie, by="absence")
    is_absent = tie.winner is None and not {tie.one, tie.other} <= set(present)
    return replace(tie, winner=went_on[0], by="absence" if is_absent else "draw")


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
