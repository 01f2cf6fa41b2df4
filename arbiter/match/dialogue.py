"""What crosses the pipes of a game, for whoever wants to listen in."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from protocol.rules import Side


class Voice(StrEnum):
    """Who is heard; the sign stands before a line in transcripts, logs and traces."""

    TO_BOT = ">"
    FROM_BOT = "<"
    STDERR = "!"
    NOTE = "#"
    """The arbiter speaking to people: of a line it ignored, of an option that was never offered."""


class Said(NamedTuple):
    """A piece of what was said at one seat, as it was written or read; a line may come in several pieces.

    ``stamp`` is monotonic ns, taken next to the system call.
    """

    side: Side
    voice: Voice
    stamp: int
    data: bytes


Ear = Callable[[Said], None]
"""Called by the tasks that write and read while clocks run: it must take the piece down and do no more."""
