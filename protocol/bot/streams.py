"""The two ends of a bot's conversation: lines read while it thinks, and lines that go out at once."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from queue import SimpleQueue
from threading import Event, Thread
from time import perf_counter
from typing import NamedTuple, Protocol

_CHUNK = 65_536
_BOM = b"\xef\xbb\xbf"


class Source(Protocol):
    """What is read: as many bytes as there are, up to a number; none at the end."""

    def read(self, size: int, /) -> bytes | None: ...

    def close(self) -> None: ...


class Sink(Protocol):
    """What is written to, without a buffer; it says how many of the bytes it took."""

    def write(self, data: bytes, /) -> int | None: ...


class Heard(NamedTuple):
    """A line: its first word, the rest, when it was read (``perf_counter``), its turn's call to stop."""

    word: str
    rest: str
    stamp: float
    stop: Event


class Inbox:
    """The arbiter's lines in their order, until ``quit`` or the end.

    A thread reads them, so that ``stop`` is noticed while the bot thinks. A ``stop`` belongs to the ``go``
    before it: each ``go`` brings an ``Event`` of its own, so one that comes too late stops nothing.
    """

    def __init__(self, source: Source) -> None:
        self._queue: SimpleQueue[Heard | None] = SimpleQueue()
        # A thread that waits for input has to end with the process, whatever ends that.
        Thread(target=self._read, args=(source,), name="inbox", daemon=True).start()

    def __iter__(self) -> Iterator[Heard]:
        while (heard := self._queue.get()) is not None:
            yield heard

    def _read(self, source: Source) -> None:
        stop = Event()
        for line in _lines(source):
            word, rest = (*line.decode(errors="replace").strip().split(maxsplit=1), "", "")[:2]
            if word == "quit":
                break
            if word == "go":
                stop = Event()
            elif word == "stop":
                stop.set()
            self._queue.put(Heard(word, rest, perf_counter(), stop))
        stop.set()
        self._queue.put(None)
        source.close()


def _lines(source: Source) -> Iterator[bytes]:
    """Cut what is read into lines; a source that cannot be read any more has come to its end."""
    tail, first = b"", True
    while chunk := _read(source):
        *lines, tail = (tail + chunk).split(b"\n")
        if lines and first:
            lines[0], first = lines[0].removeprefix(_BOM), False
        yield from lines
    yield tail


def _read(source: Source) -> bytes | None:
    try:
        return source.read(_CHUNK)
    except OSError:
        return None


class Outbox:
    """Lines to the arbiter, sent at once. When it is gone they go nowhere: then the inbox ends as well."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def say(self, *lines: str) -> None:
        """Send lines in one piece."""
        data = "".join(line + "\n" for line in lines).encode(errors="replace")
        with suppress(BrokenPipeError):
            while data:
                data = data[self._sink.write(data) or 0 :]


@contextmanager
def own_streams() -> Iterator[tuple[Source, Sink]]:
    """Standard input and output, for the conversation alone.

    As long as this lasts everything else, programs that the bot starts included, finds an empty input, and
    what is meant for standard output goes to standard error. Standard input stays used up.
    """
    source = FileIO(os.dup(0))  # closed by the thread that reads it
    with FileIO(os.dup(1), "w") as output, FileIO(os.devnull, "r+") as nowhere:
        os.dup2(nowhere.fileno(), 0)
        os.dup2(nowhere.fileno() if sys.stderr is None else 2, 1)
        shown, sys.stdout = sys.stdout, sys.stderr
        try:
            if shown is not None:
                shown.flush()  # what was printed before and waits in the buffer goes the same way
            yield source, output
        finally:
            sys.stdout = shown
            os.dup2(output.fileno(), 1)
