"""Finding and killing everything a program started, however it tried to get away.

A program and its children form a tree under one root process. Members leave the tree when their
parent ends: the kernel then hands them to the nearest subreaper, which the arbiter becomes (a
confined root is one itself, so that its orphans stay with it while it lives). Orphans are
recognised by their session (every program starts in its own), by the mark that the arbiter put
on their limits (see `mark`), by having been seen in the tree before, by the marker in their
environment, or by their control group.

What bears none of these signs is a stray: some program's orphan that hid well. It is killed when
every program that was alive at its first sight has been torn down, for then it can be nobody
else's. Processes of the arbiter's own session are never strays.
"""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

import trio

from arbiter.isolation import mark, proc, processes
from arbiter.isolation.cgroup import Group
from arbiter.isolation.orphans import Orphaned, Orphans
from arbiter.isolation.processes import Process
from arbiter.isolation.resources import reraise_lack

MARKER = "DVONN_ARBITER_PROGRAM"
"""Environment variable that names the tree a process belongs to."""

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 500
_PAUSE = 0.002
_SIGNAL_ROUNDS = 5
_ELSEWHERE = 0
"""Stands for the root of an orphan that belongs to a tree of somebody else, such as another arbiter."""


@dataclass(slots=True)
class _Tree:
    """A program that has not been torn down yet; ``limits`` are its mark, ``seen`` members found earlier."""

    marker: str
    began: int
    limits: mark.Mark | None = None
    group: Group | None = None
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
    """Note that ``root`` was started and will be waited for by its starter.

    To be called right after it was started, and ``mark.prepare`` right before.
    """
    limits = mark.complete(root)
    proc.keep_descriptor()
    try:
        began = processes.read(root).began
    except OSError:
        began = 0
    _trees[root] = _Tree(marker, began, limits, group)
    _orphans.open()


def hold(root: int, group: Group | None) -> None:
    """Note the control group that a root has been put into since."""
    _trees[root].group = group


def release(root: int) -> None:
    """Note that ``root`` has been waited for: what it has left belongs to the arbiter only now."""
    if root in _trees:
        _trees[root].is_waited_for = True


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
        _orphans.disown(root)
    if not _trees:
        _orphans.close()


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
    look = _known_members if processes.has_children_files() else _members
    found = [process for process in look(root) if not process.is_zombie]
    if root in _trees:
        _trees[root].seen = {(process.pid, process.began) for process in found}
    return [process.pid for process in found]


def orphans(root: int) -> Orphaned:
    """What came to the arbiter of a tree; cheap to ask where nothing did."""
    return _orphans.of(root) if processes.has_children_files() else Orphaned()


def signal_all(root: int, number: int) -> None:
    """Send a signal to all members, those included that were started while it was being sent."""
    reached: set[int] = set()
    for _ in range(_SIGNAL_ROUNDS):
        fresh = {p.pid for p in _members(root) if not p.is_zombie} - reached
        if not fresh:
            return
        for pid in fresh:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        reached |= fresh


def _known_members(root: int) -> Iterator[Process]:
    """The members as the look shows that all trees share: to look at every child of the arbiter for every
    tree would cost the square of their number.
    """
    found = []
    for pid in _orphans.of(root).living:
        with contextlib.suppress(OSError):
            found.append(processes.read(pid))
    _forget_strays_except(_orphans.here())
    yield from _with_descendants(root, _tree_of(root), found)


def _members(root: int, *, with_strays: bool = False) -> Iterator[Process]:
    """The root, its orphans, and all their descendants; strays only where they can be nobody else's."""
    tree = _tree_of(root)
    children_of = processes.children_of()
    group = set(tree.group.members()) if tree.group is not None else set()
    mine = children_of(os.getpid())
    _forget_strays_except({process.pid for process in mine})
    found = [
        process for process in mine if process.pid in group or _belongs(process, root, tree, with_strays)
    ]
    yield from _with_descendants(root, tree, found, children_of, group)


def _tree_of(root: int) -> _Tree:
    return _trees.get(root) or _Tree("", 0, is_waited_for=True)


def _with_descendants(
    root: int,
    tree: _Tree,
    found: list[Process],
    children_of: Callable[[int], list[Process]] = processes.children,
    group: Collection[int] | None = None,
) -> Iterator[Process]:
    """The root, those found, what is in the control group, and all their descendants."""
    if group is None:
        group = tree.group.members() if tree.group is not None else ()
    if not tree.is_waited_for and all(process.pid != root for process in found):
        with contextlib.suppress(OSError):
            found.append(processes.read(root))
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
            yield processes.read(pid)


def _belongs(process: Process, root: int, tree: _Tree, with_strays: bool) -> bool:
    """Whether a child of the arbiter is the root of this tree or one of its orphans."""
    if process.pid == root:
        return True
    if process.pid in _trees:
        return False
    owner = _owner(process)
    if owner is not None:
        return owner == root
    if process.is_zombie:
        # Nothing tells whose it was, but a dead child in a foreign session is some bot's orphan.
        return process.session != os.getsid(0)
    return _is_stray_of(process, tree) and with_strays  # looked at in any case: first sight counts


def _owner(process: Process) -> int | None:
    """The root of the tree that an orphan shows to be from; None when it shows nothing."""
    if process.session in _trees:
        return process.session
    if (owner := _orphans.owner(process.pid)) is not None or (owner := _marked(process.pid)) is not None:
        return owner
    identity = (process.pid, process.began)
    if (owner := next((root for root, tree in _trees.items() if identity in tree.seen), None)) is not None:
        return owner
    if process.is_zombie or (marker := _marker(process.pid)) is None:
        return None
    return next((root for root, tree in _trees.items() if tree.marker == marker), _ELSEWHERE)


def _marked(pid: int) -> int | None:
    """The root of the tree whose mark an orphan bears, unless it is too old for that."""
    if (limits := mark.of(pid)) is None:
        return None
    for root, tree in _trees.items():
        if tree.limits is not None and tree.limits.is_borne_by(limits):
            return root if _is_younger(pid, root, tree) and _is_of_a_bot(pid) else None
    return None


def _is_younger(pid: int, root: int, tree: _Tree) -> bool:
    """Whether a process was started after a root; numbers rise but for a new beginning now and then."""
    try:
        return pid > root or processes.read(pid).began > tree.began
    except OSError:
        return False


def _is_of_a_bot(pid: int) -> bool:
    """Whether a process is in a foreign session; what else the arbiter starts stays in its own."""
    try:
        return os.getsid(pid) != os.getsid(0)
    except OSError:
        return False


def _owner_of_new(pid: int) -> int | None:
    """The root of the tree that an orphan seen for the first time belongs to; notes what shows nothing."""
    if (owner := _marked(pid)) is not None:
        return owner
    try:
        process = processes.read(pid)
    except OSError as error:
        reraise_lack(error)
        return None
    owner = _owner(process)
    if owner is None and not process.is_zombie:
        _note_stray(process)
    return owner


_orphans = Orphans(lambda pid: pid in _trees and not _trees[pid].is_waited_for, _owner_of_new)


def _is_stray_of(process: Process, tree: _Tree) -> bool:
    owners = _note_stray(process)
    # A single owner that is gone already left it to whoever comes first.
    alive = {each.marker for each in _trees.values()}
    return bool(owners) and owners & alive <= {tree.marker}


def _note_stray(process: Process) -> set[str]:
    """The trees that a process without signs may belong to: those that were alive at its first sight."""
    if process.session == os.getsid(0):
        return set()
    candidates = {each.marker for each in _trees.values() if each.began <= process.began}
    return _strays.setdefault((process.pid, process.began), candidates)


def _forget_strays_except(pids: Collection[int]) -> None:
    for identity in [identity for identity in _strays if identity[0] not in pids]:
        del _strays[identity]


def _marker(pid: int) -> str | None:
    with contextlib.suppress(OSError):
        for entry in proc.environment(pid):
            if entry.startswith(f"{MARKER}=".encode()):
                return entry.partition(b"=")[2].decode(errors="replace")
    return None


def _reap(process: Process) -> None:
    tree = _trees.get(process.pid)
    if process.parent == os.getpid() and (tree is None or tree.is_waited_for):
        _orphans.collect(process.pid)


def is_cheap_to_look_at() -> bool:
    """Whether the kernel itself lists children; else another program has to be asked each time."""
    return processes.has_children_files()
