"""Is a record true to the rules and to itself? Replays it and compares whatever it claims."""

import re
from collections.abc import Iterator
from datetime import datetime

from protocol.records.failures import answer_faults, substitution_faults
from protocol.records.record import BY, LOST_ON_OWN_TURN, TERMINATIONS, Fault, Record, loser, result_by_score
from protocol.records.replay import replay_until_fault
from protocol.rules import Position

_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?([+-]\d\d:\d\d|Z))?", re.ASCII)
_TIME_CONTROL = re.compile(r"-|\d+\+\d+( movetime:\d+)?|movetime:\d+", re.ASCII)
_TIME = "like 5000+100 (milliseconds), movetime:200, both with a blank between, or -"
_FORMS = {
    "Game": (re.compile("DVONN"), "DVONN"),
    "Score": (re.compile(r"\d{1,9}-\d{1,9}", re.ASCII), "like 15-6, White's pieces first"),
    "TimeControl": (_TIME_CONTROL, _TIME),
    "WhiteTime": (_TIME_CONTROL, _TIME),
    "BlackTime": (_TIME_CONTROL, _TIME),
    "Number": (re.compile(r"\d+", re.ASCII), "a whole number"),
}


def verify_record(record: Record) -> list[Fault]:
    """Everything in which a record contradicts the rules or itself; empty when it is consistent.

    A missing ``Termination`` is no fault: then the result has to fit only if the game is over or resigned.

    >>> record = Record({"Score": "1-0"}, (RecordedPly("D1"),), "*")
    >>> [fault.message for fault in verify_record(record)]
    ['header Score "1-0": the board says 0-0']
    """
    faults = [*_header_faults(record), *_claim_faults(record)]
    positions, fault = replay_until_fault(record)
    if fault:
        return [*faults, fault]
    return [
        *faults,
        *_score_faults(record, positions[-1]),
        *_ending_faults(record, positions[-1]),
        *substitution_faults(record, positions),
        *answer_faults(record, positions),
    ]


def _header_faults(record: Record) -> Iterator[Fault]:
    """Headers by themselves; ``Start`` and ``Rules`` are found wrong by the replay."""
    for name, (form, wanted) in _FORMS.items():
        if name in record.headers and not form.fullmatch(record.headers[name]):
            yield record.header_fault(name, f"should be {wanted}")
    if "Date" in record.headers and not _is_date(record.headers["Date"]):
        yield record.header_fault(
            "Date", "should be ISO with an offset (2026-11-29T21:10:03+00:00), or a day"
        )
    if record.termination not in (None, *TERMINATIONS):
        yield record.header_fault("Termination", f"unknown (known: {', '.join(TERMINATIONS)})")


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text) and datetime.fromisoformat(text))
    except ValueError:
        return False


def _claim_faults(record: Record) -> Iterator[Fault]:
    """Result and termination against each other, without a look at the board."""
    result, termination = record.result, record.termination
    if record.headers.get("Result", result) != result:
        yield record.result_fault(
            f'{result} after the plies, but header Result says "{record.headers["Result"]}"'
        )
    if record.resigned and termination in TERMINATIONS and termination != "resign":
        yield record.header_fault("Termination", "but the plies end with `resign`")
    if termination == "void" and result != "*":
        yield record.result_fault(f"a void game has the result *, not {result}")
    if termination == "normal" and result == "*":
        yield record.result_fault("a game played to its end has a result, not *")
    if _is_loss(record) and loser(result) is None:
        yield record.result_fault(f"termination {termination} means that one side lost, not {result}")
    yield from _resigner_faults(record)


def _is_loss(record: Record) -> bool:
    """Whether the termination says that one side failed or gave up."""
    return record.termination in TERMINATIONS and record.termination not in ("normal", "void")


def _resigner_faults(record: Record) -> Iterator[Fault]:
    side, named = loser(record.result), _gave_up(record)
    if side is not None and named not in (None, side.word):
        yield record.result_fault(f"{record.result}, but the record says that {named} resigned")


def _gave_up(record: Record) -> str | None:
    """Who resigned, where the record says so itself."""
    return record.closing_comments.get(BY) if record.resigned else None


def _score_faults(record: Record, final: Position) -> Iterator[Fault]:
    claimed = record.headers.get("Score", "")
    if _FORMS["Score"][0].fullmatch(claimed) and [int(n) for n in claimed.split("-")] != list(final.score):
        yield record.header_fault("Score", f"the board says {_score(final)}")


def _ending_faults(record: Record, final: Position) -> Iterator[Fault]:
    """Result and termination against the last position."""
    if record.termination == "normal" and not final.is_over:
        mover, count = final.to_move.word.title(), len(record.plies)
        yield record.header_fault(
            "Termination", f"but the game is not over after ply {count}, {mover} is to move"
        )
    elif _is_loss(record) and not any("substitute" in ply.comments for ply in record.plies):
        yield from _loss_faults(record, final)
    elif record.termination in ("normal", None) and final.is_over:
        result = result_by_score(final.score)
        if record.result != result:
            message = f"{record.result}, but the game ended {_score(final)}, which is {result}"
            yield record.result_fault(message)


def _loss_faults(record: Record, final: Position) -> Iterator[Fault]:
    """A game broken off by one side's fault: it was not over, and the fault was possible for the loser."""
    side, mover = loser(record.result), final.to_move
    if final.is_over:
        reason = f"{record.termination}, but the game was over after ply {len(record.plies)}"
        yield record.fault(reason, line=record.header_lines.get("Termination"))
    elif record.termination in LOST_ON_OWN_TURN and side not in (mover, None) and not _gave_up(record):
        reason = f"termination {record.termination} can only be the fault of the side to move"
        yield record.result_fault(f"{record.result}, but {reason}, {mover.word.title()}")


def _score(position: Position) -> str:
    return f"{position.score.white}-{position.score.black}"
