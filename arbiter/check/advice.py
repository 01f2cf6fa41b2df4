"""What to change: from what went wrong to what its author can do about it."""

import re

from arbiter.check.answers import after_illegal, out_of_form, said_instead
from arbiter.check.excerpt import shortened
from arbiter.check.slip import Slip
from arbiter.match.bot import Dialect
from arbiter.match.termination import Termination
from protocol.rules import PASS, Phase, Position, parse_ply

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
_OWN_SIGNAL = re.compile(r"\bSIG(SEGV|ABRT|BUS|FPE|ILL)\b")
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


def problem_of(slip: Slip) -> str:
    """What happened, in a sentence; of the legal plies only the first."""
    if slip.termination is Termination.ILLEGAL and slip.position is not None and slip.answer is not None:
        words = _illegal(slip)
    elif slip.termination is None:
        return slip.detail
    elif slip.termination is Termination.SYNTAX and not slip.answer:
        words = "`move` stands alone on its line"
    elif slip.termination is Termination.RESIGN:
        words = "it resigned"
    else:
        words = slip.detail
    return words if slip.position is None else f"{_asked(slip, slip.position)}: {words}"


def _asked(slip: Slip, position: Position) -> str:
    if position.legal_plies() == [PASS]:
        does = "has to pass"
    else:
        does = "places" if position.phase is Phase.PLACEMENT else "moves"
    return f"{slip.asked} ({position.to_move.word} {does})"


def _illegal(slip: Slip) -> str:
    assert slip.position is not None
    fault = slip.position.check(parse_ply(slip.answer or ""))
    if fault is None:
        return slip.detail
    legal = [ply.text for ply in fault.legal]
    more = f" ... ({len(legal)} in all)" if len(legal) > _SHOWN else ""
    return f"{fault.ply} is illegal: {fault.reason}; legal: {' '.join(legal[:_SHOWN])}{more}"


def about_pass(slip: Slip) -> str:
    """What the bot missed that failed where it had to pass, or right after its opponent did."""
    if slip.position is not None and slip.position.legal_plies() == [PASS]:
        return "It has no stack move here, but its opponent has one: PASS is its only legal ply."
    return "Its opponent had just passed: the turn is the bot's again."


def change_for(slip: Slip, dialect: Dialect) -> str:
    """What to change in the bot."""
    detail = slip.detail
    match slip.termination:
        case Termination.START if "exited with" in detail or "killed by" in detail:
            return f"{_after_end(slip, dialect)} {_other_dialect(dialect)}"
        case Termination.START if "more than" in detail:
            return _FLOOD
        case Termination.START if slip.share is not None and slip.share > _THINKING:
            return _SLOW_START
        case Termination.START if "no output was ever received" in detail and slip.share is not None:
            return f"{FLUSH} {_SLEEPY_START} {_other_dialect(dialect)}"
        case Termination.TIMEOUT | Termination.START if "no output was ever received" in detail:
            return f"{FLUSH} {_other_dialect(dialect)}"
        case Termination.TIMEOUT | Termination.START if words := _utf_16(slip):
            return words
        case Termination.START if line := _line_of_dvpok(slip):
            return line
        case Termination.TIMEOUT | Termination.START if "without a line end" in detail:
            return _ONE_LINE
        case Termination.TIMEOUT | Termination.SYNTAX if words := out_of_form(slip, dialect):
            return words
        case Termination.TIMEOUT:
            return " ".join(filter(None, [_instead(slip, dialect), _late(slip, dialect)]))
        case Termination.ILLEGAL:
            return after_illegal(slip, dialect)
        case Termination.MEMORY:
            return "Hold less: the limit is for all its processes together, and 512M in most tournaments."
        case Termination.CRASH | Termination.KILLED:
            return _after_end(slip, dialect)
        case Termination.FLOOD:
            return _FLOOD
        case Termination.START:
            return _not_ready(slip, dialect)
        case Termination.RESIGN:
            return "Answer with a ply: a bot that resigns here loses every game."
    return ""


def _after_end(slip: Slip, dialect: Dialect) -> str:
    """What to do about a program that ended."""
    if slip.company:
        return (
            f"What it started goes on: {', '.join(slip.company[:_PROGRAMS])}. The program that the command "
            "starts has to stay, and to answer itself: keep it in the foreground (no `fork`, no `&`), and in "
            "a script start the bot with `exec`."
        )
    legal = 0 if slip.position is None else len(slip.position.legal_plies())
    unusual = ""
    if legal == 1 and slip.position is not None and slip.position.legal_plies() != [PASS]:
        unusual = " There was a single legal ply."
    elif legal > _MANY:
        unusual = f" There were {legal} legal plies."
    if slip.position is not None and slip.detail == "exited with status 0":
        word = "quit" if dialect is Dialect.DVP else "Quit"
        ended = (
            f"It ended by itself, as if the game were over: only `{word}` or the end of its input ends it."
        )
        return f"{ended}{_long_line(slip) if dialect is Dialect.DVP else ''}"
    if _OWN_SIGNAL.search(slip.detail) and "Sanitizer" not in slip.detail:
        return f"{_SIGNAL}{unusual}"
    return f"{_ended(slip)}{unusual}"


def _ended(slip: Slip) -> str:
    """Where to look for the reason of an end."""
    end = "standard output was closed" if "closed its standard output" in slip.detail else "the program ended"
    spoke = "last words" in slip.detail
    told = (
        ": its last words are from standard error, and the"
        if spoke
        else ". To standard error it wrote nothing; the"
    )
    return f"Find out why {end} there{told} dialogue ends with the lines that it was told last."


def _long_line(slip: Slip) -> str:
    """What to look for where reading may have failed at a line that is too long."""
    size = len(f"position start moves {' '.join(slip.plies)}\n")
    if size <= _ROOMY:
        return ""
    return (
        f" Or reading ended early: `position` has {size} bytes here, too many for a small buffer (Go's "
        "`Scanner` ends then)."
    )


def _instead(slip: Slip, dialect: Dialect) -> str:
    """What the bot did in its turn instead of answering."""
    said = said_instead(slip)
    if said is not None:
        return f"Instead it wrote `{shortened(said, 60)}`, which is skipped. {_CAUGHT}"
    told = ""
    if slip.last_words:
        told = f"To standard error it wrote `{shortened(slip.last_words)}` in that turn. {_CAUGHT}"
    return " ".join(filter(None, [told, "" if _is_explained(slip, dialect) else _spent(slip, dialect)]))


def _is_explained(slip: Slip, dialect: Dialect) -> bool:
    """Whether the turn is one that bots do not notice, so that no other reason need be guessed."""
    if slip.position is not None and slip.position.legal_plies() == [PASS]:
        return True
    return slip.plies[-1:] == (PASS.text,) or (dialect is Dialect.CODECUP and slip.number in _AROUND_PLACED)


def _spent(slip: Slip, dialect: Dialect) -> str:
    """What the time went into, as far as the system tells."""
    if slip.share is None or slip.lines:
        return ""
    if slip.share < _IDLE:
        key = ", or knows `go` only without words after it" if dialect is Dialect.DVP else ""
        return (
            "It was waiting all that time, not thinking. For more input: then it reads ahead, takes lines "
            f"that come together for one{key}. For a timer: then it takes milliseconds for seconds. For a "
            "lock, a thread that has ended or another program. Or its answer was not flushed."
        )
    return "It was still thinking." if slip.share > _THINKING else ""


def _utf_16(slip: Slip) -> str:
    """What to change about lines in which every other byte is 0."""
    line = next(filter(_WIDE.search, slip.lines), None)
    if line is None:
        return ""
    return f"Write UTF-8: `{shortened(line, 30)}` is UTF-16, as PowerShell and .NET may write it."


def _line_of_dvpok(slip: Slip) -> str:
    """What to change about a line that holds `dvpok` in no form that counts."""
    for line in slip.lines:
        before, found, _ = line.partition("dvpok")
        if found and before.strip():
            return (
                f"Write `dvpok` alone on its line: it stood in `{shortened(line, 40)}`. A prompt, as "
                "Python's `input` writes it, goes to standard output, too."
            )
    return ""


def _late(slip: Slip, dialect: Dialect) -> str:
    if dialect is Dialect.CODECUP:
        if slip.position is not None and slip.position.legal_plies()[0].is_pass:
            return "A bot of this dialect writes PASS itself when it has no move and its opponent has one."
        if slip.number == 50:
            return (
                "White places the 49th piece and then writes its first stack move at once, without "
                "reading anything in between."
            )
        return (
            "Nobody asks in this dialect: write a ply, and flush it, as soon as the opponent's ply was read "
            "(as White after `Start`, too)."
        )
    if slip.position is not None and slip.position.legal_plies()[0].is_pass:
        return "Forced passes are asked for, too: answer `move PASS` when `legal PASS` is all there is."
    return (
        "Answer every `go` with exactly one `move` line, flushed at once, within the `time` that `go` tells "
        "in milliseconds."
    )


def _not_ready(slip: Slip, dialect: Dialect) -> str:
    detail = slip.detail
    if "`readyok`" in detail or slip.asked == "`readyok`":
        return "Answer `isready` with `readyok`, or do not announce the feature `ready`."
    if "the bot cannot play" in detail:
        return "The bot gave up itself with `error`; its words say why."
    if "ignored: 'dvpok" in detail:
        return "Write `dvpok`, or `dvpok 1`: what stands after it is the version, at most the one offered."
    if "`dvpok`" in detail or slip.asked == "`dvpok`":
        return f"Answer `dvp 1` with `dvpok`, in lower case and flushed. {_other_dialect(dialect)}"
    return "Make the command start the program from this directory; the message says what is in the way."


def _other_dialect(dialect: Dialect) -> str:
    if dialect is Dialect.CODECUP:
        return "Does the bot speak DVP? Then leave `codecup:` out."
    return "Does the bot speak the CodeCup dialect? Then write `codecup:` before its command."


def noted(slip: Slip) -> str:
    """The slip as a short note."""
    return shortened(problem_of(slip).partition("; legal:")[0], 160)
