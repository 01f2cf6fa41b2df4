"""Texts named on a command line, a file or standard input, and how what is in them is printed."""

import shlex
import stat
import sys
from pathlib import Path

from arbiter.cli.errors import UsageError
from protocol.errors import RecordError
from protocol.records import decode_text


def read_text(path: str) -> str:
    """The text of a file, ``-`` being standard input.

    :raises UsageError: missing, a directory, a pipe or a device, not permitted, or not text in UTF-8.
    """
    try:
        if path != "-" and (kind := endless(Path(path), Path(path).stat().st_mode)):
            raise UsageError(f"{path}: {kind}, not a file", f"- reads standard input: < {shlex.quote(path)}")
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return decode_text(data, source_name(path))
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except IsADirectoryError:
        hint = f"its games as one file: arbiter export {path} > games.drec"
        raise UsageError(f"{path}: a directory, not a record file", hint) from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except RecordError as error:
        raise UsageError(str(error), "game records are plain text in the DREC format") from None


def endless(path: Path, mode: int) -> str | None:
    """What it is that one may wait for ever to read: a pipe, a socket or a device; None for anything else.

    ``mode`` is that of its status. What was opened for us, as shells do for ``<(command)``, can be read.
    """
    handed_over = str(path.parent) in ("/dev/fd", "/proc/self/fd") or str(path) == "/dev/stdin"
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode) or handed_over:
        return None
    return {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}.get(stat.S_IFMT(mode), "a device")


def source_name(path: str) -> str:
    """How messages name the place."""
    return "<stdin>" if path == "-" else path


def printable(text: str) -> str:
    """Foreign text with its control characters escaped, so that it cannot command the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def say(text: str) -> None:
    """Print a line; characters that standard output cannot encode are escaped."""
    encoding = sys.stdout.encoding or "ascii"
    print(text.encode(encoding, "backslashreplace").decode(encoding))


def whole_number(text: str, digits: int = 15) -> int | None:
    """The number that a record gives; None when it is none, or a longer one than has any meaning."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None
