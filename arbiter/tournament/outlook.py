"""What a tournament will be, before it is played: bots, pairings, games, time."""

from collections.abc import Iterator
from itertools import islice

from arbiter.match.clock import TimeControl
from arbiter.tournament.config import Tournament
from arbiter.tournament.schedule import games_in_round_robin, round_robin

_TYPICAL_PLIES = 84
"""Plies of a game between the sample bots, the median of some hundred."""
_FIRST_GAMES = 10


def outlook(tournament: Tournament, seed: int | None) -> Iterator[str]:
    """Lines that describe the tournament; its bots are not started for them."""
    yield f"{tournament.name}: {tournament.format}, {tournament.rounds} round(s), time {tournament.time}"
    seed = seed if seed is not None else tournament.seed
    yield f"seed {seed}" if seed is not None else "seed: drawn at the first run"
    yield ""
    for bot in tournament.bots:
        yield f"  {bot.name}{' (optional)' if bot.optional else ''}: {' '.join(bot.argv)}"
    yield ""
    names = [bot.name for bot in tournament.bots]
    total = games_in_round_robin(len(names), tournament.rounds)
    pairings = len(names) * (len(names) - 1) // 2
    yield f"{pairings} pairings, {total} games, {tournament.concurrency} at a time; the first of them:"
    for fixture in islice(round_robin(names, tournament.rounds), _FIRST_GAMES):
        yield f"  game {fixture.number}, round {fixture.round}: {fixture.white} - {fixture.black}"
    yield ""
    yield _time(tournament, total)


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


def _rounded(ms: int) -> str:
    seconds = ms // 1000
    if seconds < 120:
        return f"{seconds} s"
    minutes = seconds // 60
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"
