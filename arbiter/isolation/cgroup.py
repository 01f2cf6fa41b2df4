"""A control group (version 2) for each program, where the system lets this user make some.

Being a member is inherited and cannot be shaken off from inside, so a group knows its program's
whole tree, kills it at one stroke and can freeze it. Whether it can also bound memory and the
number of processes depends on the controllers that were handed down. Where none were, no groups
are made: joining one takes the kernel some ten milliseconds, and the tree is found without.
Nothing is ever changed above the groups made here, and no process that is not ours is moved.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arbiter.isolation import proc
from arbiter.isolation.owner import is_orphaned

_PREFIX = "dvonn-arbiter-"
_CONTROLLERS = frozenset(("memory", "pids"))
_REMOVAL = 0.5


@dataclass(frozen=True, slots=True)
class Place:
    """A group in which groups can be made, and the controllers these will have."""

    path: Path
    controllers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Group:
    """The group of one program."""

    path: Path
    controllers: frozenset[str]

    def limit(self, memory: int | None, processes: int | None) -> None:
        """Set what the controllers can bound; memory includes the page cache and no swap."""
        if memory is not None and "memory" in self.controllers:
            self._write("memory.max", str(memory))
            for name, value in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
                with contextlib.suppress(OSError):
                    self._write(name, value)
        if processes is not None and "pids" in self.controllers:
            self._write("pids.max", str(processes))

    def add(self, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._write("cgroup.procs", str(pid))

    def door(self) -> int:
        """A descriptor; a process that writes ``0`` to it joins, wherever it is."""
        return os.open(self.path / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)

    def members(self) -> list[int]:
        """The processes in the group; empty when the group is gone."""
        try:
            return [int(pid) for pid in proc.whole(os.fspath(self.path / "cgroup.procs")).split()]
        except (OSError, ValueError):
            return []

    def kill(self) -> None:
        """Kill all members at once; harmless where the kernel is too old for that (before 5.14)."""
        with contextlib.suppress(OSError):
            self._write("cgroup.kill", "1")

    def freeze(self, frozen: bool) -> bool:
        """Stop or continue all members; whether the kernel took the order."""
        try:
            self._write("cgroup.freeze", "1" if frozen else "0")
        except OSError:
            return False
        return True

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed a member for going past ``memory.max``."""
        return "memory" in self.controllers and self._has_counted("memory.events", "oom_kill")

    def ran_out_of_processes(self) -> bool:
        """Whether the kernel refused a member a process for going past ``pids.max``."""
        return "pids" in self.controllers and self._has_counted("pids.events", "max")

    def _has_counted(self, file: str, event: str) -> bool:
        with contextlib.suppress(OSError):
            for line in proc.whole(os.fspath(self.path / file)).decode().splitlines():
                name, count = line.split()
                if name == event and count != "0":
                    return True
        return False

    def remove(self) -> None:
        """Take the group away; its last members may need a moment to vanish."""
        deadline = time.monotonic() + _REMOVAL
        while True:
            try:
                self.path.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                if time.monotonic() > deadline:
                    return
                time.sleep(0.001)
            else:
                return

    def _write(self, name: str, text: str) -> None:
        descriptor = os.open(self.path / name, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def make(place: Place, marker: str) -> Group | None:
    """A group for one program; None when it cannot be made after all."""
    path = place.path / f"{_PREFIX}{marker}"
    try:
        path.mkdir()
    except OSError:
        return None
    return Group(path, place.controllers)


@cache
def find_place() -> Place | None:
    """Where this process may make groups; None where it may not."""
    try:
        mounts = proc.whole("/proc/self/mountinfo").decode(errors="surrogateescape")
        own = proc.whole("/proc/self/cgroup").decode(errors="surrogateescape")
    except OSError:
        return None
    return choose_place(mounts, own)


def choose_place(mounts: str, own: str) -> Place | None:
    """The group nearest to ours with the most controllers, out of ours and those above it; None without any.

    ``mounts`` and ``own`` are the texts of ``/proc/self/mountinfo`` and ``/proc/self/cgroup``.
    """
    mount = next((line.split()[4] for line in mounts.splitlines() if " - cgroup2 " in line), None)
    group = next((line[3:] for line in own.splitlines() if line.startswith("0::")), None)
    if mount is None or group is None:
        return None
    here = Path(mount) / group.lstrip("/")
    places = [place for path in _upwards(here, Path(mount)) if (place := _look(path)) is not None]
    return max(places, key=lambda place: len(place.controllers), default=None)


def _upwards(path: Path, top: Path) -> Iterator[Path]:
    yield path
    while path != top and path.is_relative_to(top):
        path = path.parent
        yield path


def _look(path: Path) -> Place | None:
    """Groups beneath ``path`` can be used if we may make them and move our processes into them."""
    if not (os.access(path, os.W_OK | os.X_OK) and os.access(path / "cgroup.procs", os.W_OK)):
        return None
    try:
        handed_down = proc.whole(os.fspath(path / "cgroup.subtree_control")).decode().split()
    except OSError:
        return None
    controllers = _CONTROLLERS & frozenset(handed_down)
    return Place(path, controllers) if controllers else None


def left_behind() -> Iterator[Group]:
    """Groups of arbiters that are gone."""
    place = find_place()
    if place is None:
        return
    with contextlib.suppress(OSError):
        for path in place.path.glob(f"{_PREFIX}*"):
            if is_orphaned(path.name.removeprefix(_PREFIX)):
                yield Group(path, place.controllers)
