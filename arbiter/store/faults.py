"""What can go wrong with the results on disk: one message with its place, and a remedy."""

import contextlib
import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from arbiter.isolation.resources import ResourceError, lack_behind

FILE_NAME = "league.db"
"""The database in a results directory."""

AGAIN = "run the same command again"
ELSEWHERE = "choose another results directory"
MEND = (
    f"put a copy of {FILE_NAME} back, save what `sqlite3 {FILE_NAME} .recover` can still read, or {ELSEWHERE}"
)
_NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_PRIMARY = 0xFF
"""The part of an SQLite error code that says the kind; the rest tells details."""


class StoreError(Exception):
    """The results cannot be read or written; the text says where and why, ``remedy`` what to do."""

    def __init__(self, message: str, remedy: str | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy


@contextlib.contextmanager
def explaining(directory: Path) -> Iterator[None]:
    """Turn errors of the file system and of SQLite into a StoreError.

    Raises:
        ResourceError: when the machine lacked something for it, such as room on the disk.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise _no_room(directory) from error
        if lack := lack_behind(error):
            raise lack from error
        raise _of_system(directory, error) from error
    except sqlite3.DatabaseError as error:
        if kind_of(error) == sqlite3.SQLITE_FULL:
            raise _no_room(directory / FILE_NAME) from error
        raise _of_database(directory / FILE_NAME, error) from error


def damaged_game(directory: Path, number: int, error: Exception) -> StoreError:
    """For a game of which something makes no sense."""
    return StoreError(f"{directory / FILE_NAME}: game {number} is damaged: {error}", MEND)


def damaged(path: Path, why: str) -> StoreError:
    """For a database that is not what was written."""
    return StoreError(f"{path} is damaged: {why}; it is left as it is", MEND)


def _of_system(place: Path, error: OSError) -> StoreError:
    """For what the operating system refused."""
    if error.errno in _NO_LOCKS:
        return StoreError(
            f"{place}: this file system has no locks, which keep two runs apart ({error.strerror})",
            "choose a results directory on a local disk",
        )
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return StoreError(
            f"{place}: cannot keep results here: {error.strerror}", f"make it writable, or {ELSEWHERE}"
        )
    return StoreError(f"{place}: cannot keep results here: {error.strerror}", ELSEWHERE)


def _no_room(place: Path) -> ResourceError:
    return ResourceError(errno.ENOSPC, f"{place}: the disk is full", "make room")


def kind_of(error: sqlite3.Error) -> int | None:
    """SQLite's code for the kind of an error; None for those that Python raises itself."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY


def _of_database(path: Path, error: sqlite3.DatabaseError) -> StoreError:
    match kind_of(error):
        case None:
            # About a text that is no UTF-8; the message quotes it, whatever it may hold.
            return damaged(path, "a text in it cannot be read")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_FORMAT:
            return damaged(path, str(error))
        case sqlite3.SQLITE_ERROR if "no such" in str(error):
            return damaged(path, str(error))
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return StoreError(f"{path}: cannot be written: {error}", f"make it writable, or {ELSEWHERE}")
        case sqlite3.SQLITE_CANTOPEN:
            return StoreError(f"{path}: cannot be opened: {error}", f"see who may read it, or {ELSEWHERE}")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError(f"{path}: another program keeps it locked", f"end that program, then {AGAIN}")
        case sqlite3.SQLITE_CONSTRAINT:
            return StoreError(
                f"{path}: another program wrote to it meanwhile ({error}); the games stored before are not "
                "touched",
                f"see that one run at a time uses these results, then {AGAIN}",
            )
        case sqlite3.SQLITE_IOERR:
            return StoreError(
                f"{path}: the file system failed: {error}",
                f"see whether the disk is full or failing, then {AGAIN}: no stored game is touched",
            )
    return StoreError(f"{path}: {error}; the games stored before are not touched", AGAIN)
