"""Landlock: which files a program may touch, refused by the kernel to itself and all its children.

An allow list of directories, see ``linux/landlock.h``. What a kernel does not know yet is left
out: from its version 4 on it can refuse TCP, from version 6 on signals to processes outside.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from arbiter.isolation.resources import reraise_lack

_CREATE = 444
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_FILE_ONLY = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_BITS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP, _SCOPES = 0b11, 0b11

READ = _EXECUTE | _READ_FILE | _READ_DIR
LIST = _READ_DIR
USE = _READ_FILE | _WRITE_FILE
"""For devices such as ``/dev/null``."""


@cache
def version() -> int:
    """The version of the kernel's interface; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(_CREATE, None, 0, 1)))


def stops_signals() -> bool:
    return version() >= 6


def everything() -> int:
    """All rights over files that this kernel can refuse."""
    return (1 << _BITS_BY_VERSION[min(version(), max(_BITS_BY_VERSION))]) - 1


def ruleset(paths: Iterable[tuple[Path, int]]) -> dict[str, object]:
    """What the trampoline needs: ``paths`` with the rights that are granted beneath each."""
    attributes = struct.pack("=Q", everything())
    if version() >= 4:
        attributes += struct.pack("=Q", _TCP)
    if version() >= 6:
        attributes += struct.pack("=Q", _SCOPES)
    rules = []
    for path, access in paths:
        access &= everything() if path.is_dir() else _FILE_ONLY & everything()
        rules.append((os.fspath(path), access))
    return {"attributes": attributes, "paths": rules}


def around(path: Path, hidden: Iterable[Path]) -> Iterator[tuple[Path, int]]:
    """Grant reading beneath ``path`` but not beneath the ``hidden`` ones, whose names can still be listed."""
    for name, access in _around(os.fspath(path), [os.fspath(each) for each in hidden]):
        yield Path(name), access


def _around(path: str, hidden: list[str]) -> Iterator[tuple[str, int]]:
    # On texts, since a directory may have many entries and clocks are running meanwhile.
    inside = [each for each in hidden if each == path or each.startswith(path.rstrip("/") + "/")]
    if not inside:
        yield path, READ
        return
    if path in inside:
        return
    try:
        with os.scandir(path) as entries:
            # Through a link the kernel sees where it leads; that has to be granted for itself.
            below = [entry.path for entry in entries if not entry.is_symlink()]
    except OSError as error:
        reraise_lack(error)
        return
    yield path, LIST
    for entry in below:
        yield from _around(entry, inside)
