"""A started program: waiting for it, watching its limits, signals, and its end."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import trio

from arbiter.isolation import cgroup, tree, usage
from arbiter.isolation.confine import Confinement
from arbiter.isolation.console import Console
from arbiter.isolation.death import SHORTLY, Death, OomKills, judge, own_size
from arbiter.isolation.resources import DOCTOR, ResourceError, lack, lack_in, needed_for
from arbiter.isolation.sandbox import Applied, Level, Sandbox, shown

_EXIT_POLL = 0.01
_WATCH = 0.1
_WATCH_WHERE_DEAR = 2.0
_LOOKS_AT_FILES = 5
"""The scratch directory is weighed at each fifth look: that takes longer than to look at processes."""
_NOT_BUILT = "its sandbox could not be built"
_oom_kills = OomKills()


@dataclass(slots=True)
class Program:
    """A started program: the process, what holds it back, and what has to go when it goes."""

    process: subprocess.Popen[bytes]
    sandbox: Sandbox = field(default_factory=Sandbox)
    applied: Applied = field(default_factory=lambda: Applied(Level.NONE))
    group: cgroup.Group | None = None
    confinement: Confinement | None = None
    console: Console | None = None
    held: int = 0
    """Resident memory of its tree in bytes, as last looked at; pages that processes share count for each."""
    _born: float = field(default_factory=time.monotonic)
    _is_ours: bool = False
    """Whether it was we who killed it."""
    _killing: trio.Lock = field(default_factory=trio.Lock)
    _is_dissolved: bool = False

    def __post_init__(self) -> None:
        _oom_kills.look()
        _living[self.pid] = self

    @property
    def pid(self) -> int:
        return self.process.pid

    def poll(self) -> int | None:
        """The exit status if the root process has ended (negative: the signal that ended it)."""
        status = self.process.poll()
        if status is None:
            return None
        tree.release(self.pid)
        if self.console is not None:
            self.console.take_back()
            self.console = None
        if self.sandbox.level is Level.JAIL and status - 128 in {int(known) for known in signal.Signals}:
            # Bubblewrap reports a signal as a shell does; an exit status as high as that is not told apart.
            return 128 - status
        return status

    async def wait(self) -> int:
        """Wait for the root process to end; its exit status. Raises ResourceError."""
        if sys.platform == "linux":
            with needed_for("waiting for a program to end"):
                pidfd = os.pidfd_open(self.pid)
            try:
                await trio.lowlevel.wait_readable(pidfd)
            finally:
                os.close(pidfd)
        while (status := self.poll()) is None:  # noqa: ASYNC110 (elsewhere no event tells it)
            await trio.sleep(_EXIT_POLL)
        return status

    def members(self) -> list[int]:
        """Its living processes, as far as they can be found."""
        return tree.members(self.pid)

    def signal(self, number: int) -> None:
        """Send a signal to every process of the tree; a control group stops and continues them at once."""
        frozen = {signal.SIGSTOP: True, signal.SIGCONT: False}.get(signal.Signals(number))
        if self.group is None or frozen is None or not self.group.freeze(frozen):
            tree.signal_all(self.pid, number)

    def trouble(self, stderr: str = "") -> str | None:
        """Why the program itself was never reached, once its process has ended and if that tells why.

        ``stderr`` is what was said there.

        Raises:
            ResourceError: when the machine lacked something for it.
        """
        if self.confinement is None or self.confinement.report < 0:
            return None
        try:
            text = os.read(self.confinement.report, 4096).decode(errors="replace")
        except BlockingIOError:
            text = ""
        if text:
            return self._reported(text)
        if self.poll() == -signal.SIGKILL:
            return None  # before it came to anything
        if found := lack_in(stderr, _NOT_BUILT):
            raise found
        return f"{_NOT_BUILT}; its stderr may say why"

    def _reported(self, text: str) -> str | None:
        """What the trampoline reports, in words; see there."""
        if "!" not in text:
            return None
        _, kind, number, words = text.split("!", 3)
        is_its_own = self.group is not None and self.group.ran_out_of_processes()
        if not is_its_own and (found := lack(int(number), words)):
            raise found
        if not is_its_own and kind == "limits":
            raise ResourceError(int(number), words, DOCTOR)
        return words

    def cause_of_death(self) -> Death:
        """What its exit status does not tell of its end: whether the kernel killed it for lack of memory.

        To be asked when it has ended, before it is torn down.
        """
        status = None if self._is_ours else self.poll()
        kills = _oom_kills.since(max(self._born, time.monotonic() - SHORTLY))
        others = (each.held for each in _living.values() if each is not self)
        return judge(status, kills, self.held, others, own_size())

    async def watch(self) -> str:
        """Wait until the program goes past one of its limits; says which, in words.

        Also keeps track of its processes, so that they are found when they try to get away.
        """
        looks = 0
        while True:
            await trio.sleep(_WATCH if tree.is_cheap_to_look_at() else _WATCH_WHERE_DEAR)
            looks += 1
            _oom_kills.look()
            pids = self.members()
            used = usage.measure(pids)
            self.held = used.memory or self.held  # nobody is there: it has just ended
            found = await self._excess(pids, used)
            if found is None and looks % _LOOKS_AT_FILES == 0:
                found = await self._excess_of_files(pids)
            if found is not None:
                return found

    def excess(self, pids: Sequence[int] | None = None, used: usage.Usage | None = None) -> str | None:
        """The limit of memory or processes that it is past, if it is; ``used``, if that was measured."""
        bounds = self.sandbox.bounds
        if self.group is not None and self.group.ran_out_of_memory():
            return f"went past its memory limit of {shown(bounds.memory)}"
        if bounds.memory is None and bounds.processes is None:
            return None
        pids = self.members() if pids is None else pids
        used = used or usage.measure(pids)
        if bounds.memory is not None and used.memory > bounds.memory:
            # Slow to read, so it is read only where it decides: pages that processes share count once.
            memory = usage.proportional(pids) or used.memory
            if memory > bounds.memory:
                return f"held {shown(memory)} of memory; the limit is {shown(bounds.memory)}"
        if bounds.processes is not None and used.processes > bounds.processes:
            return f"ran {used.processes} processes and threads; the limit is {bounds.processes}"
        return None

    async def _excess(self, pids: Sequence[int], used: usage.Usage) -> str | None:
        """The same as `excess`, on another thread where that takes long."""
        most = self.sandbox.bounds.memory
        if most is None or used.memory <= most:
            return self.excess(pids, used)
        return await trio.to_thread.run_sync(self.excess, pids, used)

    async def _excess_of_files(self, pids: Sequence[int]) -> str | None:
        if self.confinement is None:
            return None
        disk = self.sandbox.bounds.disk or 0
        own = self.confinement.scratch
        if own is None:
            filling = usage.weigh_inside(reversed(pids), self.confinement.inside)
        else:
            filling = await trio.to_thread.run_sync(usage.weigh, own, disk)
        if filling is None:
            return None
        if filling.files > usage.MOST_FILES:
            return f"its scratch directory held more than {usage.MOST_FILES} files"
        if own is not None and filling.size > disk:
            return f"its scratch directory held more than {shown(disk)}"
        return None

    async def kill(self) -> None:
        """Kill the whole tree, wait until nothing of it is left, remove its files. Not cancellable.

        Whoever comes second waits for the first: a limit may be passed just when the game ends.
        """
        with trio.CancelScope(shield=True):
            async with self._killing:
                if self._is_dissolved:
                    return
                self._is_ours = self.poll() is None
                await tree.kill_tree(self.pid)
                self.poll()
                tree.forget(self.pid)
                _living.pop(self.pid, None)
                self._is_dissolved = True
                if self.confinement is not None:
                    await self._dissolve(self.confinement)
                elif self.group is not None:
                    self.group.remove()

    async def _dissolve(self, confinement: Confinement) -> None:
        """On another thread, if there can be one. What resists is left to the next run."""
        with contextlib.suppress(OSError):
            try:
                await trio.to_thread.run_sync(confinement.dissolve)
            except RuntimeError:  # no thread can be started
                confinement.dissolve()

    def abandon(self) -> None:
        """The same without an event loop: for trial starts that are over already."""
        while tree.kill_once(self.pid):
            self.process.wait()
        self.process.wait()
        tree.release(self.pid)
        tree.forget(self.pid)
        _living.pop(self.pid, None)
        if self.confinement is not None:
            self.confinement.dissolve()


_living: dict[int, Program] = {}
"""The programs that were not torn down yet, by process."""
