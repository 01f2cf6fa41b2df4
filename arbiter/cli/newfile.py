"""Output files that are either whole or not there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from arbiter.cli.errors import UsageError


def check_output(path: Path, *, force: bool) -> None:
    """Look whether a file can be made, before any work.

    Raises:
        UsageError: something is there already, or the directory is not.
    """
    if path.is_dir():
        raise UsageError(f"{path}: a directory, not a file to write to")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: not a regular file", "without --output, standard output is written")
    if path.exists() and not force:
        raise UsageError(f"{path}: exists", "--force replaces it")
    if not path.resolve().parent.is_dir():
        raise UsageError(f"{path}: its directory does not exist")


@contextmanager
def new_file(path: Path) -> Iterator[TextIO]:
    """A file in UTF-8 that takes this name when the block has ended well and something was written.

    Until then it stands beside it under a hidden name; after an error nothing is left of it.

    Raises:
        UsageError: the directory does not allow it.
    """
    path = path.resolve()  # a link stays a link
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _opened(part, path) as file:
            yield file
            is_empty = not file.tell()
            file.flush()
            os.fsync(file.fileno())
        if not is_empty:
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _opened(part: Path, path: Path) -> TextIO:
    try:
        return part.open("x", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
