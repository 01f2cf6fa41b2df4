"""What a bot's processes used of the machine, and what the machine kept from them.

The kernel counts for every thread the time it ran and the time it was ready to run but got no core
(`Documentation/scheduler/sched-stats.rst`: the first two fields of ``schedstat``), and for every process the
CPU time of all its threads, dead ones included (``clock_getcpuclockid(3)``). The CPU time of a process that
is gone is known to who waited for it (see `ledger`); what became of waiting is in `waits`.

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
from pathlib import Path
from typing import NamedTuple

from arbiter.isolation import proc
from arbiter.isolation.orphans import Orphaned
from arbiter.match.inherited import Count
from arbiter.match.ledger import TICK, Identity, Ledger, Usage
from arbiter.match.standing import Standing
from arbiter.match.waits import Thread, Waits

_TASK_LINKS = 3
"""Links of a ``task`` directory with a single thread in it."""
_LITTLE = 500_000
_LOAD = "/proc/loadavg"


def is_available() -> bool:
    """Whether this system has the counters that the clocks ``cpu`` and ``fair`` need."""
    return sys.platform == "linux" and Path("/proc/self/schedstat").exists()


class Counters(NamedTuple):
    """Of all processes of a bot, since it was started: CPU time and what the machine kept from it, in ns.

    ``ready_since`` is the time (monotonic ns) since when a thread is ready to run and has not run, as far as
    that is known; None where none is, or nobody asked.
    """

    cpu: int = 0
    wait: int = 0
    ready_since: int | None = None


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
        self._waits = Waits(self._keeps_standing, _is_ready)
        self._threads: list[tuple[int, int]] = []
        self._newest = b""
        self._most_cpu = self._ticked = 0
        self._lone: Usage | None = None
        self._clock = _cpu_clock(root)
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
        files, lone, waits = self._files, self._lone, self._waits
        if files is not None and (is_overdue or lone is None or not self._look_at_lone(files, lone)):
            self._look(files, is_overdue=is_overdue)
        if is_overdue:
            return Counters(self._most_cpu, waits.lost + waits.lasting, waits.ready_since)
        return Counters(self._most_cpu, waits.lost)

    def read_resting(self) -> Counters:
        """The same of a bot that rests, before it is asked.

        What it has started since the last look counts from the next one on.
        """
        files, lone = self._files, self._lone
        if files is None or lone is None or not self._read_root(lone):
            return self.read()
        return Counters(self._most_cpu, self._waits.lost_with(self._root, files.waited()))

    def _look_at_lone(self, files: "_Files", usage: Usage) -> bool:
        """Look at a bot of one thread, as nearly all are, where nothing has become of it; else False.

        The same as `_look` would find, in a fraction of its time, since this is done with every answer.
        """
        if files.newest() != self._newest or not self._read_root(usage):
            return False
        if not self._waits.look_at_lone(self._root, usage.own, files.waited(), time.monotonic_ns()):
            return False
        if self._count is not None:
            self._most_cpu = max(self._most_cpu, self._used(self._ledger.total))
        return True

    def _read_root(self, usage: Usage) -> bool:
        """Read the CPU time of the root; False when it is gone."""
        try:
            usage.own = time.clock_gettime_ns(self._clock)
        except OSError as error:
            proc.raise_unless_gone(error)
            return False
        self._most_cpu = max(self._most_cpu, self._ledger.total)
        return True

    def tick(self, *, is_thinking: bool) -> int:
        """The CPU time so far, without a look around where the system counts; to be called often.

        Of a bot that thinks with several threads only looks tell who waited for whom. Where the system does
        not count, looks see programs that live for a short time only.
        """
        counted = self._counted()
        if counted is None or (is_thinking and self._lone is None and counted > self._ticked):
            counted = self.read(is_overdue=is_thinking and self._lone is None).cpu
        self._ticked = max(counted, self._ticked)
        return self._ticked

    def _counted(self, found: int | None = None) -> int | None:
        """What the kernel counted by inheritance since the start; None where it does not.

        The first look, which ``found`` so much, tells what had been used before it began to count.
        """
        counted = self._count.read() if self._count is not None else None
        if self._uncounted is None and counted is not None and found is not None:
            self._uncounted = found - counted
        return None if counted is None or self._uncounted is None else counted + self._uncounted

    def _used(self, found: int) -> int:
        """The CPU time of the tree, of which so much was found: what the kernel counted where that is more.

        It counts what the machine took from a running thread, so a little more tells nothing.
        """
        counted = self._counted(found)
        return found if counted is None or counted - found <= _LITTLE + counted // 50 else counted

    def _look(self, files: "_Files", *, is_overdue: bool) -> None:
        """Look at what is known where nobody on the machine has started anything since, else at all."""
        now, newest = time.monotonic_ns(), files.newest()
        threads = self._read_known(files) if newest and newest == self._newest else None
        is_same = threads is not None
        if threads is None:
            threads, is_complete = self._look_around(files)
            self._newest = newest if is_complete else b""
        found = self._ledger.total
        used = self._used(found)
        self._most_cpu = max(self._most_cpu, used)
        is_single = len(threads) == len(self._ledger.living) == 1
        self._waits.look(
            threads, used, now, is_same=is_same and used == found, is_thorough=is_overdue or not is_single
        )
        self._lone = next(iter(self._ledger.living.values())) if is_single and self._newest else None

    def _look_around(self, files: "_Files") -> tuple[list[Thread], bool]:
        """All threads that there are, and whether that is sure."""
        orphans = self._orphans()
        threads = self._read_known(files) if self._is_alone(files, orphans) else None
        if threads is not None:
            return threads, orphans.is_complete
        threads, is_complete = self._walk(orphans)
        return threads, is_complete and orphans.is_complete

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

    def _read_known(self, files: "_Files") -> list[Thread] | None:
        """Look at the processes and threads of the last look; None when one of them is gone."""
        try:
            for (process, _), usage in self._ledger.living.items():
                usage.own = time.clock_gettime_ns(_cpu_clock(process))
            if self._threads == [(self._root, self._root)] and len(self._ledger.living) == 1:
                return [Thread(self._root, self._root, usage.own, files.waited())]
            return [_thread(process, number) for process, number in self._threads] or None
        except OSError as error:
            proc.raise_unless_gone(error)
            return None

    def _walk(self, orphans: Orphaned) -> tuple[list[Thread], bool]:
        """Look for all processes and threads.

        What ends meanwhile may be missing in what its parent waited for, and its children in every list: then
        the look is not complete.
        """
        here = {process for process in self._ledger.living if _cpu(process[0]) is not None}
        seen: set[int] = set()
        threads: list[Thread] = []
        found = self._find(orphans, seen, threads)
        living = {
            process: Usage(cpu, waited_for)
            for process, waited_for in found.items()
            if (cpu := _cpu(process[0])) is not None
        }
        self._ledger.look(living, orphans.collected, is_settled=here <= living.keys())
        self._threads = [(thread.process, thread.number) for thread in threads]
        if len(threads) == len(living) == 1:
            (usage,) = living.values()
            threads = [threads[0]._replace(ran=usage.own)]
        return threads, len(living) == len(seen)

    def _find(self, orphans: Orphaned, seen: set[int], threads: list[Thread]) -> dict[Identity, int]:
        """All processes of the tree, and what each has waited for; notes their threads.

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
                    for number in _threads(process, fields):
                        rest += self._read_thread(process, number, threads)
                except OSError as error:
                    proc.raise_unless_gone(error)
            if not rest:
                rest = [each[0] for each in self._ledger.living if each[0] not in seen and _is_there(each)]
        return found

    def _read_thread(self, process: int, number: int, threads: list[Thread]) -> list[int]:
        """Note a thread; gives its children."""
        try:
            thread = _thread(process, number)
            children = proc.whole(f"/proc/{process}/task/{number}/children").split()
        except OSError as error:
            proc.raise_unless_gone(error)
            return []
        threads.append(thread)
        return list(map(int, children))

    def _keeps_standing(self, number: int) -> bool:
        """Whether a thread has the priority, policy and cores of the beginning; True for one that is gone."""
        try:
            return Standing.of(number) == self._standing
        except OSError as error:
            proc.raise_unless_gone(error)
            return True

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
        """Nanoseconds for which its first thread waited for a core; 0 when it is gone."""
        try:
            return int(os.pread(self.schedstat, 64, 0).split()[1])
        except OSError as error:
            proc.raise_unless_gone(error)
            return 0

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


def _thread(process: int, number: int) -> Thread:
    """For how many ns a thread ran, and waited for a core. Raises OSError when it is gone."""
    ran, waited, _ = proc.read(f"/proc/{process}/task/{number}/schedstat").split()
    return Thread(process, number, int(ran), int(waited))


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


def _is_ready(process: int, thread: int) -> bool:
    """Whether a thread runs or waits for a core."""
    try:
        state: bytes = proc.read(f"/proc/{process}/task/{thread}/stat").rpartition(b")")[2].split()[0]
    except OSError as error:
        proc.raise_unless_gone(error)
        return False
    return state == b"R"
