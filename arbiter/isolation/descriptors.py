"""What a process has open: files that it may write, and sockets that lead out of the machine."""

import contextlib
import os
import stat
from collections.abc import Collection, Iterator
from typing import NamedTuple

from arbiter.isolation import proc

_NO_FILES = ("/proc/", "/sys/", "/memfd:", "/anon_hugepage")
_DEVICES, _SHARED_MEMORY = "/dev/", "/dev/shm/"
_DELETED = " (deleted)"
_SOCKET = "socket:["
_TABLES = ("tcp", "tcp6", "udp", "udp6")
_LOCAL, _REMOTE, _STATE, _INODE = 1, 2, 3, 9
_LISTENING = "0A"


class Open(NamedTuple):
    """``written`` are paths of regular files open for writing, ``sockets`` the inodes of sockets."""

    written: tuple[str, ...]
    sockets: tuple[str, ...]


def look(pid: int) -> Open:
    """What a process has open now; nothing when it is gone or is not ours to look at."""
    written, sockets = [], []
    with contextlib.suppress(OSError):
        for number in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208 (see proc)
            with contextlib.suppress(OSError, ValueError):
                target = os.readlink(f"/proc/{pid}/fd/{number}")  # noqa: PTH115 (as above)
                if target.startswith(_SOCKET):
                    sockets.append(target[len(_SOCKET) : -1])
                elif _is_file(target) and _may_write(pid, number):
                    written.append(target.removesuffix(_DELETED))
    return Open(tuple(written), tuple(sockets))


def _is_file(target: str) -> bool:
    if target.startswith(_DEVICES):
        return target.startswith(_SHARED_MEMORY)
    return target.startswith("/") and not target.startswith(_NO_FILES)


def _may_write(pid: int, number: str) -> bool:
    """Whether a descriptor is one of a regular file, and not for reading only."""
    fields = proc.read(f"/proc/{pid}/fdinfo/{number}").split()
    flags = int(fields[fields.index(b"flags:") + 1], 8)
    mode = os.stat(f"/proc/{pid}/fd/{number}").st_mode  # noqa: PTH116 (see proc)
    return flags & os.O_ACCMODE != os.O_RDONLY and stat.S_ISREG(mode)


def internet(pid: int, sockets: Collection[str]) -> Iterator[str]:
    """Those of the sockets that are internet ones, in words: ``TCP port 4000``, ``TCP from port 40312``."""
    for table in _TABLES:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/net/{table}") as lines:  # noqa: PTH123 (see proc)
            for line in lines:
                fields = line.split()
                if len(fields) > _INODE and fields[_INODE] in sockets:
                    yield _in_words(table[:3].upper(), fields)


def _in_words(kind: str, fields: list[str]) -> str:
    port, other = (int(fields[place].rpartition(":")[2], 16) for place in (_LOCAL, _REMOTE))
    if other and fields[_STATE] != _LISTENING:
        return f"{kind} to port {other}"
    return f"{kind} port {port}"
