"""From stored games to league tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from arbiter.match.clock import ClockUse
from arbiter.match.termination import Termination
from arbiter.rating.outcome import Colour, Outcome
from arbiter.rating.pages import PageKind, page
from arbiter.rating.sheet import Sheet
from arbiter.rating.table import Anchor, Facts, LeagueTable, table_of
from arbiter.rating.tally import Tally
from arbiter.store import League, PlayedGame
from protocol.rules import Side


def outcome_of_row(row: Mapping[str, Any]) -> Outcome:
    """A brief row of the store as the ratings see it."""
    termination = Termination(row["termination"])
    clocks = json.loads(row["clocks"])
    return Outcome(
        number=row["number"],
        pair=row["pair"],
        white=row["white"],
        black=row["black"],
        result=row["result"],
        termination=termination,
        offender=row["offender"] if termination.is_forfeit else None,
        white_score=row["white_score"],
        black_score=row["black_score"],
        detail=row["detail"],
        clocks=(ClockUse(**clocks["white"]), ClockUse(**clocks["black"])),
        lag=row["lag"],
        opening=row["start"],
        fingerprint=_fingerprint(
            row["plies"], row["white"], row["black"], row["rules"], row["start"], row["result"], termination
        ),
    )


def outcome_of_game(game: PlayedGame) -> Outcome:
    """A game just played as the ratings see it."""
    result = game.outcome
    return Outcome(
        number=game.number,
        pair=game.pair,
        white=game.white,
        black=game.black,
        result=result.result,
        termination=result.termination,
        offender=_colour(result.offender) if result.termination.is_forfeit else None,
        white_score=result.score.white,
        black_score=result.score.black,
        detail=result.detail,
        clocks=(result.white.clock, result.black.clock),
        lag=result.lag,
        opening=game.start,
        fingerprint=_fingerprint(
            " ".join(record.ply for record in result.plies),
            *(game.white, game.black, game.rules, game.start, result.result, result.termination),
        ),
    )


def _fingerprint(plies: str, *rest: object) -> int | None:
    """One number for all that makes two games the same; it holds within this process.

    None for a game without plies: a bot that never starts loses anew each time.
    """
    return hash((plies, *rest)) if plies else None


def _colour(side: Side | None) -> Colour | None:
    if side is None:
        return None
    return "white" if side is Side.WHITE else "black"


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
    return table_of(
        tally,
        anchor=Anchor(*anchor) if anchor else None,
        withdrawn={row["name"]: row["withdrawn"] for row in rows if row["withdrawn"]},
        left_out={row["name"]: row["left_out"] for row in rows if row["left_out"]},
        facts=_facts(leagues[0]) if len(leagues) == 1 else Facts(),
    )


def outcomes(leagues: Sequence[League]) -> Iterator[Outcome]:
    """The games of several results directories, one after the other."""
    for index, league in enumerate(leagues):
        for row in league.brief_games():
            outcome = outcome_of_row(row)
            # Every directory counts its pairs from 1.
            yield outcome if index == 0 else replace(outcome, pair=f"{index}/{outcome.pair}")


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
