"""The Swiss system: every round pairs bots of about equal points that have not met."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from arbiter.rating.outcome import Outcome
from arbiter.tournament.formats.format import Format
from arbiter.tournament.schedule import Pairing, Schedule, Stage

BYE_POINTS = 2.0
"""A bye counts as a won pair."""
_MEETING = 1000
_GAP = 10
_SECOND_BYE = 1_000_000
"""More than all else together can cost: nobody has a second bye while others had none."""
Meetings = Mapping[frozenset[str], int]


class Swiss(Format):
    """Each pairing of a round plays one pair; with an odd number of bots one has a bye, each bot once."""

    needs_results = True

    def __init__(self, bots: Sequence[str], rounds: int) -> None:
        self._bots = bots
        self._rounds = rounds
        self._points: defaultdict[str, float] = defaultdict(float)
        self._played: Counter[frozenset[str]] = Counter()

    def note(self, round_number: int, outcome: Outcome) -> None:
        # A void game counts for nobody, but both were there to play it.
        self._played[frozenset((outcome.white, outcome.black))] += 1
        if outcome.is_void:
            return
        self._points[outcome.white] += outcome.white_points
        self._points[outcome.black] += 1 - outcome.white_points

    def draw(self, stages: Sequence[Stage], present: Collection[str]) -> list[Stage]:
        bots = [bot for bot in self._bots if bot in present]
        if len(stages) >= self._rounds or len(bots) < 2:
            return []
        gone = {bot for stage in stages for bot in stage.bots}.difference(present)
        free = self.free(stages, gone)
        points = {bot: self._points[bot] + free.get(bot, 0.0) for bot in bots}
        pairings, byes = pair(bots, points, _met(stages), Counter(bot for s in stages for bot in s.byes))
        return [Stage(tuple(pairings), len(stages) + 1, len(stages) + 1, tuple(byes))]

    def undrawn(self, stages: Sequence[Stage], present: Collection[str]) -> int:
        return max(0, self._rounds - len(stages)) * (len(present) // 2) * 2

    def closed(self, stages: Sequence[Stage]) -> str:
        if len(stages) < self._rounds:
            return ""
        return "the last round was drawn before it joined; raise `rounds` to let it play"

    def free(self, stages: Sequence[Stage], gone: Collection[str]) -> dict[str, float]:
        """Points without a game, when these bots play no more."""
        return free_points(stages, self._played, gone)


def free_points(stages: Sequence[Stage], played: Meetings, gone: Collection[str]) -> dict[str, float]:
    """Points without a game: for byes, and for each game that an opponent, now ``gone``, did not play."""
    free: defaultdict[str, float] = defaultdict(float)
    for stage in stages:
        for bot in stage.byes:
            free[bot] += BYE_POINTS
    for both, games in Schedule(stages).planned.items():
        present = both - set(gone)
        if len(present) == 1:
            free[min(present)] += max(0, games - played.get(both, 0))
    return dict(free)


def pair(
    bots: Sequence[str], points: Mapping[str, float], met: Meetings, byes: Mapping[str, int]
) -> tuple[list[Pairing], list[str]]:
    """Pairings of a round and who has the bye: the matching of all bots that costs least.

    A pairing costs 1000 for every earlier meeting and 10 times the square of the difference in
    points; a bye costs the same for the distance to the lowest bot, and is given once to each bot.
    Where costs are equal, bots are paired across half the field: 1 with 5, 2 with 6 among eight.
    Best pairings come first.
    """
    import networkx as nx  # type: ignore[import-untyped]

    nobody, count = len(bots), len(bots)
    lowest = min(points[bot] for bot in bots)
    graph = nx.Graph()

    def connect(i: int, j: int, repetition: int, gap: float, preference: int) -> None:
        # Points come in halves, so four times the cost is whole; the preference only decides ties.
        cost = 4 * repetition + round(_GAP * (2 * gap) ** 2)
        graph.add_edge(i, j, weight=cost * (count + 1) ** 3 + preference)

    for i, one in enumerate(bots):
        for j in range(i + 1, count):
            other = bots[j]
            apart = (2 * (j - i) - count) ** 2 // 4
            meetings = met.get(frozenset((one, other)), 0)
            connect(i, j, _MEETING * meetings, points[one] - points[other], apart)
        if count % 2:
            connect(i, nobody, _SECOND_BYE * byes.get(one, 0), points[one] - lowest, count - i)
    matching = sorted(sorted(edge) for edge in nx.min_weight_matching(graph))
    pairings = [(bots[i], bots[j]) for i, j in matching if j != nobody]
    pairings.sort(key=lambda both: -max(points[both[0]], points[both[1]]))
    return pairings, [bots[i] for i, j in matching if j == nobody]


def _met(stages: Sequence[Stage]) -> Meetings:
    """How many pairs any two bots were drawn for."""
    return Counter(frozenset(pairing) for stage in stages for pairing in stage.pairings)
