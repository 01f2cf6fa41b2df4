"""Game records named on a command line: a file, standard input or a results directory."""

import sys
from collections.abc import Iterator
from pathlib import Path

from arbiter.cli.errors import UsageError
from protocol.errors import RecordError
from protocol.records import Reading, decode_text, scan_records


def load_records(path: str) -> list[Reading]:
    """All games of a RECORD argument, the faulty ones with their faults.

    :raises UsageError: there is nothing readable at this path.
    """
    if Path(path).is_dir():
        return list(_from_results(Path(path)))
    return list(scan_records(read_text(path), source_name(path)))


def read_text(path: str) -> str:
    """The text of a file, ``-`` being standard input.

    :raises UsageError: missing, a directory, not permitted, or not text in UTF-8.
    """
    try:
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


def _from_results(directory: Path) -> Iterator[Reading]:
    """The games of a results directory, in the order of its schedule."""
    from arbiter.cli.results import reading
    from arbiter.store.drec import records

    with reading([str(directory)]) as (league,):
        for record in records(league):
            yield Reading(record)
