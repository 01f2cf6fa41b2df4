"""What a program said last on standard error: of an error told in many lines, the one that names it."""

import re
from collections.abc import Iterator

from arbiter.match.headtail import HeadTail
from protocol.text import escaped

_NAMES_ERROR = re.compile(
    r"\s*\[?[\w.$]*(Error|Exception|Rejection)( \[\w+\])?(: |$)|\s+\[cause\]: "  # Python, Java, Node
    r'|Exception in thread "|Caused by: |Unhandled exception\. |Fatal Python error: |FATAL ERROR: '
    r"|\s*panic: |fatal error: "  # Go
    r"|terminate called |\s+what\(\): |(==\d+==ERROR|SUMMARY): \w+Sanitizer"  # C++
)
"""Lines that name an error."""
_ABOVE_NAME = re.compile(
    r"[\s+]*(Exception Group )?Traceback \(|\s*\+-[+-]* \d+ -+"
    r"|thread '.*' (\(\d+\) )?panicked at \S+:\d+:\d+:$"
)
"""The error is in the next line that is not indented, whatever it is called: Python, Rust."""
_TRACE = re.compile(
    r"\s+at\s|\s+\.\.\. \d+ more|\s+Suppressed: |Node\.js v|\(Use `node "  # Java, Node
    r"|goroutine \d|created by |\t\S+:\d+( |$)|\.\.\.\d+ frames elided|\[signal |exit status \d"  # Go
    r"|note: |stack backtrace:|\s*\d+: 0x|\s+\d+: |called `\S+` on an `Err` value: Any "  # Rust
    r"|\s+#\d|=>0x|\s+0x\w+: |\s+[A-Z][\w ()-]+: +\w\w( |$)|Shadow byte|==\d+==ABORTING"  # sanitizers
    r"|\s*\+-[+-]*$"  # Python
)
"""Lines below the one that names the error, or around it."""
_MARGIN = re.compile(r"\s*\| ")
"""What Python draws beside the errors of a group."""
_GOROUTINE = re.compile(r"goroutine \d+ ")
_CALL = re.compile(r"[^\s(]+\(")
"""Go gives calls no mark of their own."""
_MOST_BELOW = 10
"""Lines of an error's message, its fields or a farewell that may follow its name; more are other talk."""


def last_words(stderr: HeadTail, newest: int | None = None, longest: int = 200) -> str:
    """The last error that is named, or else the last line that says something; empty if there is none.

    ``newest`` limits it to so many bytes at the end. The line is short and fit to be shown.
    """
    lines = [line for line in map(_without_margin, stderr.lines(newest)) if line]
    told = list(_told(lines))
    named = next((line for line, is_name in reversed(told[-_MOST_BELOW - 1 :]) if is_name), "")
    line = named or [*(lines or [""])[-1:], *(line for line, _ in told)][-1]
    return escaped(line.strip()[:longest].replace("\t", " "))


def _told(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """The lines that are no trace, and whether each names an error."""
    has_calls = any(map(_GOROUTINE.match, lines))
    is_expected = False
    for line in lines:
        if _ABOVE_NAME.match(line):
            is_expected = True
        elif not (is_expected and line[0].isspace()):
            if not _is_trace(line, has_calls):
                yield line, is_expected or _NAMES_ERROR.match(line) is not None
            is_expected = False


def _without_margin(line: str) -> str:
    margin = _MARGIN.match(line)
    return line[margin.end() :] if margin else line


def _is_trace(line: str, has_calls: bool) -> bool:
    is_call = has_calls and line.rstrip().endswith(")") and _CALL.match(line) is not None
    return is_call or _TRACE.match(line) is not None
