"""Lines typed by a person, or piped in, while bots are at work."""

import os
import sys

import trio


class InputLines:
    """Standard input line by line. Nothing is read ahead of what is asked for but what comes with it."""

    def __init__(self) -> None:
        self._descriptor = sys.stdin.fileno()
        self._begun = b""
        self._lines: list[str] = []
        self._has_ended = False
        self.is_typed = sys.stdin.isatty()

    async def next(self) -> str | None:
        """The next line without its end; None when there are no more."""
        while not self._lines and not self._has_ended:
            await self._wait()
            data = os.read(self._descriptor, 4096)
            self._has_ended = not data
            *complete, self._begun = (self._begun + data).split(b"\n")
            if self._has_ended and self._begun:
                complete, self._begun = [self._begun], b""
            self._lines += [line.decode(errors="replace").rstrip("\r") for line in complete]
        return self._lines.pop(0) if self._lines else None

    async def _wait(self) -> None:
        try:
            await trio.lowlevel.wait_readable(self._descriptor)
        except PermissionError:
            # A file is not waited for.
            await trio.lowlevel.checkpoint()
