"""A game with its place in the tournament: what one row of the database says."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from arbiter.match.clock import ClockUse, Spent
from arbiter.match.fault import Fault, as_json, from_json
from arbiter.match.game import BotReport, GameResult, PlyRecord, check_end
from arbiter.match.termination import Termination
from protocol.rules import Score, Side


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """One attempt at one game of the schedule.

    ``number`` counts the games of the schedule from 1, ``attempt`` the tries at it from 1 (a void
    game is replayed); ``round`` and ``pair`` count from 1, too. ``white_time`` and ``black_time``
    are as a record has them, ``clock`` is its kind, ``start`` is a DPOS unless the board was empty,
    ``opening`` its name if it has one. ``annulled`` says why the organiser took the game out.
    """

    number: int
    attempt: int
    round: int
    game: int
    pair: int
    white: str
    black: str
    white_time: str
    black_time: str
    white_hash: str
    black_hash: str
    clock: str
    rules: str
    start: str | None
    seed: int
    outcome: GameResult
    opening: str | None = None
    annulled: str | None = None

    @property
    def is_void(self) -> bool:
        return self.outcome.termination is Termination.VOID


COLUMNS = (
    "number", "attempt", "round", "game", "pair", "white", "black", "white_time", "black_time",
    "white_hash", "black_hash", "clock", "rules", "start", "opening", "seed",
    "result", "termination", "offender", "white_score", "black_score", "detail", "fault", "answer", "final",
    "started_at", "seconds", "both_failed", "lag", "clocks", "plies", "facts", "reports",
)  # fmt: skip

_PLACE = COLUMNS.index("result")


def to_row(game: PlayedGame) -> tuple[Any, ...]:
    """The values of ``COLUMNS``."""
    outcome = game.outcome
    place = tuple(getattr(game, name) for name in COLUMNS[:_PLACE])
    facts = [[record.used, record.left, record.spent, dict(record.info)] for record in outcome.plies]
    reports = {side: asdict(replace(report, transcript="")) for side, report in _sides(outcome)}
    return (
        *place,
        outcome.result,
        str(outcome.termination),
        None if outcome.offender is None else outcome.offender.word,
        outcome.score.white,
        outcome.score.black,
        outcome.detail,
        None if outcome.fault is None else json.dumps(as_json(outcome.fault), ensure_ascii=False),
        outcome.answer,
        outcome.final,
        outcome.started_at,
        outcome.seconds,
        outcome.both_failed,
        outcome.lag,
        json.dumps({side: asdict(report.clock) for side, report in _sides(outcome)}),
        " ".join(record.ply for record in outcome.plies),
        _pack(facts),
        _pack(reports),
    )


def from_row(row: Mapping[str, Any]) -> PlayedGame:
    """The game that ``to_row`` was given.

    Raises ValueError, TypeError, KeyError or zlib.error for a row that makes no sense.
    """
    check_end(row["result"], Termination(row["termination"]), row["offender"])
    reports = _unpack(row["reports"])
    fault = fault_of(row)
    outcome = GameResult(
        result=row["result"],
        termination=Termination(row["termination"]),
        words=row["detail"] if fault is None else "",
        fault=fault,
        offender=None if row["offender"] is None else Side[row["offender"].upper()],
        plies=tuple(
            PlyRecord(ply, used, left, Spent(*spent), info)
            for ply, (used, left, spent, info) in zip(
                row["plies"].split(), _unpack(row["facts"]), strict=True
            )
        ),
        answer=row["answer"],
        score=Score(row["white_score"], row["black_score"]),
        final=row["final"],
        white=_report(reports["white"]),
        black=_report(reports["black"]),
        started_at=row["started_at"],
        seconds=row["seconds"],
        both_failed=bool(row["both_failed"]),
        lag=row["lag"],
    )
    place = {name: row[name] for name in COLUMNS[:_PLACE]}
    return PlayedGame(**place, outcome=outcome, annulled=row.get("annulled"))


def fault_of(row: Mapping[str, Any]) -> Fault | None:
    """What ended a game, as data; None where only the words for it can be understood: in what is older, and
    where a later arbiter knows more kinds.

    Raises ValueError, TypeError or KeyError for what is no fault at all.
    """
    if row["fault"] is None:
        return None
    values = json.loads(row["fault"])
    if not isinstance(values, dict):
        raise TypeError(f"{values!r} is no fault")
    try:
        return from_json(values)
    except ValueError:
        return None


def _sides(outcome: GameResult) -> tuple[tuple[str, BotReport], ...]:
    return ("white", outcome.white), ("black", outcome.black)


def _report(values: Mapping[str, Any]) -> BotReport:
    return BotReport(
        **{
            **values,
            "notes": tuple(values["notes"]),
            "means": tuple(values["means"]),
            "clock": ClockUse(**values["clock"]),
        }
    )


def _pack(value: object) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(), 1)


def _unpack(blob: bytes) -> Any:
    return json.loads(zlib.decompress(blob))
