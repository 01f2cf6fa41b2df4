"""Reading the kernel's small files about processes quickly: games are under way meanwhile.

``pathlib`` and buffered files would take several times as long. One descriptor is kept for the time when
no other is left: what was started has to be found then, or it could not be killed.
"""

import contextlib
import errno
import os
from collections.abc import Callable
from typing import TypeVar

_ENOUGH = 4096
_GONE = (errno.ESRCH, errno.ENOENT, errno.EINVAL)
"""What the kernel says of a process that has ended; EINVAL of its clock."""
T = TypeVar("T")

_kept: list[int] = []


def keep_descriptor() -> None:
    """Keep a descriptor in reserve, unless there is one already."""
    if not _kept:
        with contextlib.suppress(OSError):
            _kept.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))


def _insist(look: Callable[[str], T], path: str) -> T:
    """Look at a path, with the descriptor in reserve if there is no other."""
    try:
        return look(path)
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE) or not _kept:
            raise
    os.close(_kept.pop())
    try:
        return look(path)
    finally:
        keep_descriptor()


def read(path: str) -> bytes:
    """The beginning of a file, up to 4096 bytes.

    Raises:
        OSError: when the process is gone, or is not ours to look at.
    """
    return _insist(_read, path)


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _ENOUGH)
    finally:
        os.close(descriptor)


def _list(path: str) -> list[str]:
    """The names in a directory, a few microseconds each.

    Raises:
        OSError: as ``read`` does.
    """
    return _insist(os.listdir, path)


def raise_unless_gone(error: OSError) -> None:
    """Raise the error of a look again, unless it says that the process or thread is gone."""
    if error.errno not in _GONE:
        raise error


def stat(pid: int) -> list[bytes]:
    """The fields of ``/proc/PID/stat`` from the state on (the third; see ``man 5 proc``).

    Raises:
        OSError: when there is no such process.
    """
    # The command's name is in parentheses and may hold anything, so count from the last one.
    return read(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def has_ended(fields: list[bytes]) -> bool:
    """Whether a process is dead, by its ``stat``.

    One whose first thread has ended while others go on is a zombie by its state, too.
    """
    return fields[STATE] in DEAD and int(fields[THREADS]) <= 1


def speaker(pid: int, fields: list[bytes]) -> int:
    """The number under which the memory and the environment of a process with these fields are found: its
    own, or that of another thread when the first has ended.

    Raises:
        OSError: when the process is gone.
    """
    if fields[STATE] not in DEAD:
        return pid
    return next((int(thread) for thread in _list(f"/proc/{pid}/task") if int(thread) != pid), pid)


def environment(pid: int) -> list[bytes]:
    """What a process was started with, ``NAME=value`` each.

    Raises:
        OSError: when it is gone, or is not ours to look at.
    """
    return whole(f"/proc/{speaker(pid, stat(pid))}/environ").split(b"\0")


def children(pid: int) -> list[int]:
    """The children of a process, of each of its threads; none when it is gone."""
    found: list[int] = []
    try:
        for thread in _list(f"/proc/{pid}/task"):
            found += map(int, whole(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass
    return found


def whole(path: str) -> bytes:
    """A file to its end.

    Raises:
        OSError: as ``read`` does.
    """
    return _insist(_read_whole, path)


def _read_whole(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        text = b""
        while part := os.read(descriptor, 65_536):
            text += part
        return text
    finally:
        os.close(descriptor)


STATE, PARENT, SESSION, CHILDREN_USER, CHILDREN_SYSTEM, THREADS, BEGAN = 0, 1, 3, 13, 14, 17, 19
"""Places in what ``stat`` gives."""
DEAD = (b"Z", b"X")
