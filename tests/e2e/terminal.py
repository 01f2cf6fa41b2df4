"""A command in a terminal of its own, as a person has it in front of them."""

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.e2e.commands import environment

_TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\([A-Z]")


class Terminal:
    """Types and reads; what was written so far is ``text``, and ``shown`` is that without colours."""

    def __init__(
        self,
        directory: Path,
        *arguments: str,
        program: Sequence[str] = (sys.executable, "-m", "arbiter"),
        rows: int = 40,
        columns: int = 120,
        **variables: str,
    ) -> None:
        self._ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes_before = self.modes()
        variables = environment(directory) | {"TERM": "xterm-256color", "NO_COLOR": ""} | variables
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, *program, *arguments],
            cwd=directory,
            env=variables,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.text = ""
        self._read_to = 0

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)

    def modes(self) -> list[Any]:
        """What the terminal does with keys and lines."""
        return termios.tcgetattr(self._ours)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    @property
    def shown(self) -> str:
        return _ESCAPES.sub("", self.text).replace("\r\n", "\n")

    def read_until(self, wanted: str, timeout: float = 60) -> str:
        """Wait for a text after what was waited for before; gives what came up to it, without colours."""
        end = time.monotonic() + timeout
        while wanted not in self.shown[self._read_to :]:
            if not self._read(end - time.monotonic()):
                raise AssertionError(f"{wanted!r} never came; there is:\n{self.shown[self._read_to :]}")
        start, self._read_to = self._read_to, self.shown.index(wanted, self._read_to) + len(wanted)
        return self.shown[start : self._read_to]

    def finish(self, timeout: float = 60) -> int:
        """Read to the end; the exit status."""
        end = time.monotonic() + timeout
        while self._read(end - time.monotonic()):
            pass
        return self.process.wait(timeout)

    def interrupt(self, number: int = signal.SIGINT) -> None:
        os.kill(self.process.pid, number)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], max(0, seconds))
        data = b""
        if ready:
            with contextlib.suppress(OSError):  # nobody holds the other end any more
                data = os.read(self._ours, 65_536)
        self.text += data.decode(errors="replace")
        return bool(data)
