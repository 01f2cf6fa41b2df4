"""What a bot and the arbiter said to each other, kept in case somebody has to be shown."""

from collections import deque

from arbiter.match.dialogue import Voice

_LONGEST = 2_000
"""Bytes of one piece that are kept; a flood comes in larger pieces, all alike."""


class Transcript:
    """The first and the last pieces of a conversation, with their times; memory stays flat.

    Kept as bytes and only turned into text when it is asked for, since nearly every game ends well.
    """

    def __init__(self, begin: int, head: int = 400, tail: int = 400) -> None:
        """``begin`` is when the program was started (monotonic ns); times are told from there."""
        self._begin = begin
        self._head_limit = head
        self._head: list[tuple[int, str, bytes]] = []
        self._tail: deque[tuple[int, str, bytes]] = deque(maxlen=tail)
        self._count = 0

    def sent(self, stamp: int, data: bytes) -> None:
        self._add(stamp, Voice.TO_BOT, data)

    def received(self, stamp: int, data: bytes) -> None:
        self._add(stamp, Voice.FROM_BOT, data)

    def _add(self, stamp: int, direction: str, data: bytes) -> None:
        self._count += 1
        entry = (stamp, direction, data[:_LONGEST])
        if len(self._head) < self._head_limit:
            self._head.append(entry)
        else:
            self._tail.append(entry)

    def text(self) -> str:
        """A line for each line said: seconds to the µs, ``>`` to the bot or ``<`` from it, the words."""
        missing = self._count - len(self._head) - len(self._tail)
        gap = [f"... {missing} pieces left out ..."] if missing else []
        lines = [*self._lines(self._head), *gap, *self._lines(self._tail)]
        return "\n".join(lines) + "\n" if lines else ""

    def _lines(self, entries: "list[tuple[int, str, bytes]] | deque[tuple[int, str, bytes]]") -> list[str]:
        lines = []
        for stamp, direction, data in entries:
            seconds = f"{(stamp - self._begin) / 1e9:12.6f}"
            for line in data.decode(errors="backslashreplace").splitlines() or [""]:
                shown = "".join(char if char.isprintable() else repr(char)[1:-1] for char in line)
                lines.append(f"{seconds} {direction} {shown}")
        return lines
