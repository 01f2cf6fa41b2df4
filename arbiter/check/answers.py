"""What is wrong with an answer that came: its form, or the rule that it breaks."""

import re

from arbiter.check.excerpt import shortened
from arbiter.check.names import other_names
from arbiter.check.reasons import reason
from arbiter.check.slip import Slip
from arbiter.match.bot import Dialect
from arbiter.match.termination import Termination
from protocol.errors import IllegalPlyError, ProtocolError
from protocol.rules import parse_ply

_LEGAL_HELP = (
    "`board` shows the position, row 5 first, and `legal` has all plies: comparing your own with them finds "
    "the rule at fault."
)
_LEGAL_FILES = "protocol/conformance/positions.jsonl has positions with all their legal plies to test with."
_PARTS = re.compile(r"[A-Z0-9]+")
_WIDEST = 40
_SMALLEST_BUFFER = 64
"""Bytes of a line that no program has too little room for."""


def rule_of(slip: Slip) -> str:
    """The token of the rule that an illegal answer broke; empty for any other slip."""
    fault = _fault_of(slip)
    return fault.rule if fault else ""


def _fault_of(slip: Slip) -> IllegalPlyError | None:
    if slip.termination is not Termination.ILLEGAL or slip.position is None or slip.answer is None:
        return None
    try:
        return slip.position.check(parse_ply(slip.answer))
    except ProtocolError:
        return None


def is_malformed(slip: Slip) -> bool:
    """Whether the bot wrote something in its turn, but no answer that counts: that explains enough."""
    if slip.termination in (Termination.SYNTAX, Termination.FLOOD) or "without a line end" in slip.detail:
        return True
    if slip.termination is Termination.ILLEGAL:
        return _in_two_words(slip) != ""
    return slip.termination is Termination.TIMEOUT and said_instead(slip) is not None


def said_instead(slip: Slip) -> str | None:
    """The first line of a bot that did not answer, if there is one."""
    return next((line for line in slip.lines if line.split()[:1] != ["info"]), None)


def after_illegal(slip: Slip, dialect: Dialect) -> str:
    """What to change after a ply that the rules forbid."""
    help_ = _LEGAL_HELP if dialect is Dialect.DVP else _LEGAL_FILES
    cut = _cut_short(slip) if dialect is Dialect.DVP else ""
    if told := _in_two_words(slip):
        return told
    fault = _fault_of(slip)
    words = [reason(slip, fault) if fault else "", _the_other_way_round(slip)]
    if slip.reversible:  # then it is a habit, and explains more than the rule does
        words.reverse()
    return " ".join(filter(None, [*words, cut, help_]))


def _in_two_words(slip: Slip) -> str:
    """What to change about a `move` line with a blank inside of the ply."""
    for line in slip.lines:
        word, *spaces = line.split() or [""]
        if word == "move" and (ply := "".join(spaces[:2]).upper()) in _legal(slip) and len(spaces) > 1:
            return f"For `{shortened(line, _WIDEST)}` write `move {ply}`: a ply is one word."
    return ""


def _cut_short(slip: Slip) -> str:
    """What to look for where an answer is the beginning of a ply from a long list."""
    said, legal = (slip.answer or "").upper(), sorted(_legal(slip))
    whole = next((ply for ply in legal if said and ply.startswith(said) and ply != said), None)
    size = len(f"legal {' '.join(legal)}\n")
    if whole is None or size < _SMALLEST_BUFFER:
        return ""
    return (
        f"`{said}` is the beginning of the legal ply `{whole}`, and the `legal` line has {size} bytes: is "
        "your buffer for lines too small?"
    )


def _the_other_way_round(slip: Slip) -> str:
    """What to say where the reverse of an illegal ply is legal.

    That of a step to a neighbour often is by chance: only a habit shows in all stack moves before.
    """
    ply = (slip.answer or "").upper()
    reverse = ply[2:] + ply[:2]
    if reverse == ply or reverse not in _legal(slip) or not all(slip.reversible):
        return ""
    return f"The other way round, `{reverse}`, it is legal: the space that is left comes first."


def out_of_form(slip: Slip, dialect: Dialect) -> str:
    """What to change about an answer that has no form which counts; empty where nothing was meant as one."""
    found = _line_meant(slip)
    if found is not None:
        line, ply = found
        if dialect is Dialect.CODECUP:
            return f"For `{shortened(line, _WIDEST)}` write `{ply}`, and nothing else on the line."
        if slip.termination is Termination.SYNTAX:
            return f"For `move {shortened(line, _WIDEST)}` write `move {ply}`, with nothing around the ply."
        return (
            f"For `{shortened(line, _WIDEST)}` write `move {ply}`: `move` in lower case, a blank, the ply, "
            "and nothing before it on the line."
        )
    if slip.termination is not Termination.SYNTAX:
        return ""
    if words := other_names((slip.answer or "").upper(), _legal(slip)):
        return words
    return (_cut_short(slip) if dialect is Dialect.DVP else "") or _syntax(slip, dialect)


def _syntax(slip: Slip, dialect: Dialect) -> str:
    legal = sorted(_legal(slip))
    only = f"`{legal[0]}` is the only legal ply here. " if len(legal) == 1 else ""
    if dialect is Dialect.CODECUP:
        return (
            f"{only}Write nothing but plies to standard output, one on each line: a space (D1), two spaces "
            "(H1G1) or PASS. Anything else goes to standard error."
        )
    if not slip.answer:
        return (
            "Write the ply on the line of `move`, after a blank, and end the line after it: `move D1`. If it "
            "does, the ply was empty: look where it was taken from."
        )
    return f"{only}After `move` comes one ply: a space (D1), two spaces (H1G1) or PASS; nothing around it."


def _line_meant(slip: Slip) -> tuple[str, str] | None:
    """The line that was meant as an answer though it is none, and the legal ply in it."""
    legal = _legal(slip)
    lines = slip.lines if slip.termination is Termination.TIMEOUT else (slip.answer or "",)
    for line in lines:
        parts = _PARTS.findall(line.upper())
        for word in (*parts, "".join(parts)):
            if word in legal and not line.startswith("info "):
                return line, word
    return None


def _legal(slip: Slip) -> set[str]:
    return set() if slip.position is None else {ply.text for ply in slip.position.legal_plies()}
