"""From stored games to league tables."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from arbiter.rating.pages import PageKind, page
from arbiter.rating.sheet import Sheet
from arbiter.rating.table import Anchor, Annulment, Facts, LeagueTable, Readmission, table_of
from arbiter.rating.tally import Tally
from arbiter.store import League
from arbiter.tournament import remarks
from arbiter.tournament.course import Course, annulments, readmissions
from arbiter.tournament.outcomes import outcomes
from arbiter.tournament.roster import Roster


@dataclass(frozen=True, slots=True)
class Standings:
    """What stored games add up to."""

    tally: Tally
    table: LeagueTable


def standings_of(
    leagues: Sequence[League], only: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Standings:
    """The standings over the games of one or several results directories, which are read once.

    Who counts as the same bot over several directories is told in ``roster``. ``only`` keeps the games
    among these bots, ``exclude`` drops the games of those; points without a game and remarks are then
    those of the bots that are left, too.
    """
    roster = Roster(leagues)
    rows = roster.chosen(only, exclude)
    wanted = {row["name"] for row in rows}
    alone = leagues[0] if len(leagues) == 1 else None
    course = Course(alone)
    games = outcomes(leagues, course.note if alone else None, roster.names)
    tally = Tally(
        dict.fromkeys(row["name"] for row in rows if not (row["left_out"] or row["retired"])),
        (each for each in games if each.white in wanted and each.black in wanted),
    )
    annulled = tuple(_annulments(roster, wanted))
    readmitted = tuple(_readmissions(roster, wanted))
    # A program that was replaced before its first game has nothing to show, and one that plays on
    # somewhere else is not gone.
    current = {row["name"] for row in rows if not row["retired"]}
    retired = {
        row["name"]: row["retired"]
        for row in rows
        if row["retired"] and row["name"] in tally.standings and row["name"] not in current
    }
    table = table_of(
        tally,
        anchor=_anchor(leagues[0], roster, wanted),
        withdrawn={row["name"]: row["withdrawn"] for row in rows if row["withdrawn"]},
        left_out={row["name"]: row["left_out"] for row in rows if row["left_out"]},
        facts=_facts(alone) if alone else Facts(),
        ranking=course.ranking.among(wanted),
        remarks=[
            *roster.remarks(wanted),
            *course.remarks(wanted),
            *remarks.annulled(annulled),
            *remarks.retired(retired),
            *remarks.readmitted(readmitted),
        ],
    )
    more = replace(
        table,
        retired=retired,
        readmitted=readmitted,
        annulled=annulled,
        test=course.test_among(wanted),
        ties=tuple(tie.as_json() for tie in course.ties_among(wanted)),
    )
    return Standings(tally, more)


def _readmissions(roster: Roster, wanted: Collection[str]) -> Iterator[Readmission]:
    for league, names in roster.names.items():
        for each in readmissions(league):
            if (bot := names.get(each.bot, each.bot)) in wanted:
                yield replace(each, bot=bot)


def _annulments(roster: Roster, wanted: Collection[str]) -> Iterator[Annulment]:
    for league, names in roster.names.items():
        for each in annulments(league):
            white, black = (names.get(bot, bot) for bot in (each.white, each.black))
            if white in wanted and black in wanted:
                missing = each.missing and names.get(each.missing, each.missing)
                yield replace(each, white=white, black=black, missing=missing)


def _anchor(league: League, roster: Roster, wanted: Collection[str]) -> Anchor | None:
    """That of the first directory, if it is among the bots."""
    stored = league.get("anchor")
    if not stored:
        return None
    bot, elo = stored
    anchor = Anchor(roster.names[league].get(bot, bot), elo)
    return anchor if anchor.bot in wanted else None


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
