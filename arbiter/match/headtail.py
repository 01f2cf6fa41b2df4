"""Keeping the beginning and the end of a stream that may be endless."""


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

    def lines(self, newest: int | None = None) -> list[str]:
        """The lines kept that say something, without the pieces beside the gap.

        ``newest`` asks for those in so many bytes at the end.
        """
        kept = self._head + self._tail
        if self.total > len(kept):
            kept = self._head.rpartition(b"\n")[0] + b"\n" + (self._tail.partition(b"\n")[2] or self._tail)
        if newest is not None:
            kept = kept[max(len(kept) - newest, 0) :]
        return [line for line in kept.decode(errors="backslashreplace").splitlines() if line.strip()]

    def text(self) -> str:
        """What was kept, with a line that says how much is missing in between."""
        left_out = self.total - len(self._head) - len(self._tail)
        gap = f"\n... {left_out} bytes left out ...\n".encode() if left_out else b""
        return bytes(self._head + gap + self._tail).decode(errors="backslashreplace")
