"""Finding and killing everything a program started, however it tried to get away.

A program and its children form a tree under one root process. Members leave the tree when their
parent ends: the kernel then hands them to the nearest subreaper, which the arbiter becomes. Such
orphans are recognised by their session (every program starts in its own) or by the marker that
the arbiter put into their environment.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import trio

MARKER = "DVONN_ARBITER_PROGRAM"
"""Environment variable that names the tree a process belongs to."""

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 500
_PAUSE = 0.002
_SIGNAL_ROUNDS = 5

_roots: dict[int, str] = {}
"""Programs started and not yet waited for, with their markers: each exit status belongs to its starter."""


def become_subreaper() -> bool:
    """Let orphans of bots come to this process instead of to init; False where the system cannot."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def adopt(root: int, marker: str) -> None:
    """Note that ``root`` was started and will be waited for by its starter."""
    _roots[root] = marker


def release(root: int) -> None:
    """Note that ``root`` has been waited for."""
    _roots.pop(root, None)


def kill_everything_once() -> None:
    """Kill all that can be found of all trees, without waiting: for the arbiter's own hurried end."""
    for root, marker in _roots.items():
        kill_once(root, marker)


async def kill_tree(root: int, marker: str) -> None:
    """Kill every member of the tree of ``root`` and wait until none is left.

    Repeats, since a member may start another between being found and being killed. Not
    cancellable: a tree half killed would outlive its owner.
    """
    with trio.CancelScope(shield=True):
        for _ in range(_ROUNDS):
            if not kill_once(root, marker):
                return
            await trio.sleep(_PAUSE)


def kill_once(root: int, marker: str) -> int:
    """Send SIGKILL to all members alive now, collect dead orphans; the number that was alive."""
    alive = 0
    for process in _members(root, marker):
        if process.is_zombie:
            _reap(process)
            continue
        alive += 1
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, signal.SIGKILL)
    return alive


def signal_all(root: int, marker: str, number: int) -> None:
    """Send a signal to all members, those included that were started while it was being sent."""
    reached: set[int] = set()
    for _ in range(_SIGNAL_ROUNDS):
        fresh = {p.pid for p in _members(root, marker) if not p.is_zombie} - reached
        if not fresh:
            return
        for pid in fresh:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        reached |= fresh


class _Process(NamedTuple):
    pid: int
    parent: int
    session: int
    is_zombie: bool


def _members(root: int, marker: str) -> Iterator[_Process]:
    """The root, its orphans, and all their descendants."""
    children_of = _children_from_proc if _has_children_files() else _children_from_table()
    found = [p for p in children_of(os.getpid()) if _belongs(p, root, marker)]
    while found:
        process = found.pop()
        yield process
        found += children_of(process.pid)


def _belongs(process: _Process, root: int, marker: str) -> bool:
    if root in (process.pid, process.session):
        return True
    if process.pid in _roots:
        return False
    if process.is_zombie:
        # Nothing tells whose it was, but a dead child in a foreign session is some bot's orphan.
        return process.session != os.getsid(0)
    with contextlib.suppress(OSError):
        return f"{MARKER}={marker}".encode() in Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
    return False


def _reap(process: _Process) -> None:
    if process.parent == os.getpid() and process.pid not in _roots:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process.pid, os.WNOHANG)


def _has_children_files() -> bool:
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def _children_from_proc(pid: int) -> list[_Process]:
    """Read from the kernel's own lists: its cost does not grow with the machine's other processes."""
    found = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                with contextlib.suppress(OSError, ValueError):
                    found.append(_read_stat(int(child)))
    return found


def _read_stat(pid: int) -> _Process:
    # The command's name is in parentheses and may hold anything, so count from the last one.
    stat = Path(f"/proc/{pid}/stat").read_bytes()
    state, parent, _group, session = stat.rpartition(b")")[2].split()[:4]
    return _Process(pid, int(parent), int(session), state in (b"Z", b"X"))


def _children_from_table() -> Callable[[int], list[_Process]]:
    """One listing by ``ps``, where the kernel keeps no such lists (macOS, some containers)."""
    listing = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,state="], capture_output=True, text=True, check=False
    ).stdout
    table: dict[int, list[_Process]] = {}
    for line in listing.splitlines():
        pid, parent, state = line.split()[:3]
        with contextlib.suppress(OSError, ValueError):
            process = _Process(int(pid), int(parent), os.getsid(int(pid)), state.startswith("Z"))
            table.setdefault(process.parent, []).append(process)
    return lambda pid: table.get(pid, [])
