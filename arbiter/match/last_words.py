"""What a program said last on standard error: of a trace, the line that names the error."""

import re

from arbiter.match.headtail import HeadTail
from protocol.text import escaped

_TRACE = re.compile(
    r"\s+at\s|\s+\.\.\. \d+ more|Node\.js v"  # Java, Node
    r"|goroutine \d|created by |\t\S+:\d+( \+0x\w+)?$|\[signal |exit status \d"  # Go
    r"|note: run with `RUST_BACKTRACE|stack backtrace:|\s+\d+: "  # Rust
    r"|\s+#\d|=>0x|\s+0x\w+: |\s+[A-Z][\w ()-]+: +\w\w( |$)|Shadow byte|==\d+==ABORTING"  # sanitizers
)
"""Lines below the one that names the error, or around it."""
_GOROUTINE = re.compile(r"goroutine \d+ ")
_CALL = re.compile(r"\S+\(.*\)\s*$")
"""Go gives calls no mark of their own."""


def last_words(stderr: HeadTail, longest: int = 200) -> str:
    """The last line that says something, short and fit to be shown; empty if there is none."""
    lines = stderr.lines()
    has_calls = any(map(_GOROUTINE.match, lines))
    told = [line for line in lines if not _is_trace(line, has_calls)]
    line = (told or lines or [""])[-1]
    return escaped(line.strip()[:longest].replace("\t", " "))


def _is_trace(line: str, has_calls: bool) -> bool:
    return _TRACE.match(line) is not None or (has_calls and _CALL.match(line) is not None)
