"""What a tournament will be, before it is played: bots, pairings, games, time."""

import math
from collections.abc import Iterator
from itertools import islice

from arbiter.match.clock import TimeControl
from arbiter.tournament.config import Tournament
from arbiter.tournament.formats import format_of
from arbiter.tournament.schedule import Schedule

_TYPICAL_PLIES = 84
"""Plies of a game between the sample bots, the median of some hundred."""
_FIRST_GAMES = 10


def outlook(tournament: Tournament, seed: int | None) -> Iterator[str]:
    """Lines that describe the tournament; its bots are not started for them."""
    yield f"{tournament.name}: {_format(tournament)}, time {tournament.time}, openings {tournament.openings}"
    seed = seed if seed is not None else tournament.seed
    yield f"seed {seed}" if seed is not None else "seed: drawn at the first run"
    yield ""
    for bot in tournament.bots:
        yield f"  {bot.name}{' (optional)' if bot.optional else ''}: {' '.join(bot.argv)}"
    yield ""
    names = {bot.name for bot in tournament.bots}
    plan = format_of(tournament)
    schedule = Schedule(plan.extend([]) or plan.draw([], names))
    total = schedule.games + plan.undrawn(schedule.stages, names)
    if tournament.format == "sprt":
        total = min(total, _usual_games(tournament))
    yield f"{_counted(tournament, schedule, total)}, {tournament.concurrency} at a time; the first of them:"
    for fixture in islice(schedule.fixtures(), _FIRST_GAMES):
        yield f"  game {fixture.number}, round {fixture.round}: {fixture.white} - {fixture.black}"
    for name in (name for stage in schedule.stages for name in stage.byes):
        yield f"  {name} has a bye in the first round"
    yield ""
    yield _time(tournament, total)


def _format(tournament: Tournament) -> str:
    """The format with the number that says how long it is."""
    match tournament.format:
        case "knockout":
            return f"knockout, best of {tournament.best_of} pair(s)"
        case "sprt":
            test = tournament.sprt.test
            return f"sprt [{test.elo0:g}, {test.elo1:g}] Elo, alpha {test.alpha:g}, beta {test.beta:g}"
        case "gauntlet":
            return f"gauntlet of {', '.join(tournament.challengers)}, {tournament.rounds} round(s)"
    return f"{tournament.format}, {tournament.rounds} round(s)"


def _usual_games(tournament: Tournament) -> int:
    """What a sequential test takes on average when one of its hypotheses is true."""
    test = tournament.sprt.test
    return 2 * math.ceil(max(test.expected_pairs(test.elo0), test.expected_pairs(test.elo1)))


def _counted(tournament: Tournament, schedule: Schedule, total: int) -> str:
    """How many games there will be, as far as that is known."""
    if tournament.format == "sprt":
        return f"about {total:,} games if a hypothesis is true, {schedule.games:,} at most"
    if tournament.format == "knockout":
        return f"at least {total:,} games"
    if tournament.format == "swiss":
        return f"{total:,} games"
    return f"{len(schedule.planned):,} pairings, {total:,} games"


def _time(tournament: Tournament, games: int) -> str:
    longest = _longest_game(tournament.time)
    if longest is None:
        return "no clock: how long it takes is up to the bots"
    total = -(-games // tournament.concurrency) * longest
    each, whole = _rounded(longest), _rounded(total)
    return f"at most about {each} a game and {whole} in all, if every bot uses its whole clock"


def _longest_game(control: TimeControl) -> int | None:
    """Milliseconds of a game of typical length in which both sides use all they have."""
    budgets = []
    if control.game is not None:
        budgets.append(2 * control.game + _TYPICAL_PLIES * control.increment)
    if control.move is not None:
        budgets.append(_TYPICAL_PLIES * control.move)
    return min(budgets) if budgets else None


def longest_pair(tournament: Tournament) -> float | None:
    """Seconds for a pair when both bots use all their time, with as many games at a time as it has."""
    longest = _longest_game(tournament.time)
    return None if longest is None else 2 * longest / tournament.concurrency / 1000


def _rounded(ms: int) -> str:
    seconds = ms // 1000
    if seconds < 120:
        return f"{seconds} s"
    minutes = seconds // 60
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"
