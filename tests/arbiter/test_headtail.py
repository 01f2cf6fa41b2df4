"""Keeping both ends of a stream, whatever the pieces in which it comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.match.headtail import HeadTail
from arbiter.match.last_words import last_words


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_both_ends_are_kept_and_the_gap_is_told(pieces: list[bytes]) -> None:
    kept = HeadTail(head=30, tail=20)
    for piece in pieces:
        kept.feed(piece)
    stream = b"".join(pieces)
    assert kept.total == len(stream)
    if len(stream) <= 50:
        assert kept.text() == stream.decode(errors="backslashreplace")
    else:
        gap = f"\n... {len(stream) - 50} bytes left out ...\n".encode()
        assert kept.text() == (stream[:30] + gap + stream[-20:]).decode(errors="backslashreplace")


def test_the_last_line_can_stand_in_a_record_and_on_a_terminal() -> None:
    kept = HeadTail()
    kept.feed(b"fine\n\ta\x00b\x1b[1m\tc\xff\n \n")
    assert last_words(kept) == r"a\x00b\x1b[1m c\xff"


GO = """loaded
panic: runtime error: index out of range [3] with length 3

goroutine 1 [running]:
main.choose({0xc000012345, 0x3, 0x8})
\t/home/me/bot.go:17 +0x1d6
created by main.main in goroutine 1
\t/home/me/bot.go:5 +0x40
exit status 2
"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: no ply
\tat Bot.choose(Bot.java:12)
Caused by: java.lang.NullPointerException: Cannot read field "top" because "stack" is null
\tat Bot.main(Bot.java:5)
\t... 1 more
"""
NODE = """/home/me/bot.js:7
    return stacks[ply].height
                       ^

TypeError: Cannot read properties of undefined (reading 'height')
    at think (/home/me/bot.js:7:24)
    at Interface.<anonymous> (/home/me/bot.js:9:3)

Node.js v20.11.1
"""
RUST = """thread 'main' panicked at src/main.rs:4:5:
index out of bounds: the len is 3 but the index is 3
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
CPP = """terminate called after throwing an instance of 'std::out_of_range'
  what():  vector::_M_range_check: __n (which is 3) >= this->size() (which is 3)
"""
ASAN = """==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000018
    #0 0x55d0 in choose mybot.c:9
SUMMARY: AddressSanitizer: heap-buffer-overflow mybot.c:9 in choose
Shadow bytes around the buggy address:
  0x0c047fff7fb0: 00 00 00 00
=>0x0c047fff8000: fa fa 00[fa]fa fa
Shadow byte legend (one shadow byte represents 8 application bytes):
  Addressable:           00
==7==ABORTING
"""
PYTHON = """Traceback (most recent call last):
  File "bot.py", line 3, in <module>
IndexError: list index out of range
"""


@pytest.mark.parametrize(
    ("told", "line"),
    [
        pytest.param(GO, "panic: runtime error: index out of range [3] with length 3", id="go"),
        pytest.param(JAVA, "Caused by: java.lang.NullPointerException: Cannot read field", id="java"),
        pytest.param(NODE, "TypeError: Cannot read properties of undefined (reading 'height')", id="node"),
        pytest.param(RUST, "index out of bounds: the len is 3 but the index is 3", id="rust"),
        pytest.param(CPP, "what():  vector::_M_range_check: __n (which is 3)", id="c++"),
        pytest.param(ASAN, "SUMMARY: AddressSanitizer: heap-buffer-overflow mybot.c:9 in choose", id="asan"),
        pytest.param(PYTHON, "IndexError: list index out of range", id="python"),
        pytest.param("  at one\n  at last\n", "at last", id="nothing but a trace"),
        pytest.param("choose(3)\n", "choose(3)", id="no trace"),
    ],
)
def test_the_last_line_names_the_error_that_a_trace_belongs_to(told: str, line: str) -> None:
    kept = HeadTail()
    kept.feed(told.encode())
    assert last_words(kept).startswith(line)


def test_a_trace_longer_than_what_is_kept_of_the_end_has_its_error_at_the_beginning() -> None:
    kept = HeadTail()
    kept.feed(b'Exception in thread "main" java.lang.StackOverflowError\n')
    kept.feed(b"\tat Bot.dig(Bot.java:3)\n" * 1_024)
    assert last_words(kept) == 'Exception in thread "main" java.lang.StackOverflowError'
