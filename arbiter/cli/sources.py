"""Files named on a command line, in directories and in zip archives: found lazily, one open at a time."""

import shlex
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from arbiter.cli.errors import UsageError
from arbiter.cli.records import endless, source_name

READ_ERRORS = (OSError, EOFError, zipfile.BadZipFile, zlib.error)
"""What reading from a source may raise: trouble with the disk or a damaged archive."""

_ENCRYPTED = 1
"""Among the flags of a member of a zip archive."""
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


@dataclass(frozen=True, slots=True)
class Source:
    """A file open for reading until the next one is asked for; without a stream, ``problem`` says why."""

    name: str
    stream: IO[bytes] | None
    problem: str = ""


def check_sources(names: Sequence[str]) -> None:
    """Look whether everything is there, before hours are spent on the first of them.

    Raises:
        UsageError: one of the files does not exist.
    """
    for name in names:
        try:
            if name != "-":
                Path(name).lstat()
        except (FileNotFoundError, NotADirectoryError):
            raise UsageError(f"{name}: no such file or directory") from None
        except OSError:
            pass  # told in its place, for there may be others to read


def sources(names: Sequence[str], *, skip: Path | None = None) -> Iterator[Source]:
    """All files, those of a directory in the order of their names; ``-`` is standard input.

    In directories and archives hidden files are left out, and so are links to directories, which could
    lead in circles, and the file ``skip``.
    """
    for name in names:
        if name == "-":
            yield Source(source_name(name), sys.stdin.buffer)
        else:
            yield from _tree(Path(name), skip)


def _tree(root: Path, skip: Path | None) -> Iterator[Source]:
    """A file, or all that a directory holds.

    A stack instead of recursion: a tree of directories can be deeper than Python's stack.
    """
    waiting = [root]
    while waiting:
        path = waiting.pop()
        try:
            mode = path.stat().st_mode
            if not stat.S_ISDIR(mode):
                yield from _entry(path, mode, None if path is root else skip)
            elif path is root or not path.is_symlink():
                inside = sorted(path.iterdir(), reverse=True)
                waiting += [each for each in inside if not each.name.startswith(".")]
        except OSError as error:
            yield Source(str(path), None, _why_unreadable(path, error))


def _why_unreadable(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and path.is_symlink():
        return f"a symbolic link to {path.readlink()}, which is not there"
    return f"cannot be read: {error.strerror}"


def _entry(path: Path, mode: int, skip: Path | None) -> Iterator[Source]:
    kind = endless(path, mode)
    if kind is None:
        if skip is None or path.name != skip.name or path.resolve() != skip:
            yield from _file(path)
        return
    hint = f"; `arbiter import - < {shlex.quote(str(path))}` reads it" if kind == "a pipe" else ""
    yield Source(str(path), None, f"{kind}, not a file{hint}")


def _file(path: Path) -> Iterator[Source]:
    with path.open("rb") as stream:
        # A pipe may have nothing to show yet, and could not be an archive anyway.
        if path.is_file() and stream.peek(4)[:4] in _ZIP:
            yield from _archive(stream, str(path))
        else:
            yield Source(str(path), stream)


def _archive(stream: IO[bytes], name: str) -> Iterator[Source]:
    try:
        with zipfile.ZipFile(stream) as archive:
            for info in archive.infolist():
                parts = Path(info.filename).parts
                if not info.is_dir() and not any(part.startswith((".", "__MACOSX")) for part in parts):
                    yield from _member(archive, info, f"{name}/{info.filename}")
    except READ_ERRORS as error:
        yield Source(name, None, f"a damaged zip archive: {error}")


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> Iterator[Source]:
    if info.flag_bits & _ENCRYPTED:
        yield Source(name, None, "cannot be unpacked: it has a password; unpack it first")
        return
    try:
        stream = archive.open(info)
    except (*READ_ERRORS, RuntimeError) as error:  # the last for an unknown compression
        yield Source(name, None, f"cannot be unpacked: {error}")
        return
    with stream:
        yield Source(name, stream)
