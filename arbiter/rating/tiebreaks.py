"""The order of bots with equal points.

Scores are given as ``points[a][b]``, the points of a against b, and ``meetings[a][b]``, their games.
A bye stands in neither, so it adds nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby

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


def rank_round_robin(
    bots: Iterable[str], standings: Mapping[str, Standing], points: Points
) -> list[tuple[int, str]]:
    """Ranks and bots, best first, by the round robin's rule.

    Points; then, among bots with equal points, head-to-head, Sonneborn-Berger, wins, mean margin. Who
    is equal in all of that shares a rank (1, 2, 2, 4) and keeps the order of ``bots``.
    """
    total = totals(points)

    def tie_key(bot: str, tied: Collection[str]) -> tuple[float, ...]:
        margin = standings[bot].mean_margin
        return (
            head_to_head(points, bot, tied),
            sonneborn_berger(points, total, bot),
            standings[bot].wins,
            float("-inf") if margin is None else margin,
        )

    keys: dict[str, tuple[float, ...]] = {}
    ordered = sorted(bots, key=total.__getitem__, reverse=True)
    for level, group in groupby(ordered, key=total.__getitem__):
        tied = set(group)
        keys |= {bot: (level, *tie_key(bot, tied)) for bot in tied}
    return _ranks(sorted(ordered, key=keys.__getitem__, reverse=True), keys)


def _ranks(ordered: Sequence[str], keys: Mapping[str, tuple[float, ...]]) -> list[tuple[int, str]]:
    ranked: list[tuple[int, str]] = []
    for place, bot in enumerate(ordered, start=1):
        shared = bool(ranked) and keys[ranked[-1][1]] == keys[bot]
        ranked.append((ranked[-1][0] if shared else place, bot))
    return ranked
