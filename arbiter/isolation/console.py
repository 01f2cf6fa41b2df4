"""Starting a bot in a debugger that talks with the user, while the bot talks through pipes.

Such a debugger reads its commands from the terminal. It would take the arbiter's lines for commands and its
own words would be taken for the bot's, so its standard streams stay those of the arbiter and only the bot's
are pipes. In a terminal it also has to be in the foreground, as a shell would start it, or it may not read
and Ctrl-C does not reach it.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_GDB = re.compile(r"(.*/)?(rust-|cuda-)?c?gdb(-\w+)?")
"""GNU's debugger and those that pass on its options; ``gdbserver`` needs no terminal."""


def wants_terminal(wrap: Sequence[str]) -> bool:
    """Whether a command is a debugger that is talked to."""
    return bool(wrap) and _GDB.fullmatch(wrap[0]) is not None


@dataclass(slots=True)
class Console:
    """The terminal, lent to a program; ``modes`` are those to give back."""

    descriptor: int
    modes: list[Any]

    @classmethod
    def lend(cls, group: int) -> "Console | None":
        """Put a group of processes in the foreground; None where there is no terminal to lend."""
        descriptor = sys.__stdin__.fileno() if sys.__stdin__ is not None else 0
        try:
            if os.tcgetpgrp(descriptor) != os.getpgrp():
                return None
            console = cls(descriptor, termios.tcgetattr(descriptor))
            console.set_foreground(group)
        except (OSError, termios.error):
            return None
        with suppress(ProcessLookupError):
            # It may have been stopped for reading a moment too early.
            os.killpg(group, signal.SIGCONT)
        return console

    def set_foreground(self, group: int) -> None:
        with _without_stopping():
            os.tcsetpgrp(self.descriptor, group)

    def take_back(self) -> None:
        """Return to the foreground, with the terminal in the modes that it had."""
        with suppress(OSError, termios.error):
            self.set_foreground(os.getpgrp())
            with _without_stopping():
                termios.tcsetattr(self.descriptor, termios.TCSADRAIN, self.modes)


def start_in_debugger(
    wrap: Sequence[str], argv: Sequence[str], directory: Path, env: Mapping[str, str]
) -> tuple["subprocess.Popen[bytes]", Console | None]:
    """Start a debugger for ``argv``; the process it returns has the bot's pipes as its streams.

    Raises:
        OSError: when it cannot be started.
        ValueError: when a word cannot be one of a command.
    """
    pipes = [os.pipe() for _ in range(3)]
    (bot_in, ours_in), (ours_out, bot_out), (ours_err, bot_err) = pipes
    try:
        process = subprocess.Popen(
            _command(wrap, argv, bot_in, bot_out, bot_err),
            cwd=directory,
            env=env,
            bufsize=0,
            stdout=None if sys.stdout.isatty() else 2,  # the table is for itself
            process_group=0,
            pass_fds=(bot_in, bot_out, bot_err),
        )
    except BaseException:
        for descriptor in (ours_in, ours_out, ours_err):
            os.close(descriptor)
        raise
    finally:
        for descriptor in (bot_in, bot_out, bot_err):
            os.close(descriptor)
    process.stdin = os.fdopen(ours_in, "wb", 0)
    process.stdout = os.fdopen(ours_out, "rb", 0)
    process.stderr = os.fdopen(ours_err, "rb", 0)
    return process, Console.lend(process.pid)


def _command(wrap: Sequence[str], argv: Sequence[str], *streams: int) -> list[str]:
    """The debugger's command: it lets a shell start the bot, which redirects its streams."""
    places = [f"/dev/fd/{number}" for number in streams]
    redirected = f"{shlex.join(argv[1:])} <{places[0]} >{places[1]} 2>{places[2]}"
    options = [*wrap[1:], *([] if "--args" in wrap or "-args" in wrap else ["--args"])]
    return [wrap[0], "-ex", f"set args {redirected}", *options, *argv]


@contextmanager
def _without_stopping() -> Iterator[None]:
    """Touch the terminal from the background without being stopped for it."""
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTTOU, before)
