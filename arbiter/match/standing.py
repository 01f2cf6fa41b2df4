"""How soon a thread gets a core, compared with others."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from arbiter.isolation import proc


class Standing(NamedTuple):
    """What decides how soon a thread gets a core, compared with others."""

    policy: int
    nice: int
    cores: frozenset[int]
    session: int

    @classmethod
    def of(cls, thread: int) -> "Standing":
        """That of a thread. Raises OSError when it is gone."""
        nice = os.getpriority(os.PRIO_PROCESS, thread)
        cores = frozenset(os.sched_getaffinity(thread))
        return cls(os.sched_getscheduler(thread), nice, cores, _session_nice(thread))

    @classmethod
    def at_start(cls, cores: Sequence[int]) -> "Standing":
        """That of a program which the arbiter starts: its own, in a new session, maybe on certain cores."""
        own = cls.of(os.getpid())
        return own._replace(cores=frozenset(cores) or own.cores, session=0)


def _session_nice(thread: int) -> int:
    """The nice value of a session among others, where sessions share the cores (``man 7 sched``)."""
    try:
        words = proc.read(f"/proc/{thread}/autogroup").split()
    except OSError as error:
        proc.raise_unless_gone(error)
        return 0
    return int(words[-1]) if words else 0
