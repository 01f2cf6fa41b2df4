"""What a tournament will be, before it is played: bots, pairings, games, time."""

import math
import shlex
from collections.abc import Collection, Iterator
from itertools import islice
from textwrap import shorten

from arbiter.match.clock import TimeControl
from arbiter.store import League
from arbiter.tournament.agenda import Agenda
from arbiter.tournament.config import Tournament
from arbiter.tournament.versions import Change, Foreseen
from arbiter.tournament.withdrawals import withdrawn

_TYPICAL_PLIES = 84
"""Plies of a game between the sample bots, the median of some hundred."""
_FIRST_GAMES = 10
_LONGEST_COMMAND = 160


def outlook(
    tournament: Tournament,
    seed: int | None,
    league: League | None = None,
    changed: Collection[Change] = (),
    readmitted: Collection[str] = (),
    new_versions: Collection[str] = (),
    left_out: Collection[str] = (),
) -> Iterator[str]:
    """Lines that describe the tournament, and what ``league`` leaves to play of it; no bot is started.

    ``changed``: bots that would enter with other programs; ``readmitted``: bots that were withdrawn and
    would play again; ``new_versions``: bots that are said to have changed; ``left_out``: those of which it
    shows already that they cannot play.
    """
    yield f"{tournament.name}: {_format(tournament)}, time {tournament.time}, openings {tournament.openings}"
    seed = seed if seed is not None else tournament.seed
    yield f"seed {seed}" if seed is not None else "seed: drawn at the first run"
    yield ""
    away = withdrawn(league, back={*(change.name for change in changed), *readmitted}) if league else {}
    present = {bot.name for bot in tournament.bots}.difference(away, left_out)
    agenda = Agenda(tournament, present, Foreseen(league, changed) if league else None)
    coming = list(islice(agenda.coming(), _FIRST_GAMES))
    for bot in tournament.bots:
        is_out = bot.name in left_out
        mark = "withdrawn" if bot.name in away else "left out" if is_out else "optional" * bot.optional
        yield f"  {bot.name}{mark and f' ({mark})'}: {' '.join(bot.argv)}"
        if bot.build and bot.name in present and coming:
            command = shorten(shlex.join(bot.build), _LONGEST_COMMAND, placeholder=" ...")
            yield f"    the run builds it: {command}, in {bot.directory}"
    yield ""
    yield from agenda.latecomers
    yield from (change.foretold for change in changed)
    yield from _not_seen_to_change(tournament, set(new_versions) - {change.name for change in changed})
    if not coming:
        yield f"{_played(agenda)}; none is left"
        return
    left = _left(tournament, agenda)
    yield f"{_counted(tournament, agenda, left)}, {tournament.concurrency} at a time; the first of them:"
    for fixture in coming:
        yield f"  game {fixture.number}, round {fixture.round}: {fixture.white} - {fixture.black}"
    yield from (f"  {name} has a bye in round {agenda.stages[-1].last}" for name in agenda.stages[-1].byes)
    yield ""
    yield _time(tournament, left, "for so many" if agenda.may_grow or agenda.total is None else "in all")


def _not_seen_to_change(tournament: Tournament, names: Collection[str]) -> Iterator[str]:
    """What becomes of bots that are said to have changed, and of which that cannot be seen here."""
    for bot in tournament.bots:
        if bot.name in names and bot.build:
            yield f"{bot.name} enters as a new version if its program is another one once it is built"
        elif bot.name in names:
            yield f"{bot.name} is no new version: its program has not changed"


def _format(tournament: Tournament) -> str:
    """The format with the number that says how long it is."""
    rounds = _number(tournament.rounds, "round")
    match tournament.format:
        case "knockout":
            return f"knockout, best of {_number(tournament.best_of, 'pair')}"
        case "sprt":
            test = tournament.sprt.test
            return f"sprt [{test.elo0:g}, {test.elo1:g}] Elo, alpha {test.alpha:g}, beta {test.beta:g}"
        case "gauntlet":
            return f"gauntlet of {', '.join(tournament.challengers)}, {rounds}"
    return f"{tournament.format}, {rounds}"


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _usual_games(tournament: Tournament) -> int:
    """What a sequential test takes on average when one of its hypotheses is true."""
    test = tournament.sprt.test
    return 2 * math.ceil(max(test.expected_pairs(test.elo0), test.expected_pairs(test.elo1)))


def _left(tournament: Tournament, agenda: Agenda) -> int:
    """About how many games are still to be played, or the fewest where there may be more."""
    total = agenda.total
    if total is None:
        total = min(_drawn(agenda), max(_usual_games(tournament), agenda.done + 2))
    return total - agenda.done


def _drawn(agenda: Agenda) -> int:
    return sum(stage.games for stage in agenda.stages)


def _counted(tournament: Tournament, agenda: Agenda, left: int) -> str:
    """How many games there will be, or are left, as far as that is known."""
    before, noun = "", "games"
    if agenda.done:
        before, noun = f"{_played(agenda)}; ", f"{'is' if left == 1 else 'are'} left"
    if tournament.format == "sprt":
        most = _drawn(agenda) - agenda.done
        return f"{before}about {left:,} {noun} if a hypothesis is true, {most:,} at most"
    if tournament.format not in ("swiss", "knockout") and not agenda.done:
        pairings = {frozenset(pairing) for stage in agenda.stages for pairing in stage.pairings}
        before = f"{_number(sum(pairing <= agenda.present for pairing in pairings), 'pairing')}, "
    return f"{before}{'at least ' if agenda.may_grow else ''}{left:,} {noun}"


def _played(agenda: Agenda) -> str:
    return f"{_number(agenda.done, 'game')} {'was' if agenda.done == 1 else 'were'} played"


def _time(tournament: Tournament, games: int, words: str) -> str:
    """What these games take at most; ``words`` say whether they are all."""
    longest = _longest_game(tournament.time)
    if longest is None:
        return "no clock: how long it takes is up to the bots"
    total = -(-games // tournament.concurrency) * longest
    each, whole = _rounded(longest), _rounded(total)
    return f"at most about {each} a game and {whole} {words}, if every bot uses its whole clock"


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
