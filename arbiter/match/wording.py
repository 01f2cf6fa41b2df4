"""The sentences for faults, as people read them in records, tables and messages: all in one place."""

import signal
from collections.abc import Callable, Iterator

from arbiter.match.clock import MOST_WAITING, MS
from arbiter.match.fault import Code, Fault
from protocol.errors import PlySyntaxError

FOREIGN = "which tells nothing of the bot"
"""Said of an exit status that is a wrapper's own."""
_DENIALS = ("Permission denied", "Read-only file system", "EACCES", "EROFS")
_NO_ROOM = "Sanitizer failed to allocate"


def describe(fault: Fault | None) -> str:
    """The sentence for a fault, without its termination; empty for a resignation and for no fault."""
    return "" if fault is None else _SENTENCES[fault.code](fault)


# Time


def _no_answer(fault: Fault) -> str:
    of_what = " of CPU time" if fault.text("clock") == "cpu" else ""
    detail = f"no answer within {fault.number('limit') // MS} ms{of_what}{_earlier_plies(fault)}"
    return "; ".join([detail, *_silence(fault)])


def _earlier_plies(fault: Fault) -> str:
    """What left so little: the earlier answers of a game with one clock for all."""
    plies = fault.number("plies")
    if not plies or "used" not in fault.facts:
        return ""
    return f", after {fault.number('used') // MS} ms for {plies} {'ply' if plies == 1 else 'plies'}"


def _silence(fault: Fault) -> Iterator[str]:
    """What may explain that no answer came, as far as that was looked for."""
    if "bytes" not in fault.facts:
        return
    if fault.number("bytes") == 0:
        names = fault.text("withheld")
        aside = f" ({names}: not passed on to bots)" if names else ""
        yield f"no output was ever received: does the bot flush its standard output?{aside}"
    elif unfinished := fault.text("unfinished"):
        yield f"{unfinished!r} was written without a line end"
    elif not fault.number("turn_bytes") and not fault.number("plies"):
        yield "nothing was written in this turn: is every answer flushed?"
    if fault.text("note") and fault.number("turn_bytes"):
        yield fault.text("note")
    if fault.facts.get("must_pass"):
        yield "PASS was the only legal ply"
    elif fault.facts.get("double_turn"):
        yield "after placement 49 White moves again without reading anything (the double turn)"


def _late(fault: Fault) -> str:
    used, over, limit = (fault.number(name) / MS for name in ("used", "over", "limit"))
    return f"answered after {used:.1f} ms, {over:.1f} ms over the {limit:.1f} ms limit"


def _machine_late(fault: Fault) -> str:
    delay = f"up to {fault.number('machine') / MS:.1f} ms of scheduling delay"
    return f"{fault.text('side')} {_late(fault)}; {delay}{_disturbed(fault)}"


def _disturbed(fault: Fault) -> str:
    """What the idle opponent computed meanwhile, where that was much."""
    culprit = fault.text("culprit")
    if not culprit:
        return ""
    return f"; {culprit} used {fault.number('culprit_cpu') / MS:.0f} ms of CPU time meanwhile"


def _starved(fault: Fault) -> str:
    waited = f"{fault.text('side')} waited more than {MOST_WAITING // (1_000 * MS)} s for a core in one ply"
    return f"{waited}: this machine is too busy{_disturbed(fault)}"


def _stalled(fault: Fault) -> str:
    return f"arbiter stalled for {fault.number('time') / (1_000 * MS):.0f} s while the bots ran"


def _out_of_memory(fault: Fault) -> str:
    return f"the kernel killed {fault.text('side')}'s bot: the machine ran out of memory"


def _both(fault: Fault) -> str:
    return f"white: {describe(fault.inner('white'))}; black: {describe(fault.inner('black'))}"


# Output


def _illegal(fault: Fault) -> str:
    legal = fault.text("legal")
    choice = f"legal: {legal}" if legal else "no ply is legal"
    return f"{fault.text('ply')}: {fault.text('reason')}; {choice}"


def _not_a_ply(fault: Fault) -> str:
    return str(PlySyntaxError(fault.text("answer"), fault.text("reason")))


def _many(what: str) -> Callable[[Fault], str]:
    return lambda fault: f"more than {fault.number('limit'):,} {what} in one turn"


# The end of a program


def _end(fault: Fault) -> str:
    last = fault.text("last_words")
    words = [describe_exit(fault), *([f"its last words: {last}"] if last else []), *_explain_end(fault)]
    return "; ".join(words)


def describe_exit(fault: Fault) -> str:
    """How a program ended, without what it said last."""
    wrapper = fault.text("wrapper")
    words = _exit_words(fault)
    return f"{wrapper} {words}, {FOREIGN}" if wrapper else words


def _exit_words(fault: Fault) -> str:
    if fault.code is Code.OUTPUT_CLOSED:
        return "closed its standard output"
    if fault.code is Code.EXITED:
        return f"exited with status {fault.number('status')}{_shell_hint(fault.number('status'))}"
    outside = " from outside" if fault.code is Code.KILLED else ""
    return f"killed{outside} by {_signal_name(fault.number('signal'))}"


def _shell_hint(status: int) -> str:
    """A shell reports a program that a signal ended as 128 + the signal's number."""
    number = status - 128
    if number not in {int(known) for known in signal.Signals}:
        return ""
    return f" (128 + {_signal_name(number)}, if a shell started it)"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _explain_end(fault: Fault) -> Iterator[str]:
    """What its isolation level may have to do with the end of a program."""
    level, last = fault.text("level"), fault.text("last_words")
    if level in ("", "none"):
        return
    if fault.code is Code.EXITED and fault.number("status") in (126, 127):
        yield f"at isolation {level} it sees the system, its `dir`, what `run` names and what lies on PATH"
    free = "`isolation: none` holds nothing back"
    if any(sign in last for sign in _DENIALS):
        yield f"at isolation {level} it may write to $TMPDIR only; {free}"
    if _NO_ROOM in last:
        yield f"at isolation {level} it has no room for its sanitizer; {free}"


def _over_limit(fault: Fault) -> str:
    last = fault.text("last_words")
    return "; ".join([fault.text("text"), *([f"its last words: {last}"] if last else [])])


def _largest(fault: Fault) -> str:
    held = f"{fault.number('held') / 2**20:.0f} MiB"
    return f"the machine ran out of memory, of which it held most: {held}"


# The start


def _not_ready(fault: Fault) -> str:
    of_start = " of `Start`" if fault.text("wanted") == "placement" else ""
    detail = f"no {_wanted(fault)} within {fault.number('limit') // MS} ms{of_start}"
    return "; ".join([detail, *_silence(fault)])


def _ended_before(fault: Fault) -> str:
    what = "its first placement" if fault.text("wanted") == "placement" else _wanted(fault)
    return f"before {what}: {describe(fault.inner('end'))}"


def _wanted(fault: Fault) -> str:
    wanted = fault.text("wanted")
    return "placement" if wanted == "placement" else f"`{wanted}`"


_SENTENCES: dict[Code, Callable[[Fault], str]] = {
    Code.RESIGNED: lambda fault: "",
    Code.NO_ANSWER: _no_answer,
    Code.LATE: _late,
    Code.NOT_A_PLY: _not_a_ply,
    Code.ILLEGAL: _illegal,
    Code.LONG_LINE: lambda fault: f"a line of more than {fault.number('limit'):,} bytes",
    Code.MANY_LINES: _many("lines"),
    Code.MANY_BYTES: _many("bytes"),
    Code.UNASKED: lambda fault: f"{fault.number('count')} answers that nobody had asked for",
    Code.EXITED: _end,
    Code.SIGNALLED: _end,
    Code.OUTPUT_CLOSED: _end,
    Code.KILLED: _end,
    Code.OVER_LIMIT: _over_limit,
    Code.LARGEST: _largest,
    Code.CANNOT_START: lambda fault: fault.text("text"),
    Code.NO_SANDBOX: lambda fault: fault.text("text"),
    Code.REFUSED: lambda fault: f"the bot cannot play: {fault.text('text')}",
    Code.NOT_READY: _not_ready,
    Code.ENDED_BEFORE: _ended_before,
    Code.BAD_PLACEMENT: lambda fault: f"its answer to `Start`: {fault.text('text')}",
    Code.MACHINE_LATE: _machine_late,
    Code.STARVED: _starved,
    Code.STALLED: _stalled,
    Code.OUT_OF_MEMORY: _out_of_memory,
    Code.BOTH: _both,
}
