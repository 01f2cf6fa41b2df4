"""From a record to its positions, by the rules."""

from protocol.errors import PlySyntaxError, PositionError
from protocol.records.record import Fault, Record
from protocol.rules import Position, Rules, parse_ply


def replay(record: Record) -> list[Position]:
    """The positions of the game: before ply 1, then after each ply.

    >>> record = Record({}, (RecordedPly("D1"), RecordedPly("F4")), "*", source="games.drec", line=1)
    >>> [len(position.stacks()) for position in replay(record)]
    [0, 1, 2]

    :raises RecordError: a wrong ``Start`` or ``Rules`` header, or a ply the rules do not allow.
    """
    positions, fault = replay_until_fault(record)
    if fault:
        raise fault.error()
    return positions


def replay_until_fault(record: Record) -> tuple[list[Position], Fault | None]:
    """As many positions as can be reached (none from a wrong start), and what stands against more.

    >>> record = Record({}, (RecordedPly("D1"), RecordedPly("D1", line=7)), "*", source="games.drec")
    >>> positions, fault = replay_until_fault(record)
    >>> len(positions), fault.line, fault.ply, fault.message.partition(";")[0]
    (2, 7, 2, 'illegal (occupied): D1: D1 is occupied, and a piece is placed on an empty space')
    """
    fault = _start_fault(record)
    if fault:
        return [], fault
    positions = [record.start()]
    for index, recorded in enumerate(record.plies):
        fault = _ply_fault(record, index, positions[-1])
        if fault:
            return positions, fault
        positions.append(positions[-1].play(parse_ply(recorded.text)))
    return positions, None


def _start_fault(record: Record) -> Fault | None:
    if record.headers.get("Rules", Rules.STANDARD) not in list(Rules):
        return record.header_fault("Rules", f"unknown rules (known: {', '.join(Rules)})")
    try:
        record.start()
    except PositionError as error:
        return record.header_fault("Start", str(error))
    return None


def _ply_fault(record: Record, index: int, position: Position) -> Fault | None:
    """Why the ply with this index (from 0) cannot follow."""
    text = record.plies[index].text
    if position.is_over:
        return record.ply_fault(
            index, f"{text} after the end: after ply {index} neither side could move any more"
        )
    try:
        error = position.check(parse_ply(text))
    except PlySyntaxError as syntax:
        return record.ply_fault(index, f"syntax: {syntax}")
    return None if error is None else record.ply_fault(index, f"illegal ({error.rule}): {error}")
