"""DREC, the text form of game records: headers, plies with comments, result. Any number of games a file."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from protocol.errors import LocalProtocolError, PlySyntaxError, PositionError, RecordError
from protocol.records.blocks import HEADER, Block, blocks
from protocol.records.comments import format_comments, merge_comments, parse_comment
from protocol.records.record import REQUIRED_HEADERS, RESULTS, Fault, Reading, Record, RecordedPly
from protocol.rules import Phase, Position, Rules, Side, parse_ply

HEADER_ORDER = (
    *("Game", "Event", "Date", "Round", "White", "Black"),
    *("Result", "Score", "Termination", "TimeControl"),
)
"""The order in which headers are written; any others follow as given."""

WIDTH = 80
"""Where lines are wrapped; a ply with its comments may be longer."""

_HEADER_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_NUMBER = re.compile(r"\d+\.+")
_RESULT_LIKE = re.compile(r"[\d½*][\d½*/:.,-]*")
_LINE_BREAK = re.compile(r"[\r\n]")


# --- reading ---------------------------------------------------------------------------------------------


def decode_text(data: bytes, source: str) -> str:
    """The text of a file: UTF-8, a byte order mark dropped.

    >>> decode_text('[White "Zoë"]'.encode(), "games.drec")
    '[White "Zoë"]'
    >>> decode_text('[White "Zoë"]'.encode("latin-1"), "games.drec")
    Traceback (most recent call last):
    ...
    protocol.errors.RecordError: games.drec:1: byte 0xEB is not UTF-8; save the file as UTF-8

    :raises RecordError: the bytes are another encoding, or no text.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RecordError(source, 1, "UTF-16 text; save the file as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        raise RecordError(source, line, f"byte 0x{byte:02X} is not UTF-8; save the file as UTF-8") from None
    if "\0" in text:
        raise RecordError(source, text.count("\n", 0, text.index("\0")) + 1, "a NUL byte: not a text file")
    return text


def read_records(text: str, source: str) -> Iterator[Record]:
    r"""The games of a file, one after the other.

    >>> game = '[Game "DVONN"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n1. D1 F4 *\n'
    >>> [[ply.text for ply in record.plies] for record in read_records(game + game, "games.drec")]
    [['D1', 'F4'], ['D1', 'F4']]
    >>> list(read_records("[Game]", "games.drec"))
    Traceback (most recent call last):
    ...
    protocol.errors.RecordError: games.drec:1: game 1: `[Game]` is no header (write [Name "value"])

    :raises RecordError: at the first fault of form; :func:`scan_records` goes on instead.
    """
    for reading in scan_records(text, source):
        yield reading.checked()


def scan_records(text: str, source: str) -> Iterator[Reading]:
    r"""The games of a file, each with the faults of form in it; a faulty game never hides the next.

    >>> game = '[Game "DVONN"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n1. D1 {used=4 F4 *\n'
    >>> for reading in scan_records(game, "games.drec"):
    ...     print(*reading.faults)
    games.drec:5: game 1, ply 1: this comment is never closed
    """
    return scan_lines(lines_of(text), source)


def lines_of(text: str) -> list[str]:
    r"""The lines of a file, whichever system wrote it.

    >>> lines_of("one\r\ntwo\n")
    ['one', 'two', '']
    """
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def scan_lines(lines: Iterable[str], source: str) -> Iterator[Reading]:
    r"""The same from single lines, so that a long file need not be in memory as a whole.

    >>> lines = ['[Game "DVONN"]', '[White "A"]', '[Black "B"]', '[Result "*"]', "1. D1 F4 *"]
    >>> [reading.record.result for reading in scan_lines(iter(lines), "games.drec")]
    ['*']
    """
    for unread in split_lines(lines, source):
        yield unread.read()


def split_lines(lines: Iterable[str], source: str) -> Iterator["Unread"]:
    r"""The games of a file, not yet read: to find one of many.

    >>> lines = ['[Game "DVONN"]', '[Number "7"]', "1. D1 F4"]
    >>> [(unread.number, unread.read().record) for unread in split_lines(lines, "games.drec")]
    [('7', None)]
    """
    for number, block in enumerate(blocks(lines), 1):
        yield Unread(source, number, block)


@dataclass(frozen=True, slots=True)
class Unread:
    """One game of a file, the ``game``-th from 1, before it is read."""

    source: str
    game: int
    block: Block

    @property
    def number(self) -> str:
        """What its header ``Number`` says; empty without one."""
        headers = (HEADER.fullmatch(text) for _, text in self.block.headers)
        return next((match[2] for match in headers if match and match[1] == "Number"), "")

    def read(self) -> Reading:
        """The game with the faults of form in it."""
        return _Reader(self.source, self.game, self.block).read()


class _BrokenOffError(Exception):
    """The rest of the game cannot be made sense of."""


class _Reader:
    """Reads one game and collects what is wrong with its form."""

    def __init__(self, source: str, game: int, block: Block) -> None:
        self.source, self.game, self.block = source, game, block
        self.faults: list[Fault] = []
        self.headers: dict[str, str] = {}
        self.header_lines: dict[str, int] = {}
        self.plies: list[RecordedPly] = []
        self.opening: dict[str, str] = {}
        self.closing: dict[str, str] = {}
        self.resigned = False
        self.result: str | None = None
        self.result_line = 0

    def read(self) -> Reading:
        if not self.block.headers:
            self.fault(self.block.line, "no headers: not a game record")
            return Reading(None, tuple(self.faults))
        for line, text in self.block.headers:
            self.read_header(line, text)
        self.require_headers()
        try:
            self.read_moves()
        except _BrokenOffError:
            return Reading(None, tuple(self.faults))
        return Reading(self.record(), tuple(self.faults))

    def record(self) -> Record:
        assert self.result is not None
        return Record(
            headers=self.headers,
            plies=tuple(self.plies),
            result=self.result,
            resigned=self.resigned,
            opening_comments=self.opening,
            closing_comments=self.closing,
            source=self.source,
            line=self.block.line,
            game=self.game,
            header_lines=self.header_lines,
            result_line=self.result_line,
        )

    def fault(self, line: int, message: str, ply: int | None = None) -> None:
        self.faults.append(Fault(self.source, line, self.game, ply, message))

    def break_off(self, line: int, message: str) -> _BrokenOffError:
        self.fault(line, message, len(self.plies) or None)
        return _BrokenOffError()

    def read_header(self, line: int, text: str) -> None:
        match = HEADER.fullmatch(text)
        if match is None:
            self.fault(line, _header_fault(text))
            return
        name, value = match.groups()
        unknown = next((e for e in re.findall(r"\\.", value) if e not in (r"\"", r"\\")), None)
        if unknown:
            self.fault(line, f'header {name}: unknown escape {unknown} (known: \\" and \\\\)')
        elif name in self.headers:
            self.fault(line, f"header {name} comes twice (first in line {self.header_lines[name]})")
        else:
            self.headers[name] = re.sub(r"\\(.)", r"\1", value)
            self.header_lines[name] = line

    def require_headers(self) -> None:
        if self.faults:  # the one that seems to be missing may be the one that could not be read
            return
        for name in REQUIRED_HEADERS:
            if name not in self.headers:
                self.fault(self.block.line, f"header {name} is missing")
        result = self.headers.get("Result", "*")
        if result not in RESULTS:
            self.fault(self.header_lines["Result"], f"header Result: {_unknown_result(result)}")

    def read_moves(self) -> None:
        line = self.block.headers[-1][0]
        for line, token in self.tokens():
            if self.result is not None:
                self.fault(line, f"`{token}` after the result")
                return
            if token.startswith("{"):
                self.read_comment(line, token[1:-1])
            elif token in RESULTS:
                self.result, self.result_line = token, line
            elif not _NUMBER.fullmatch(token):
                self.read_word(line, token)
        if self.result is None:
            raise self.break_off(
                line, f"no result at the end (one of {' '.join(RESULTS)}): is the record cut off?"
            )

    def tokens(self) -> Iterator[tuple[int, str]]:
        """Words and whole comments (with their braces) with the line in which they begin."""
        comment: list[str] | None = None
        begin = 0
        for line, text in self.block.moves:
            for piece in re.findall(r"[{}]|[^{}]+", text):
                if piece == "{":
                    if comment is not None:
                        raise self.break_off(line, f"a brace inside the comment of line {begin} (write %7B)")
                    comment, begin = [], line
                elif piece == "}":
                    if comment is None:
                        raise self.break_off(line, "`}` without a comment before it")
                    yield begin, "{" + " ".join(comment) + "}"
                    comment = None
                elif comment is not None:
                    comment.append(piece)
                else:
                    yield from ((line, word) for word in piece.split())
        if comment is not None:
            raise self.break_off(begin, "this comment is never closed")

    def read_word(self, line: int, word: str) -> None:
        if self.resigned:
            raise self.break_off(line, f"`{word}` after `resign`; only the result may follow")
        if word.lower() == "resign":
            self.resigned = True
        elif _RESULT_LIKE.fullmatch(word):
            raise self.break_off(line, _unknown_result(word))
        else:
            self.plies.append(RecordedPly(_canonical(word), {}, line))

    def read_comment(self, line: int, body: str) -> None:
        try:
            comments = parse_comment(body)
            if self.resigned:
                self.closing = merge_comments(self.closing, comments)
            elif not self.plies:
                self.opening = merge_comments(self.opening, comments)
            else:
                last = self.plies[-1]
                self.plies[-1] = RecordedPly(last.text, merge_comments(last.comments, comments), last.line)
        except ValueError as error:
            self.fault(line, f"comment: {error}", len(self.plies) or None)


def _header_fault(text: str) -> str:
    if '"' not in text or not re.match(r"\[[A-Za-z][A-Za-z0-9_-]*\s", text):
        return f'`{text}` is no header (write [Name "value"])'
    if text.count('"') < 2:
        return f'header without its closing quote: `{text}` (write [Name "value"])'
    if not text.endswith("]"):
        return f"header without its closing bracket at the end of the line: `{text}`"
    return f'`{text}` is no header (write [Name "value"], and quotes inside the value as \\")'


def _unknown_result(text: str) -> str:
    return f"unknown result `{text}` (known: {' '.join(RESULTS)})"


def _canonical(word: str) -> str:
    try:
        return parse_ply(word).text
    except PlySyntaxError:
        return word


# --- writing ---------------------------------------------------------------------------------------------


def format_records(records: Iterable[Record]) -> str:
    r"""A whole file: one blank line between games.

    >>> headers = {"Game": "DVONN", "White": "A", "Black": "B", "Result": "0-1"}
    >>> format_records([Record(headers, (), "0-1", resigned=True)] * 2).count("\n\n[Game")
    1
    """
    return "\n".join(map(format_record, records))


def format_record(record: Record) -> str:
    """One game as text, ending with a line end. The record may be inconsistent, but never unreadable.

    >>> headers = {"Game": "DVONN", "White": "A", "Black": "B", "Result": "0-1"}
    >>> print(format_record(Record(headers, (RecordedPly("D1", {"used": "4"}),), "0-1")), end="")
    [Game "DVONN"]
    [White "A"]
    [Black "B"]
    [Result "0-1"]
    1. D1 {used=4}
    0-1

    :raises LocalProtocolError: a header, comment or result that could not be read back as it is.
    """
    if record.result not in RESULTS:
        raise LocalProtocolError(_unknown_result(record.result))
    if missing := [name for name in REQUIRED_HEADERS if name not in record.headers]:
        raise LocalProtocolError(f"headers missing: {' '.join(missing)}")
    names = [name for name in HEADER_ORDER if name in record.headers]
    names += [name for name in record.headers if name not in HEADER_ORDER]
    lines = [_format_header(name, record.headers[name]) for name in names]
    for section in _sections(record):
        lines += _wrapped(section)
    return "\n".join([*lines, record.result, ""])


def _format_header(name: str, value: str) -> str:
    if not _HEADER_KEY.fullmatch(name):
        raise LocalProtocolError(f"no name of a header: {name!r}")
    if _LINE_BREAK.search(value) or "\0" in value:
        raise LocalProtocolError(f"header {name} would not stay on its line: {value!r}")
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def _sections(record: Record) -> Iterator[list[str]]:
    """What is wrapped by itself: the opening comment, the placements but the last, that one, and the rest.

    A ply stays on one line with its number and its comments.
    """
    yield format_comments(record.opening_comments)
    section: list[str] = []
    for index, (ply, (side, number, begins)) in enumerate(zip(record.plies, _turns(record), strict=False)):
        if begins:
            yield section
            section = []
        numbered = [f"{number}."] if side is Side.WHITE else [f"{number}..."] if index == 0 else []
        section.append(" ".join([*numbered, ply.text, *format_comments(ply.comments)]))
    if record.resigned:
        section.append(" ".join(["resign", *format_comments(record.closing_comments)]))
    yield section


def _turns(record: Record) -> Iterator[tuple[Side, int, bool]]:
    """Per ply: who moves, the move number, and whether a new line begins.

    Goes by counting alone, so that a record with a wrong ply can be written too.
    """
    start = _start_or_empty(record)
    placements = 49 - len(start.stacks()) if start.phase is Phase.PLACEMENT else 0
    side, number = start.to_move, 1
    for index in range(len(record.plies)):
        if placements and index == placements:
            side = Side.BLACK if start.rules is Rules.BLACK_FIRST else Side.WHITE
        if index and side is Side.WHITE:
            number += 1
        yield side, number, bool(placements) and index in (placements - 1, placements)
        side = side.other


def _start_or_empty(record: Record) -> Position:
    try:
        return record.start()
    except (PositionError, ValueError):
        return Position.start()


def _wrapped(parts: list[str]) -> Iterator[str]:
    """Lines of at most ``WIDTH`` characters. No comment is broken, or a line might begin like a header."""
    line = ""
    for part in parts:
        if line and len(line) + 1 + len(part) > WIDTH:
            yield line
            line = part
        else:
            line = f"{line} {part}" if line else part
    if line:
        yield line
