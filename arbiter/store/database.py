"""The SQLite file of a results directory: made, opened to write by one process, or to read by any number.

It is made under another name and renamed when it is complete, so that a file of its own name always
was a whole database; what is none is refused and left as it is.
"""

import contextlib
import errno
import fcntl
import os
import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from arbiter.store import schema
from arbiter.store.faults import AGAIN, ELSEWHERE, FILE_NAME, StoreError, damaged, explaining, kind_of

LOCK_NAME = "league.lock"
_UNFINISHED = f"{FILE_NAME}.new"
_JOURNALS = (f"{FILE_NAME}-wal", f"{FILE_NAME}-journal")
_SHARED = f"{FILE_NAME}-shm"
FILES = (*_JOURNALS, _SHARED, _UNFINISHED, FILE_NAME, LOCK_NAME)
"""All that may lie in a results directory because of the database; its journals before itself."""

_PATIENCE = 30.0
"""Seconds that one waits for another process to let go of the file."""
_CHECKED = 100 * 2**20
"""Bytes up to which a database is looked through before it is written to: a tenth of a second."""
_NETWORK = {
    "9p", "afs", "beegfs", "ceph", "cifs", "fuse.ceph", "fuse.glusterfs", "fuse.sshfs", "glusterfs", "gpfs",
    "lustre", "nfs", "nfs4", "smb3", "smbfs", "vboxsf",
}  # fmt: skip
_MOUNTS = Path("/proc/self/mountinfo")


def open_to_write(directory: Path) -> tuple[sqlite3.Connection, int]:
    """The connection, and the lock that keeps other runs away; the database is made if there is none.

    Raises:
        StoreError: when another run holds the directory, or it cannot be written.
    """
    with explaining(directory):
        directory.mkdir(parents=True, exist_ok=True)
        lock = _take_lock(directory)
    try:
        with explaining(directory):
            if not (directory / FILE_NAME).exists():
                _make(directory)
            return _open_existing(directory), lock
    except BaseException:
        os.close(lock)
        raise


def open_to_read(directory: Path) -> sqlite3.Connection:
    """A connection that cannot write, also while a run is writing.

    Raises:
        StoreError: when there is no database, or it cannot be read.
    """
    path = directory / FILE_NAME
    with explaining(directory):
        if not path.exists():
            raise StoreError(f"{directory}: no results here ({FILE_NAME} is missing)")
        _require_content(path)
        try:
            return _shown(_connect(path, "ro"), path)
        except sqlite3.OperationalError as error:
            if kind_of(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
        if os.access(directory, os.W_OK):
            # What a killed run left half done is put right by whoever may write.
            return _shown(_connect(path, "rw"), path)
        _require_no_journal(directory)
        # Where nothing can be written, not even the file through which processes share their journal,
        # nobody else is writing either.
        return _shown(_connect(path, "ro", "&immutable=1"), path)


def _connect(path: Path, mode: str, more: str = "") -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode={mode}{more}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=_PATIENCE,
    )
    connection.row_factory = sqlite3.Row
    return connection


def _shown(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """For reading alone, in the shape of the latest schema."""
    try:
        _require_ours(connection, path)
        schema.show_as_current(connection)
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


# In use


def identities(directory: Path) -> dict[str, tuple[int, int]]:
    """Device and inode of the files that must stay in their places while a run goes on, by name."""
    found = {}
    for name in (FILE_NAME, _JOURNALS[0], LOCK_NAME):
        with contextlib.suppress(OSError):
            status = (directory / name).stat()
            found[name] = (status.st_dev, status.st_ino)
    return found


def require_in_place(directory: Path, before: Mapping[str, tuple[int, int]]) -> None:
    """See that files are those they were ``before``: SQLite would write on into one without a name.

    Raises:
        StoreError: when one was deleted or replaced.
    """
    now = identities(directory)
    for name, identity in before.items():
        if now.get(name) != identity:
            raise StoreError(
                f"{directory / name} was {'replaced' if name in now else 'deleted'} while this run was using "
                "it, so that no further game can be stored",
                f"keep other programs away from {directory}, then {AGAIN}",
            )


# Making


def _make(directory: Path) -> None:
    """A new database; only whole does it get its name."""
    _require_no_journal(directory)
    path = directory / _UNFINISHED
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        schema.create(connection)
    finally:
        connection.close()
    path.rename(directory / FILE_NAME)
    _sync(directory)


def _sync(directory: Path) -> None:
    """Make sure that a new name outlives a power cut."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        # Some file systems cannot do it for directories, and do not need it.
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_no_journal(directory: Path) -> None:
    """Games may be in a journal that a killed run left; it means nothing without its database."""
    for name in _JOURNALS:
        with contextlib.suppress(FileNotFoundError):
            if (directory / name).stat().st_size:
                raise _left_journal(directory, name)


def _left_journal(directory: Path, name: str) -> StoreError:
    if (directory / FILE_NAME).exists():
        return StoreError(
            f"{directory}: a run that was killed left games in {name}, which cannot be read where nothing "
            "can be written",
            "copy the whole directory to another place, and use it there",
        )
    return StoreError(
        f"{directory}: {FILE_NAME} is missing, but its journal {name} is there",
        f"put {FILE_NAME} back; or remove {name}, too, to begin anew",
    )


# Opening


def _open_existing(directory: Path) -> sqlite3.Connection:
    path = directory / FILE_NAME
    _require_content(path)
    connection = _connect(path, "rw")
    try:
        if not _writes_ahead(connection, path):
            _use_old_journal(connection, path)
        connection.execute("PRAGMA synchronous = FULL")
        schema.upgrade(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _writes_ahead(connection: sqlite3.Connection, path: Path) -> bool:
    """Choose to write ahead, so that one can read while another writes; whether that works here.

    It needs memory that processes share, which file systems over a network and some mounts do not
    have, though they may say otherwise.
    """
    if is_network(path.parent):
        return False
    try:
        _require_fit(connection, path)
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        _write(connection)
    except sqlite3.OperationalError as error:
        if kind_of(error) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY):
            raise
        return False
    return True


def _use_old_journal(connection: sqlite3.Connection, path: Path) -> None:
    """It serves everywhere. A database that wrote ahead elsewhere can be turned by who is alone with it."""
    connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchone()
    _require_fit(connection, path)
    connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    connection.execute("PRAGMA locking_mode = NORMAL").fetchone()
    _write(connection)


def _write(connection: sqlite3.Connection) -> None:
    """Only a real write shows whether one is possible."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("COMMIT")


def is_network(directory: Path) -> bool:
    """Whether a directory lies on another machine, as far as the system tells."""
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    inside = {str(directory.resolve()), *map(str, directory.resolve().parents)}
    kinds: dict[str, str] = {}
    for mount in mounts:
        before, _, after = mount.partition(" - ")
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), before.split(" ")[4])
        if point in inside:
            kinds[point] = after.split(" ")[0]
    return bool(kinds) and kinds[max(kinds, key=len)] in _NETWORK


def _require_content(path: Path) -> None:
    """SQLite would take an empty file for a new database, and a directory for a fault of the disk."""
    if path.is_dir():
        raise StoreError(f"{path} is a directory; the database should be there", ELSEWHERE)
    if not path.stat().st_size:
        raise damaged(path, "it is empty")


def _require_ours(connection: sqlite3.Connection, path: Path) -> None:
    version = schema.version_of(connection)
    if version > schema.VERSION:
        raise StoreError(
            f"{path} was written by a later arbiter (its schema is {version})", "update the arbiter"
        )
    if version < 1 or not schema.is_complete(connection):
        raise StoreError(f"{path} is no results database of the arbiter; it is left as it is", ELSEWHERE)


def _require_fit(connection: sqlite3.Connection, path: Path) -> None:
    """Writing into another program's database, or into a damaged one, would do harm."""
    _require_ours(connection, path)
    if path.stat().st_size > _CHECKED:
        return
    found: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise damaged(path, " ".join(found.split()))


def _take_lock(directory: Path) -> int:
    lock = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES):
            raise StoreError(
                f"{directory}: another run is using these results", f"wait for it, or {ELSEWHERE}"
            ) from None
        raise
    return lock
