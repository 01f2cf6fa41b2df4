"""A directory of its own for each start of a program, removed when the program is gone."""

import contextlib
import errno
import itertools
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arbiter.isolation.owner import is_orphaned

_raised = itertools.count(1)


def make(marker: str, uid: int | None = None) -> Path:
    """A fresh directory that only its owner, ``uid`` or the caller, can enter."""
    path = root() / marker
    path.mkdir(mode=0o700)
    if uid is not None:
        try:
            os.chown(path, uid, uid)
        except OSError:
            path.rmdir()
            raise
    return path


def root() -> Path:
    """Where all scratch directories of this user lie; made when it is missing.

    Raises:
        OSError: when there is no room for it, or somebody else took its name.
    """
    path = place() / f"dvonn-arbiter-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o711)
        path.chmod(0o711)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise OSError(0, f"{path} is not ours")
    return path


def place() -> Path:
    """Where the system keeps temporary files.

    Raises:
        OSError: when there is no room for any.
    """
    try:
        return Path(tempfile.gettempdir()).resolve()
    except FileNotFoundError as error:
        # It tried to write in all of them: most likely there is no room.
        raise OSError(errno.ENOSPC, error.strerror) from error


def remove(path: Path) -> None:
    """Take a directory away with all that is in it, whatever was made of it.

    A program may have nested directories thousands deep, longer than any path may be, or taken
    rights away. So deep ones are first moved up beside ``path``, one level at a time; nothing here
    recurses. What resists stays, and is found by the next run.
    """
    heap = [path]
    with contextlib.suppress(OSError):
        path.rmdir()  # mostly it is empty, and to look into it takes a descriptor
    with contextlib.suppress(OSError):
        while heap:
            top = heap[-1]
            inner = _emptied(top, path.parent)
            if inner is None:
                top.rmdir()
                heap.pop()
            else:
                heap.append(inner)


def _emptied(directory: Path, beside: Path) -> Path | None:
    """Remove the files of a directory; of directories in it, bring the first up beside its parents."""
    directory.chmod(0o700)
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                raised = beside / f"{directory.name.partition('~')[0]}~{next(_raised)}"
                # A directory whose parent link changes has to be writable itself.
                os.chmod(entry.path, 0o700)  # noqa: PTH101 (it was named as a text)
                return Path(entry.path).rename(raised)
            os.unlink(entry.path)  # noqa: PTH108 (as above)
    return None


def left_behind() -> Iterator[Path]:
    """Directories of arbiters that are gone."""
    with contextlib.suppress(OSError):
        for path in root().iterdir():
            if is_orphaned(path.name.partition("~")[0]):
                yield path
