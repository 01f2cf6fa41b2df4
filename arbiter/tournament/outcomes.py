"""Stored games, and games just played, as the ratings see them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arbiter.match.clock import ClockUse
from arbiter.match.termination import Termination
from arbiter.match.wording import describe
from arbiter.rating.outcome import Colour, Outcome
from arbiter.store import League, PlayedGame, damaged_game, fault_of
from protocol.rules import Side

_TAKEN_OUT = {"result": "*", "termination": "void", "offender": None, "fault": None}


def outcome_of_row(row: Mapping[str, Any], directory: Path) -> Outcome:
    """A brief row of the store as the ratings see it; a game that was taken out is void.

    Raises StoreError when the row makes no sense; ``directory`` is where its database lies.
    """
    if row["annulled"] is not None:
        row = {**row, **_TAKEN_OUT, "detail": row["annulled"]}
    try:
        return _outcome(row)
    except (ValueError, TypeError, KeyError) as error:
        raise damaged_game(directory, row["number"], error) from error


def _outcome(row: Mapping[str, Any]) -> Outcome:
    termination = Termination(row["termination"])
    clocks = json.loads(row["clocks"])
    fault = fault_of(row)
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
        detail=row["detail"] if fault is None else describe(fault),
        clocks=(ClockUse(**clocks["white"]), ClockUse(**clocks["black"])),
        lag=row["lag"],
        fault=fault,
        opening=row["opening"] or row["start"],
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
        fault=result.fault,
        opening=game.opening or game.start,
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


def outcomes(
    leagues: Sequence[League],
    note: Callable[[int, Outcome], None] | None = None,
    names: Mapping[League, Mapping[str, str]] | None = None,
) -> Iterator[Outcome]:
    """The games of several results directories, one after the other, without those that were taken out, and
    then the void attempts that were replayed.

    ``note`` is told the round and the outcome of all games; one that was taken out is void.
    ``names`` gives bots of a directory other names than they have there.
    """
    for index, league in enumerate(leagues):
        other = (names or {}).get(league, {})
        for row in league.brief_games():
            outcome = outcome_of_row(_renamed(row, other), league.directory)
            if note is not None:
                note(row["round"], outcome)
            if row["annulled"] is None:
                # Every directory counts its pairs from 1.
                yield outcome if index == 0 else replace(outcome, pair=f"{index}/{outcome.pair}")
        for row in league.replayed_games():
            yield replace(outcome_of_row(_renamed(row, other), league.directory), replayed=True)


def _renamed(row: Mapping[str, Any], names: Mapping[str, str]) -> Mapping[str, Any]:
    """A row in which bots have other names."""
    changes = {side: names[row[side]] for side in ("white", "black") if row[side] in names}
    return {**row, **changes} if changes else row
