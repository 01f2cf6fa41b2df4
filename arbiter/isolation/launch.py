"""Starting a program with three pipes, in a session of its own, and naming why it would not start."""

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import trio

from arbiter.isolation import cgroup, tree, usage
from arbiter.isolation.confine import Confinement, confine
from arbiter.isolation.console import Console, start_in_debugger, wants_terminal
from arbiter.isolation.environment import inherited
from arbiter.isolation.owner import new_marker
from arbiter.isolation.sandbox import MIB, Applied, Bounds, Level, Sandbox

_EXIT_POLL = 0.01
_WATCH = 0.1
_WATCH_WHERE_DEAR = 2.0
_LOOKS_AT_FILES = 5
"""The scratch directory is weighed at each fifth look: that takes longer than to look at processes."""


class StartError(Exception):
    """A program could not be started; the text says which, why, and what to do."""


@dataclass(slots=True)
class Program:
    """A started program: the process, what holds it back, and what has to go when it goes."""

    process: subprocess.Popen[bytes]
    sandbox: Sandbox = field(default_factory=Sandbox)
    applied: Applied = field(default_factory=lambda: Applied(Level.NONE))
    group: cgroup.Group | None = None
    confinement: Confinement | None = None
    console: Console | None = None
    _killing: trio.Lock = field(default_factory=trio.Lock)
    _is_dissolved: bool = False

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
        """Wait for the root process to end; its exit status."""
        if sys.platform == "linux":
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

    def trouble(self) -> str | None:
        """Why the program itself was never reached, once its process has ended."""
        if self.confinement is None or self.confinement.report < 0:
            return None
        try:
            text = os.read(self.confinement.report, 4096).decode(errors="replace")
        except BlockingIOError:
            text = ""
        if not text:
            return "its sandbox could not be built; its stderr may say why"
        return text.removeprefix(".") or None

    async def watch(self) -> str:
        """Wait until the program goes past one of its limits; says which, in words.

        Also keeps track of its processes, so that they are found when they try to get away.
        """
        looks = 0
        while True:
            await trio.sleep(_WATCH if tree.is_cheap_to_look_at() else _WATCH_WHERE_DEAR)
            looks += 1
            pids = self.members()
            found = self.excess(pids)
            if found is None and looks % _LOOKS_AT_FILES == 0:
                found = await self._excess_of_files(pids)
            if found is not None:
                return found

    def excess(self, pids: Sequence[int] | None = None) -> str | None:
        """The limit of memory or processes that the program is past, if it is."""
        bounds = self.sandbox.bounds
        if self.group is not None and self.group.ran_out_of_memory():
            return f"went past its memory limit of {shown(bounds.memory)}"
        if bounds.memory is None and bounds.processes is None:
            return None
        pids = self.members() if pids is None else pids
        used = usage.measure(pids)
        if bounds.memory is not None and used.memory > bounds.memory:
            # Slow to read, so it is read only where it decides: pages that processes share count once.
            memory = usage.proportional(pids) or used.memory
            if memory > bounds.memory:
                return f"held {shown(memory)} of memory; the limit is {shown(bounds.memory)}"
        if bounds.processes is not None and used.processes > bounds.processes:
            return f"ran {used.processes} processes and threads; the limit is {bounds.processes}"
        return None

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
                await tree.kill_tree(self.pid)
                self.poll()
                tree.forget(self.pid)
                self._is_dissolved = True
                if self.confinement is not None:
                    # What resists is left to the next run; it is no reason to void a game.
                    with contextlib.suppress(OSError):
                        await trio.to_thread.run_sync(self.confinement.dissolve)
                elif self.group is not None:
                    self.group.remove()

    def abandon(self) -> None:
        """The same without an event loop: for trial starts that are over already."""
        while tree.kill_once(self.pid):
            self.process.wait()
        self.process.wait()
        tree.release(self.pid)
        tree.forget(self.pid)
        if self.confinement is not None:
            self.confinement.dissolve()


def shown(size: int | None) -> str:
    return f"{(size or 0) / MIB:.0f} MiB"


def launch_wrapped(
    wrap: Sequence[str], argv: Sequence[str], directory: Path, env: Mapping[str, str], sandbox: Sandbox
) -> Program:
    """Start ``argv`` through the words of ``wrap``, such as a debugger, which may get the terminal.

    Raises:
        StartError: as ``launch`` does.
    """
    if sandbox.level is not Level.NONE or not wants_terminal(wrap):
        return launch((*wrap, *argv), directory, env, sandbox)
    marker = new_marker()
    try:
        process, console = start_in_debugger(
            wrap, argv, directory, {**inherited(), **env, tree.MARKER: marker}
        )
    except (OSError, ValueError) as error:
        raise StartError(_explain(error, wrap[0], directory)) from error
    tree.adopt(process.pid, marker)
    return Program(process, sandbox, console=console)


def launch(
    argv: Sequence[str],
    directory: Path,
    env: Mapping[str, str],
    sandbox: Sandbox | None = None,
    *,
    stdin: int = subprocess.PIPE,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> Program:
    """Start ``argv`` in ``directory``, held back as ``sandbox`` says (not at all when left out).

    ``env`` is added to the environment: at level ``none`` to the ``inherited`` one, else to the little
    that every program gets. Runs on the calling thread: a program started from a worker thread
    would be killed with that thread wherever a parent-death signal is set. Takes about a
    millisecond; a confined program is reached some ten milliseconds later.

    Raises:
        StartError: when the system refuses, with the reason in words. What a confined program
            finds out only then is told by ``Program.trouble``.
    """
    sandbox = sandbox or Sandbox()
    marker = new_marker()
    streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
    if sandbox.level is Level.NONE:
        whole = {**inherited(), **env, tree.MARKER: marker}
        process = _spawn(argv, list(argv), directory, whole, streams, cwd=directory)
        group = _join_group(process.pid, marker, sandbox.bounds)
        tree.adopt(process.pid, marker, group)
        return Program(process, sandbox, group=group)
    if fault := fault_of_command(argv[0], directory, env.get("PATH")):
        raise StartError(fault)
    ends = _Ends.open(stdin, stdout) if sandbox.level is Level.JAIL else _Ends()
    try:
        confinement = confine(argv, directory, env, sandbox, marker, ends.inner)
    except (OSError, ValueError) as error:
        ends.close()
        raise StartError(f"{argv[0]}: it cannot be confined: {error}") from error
    clean = {**confinement.env, tree.MARKER: marker}
    streams |= {name: subprocess.DEVNULL for number, name in enumerate(streams) if number in ends.inner}
    try:
        process = _spawn(argv, confinement.command, directory, clean, streams, pass_fds=confinement.passed)
    except StartError:
        confinement.dissolve()
        ends.close_outer()
        raise
    confinement.started()
    ends.hand_over(process)
    os.set_blocking(confinement.report, False)
    tree.adopt(process.pid, marker, confinement.group)
    return Program(process, sandbox, confinement.applied, confinement.group, confinement)


def _spawn(
    argv: Sequence[str],
    command: list[str],
    directory: Path,
    env: Mapping[str, str],
    streams: Mapping[str, int],
    *,
    cwd: Path | None = None,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start ``command``, which is or leads to ``argv``. Raises StartError."""
    try:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=streams["stdin"],
            stdout=streams["stdout"],
            stderr=streams["stderr"],
            bufsize=0,
            start_new_session=True,
            pass_fds=pass_fds,
        )
    except (OSError, ValueError) as error:
        raise StartError(_explain(error, argv[0], directory)) from error


@dataclass(frozen=True, slots=True)
class _Ends:
    """Pipes of our own making: the program's ends by the number they will have there, and ours."""

    inner: dict[int, int] = field(default_factory=dict)
    outer: dict[int, int] = field(default_factory=dict)

    @classmethod
    def open(cls, stdin: int, stdout: int) -> "_Ends":
        """Make those that are wanted as pipes."""
        ends = cls()
        if stdin == subprocess.PIPE:
            ends.inner[0], ends.outer[0] = os.pipe()
        if stdout == subprocess.PIPE:
            ends.outer[1], ends.inner[1] = os.pipe()
        return ends

    def hand_over(self, process: subprocess.Popen[bytes]) -> None:
        """Let ``process`` have them as if it had made them."""
        if 0 in self.outer:
            process.stdin = os.fdopen(self.outer[0], "wb", 0)
        if 1 in self.outer:
            process.stdout = os.fdopen(self.outer[1], "rb", 0)

    def close(self) -> None:
        for descriptor in self.inner.values():
            os.close(descriptor)
        self.close_outer()

    def close_outer(self) -> None:
        for descriptor in self.outer.values():
            os.close(descriptor)


def _join_group(pid: int, marker: str, bounds: Bounds) -> cgroup.Group | None:
    """Put a program that is to be bounded into a group of its own, a moment after it began."""
    place = cgroup.find_place() if (bounds.memory, bounds.processes) != (None, None) else None
    group = cgroup.make(place, marker) if place is not None else None
    if group is None:
        return None
    try:
        group.limit(bounds.memory, bounds.processes)
        group.add(pid)
    except OSError:
        group.remove()
        return None
    return group


def _explain(error: OSError | ValueError, word: str, directory: Path) -> str:
    """Say why ``word`` did not start, from what the file system shows."""
    if fault := fault_of_command(word, directory):
        return fault
    if isinstance(error, ValueError):
        return f"{word!r} cannot be a command: {error}"
    reason = error.strerror or str(error)
    if error.errno == errno.ENOEXEC:
        reason = "the system cannot execute it: built for another machine, or a script without a #! line"
    return f"{directory / (shutil.which(word) or word)}: {reason}"


def fault_of_command(word: str, directory: Path, search: str | None = None) -> str | None:
    """What is wrong with a command before it is tried, as far as the file system shows it."""
    if not directory.is_dir():
        return f"its directory {directory} does not exist"
    if "\0" in word:
        return f"{word!r} cannot be a command: embedded null byte"
    path = Path(word) if os.sep in word else None
    if path is None:
        found = shutil.which(word, path=search)
        if found is None:
            return f"{word}: no such command on PATH; write ./{word} for a file of your own"
        path = Path(found)
    try:
        fault = _fault_of_file(directory / path)
    except OSError as trouble:
        fault = trouble.strerror
    return f"{path}: {fault}" if fault else None


def _fault_of_file(path: Path) -> str | None:
    if not path.exists():
        return "no such file; is it built, and is the path right?"
    if path.is_dir():
        return "this is a directory; name the program in it"
    if not path.is_file():
        return "this is no program but a device, a pipe or a socket"
    if not os.access(path, os.X_OK):
        interpreter = {".py": "python3", ".js": "node", ".pl": "perl", ".sh": "sh"}.get(path.suffix)
        start = f", or start it as `{interpreter} {path.name}`" if interpreter else ""
        return f"not executable; run `chmod +x {path.name}`{start}"
    try:
        with path.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return None
    if first.startswith(b"#!"):
        if first.rstrip(b"\n").endswith(b"\r"):
            return "its #! line ends in a carriage return (Windows line ends); convert it, e.g. with dos2unix"
        interpreter = first[2:].split()[0].decode(errors="replace") if first[2:].split() else ""
        if not Path(interpreter).is_file():
            return f"its #! line names {interpreter or 'nothing'}, which cannot be started"
    return None
