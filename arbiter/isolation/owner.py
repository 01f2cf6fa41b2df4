"""Which arbiter a process or a directory belongs to, and whether that arbiter still lives.

A process number alone may be given to somebody else later; together with the time at which the
process began it is unique.
"""

import itertools
import os
from functools import cache
from pathlib import Path

from arbiter.isolation import proc

_numbers = itertools.count(1)


def new_marker() -> str:
    """A name for one program started by this arbiter: ``PID.BEGIN.SPACE.NUMBER``.

    Raises:
        OSError: when it cannot be told when this process began.
    """
    pid = os.getpid()
    return f"{pid}.{_began_here(pid)}.{_space()}.{next(_numbers)}"


def is_orphaned(marker: str) -> bool:
    """Whether the arbiter that made this marker is gone; what is no marker is nobody's orphan.

    An arbiter in another container counts as living: nothing of it can be seen from here.
    """
    parts = marker.split(".")
    if len(parts) != 4 or not all(part.isdigit() for part in parts) or int(parts[2]) != _space():
        return False
    pid, begin = int(parts[0]), int(parts[1])
    return began(pid) != begin if _has_proc() else not _exists(pid)


def began(pid: int) -> int:
    """When a process began, in clock ticks since the machine started; 0 if there is none, or no /proc."""
    try:
        fields = proc.stat(pid)
        return 0 if proc.has_ended(fields) else int(fields[proc.BEGAN])
    except (OSError, IndexError, ValueError):
        return 0


@cache
def _began_here(pid: int) -> int:
    """The same for this process, which a 0 would make look as if it were gone. Raises OSError."""
    return int(proc.stat(pid)[proc.BEGAN]) if _has_proc() else 0


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@cache
def _space() -> int:
    """The space in which our process numbers mean something; 0 where there is only one."""
    try:
        return Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        return 0


@cache
def _has_proc() -> bool:
    return Path("/proc/self/stat").exists()
