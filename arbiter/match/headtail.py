"""Keeping the beginning and the end of a stream that may be endless."""

import re

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


class HeadTail:
    """The first ``head`` and the last ``tail`` bytes of what is fed in; memory stays flat."""

    def __init__(self, head: int = 8_192, tail: int = 8_192) -> None:
        self._head_limit = head
        self._tail_limit = tail
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        self._tail += data[max(room, 0) :][-self._tail_limit :]
        del self._tail[: -self._tail_limit]

    def last_line(self, longest: int = 200) -> str:
        """The last line that says something, short and fit to be shown; of a trace the one with the error."""
        lines = self._lines()
        has_calls = any(map(_GOROUTINE.match, lines))
        told = [line for line in lines if not _is_trace(line, has_calls)]
        line = (told or lines or [""])[-1]
        return escaped(line.strip()[:longest].replace("\t", " "))

    def _lines(self) -> list[str]:
        """Those that say something, without the pieces beside the gap."""
        kept = self._head + self._tail
        if self.total > len(kept):
            kept = self._head.rpartition(b"\n")[0] + b"\n" + (self._tail.partition(b"\n")[2] or self._tail)
        return [line for line in kept.decode(errors="backslashreplace").splitlines() if line.strip()]

    def text(self) -> str:
        """What was kept, with a line that says how much is missing in between."""
        left_out = self.total - len(self._head) - len(self._tail)
        gap = f"\n... {left_out} bytes left out ...\n".encode() if left_out else b""
        return bytes(self._head + gap + self._tail).decode(errors="backslashreplace")


def _is_trace(line: str, has_calls: bool) -> bool:
    return _TRACE.match(line) is not None or (has_calls and _CALL.match(line) is not None)
