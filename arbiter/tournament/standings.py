"""From stored games to league tables."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arbiter.rating.outcome import Outcome
from arbiter.rating.pages import PageKind, page
from arbiter.rating.sheet import Sheet
from arbiter.rating.sprt import Sprt
from arbiter.rating.table import Anchor, Annulment, Facts, LeagueTable, table_of
from arbiter.rating.tally import Tally
from arbiter.rating.tiebreaks import Ranking
from arbiter.store import League
from arbiter.tournament import remarks
from arbiter.tournament.agenda import is_over
from arbiter.tournament.formats import Format, Knockout, SprtMatch, Swiss
from arbiter.tournament.formats.swiss import free_points
from arbiter.tournament.outcomes import outcomes
from arbiter.tournament.schedule import Stage


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
    plan = _stored_format(alone) if alone else Format()
    note = _noting(plan, alone) if alone and plan.needs_results else None
    tally = Tally(
        dict.fromkeys(row["name"] for row in rows if not row["left_out"]),
        (each for each in outcomes(leagues, note) if each.white in wanted and each.black in wanted),
    )
    anchor = leagues[0].get("anchor")
    annulled = tuple(each for league in leagues for each in _annulments(league))
    retired = {row["name"]: row["retired"] for row in rows if row["retired"]}
    table = table_of(
        tally,
        anchor=Anchor(*anchor) if anchor else None,
        withdrawn={row["name"]: row["withdrawn"] for row in rows if row["withdrawn"]},
        left_out={row["name"]: row["left_out"] for row in rows if row["left_out"]},
        facts=_facts(alone) if alone else Facts(),
        ranking=_ranking(alone, plan) if alone else None,
        remarks=[
            *(_format_remarks(alone, plan) if alone else ()),
            *remarks.annulled(annulled),
            *remarks.retired(retired),
        ],
    )
    test = plan.progress if isinstance(plan, SprtMatch) else None
    return Standings(tally, replace(table, retired=retired, annulled=annulled, test=test))


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


def _stored_format(league: League) -> Format:
    """The format of a tournament, as far as it has something to say of games that are over."""
    config = league.get("config") or {}
    match config.get("format"):
        case "knockout":
            return Knockout(config["seeds"], config["best_of"])
        case "sprt":
            return SprtMatch(_two_names(config), Sprt(**config["sprt"]), config["max_pairs"])
        case "swiss":
            return Swiss([bot["name"] for bot in config["bots"]], config["rounds"])
    return Format()


def _noting(plan: Format, league: League) -> Callable[[int, Outcome], None]:
    """Tells a format of the games that are over, as a run does; others may be played again."""
    over = {game.number for game in league.attempts() if is_over(game)}

    def note(round_number: int, outcome: Outcome) -> None:
        if outcome.number in over:
            plan.note(round_number, outcome)

    return note


def _ranking(league: League, plan: Format) -> Ranking:
    """How the format of a tournament ranks its bots."""
    stages, gone = _stages(league), _gone(league)
    if isinstance(plan, Knockout):
        return Ranking("knockout", survived=plan.survived(stages, _drawn(stages) - gone))
    if isinstance(plan, Swiss):
        return Ranking("swiss", free=plan.free(stages, gone))
    return Ranking()


def _format_remarks(league: League, plan: Format) -> Iterable[str]:
    """What the format of a tournament has to say of its games so far."""
    if isinstance(plan, SprtMatch):
        return remarks.verdict(_two_names(league.get("config")), plan.progress)
    if isinstance(plan, Knockout):
        stages = _stages(league)
        return remarks.ties(plan.ties(stages, _drawn(stages) - _gone(league)))
    return ()


def _stages(league: League) -> list[Stage]:
    return [Stage.from_json(stage) for stage in league.get("stages") or []]


def _drawn(stages: Iterable[Stage]) -> set[str]:
    return {bot for stage in stages for bot in stage.bots}


def _gone(league: League) -> set[str]:
    return {row["name"] for row in league.bots() if row["withdrawn"] or row["left_out"] or row["retired"]}


def interim_ranking(form: str, stages: Sequence[Stage]) -> Ranking:
    """The same while games go on, from what was drawn so far: nobody is gone, no open tie is decided."""
    if form == "swiss":
        return Ranking("swiss", free=free_points(stages, {}, gone=()))
    if form == "knockout":
        survived: dict[str, int] = {}
        for stage in stages:
            survived |= dict.fromkeys(stage.bots, stage.last - 1) | dict.fromkeys(stage.byes, stage.last)
        return Ranking("knockout", survived=survived)
    return Ranking()


def _two_names(config: Mapping[str, Any]) -> tuple[str, str]:
    return config["bots"][0]["name"], config["bots"][1]["name"]


def _annulments(league: League) -> Iterator[Annulment]:
    rows = league.annulments()
    if not rows:
        return
    left = {row["name"] for row in league.bots() if row["withdrawn"] or row["retired"]}
    over = {game.number for game in league.attempts() if is_over(game)}
    last = {row["number"]: row["attempt"] for row in rows}
    for row in rows:
        replayed = bool(row["replay"])
        again = replayed and (row["number"] in over or row["attempt"] < last[row["number"]])
        missing = [bot for bot in (row["white"], row["black"]) if bot in left and replayed and not again]
        yield Annulment(
            row["number"], row["attempt"], row["why"], row["at"], replayed, again, (*missing, None)[0]
        )


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
