"""Game records named on a command line: a file, standard input or a results directory."""

import shlex
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from arbiter.cli.errors import UsageError
from protocol.errors import RecordError
from protocol.records import Reading, Record, decode_text, scan_records


def load_records(path: str) -> list[Reading]:
    """All games of a RECORD argument, the faulty ones with their faults.

    A record's ``game`` is then what ``--game`` calls it: the number in its schedule, else the place in the
    file, which also counts when a number occurs twice, as in files put together.

    :raises UsageError: there is nothing readable at this path.
    """
    if any((Path(path) / name).is_file() for name in ("game.drec", "bundle.json")):
        path = str(Path(path) / "game.drec")
    if Path(path).is_dir():
        return _numbered(_from_results(Path(path)))
    text = read_text(path)
    readings = list(scan_records(text, source_name(path)))
    if readings and all(reading.record is None for reading in readings):
        _refuse_foreign(text, path)
    return _numbered(readings)


def _refuse_foreign(text: str, path: str) -> None:
    from protocol.records.formats import Format, recognise

    form = recognise(text)
    if form not in (None, Format.DREC):
        command = shlex.join(["arbiter", "import", path, "--output", "games.drec"])
        raise UsageError(f"{source_name(path)}: {form}, not DREC", f"make it that: {command}")


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


def number_of(reading: Reading) -> int:
    """What ``--game`` calls it."""
    return reading.faults[0].game if reading.record is None else reading.record.game


def _numbered(found: Iterable[Reading]) -> list[Reading]:
    readings = list(found)
    numbers = [_own_number(reading) for reading in readings]
    if len(set(numbers)) < len(numbers):
        return readings
    return [
        reading if reading.record is None else replace(reading, record=replace(reading.record, game=number))
        for reading, number in zip(readings, numbers, strict=True)
    ]


def _own_number(reading: Reading) -> int:
    """The number in its schedule; without one its place in the file."""
    header = "" if reading.record is None else reading.record.headers.get("Number", "")
    number = whole_number(header)
    return number_of(reading) if number is None else number


def whole_number(text: str, digits: int = 15) -> int | None:
    """The number that a record gives; None when it is none, or a longer one than has any meaning."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def choose_record(readings: list[Reading], source: str, wanted: int | None) -> Record:
    """The game of this number, or the only one there is.

    :raises UsageError: there is no such game, or it cannot be read, or none is named among several.
    """
    if not readings:
        raise UsageError(f"{source}: no games in it")
    if wanted is None and len(readings) > 1:
        raise UsageError(f"{source}: {len(readings)} games", "choose one with --game N")
    found = next((each for each in readings if wanted in (None, number_of(each))), None)
    if found is None:
        numbers = [number_of(each) for each in readings]
        raise UsageError(
            f"{source}: no game {wanted}", f"its games have numbers from {min(numbers)} to {max(numbers)}"
        )
    if found.record is None:
        raise UsageError(str(found.faults[0]), "arbiter verify lists every fault of a file")
    return found.record


def _from_results(directory: Path) -> Iterator[Reading]:
    """The games of a results directory, in the order of its schedule."""
    from arbiter.cli.results import reading
    from arbiter.store.drec import records

    with reading([str(directory)]) as (league,):
        for record in records(league):
            yield Reading(record)
