"""Which format a text is in, told by its content, never by the name of its file."""

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum

from protocol.errors import RecordError
from protocol.records.boardspace import scan_boardspace
from protocol.records.codecup_log import looks_like_codecup, scan_codecup_log
from protocol.records.drec import scan_records
from protocol.records.littlegolem import looks_like_little_golem, scan_little_golem
from protocol.records.record import Reading
from protocol.records.sgf import holds_sgf, looks_like_sgf

_HEADER = re.compile(r'\s*\[[A-Za-z][A-Za-z0-9_-]*[ \t]+"')


class Format(StrEnum):
    """The formats that can be read; the values are what people call them."""

    DREC = "DREC"
    BOARDSPACE = "Boardspace SGF"
    LITTLE_GOLEM = "Little Golem"
    CODECUP = "CodeCup log"


def recognise(text: str) -> Format | None:
    r"""The format of a text, of which the beginning is enough; None when it is none of them.

    >>> print(recognise("(;GM[Dvonn]VV[1]"), recognise("# a log\nD1\nF4\n"), recognise("Dear all,"))
    Boardspace SGF CodeCup log None
    """
    text = text.removeprefix("\ufeff")
    if looks_like_sgf(text):
        return Format.BOARDSPACE
    if _HEADER.match(text):
        return Format.DREC
    if looks_like_little_golem(text):
        return Format.LITTLE_GOLEM
    if looks_like_codecup(text):
        return Format.CODECUP
    return Format.BOARDSPACE if holds_sgf(text) else None


def decode_foreign(data: bytes, source: str) -> str:
    """The text of a file that may be older than UTF-8, without a byte order mark; a single LF ends a line.

    A line that is not UTF-8 is taken for Latin-1, as Windows extends it. NUL bytes at the end, as a
    crash leaves them, are nothing, nor is the mark of DOS.

    :raises RecordError: no text at all.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    else:
        text = _decoded(data.removeprefix(b"\xef\xbb\xbf"))
    text = text.rstrip("\0\x1a")
    if "\0" in text:
        raise RecordError(source, text.count("\n", 0, text.index("\0")) + 1, "a NUL byte: not a text file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def scan_foreign(text: str, source: str, form: Format) -> Iterator[Reading]:
    r"""The games of a text in this format; lines have to end with a single LF.

    >>> (reading,) = scan_foreign("# a log\nD1\nF4\n", "log.txt", Format.CODECUP)
    >>> [ply.text for ply in reading.record.plies], reading.record.result
    (['D1', 'F4'], '*')
    """
    return _SCAN[form](text, source)


def _decoded(data: bytes) -> str:
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            if b"\n" in data:
                return "\n".join(map(_decoded, data.split(b"\n")))
    return data.decode("latin-1")


_SCAN: Mapping[Format, Callable[[str, str], Iterator[Reading]]] = {
    Format.DREC: scan_records,
    Format.BOARDSPACE: scan_boardspace,
    Format.LITTLE_GOLEM: scan_little_golem,
    Format.CODECUP: scan_codecup_log,
}
