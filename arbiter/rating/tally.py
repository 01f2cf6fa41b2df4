"""Sums over games: all that ratings and tables need, whatever the number of games.

A tally takes games one at a time and in any order, so that a running tournament adds to it and a
league of a hundred thousand games never stands in memory.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from arbiter.match.termination import Termination
from arbiter.rating.clock_use import ClockSums
from arbiter.rating.outcome import Outcome

PairKey = tuple[int | str, str, str]


@dataclass(slots=True)
class Standing:
    """One bot's sums. Margins only over games played to their end."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    margin_sum: int = 0
    margin_games: int = 0
    codecup_sum: int = 0
    forfeits: Counter[Termination] = field(default_factory=Counter)
    clock: ClockSums = field(default_factory=ClockSums)

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def mean_margin(self) -> float | None:
        return self.margin_sum / self.margin_games if self.margin_games else None

    @property
    def codecup_points(self) -> float | None:
        """Mean per game."""
        return self.codecup_sum / self.games if self.games else None

    def add(self, points: float, codecup: int, margin: int | None) -> None:
        self.games += 1
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0
        self.codecup_sum += codecup
        if margin is not None:
            self.margin_sum += margin
            self.margin_games += 1


class Tally:
    """What a set of games adds up to.

    ``standings``  by bot, in the order given; a bot first seen in a game is appended.
    ``points``     ``points[a][b]``: points of a against b; ``meetings[a][b]``: their games.
    ``rated``      by (White, Black): White's wins, draws, losses, over the games of weight 1.
    ``pairs``      by (first, second) in alphabetical order: complete pairs by the first bot's
                   points 0, 1/2, 1, 3/2, 2 (LL, LD, DD+WL, DW, WW).
    ``void``       the games that do not count, by number.
    """

    def __init__(self, bots: Iterable[str] = (), outcomes: Iterable[Outcome] = ()) -> None:
        self.standings: dict[str, Standing] = {}
        self.points: dict[str, dict[str, float]] = {}
        self.meetings: dict[str, dict[str, int]] = {}
        self.rated: dict[tuple[str, str], list[int]] = {}
        self.pairs: dict[tuple[str, str], list[int]] = {}
        self.void: list[Outcome] = []
        self.games = self.draws = self.repeats = 0
        self.white_points = 0.0
        self.lag = 0
        self._unpaired = 0
        self._open: dict[PairKey, Outcome] = {}
        for bot in bots:
            self._enter(bot)
        for outcome in outcomes:
            self.add(outcome)

    @property
    def half_pairs(self) -> int:
        """Games that belong to a pair whose other game is not there."""
        return len(self._open) + self._unpaired

    def add(self, outcome: Outcome) -> None:
        white, black = outcome.white, outcome.black
        self._enter(white)
        self._enter(black)
        if outcome.is_void:
            self.void.append(outcome)
            return
        self._add_points(outcome)
        if outcome.clocks is not None:
            for bot, use in zip((white, black), outcome.clocks, strict=True):
                self.standings[bot].clock.add(use)
        self.lag = max(self.lag, outcome.lag)
        if outcome.weight:
            counts = self.rated.setdefault((white, black), [0, 0, 0])
            counts[round(2 - 2 * outcome.white_points)] += 1
        else:
            self.repeats += 1
        if outcome.pair is not None:
            self._add_to_pair(outcome.pair, outcome)

    def _enter(self, bot: str) -> None:
        if bot not in self.standings:
            self.standings[bot] = Standing()
            self.points[bot] = {}
            self.meetings[bot] = {}

    def _add_points(self, outcome: Outcome) -> None:
        points, margin = outcome.white_points, outcome.margin
        white_codecup, black_codecup = outcome.codecup_points
        self.games += 1
        self.draws += points == 0.5
        self.white_points += points
        white, black = outcome.white, outcome.black
        self.standings[white].add(points, white_codecup, margin)
        self.standings[black].add(1 - points, black_codecup, None if margin is None else -margin)
        if outcome.termination.is_forfeit:
            offender = white if outcome.offender == "white" else black
            self.standings[offender].forfeits[outcome.termination] += 1
        for bot, other, gained in ((white, black, points), (black, white, 1 - points)):
            self.points[bot][other] = self.points[bot].get(other, 0.0) + gained
            self.meetings[bot][other] = self.meetings[bot].get(other, 0) + 1

    def _add_to_pair(self, pair: int | str, outcome: Outcome) -> None:
        first, second = sorted((outcome.white, outcome.black))
        other = self._open.pop((pair, first, second), None)
        if other is None:
            self._open[pair, first, second] = outcome
        elif other.white == outcome.white:
            self._unpaired += 2  # the same colours twice: no pair
        elif outcome.weight and other.weight:
            white, black = (outcome, other) if outcome.white == first else (other, outcome)
            counts = self.pairs.setdefault((first, second), [0] * 5)
            counts[round(2 * (white.white_points + 1 - black.white_points))] += 1
