"""Text on its way to a stream whose reader may be slow, stalled or gone: writing never waits for it."""

import os
import select
import time
from collections import deque
from contextlib import suppress
from math import inf
from typing import TextIO

PROGRESS = 2**20
"""Characters that may wait for the reader; beyond them, lines that only show progress are dropped."""
RESULTS = 2**25
"""The same for lines that say how something ended: those of more than 100,000 games."""
_CHUNK = select.PIPE_BUF
"""Bytes that a pipe takes without blocking once it is ready, as POSIX promises."""
_PAUSE = 0.01


class Output:
    """Text for one stream, kept until its reader takes it. Used by one thread at a time.

    What a program writes with ``print`` would stop it when a pipe is full, and would be tried again when
    the interpreter exits. A file for ``rich``, too.
    """

    def __init__(self, stream: TextIO) -> None:
        stream.flush()
        self._stream = stream
        self.encoding = stream.encoding or "utf-8"
        self._is_terminal = stream.isatty()
        self._descriptor, self._is_own = _descriptor(stream)
        self._waiting: deque[str] = deque()
        self._size = 0
        self._dropped = 0
        self._next = bytearray()
        self._is_lost = False

    def isatty(self) -> bool:
        return self._is_terminal

    @property
    def is_waiting(self) -> bool:
        """Whether there is text that the reader did not take yet."""
        return bool(self._next or self._waiting or self._dropped)

    def write(self, text: str, most: float = inf) -> int:
        """Put a text behind those that wait, or drop it if ``most`` characters do so already.

        Once something was dropped, no progress is shown before the reader has caught up: single lines
        between the gaps would tell nothing.
        """
        if self._descriptor is None:
            return self._stream.write(text)
        if self._size >= most or (self._dropped and most <= PROGRESS):
            self._dropped += text.count("\n")
        elif not self._is_lost:
            self._waiting.append(text)
            self._size += len(text)
        return len(text)

    def flush(self) -> None:
        """Nothing: whoever writes does not wait."""

    def say(self, text: str) -> None:
        """Write a text behind all others, and wait until it is read."""
        self.drain(inf)
        self.write(text)
        self.drain(inf)

    def drain(self, patience: float = 0) -> None:
        """Hand over what the reader takes, and wait for it for so many seconds.

        Raises:
            OSError: when the stream cannot be written, as when its reader is gone. A terminal that went
                away is no error: nothing is written any more.
        """
        end = time.monotonic() + patience
        while self._prepare():
            if not self._hand_over(end) and time.monotonic() >= end:
                return

    def close(self) -> None:
        """Close what was opened for this output; the stream stays open."""
        if self._is_own and self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None

    def _prepare(self) -> bool:
        """Make the next bytes ready; whether there are any."""
        while self._waiting and len(self._next) < _CHUNK:
            text = self._waiting.popleft()
            self._size -= len(text)
            self._next += text.encode(self.encoding, self._stream.errors or "replace")
        if self._dropped and not self._next:
            self._next += f"{dropped_line(self._dropped)}\n".encode()
            self._dropped = 0
        return bool(self._next)

    def _hand_over(self, end: float) -> int:
        """Write a chunk when the stream takes one before ``end``; how many bytes were taken."""
        assert self._descriptor is not None
        left = max(0.0, end - time.monotonic())
        _, ready, _ = select.select([], [self._descriptor], [], None if left == inf else left)
        if not ready:
            return 0
        written = 0
        try:
            written = os.write(self._descriptor, self._next[:_CHUNK])
        except BlockingIOError:
            time.sleep(_PAUSE)  # a terminal with room for less than a line
        except OSError:
            if not self._is_terminal:
                raise
            self._lose()
        del self._next[:written]
        return written

    def _lose(self) -> None:
        self._is_lost = True
        self._waiting.clear()
        self._next.clear()
        self._size = self._dropped = 0


def dropped_line(count: int) -> str:
    """What stands in place of lines that were dropped."""
    return f"{count:,} line{'' if count == 1 else 's'} dropped, since the output was not read"


def _descriptor(stream: TextIO) -> tuple[int | None, bool]:
    """What to write to, and whether it was opened here; None for a stream that is only an object.

    A terminal is opened once more. Set to non-blocking, the descriptor it has would be so for all other
    programs in the terminal, too; and when it is ready it may still have room for less than a chunk.
    """
    try:
        descriptor = stream.fileno()
    except OSError:
        return None, False
    with suppress(OSError):
        terminal = os.ttyname(descriptor)
        return os.open(terminal, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY), True
    return descriptor, False
