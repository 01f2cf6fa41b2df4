"""The helper for Python bots in processes: streams, exit statuses, a person at a terminal, the arbiter."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from protocol.rules import Position, Side
from tests.e2e.commands import arbiter
from tests.sample_bots.referee import ask, cpu_time, greet, started

CHOOSER = """
import os, subprocess, sys
from protocol.bot import run

print("imported")

def choose(position, clock):
    print("thinking")
    os.write(1, b"from the depths\\n")
    subprocess.run(["sh", "-c", "echo child; cat"], check=True)
    return min(position.legal_plies())

run(choose)
print("after")
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return tmp_path / "mybot.py"


def test_nothing_gets_between_the_lines(program: Path) -> None:
    """Prints, other programs' output and their hunger for input stay away from the conversation."""
    program.write_text(CHOOSER)
    with started([sys.executable, str(program)]) as bot:
        greet(bot, Side.WHITE, seed=1)
        assert [str(ask(bot, [], Position.start())) for _ in range(2)] == ["A1"] * 2
        bot.say("quit")
        assert bot.wait() == 0
        _, unread, errors = bot.finish()
    assert bot.heard[0] == "id name mybot"
    assert unread == "after\n", "when the conversation is over the output is the program's own again"
    assert errors.splitlines() == ["imported", *["thinking", "from the depths", "child"] * 2]


def test_a_bot_without_standard_error_plays(program: Path) -> None:
    program.write_text(CHOOSER)
    with started(["sh", "-c", f"{sys.executable} {program} 2>&-"]) as bot:
        greet(bot, Side.WHITE, seed=1)
        assert str(ask(bot, [], Position.start())) == "A1"
        code, unread, errors = bot.finish()
    assert (code, errors) == (0, "")
    assert "thinking" not in unread


SPARTAN = """
import random
from protocol.bot import Bot, run

class Spartan(Bot):
    features = ("nolegal", "noboard", "reuse")

    def choose(self, position, clock):
        return random.choice(sorted(position.legal_plies()))

run(Spartan)
"""


def test_plays_without_boards_and_legal_plies(program: Path) -> None:
    program.write_text(SPARTAN)
    argv = f"{sys.executable} mybot.py"
    start = "b.w.rw.b./.wbwbwbwbw/wbwb.bwbw.w/bwbwrwbwb./wbw.w.wbr w m"
    for more in ([], ["--position", start]):
        done = arbiter(program.parent, "match", argv, "sample:random", "--games", "1", *more)
        assert done.returncode == 0
        assert re.search(r"ends: .* \(\d+:\d+, \d+ plies\)", done.stdout), done.stdout


BROKEN = """
from protocol.bot import run
def choose(position, clock):
    return position.no_such_thing
run(choose, name="Broken")
"""


def test_an_exception_ends_it_with_a_traceback(program: Path) -> None:
    program.write_text(BROKEN)
    with started([sys.executable, str(program)]) as bot:
        bot.say("dvp 1", "go")
        assert bot.wait() == 1, "while its input stays open"
        _, unread, errors = bot.finish()
    assert unread.splitlines()[-1] == "dvpok"
    assert errors.startswith("Traceback")
    assert errors.rstrip().endswith("AttributeError: 'Position' object has no attribute 'no_such_thing'")


def test_the_arbiter_reports_a_crash(program: Path) -> None:
    program.write_text(BROKEN)
    done = arbiter(program.parent, "match", f"{sys.executable} mybot.py", "sample:random", "--games", "1")
    assert "mybot forfeits at ply 1, crash: exited with status 1" in done.stdout
    assert "'Position' object has no attribute 'no_such_thing'" in done.stdout


def test_a_bot_whose_arbiter_is_gone_ends_quietly(program: Path) -> None:
    program.write_text("from protocol.bot import run\nrun(lambda position, clock: 'A1')\n")
    with started([sys.executable, str(program)]) as bot:
        assert bot.popen.stdout is not None
        bot.popen.stdout.close()
        bot.say("dvp 1", "go", "go", "quit")
        assert bot.wait() == 0
        assert bot.popen.stderr is not None
        assert bot.popen.stderr.read() == b""


def test_a_person_at_a_terminal_is_told_what_this_is(program: Path) -> None:
    program.write_text("from protocol.bot import run\nrun(lambda position, clock: 'D1')\n")
    leader, follower = pty.openpty()
    bot = subprocess.Popen([sys.executable, program], stdin=follower, stdout=follower, stderr=follower)
    os.close(follower)
    try:
        assert "waits for an arbiter" in read_until(leader, "quit")
        os.write(leader, b"dvp 1\ngo\n")
        assert "dvpok" in read_until(leader, "move D1")
        bot.send_signal(signal.SIGINT)
        assert bot.wait(10) == 130
        assert "Traceback" not in read_until(leader, None)
    finally:
        bot.kill()
        bot.wait()
        os.close(leader)


def read_until(terminal: int, word: str | None) -> str:
    """What a terminal shows, up to a word or the end."""
    text, until = "", time.monotonic() + 10
    while word is None or word not in text:
        assert select.select([terminal], [], [], max(0, until - time.monotonic()))[0], text
        try:
            data = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            data = b""
        if not data:
            break
        text += data.decode()
    return text


def test_a_start_takes_little() -> None:
    """A bot is started for every game: no module that takes long is imported, and the rest takes less than
    six times what Python itself takes to start, which is less than 100 ms.
    """
    code = "import sys; before = set(sys.modules); import protocol.bot; print(*(set(sys.modules) - before))"
    loaded = set(python(code).split())
    assert {"protocol.bot", "protocol.rules"} <= loaded
    slow = {"dataclasses", "inspect", "pathlib", "asyncio", "logging", "protocol.dvp", "protocol.records"}
    assert loaded.isdisjoint(slow)
    bare, whole = (
        min(cpu_time(partial(python, code)) for _ in range(7)) for code in ("pass", "import protocol.bot")
    )
    assert whole < 6 * bare


def python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout
