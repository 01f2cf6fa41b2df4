"""A mark by which a program's processes are known, whatever else they hide: their limits on two resources.

Limits are inherited, and readable also of the dead. The two are those of the resident set and of file locks,
which the kernel has not heeded for long (``man 2 getrlimit``), so nobody misses what is taken off them. A
hard limit can only be lowered, which to root alone does not apply.

The first limit is inherited from the arbiter, which lowers its own before each start, and once more after it:
a program that starts another one at once has passed it on already. The second is put on from outside. From
program to program the first falls and the second rises, so nobody can make his mark that of another program.
Whoever lowers a limit bears a mark that nobody knows. A process that was started before the second limit was
put on lacks that, and could take the place of one of a later program; but it is older than that.
"""

import os
import resource
import sys
from typing import NamedTuple

_FILE_LOCKS = 10
"""``RLIMIT_LOCKS``, for which Python has no name."""
_CEILING = 2**62
_ROOM = 2**40
"""By how much the limits are lowered at most."""


class Mark(NamedTuple):
    """The hard limits of a process on its resident set and its file locks."""

    resident: int
    locks: int

    def is_borne_by(self, other: "Mark") -> bool:
        """Whether a process with these limits bears this mark, maybe half of it."""
        return other.resident == self.resident and other.locks in (self.locks, _first.locks)


_first = Mark(0, 0)
"""Our own limits before the first start."""
_prepared = 0
"""The limit that the next program will inherit, if it was lowered for that."""


def prepare() -> None:
    """To be called right before a program is started."""
    global _first, _prepared
    own = of(os.getpid())
    if own is None or min(own) < _ROOM:
        return
    _first = _first if any(_first) else own
    _prepared = own.resident - 1
    resource.setrlimit(resource.RLIMIT_RSS, (_prepared, _prepared))


def complete(pid: int) -> Mark | None:
    """To be called right after it was started: its mark; None where there are none."""
    global _prepared
    if not _prepared:
        return None
    mark = Mark(_prepared, _first.locks - _ROOM + _first.resident - _prepared)
    _prepared = 0
    resource.setrlimit(resource.RLIMIT_RSS, (mark.resident - 1, mark.resident - 1))
    try:
        resource.prlimit(pid, _FILE_LOCKS, (mark.locks, mark.locks))
    except OSError:
        return mark._replace(locks=_first.locks)
    return mark


def of(pid: int) -> Mark | None:
    """The limits of a process; None when it is gone or not ours to look at."""
    if sys.platform != "linux":
        return None
    try:
        return Mark(_hard(pid, resource.RLIMIT_RSS), _hard(pid, _FILE_LOCKS))
    except OSError:
        return None


def _hard(pid: int, kind: int) -> int:
    limit = resource.prlimit(pid, kind)[1]
    return _CEILING if limit == resource.RLIM_INFINITY else min(limit, _CEILING)
