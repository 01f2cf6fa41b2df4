"""What the place that is written to can show."""

import os
import sys
from typing import TextIO

from arbiter.cli.board import Look


def is_capable(stream: TextIO) -> bool:
    """Whether it is a terminal that can more than take lines."""
    return stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def has_colour(stream: TextIO) -> bool:
    """Whether it is a terminal with colours, and its user wants them (https://no-color.org)."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not is_plain


def terminal_look() -> Look:
    """What standard output can show."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    return Look(colour=has_colour(sys.stdout), unicode=encoding == "utf8")
