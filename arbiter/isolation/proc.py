"""Reading the kernel's small files about processes quickly: games are under way meanwhile.

``pathlib`` and buffered files would take several times as long.
"""

import os

_ENOUGH = 4096


def read(path: str) -> bytes:
    """The beginning of a file, up to 4096 bytes.

    Raises:
        OSError: when the process is gone, or is not ours to look at.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _ENOUGH)
    finally:
        os.close(descriptor)


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
    return next((int(thread) for thread in os.listdir(f"/proc/{pid}/task") if int(thread) != pid), pid)  # noqa: PTH208


def environment(pid: int) -> list[bytes]:
    """What a process was started with, ``NAME=value`` each.

    Raises:
        OSError: when it is gone, or is not ours to look at.
    """
    return read_whole(f"/proc/{speaker(pid, stat(pid))}/environ").split(b"\0")


def children(pid: int) -> list[int]:
    """The children of a process, of each of its threads; none when it is gone."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            found += map(int, read_whole(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass
    return found


def read_whole(path: str) -> bytes:
    """All of a file. Raises OSError as ``read`` does."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        text = b""
        while part := os.read(descriptor, 65_536):
            text += part
        return text
    finally:
        os.close(descriptor)


STATE, PARENT, SESSION, THREADS, BEGAN = 0, 1, 3, 17, 19
"""Places in what ``stat`` gives."""
DEAD = (b"Z", b"X")
