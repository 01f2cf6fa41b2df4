"""Sums over games: all that ratings and tables need, whatever the number of games.

A tally takes games one at a time and in any order, so that a running tournament adds to it and a
league of a hundred thousand games never stands in memory.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from arbiter.match.termination import Termination
from arbiter.rating.clock_use import ClockSums
from arbiter.rating.margins import MarginSums, mean_error
from arbiter.rating.outcome import Outcome

PairKey = tuple[int | str, str, str]


@dataclass(slots=True)
class Results:
    """Sums over some games from one side. Margins only over games played to their end; ``rated``: the
    losses, draws and wins among the games of weight 1.
    """

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    margin_sum: int = 0
    margin_games: int = 0
    rated: list[int] = field(default_factory=lambda: [0, 0, 0])

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def score(self) -> float | None:
        """Points per game."""
        return self.points / self.games if self.games else None

    @property
    def mean_margin(self) -> float | None:
        return self.margin_sum / self.margin_games if self.margin_games else None

    def count(self, points: float, margin: int | None, weight: int) -> None:
        """Add a game."""
        self.games += 1
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0
        self.rated[round(2 * points)] += weight
        if margin is not None:
            self.margin_sum += margin
            self.margin_games += 1

    def merge(self, other: "Results") -> None:
        """Add games that were summed elsewhere."""
        self.games += other.games
        self.wins += other.wins
        self.draws += other.draws
        self.losses += other.losses
        self.margin_sum += other.margin_sum
        self.margin_games += other.margin_games
        self.rated = [a + b for a, b in zip(self.rated, other.rated, strict=True)]

    def turned(self) -> "Results":
        """The same games from the other side."""
        return Results(
            self.games,
            self.losses,
            self.draws,
            self.wins,
            -self.margin_sum,
            self.margin_games,
            self.rated[::-1],
        )


@dataclass(slots=True)
class Standing(Results):
    """One bot's sums. ``resigned``: games it gave up; ``forfeits``: those it lost otherwise than on
    the board, by kind.
    """

    codecup_sum: int = 0
    resigned: int = 0
    forfeits: Counter[Termination] = field(default_factory=Counter)
    clock: ClockSums = field(default_factory=ClockSums)

    @property
    def codecup_points(self) -> float | None:
        """Mean per game."""
        return self.codecup_sum / self.games if self.games else None


class Tally:
    """What a set of games adds up to.

    ``standings``  by bot, in the order given; a bot first seen in a game is appended.
    ``points``     ``points[a][b]``: points of a against b; ``meetings[a][b]``: their games.
    ``encounters`` by (White, Black): White's results; ``openings`` the same by opening, None for the
                   empty board.
    ``margins``    by (first, second) in alphabetical order: the first bot's, over games of weight 1.
    ``pairs``      by (first, second) in alphabetical order: complete pairs by the first bot's
                   points 0, 1/2, 1, 3/2, 2 (LL, LD, DD+WL, DW, WW).
    ``void``       the games that do not count, by number.
    ``late``       by bot, the void attempts in which the machine made it late, replayed ones included;
                   ``culprits`` those in which it computed in the turn of a bot that was late.
    """

    def __init__(self, bots: Iterable[str] = (), outcomes: Iterable[Outcome] = ()) -> None:
        self.standings: dict[str, Standing] = {}
        self.points: dict[str, dict[str, float]] = {}
        self.meetings: dict[str, dict[str, int]] = {}
        self.encounters: dict[tuple[str, str], Results] = {}
        self.openings: dict[str | None, Results] = {}
        self.margins: dict[tuple[str, str], MarginSums] = {}
        self.pairs: dict[tuple[str, str], list[int]] = {}
        self.void: list[Outcome] = []
        self.late: Counter[str] = Counter()
        self.culprits: Counter[str] = Counter()
        self.games = self.draws = self.repeats = 0
        self.white_points = 0.0
        self.lag = 0
        self._unpaired = 0
        self._open: dict[PairKey, Outcome] = {}
        self._seen: set[int] = set()
        for bot in bots:
            self._enter(bot)
        for outcome in outcomes:
            self.add(outcome)

    @property
    def half_pairs(self) -> int:
        """Games that belong to a pair whose other game is not there."""
        return len(self._open) + self._unpaired

    @property
    def rated(self) -> dict[tuple[str, str], list[int]]:
        """By (White, Black): White's wins, draws, losses, over the games of weight 1."""
        return {
            colours: results.rated[::-1] for colours, results in self.encounters.items() if any(results.rated)
        }

    def results(self, bot: str, other: str) -> Results:
        """One bot's results against another, with both colours."""
        both = Results()
        if (bot, other) in self.encounters:
            both.merge(self.encounters[bot, other])
        if (other, bot) in self.encounters:
            both.merge(self.encounters[other, bot].turned())
        return both

    def pairs_of(self, bot: str, other: str) -> list[int]:
        """The complete pairs of two bots by the points of ``bot``, as in ``pairs``."""
        counts = self.pairs.get((min(bot, other), max(bot, other)), [0] * 5)
        return list(counts if bot < other else counts[::-1])

    def margin_error(self, bot: str, other: str | None = None) -> float | None:
        """Half the width of the 95 % interval of a bot's mean margin, against all or one of the others."""
        others = self.meetings[bot] if other is None else (other,)
        keys = ((min(bot, each), max(bot, each)) for each in others)
        return mean_error(self.margins[key] for key in keys if key in self.margins)

    def add(self, outcome: Outcome) -> None:
        white, black = outcome.white, outcome.black
        self._enter(white)
        self._enter(black)
        if outcome.is_void:
            self._add_void(outcome)
            return
        outcome = self._weighed(outcome)
        self._add_points(outcome)
        if outcome.clocks is not None:
            for bot, use in zip((white, black), outcome.clocks, strict=True):
                self.standings[bot].clock.add(use)
        self.lag = max(self.lag, outcome.lag)
        if outcome.pair is not None:
            self._add_to_pair(outcome.pair, outcome)

    def _add_void(self, outcome: Outcome) -> None:
        if not outcome.replayed:
            self.void.append(outcome)
        if outcome.late is not None:
            self.late[outcome.late] += 1
        if outcome.culprit is not None:
            self.culprits[outcome.culprit] += 1

    def _weighed(self, outcome: Outcome) -> Outcome:
        """The game without weight if it repeats an earlier one: bots without chance in them tell
        nothing new when they play the same opening again.
        """
        if outcome.fingerprint in self._seen:
            outcome = replace(outcome, weight=0)
        elif outcome.fingerprint is not None:
            self._seen.add(outcome.fingerprint)
        self.repeats += not outcome.weight
        return outcome

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
        white, black, weight = outcome.white, outcome.black, outcome.weight
        whites = self.standings[white], self.encounters.setdefault((white, black), Results())
        for results in (*whites, self.openings.setdefault(outcome.opening, Results())):
            results.count(points, margin, weight)
        self.standings[black].count(1 - points, None if margin is None else -margin, weight)
        self.standings[white].codecup_sum += white_codecup
        self.standings[black].codecup_sum += black_codecup
        if margin is not None and weight:
            first = min(white, black)
            sums = self.margins.setdefault((first, max(white, black)), MarginSums())
            sums.add(margin if white == first else -margin)
        self._add_ending(outcome)
        for bot, other, gained in ((white, black, points), (black, white, 1 - points)):
            self.points[bot][other] = self.points[bot].get(other, 0.0) + gained
            self.meetings[bot][other] = self.meetings[bot].get(other, 0) + 1

    def _add_ending(self, outcome: Outcome) -> None:
        """Whose fault it was that the board did not decide."""
        if outcome.termination.is_forfeit:
            offender = outcome.white if outcome.offender == "white" else outcome.black
            self.standings[offender].forfeits[outcome.termination] += 1
        elif outcome.termination is Termination.RESIGN:
            loser = outcome.black if outcome.white_points == 1 else outcome.white
            self.standings[loser].resigned += 1

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
            if white.margin is not None and black.margin is not None:
                self.margins[first, second].add_pair(white.margin - black.margin)
