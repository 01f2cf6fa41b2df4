"""A directory of its own for each start of a program, removed when the program is gone."""

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from arbiter.isolation.owner import is_orphaned


def make(marker: str, uid: int | None = None) -> Path:
    """A fresh directory that only its owner, ``uid`` or the caller, can enter."""
    path = root() / marker
    path.mkdir(mode=0o700)
    if uid is not None:
        os.chown(path, uid, uid)
    return path


def root() -> Path:
    """Where all scratch directories of this user lie; made when it is missing.

    Raises:
        OSError: when somebody else took its name.
    """
    path = Path(tempfile.gettempdir()).resolve() / f"dvonn-arbiter-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o711)
        path.chmod(0o711)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise OSError(0, f"{path} is not ours")
    return path


def remove(path: Path) -> None:
    """Take a directory away with all that is in it, also what was made unreadable."""
    if sys.version_info >= (3, 12):
        shutil.rmtree(path, onexc=_open_up)
    else:
        shutil.rmtree(path, onerror=_open_up)


def _open_up(function: Callable[..., Any], path: str, _: object) -> None:
    """Give ourselves the rights that the program took away, and try once more."""
    with contextlib.suppress(OSError):
        parent = Path(path).parent
        parent.chmod(0o700)
        if function in (os.scandir, os.open, os.lstat) or Path(path).is_dir():
            Path(path).chmod(0o700)
            shutil.rmtree(path, ignore_errors=True)
        else:
            function(path)


def left_behind() -> Iterator[Path]:
    """Directories of arbiters that are gone."""
    with contextlib.suppress(OSError):
        for path in root().iterdir():
            if is_orphaned(path.name):
                yield path
