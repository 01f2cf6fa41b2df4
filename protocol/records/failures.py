"""The traces a failed bot leaves in a record: the answer that lost the game, plies chosen in its place."""

from collections.abc import Iterator, Sequence

from protocol.errors import PlySyntaxError
from protocol.records.record import Fault, Record, loser
from protocol.rules import Position, Side, parse_ply


def substitution_faults(record: Record, positions: Sequence[Position]) -> Iterator[Fault]:
    """Is a game finished for a failed bot what it claims to be?

    The side of the first ply marked ``{substitute=1}`` failed and lost; from there on all its plies
    are marked, each the alphabetically first legal one (a forced pass needs no mark), to the end.
    """
    marked = _marked(record)
    if not marked:
        return
    termination, failed = record.termination, positions[marked[0]].to_move
    if termination in ("normal", "resign", "void", None):
        reason = f"a substituted ply, but termination {termination or 'is not given'}"
        yield record.ply_fault(marked[0], reason)
    elif loser(record.result) is not failed:
        reason = f"substituted for {failed.word.title()}, but result {record.result} is no loss for that side"
        yield record.ply_fault(marked[0], reason)
    if not positions[-1].is_over:
        reason = "the record stops, but a game with substituted plies goes on to its end"
        yield record.ply_fault(len(record.plies) - 1, reason)
    for index in range(marked[0], len(record.plies)):
        yield from _ply_faults(record, index, positions[index], failed)


def _marked(record: Record) -> list[int]:
    """The indices (from 0) of the plies chosen in place of a bot that failed."""
    return [index for index, ply in enumerate(record.plies) if "substitute" in ply.comments]


def _ply_faults(record: Record, index: int, position: Position, failed: Side) -> Iterator[Fault]:
    """One ply since the failure."""
    text, mark = record.plies[index].text, record.plies[index].comments.get("substitute")
    first = min(ply.text for ply in position.legal_plies())
    if mark is None:
        if position.to_move is failed and first != "PASS":
            reason = f"not marked {{substitute=1}}, though {failed.word.title()} failed before"
            yield record.ply_fault(index, reason)
    elif mark != "1":
        yield record.ply_fault(index, f"substitute={mark}: only substitute=1 has a meaning")
    elif parse_ply(text).text != first:
        yield record.ply_fault(index, f"{text} is marked as substituted, but the first legal ply is {first}")


def answer_faults(record: Record, positions: Sequence[Position]) -> Iterator[Fault]:
    """Is an answer kept as ``{illegal=...}`` at the place where the game was lost, and truly wrong?"""
    places = _marked(record) or [len(record.plies)]
    for count, (played, answer, line) in enumerate(_answers(record)):
        reason: str | None
        if record.termination not in ("illegal", "syntax"):
            reason = f"the offending answer {answer}, but termination {record.termination or 'is not given'}"
        elif played not in places:
            reason = f"the answer {answer} is said to have lost the game, but the bot played on"
        else:
            reason = _acquittal(positions[played], answer, "" if count else record.termination)
        if reason:
            yield record.fault(reason, line=line, ply=played + 1)


def _answers(record: Record) -> Iterator[tuple[int, str, int]]:
    """The offending answers: how many plies were played before, the text, its line.

    One that shares its comment with ``substitute=1`` was given instead of that ply, any other after it.
    """
    if "illegal" in record.opening_comments:
        yield 0, record.opening_comments["illegal"], record.line
    for number, ply in enumerate(record.plies, 1):
        if "illegal" in ply.comments:
            yield number - ("substitute" in ply.comments), ply.comments["illegal"], ply.line
    if "illegal" in record.closing_comments:
        yield len(record.plies), record.closing_comments["illegal"], record.result_line


def _acquittal(position: Position, answer: str, termination: str) -> str | None:
    """Why an answer is not what the termination says (``""``: either); None when it is."""
    try:
        ply = parse_ply(answer)
    except PlySyntaxError:
        return f"the answer {answer} is no ply, so it is syntax" if termination == "illegal" else None
    if position.check(ply) is None:
        return f"the answer {ply} is said to be {termination or 'wrong'}, but it is legal"
    return f"the answer {ply} is a ply, so it is illegal" if termination == "syntax" else None
