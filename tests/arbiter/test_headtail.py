"""Keeping both ends of a stream, whatever the pieces in which it comes."""

import time

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
GROUP = """  + Exception Group Traceback (most recent call last):
  |   File "bot.py", line 7, in <module>
  |     asyncio.run(think())
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "bot.py", line 5, in search
    |     raise Hopeless(depth)
    | bot.Hopeless: no ply at depth 3
    |\x20
    +------------------------------------
"""
LEAVES = """  + Exception Group Traceback (most recent call last):
  |   File "bot.py", line 7, in <module>
  | ExceptionGroup: two searches (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: bad depth
    +---------------- 2 ----------------
    | Hopeless: no ply
    +------------------------------------
"""
CHAIN = """Traceback (most recent call last):
  File "bot.py", line 3, in <module>
ValueError: invalid literal for int() with base 10: 'x'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "bot.py", line 5, in <module>
bot.choose.<locals>.NoBook: cannot read the book
second line of the message
a note about it
bye: 12 games, 3 won
"""
FAULT = """Fatal Python error: Segmentation fault

Current thread 0x00007f6193c01b80 (most recent call first):
  File "bot.py", line 29 in choose
  File "bot.py", line 67 in <module>
"""
SUPPRESSED = """Exception in thread "main" java.io.IOException: main trouble
\tat Bot.choose(Bot.java:12)
\tSuppressed: java.lang.RuntimeException: close failed
\t\t... 2 more
"""
CAUSE = """/home/me/bot.js:8
    throw new BookError("cannot read the book", { cause: error });
          ^

BookError: cannot read the book
    at boom (/home/me/bot.js:8:63)
    ... 6 lines matching cause stack trace ...
    at Readable.push (node:internal/streams/readable:392:5) {
  [cause]: SyntaxError: Expected property name or '}' in JSON at position 1
      at JSON.parse (<anonymous>)
}

Node.js v20.20.2
"""
ASSERTION = """node:assert:90
  throw new AssertionError(obj);
  ^

AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

1 !== 2

    at boom (/home/me/bot.js:15:38) {
  generatedMessage: true,
  code: 'ERR_ASSERTION',
  actual: 1,
  expected: 2,
  operator: 'strictEqual'
}

Node.js v20.20.2
"""
THROWN = """/home/me/bot.js:9
    throw "no book";
    ^
no book
(Use `node --trace-uncaught ...` to show where the exception was thrown)

Node.js v20.20.2
"""
HEAP = """<--- JS stacktrace --->

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
10: 0x10b9821 v8::internal::FactoryBase::NewFixedDoubleArray(int) [node]
"""
BACKTRACE = """
thread 'search' (5729) panicked at src/main.rs:14:84:
no ply at depth 3
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/5980/library/std/src/panicking.rs:689:5
  10: bot::boom::{{closure}}
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.

thread 'main' (5718) panicked at src/main.rs:14:125:
called `Result::unwrap()` on an `Err` value: Any { .. }
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/5980/library/std/src/panicking.rs:689:5
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.
"""
ASSERT_EQ = """
thread 'main' panicked at src/main.rs:14:84:
assertion `left == right` failed: the boards differ
  left: 1
 right: 2
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
STACK = """runtime: goroutine stack exceeds 1000000000-byte limit
fatal error: stack overflow

runtime stack:
runtime.throw({0x4c1a3c?, 0x0?})
\t/usr/local/go/src/runtime/panic.go:1229 +0x48 fp=0x7ffe sp=0x7ffd pc=0x47

goroutine 1 gp=0x1a60 m=0 mp=0x5a [running]:
main.dig(0x0?)
\t/home/me/bot.go:5 +0x17 fp=0x1a60 sp=0x1a59 pc=0x4ab3b7
...44739022 frames elided...
"""
LINES = """terminate called after throwing an instance of 'std::runtime_error'
  what():  line one of trouble
line two
"""
TSAN = """SUMMARY: ThreadSanitizer: data race mybot.cpp:36 in choose
==================
ThreadSanitizer: reported 1 warnings
"""
SHADOW = """==2==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 bytes at address 2008fff7000
==2==ReserveShadowMemoryRange failed while trying to map 0xdfff0001000 bytes. Perhaps you're using ulimit -v
"""
CAUGHT = """Traceback (most recent call last):
  File "bot.py", line 3, in choose
KeyError: 'table'
{}""".format("searching\n" * 11)


@pytest.mark.parametrize(
    ("told", "line"),
    [
        pytest.param(GROUP, "bot.Hopeless: no ply at depth 3", id="python group"),
        pytest.param(LEAVES, "Hopeless: no ply", id="python group without traces"),
        pytest.param(CHAIN, "bot.choose.<locals>.NoBook: cannot read the book", id="python chain"),
        pytest.param(FAULT, "Fatal Python error: Segmentation fault", id="python fault handler"),
        pytest.param(CAUGHT, "searching", id="an error long ago"),
        pytest.param(SUPPRESSED, 'Exception in thread "main" java.io.IOException', id="java suppressed"),
        pytest.param(CAUSE, "[cause]: SyntaxError: Expected property name", id="node cause"),
        pytest.param(ASSERTION, "AssertionError [ERR_ASSERTION]: Expected values", id="node assert"),
        pytest.param(THROWN, "no book", id="node throws a string"),
        pytest.param(HEAP, "FATAL ERROR: Reached heap limit", id="node memory"),
        pytest.param(BACKTRACE, "no ply at depth 3", id="rust thread with backtrace"),
        pytest.param(ASSERT_EQ, "assertion `left == right` failed: the boards differ", id="rust assert_eq"),
        pytest.param(STACK, "fatal error: stack overflow", id="go stack"),
        pytest.param(LINES, "what():  line one of trouble", id="c++ in two lines"),
        pytest.param(SHADOW, "==2==ERROR: AddressSanitizer failed to allocate", id="asan without room"),
        pytest.param(TSAN, "SUMMARY: ThreadSanitizer: data race mybot.cpp:36", id="tsan"),
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


@pytest.mark.parametrize(
    "line",
    ["()" * 100_000 + "x", "(" * 200_000, " " * 20_000 + "x", "| " * 50_000, "thread '" + "' " * 50_000],
)
def test_no_line_takes_long_to_judge(line: str) -> None:
    kept = HeadTail(head=1_000_000)
    kept.feed(f"goroutine 1 [running]:\n{line}".encode())
    began = time.process_time()
    assert last_words(kept) != ""
    assert time.process_time() - began < 1
