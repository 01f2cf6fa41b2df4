"""What a subcommand raises when it cannot do what it was asked for, and exit statuses."""

from pathlib import Path

LACKING = 1
"""The machine lacked something: descriptors, processes, memory."""
INCOMPLETE = 3
"""Nothing was found to be wrong, but not all could be tried."""
FAULT = 70
"""A fault of the arbiter itself; EX_SOFTWARE of ``sysexits.h``."""
INTERRUPTED = 130
"""Stopped by a signal, as shells report it."""
PIPE_CLOSED = 141
"""Whoever read the output went away; 128 + SIGPIPE, as shells report it."""


class UsageError(Exception):
    """A wrong argument or file: exit status 2, one message with its place, and a hint at the remedy."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class FaultError(Exception):
    """A fault of the arbiter itself, which is the cause; ``directory`` is to keep what is known of it."""

    def __init__(self, directory: Path) -> None:
        super().__init__(str(directory))
        self.directory = directory
