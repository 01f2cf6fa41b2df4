"""The orphans that came to the arbiter: whose they are, and what those used that have ended.

They become children of the arbiter's first thread, and the kernel lists these. A look compares the list with
that of the last look, and only what is new is looked at more closely: so much at a time, for a bot may start
them faster than anybody can look. Those that have ended are waited for, or they would pile up.
"""

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from arbiter.isolation import proc

_MOST = 128
"""New ones at a look, some ten microseconds each; the others are there at the next look."""
_PAGE = 4096
"""The kernel writes no more of the list at a time."""


class Orphaned(NamedTuple):
    """The orphans of a tree: those that live, and in ns the CPU time of those that have ended, with that of
    all that they had waited for. ``is_complete``: whether there are no others that nobody has looked at yet.
    """

    living: Sequence[int] = ()
    collected: int = 0
    is_complete: bool = True


class Orphans:
    """Children of this process that are no roots of trees.

    ``is_root`` tells what its starter waits for; ``owner_of`` tells the root of the tree that an orphan
    belongs to, which then holds for its life: None when nobody knows, 0 when it is none of ours.
    """

    def __init__(self, is_root: Callable[[int], bool], owner_of: Callable[[int], int | None]) -> None:
        self._is_root = is_root
        self._owner_of = owner_of
        self._owners: dict[int, int | None] = {}
        self._used: Counter[int] = Counter()
        self._listed = b""
        self._is_complete = True
        self._list = -1

    def open(self) -> None:
        """To be called when there is a tree; keeps the list open, if there is a descriptor for it."""
        if self._list < 0:
            with contextlib.suppress(OSError):
                self._list = os.open(_path(), os.O_RDONLY | os.O_CLOEXEC)

    def close(self) -> None:
        """Forget all; to be called when there is no tree any more."""
        if self._list >= 0:
            os.close(self._list)
        self._list, self._listed = -1, b""
        self._owners.clear()
        self._used.clear()

    def of(self, root: int) -> Orphaned:
        """Those of a tree."""
        self.look()
        found = [pid for pid, owner in self._owners.items() if owner == root] if self._owners else []
        living = [pid for pid in found if not self.collect(pid)]
        return Orphaned(living, self._used[root], self._is_complete)

    def owner(self, pid: int) -> int | None:
        """The root of the tree that an orphan belongs to, if that is known."""
        return self._owners.get(pid)

    def here(self) -> Collection[int]:
        """All of them."""
        return self._owners.keys()

    def disown(self, root: int) -> None:
        """Forget a tree."""
        self._used.pop(root, None)
        self._owners.update({pid: None for pid, owner in self._owners.items() if owner == root})

    def look(self) -> None:
        """See who has come and who is gone. Raises OSError when that cannot be seen."""
        listed = self._read_list()
        if listed == self._listed:
            return
        here = dict.fromkeys(pid for pid in map(int, listed.split()) if not self._is_root(pid))
        for pid in self._owners.keys() - here.keys():
            del self._owners[pid]
        new = [pid for pid in here if pid not in self._owners]
        for pid in new[:_MOST]:
            self._owners[pid] = self._owner_of(pid)
            if self._owners[pid]:
                self.collect(pid)
        self._is_complete = len(new) <= _MOST
        self._listed = listed if self._is_complete and here.keys() == self._owners.keys() else b""

    def _read_list(self) -> bytes:
        text = os.pread(self._list, _PAGE, 0) if self._list >= 0 else b""
        return text if 0 < len(text) < _PAGE // 2 else proc.whole(_path())

    def collect(self, pid: int) -> bool:
        """Wait for an orphan if it has ended, and note what it used; whether it has."""
        try:
            ended, _, usage = os.wait4(pid, os.WNOHANG)
        except ChildProcessError:
            self._owners.pop(pid, None)
            return True
        if not ended:
            return False
        self._listed = b""
        if (owner := self._owners.pop(pid, None)) is not None:
            self._used[owner] += round((usage.ru_utime + usage.ru_stime) * 1e9)
        return True


def _path() -> str:
    return f"/proc/self/task/{os.getpid()}/children"
