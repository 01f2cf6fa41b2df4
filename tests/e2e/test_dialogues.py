"""Listening in on a match: the trace, the log, and bots that are started through something else."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.commands import CUP, ODD, arbiter, start
from tests.e2e.terminal import Terminal

SHORT = ("--position", "........w/....w4*b2..b3./.......b3w7*../......b3.../......... w m", "--seed", "1")
"""From here two bots that play the first legal ply need a few plies."""
TRACED = re.compile(r" *(\d+\.\d{3}) +(?:(\+\d+\.\d{3}) )?([<>!#]) (white|black) (.*)")
LOGGED = re.compile(r" *(\d+\.\d{6}) ([<>!#]) (white|black) (.*)")


def traced(text: str) -> list[tuple[str, ...]]:
    """The lines of a trace: ms, ms since the request, sign, side, words."""
    return [found.groups("") for line in text.splitlines() if (found := TRACED.fullmatch(line))]


def test_a_trace_tells_who_said_what_and_when(tmp_path: Path) -> None:
    odd = f"{ODD} before 'hello\\n' --at 2"
    done = arbiter(tmp_path, "match", odd, CUP, "--games", "1", "--trace", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert done.stdout.startswith("ms since the start of the game")
    lines = traced(done.stdout)
    said = [line[2:] for line in lines]
    assert said.index((">", "white", "dvp 1")) < said.index(("<", "white", "dvpok"))
    assert (">", "black", "A1") in said
    first = said.index(("<", "white", "move A1"))
    assert said[first - 1][:2] == (">", "white")
    assert said[first - 1][2].startswith("go ply 1 time 5000")
    assert float(lines[first][1]) < 5_000
    assert ("#", "white", "ignored: 'hello'") in said
    costs = [text for sign, _, text in said if sign == "#" and "took" in text]
    assert re.fullmatch(r"A1: took \d+\.\d{3} ms \(cpu .* ms\), charged \d+\.\d{3} ms, \d+ ms left", costs[0])
    movers = [side for sign, side, text in said if sign == "#" and "took" in text]
    assert movers[:50] == ["white", "black"] * 24 + ["white", "white"]
    moments = [float(line[0]) for line in lines if line[2] != "#"]
    assert moments == sorted(moments)
    assert "game 1 ends: odd - codecup" in done.stdout


def test_a_line_without_an_end_and_stderr_are_shown(tmp_path: Path) -> None:
    script = "read x; echo oh >&2; echo dvpok; while read x; do case $x in go*) printf 'move A1';; esac; done"
    bot = f'sh -c "{script}"'
    done = arbiter(
        tmp_path,
        "match",
        bot,
        f"{ODD} none",
        "--games",
        "1",
        "--time",
        "300ms",
        "--trace",
        "--format",
        "json",
    )
    assert json.loads(done.stdout)["games"] == 1
    said = [line[2:] for line in traced(done.stderr)]
    assert ("!", "white", "oh") in said
    assert ("<", "white", "move A1 (without a line end)") in said
    assert "timeout" in done.stderr


def test_a_trace_in_a_terminal_has_colours_and_fits(tmp_path: Path) -> None:
    arguments = ("match", f"{ODD} none", f"{ODD} none", "--games", "1", "--trace", *SHORT)
    with Terminal(tmp_path, *arguments, columns=80) as terminal:
        assert terminal.finish() == 0
        assert "\x1b[38;5;16;48;5;230mwhite\x1b[0m" in terminal.text
        asked = [line for line in terminal.shown.splitlines() if "> white board" in line]
        assert len(asked) == 2
        assert all(len(line) <= 80 for line in asked)
        assert re.search(r" … \+\d+ … [.\w*/]+ w m$", asked[0])
    with Terminal(tmp_path, *arguments, NO_COLOR="1") as terminal:
        assert terminal.finish() == 0
        assert "\x1b" not in terminal.text


def test_every_game_has_a_log(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "match", f"{ODD} none", CUP, "--log", "said/here", "--quiet", "--seed", "1")
    assert done.returncode == 0
    assert sorted(path.name for path in (tmp_path / "said/here").iterdir()) == ["game-1.log", "game-2.log"]
    log = (tmp_path / "said/here/game-2.log").read_text().splitlines()
    assert log[0].startswith("game 2: codecup (white) - odd (black), 20")
    lines = [found.groups() for line in log if (found := LOGGED.fullmatch(line))]
    assert len(lines) == len(log) - 3
    assert next(line[3] for line in lines if line[1:3] == (">", "white")) == "Start"
    assert log[-1].startswith("game 2 ends: codecup - odd ")


@pytest.mark.parametrize("option", [["--log", "said"], ["--trace"]])
def test_without_a_game_there_is_nothing_to_tell(tmp_path: Path, option: list[str]) -> None:
    done = arbiter(tmp_path, "match", f"{ODD} none --hello 'error no\n'", f"{ODD} none", *option)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "arbiter: odd: the bot cannot play: no",
        "no game was begun, so there is no dialogue of one; arbiter check BOT shows how a bot starts",
    ]


def test_an_arbiter_that_is_killed_leaves_the_log(tmp_path: Path) -> None:
    bots = (f"{ODD} hold", f"{ODD} none", "--time", "5m")
    process = start(tmp_path, "match", *bots, "--log", "said", "--seed", "1")
    log = tmp_path / "said/game-1.log"
    end = time.monotonic() + 60
    while not (log.exists() and "go ply 5" in log.read_text()) and time.monotonic() < end:
        time.sleep(0.02)
    process.kill()
    process.communicate()
    (tmp_path / "go-on").touch()
    assert LOGGED.fullmatch(log.read_text().splitlines()[-1])
    assert "> white go ply 5" in log.read_text().splitlines()[-1]


@pytest.fixture
def wrapper(tmp_path: Path) -> str:
    """A command that says to stderr what it starts, and counts how often it was asked to."""
    path = tmp_path / "wrapper.sh"
    path.write_text('#!/bin/sh\necho "starting $*" >&2\necho once >> wrapped.txt\nexec "$@"\n')
    path.chmod(0o755)
    return "./wrapper.sh"


def test_a_wrapped_bot_is_started_once_and_has_time(tmp_path: Path, wrapper: str) -> None:
    late = f"{ODD} late 2.3 --at 1"  # past its limit by more than the machine can be blamed for
    arguments = ("match", late, f"{ODD} none", "--wrap", wrapper, "--time", "1s", *SHORT)
    done = arbiter(tmp_path, *arguments, "--results", "r", "--log", "said")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" ends: ") == 1
    assert re.search(r"ends: odd - odd-2 .* plies\)", done.stdout)
    assert (tmp_path / "wrapped.txt").read_text() == "once\n"
    shown = traced(done.stdout)
    assert {line[2:4] for line in shown} == {("!", "white")}
    assert shown[0][4].startswith("starting /")
    assert "go ply 3 time 1000 " in (tmp_path / "said/game-1.log").read_text()
    record = arbiter(tmp_path, "export", "r").stdout
    assert "wrapper" not in record
    kept = arbiter(tmp_path, *arguments, "--keep-clock", "--results", "k")
    assert "timeout" in kept.stdout


@pytest.mark.needs("valgrind", "strace", "cc")
@pytest.mark.parametrize("command", ["valgrind", "strace -f -o calls.txt"])
def test_well_known_wrappers(tmp_path: Path, command: str) -> None:
    done = arbiter(tmp_path, "match", "sample:random-c", f"{ODD} none", "--wrap", command, "--seed", "1")
    assert "plies)" in done.stdout, done.stdout
    if command == "valgrind":
        assert any("ERROR SUMMARY: 0 errors" in line[4] for line in traced(done.stdout))
    else:
        assert "write(1" in (tmp_path / "calls.txt").read_text()


@pytest.mark.needs("gdb", "cc")
def test_a_debugger_has_the_terminal_and_the_bot_its_pipes(tmp_path: Path) -> None:
    arguments = ("match", "sample:random-c", f"{ODD} none", "--wrap", "gdb -q --args", "--seed", "1")
    with Terminal(tmp_path, *arguments) as terminal:
        terminal.read_until("(gdb) ")
        terminal.type("break fflush\nrun\n")
        terminal.read_until("Breakpoint 1, ")
        terminal.type("backtrace\n")
        terminal.read_until("in main")
        terminal.type("delete 1\ncontinue\n")
        terminal.read_until("exited normally")
        terminal.type("quit\n")
        assert terminal.finish() == 0
        assert "game 1 ends: random-c - odd" in terminal.shown
        assert "plies)" in terminal.shown
        assert terminal.modes() == terminal.modes_before


BAD = [
    (("--wrap", "'"), "--wrap: "),
    (("--wrap", ""), "--wrap: the command is empty"),
    (("--wrap", "./nothing"), "nothing: no such file"),
    (("--wrap", "no-such-tool --args"), "--wrap: no-such-tool: no such command on PATH"),
    (("--wrap", "./match.py"), "match.py: not executable; run `chmod +x match.py`"),
    (("--log", "match.py/x"), "--log match.py/x: cannot be made: Not a directory"),
]


@pytest.mark.parametrize(("options", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_input_is_one_clear_message(
    tmp_path: Path, refused: Callable[..., str], options: tuple[str, ...], words: str
) -> None:
    (tmp_path / "match.py").touch()
    assert words in refused("match", f"{ODD} none", f"{ODD} none", *options)
    assert [path.name for path in tmp_path.iterdir()] == ["match.py"]
