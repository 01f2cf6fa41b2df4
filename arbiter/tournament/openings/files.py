"""Openings from a file: game records (DREC), or positions (DPOS).

A file whose first line that is neither blank nor a comment begins with ``[`` holds game records. Each is one
opening:

=============================================  ============================================================
a record of                                    gives the position after
=============================================  ============================================================
a game: with a result, with a termination,     its placements, so that real games can be openings: the full
or, as an imported one that nobody finished,   board, or as far as they got; its ``Start`` when that is past
with a score                                   the placement
anything else                                  all its plies
=============================================  ============================================================

A game that ended before its first ply, without a ``Start``, is left out, with a notice. An opening is called
what its header ``Opening`` says, else by the file and its number there.

Any other file holds one DPOS a line. What follows a ``#`` is a comment, and behind a DPOS its name.

The openings are for the rules asked for, which differ only in who moves once the board is full. So what a
record says of its rules matters only where its plies go on from there, and on a full board that is given as a
position the right side has to be to move.

What repeats an earlier position is left out, with a notice. A fault anywhere refuses the whole file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from arbiter.tournament.openings.opening import Opening, OpeningsError
from arbiter.tournament.problems import quoted
from protocol.errors import PlySyntaxError, PositionError, RecordError
from protocol.records import Record, replay, scan_records
from protocol.rules import SPACES, Phase, Position, Rules, Side, parse_dpos, parse_ply
from protocol.text import escaped

_LONGEST_NAME = 60
_FEWEST_GONE = 4
"""Once a stack has moved, a board on which every piece is alone lacks at least so many: what lies on another
piece has left, and the least that can be cut off is a corner, by emptying its three neighbours."""
_LISTED = 5


@dataclass(frozen=True, slots=True)
class OpeningFile:
    """The distinct openings of a file in its order, and what its user should know about the others."""

    openings: tuple[Opening, ...]
    notices: tuple[str, ...]


def read_openings(text: str, source: str, rules: Rules = Rules.STANDARD) -> OpeningFile:
    """Read the text of a file; ``source`` is what messages call the file.

    :raises OpeningsError: with ``source:line: message`` for every fault, or because there is no opening.
    """
    lines = re.split(r"\r\n|\r|\n", text)
    first = next((line for line in lines if _without_comment(line)), "")
    collection = _Collection(source, rules)
    if first.startswith("["):
        collection.add_records(text)
    else:
        collection.add_positions(lines)
    return collection.result()


class _Collection:
    """Gathers openings, faults, and lines of openings that are left out."""

    def __init__(self, source: str, rules: Rules) -> None:
        self.source, self.rules = source, rules
        self.openings: dict[Position, Opening] = {}
        self.names: set[str] = set()
        self.faults: list[str] = []
        self.repeated: list[int] = []
        self.never_begun: list[int] = []

    def result(self) -> OpeningFile:
        if self.faults:
            raise OpeningsError(self.faults)
        if not self.openings:
            raise OpeningsError([f"{self.source}: no openings in this file", *self.notices()])
        return OpeningFile(tuple(self.openings.values()), tuple(map(escaped, self.notices())))

    def notices(self) -> Iterator[str]:
        if self.repeated:
            yield self.left_out(self.repeated, "repeats an earlier opening", "openings repeat earlier ones")
        if self.never_begun:
            one, many = "the game ended before its first ply", "games ended before their first ply"
            yield self.left_out(self.never_begun, one, many)

    def left_out(self, lines: list[int], one: str, many: str) -> str:
        if len(lines) == 1:
            return f"{self.source}:{lines[0]}: {one} and is left out"
        shown = ", ".join(map(str, lines[:_LISTED]))
        more = f" and {len(lines) - _LISTED} more" if len(lines) > _LISTED else ""
        return f"{self.source}: {len(lines)} {many} and are left out: lines {shown}{more}"

    def fault(self, line: int, message: str) -> None:
        self.faults.append(f"{self.source}:{line}: {message}")

    def add(self, position: Position, line: int, number: int, name: str) -> None:
        """Take an opening; its name must be one of its own, or it goes by its number in the file."""
        if position in self.openings:
            self.repeated.append(line)
            return
        name = escaped(" ".join(name.split()))
        if not 0 < len(name) <= _LONGEST_NAME or name in self.names:
            name = f"{Path(self.source).name} {number}"
        self.names.add(name)
        self.openings[position] = Opening(position, name)

    # Records

    def add_records(self, text: str) -> None:
        for reading in scan_records(text, self.source):
            if reading.faults or reading.record is None:
                self.faults += map(str, reading.faults)
            else:
                self.add_record(reading.record)

    def add_record(self, record: Record) -> None:
        if _was_played(record) and not record.plies and "Start" not in record.headers:
            self.never_begun.append(record.line)
            return
        try:
            position = _opening_position(record, self.rules)
        except RecordError as error:
            self.faults.append(str(error))
        else:
            self.add(position, record.line, record.game, record.headers.get("Opening", ""))

    # Positions

    def add_positions(self, lines: list[str]) -> None:
        numbered = [(number, line) for number, line in enumerate(lines, 1) if _without_comment(line)]
        if numbered and not any("/" in line for _, line in numbered):
            self.fault(numbered[0][0], _no_opening(numbered[0][1]))
            return
        for count, (number, line) in enumerate(numbered, 1):
            dpos, _, name = line.partition("#")
            try:
                position = parse_dpos(dpos, self.rules)
            except PositionError as error:
                self.fault(number, str(error))
                continue
            if wrong := _setup_fault(position):
                self.fault(number, wrong)
            else:
                self.add(position, number, count, name)


def _without_comment(line: str) -> str:
    return line.partition("#")[0].strip()


# --- what a record gives -----------------------------------------------------------------------------------


def _was_played(record: Record) -> bool:
    return record.result != "*" or record.termination is not None or "Score" in record.headers


def _opening_position(record: Record, rules: Rules) -> Position:
    """Where a record's opening leads; RecordError with line and game when it cannot be used."""
    replay(replace(record, plies=()))  # nothing is wrong with Start and Rules themselves
    opening = replace(record, headers={**record.headers, "Rules": rules})
    start = opening.start()
    if wrong := _setup_fault(start):
        raise record.header_fault("Start", wrong).error()
    placements = len(SPACES) - len(start.stacks()) if start.phase is Phase.PLACEMENT else 0
    count = placements if _was_played(record) else len(record.plies)
    if 0 < placements < count and record.rules is not rules:
        raise record.fault(
            f"its plies go past the placement by the rules {record.rules}, and the openings are for {rules}"
        ).error()
    position = replay(replace(opening, plies=record.plies[:count]))[-1]
    if position.is_over:
        raise record.fault("its plies lead to the end of the game: neither side can move").error()
    return position


# --- faults ------------------------------------------------------------------------------------------------


def _setup_fault(position: Position) -> str | None:
    """Why no game begins at a position, beyond what DPOS itself refuses."""
    if position.is_over:
        return "the game is over there: neither side can move"
    stacks = position.stacks()
    missing = [space for space in SPACES if space not in stacks]
    if position.phase is not Phase.MOVEMENT or any(stack.height > 1 for stack in stacks.values()):
        return None
    if 0 < len(missing) < _FEWEST_GONE:
        tops = [stack.top for stack in stacks.values()]
        red, white, black = (tops.count(side) for side in (None, Side.WHITE, Side.BLACK))
        return (
            f"a full board has 49 pieces, 3 red, 23 white and 23 black; this has {len(stacks)}, {red} red, "
            f"{white} white and {black} black: nothing on {', '.join(missing)}"
        )
    first = Side.BLACK if position.rules is Rules.BLACK_FIRST else Side.WHITE
    if not missing and position.to_move is not first:
        return (
            f"a full board, {position.to_move.word} to move; by the rules {position.rules} "
            f"{first.word.title()} makes the first stack move"
        )
    return None


def _no_opening(line: str) -> str:
    """For a file of which no line can be a position."""
    text = _without_comment(line)
    try:
        parse_ply(text.split()[0])
    except PlySyntaxError:
        return f"{quoted(text)} is neither a DPOS nor a header of a game record (DREC)"
    return f"{quoted(text)}: plies alone are no opening here; put them into a game record (DREC)"
