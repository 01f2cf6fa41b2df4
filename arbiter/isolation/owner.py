"""Which arbiter a process or a directory belongs to, and whether that arbiter still lives.

A process number alone may be given to somebody else later; together with the time at which the
process began it is unique.
"""

import itertools
import os
from functools import cache
from pathlib import Path

_numbers = itertools.count(1)


def new_marker() -> str:
    """A name for one program started by this arbiter: ``PID.BEGIN.NUMBER``."""
    return f"{os.getpid()}.{began(os.getpid())}.{next(_numbers)}"


def is_orphaned(marker: str) -> bool:
    """Whether the arbiter that made this marker is gone; what is no marker is nobody's orphan."""
    parts = marker.split(".")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return False
    pid, begin = int(parts[0]), int(parts[1])
    return began(pid) != begin if _has_proc() else not _exists(pid)


def began(pid: int) -> int:
    """When a process began, in clock ticks since the machine started; 0 if there is none, or no /proc."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
        # The command's name is in parentheses and may hold anything, so count from the last one.
        fields = stat.rpartition(b")")[2].split()
        return 0 if fields[0] in (b"Z", b"X") else int(fields[19])
    except (OSError, IndexError, ValueError):
        return 0


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@cache
def _has_proc() -> bool:
    return Path("/proc/self/stat").exists()
