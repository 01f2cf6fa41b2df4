"""Files named on a command line, in directories and in zip archives: found lazily, one open at a time."""

import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from arbiter.cli.errors import UsageError
from arbiter.cli.records import source_name

READ_ERRORS = (OSError, EOFError, zipfile.BadZipFile, zlib.error)
"""What reading from a source may raise: trouble with the disk or a damaged archive."""

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
        if name != "-" and not Path(name).exists():
            raise UsageError(f"{name}: no such file or directory")


def sources(names: Sequence[str], *, skip: Path | None = None) -> Iterator[Source]:
    """All files, those of a directory in the order of their names; ``-`` is standard input.

    In directories and archives hidden files are left out, and so is the file ``skip``.
    """
    for name in names:
        if name == "-":
            yield Source(source_name(name), sys.stdin.buffer)
        elif Path(name).is_dir():
            yield from _directory(Path(name), skip)
        else:
            yield from _file(Path(name))


def _directory(directory: Path, skip: Path | None) -> Iterator[Source]:
    """A stack instead of recursion: a tree of directories can be deeper than Python's stack."""
    waiting = [directory]
    while waiting:
        path = waiting.pop()
        if path is directory or (path.is_dir() and not path.is_symlink()):
            try:
                inside = sorted(path.iterdir(), reverse=True)
            except OSError as error:
                yield Source(str(path), None, f"cannot be read: {error.strerror}")
                continue
            waiting += [each for each in inside if not each.name.startswith(".")]
        elif path.is_file() and (skip is None or path.name != skip.name or path.resolve() != skip):
            yield from _file(path)


def _file(path: Path) -> Iterator[Source]:
    try:
        stream = path.open("rb")
    except OSError as error:
        yield Source(str(path), None, f"cannot be read: {error.strerror}")
        return
    with stream:
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
    try:
        stream = archive.open(info)
    except (*READ_ERRORS, RuntimeError) as error:  # the last for a password or an unknown compression
        yield Source(name, None, f"cannot be unpacked: {error}")
        return
    with stream:
        yield Source(name, stream)
