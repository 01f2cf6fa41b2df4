"""The terminal as a screen with keys, and back again whatever happens."""

import os
import re
import select
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_SCREEN, _NO_SCREEN = "\x1b[?1049h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?1049l"
"""The other screen of a terminal, without cursor, with long lines cut; and back."""
_CLEAR = "\x1b[H\x1b[2J"
_PIECES = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|.", re.DOTALL)
_NAMES = {
    "\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left",
    "\x1bOA": "up", "\x1bOB": "down", "\x1bOC": "right", "\x1bOD": "left",
    "\x1b[H": "home", "\x1b[F": "end", "\x1bOH": "home", "\x1bOF": "end",
    "\x1b[1~": "home", "\x1b[4~": "end", "\x1b[7~": "home", "\x1b[8~": "end",
    "\x1b[5~": "page up", "\x1b[6~": "page down",
    "\x1b": "escape", "\r": "enter", "\n": "enter", "\x7f": "backspace", "\b": "backspace", " ": "space",
}  # fmt: skip
"""What terminals send for keys (xterm's control sequences, and those of its relatives)."""


class Screen:
    """The whole terminal while ``opened``; ``draw`` says what is to be seen, also after its size changed."""

    def __init__(self, draw: Callable[[int, int], list[str]]) -> None:
        """``draw`` gets the numbers of rows and columns, and gives the lines."""
        self._draw = draw

    @contextmanager
    def opened(self) -> Iterator[Iterator[str]]:
        """Take the terminal and give it back as it was; inside there are the keys as they are pressed.

        A key is a name or a character; they end when the terminal is gone.
        """
        modes = termios.tcgetattr(sys.stdin)
        with _noted(signal.SIGWINCH, signal.SIGTSTP) as signals:
            try:
                self._take()
                yield self._keys(signals, modes)
            finally:
                self._give_back(modes)

    def refresh(self) -> None:
        """Draw anew, as much as there is room for."""
        size = os.get_terminal_size(sys.stdout.fileno())
        lines = self._draw(size.lines, size.columns)[: size.lines]
        sys.stdout.write(_CLEAR + "\r\n".join(lines))
        sys.stdout.flush()

    def _keys(self, signals: int, modes: list[Any]) -> Iterator[str]:
        while True:
            ready, _, _ = select.select([sys.stdin, signals], [], [])
            if signals in ready:
                self._mind(os.read(signals, 1024), modes)
                continue
            data = os.read(sys.stdin.fileno(), 1024)
            if not data:
                return
            for piece in _PIECES.findall(data.decode(errors="replace")):
                yield _NAMES.get(piece, piece)

    def _mind(self, numbers: bytes, modes: list[Any]) -> None:
        """Do what signals ask for: stop, or draw for another size."""
        if signal.SIGTSTP in numbers:
            self._give_back(modes)
            before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTSTP)  # returns when the shell lets us go on
            signal.signal(signal.SIGTSTP, before)
            self._take()
        elif signal.SIGWINCH in numbers:
            self.refresh()

    def _take(self) -> None:
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        sys.stdout.write(_SCREEN)
        self.refresh()

    def _give_back(self, modes: list[Any]) -> None:
        with suppress(OSError, termios.error):  # a terminal that is gone needs nothing any more
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)
            sys.stdout.write(_NO_SCREEN)
            sys.stdout.flush()


@contextmanager
def _noted(*numbers: signal.Signals) -> Iterator[int]:
    """Let these signals do nothing but write their numbers to a pipe, whose end to be read this gives.

    A handler of their own could come while something is being written to the terminal.
    """
    end, beginning = os.pipe()
    os.set_blocking(beginning, False)
    old_descriptor = signal.set_wakeup_fd(beginning, warn_on_full_buffer=False)
    old_handlers = {number: signal.signal(number, lambda *_: None) for number in numbers}
    try:
        yield end
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(old_descriptor)
        os.close(end)
        os.close(beginning)
