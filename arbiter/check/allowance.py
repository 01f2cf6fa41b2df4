"""What a bot does without isolation that it may not do in a tournament that sets nothing else."""

from collections.abc import Iterator, Sequence

from arbiter.check.sitting import Sitting
from arbiter.isolation.launch import shown
from arbiter.isolation.sandbox import USUAL, Level, Sandbox


def is_wide(sandbox: Sandbox) -> bool:
    """Whether a bot may do more there than usual."""
    return sandbox.level is Level.NONE


def memory_denied(sandbox: Sandbox, sittings: Sequence[Sitting]) -> Iterator[str]:
    """The most memory that a bot held in these sittings, if it is too much."""
    greatest = max(sittings, key=lambda sitting: sitting.peak, default=None)
    if greatest is None or not is_wide(sandbox) or greatest.peak <= (USUAL.memory or 0):
        return
    yield (
        f"in {greatest.what} it held {shown(greatest.peak)} of memory: a tournament that sets no other "
        f"`memory` allows {shown(USUAL.memory)}, and past that the game is lost"
    )


def files_denied(sandbox: Sandbox, files: Sequence[str]) -> Iterator[str]:
    """Files in the directory of the bot that it may not write."""
    if files and is_wide(sandbox):
        yield (
            "if the bot wrote there, a tournament that sets no other `isolation` refuses it: write "
            "in the directory $TMPDIR, or not at all"
        )
