"""The kernel's count of all that comes from a program: when it begins, and what it counts."""

import errno
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from arbiter.match import inherited
from arbiter.match.inherited import Count


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Threads whose count was given back; that of thread 5 has the descriptor 5, and counts 5 ns."""
    closed: list[int] = []
    monkeypatch.setattr(inherited, "start", lambda thread: thread)
    monkeypatch.setattr(os, "read", lambda descriptor, size: descriptor.to_bytes(size, sys.byteorder))
    monkeypatch.setattr(os, "close", closed.append)
    return closed


def seen(*looks: set[int]) -> Callable[[], set[int]]:
    """The threads, look by look; the last one lasts."""
    rest: Iterator[set[int]] = iter(looks)
    return lambda: next(rest, looks[-1])


def test_all_that_is_there_is_counted(closed: list[int]) -> None:
    count = Count(seen({5, 6}))
    assert (count.read(), closed) == (11, [])
    count.close()
    assert (count.read(), sorted(closed)) == (None, [5, 6])


def test_it_begins_again_when_something_was_started_meanwhile(closed: list[int]) -> None:
    """Which may be counted already, by inheritance, or not."""
    assert Count(seen({5}, {5, 6}, {5, 6, 7}, {5, 6, 7})).read() == 18
    assert closed == [5]


def test_it_gives_up_where_something_is_always_started(closed: list[int]) -> None:
    assert Count(seen(*({number} for number in range(100)))).read() is None
    assert len(closed) == inherited._TRIES


def test_it_gives_up_where_there_is_too_much(closed: list[int]) -> None:
    assert Count(seen(set(range(1, 100)))).read() is None
    assert closed == []


def test_it_gives_up_where_the_system_refuses(closed: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inherited, "start", lambda thread: -1)
    assert Count(seen({5})).read() is None
    assert closed == []


def test_what_the_arbiter_lacks_is_an_error(closed: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: int) -> int:
        if thread == 6:
            raise OSError(errno.EMFILE, "none left")
        return thread

    monkeypatch.setattr(inherited, "start", start)
    with pytest.raises(OSError, match="none left"):
        Count(seen({5, 6}))
    assert closed == [5]


def test_a_system_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "abacus")
    assert inherited.start(os.getpid()) == -1


def test_children_count_though_nobody_waits_for_them() -> None:
    code = """
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
sys.stdin.readline()
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        while time.process_time() < 0.05: pass
        os._exit(0)
try: os.wait()
except ChildProcessError: pass
print(flush=True)
time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        count = Count(lambda: {process.pid})
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if count.read() is None:
                pytest.skip("this system does not let the arbiter count")
            process.stdin.write(b"\n")
            process.stdin.flush()
            process.stdout.readline()
            found = count.read()
        finally:
            count.close()
            process.send_signal(signal.SIGKILL)
        assert found is not None
        assert found > 150_000_000
