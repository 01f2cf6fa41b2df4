"""Output to readers that are slow, stalled or gone."""

import io
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import pytest

from arbiter.live.output import PROGRESS, RESULTS, Output


class Pipe:
    """An output to a pipe whose reader reads when the test says so."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self._reading, writing = os.pipe()
        os.set_blocking(self._reading, False)
        self._stream = open(writing, "w", encoding=encoding, errors="replace")  # noqa: PTH123, SIM115
        self.output = Output(self._stream)
        self.capacity = self._fill(writing)

    def _fill(self, writing: int) -> int:
        os.set_blocking(writing, False)
        size = 0
        with suppress(BlockingIOError):
            while True:
                size += os.write(writing, b"x" * 4096)
        os.set_blocking(writing, True)
        return size

    def read(self) -> bytes:
        """All that can be read now."""
        pieces = []
        with suppress(BlockingIOError):
            while piece := os.read(self._reading, 2**20):
                pieces.append(piece)
        return b"".join(pieces).lstrip(b"x")

    def leave(self) -> None:
        os.close(self._reading)
        self._reading = -1

    def close(self) -> None:
        self.output.close()
        self._stream.close()
        if self._reading >= 0:
            self.leave()

    def lines(self) -> list[str]:
        """All lines that are there and come while we read on."""
        pieces = [self.read()]
        while self.output.is_waiting:
            self.output.drain()
            pieces.append(self.read())
        return b"".join(pieces).decode().splitlines()


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


LONG = "progress " + "-" * 1000
"""Few of these are as much as may wait."""


def test_what_is_written_comes_in_order(pipe: Pipe) -> None:
    written = [f"{number}: {'-' * (number * 37 % 5000)}" for number in range(200)]
    for number, line in enumerate(written):
        pipe.output.write(f"{line}\n", (PROGRESS, RESULTS)[number % 2])
    assert pipe.lines() == written


def test_a_reader_that_stalls_holds_nobody_up(pipe: Pipe) -> None:
    """Nothing is lost to it either, as long as there is not much."""
    pipe.output.write("one\n", PROGRESS)
    pipe.output.drain()
    pipe.output.drain(0.05)
    assert pipe.output.is_waiting
    assert pipe.lines() == ["one"]
    assert not pipe.output.is_waiting


def test_progress_is_dropped_and_counted_and_results_are_kept(pipe: Pipe) -> None:
    fit = -(-PROGRESS // (len(LONG) + 1))
    for number in range(fit + 500):
        pipe.output.write(f"{LONG}\n", PROGRESS)
        if number % 100 == 0:
            pipe.output.write(f"result {number}\n", RESULTS)
        pipe.output.drain()
    results = [f"result {number}" for number in range(0, fit + 500, 100)]
    lines = pipe.lines()
    dropped = fit + 500 - lines.count(LONG)
    assert dropped > 400
    assert lines[-1] == f"{dropped} lines dropped, since the output was not read"
    assert [line for line in lines if line != LONG] == [*results, lines[-1]]
    pipe.output.write("goes on\n", PROGRESS)
    assert pipe.lines() == ["goes on"]


def test_between_two_gaps_no_progress_is_shown(pipe: Pipe) -> None:
    """A reader that takes a little leaves room for a few lines; they would stand alone."""
    while pipe.output.write(f"{LONG}\n", PROGRESS) and not pipe.output._dropped:
        pass
    pipe.read()
    pipe.output.drain()
    pipe.output.write("alone\n", PROGRESS)
    lines = pipe.lines()
    assert lines[-1] == "2 lines dropped, since the output was not read"
    assert "alone" not in lines


def test_what_waits_is_bounded_also_for_results(pipe: Pipe) -> None:
    result = "result " + "-" * 10_000
    for _ in range(2 * RESULTS // len(result)):
        pipe.output.write(f"{result}\n", RESULTS)
    pipe.output.write("the end\n")
    *kept, end, last = pipe.lines()
    assert RESULTS <= sum(map(len, kept)) + len(kept) <= RESULTS + len(result) + 1
    assert (end, last) == (
        "the end",
        f"{2 * RESULTS // len(result) - len(kept):,} lines dropped, since the output was not read",
    )


def test_who_says_something_waits_until_it_is_read(pipe: Pipe) -> None:
    for _ in range(PROGRESS // (len(LONG) + 1) + 3):
        pipe.output.write(f"{LONG}\n", PROGRESS)
    saying = threading.Thread(target=pipe.output.say, args=("table\n",))
    saying.start()
    saying.join(0.1)
    assert saying.is_alive()
    data = b""
    while saying.is_alive() or not data.endswith(b"table\n"):
        data += pipe.read()
    saying.join()
    lines = data.decode().splitlines()
    assert lines[-2:] == ["2 lines dropped, since the output was not read", "table"]
    assert set(lines[:-2]) == {LONG}


def test_a_reader_that_is_gone_is_noticed(pipe: Pipe) -> None:
    pipe.output.write("one\n", PROGRESS)
    pipe.output.drain()
    pipe.leave()
    with pytest.raises(BrokenPipeError):
        pipe.output.drain()


def test_what_an_encoding_lacks_is_replaced() -> None:
    pipe = Pipe("ascii")
    pipe.output.write("Zoë ± 1\n")
    assert pipe.lines() == ["Zo? ? 1"]
    pipe.close()


def test_a_stream_that_is_no_file_takes_everything_at_once() -> None:
    stream = io.StringIO()
    output = Output(stream)
    output.write("one\n", PROGRESS)
    output.say("two\n")
    assert stream.getvalue() == "one\ntwo\n"
    assert not output.is_waiting
    output.close()


def test_a_file_takes_everything_at_once(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as stream:
        print("before", file=stream)
        output = Output(stream)
        output.say("one\n" * 10_000)
        output.close()
    assert (tmp_path / "out").read_text() == "before\n" + "one\n" * 10_000


@pytest.fixture
def terminal() -> Iterator[tuple[int, TextIO]]:
    """A terminal that nobody reads: what it shows comes from the first, a program writes to the other."""
    ours, theirs = os.openpty()
    with open(theirs, "w") as stream:  # noqa: PTH123
        yield ours, stream
    with suppress(OSError):
        os.close(ours)


MUCH = 100_000


def fill(output: Output) -> None:
    """Write until nothing more is taken."""
    output.write("x" * MUCH)
    output.drain(0.1)


def test_a_terminal_that_stalls_holds_nobody_up(terminal: tuple[int, TextIO]) -> None:
    """And writing is set to non-blocking for nobody else."""
    ours, stream = terminal
    output = Output(stream)
    fill(output)
    assert output.is_waiting
    assert os.get_blocking(stream.fileno())
    output.write("\nend")
    shown = b""
    while not shown.endswith(b"end"):
        output.drain()
        shown += os.read(ours, 2**16)
    assert shown.count(b"x") == MUCH
    output.close()


def test_a_terminal_that_goes_away_is_no_error(terminal: tuple[int, TextIO]) -> None:
    ours, stream = terminal
    output = Output(stream)
    fill(output)
    os.close(ours)
    output.drain()
    output.say("nobody there\n")
    assert not output.is_waiting
    output.close()


@pytest.mark.parametrize("opened", [os.pipe, os.openpty])
def test_nothing_stays_open(opened: Callable[[], tuple[int, int]]) -> None:
    before = set(Path("/dev/fd").iterdir())
    ours, theirs = opened()
    with open(theirs, "w") as stream:  # noqa: PTH123
        Output(stream).close()
    os.close(ours)
    assert set(Path("/dev/fd").iterdir()) == before
