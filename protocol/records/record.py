"""A recorded game as a value, whatever format it came from, and what can be said against it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from protocol.errors import RecordError
from protocol.rules import Position, Rules, Score, Side, parse_dpos

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""White won, Black won, a draw, no result."""

REQUIRED_HEADERS = ("Game", "White", "Black", "Result")

TERMINATIONS = (
    *("normal", "resign", "timeout", "illegal", "syntax", "flood"),
    *("crash", "memory", "start", "killed", "void"),
)
"""Why a game ended, as the header ``Termination`` tells it."""

LOST_ON_OWN_TURN = ("resign", "timeout", "illegal", "syntax")
"""Those that can only happen to the side to move; the other losses can happen to either."""

TEXT = ""
"""The key under which the plain words of a comment stand; no written key is empty."""


BY = "by"
"""The key after ``resign`` with the side that gave up, ``white`` or ``black``: people do not wait for
their turn."""


@dataclass(frozen=True, slots=True)
class RecordedPly:
    """One ply as written, with what the record says about it.

    ``text`` is upper case when it is a ply at all; ``comments`` holds decoded values by key (plain
    words under ``TEXT``); ``line`` is where it stands in the file, 0 when it comes from no file.

    >>> RecordedPly("H1G1", {"used": "412", TEXT: "a strong move"}).comments[TEXT]
    'a strong move'
    """

    text: str
    comments: Mapping[str, str] = field(default_factory=dict)
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Record:
    """One game: headers, plies, result. Where it was read does not count when two are compared.

    ``opening_comments`` stand before ply 1, ``closing_comments`` after the word ``resign``; their key
    ``BY`` says who resigned when it was the other side's turn.
    ``game`` is its position in the file, from 1; ``header_lines`` tells the line of each header.

    >>> record = Record({"Rules": "black-first"}, (RecordedPly("D1"),), "*")
    >>> record.start().rules, record.termination
    (<Rules.BLACK_FIRST: 'black-first'>, None)
    """

    headers: Mapping[str, str]
    plies: tuple[RecordedPly, ...]
    result: str
    resigned: bool = False
    opening_comments: Mapping[str, str] = field(default_factory=dict)
    closing_comments: Mapping[str, str] = field(default_factory=dict)
    source: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)
    game: int = field(default=1, compare=False)
    header_lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    result_line: int = field(default=0, compare=False)

    @property
    def rules(self) -> Rules:
        """The rules played; ValueError when the header names none that exist."""
        return Rules(self.headers.get("Rules", Rules.STANDARD))

    def start(self) -> Position:
        """The position before ply 1; PositionError or ValueError when a header is wrong."""
        dpos = self.headers.get("Start")
        return Position.start(self.rules) if dpos is None else parse_dpos(dpos, self.rules)

    @property
    def termination(self) -> str | None:
        """Why the game ended, as far as the record tells: the header, else ``resign`` after that word."""
        return self.headers.get("Termination", "resign" if self.resigned else None)

    def fault(self, message: str, *, line: int | None = None, ply: int | None = None) -> "Fault":
        """Something wrong in this record; at its first line unless told otherwise."""
        return Fault(self.source, self.line if line is None else line, self.game, ply, message)

    def header_fault(self, name: str, message: str) -> "Fault":
        """Something wrong with the value of a header."""
        return self.fault(
            f'header {name} "{self.headers[name]}": {message}', line=self.header_lines.get(name)
        )

    def ply_fault(self, index: int, message: str) -> "Fault":
        """Something wrong with the ply of this index (from 0)."""
        return self.fault(message, line=self.plies[index].line, ply=index + 1)

    def result_fault(self, message: str) -> "Fault":
        """Something wrong with the result."""
        return self.fault(f"result: {message}", line=self.result_line)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and where: line and game counted from 1, ``ply`` from 1 or None.

    ``game`` 0 means the file as a whole, ``line`` 0 no certain line of it.
    """

    source: str
    line: int
    game: int
    ply: int | None
    message: str

    @property
    def text(self) -> str:
        """The message with game and ply, without file and line."""
        if not self.game:
            return self.message
        ply = "" if self.ply is None else f", ply {self.ply}"
        return f"game {self.game}{ply}: {self.message}"

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        return f"{self.source}{line}: {self.text}"

    def error(self) -> RecordError:
        return RecordError(self.source, self.line, self.text)


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading one game gave: the record unless it is beyond use, and the faults met.

    ``warnings`` are what is odd in a foreign record and does not make it a wrong one.
    """

    record: Record | None
    faults: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()

    def checked(self) -> Record:
        """The record; RecordError with the first fault when there is one."""
        if self.faults:
            raise self.faults[0].error()
        assert self.record is not None
        return self.record


def result_by_score(score: Score) -> str:
    """The result a finished game has on the board.

    >>> result_by_score(Score(white=15, black=6))
    '1-0'
    """
    return _RESULT_OF[(score.white > score.black) - (score.white < score.black)]


_RESULT_OF = {1: "1-0", -1: "0-1", 0: "1/2-1/2"}


def loser(result: str) -> Side | None:
    """Who lost; None for a draw and for no result.

    >>> loser("1-0").word
    'black'
    """
    return {"1-0": Side.BLACK, "0-1": Side.WHITE}.get(result)
