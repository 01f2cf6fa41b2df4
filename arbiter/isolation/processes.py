"""Processes and their children, as the kernel or ``ps`` lists them."""

import contextlib
import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arbiter.isolation import proc


class Process(NamedTuple):
    """A process, alive or not yet waited for."""

    pid: int
    parent: int
    session: int
    is_zombie: bool
    began: int


def read(pid: int) -> Process:
    """What the kernel shows of a process. Raises OSError when it is gone."""
    fields = proc.stat(pid)
    return Process(
        pid,
        int(fields[proc.PARENT]),
        int(fields[proc.SESSION]),
        proc.has_ended(fields),
        int(fields[proc.BEGAN]),
    )


@cache
def has_children_files() -> bool:
    """Whether the kernel itself lists children; else another program has to be asked each time."""
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def children_of() -> Callable[[int], list[Process]]:
    """What lists the children of a process, as they are now."""
    return children if has_children_files() else _children_from_table()


def children(pid: int) -> list[Process]:
    """Read from the kernel's own lists: its cost does not grow with the machine's other processes."""
    found = []
    for child in proc.children(pid):
        with contextlib.suppress(OSError):
            found.append(read(child))
    return found


def _children_from_table() -> Callable[[int], list[Process]]:
    """One listing by ``ps``, where the kernel keeps no such lists (macOS, some containers)."""
    listing = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,state="], capture_output=True, text=True, check=False
    ).stdout
    table: dict[int, list[Process]] = {}
    for line in listing.splitlines():
        pid, parent, state = line.split()[:3]
        with contextlib.suppress(OSError, ValueError):
            process = Process(int(pid), int(parent), os.getsid(int(pid)), state.startswith("Z"), 0)
            table.setdefault(process.parent, []).append(process)
    return lambda pid: table.get(pid, [])
