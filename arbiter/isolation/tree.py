"""Finding and killing everything a program started, however it tried to get away.

A program and its children form a tree under one root process. Members leave the tree when their
parent ends: the kernel then hands them to the nearest subreaper, which the arbiter becomes (a
confined root is one itself, so that its orphans stay with it while it lives). Orphans are
recognised by their session (every program starts in its own), by the marker that the arbiter put
into their environment, by having been seen in the tree before, or by their control group.

What bears none of these signs is a stray: some program's orphan that hid well. It is killed when
every program that was alive at its first sight has been torn down, for then it can be nobody
else's. Processes of the arbiter's own session are never strays.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import trio

from arbiter.isolation import proc
from arbiter.isolation.cgroup import Group

MARKER = "DVONN_ARBITER_PROGRAM"
"""Environment variable that names the tree a process belongs to."""

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 500
_PAUSE = 0.002
_SIGNAL_ROUNDS = 5
_FRESH = 0.05
"""Seconds for which one look at the arbiter's children serves all trees."""


@dataclass(slots=True)
class _Tree:
    """A program that has not been torn down yet; ``seen`` are members found earlier."""

    marker: str
    group: Group | None
    began: int
    is_waited_for: bool = False
    seen: set[tuple[int, int]] = field(default_factory=set)


_trees: dict[int, _Tree] = {}
"""By root process."""
_strays: dict[tuple[int, int], set[str]] = {}
"""Which trees each may belong to, by process and beginning; an empty set: it was here before all of them."""


def become_subreaper() -> bool:
    """Let orphans of bots come to this process instead of to init; False where the system cannot."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def adopt(root: int, marker: str, group: Group | None = None) -> None:
    """Note that ``root`` was started and will be waited for by its starter."""
    proc.keep_descriptor()
    try:
        began = _read_stat(root).began
    except OSError:
        began = 0
    _trees[root] = _Tree(marker, group, began)


def release(root: int) -> None:
    """Note that ``root`` has been waited for: what it has left belongs to the arbiter only now."""
    if root in _trees:
        _trees[root].is_waited_for = True
    _orphans.look_again()


def kill_everything_once() -> None:
    """Kill all that can be found of all trees, without waiting: for the arbiter's own hurried end."""
    for root in list(_trees):
        kill_once(root)


async def kill_tree(root: int) -> None:
    """Kill every member of the tree of ``root`` and wait until none is left; it is forgotten then.

    Repeats, since a member may start another between being found and being killed, and since the
    kernel's lists may skip somebody while others end: it is over when twice nobody was found. Not
    cancellable: a tree half killed would outlive its owner.
    """
    quiet = 0
    with trio.CancelScope(shield=True):
        for _ in range(_ROUNDS):
            quiet = 0 if kill_once(root) else quiet + 1
            if quiet == 2:
                break
            await trio.sleep(_PAUSE)


def forget(root: int) -> None:
    """The tree is gone; strays that could only be its own are now nobody's and go with the next tree."""
    tree = _trees.pop(root, None)
    if tree is not None:
        for owners in _strays.values():
            if len(owners) > 1:
                owners.discard(tree.marker)


def kill_once(root: int) -> int:
    """Send SIGKILL to all members alive now, collect dead orphans; the number that was alive."""
    tree = _trees.get(root)
    alive = 0
    # All are found before the first is killed: with its parent an orphan loses what tells whose it is.
    found = list(_members(root, with_strays=True))
    if tree is not None:
        tree.seen |= {(process.pid, process.began) for process in found}
    if tree is not None and tree.group is not None:
        tree.group.kill()
    if tree is not None and not tree.is_waited_for and all(process.pid != root for process in found):
        alive += _kill_unseen(root)
    for process in found:
        if process.is_zombie:
            _reap(process)
            continue
        alive += 1
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, signal.SIGKILL)
    return alive


def _kill_unseen(root: int) -> bool:
    """Kill a root that was not waited for, and its group, where nothing can be read; whether it was alive."""
    try:
        lives = os.waitid(os.P_PID, root, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(root, signal.SIGKILL)
    return lives


def members(root: int) -> list[int]:
    """The living processes of a tree, without strays. To be called now and then, for it remembers them."""
    tree = _trees.get(root)
    if not _has_children_files():
        found = [process for process in _members(root, with_strays=False) if not process.is_zombie]
    else:
        found = [process for process in _known_members(root) if not process.is_zombie]
    if tree is not None:
        tree.seen = {(process.pid, process.began) for process in found}
    return [process.pid for process in found]


def known(root: int) -> list[int]:
    """The members that were found at the last look; some of them may be gone."""
    tree = _trees.get(root)
    return [pid for pid, _ in tree.seen] if tree is not None else []


def signal_all(root: int, number: int) -> None:
    """Send a signal to all members, those included that were started while it was being sent."""
    reached: set[int] = set()
    for _ in range(_SIGNAL_ROUNDS):
        fresh = {p.pid for p in _members(root, with_strays=False) if not p.is_zombie} - reached
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
    began: int


def _known_members(root: int) -> Iterator[_Process]:
    """The members as a look shows that all trees share: to look at every child of the arbiter for every tree
    would cost the square of their number.
    """
    tree = _trees.get(root) or _Tree("", None, 0, is_waited_for=True)
    yield from _with_descendants(
        root, tree, [orphan for orphan in _orphans.look() if _belongs(orphan, root, tree, False)]
    )


class _Orphans:
    """The children of the arbiter that are no roots of trees, as they were a moment ago."""

    def __init__(self) -> None:
        self._found: list[_Process] = []
        self._looked_at = -_FRESH

    def look_again(self) -> None:
        """What was seen so far is out of date."""
        self._looked_at = -_FRESH

    def look(self) -> list[_Process]:
        now = time.monotonic()
        if now - self._looked_at >= _FRESH:
            self._looked_at, self._found = now, []
            for pid in proc.children(os.getpid()):
                if pid not in _trees:
                    with contextlib.suppress(OSError):
                        self._found.append(_read_stat(pid))
            _forget_strays_except(self._found)
        return self._found


_orphans = _Orphans()


def _members(root: int, *, with_strays: bool) -> Iterator[_Process]:
    """The root, its orphans, and all their descendants; strays only where they can be nobody else's."""
    tree = _trees.get(root) or _Tree("", None, 0, is_waited_for=True)
    children_of = _children_from_proc if _has_children_files() else _children_from_table()
    group = set(tree.group.members()) if tree.group is not None else set()
    mine = children_of(os.getpid())
    _forget_strays_except(mine)
    found = [
        process for process in mine if process.pid in group or _belongs(process, root, tree, with_strays)
    ]
    yield from _with_descendants(root, tree, found, children_of, group)


def _with_descendants(
    root: int,
    tree: _Tree,
    found: list[_Process],
    children_of: Callable[[int], list[_Process]] | None = None,
    group: Collection[int] | None = None,
) -> Iterator[_Process]:
    """The root, those found, what is in the control group, and all their descendants."""
    children_of = children_of or _children_from_proc
    if group is None:
        group = tree.group.members() if tree.group is not None else ()
    if not tree.is_waited_for and all(process.pid != root for process in found):
        with contextlib.suppress(OSError):
            found.append(_read_stat(root))
    known: set[int] = set()
    while found:
        process = found.pop()
        if process.pid in known:
            continue
        known.add(process.pid)
        yield process
        found += children_of(process.pid)
    for pid in set(group) - known:
        with contextlib.suppress(OSError):
            yield _read_stat(pid)


def _belongs(process: _Process, root: int, tree: _Tree, with_strays: bool) -> bool:
    """Whether a child of the arbiter is the root of this tree or one of its orphans."""
    if process.pid == root or process.session == root:
        return True
    if process.pid in _trees:
        return False
    if process.is_zombie:
        # Nothing tells whose it was, but a dead child in a foreign session is some bot's orphan.
        return process.session != os.getsid(0)
    if (process.pid, process.began) in tree.seen:
        return True
    if (marker := _marker(process.pid)) is not None:
        return marker == tree.marker
    return _is_stray_of(process, tree) and with_strays  # looked at in any case: first sight counts


def _is_stray_of(process: _Process, tree: _Tree) -> bool:
    if process.session == os.getsid(0) or process.session in _trees:
        return False
    identity = (process.pid, process.began)
    if any(identity in other.seen for other in _trees.values()):
        return False
    owners = _strays.setdefault(
        identity, {each.marker for each in _trees.values() if each.began <= process.began}
    )
    # A single owner that is gone already left it to whoever comes first.
    alive = {each.marker for each in _trees.values()}
    return bool(owners) and owners & alive <= {tree.marker}


def _forget_strays_except(children: list[_Process]) -> None:
    if _strays:
        here = {(process.pid, process.began) for process in children}
        for identity in _strays.keys() - here:
            del _strays[identity]


def _marker(pid: int) -> str | None:
    with contextlib.suppress(OSError):
        for entry in proc.environment(pid):
            if entry.startswith(f"{MARKER}=".encode()):
                return entry.partition(b"=")[2].decode(errors="replace")
    return None


def _reap(process: _Process) -> None:
    tree = _trees.get(process.pid)
    if process.parent == os.getpid() and (tree is None or tree.is_waited_for):
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process.pid, os.WNOHANG)


def is_cheap_to_look_at() -> bool:
    """Whether the kernel itself lists children; else another program has to be asked each time."""
    return _has_children_files()


@cache
def _has_children_files() -> bool:
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def _children_from_proc(pid: int) -> list[_Process]:
    """Read from the kernel's own lists: its cost does not grow with the machine's other processes."""
    found = []
    for child in proc.children(pid):
        with contextlib.suppress(OSError):
            found.append(_read_stat(child))
    return found


def _read_stat(pid: int) -> _Process:
    fields = proc.stat(pid)
    return _Process(
        pid,
        int(fields[proc.PARENT]),
        int(fields[proc.SESSION]),
        proc.has_ended(fields),
        int(fields[proc.BEGAN]),
    )


def _children_from_table() -> Callable[[int], list[_Process]]:
    """One listing by ``ps``, where the kernel keeps no such lists (macOS, some containers)."""
    listing = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,state="], capture_output=True, text=True, check=False
    ).stdout
    table: dict[int, list[_Process]] = {}
    for line in listing.splitlines():
        pid, parent, state = line.split()[:3]
        with contextlib.suppress(OSError, ValueError):
            process = _Process(int(pid), int(parent), os.getsid(int(pid)), state.startswith("Z"), 0)
            table.setdefault(process.parent, []).append(process)
    return lambda pid: table.get(pid, [])
