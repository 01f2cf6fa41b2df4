"""Twenty bots whose strengths are known play leagues by chance: are they ranked right, within honest bounds?

Schedules and pairings are those of the formats, results are drawn by the model with a first-move
advantage, draws, and openings that favour a side in both games of a pair.
"""

import math
import random
from collections.abc import Callable, Iterator

import pytest

from arbiter.match.termination import Termination
from arbiter.rating.outcome import Outcome, Result
from arbiter.rating.table import LeagueTable, build_table
from arbiter.rating.tiebreaks import Ranking
from arbiter.tournament.formats.format import Format
from arbiter.tournament.formats.league import League
from arbiter.tournament.formats.swiss import Swiss
from arbiter.tournament.schedule import Fixture, Schedule

NAMES = [f"bot{number:02}" for number in range(20)]
SPREAD, ADVANTAGE, DRAWS, OPENINGS = 600.0, 40.0, 0.03, 60.0
"""In Elo from the first to the last bot; of the first move; the share of draws; of an opening."""
LEAGUES = 12
Strengths = dict[str, float]

FORMATS: dict[str, tuple[Callable[[list[str]], Format], Ranking]] = {
    "round-robin": (lambda names: League.round_robin(names, 2), Ranking()),
    "gauntlet": (lambda names: League.gauntlet(names, names[:4], 10), Ranking()),
    "swiss": (lambda names: Swiss(names, 12), Ranking("swiss")),
}


def strengths() -> Strengths:
    """Evenly spread, with the mean 0."""
    step = SPREAD / (len(NAMES) - 1)
    return {name: SPREAD / 2 - step * place for place, name in enumerate(NAMES)}


def drawn(fixture: Fixture, truth: Strengths, favour: float, chance: random.Random) -> Outcome:
    """One game. ``favour``: what the opening is worth to White, in Elo."""
    x = (truth[fixture.white] - truth[fixture.black] + ADVANTAGE + favour) * math.log(10) / 400
    win, draw, loss = math.exp(x / 2), 2 * DRAWS / (1 - DRAWS), math.exp(-x / 2)
    results: list[Result] = ["1-0", "1/2-1/2", "0-1"]
    (result,) = chance.choices(results, (win, draw, loss))
    return Outcome(
        fixture.number, fixture.pair, fixture.white, fixture.black, result, Termination.NORMAL,
        fingerprint=fixture.number,
    )  # fmt: skip


def played(plan: Format, truth: Strengths, chance: random.Random) -> Iterator[Outcome]:
    """All games of a league."""
    schedule = Schedule(plan.extend([]))
    first = 0
    while first < len(schedule.stages) or (stages := plan.draw(schedule.stages, truth)):
        if first == len(schedule.stages):
            for stage in stages:
                schedule.add(stage)
        favour: dict[int, float] = {}
        for fixture in schedule.fixtures(first):
            outcome = drawn(
                fixture, truth, favour.setdefault(fixture.pair, chance.gauss(0, OPENINGS)), chance
            )
            plan.note(fixture.round, outcome)
            yield outcome
        first = len(schedule.stages)


def leagues(kind: str) -> Iterator[tuple[Strengths, LeagueTable]]:
    """Tables of leagues in this format, the bots in another order each time."""
    make, ranking = FORMATS[kind]
    chance, truth = random.Random(8), strengths()
    for _ in range(LEAGUES):
        names = chance.sample(NAMES, len(NAMES))
        yield truth, build_table(names, played(make(names), truth, chance), ranking=ranking)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_pool_of_known_strengths_is_ranked_right_with_honest_bounds(kind: str) -> None:
    scale = 2 / (2 + 2 * DRAWS / (1 - DRAWS))
    inside = clear = wrong = agreeing = 0
    for truth, table in leagues(kind):
        assert sorted(row.bot for row in table.rows) == NAMES
        rows = {row.bot: (row.elo, row.elo_low, row.elo_high) for row in table.rows}
        for bot, (elo, low, high) in rows.items():
            assert elo is not None
            assert low is not None
            assert high is not None
            inside += low <= truth[bot] * scale <= high
            for other in NAMES[NAMES.index(bot) + 1 :]:  # weaker ones
                agreeing += elo > (rows[other][0] or 0)
                apart = high < (rows[other][1] or 0) or low > (rows[other][2] or 0)
                clear += apart
                wrong += apart and elo < (rows[other][0] or 0)
    pairs = LEAGUES * len(NAMES) * (len(NAMES) - 1) / 2
    # One standard error of the share is about 1.4 %, and a little more since leagues are small worlds.
    assert 0.90 < inside / (LEAGUES * len(NAMES)) < 0.99
    assert agreeing / pairs > 0.85
    assert clear / pairs > 0.3
    assert wrong / clear < 0.002
