"""What to change: from what went wrong to what its author can do about it."""

import re

from arbiter.check.excerpt import shortened
from arbiter.check.sitting import Slip
from arbiter.match.bot import Dialect
from arbiter.match.termination import Termination
from protocol.errors import ProtocolError
from protocol.rules import PASS, Phase, Position, parse_ply

FLUSH = (
    "Flush standard output after every line, for it is held back when it goes into a pipe: "
    "`print(..., flush=True)` in Python, `fflush(stdout)` in C, `std::endl` in C++, `$| = 1` in Perl. "
    "And read line by line, not to the end of the input."
)
NUMBERS = (
    "The number in `move PLY ply NUMBER` has to be that of the last `go`; it may be left out altogether."
)
_ONE_LINE = "End every answer with a line end (`\\n`) and flush it."
_LEGAL_HELP = "Every plain answer stands in `legal`; comparing your own list with it finds the rule at fault."
_LEGAL_FILES = "protocol/conformance/positions.jsonl has positions with all their legal plies to test with."
_ENDED = (
    "Find out why the program ended there: its last words are from standard error, and the dialogue ends "
    "with the lines that it was told last."
)
_FLOOD = "Write less: at most 10,000 lines and 8 MiB a turn, and no line above 65,536 bytes."
_SHOWN = 12
_WORD = re.compile(r"[A-Z0-9]+")

_RULES = {
    "placement-phase": "Until all 49 pieces lie, a ply is one empty space, such as `D1`.",
    "occupied": "Keep the opponent's placements, too: a piece goes on an empty space.",
    "game-over": "The game was over.",
    "may-not-pass": "PASS is allowed only to a side that has no stack move.",
    "movement-phase": "After 49 placements a ply names two spaces, such as `H1G1`.",
    "must-pass": "A side without a stack move answers PASS while the other side has one.",
    "empty-source": "Keep track of what has moved away and of what was cut off from the reds and removed.",
    "lone-red": "A red piece alone belongs to nobody and never moves.",
    "not-your-stack": "Only the side whose piece is on top may move a stack; see which side you play.",
    "surrounded": "A stack with six neighbours, all of them occupied, cannot move, however high it is.",
    "same-space": "A stack move leads to another space.",
    "direction": "There are six directions: (±1, 0), (0, ±1), (+1, +1) and (-1, -1) in columns and rows.",
    "distance": "A stack moves exactly as many spaces as it is high.",
    "empty-target": "A stack lands on an occupied space, and stacks without a chain to a red have gone.",
}


def problem_of(slip: Slip) -> str:
    """What happened, in a sentence; of the legal plies only the first."""
    if slip.termination is Termination.ILLEGAL and slip.position is not None and slip.answer is not None:
        words = _illegal(slip)
    elif slip.termination is None:
        return slip.detail
    elif slip.termination is Termination.SYNTAX and not slip.answer:
        words = "`move` stands alone on its line"
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
            return f"{_ENDED} {_other_dialect(dialect)}"
        case Termination.START if "more than" in detail:
            return _FLOOD
        case Termination.TIMEOUT | Termination.START if "no output was ever received" in detail:
            return f"{FLUSH} {_other_dialect(dialect)}"
        case Termination.TIMEOUT | Termination.START if "without a line end" in detail:
            return _ONE_LINE
        case Termination.TIMEOUT if line := _meant(slip):
            return _answer_in_form(*line)
        case Termination.TIMEOUT:
            return _late(slip, dialect)
        case Termination.ILLEGAL:
            return _after_illegal(slip, dialect)
        case Termination.SYNTAX if dialect is Dialect.CODECUP:
            return (
                "Write nothing but plies to standard output, one on each line: a space (D1), two spaces "
                "(H1G1) or PASS. Anything else goes to standard error."
            )
        case Termination.SYNTAX if not slip.answer:
            return "Write the ply on the line of `move`, after a blank, and end the line after it: `move D1`."
        case Termination.SYNTAX:
            return "After `move` comes one ply: a space (D1), two spaces (H1G1) or PASS; nothing around it."
        case Termination.CRASH | Termination.KILLED | Termination.MEMORY:
            return _ENDED
        case Termination.FLOOD:
            return _FLOOD
        case Termination.START:
            return _not_ready(slip, dialect)
        case Termination.RESIGN:
            return "Answer with a ply: a bot that resigns here loses every game."
    return ""


def is_malformed(slip: Slip) -> bool:
    """Whether the bot answered, but in no form that counts: nothing else can be seen from that."""
    if slip.termination in (Termination.SYNTAX, Termination.FLOOD) or "without a line end" in slip.detail:
        return True
    return slip.termination is Termination.TIMEOUT and _meant(slip) is not None


def _meant(slip: Slip) -> tuple[str, str] | None:
    """The line that was meant as an answer though it is none, and the legal ply in it."""
    legal = {ply.text for ply in slip.position.legal_plies()} if slip.position is not None else set()
    for line in slip.lines:
        for word in _WORD.findall(line.upper()):
            if word in legal and not line.startswith("info "):
                return line, word
    return None


def _answer_in_form(line: str, ply: str) -> str:
    return (
        f"For `{shortened(line, 40)}` write `move {ply}`: `move` in lower case, a blank, the ply, "
        "and nothing before it on the line."
    )


def rule_of(slip: Slip) -> str:
    """The token of the rule that an illegal answer broke; empty for any other slip."""
    if slip.termination is not Termination.ILLEGAL or slip.position is None or slip.answer is None:
        return ""
    try:
        fault = slip.position.check(parse_ply(slip.answer))
    except ProtocolError:
        return ""
    return fault.rule if fault else ""


def _after_illegal(slip: Slip, dialect: Dialect) -> str:
    help_ = _LEGAL_HELP if dialect is Dialect.DVP else _LEGAL_FILES
    return " ".join(filter(None, [_RULES.get(rule_of(slip)), help_]))


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
