"""Bytes to lines, with limits: whatever a program writes, only a bounded part of it is kept."""

from typing import Literal, NamedTuple

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"


class Overflow(NamedTuple):
    """A limit that was passed, as data; as text it says which."""

    kind: Literal["long-line", "many-lines", "many-bytes"]
    limit: int

    def __str__(self) -> str:
        if self.kind == "long-line":
            return f"a line of more than {self.limit:,} bytes"
        return f"more than {self.limit:,} {self.kind.removeprefix('many-')} in one turn"


class LineBuffer:
    r"""Cuts a byte stream into lines.

    ``max_line`` bounds one line, its end not counted; ``max_lines`` and ``max_bytes`` bound what
    may come between two calls of ``reset``. The same bytes give the same lines and the same
    overflow however they are cut into chunks.

    >>> lines = LineBuffer(max_line=10)
    >>> lines.feed(b"info dep"), lines.feed(b"th 1\r\nmo"), lines.unfinished
    ([], [], b'')
    >>> str(lines.overflow)
    'a line of more than 10 bytes'
    """

    def __init__(self, max_line: int = 65_536, max_lines: int = 10_000, max_bytes: int = 8 * 2**20) -> None:
        self._max_line = max_line
        self._max_lines = max_lines
        self._max_bytes = max_bytes
        self._tail = bytearray()
        self._lines = 0
        self._bytes = 0
        self._at_start = True
        self.bytes_total = 0
        """Bytes seen since the very beginning, those past a limit included."""
        self.overflow: Overflow | None = None
        """The limit that was passed; from then on nothing is returned or kept."""

    @property
    def unfinished(self) -> bytes:
        """The start of a line whose end has not come."""
        return bytes(self._tail)

    def reset(self) -> None:
        """Start a new counting period; the unfinished line stays. An overflow is never forgiven."""
        self._lines = 0
        self._bytes = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that ``data`` completes, without LF or CRLF; blank ones are counted and dropped."""
        self.bytes_total += len(data)
        if self.overflow is not None:
            return []
        room = self._max_bytes - self._bytes
        self._bytes += len(data)
        lines = self._split(data if len(data) <= room else data[:room])
        if len(data) > room and self.overflow is None:
            self._overflow(Overflow("many-bytes", self._max_bytes))
        return lines

    def _split(self, data: bytes) -> list[bytes]:
        pieces = data.split(b"\n")
        tail = pieces.pop()
        if self._tail and pieces:
            pieces[0] = bytes(self._tail) + pieces[0]
            self._tail.clear()
        lines: list[bytes] = []
        for line in pieces:
            self._lines += 1
            if len(line) > self._max_line and not self._fits(line):
                self._overflow_line()
                return lines
            if self._lines > self._max_lines:
                self._overflow(Overflow("many-lines", self._max_lines))
                return lines
            if self._at_start:
                self._at_start = False
                line = line.removeprefix(_BOM)
            if line.strip(_BLANK):
                lines.append(line.removesuffix(b"\r"))
        if tail:
            self._keep(tail)
        return lines

    def _keep(self, tail: bytes) -> None:
        self._tail += tail
        if len(self._tail) > self._max_line and not self._fits(self._tail):
            self._overflow_line()

    def _fits(self, line: bytes | bytearray) -> bool:
        """Whether a line above the limit is only so by a CR, which is or may become half of a line end."""
        return len(line) == self._max_line + 1 and line.endswith(b"\r")

    def _overflow_line(self) -> None:
        self._overflow(Overflow("long-line", self._max_line))

    def _overflow(self, limit: Overflow) -> None:
        self.overflow = limit
        self._tail.clear()
