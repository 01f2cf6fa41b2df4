"""What a bot's processes used of the machine, and what the machine kept from them.

The kernel counts for every thread the time it ran and the time it was ready to run but got no core
(`Documentation/scheduler/sched-stats.rst`: the first two fields of ``schedstat``), and for every process the
CPU time of all its threads, dead ones included (``clock_getcpuclockid(3)``). Of the waits of what is gone the
last reading is kept; its CPU time is known to who waited for it (see `ledger`).

A bot is its whole tree of processes, the same as is killed at its end. Most bots are one process with one
thread and no child, and for these a reading has to be quick: it is taken at every question and every answer.
So nothing is looked for where nobody on the machine has started a thread or process since the last look.

Two things escape such looks: children that end between them while their parent ignores SIGCHLD, and orphans
that shed all signs of whose they are (see `tree`). Where the system lets the arbiter count (see `inherited`),
these count, too.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from arbiter.isolation import proc
from arbiter.isolation.orphans import Orphaned
from arbiter.match.inherited import Count
from arbiter.match.ledger import TICK, Identity, Ledger, Usage
from arbiter.match.standing import Standing

_MATERIAL = 100_000
"""Nanoseconds of new waiting that are worth a look at a thread's priority."""
_TASK_LINKS = 3
"""Links of a ``task`` directory with a single thread in it."""
_LITTLE = 500_000
_LOAD = "/proc/loadavg"


def is_available() -> bool:
    """Whether this system has the counters that the clocks ``cpu`` and ``fair`` need."""
    return sys.platform == "linux" and Path("/proc/self/schedstat").exists()


class Counters(NamedTuple):
    """Sums over all processes of a bot since it was started, in ns."""

    cpu: int = 0
    wait: int = 0


@dataclass(slots=True)
class _Thread:
    """A thread of a bot: what it waited so far, and how much of that it did not bring about itself.

    ``ran`` and ``looked_at`` are from the last look; ``pending`` is a wait that lasts, and that the kernel
    does not count before it ends.
    """

    process: int
    looked_at: int
    ran: int = -1
    waited: int = 0
    counted: int = 0
    pending: int = 0
    is_trusted: bool = True


class _Moment(NamedTuple):
    """When and for whom a look is taken."""

    now: int
    is_overdue: bool


class Meter:
    """The counters of one bot.

    ``orphans`` tells of the processes of its tree that are no descendants of its root; ``cores`` are those
    that it was started on, if not all.
    """

    def __init__(
        self, root: int, cores: Sequence[int] = (), orphans: Callable[[], Orphaned] = Orphaned
    ) -> None:
        self._root = root
        self._orphans = orphans
        self._ledger = Ledger()
        self._threads: dict[int, _Thread] = {}
        self._newest = b""
        self._most_cpu = 0
        self._dead_wait = 0
        self._count: Count | None = None
        self._uncounted: int | None = None
        self._files: _Files | None = None
        if is_available():
            self._standing = Standing.at_start(cores)
            self._open()

    def _open(self) -> None:
        self._files = _Files.open(self._root)
        try:
            self._count = Count(self._all_threads)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Give back what is open; the sums stay as they are."""
        for each in (self._files, self._count):
            if each is not None:
                each.close()
        self._files = self._count = None

    def read(self, *, is_overdue: bool = False) -> Counters:
        """The sums so far; zeros where the system has no counters.

        The kernel counts a wait when it ends. Where a bot is overdue one that lasts is counted, too: a
        thread that is ready to run and has not run since the last look has waited since then.

        Raises:
            OSError: when the counters of a living process cannot be read.
        """
        if self._files is not None:
            self._look(self._files, _Moment(time.monotonic_ns(), is_overdue))
            self._most_cpu = max(self._most_cpu, self._used(self._ledger.total))
        wait = sum(thread.counted for thread in self._threads.values())
        if is_overdue:
            wait += sum(thread.pending for thread in self._threads.values())
        return Counters(self._most_cpu, self._dead_wait + wait)

    def _used(self, found: int) -> int:
        """The CPU time of the tree, of which so much was found: what the kernel counted where that is more.

        It counts what the machine took from a running thread, so a little more tells nothing.
        """
        counted = self._count.read() if self._count is not None else None
        if counted is None:
            return found
        if self._uncounted is None:
            self._uncounted = found - counted
        counted += self._uncounted
        return counted if counted - found > _LITTLE + counted // 50 else found

    def _look(self, files: "_Files", moment: _Moment) -> None:
        """Look at what is known where nobody on the machine has started anything since, else at all."""
        newest = files.newest()
        if newest and newest == self._newest and self._read_known(files, moment):
            return
        orphans = self._orphans()
        is_known = self._is_alone(files, orphans) and self._read_known(files, moment)
        is_complete = is_known or self._walk(orphans, moment)
        self._newest = newest if is_complete and orphans.is_complete else b""

    def _is_alone(self, files: "_Files", orphans: Orphaned) -> bool:
        """Whether the root is all there is, has a single thread and waited for nobody since the last look."""
        if len(self._ledger.living) != 1 or orphans.living or orphans.collected > self._ledger.collected:
            return False
        (usage,) = self._ledger.living.values()
        try:
            return files.is_single() and _waited_for(proc.stat(self._root)) == usage.waited_for
        except OSError as error:
            proc.raise_unless_gone(error)
            return False

    def _read_known(self, files: "_Files", moment: _Moment) -> bool:
        """Look at the processes and threads of the last look; False when one of them is gone."""
        try:
            for (process, _), usage in self._ledger.living.items():
                usage.own = time.clock_gettime_ns(_cpu_clock(process))
            if self._root in self._threads and len(self._threads) == len(self._ledger.living) == 1:
                self._book(self._root, self._root, usage.own, files.waited(), moment)
            else:
                for number, thread in self._threads.items():
                    self._book(thread.process, number, *_schedule(thread.process, number), moment)
        except OSError as error:
            proc.raise_unless_gone(error)
            return False
        return bool(self._threads)

    def _walk(self, orphans: Orphaned, moment: _Moment) -> bool:
        """Look at all processes and threads; keep the last readings of what is gone.

        What ends meanwhile may be missing in what its parent waited for, and its children in every list: then
        the look is not complete.
        """
        here = {process for process in self._ledger.living if _cpu(process[0]) is not None}
        seen: set[int] = set()
        threads: set[int] = set()
        found = self._find(orphans, seen, threads, moment)
        living = {
            process: Usage(cpu, waited_for)
            for process, waited_for in found.items()
            if (cpu := _cpu(process[0])) is not None
        }
        self._ledger.look(living, orphans.collected, is_settled=here <= living.keys())
        for number in self._threads.keys() - threads:
            self._dead_wait += self._threads.pop(number).counted
        return len(living) == len(seen)

    def _find(
        self, orphans: Orphaned, seen: set[int], threads: set[int], moment: _Moment
    ) -> dict[Identity, int]:
        """All processes of the tree, and what each has waited for; books what their threads waited.

        Who was once in the tree is so until its end, also where nothing shows it any more.
        """
        found: dict[Identity, int] = {}
        rest = [self._root, *orphans.living]
        while rest:
            process = rest.pop()
            if process not in seen:
                seen.add(process)
                try:
                    fields = proc.stat(process)
                    found[process, int(fields[proc.BEGAN])] = _waited_for(fields)
                    for thread in _threads(process, fields):
                        rest += self._read_thread(process, thread, threads, moment)
                except OSError as error:
                    proc.raise_unless_gone(error)
            if not rest:
                rest = [each[0] for each in self._ledger.living if each[0] not in seen and _is_there(each)]
        return found

    def _read_thread(self, process: int, thread: int, threads: set[int], moment: _Moment) -> list[int]:
        """Book what a thread waited; gives its children."""
        try:
            self._book(process, thread, *_schedule(process, thread), moment)
            children = proc.whole(f"/proc/{process}/task/{thread}/children").split()
        except OSError as error:
            proc.raise_unless_gone(error)
            return []
        threads.add(thread)
        return list(map(int, children))

    def _all_threads(self) -> set[int]:
        """All threads of the tree, as lists show it."""
        found: set[int] = set()
        rest = [self._root, *self._orphans().living]
        while rest:
            process = rest.pop()
            try:
                found.update(_threads(process, proc.stat(process)))
            except OSError as error:
                proc.raise_unless_gone(error)
            rest += proc.children(process)
        return found

    def _book(self, process: int, number: int, ran: int, waited: int, moment: _Moment) -> None:
        """Count what a thread has waited since the last look, unless it made itself wait."""
        thread = self._threads.get(number) or self._threads.setdefault(number, _Thread(process, moment.now))
        # Less than before: the number has a new owner.
        grown = waited - thread.waited if waited >= thread.waited else waited
        if grown > _MATERIAL:
            self._check_trust(thread, number)
        if thread.is_trusted:
            thread.counted += grown
        if grown or ran != thread.ran:
            thread.pending = 0
        elif moment.is_overdue and _is_ready_to_run(process, number):
            self._check_trust(thread, number)
            thread.pending += moment.now - thread.looked_at if thread.is_trusted else 0
        elif thread.pending:
            return  # it has not run, so the same wait lasts; the next look for one counts all of it
        thread.process, thread.ran, thread.waited, thread.looked_at = process, ran, waited, moment.now

    def _check_trust(self, thread: _Thread, number: int) -> None:
        """A thread that changed how soon it gets a core waits by its own doing from then on."""
        if thread.is_trusted and Standing.of(number) != self._standing:
            thread.is_trusted, thread.pending = False, 0


class _Files(NamedTuple):
    """Files that are read often, and so stay open: those of a process, and one of the machine or -1."""

    task: int
    schedstat: int
    children: int
    started: int

    @classmethod
    def open(cls, process: int) -> "_Files | None":
        """Those of a process; None when it is gone, or the system has no such files."""
        opened: list[int] = []
        try:
            opened.append(os.open(f"/proc/{process}/task", os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY))
            for name in ("schedstat", "children"):
                opened.append(os.open(f"/proc/{process}/task/{process}/{name}", os.O_RDONLY | os.O_CLOEXEC))
            opened.append(_open_load())
            return cls(*opened)
        except OSError as error:
            _close(opened)
            proc.raise_unless_gone(error)
            return None

    def is_single(self) -> bool:
        """Whether the process has one thread and no children. Raises OSError when it is gone."""
        return os.fstat(self.task).st_nlink == _TASK_LINKS and not os.pread(self.children, 16, 0)

    def waited(self) -> int:
        """Nanoseconds for which its first thread waited for a core."""
        return int(os.pread(self.schedstat, 64, 0).split()[1])

    def newest(self) -> bytes:
        """The number of what was started last on the machine, process or thread; empty where nobody knows."""
        return os.pread(self.started, 64, 0).rpartition(b" ")[2] if self.started >= 0 else b""

    def close(self) -> None:
        _close(self)


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        if descriptor >= 0:
            os.close(descriptor)


def _open_load() -> int:
    """The file that says what was started last; -1 where somebody else than the kernel writes it."""
    if Path(_LOAD).stat().st_dev != Path("/proc/self/stat").stat().st_dev:
        return -1
    return os.open(_LOAD, os.O_RDONLY | os.O_CLOEXEC)


def _cpu_clock(process: int) -> int:
    """The number of the clock of a process's CPU time (``clock_getcpuclockid(3)``)."""
    return (~process << 3) | 2


def _cpu(process: int) -> int | None:
    """The CPU time of a process; None when it is gone."""
    try:
        return time.clock_gettime_ns(_cpu_clock(process))
    except OSError as error:
        proc.raise_unless_gone(error)
        return None


def _threads(process: int, fields: Sequence[bytes]) -> list[int]:
    """The threads of a process with this ``stat``. Raises OSError when it is gone."""
    if int(fields[proc.THREADS]) == 1:
        return [process]
    return list(map(int, os.listdir(f"/proc/{process}/task")))  # noqa: PTH208 (pathlib is slow)


def _schedule(process: int, thread: int) -> tuple[int, int]:
    """For how many ns a thread ran, and waited for a core. Raises OSError when it is gone."""
    ran, waited, _ = proc.read(f"/proc/{process}/task/{thread}/schedstat").split()
    return int(ran), int(waited)


def _is_there(process: Identity) -> bool:
    """Whether a process is still there, and not another one of its number."""
    number, began = process
    try:
        return int(proc.stat(number)[proc.BEGAN]) == began
    except OSError as error:
        proc.raise_unless_gone(error)
        return False


def _waited_for(fields: Sequence[bytes]) -> int:
    """The CPU time of those that a process with this ``stat`` has waited for, in whole ticks."""
    return (int(fields[proc.CHILDREN_USER]) + int(fields[proc.CHILDREN_SYSTEM])) * TICK


def _is_ready_to_run(process: int, thread: int) -> bool:
    """Whether a thread runs or waits for a core. Raises OSError when it is gone."""
    state: bytes = proc.read(f"/proc/{process}/task/{thread}/stat").rpartition(b")")[2].split()[0]
    return state == b"R"
