"""Starting a program with three pipes, in a session of its own, and naming why it would not start."""

import errno
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from arbiter.isolation import tree

_EXIT_POLL = 0.01

_numbers = itertools.count(1)


class StartError(Exception):
    """A program could not be started; the text says which, why, and what to do."""


@dataclass(slots=True)
class Program:
    """A started program: the process and the marker by which its orphans are known."""

    process: subprocess.Popen[bytes]
    marker: str

    @property
    def pid(self) -> int:
        return self.process.pid

    def poll(self) -> int | None:
        """The exit status if the root process has ended (negative: the signal that ended it)."""
        status = self.process.poll()
        if status is not None:
            tree.release(self.pid)
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

    def signal(self, number: int) -> None:
        """Send a signal to every process of the tree."""
        tree.signal_all(self.pid, self.marker, number)

    async def kill(self) -> None:
        """Kill the whole tree and wait until nothing of it is left. Not cancellable."""
        await tree.kill_tree(self.pid, self.marker)
        self.poll()


def launch(
    argv: Sequence[str],
    directory: Path,
    env: Mapping[str, str],
    *,
    stdin: int = subprocess.PIPE,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> Program:
    """Start ``argv`` in ``directory`` with ``env`` added to the environment.

    Runs on the calling thread: a program started from a worker thread would be killed with that
    thread wherever a parent-death signal is set. Takes about a millisecond.

    Raises:
        StartError: when the system refuses, with the reason in words.
    """
    marker = f"{os.getpid()}.{next(_numbers)}"
    try:
        process = subprocess.Popen(
            list(argv),
            cwd=directory,
            env={**os.environ, **env, tree.MARKER: marker},
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise StartError(_explain(error, argv[0], directory)) from error
    tree.adopt(process.pid, marker)
    return Program(process, marker)


def _explain(error: OSError | ValueError, word: str, directory: Path) -> str:
    """Say why ``word`` did not start, from what the file system shows."""
    if not directory.is_dir():
        return f"its directory {directory} does not exist"
    if isinstance(error, ValueError):
        return f"{word!r} cannot be a command: {error}"
    path = Path(word) if os.sep in word else None
    if path is None:
        found = shutil.which(word)
        if found is None:
            return f"{word}: no such command on PATH; write ./{word} for a file of your own"
        path = Path(found)
    try:
        return f"{path}: {_explain_file(error, directory / path)}"
    except OSError as trouble:
        return f"{path}: {trouble.strerror}"


def _explain_file(error: OSError, path: Path) -> str:
    if not path.exists():
        return "no such file; is it built, and is the path right?"
    if path.is_dir():
        return "this is a directory; name the program in it"
    if not path.is_file():
        return "this is no program but a device, a pipe or a socket"
    if not os.access(path, os.R_OK):
        return "no permission to read it"
    with path.open("rb") as file:
        first = file.readline(256)
    if not os.access(path, os.X_OK):
        interpreter = {".py": "python3", ".js": "node", ".pl": "perl", ".sh": "sh"}.get(path.suffix)
        start = f", or start it as `{interpreter} {path.name}`" if interpreter else ""
        return f"not executable; run `chmod +x {path.name}`{start}"
    if first.startswith(b"#!"):
        if first.rstrip(b"\n").endswith(b"\r"):
            return "its #! line ends in a carriage return (Windows line ends); convert it, e.g. with dos2unix"
        interpreter = first[2:].split()[0].decode(errors="replace") if first[2:].split() else ""
        return f"its #! line names {interpreter or 'nothing'}, which cannot be started"
    if error.errno == errno.ENOEXEC:
        return "the system cannot execute it: built for another machine, or a script without a #! line"
    return error.strerror or str(error)
