"""What a bot's processes used of the machine, and what the machine kept from them.

The kernel counts for every thread the time it ran and the time it was ready to run but got no core
(`Documentation/scheduler/sched-stats.rst`: the first two fields of ``schedstat``), and for every process the
CPU time of all its threads, dead ones included (``clock_getcpuclockid(3)``). Of what is gone the last
reading is kept.

A bot is its whole tree of processes, the same as is killed at its end. Most bots are one process with one
thread and no child, and for these a reading has to be quick: it is taken at every question and every answer.
"""

import errno
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from arbiter.isolation import proc

_GONE = (errno.ESRCH, errno.ENOENT, errno.EINVAL)
"""What the kernel says of a process that has ended; EINVAL of its clock."""
_MATERIAL = 100_000
"""Nanoseconds of new waiting that are worth a look at a thread's priority."""
_TASK_LINKS = 3
"""Links of a ``task`` directory with a single thread in it."""


def is_available() -> bool:
    """Whether this system has the counters that the clocks ``cpu`` and ``fair`` need."""
    return sys.platform == "linux" and Path("/proc/self/schedstat").exists()


class Counters(NamedTuple):
    """Sums over all processes of a bot since it was started, in ns."""

    cpu: int = 0
    wait: int = 0


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
        if error.errno in _GONE:
            return 0
        raise
    return int(words[-1]) if words else 0


@dataclass(slots=True)
class _Thread:
    """A thread of a bot: what it waited so far, and how much of that it did not bring about itself.

    ``ran`` and ``looked_at`` are from the last look; ``pending`` is a wait that lasts, and that the kernel
    does not count before it ends.
    """

    ran: int = -1
    looked_at: int = 0
    waited: int = 0
    counted: int = 0
    pending: int = 0
    is_trusted: bool = True


class Meter:
    """The counters of one bot.

    ``orphans`` lists the processes of its tree that are no descendants of its root, as far as they are known;
    ``cores`` are those that it was started on, if not all.
    """

    def __init__(
        self, root: int, cores: Sequence[int] = (), orphans: Callable[[], Sequence[int]] = lambda: ()
    ) -> None:
        self._root = root
        self._orphans = orphans
        self._threads: dict[int, _Thread] = {}
        self._cpu: dict[int, int] = {}
        self._dead = Counters()
        self._files: _Files | None = None
        if is_available():
            self._standing = Standing.at_start(cores)
            self._files = _Files.open(root)

    def close(self) -> None:
        """Give back what is open; the sums stay as they are."""
        if self._files is not None:
            self._files.close()
            self._files = None

    def read(self, *, is_overdue: bool = False) -> Counters:
        """The sums so far; zeros where the system has no counters.

        The kernel counts a wait when it ends. Where a bot is overdue one that lasts is counted, too: a
        thread that is ready to run and has not run since the last look has waited since then.

        Raises:
            OSError: when the counters of a living process cannot be read.
        """
        if self._files is not None:
            now = time.monotonic_ns()
            if not self._read_quickly(self._files, now, is_overdue=is_overdue):
                self._walk(now, is_overdue=is_overdue)
        wait = sum(thread.counted for thread in self._threads.values())
        if is_overdue:
            wait += sum(thread.pending for thread in self._threads.values())
        return Counters(self._dead.cpu + sum(self._cpu.values()), self._dead.wait + wait)

    def _read_quickly(self, files: "_Files", now: int, *, is_overdue: bool) -> bool:
        """Look at a bot that is a single thread without children; False for any other."""
        if len(self._cpu) > 1 or self._orphans():
            return False
        try:
            if not files.is_single():
                return False
            cpu = self._cpu[self._root] = time.clock_gettime_ns(_cpu_clock(self._root))
            self._book(self._root, self._root, cpu, files.waited(), now, is_overdue=is_overdue)
        except OSError as error:
            if error.errno not in _GONE:
                raise
        return True

    def _walk(self, now: int, *, is_overdue: bool) -> None:
        """Look at all processes and threads; keep the last readings of what is gone."""
        processes: set[int] = set()
        threads: set[int] = set()
        rest = [self._root, *self._orphans()]
        while rest:
            process = rest.pop()
            if process in processes:
                continue
            processes.add(process)
            try:
                self._cpu[process] = time.clock_gettime_ns(_cpu_clock(process))
                for thread in map(int, os.listdir(f"/proc/{process}/task")):  # noqa: PTH208 (pathlib is slow)
                    ran, waited, _ = map(int, proc.read(f"/proc/{process}/task/{thread}/schedstat").split())
                    self._book(process, thread, ran, waited, now, is_overdue=is_overdue)
                    threads.add(thread)
                    rest += map(int, proc.whole(f"/proc/{process}/task/{thread}/children").split())
            except OSError as error:
                if error.errno not in _GONE:
                    raise
        self._bury(processes, threads)

    def _book(self, process: int, number: int, ran: int, waited: int, now: int, *, is_overdue: bool) -> None:
        """Count what a thread has waited since the last look, unless it made itself wait."""
        thread = self._threads.setdefault(number, _Thread(looked_at=now))
        # Less than before: the number has a new owner.
        grown = waited - thread.waited if waited >= thread.waited else waited
        if grown > _MATERIAL:
            self._check_trust(thread, number)
        if thread.is_trusted:
            thread.counted += grown
        if grown or ran != thread.ran:
            thread.pending = 0
        elif is_overdue and _is_ready_to_run(process, number):
            self._check_trust(thread, number)
            thread.pending += now - thread.looked_at if thread.is_trusted else 0
        thread.ran, thread.waited, thread.looked_at = ran, waited, now

    def _check_trust(self, thread: _Thread, number: int) -> None:
        """A thread that changed how soon it gets a core waits by its own doing from then on."""
        if thread.is_trusted and Standing.of(number) != self._standing:
            thread.is_trusted, thread.pending = False, 0

    def _bury(self, processes: set[int], threads: set[int]) -> None:
        cpu, wait = self._dead
        for process in self._cpu.keys() - processes:
            cpu += self._cpu.pop(process)
        for number in self._threads.keys() - threads:
            wait += self._threads.pop(number).counted
        self._dead = Counters(cpu, wait)


class _Files(NamedTuple):
    """Files of a process that are read often, and so stay open."""

    task: int
    schedstat: int
    children: int

    @classmethod
    def open(cls, process: int) -> "_Files | None":
        """Those of a process; None when it is gone, or the system has no such files."""
        opened: list[int] = []
        try:
            opened.append(os.open(f"/proc/{process}/task", os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY))
            for name in ("schedstat", "children"):
                opened.append(os.open(f"/proc/{process}/task/{process}/{name}", os.O_RDONLY | os.O_CLOEXEC))
        except OSError as error:
            for descriptor in opened:
                os.close(descriptor)
            if error.errno in _GONE:
                return None
            raise
        return cls(*opened)

    def is_single(self) -> bool:
        """Whether the process has one thread and no children. Raises OSError when it is gone."""
        return os.fstat(self.task).st_nlink == _TASK_LINKS and not os.pread(self.children, 16, 0)

    def waited(self) -> int:
        """Nanoseconds for which its first thread waited for a core."""
        return int(os.pread(self.schedstat, 64, 0).split()[1])

    def close(self) -> None:
        for descriptor in self:
            os.close(descriptor)


def _cpu_clock(process: int) -> int:
    """The number of the clock of a process's CPU time (``clock_getcpuclockid(3)``)."""
    return (~process << 3) | 2


def _is_ready_to_run(process: int, thread: int) -> bool:
    """Whether a thread runs or waits for a core. Raises OSError when it is gone."""
    state: bytes = proc.read(f"/proc/{process}/task/{thread}/stat").rpartition(b")")[2].split()[0]
    return state == b"R"
