"""What to change: from what went wrong to what its author can do about it."""

import re
import signal

from arbiter.check.answers import after_illegal, out_of_form, said_instead
from arbiter.check.excerpt import shortened
from arbiter.check.failure import Breach, Failure
from arbiter.match.bot import Dialect
from arbiter.match.fault import Code, Fault
from arbiter.match.termination import Termination
from arbiter.match.wording import describe
from protocol.rules import PASS, Phase

FLUSH = (
    "Flush standard output after every line, for it is held back when it goes into a pipe: "
    "`print(..., flush=True)` in Python, `fflush(stdout)` in C, `std::endl` in C++, `$| = 1` in Perl. "
    "And read line by line, not to the end of the input; a line ends with `\\n` alone, not with `\\r\\n`."
)
NUMBERS = (
    "The number in `move PLY ply NUMBER` has to be that of the last `go`; it may be left out altogether."
)
_ONE_LINE = "End every answer with a line end (`\\n`; `\\r` alone is none) and flush it."
_SLOW_START = (
    "It was still computing: its start takes longer than the limit, and several copies that start together "
    "share the processor. Load less, or load later, in its first turn; `start` in the file of a tournament "
    "allows more."
)
_SLEEPY_START = (
    "It was not computing: if it sleeps or waits for something else at its start, that takes too long."
)
_SIGNAL = (
    "Signals like this come from memory that is not the program's own, from a failed assertion or a division "
    "by zero. In C and C++ build it with `-g -fsanitize=address,undefined`: then its last words, which are "
    "from standard error, name the line."
)
_OWN_SIGNALS = frozenset((signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL))
_SHELLS = 128
"""What a shell adds to the number of the signal that ended a program."""
_BREACHES = {
    Breach.UNASKED: "it wrote {}",
    Breach.EARLY: "after the 49th placement it wrote {} at once, while White was to move",
    Breach.BEFORE_STOP: "it answered by itself, before `stop`",
    Breach.STILL_RUNNING: "it was still running",
}
_WIDE = re.compile(r"(\w\\x00){2}")
"""Two characters of UTF-16 in a line made readable."""
_CAUGHT = (
    "If that is an error which it caught, or one that ended a thread, the turn has to end all the same: in "
    "an answer, or in the end of the program."
)
_FLOOD = "Write less: at most 10,000 lines and 8 MiB a turn, and no line above 65,536 bytes."
_SHOWN = 12
_PROGRAMS = 2
_AROUND_PLACED = (50, 51)
_ROOMY = 127
"""Bytes of a line for which there is room in most buffers."""
_MANY = 63
"""Legal plies past which a position has more than many a program has room for."""
_IDLE, _THINKING = 0.05, 0.5
"""Shares of the time for an answer that a program computed: below the first it waited for something."""


def problem_of(failure: Failure, most: int = _SHOWN) -> str:
    """What happened, in a sentence; of the legal plies only so many."""
    if isinstance(failure.cause, Breach):
        return _BREACHES[failure.cause].format(failure.answer)
    words = _describe(failure.cause, most)
    return words if failure.position is None else about_ply(failure, words)


def _describe(fault: Fault, most: int) -> str:
    match fault.code:
        case Code.ILLEGAL:
            words = f"{fault.text('ply')} is illegal: {fault.text('reason')}"
            legal = fault.text("legal").split()
            more = f" ... ({len(legal)} in all)" if len(legal) > most else ""
            return f"{words}; legal: {' '.join(legal[:most])}{more}" if most else words
        case Code.NOT_A_PLY if not fault.text("answer"):
            return "`move` stands alone on its line"
        case Code.RESIGNED:
            return "it resigned"
        case _:
            return describe(fault)


def about_ply(failure: Failure, words: str) -> str:
    """What happened at the ply that was asked for."""
    position = failure.position
    assert position is not None
    does = "places" if position.phase is Phase.PLACEMENT else "moves"
    does = "has to pass" if failure.must_pass else does
    return f"ply {failure.number} ({position.to_move.word} {does}): {words}"


def about_pass(failure: Failure) -> str:
    """What the bot missed that failed where it had to pass, or right after its opponent did."""
    if failure.must_pass:
        return "It has no stack move here, but its opponent has one: PASS is its only legal ply."
    return "Its opponent had just passed: the turn is the bot's again."


def change_for(failure: Failure, dialect: Dialect) -> str:
    """What to change in the bot."""
    fault = failure.root
    if fault is None:
        return ""
    if fault.code in (Code.NOT_READY, Code.NO_ANSWER):
        return _silent(failure, fault, dialect)
    match fault.termination:
        case Termination.TIMEOUT:
            return _late(failure, dialect)
        case Termination.SYNTAX:
            return out_of_form(failure, dialect)
        case Termination.ILLEGAL:
            return after_illegal(failure, dialect)
        case Termination.MEMORY:
            return "Hold less: the limit is for all its processes together, and 512M in most tournaments."
        case Termination.CRASH | Termination.KILLED:
            about_start = "" if fault is failure.cause else _other_dialect(dialect)
            return f"{_after_end(failure, fault, dialect)} {about_start}".strip()
        case Termination.FLOOD:
            return _FLOOD
        case Termination.RESIGN:
            return "Answer with a ply: a bot that resigns here loses every game."
    return _not_ready(failure, fault, dialect)


def _silent(failure: Failure, fault: Fault, dialect: Dialect) -> str:
    """What to do about a bot from which nothing came in time, or nothing that counts."""
    is_start, share = fault.code is Code.NOT_READY, failure.share
    if is_start and share is not None and share > _THINKING:
        return _SLOW_START
    if fault.facts.get("bytes") == 0:
        sleepy = f" {_SLEEPY_START}" if is_start and share is not None else ""
        return f"{FLUSH}{sleepy} {_other_dialect(dialect)}"
    if words := _utf_16(failure) or (_line_of_dvpok(failure) if is_start else ""):
        return words
    if fault.text("unfinished"):
        return _ONE_LINE
    if is_start:
        return _not_ready(failure, fault, dialect)
    if words := out_of_form(failure, dialect):
        return words
    return " ".join(filter(None, [_instead(failure, dialect), _late(failure, dialect)]))


def _after_end(failure: Failure, fault: Fault, dialect: Dialect) -> str:
    """What to do about a program that ended."""
    if failure.left_running:
        return (
            f"What it started goes on: {', '.join(failure.left_running[:_PROGRAMS])}. The program that "
            "the command starts has to stay, and to answer itself: keep it in the foreground (no `fork`, no "
            "`&`), and in a script start the bot with `exec`."
        )
    legal, unusual = len(failure.legal), ""
    if legal == 1 and not failure.must_pass:
        unusual = " There was a single legal ply."
    elif legal > _MANY:
        unusual = f" There were {legal} legal plies."
    if failure.position is not None and fault.facts.get("status") == 0 and not fault.text("last_words"):
        word = "quit" if dialect is Dialect.DVP else "Quit"
        ended = (
            f"It ended by itself, as if the game were over: only `{word}` or the end of its input ends it."
        )
        return f"{ended}{_long_line(failure) if dialect is Dialect.DVP else ''}"
    number = fault.number("signal") or fault.number("status") - _SHELLS
    if number in _OWN_SIGNALS and "Sanitizer" not in fault.text("last_words"):
        return f"{_SIGNAL}{unusual}"
    return f"{_ended(fault)}{unusual}"


def _ended(fault: Fault) -> str:
    """Where to look for the reason of an end."""
    end = "standard output was closed" if fault.code is Code.OUTPUT_CLOSED else "the program ended"
    told = (
        ": its last words are from standard error, and the"
        if fault.text("last_words")
        else ". To standard error it wrote nothing; the"
    )
    return f"Find out why {end} there{told} dialogue ends with the lines that it was told last."


def _long_line(failure: Failure) -> str:
    """What to look for where reading may have failed at a line that is too long."""
    size = len(f"position start moves {' '.join(failure.plies)}\n")
    if size <= _ROOMY:
        return ""
    return (
        f" Or reading ended early: `position` has {size} bytes here, too many for a small buffer (Go's "
        "`Scanner` ends then)."
    )


def _instead(failure: Failure, dialect: Dialect) -> str:
    """What the bot did in its turn instead of answering."""
    said = said_instead(failure)
    if said is not None:
        return f"Instead it wrote `{shortened(said, 60)}`, which is skipped. {_CAUGHT}"
    told = ""
    if failure.last_words:
        told = f"To standard error it wrote `{shortened(failure.last_words)}` in that turn. {_CAUGHT}"
    return " ".join(filter(None, [told, "" if _is_explained(failure, dialect) else _spent(failure, dialect)]))


def _is_explained(failure: Failure, dialect: Dialect) -> bool:
    """Whether the turn is one that bots do not notice, so that no other reason need be guessed."""
    is_double_turn = dialect is Dialect.CODECUP and failure.number in _AROUND_PLACED
    return failure.must_pass or failure.plies[-1:] == (PASS.text,) or is_double_turn


def _spent(failure: Failure, dialect: Dialect) -> str:
    """What the time went into, as far as the system tells."""
    if failure.share is None or failure.lines:
        return ""
    if failure.share < _IDLE:
        key = ", or knows `go` only without words after it" if dialect is Dialect.DVP else ""
        return (
            "It was waiting all that time, not thinking. For more input: then it reads ahead, takes lines "
            f"that come together for one{key}. For a timer: then it takes milliseconds for seconds. For a "
            "lock, a thread that has ended or another program. Or its answer was not flushed."
        )
    return "It was still thinking." if failure.share > _THINKING else ""


def _utf_16(failure: Failure) -> str:
    """What to change about lines in which every other byte is 0."""
    line = next(filter(_WIDE.search, failure.lines), None)
    if line is None:
        return ""
    return f"Write UTF-8: `{shortened(line, 30)}` is UTF-16, as PowerShell and .NET may write it."


def _line_of_dvpok(failure: Failure) -> str:
    """What to change about a line that holds `dvpok` in no form that counts."""
    for line in failure.lines:
        before, found, _ = line.partition("dvpok")
        if found and before.strip():
            return (
                f"Write `dvpok` alone on its line: it stood in `{shortened(line, 40)}`. A prompt, as "
                "Python's `input` writes it, goes to standard output, too."
            )
    return ""


def _late(failure: Failure, dialect: Dialect) -> str:
    if dialect is Dialect.CODECUP:
        if failure.must_pass:
            return "A bot of this dialect writes PASS itself when it has no move and its opponent has one."
        if failure.number == 50:
            return (
                "White places the 49th piece and then writes its first stack move at once, without "
                "reading anything in between."
            )
        return (
            "Nobody asks in this dialect: write a ply, and flush it, as soon as the opponent's ply was read "
            "(as White after `Start`, too)."
        )
    if failure.must_pass:
        return "Forced passes are asked for, too: answer `move PASS` when `legal PASS` is all there is."
    return (
        "Answer every `go` with exactly one `move` line, flushed at once, within the `time` that `go` tells "
        "in milliseconds."
    )


def _not_ready(failure: Failure, fault: Fault, dialect: Dialect) -> str:
    if fault.code is Code.REFUSED:
        return "The bot gave up itself with `error`; its words say why."
    if fault.text("wanted") == "readyok":
        return "Answer `isready` with `readyok`, or do not announce the feature `ready`."
    if any(line.split()[:1] == ["dvpok"] for line in failure.lines):
        return "Write `dvpok`, or `dvpok 1`: what stands after it is the version, at most the one offered."
    if fault.text("wanted") == "dvpok":
        return f"Answer `dvp 1` with `dvpok`, in lower case and flushed. {_other_dialect(dialect)}"
    return "Make the command start the program from this directory; the message says what is in the way."


def _other_dialect(dialect: Dialect) -> str:
    if dialect is Dialect.CODECUP:
        return "Does the bot speak DVP? Then leave `codecup:` out."
    return "Does the bot speak the CodeCup dialect? Then write `codecup:` before its command."


def noted(failure: Failure) -> str:
    """The failure as a short note."""
    return shortened(problem_of(failure, most=0), 160)
