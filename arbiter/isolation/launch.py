"""Starting a program with three pipes, in a session of its own, and naming why it would not start."""

import errno
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arbiter.isolation import cgroup, mark, tree
from arbiter.isolation.confine import confine
from arbiter.isolation.console import start_in_debugger, wants_terminal
from arbiter.isolation.environment import inherited
from arbiter.isolation.owner import new_marker
from arbiter.isolation.program import Program
from arbiter.isolation.resources import hand_down, needed_for, refused
from arbiter.isolation.sandbox import Bounds, Level, Sandbox


class StartError(Exception):
    """A program could not be started; the text says which, why, and what to do."""


def launch_wrapped(
    wrap: Sequence[str], argv: Sequence[str], directory: Path, env: Mapping[str, str], sandbox: Sandbox
) -> Program:
    """Start ``argv`` through the words of ``wrap``, such as a debugger, which may get the terminal.

    Raises:
        StartError, ResourceError: as ``launch`` does.
    """
    if sandbox.level is not Level.NONE or not wants_terminal(wrap):
        return launch((*wrap, *argv), directory, env, sandbox)
    try:
        with needed_for(f"starting {wrap[0]}"):
            marker = new_marker()
            mark.prepare()
            process, console = start_in_debugger(
                wrap, argv, directory, {**inherited(), **env, tree.MARKER: marker}
            )
    except (OSError, ValueError) as error:
        raise StartError(_explain(error, wrap[0], directory)) from error
    tree.adopt(process.pid, marker)
    hand_down(process.pid)
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
        ResourceError: when the machine has not what the arbiter needs for that.
    """
    sandbox = sandbox or Sandbox()
    with needed_for(f"starting {argv[0]}"):
        marker = new_marker()
    streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
    if sandbox.level is Level.NONE:
        whole = {**inherited(), **env, tree.MARKER: marker}
        process = _spawn(argv, list(argv), directory, whole, streams, cwd=directory)
        tree.adopt(process.pid, marker)
        hand_down(process.pid)
        group = _join_group(process.pid, marker, sandbox.bounds)
        tree.hold(process.pid, group)
        return Program(process, sandbox, group=group)
    if fault := fault_of_command(argv[0], directory, env.get("PATH")):
        raise StartError(fault)
    ends = _Ends()
    try:
        if sandbox.level is Level.JAIL:
            ends.open(stdin, stdout)
        confinement = confine(argv, directory, env, sandbox, marker, ends.inner)
    except (OSError, ValueError) as error:
        ends.close()
        if isinstance(error, OSError):
            raise refused(error, f"confining {argv[0]}") from error
        raise StartError(f"{argv[0]}: it cannot be confined: {error}") from error
    clean = {**confinement.env, tree.MARKER: marker}
    streams |= {name: subprocess.DEVNULL for number, name in enumerate(streams) if number in ends.inner}
    try:
        process = _spawn(argv, confinement.command, directory, clean, streams, pass_fds=confinement.passed)
    except BaseException:
        confinement.dissolve()
        ends.close_outer()
        raise
    tree.adopt(process.pid, marker, confinement.group)
    confinement.started()
    ends.hand_over(process)
    os.set_blocking(confinement.report, False)
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
    """Start ``command``, which is or leads to ``argv``. Raises StartError and ResourceError."""
    mark.prepare()
    try:
        with needed_for(f"starting {argv[0]}"):
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

    def open(self, stdin: int, stdout: int) -> None:
        """Make those that are wanted as pipes. Raises OSError; some may be open then."""
        if stdin == subprocess.PIPE:
            self.inner[0], self.outer[0] = os.pipe()
        if stdout == subprocess.PIPE:
            self.outer[1], self.inner[1] = os.pipe()

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
