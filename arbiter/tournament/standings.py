"""From stored games to league tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arbiter.rating.outcome import Outcome
from arbiter.rating.pages import PageKind, page
from arbiter.rating.sheet import Sheet
from arbiter.rating.sprt import Sprt
from arbiter.rating.table import Anchor, Facts, LeagueTable, table_of
from arbiter.rating.tally import Tally
from arbiter.rating.tiebreaks import Ranking
from arbiter.store import League
from arbiter.tournament.formats import Knockout, SprtMatch, TestProgress
from arbiter.tournament.formats.swiss import free_points
from arbiter.tournament.outcomes import outcome_of_row, outcomes
from arbiter.tournament.schedule import Stage


def league_table(
    leagues: Sequence[League], only: Sequence[str] = (), exclude: Sequence[str] = ()
) -> LeagueTable:
    """One table over the games of one or several results directories.

    Bots of equal names are the same bot. ``only`` keeps the games among these bots, ``exclude``
    drops the games of those.
    """
    return _table(leagues, *_tally(leagues, only, exclude))


def league_page(
    leagues: Sequence[League], kind: PageKind, only: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Sheet:
    """Another view of the same games, with the bots in the table's order."""
    tally, bots = _tally(leagues, only, exclude)
    return page(kind, tally, _table(leagues, tally, bots))


def _tally(
    leagues: Sequence[League], only: Sequence[str], exclude: Sequence[str]
) -> tuple[Tally, list[Mapping[str, Any]]]:
    """The sums over the games, and the rows of the bots that are wanted."""
    rows = [
        row
        for league in leagues
        for row in league.bots()
        if row["name"] not in exclude and (not only or row["name"] in only)
    ]
    wanted = {row["name"] for row in rows}
    return Tally(
        dict.fromkeys(row["name"] for row in rows if not row["left_out"]),
        (each for each in outcomes(leagues) if each.white in wanted and each.black in wanted),
    ), rows


def _table(leagues: Sequence[League], tally: Tally, rows: Sequence[Mapping[str, Any]]) -> LeagueTable:
    anchor = leagues[0].get("anchor")
    alone = leagues[0] if len(leagues) == 1 else None
    return table_of(
        tally,
        anchor=Anchor(*anchor) if anchor else None,
        withdrawn={row["name"]: row["withdrawn"] for row in rows if row["withdrawn"]},
        left_out={row["name"]: row["left_out"] for row in rows if row["left_out"]},
        facts=_facts(alone) if alone else Facts(),
        ranking=_ranking(alone, tally) if alone else None,
        remarks=[*(_remarks(alone) if alone else ()), *_annulled(leagues), *_retired(rows)],
    )


def _ranking(league: League, tally: Tally) -> Ranking:
    """How the format of a tournament ranks its bots."""
    config = league.get("config") or {}
    stages = [Stage.from_json(stage) for stage in league.get("stages") or []]
    gone = {row["name"] for row in league.bots() if row["withdrawn"] or row["left_out"] or row["retired"]}
    match config.get("format"):
        case "swiss":
            played = {
                frozenset((bot, other)): games
                for bot, others in tally.meetings.items()
                for other, games in others.items()
            }
            return Ranking("swiss", free=free_points(stages, played, gone))
        case "knockout":
            knockout = Knockout(config["seeds"], config["best_of"])
            for number, outcome in _by_round(league):
                knockout.note(number, outcome)
            present = {bot for stage in stages for bot in stage.bots} - gone
            return Ranking("knockout", survived=knockout.survived(stages, present))
    return Ranking()


def sprt_progress(league: League) -> TestProgress | None:
    """Where the sequential test of a stored match stands; None when it is no such match."""
    config = league.get("config") or {}
    if config.get("format") != "sprt":
        return None
    match = SprtMatch(_two_names(config), Sprt(**config["sprt"]), config["max_pairs"])
    for number, outcome in _by_round(league):
        match.note(number, outcome)
    return match.progress


def _two_names(config: Mapping[str, Any]) -> tuple[str, str]:
    return config["bots"][0]["name"], config["bots"][1]["name"]


def _remarks(league: League) -> list[str]:
    """What a tournament's format has to say of the games so far."""
    test = sprt_progress(league)
    return [] if test is None else [_verdict(_two_names(league.get("config")), test)]


def _verdict(names: tuple[str, str], test: TestProgress) -> str:
    """What a test says, in a sentence."""
    one, other = names
    low, high = test.test.bounds
    elo0, elo1 = test.test.elo0, test.test.elo1
    unit = "Elo" if test.test.model == "logistic" else "normalized Elo"
    words = {
        "H1": f"{one} is better than {other}: by {elo1:g} {unit} rather than by {elo0:g}",
        "H0": f"{one} is not better than {other}: by {elo0:g} {unit} rather than by {elo1:g}",
        "continue": f"not decided between {elo0:g} and {elo1:g} {unit} for {one} against {other}",
        "repeats": f"not decided: {one} and {other} only repeat their games; they need other openings",
    }[test.ending]
    counted = f"after {test.pairs:,} pair{'' if test.pairs == 1 else 's'}"
    biased = (
        "" if test.ending in ("continue", "repeats") else " An Elo shown after a test has stopped is biased."
    )
    return f"Test: {words} (LLR {test.llr:+.2f}, bounds {low:.2f} and {high:.2f}, {counted}).{biased}"


def _by_round(league: League) -> Iterator[tuple[int, Outcome]]:
    """The games that are over, each with its round."""
    for row in league.brief_games():
        yield row["round"], outcome_of_row(row)


def _annulled(leagues: Sequence[League]) -> list[str]:
    games = [row for league in leagues for row in league.annulments()]
    return [f"Game {row['number']} was annulled: {_sentence(row['why'])}" for row in games]


def _retired(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"{row['name']} plays no more: {_sentence(row['retired'])}" for row in rows if row["retired"]]


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."


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
