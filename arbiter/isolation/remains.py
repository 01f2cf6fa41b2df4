"""What runs that were killed left behind: processes, scratch directories, control groups.

Only what bears the marker of an arbiter that is gone, or came from that; never anything of a
living one.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arbiter.isolation import cgroup, proc, scratch
from arbiter.isolation.owner import is_orphaned
from arbiter.isolation.tree import MARKER

_PATIENCE = 5.0
_PAUSE = 0.01


@dataclass(frozen=True, slots=True)
class Remains:
    """What was found."""

    processes: list[int] = field(default_factory=list)
    directories: list[Path] = field(default_factory=list)
    groups: list[cgroup.Group] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.processes or self.directories)

    def __str__(self) -> str:
        counts = {
            "process": len(self.processes),
            "scratch directory": len(self.directories),
        }
        plural = {"process": "processes", "scratch directory": "scratch directories"}
        return ", ".join(f"{n} {name if n == 1 else plural[name]}" for name, n in counts.items() if n)


def find() -> Remains:
    """Look for what is left, and touch nothing."""
    groups = list(cgroup.left_behind())
    marked = set(_orphans())
    for group in groups:
        marked |= set(group.members())
    return Remains(sorted(_with_relatives(marked)), sorted(scratch.left_behind()), groups)


def clean() -> Remains:
    """Remove it; gives what was there."""
    first = remains = find()
    deadline = time.monotonic() + _PATIENCE
    while remains.processes and time.monotonic() < deadline:
        for group in remains.groups:
            group.kill()
        for pid in remains.processes:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE)
        remains = find()
    for group in first.groups:
        group.remove()
    for directory in first.directories:
        scratch.remove(directory)
    return first


def _orphans() -> Iterator[int]:
    """Processes whose environment names an arbiter that is gone."""
    prefix = f"{MARKER}=".encode()
    for pid in _all_processes():
        with contextlib.suppress(OSError):
            for entry in proc.environment(pid):
                if entry.startswith(prefix) and is_orphaned(entry[len(prefix) :].decode(errors="replace")):
                    yield pid


def _with_relatives(marked: set[int]) -> set[int]:
    """The marked ones, what is in their sessions, and all descendants; without the dead ones."""
    if not marked:
        return set()
    table = {pid: facts for pid in _all_processes() if (facts := _facts(pid)) is not None}
    own = os.getsid(0)
    sessions = {table[pid][1] for pid in marked if pid in table} - {own}
    found = {pid for pid, (_, session) in table.items() if pid in marked or session in sessions}
    while more := {pid for pid, (parent, _) in table.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def _facts(pid: int) -> tuple[int, int] | None:
    """Parent and session of a living process."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        fields = proc.stat(pid)
        if not proc.has_ended(fields):
            return int(fields[proc.PARENT]), int(fields[proc.SESSION])
    return None


def _all_processes() -> Iterator[int]:
    with contextlib.suppress(OSError):
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                yield int(entry.name)
