"""Bytes to lines: line ends, chunks, and every limit at its edge."""

import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.lines import LineBuffer, Overflow

SMALL = {"max_line": 8, "max_lines": 4, "max_bytes": 24}


def chunked(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@pytest.mark.parametrize(
    "data, lines",
    [
        (b"a\nb\n", [b"a", b"b"]),
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"\n  \n\t\r\n\r\na\n", [b"a"]),
        (b"a\rb\n", [b"a\rb"]),
        (b"  a \n", [b"  a "]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", [b"a", b"\xef\xbb\xbfb"]),
        (b"\xef\xbb\xbf\na\n", [b"a"]),
        (b"a\0\xff\n", [b"a\0\xff"]),
        (b"no line end", []),
    ],
)
def test_lines_are_cut_whatever_their_ends(data: bytes, lines: list[bytes]) -> None:
    assert LineBuffer().feed(data) == lines


def test_a_line_comes_when_its_end_comes() -> None:
    buffer = LineBuffer()
    assert [buffer.feed(bytes([byte])) for byte in b"move A1"] == [[]] * 7
    assert buffer.unfinished == b"move A1"
    assert buffer.feed(b"\nmove") == [b"move A1"]
    assert buffer.unfinished == b"move"
    assert buffer.bytes_total == 12


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("length, kept", [(65_535, True), (65_536, True), (65_537, False)])
def test_the_longest_line(length: int, kept: bool, end: bytes) -> None:
    for chunks in ([b"x" * length + end], [b"x" * length, end], [b"x" * length + end[:1], end[1:]]):
        buffer = LineBuffer()
        lines = [line for chunk in chunks for line in buffer.feed(chunk)]
        assert lines == ([b"x" * length] if kept else [])
        assert buffer.overflow == (None if kept else Overflow("long-line", 65_536))


def test_a_carriage_return_counts_unless_it_ends_the_line() -> None:
    buffer = LineBuffer(**SMALL)
    assert buffer.feed(b"12345678\r") == []
    assert buffer.overflow is None
    assert buffer.feed(b"9\n") == []
    assert str(buffer.overflow) == "a line of more than 8 bytes"


def test_the_most_lines_and_that_blank_ones_count() -> None:
    buffer = LineBuffer()
    assert len(buffer.feed(b"\n" * 9_999 + b"x\n")) == 1
    assert buffer.overflow is None
    assert buffer.feed(b"late\n") == []
    assert str(buffer.overflow) == "more than 10,000 lines in one turn"


def test_the_most_bytes() -> None:
    line = b"x" * 65_535 + b"\n"
    buffer = LineBuffer()
    assert len(buffer.feed(line * 128)) == 128  # 8 MiB to the byte
    assert buffer.overflow is None
    assert buffer.feed(b"x") == []
    assert str(buffer.overflow) == "more than 8,388,608 bytes in one turn"


def test_what_came_before_the_limit_is_kept() -> None:
    buffer = LineBuffer(**SMALL)
    assert buffer.feed(b"a\nb\n123456789") == [b"a", b"b"]
    assert str(buffer.overflow) == "a line of more than 8 bytes"


def test_a_reset_starts_counting_again_but_forgives_nothing() -> None:
    buffer = LineBuffer(**SMALL)
    for _ in range(10):
        assert len(buffer.feed(b"a\nb\nc\nd\n")) == 4
        buffer.reset()
    buffer.feed(b"\n" * 5)
    buffer.reset()
    assert buffer.overflow is not None
    assert buffer.feed(b"a\n") == []


def test_a_reset_keeps_the_unfinished_line() -> None:
    buffer = LineBuffer()
    buffer.feed(b"mo")
    buffer.reset()
    assert buffer.feed(b"ve\n") == [b"move"]


def test_memory_stays_flat_past_a_limit() -> None:
    buffer = LineBuffer()
    chunk = b"x" * 65_536
    tracemalloc.start()
    for _ in range(1_600):  # 100 MiB without a line end
        buffer.feed(chunk)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20
    assert buffer.bytes_total == 1_600 * 65_536
    assert buffer.unfinished == b""


@given(
    st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b" ", b"\xef\xbb\xbf", b"1234567", b"\0\xff"])),
    st.lists(st.integers(0, 100)),
)
def test_chunks_make_no_difference(parts: list[bytes], cuts: list[int]) -> None:
    data = b"".join(parts)
    whole, cut = LineBuffer(**SMALL), LineBuffer(**SMALL)
    expected = whole.feed(data)
    assert [line for chunk in chunked(data, cuts) for line in cut.feed(chunk)] == expected
    assert cut.overflow == whole.overflow
    assert cut.unfinished == whole.unfinished
    assert cut.bytes_total == len(data)
