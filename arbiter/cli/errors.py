"""What a subcommand raises when it cannot do what it was asked for, and exit statuses."""

INCOMPLETE = 3
"""Nothing was found to be wrong, but not all could be tried."""
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
