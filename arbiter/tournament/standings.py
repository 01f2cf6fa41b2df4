"""From stored games to league tables."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from arbiter.rating.pages import PageKind, page
from arbiter.rating.sheet import Sheet
from arbiter.rating.table import Anchor, Facts, LeagueTable, table_of
from arbiter.rating.tally import Tally
from arbiter.store import League
from arbiter.tournament import remarks
from arbiter.tournament.course import Course, annulments
from arbiter.tournament.outcomes import outcomes


@dataclass(frozen=True, slots=True)
class Standings:
    """What stored games add up to."""

    tally: Tally
    table: LeagueTable


def standings_of(
    leagues: Sequence[League], only: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Standings:
    """The standings over the games of one or several results directories, which are read once.

    Bots of equal names are the same bot. ``only`` keeps the games among these bots, ``exclude``
    drops the games of those.
    """
    rows = [
        row
        for league in leagues
        for row in league.bots()
        if row["name"] not in exclude and (not only or row["name"] in only)
    ]
    wanted = {row["name"] for row in rows}
    alone = leagues[0] if len(leagues) == 1 else None
    course = Course(alone)
    games = outcomes(leagues, course.note if alone else None)
    tally = Tally(
        dict.fromkeys(row["name"] for row in rows if not (row["left_out"] or row["retired"])),
        (each for each in games if each.white in wanted and each.black in wanted),
    )
    anchor = leagues[0].get("anchor")
    annulled = tuple(each for league in leagues for each in annulments(league))
    # A program that was replaced before its first game has nothing to show.
    retired = {
        row["name"]: row["retired"] for row in rows if row["retired"] and row["name"] in tally.standings
    }
    table = table_of(
        tally,
        anchor=Anchor(*anchor) if anchor else None,
        withdrawn={row["name"]: row["withdrawn"] for row in rows if row["withdrawn"]},
        left_out={row["name"]: row["left_out"] for row in rows if row["left_out"]},
        facts=_facts(alone) if alone else Facts(),
        ranking=course.ranking,
        remarks=[
            *course.remarks,
            *remarks.annulled(annulled),
            *remarks.retired(retired),
            *remarks.readmitted(each for league in leagues for each in league.readmissions()),
        ],
    )
    return Standings(tally, replace(table, retired=retired, annulled=annulled, test=course.test))


def league_table(
    leagues: Sequence[League], only: Sequence[str] = (), exclude: Sequence[str] = ()
) -> LeagueTable:
    """The table of the same games."""
    return standings_of(leagues, only, exclude).table


def league_page(
    leagues: Sequence[League], kind: PageKind, only: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Sheet:
    """Another view of the same games, with the bots in the table's order."""
    standings = standings_of(leagues, only, exclude)
    return page(kind, standings.tally, standings.table)


def _facts(league: League) -> Facts:
    sessions = league.sessions()
    last = sessions[-1] if sessions else None
    return Facts(
        title=league.get("tournament"),
        seed=league.get("seed"),
        time_control=league.get("time"),
        versions=json.loads(last["versions"]) if last else {},
        machine=last["machine"] if last else None,
    )
