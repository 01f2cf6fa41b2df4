"""What is wrong with an answer that came: its form, or the rule that it breaks."""

import re

from arbiter.check.excerpt import shortened
from arbiter.check.failure import Failure
from arbiter.check.names import other_names
from arbiter.check.reasons import reason
from arbiter.match.bot import Dialect
from arbiter.match.fault import Code
from arbiter.match.termination import Termination

_LEGAL_HELP = (
    "`board` shows the position, row 5 first, and `legal` has all plies: comparing your own with them finds "
    "the rule at fault."
)
_LEGAL_FILES = "protocol/conformance/positions.jsonl has positions with all their legal plies to test with."
_PARTS = re.compile(r"[A-Z0-9]+")
_WIDEST = 40
_SMALLEST_BUFFER = 64
"""Bytes of a line that no program has too little room for."""


def is_malformed(failure: Failure) -> bool:
    """Whether the bot wrote something in its turn, but no answer that counts: that explains enough."""
    if failure.termination in (Termination.SYNTAX, Termination.FLOOD) or failure.fact("unfinished"):
        return True
    if failure.termination is Termination.ILLEGAL:
        return _in_two_words(failure) != ""
    return failure.termination is Termination.TIMEOUT and said_instead(failure) is not None


def said_instead(failure: Failure) -> str | None:
    """The first line of a bot that did not answer, if there is one."""
    if failure.root is not None and failure.root.code is Code.LATE:
        return None
    return next((line for line in failure.lines if line.split()[:1] != ["info"]), None)


def after_illegal(failure: Failure, dialect: Dialect) -> str:
    """What to change after a ply that the rules forbid."""
    help_ = _LEGAL_HELP if dialect is Dialect.DVP else _LEGAL_FILES
    if told := _in_two_words(failure):
        return told
    words = [reason(failure), _the_other_way_round(failure)]
    if failure.reversible:  # then it is a habit, and explains more than the rule does
        words.reverse()
    return " ".join(filter(None, [*words, _cut_short(failure, dialect), help_]))


def _in_two_words(failure: Failure) -> str:
    """What to change about a `move` line with a blank inside of the ply."""
    for line in failure.lines:
        word, *spaces = line.split() or [""]
        if word == "move" and (ply := "".join(spaces[:2]).upper()) in failure.legal and len(spaces) > 1:
            return f"For `{shortened(line, _WIDEST)}` write `move {ply}`: a ply is one word."
    return ""


def _cut_short(failure: Failure, dialect: Dialect) -> str:
    """What to look for where an answer is the beginning of a ply from a long list."""
    said, legal = (failure.answer or "").upper(), failure.legal
    whole = next((ply for ply in legal if said and ply.startswith(said) and ply != said), None)
    size = len(f"legal {' '.join(legal)}\n")
    if dialect is not Dialect.DVP or whole is None or size < _SMALLEST_BUFFER:
        return ""
    return (
        f"`{said}` is the beginning of the legal ply `{whole}`, and the `legal` line has {size} bytes: is "
        "your buffer for lines too small?"
    )


def _the_other_way_round(failure: Failure) -> str:
    """What to say where the reverse of an illegal ply is legal.

    That of a step to a neighbour often is by chance: only a habit shows in all stack moves before.
    """
    ply = (failure.answer or "").upper()
    reverse = ply[2:] + ply[:2]
    if reverse == ply or reverse not in failure.legal or not all(failure.reversible):
        return ""
    return f"The other way round, `{reverse}`, it is legal: the space that is left comes first."


def out_of_form(failure: Failure, dialect: Dialect) -> str:
    """What to change about an answer that has no form which counts; empty where nothing was meant as one."""
    found = _line_meant(failure)
    if found is not None:
        line, ply = found
        if dialect is Dialect.CODECUP:
            return f"For `{shortened(line, _WIDEST)}` write `{ply}`, and nothing else on the line."
        if failure.termination is Termination.SYNTAX:
            return f"For `move {shortened(line, _WIDEST)}` write `move {ply}`, with nothing around the ply."
        return (
            f"For `{shortened(line, _WIDEST)}` write `move {ply}`: `move` in lower case, a blank, the ply, "
            "and nothing before it on the line."
        )
    if failure.termination is not Termination.SYNTAX:
        return ""
    if words := other_names((failure.answer or "").upper(), failure.legal):
        return words
    return _cut_short(failure, dialect) or _syntax(failure, dialect)


def _syntax(failure: Failure, dialect: Dialect) -> str:
    legal = failure.legal
    only = f"`{legal[0]}` is the only legal ply here. " if len(legal) == 1 else ""
    if dialect is Dialect.CODECUP:
        return (
            f"{only}Write nothing but plies to standard output, one on each line: a space (D1), two spaces "
            "(H1G1) or PASS. Anything else goes to standard error."
        )
    if not failure.answer:
        return (
            "Write the ply on the line of `move`, after a blank, and end the line after it: `move D1`. If it "
            "does, the ply was empty: look where it was taken from."
        )
    return f"{only}After `move` comes one ply: a space (D1), two spaces (H1G1) or PASS; nothing around it."


def _line_meant(failure: Failure) -> tuple[str, str] | None:
    """The line that was meant as an answer though it is none, and the legal ply in it."""
    legal = failure.legal
    lines = failure.lines if failure.termination is Termination.TIMEOUT else (failure.answer or "",)
    for line in lines:
        parts = _PARTS.findall(line.upper())
        for word in (*parts, "".join(parts)):
            if word in legal and not line.startswith("info "):
                return line, word
    return None
