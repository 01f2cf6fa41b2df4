"""The order of bots with equal points.

Scores are given as ``points[a][b]``, the points of a against b, and ``meetings[a][b]``, their games.
A bye stands in neither, so it adds nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from arbiter.rating.tally import Standing

Points = Mapping[str, Mapping[str, float]]
Meetings = Mapping[str, Mapping[str, int]]


def totals(points: Points) -> dict[str, float]:
    """Every bot's points."""
    return {bot: sum(against.values()) for bot, against in points.items()}


def sonneborn_berger(points: Points, total: Mapping[str, float], bot: str) -> float:
    """Points against each opponent times that opponent's total: beating the strong counts more."""
    return sum(gained * total[other] for other, gained in points[bot].items())


def buchholz(meetings: Meetings, total: Mapping[str, float], bot: str) -> float:
    """The opponents' totals, once for each game: the strength of the field one met."""
    return sum(games * total[other] for other, games in meetings[bot].items())


def head_to_head(points: Points, bot: str, tied: Collection[str]) -> float:
    """Points against the bots of ``tied`` alone."""
    return sum(gained for other, gained in points[bot].items() if other in tied)


@dataclass(frozen=True, slots=True)
class Ranking:
    """By which rule bots are ranked.

    ``kind``: the rule of a ``round-robin``, a ``swiss`` system or a ``knockout``; ``free``: points
    that a bot has without a game, for byes; ``survived``: how many rounds of a knockout it came through.
    """

    kind: Literal["round-robin", "swiss", "knockout"] = "round-robin"
    free: Mapping[str, float] = field(default_factory=dict)
    survived: Mapping[str, int] = field(default_factory=dict)

    def among(self, bots: Collection[str]) -> "Ranking":
        """The same for some of the bots."""
        free = {bot: points for bot, points in self.free.items() if bot in bots}
        return Ranking(self.kind, free, {bot: n for bot, n in self.survived.items() if bot in bots})

    def knows(self, bot: str) -> bool:
        """Whether a bot has something to be ranked by before its first game."""
        return bool(self.free.get(bot) or self.survived.get(bot))


def rank(
    bots: Iterable[str],
    standings: Mapping[str, Standing],
    points: Points,
    meetings: Meetings,
    ranking: Ranking | None = None,
) -> list[tuple[int, str]]:
    """Ranks and bots, best first. Who is equal in everything shares a rank (1, 2, 2, 4) and keeps the
    order of ``bots``.

    Round robin: points, then among equals head-to-head, Sonneborn-Berger, wins, mean margin. Swiss:
    points with byes, then Buchholz, Sonneborn-Berger, head-to-head. Knockout: rounds survived.
    """
    ranking = ranking or Ranking()
    total = totals(points)

    def level(bot: str) -> float:
        if ranking.kind == "knockout":
            return ranking.survived.get(bot, -1)
        return total[bot] + ranking.free.get(bot, 0.0)

    def tie_key(bot: str, tied: Collection[str]) -> tuple[float, ...]:
        direct = head_to_head(points, bot, tied)
        berger = sonneborn_berger(points, total, bot)
        if ranking.kind == "knockout":
            return ()
        if ranking.kind == "swiss":
            return buchholz(meetings, total, bot), berger, direct
        margin = standings[bot].mean_margin
        return direct, berger, standings[bot].wins, float("-inf") if margin is None else margin

    keys: dict[str, tuple[float, ...]] = {}
    ordered = sorted(bots, key=level, reverse=True)
    for height, group in groupby(ordered, key=level):
        tied = set(group)
        keys |= {bot: (height, *tie_key(bot, tied)) for bot in tied}
    return _ranks(sorted(ordered, key=keys.__getitem__, reverse=True), keys)


def _ranks(ordered: Sequence[str], keys: Mapping[str, tuple[float, ...]]) -> list[tuple[int, str]]:
    ranked: list[tuple[int, str]] = []
    for place, bot in enumerate(ordered, start=1):
        shared = bool(ranked) and keys[ranked[-1][1]] == keys[bot]
        ranked.append((ranked[-1][0] if shared else place, bot))
    return ranked
