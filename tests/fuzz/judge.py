"""A second opinion on a game: from the bytes as they came, by SPEC.md, without the arbiter's own parsers.

The tape has everything in the order in which the arbiter saw it, so races between bots decide nothing
here: one order of bytes has one verdict, but for the clock and the moment at which an end is noticed.
"""

import re
from dataclasses import dataclass, field

from arbiter.match.bot import Dialect
from arbiter.match.clock import MS
from arbiter.match.dialogue import Said, Voice
from arbiter.match.fault import Code
from arbiter.match.game import PlyRecord
from arbiter.match.termination import Termination
from protocol.rules import Position, Side
from tests.fuzz.arena import Played

_SPACE = "A[1-3]|B[1-4]|[C-I][1-5]|J[2-5]|K[3-5]"
_PLY = re.compile(f"({_SPACE})({_SPACE})?|PASS", re.IGNORECASE | re.ASCII)
_SLACK = 2_500 * MS
"""How late a verdict on time may be where the cores are busy; what is contestable included."""


@dataclass
class Heard:
    """What the scripted bot said until its game was over.

    ``answers`` are texts that count as such, None for `resign`, ``stamps`` their times; ``asked_at`` is when
    the last question was put, or at most that much earlier as White takes for its double turn.
    """

    answers: list[str | None] = field(default_factory=list)
    stamps: list[int] = field(default_factory=list)
    asked_at: int = 0
    ended_at: int = 0
    is_ready: bool = False
    is_asked: bool = False
    unexpected: int = 0
    passed_limit: bool = False


def judge(played: Played) -> None:
    """Fail unless the result is one that the bytes on the tape allow."""
    match, result = played.match, played.result
    heard = _hear_dvp(played.tape) if match.dialect is Dialect.DVP else _hear_codecup(played)
    heard.ended_at = heard.ended_at or played.ended_at
    final, own = _replay(played)
    assert result.offender is not match.side.other, "the bot without faults is said to have failed"
    assert [answer and answer.upper() for answer in heard.answers[: len(own)]] == own
    assert (result.final, result.score) == (final.dpos, final.score)
    possible = _possible(played, heard, len(own))
    assert result.termination in possible, f"{result.detail}: {result.termination} is not in {possible}"
    if result.termination is Termination.NORMAL:
        assert final.is_over
        assert result.result == {Side.WHITE: "1-0", Side.BLACK: "0-1", None: "1/2-1/2"}[final.winner]
    elif result.termination is Termination.VOID:
        assert (result.result, result.offender) == ("*", None)
    else:
        assert result.offender is match.side
        assert result.result == ("0-1" if match.side is Side.WHITE else "1-0")
        goes_on = match.substitute and result.termination not in (Termination.RESIGN, Termination.START)
        assert final.is_over == goes_on
    if result.termination in (Termination.ILLEGAL, Termination.SYNTAX):
        assert result.answer == heard.answers[len(own)]


def _replay(played: Played) -> tuple[Position, list[str]]:
    """The last position, and the plies that the scripted bot is said to have answered."""
    position, own = played.match.start, []
    for record in played.result.plies:
        is_own = position.to_move is played.match.side
        legal = {ply.text: ply for ply in position.legal_plies()}
        assert record.ply in legal
        if not is_own or "substitute" in record.info:
            assert record.ply == min(legal), "not what the bot without faults plays"
        elif is_own:
            own.append(record.ply)
        position = position.play(legal[record.ply])
    return position, own


def _possible(played: Played, heard: Heard, count: int) -> set[Termination]:
    """The terminations that may follow what was heard, ``count`` answers having been played."""
    match = played.match
    fault = played.result.fault
    possible = {Termination.VOID} if fault is not None and fault.code is Code.STALLED else set()
    if not heard.is_ready:
        return {Termination.START}
    if not played.result.plies and heard.ended_at - played.tape[0].stamp >= match.time.start * MS:
        possible.add(Termination.START)  # it may have been ready too late
    failed_at = _position_after(played, count)
    is_to_move = failed_at.to_move is played.match.side and not failed_at.is_over
    if failed_at.is_over:
        possible.add(Termination.NORMAL)
    elif is_to_move and len(heard.answers) > count:
        is_late = heard.stamps[count] - heard.asked_at >= _limit(played)
        possible |= {Termination.TIMEOUT, Termination.VOID} if is_late else set()
        possible |= _wrong(heard.answers[count], failed_at)
        if played.match.dialect is Dialect.CODECUP and heard.passed_limit:
            possible.add(Termination.FLOOD)  # its answer may have come early, before that
    else:
        possible |= _ended(played, heard)
        took = heard.ended_at - heard.asked_at
        if is_to_move and heard.is_asked and took >= _limit(played):
            assert took < _limit(played) + _SLACK
            possible.add(Termination.TIMEOUT)
    return possible


def _position_after(played: Played, count: int) -> Position:
    """Where the game stood when the scripted bot had answered ``count`` times and failed, if it did."""
    position = played.match.start
    for record in played.result.plies:
        if position.to_move is played.match.side and "substitute" in record.info:
            break
        position = position.play(next(p for p in position.legal_plies() if p.text == record.ply))
    return position


def _wrong(answer: str | None, position: Position) -> set[Termination]:
    """What is wrong with an answer that was not played; nothing when it should have been."""
    if answer is None:
        return {Termination.RESIGN}
    if not _PLY.fullmatch(answer):
        return {Termination.SYNTAX}
    is_legal = answer.upper() in {ply.text for ply in position.legal_plies()}
    return set() if is_legal else {Termination.ILLEGAL}


def _ended(played: Played, heard: Heard) -> set[Termination]:
    """Faults that need no turn: the script ended its output, or said too much."""
    possible = set()
    for word, *values in played.match.script:
        if word in ("exit", "close"):
            possible.add(Termination.CRASH)
        elif word == "signal":
            possible.add(Termination.KILLED if values[0] in (1, 2, 9, 15) else Termination.CRASH)
    if heard.passed_limit or heard.unexpected >= 10:
        possible.add(Termination.FLOOD)
    return possible


def _limit(played: Played) -> int:
    """Nanoseconds that the last question allowed."""
    own = [record for record in _own_records(played) if "substitute" not in record.info]
    time = played.match.time
    left = own[-1].left if own else (time.game or 0) * MS
    report = played.result.white if played.match.side is Side.WHITE else played.result.black
    assert left is not None
    return left + time.grace * MS - report.clock.grace


def _own_records(played: Played) -> list[PlyRecord]:
    position, records = played.match.start, []
    for record in played.result.plies:
        if position.to_move is played.match.side:
            records.append(record)
        position = position.play(next(p for p in position.legal_plies() if p.text == record.ply))
    return records


# Reading the tape.


class _Lines:
    """Bytes to lines, with the limits of SPEC.md; written for clearness alone."""

    def __init__(self) -> None:
        self.rest = bytearray()
        self.is_first = True
        self.lines = self.bytes = 0
        self.passed_limit = False

    def add(self, data: bytes) -> list[bytes]:
        found = []
        for byte in data:
            if self.passed_limit:
                break
            self.rest.append(byte)
            self.bytes += 1
            if byte == 10:
                self.lines += 1
                found.append(bytes(self.rest))
                self.rest.clear()
            is_long = len(self.rest) > 65_536 and len(self.rest.removesuffix(b"\r")) > 65_536
            self.passed_limit = is_long or self.lines > 10_000 or self.bytes > 8 * 2**20
            if self.passed_limit and byte == 10:
                found.pop()
        return [line for line in map(self._trimmed, found) if line.strip(b" \t\r")]

    def _trimmed(self, line: bytes) -> bytes:
        line = line.removesuffix(b"\n")
        if self.is_first:
            line = line.removeprefix(b"\xef\xbb\xbf")
        self.is_first = False
        return line


def _hear_dvp(tape: list[Said]) -> Heard:
    heard, lines = Heard(), _Lines()
    asked: int | None = None
    owed = "dvpok"
    for piece in tape:
        if piece.voice is Voice.TO_BOT:
            said = piece.data.decode().splitlines()
            if any(line.split()[0] in ("result", "quit") for line in said):
                heard.ended_at = piece.stamp
                break
            if "isready" in said:
                owed, heard.is_ready = "readyok", False
            for line in said:
                if line.startswith("go "):
                    asked, heard.asked_at = int(line.split()[2]), piece.stamp
                    lines.lines = lines.bytes = 0
            continue
        for words in filter(None, map(_words, lines.add(piece.data))):
            if words[0] == owed and (owed != "dvpok" or words[1:2] in ([], ["1"]) or _is_one(words[1])):
                owed, heard.is_ready = "", True
            elif words[0] == "error" and owed == "dvpok":
                owed = "nothing will do"
            elif words[0] in ("move", "resign"):
                if asked is None or _number(words, asked) != asked:
                    heard.unexpected += 1
                else:
                    answer = None if words[0] == "resign" else " ".join(words[1:2])
                    heard.answers.append(answer)
                    heard.stamps.append(piece.stamp)
                    asked = None
    heard.passed_limit, heard.is_asked = lines.passed_limit, asked is not None
    return heard


def _is_one(word: str) -> bool:
    return re.fullmatch("0{0,17}1", word, re.ASCII) is not None


def _words(line: bytes) -> list[str]:
    """The words of a line as far as they may matter; control characters as the arbiter shows them."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return []
    text = re.sub("[\x00-\x08\x0a-\x1f\x7f]", lambda c: f"\\x{ord(c[0]):02x}", text.strip(" \t\r"))
    return [_shown(word) for word in re.split("[ \t]+", text)]


def _shown(word: str) -> str:
    word = re.sub("[\x80-\x9f]", lambda c: f"\\x{ord(c[0]):02x}", word)
    return re.sub("[\u2028\u2029]", lambda c: f"\\u{ord(c[0]):04x}", word)


def _number(words: list[str], asked: int) -> int:
    """The number of the ply that a `move` line names."""
    number = asked
    if words[0] == "move":
        for key, value in zip(words[2::2], words[3::2], strict=False):
            if key == "ply" and re.fullmatch("[0-9]{1,18}", value, re.ASCII):
                number = int(value)
    return number


def _hear_codecup(played: Played) -> Heard:
    heard, lines = Heard(is_ready=True), _Lines()
    for piece in played.tape:
        if piece.voice is Voice.TO_BOT:
            if piece.data == b"Quit\n":
                heard.ended_at = piece.stamp
                break
            heard.asked_at, heard.is_asked = piece.stamp, True
            continue
        for line in lines.add(piece.data):
            heard.answers.append(_escaped(line).strip(" "))
            heard.stamps.append(piece.stamp)
    heard.passed_limit = lines.passed_limit
    return heard


def _escaped(line: bytes) -> str:
    text = line.removesuffix(b"\r").decode("utf-8", "backslashreplace").replace("\t", " ")
    return _shown(re.sub("[\x00-\x1f\x7f]", lambda c: f"\\x{ord(c[0]):02x}", text))
