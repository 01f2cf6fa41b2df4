"""Reading the games of a file in whatever format it is."""

from collections.abc import Iterator
from itertools import chain
from typing import IO

from arbiter.cli.sources import READ_ERRORS, Source
from protocol.errors import RecordError
from protocol.records import Fault, Reading, decode_text, scan_lines
from protocol.records.formats import Format, decode_foreign, recognise, scan_foreign

_HEAD = 1 << 16
"""Bytes by which a format is recognised."""

_PACKED = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"7z\xbc\xaf", b"Rar!", b"\x28\xb5\x2f\xfd")
"""Beginnings of zip (within another), gzip, bzip2, xz, 7z, RAR and Zstandard files."""

_TAR = b"ustar"
"""What stands at byte 257 of a tar archive."""

_LARGEST = 64 << 20
"""Bytes of a file in a foreign format, which is read at once; DREC may be of any length."""


def readings(source: Source) -> Iterator[Reading]:
    """The games of a file, or why there are none."""
    if source.stream is None:
        yield _refusal(source, source.problem)
        return
    is_empty = True
    try:
        for reading in _scan(source, source.stream):
            yield reading
            is_empty = False
        if is_empty:
            yield _refusal(source, "no game in this file")
    except RecordError as error:
        yield _refusal(source, error.message, error.line)
    except READ_ERRORS as error:
        yield _refusal(source, f"cannot be read to its end: {error}")


def _scan(source: Source, stream: IO[bytes]) -> Iterator[Reading]:
    head = stream.read(_HEAD)
    if not head.strip():
        return
    if head.startswith(_PACKED) or head[257:262] == _TAR:
        yield _refusal(source, "an archive or packed file that is not looked into; unpack it first")
        return
    form = recognise(decode_foreign(head, source.name))
    if form is None:
        yield _refusal(source, f"no game record in a known format ({', '.join(Format)})")
    elif form is Format.DREC:
        yield from scan_lines(_lines(head, stream, source.name), source.name)
    else:
        data = head + stream.read(_LARGEST)
        if len(data) > _LARGEST:
            yield _refusal(source, f"more than {_LARGEST >> 20} MiB of {form}; cut it into several files")
        else:
            yield from scan_foreign(decode_foreign(data, source.name), source.name, form)


def _lines(head: bytes, stream: IO[bytes], name: str) -> Iterator[str]:
    """The lines of a DREC file of any length."""
    pieces = chain((head + stream.readline()).splitlines(keepends=True), stream)
    for number, line in enumerate(pieces, 1):
        try:
            yield from decode_text(line, name).rstrip("\r\n").split("\r")
        except RecordError as error:
            raise RecordError(name, number, error.message) from None


def _refusal(source: Source, message: str, line: int = 0) -> Reading:
    """A file as a whole is of no use."""
    return Reading(None, (Fault(source.name, line, 0, None, message),))
