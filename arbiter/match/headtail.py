"""Keeping the beginning and the end of a stream that may be endless."""

from protocol.text import escaped


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
        """The last line that says something, short and fit to be shown; where a traceback names the error."""
        kept = bytes(self._tail or self._head).decode(errors="backslashreplace")
        lines = [line.strip() for line in kept.splitlines() if line.strip()]
        return escaped(lines[-1][:longest].replace("\t", " ")) if lines else ""

    def text(self) -> str:
        """What was kept, with a line that says how much is missing in between."""
        left_out = self.total - len(self._head) - len(self._tail)
        gap = f"\n... {left_out} bytes left out ...\n".encode() if left_out else b""
        return bytes(self._head + gap + self._tail).decode(errors="backslashreplace")
