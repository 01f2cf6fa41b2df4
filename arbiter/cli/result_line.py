"""The last line of a run: for scripts, in words that stay."""

import shlex

from arbiter.cli.results import typed
from arbiter.rating.interval import match_interval
from arbiter.rating.tally import Tally
from arbiter.store import League
from arbiter.tournament.standings import Standings


def result_line(league: League, standings: Standings) -> str:
    """``result`` and then KEY=VALUE, values with blanks quoted as a shell does.

    Always ``games``, ``void``, ``forfeits``, ``withdrawn`` (how many), ``leader`` (the first bot of the
    table) and ``results`` (the directory). Between two bots also ``score`` (the first one's points and
    the other's), ``elo``, ``elo_low``, ``elo_high`` (``-`` without a bound) and ``los``, from all games that
    repeat no earlier one.
    A sequential test adds ``test`` (``H1``, ``H0``, ``continue`` or ``repeats``), ``llr``, ``pairs``, and
    of these pairs ``test_forfeits``, the games that ended by forfeit, and ``test_played``, what it says of
    the pairs without one.
    """
    table, test = standings.table, standings.table.test
    values: dict[str, object] = {
        "games": table.games,
        "void": len(table.void),
        "forfeits": sum(sum(row.forfeits.values()) for row in table.rows),
        "withdrawn": len(table.withdrawn),
        "leader": table.rows[0].bot if table.games else "-",
    }
    names = [row["name"] for row in league.bots() if not row["retired"]]
    if len(names) == 2:
        values |= _between(names[0], names[1], standings.tally)
    if test is not None:
        values |= {"test": test.ending, "llr": f"{test.llr:.2f}", "pairs": test.pairs}
        values |= {"test_forfeits": test.forfeits, "test_played": test.played_ending}
    values["results"] = typed(league.directory)
    return " ".join(["result", *(f"{key}={shlex.quote(str(value))}" for key, value in values.items())])


def _between(one: str, other: str, tally: Tally) -> dict[str, object]:
    results = tally.results(one, other)
    interval = match_interval(results.rated, tally.pairs_of(one, other))
    return {
        "score": f"{results.points:g}:{tally.results(other, one).points:g}",
        "elo": _number(interval.elo),
        "elo_low": _number(interval.elo_low),
        "elo_high": _number(interval.elo_high),
        "los": f"{interval.los:.4f}",
    }


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
