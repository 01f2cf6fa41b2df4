"""The command ``arbiter check``: what it prints, its exit status, what it refuses, how it is interrupted."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arbiter.check import check, runner
from tests.e2e.checking import GAME, INTRODUCTION, NUMBERS
from tests.e2e.commands import arbiter, at_once, start
from tests.e2e.table import BOTS

REST = ("unusual lines", "clock use", "quit", "end of input")


def command(*fault: str) -> str:
    return f"{sys.executable} {BOTS / 'faulty.py'} {' '.join(fault)}"


def test_the_output_for_people(tmp_path: Path) -> None:
    done = arbiter(
        tmp_path, "check", command("always-a1"), *steps("handshake", "options", "placement as White")
    )
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[0] == f"faulty: {command('always-a1')} (dvp)"
    assert lines[2].split() == ["2", "handshake", "pass"]
    assert lines[3].split()[:3] == ["note", "Faulty;", "no"]
    assert lines[4].split(None, 1) == ["3", "options                 not announced: any option"]
    assert lines[5].split() == ["5", "placement", "as", "White", "FAIL"]
    assert [line.split()[0] for line in lines[6:8]] == ["tried", "problem"]
    assert "A1 is illegal: A1 is occupied" in lines[7]
    assert any(line.split()[1:] == ["<", "move", "A1"] for line in lines)
    assert lines[-1] == "3 steps: 1 passed, 1 failed, 1 not announced: see step 5"
    assert "\x1b" not in done.stdout


def steps(*titles: str) -> list[str]:
    return [word for title in titles for word in ("--step", str(NUMBERS[title]))]


def test_the_output_for_programs(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "check", command("bare"), "--time", "1s", "--format", "json", *steps(*GAME))
    assert done.returncode == 1
    data: dict[str, Any] = json.loads(done.stdout)
    assert data["bot"]["protocol"] == "dvp"
    assert data["failed"] == [5]
    first = data["steps"][0]
    assert (first["number"], first["title"], first["outcome"]) == (5, "placement as White", "fail")
    assert first["dialogue"][-1].endswith("< A1")
    assert first["change"].startswith("For `A1` write `move A1`")
    assert [step["outcome"] for step in data["steps"][1:]] == ["skipped", "skipped"]


def test_verbose_shows_what_was_said(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "check", command(), "--verbose", *steps("handshake"))
    assert done.returncode == 0
    assert "in a first start (ms since the start" in done.stdout
    assert "> dvp 1" in done.stdout
    assert "< dvpok" in done.stdout
    assert "tried " in done.stdout


def test_control_characters_of_a_bot_reach_no_terminal(tmp_path: Path) -> None:
    bot = command("hello", r"'\x1b[2J\ndvpok\n'")
    done = arbiter(tmp_path, "check", bot, *steps("handshake", "stray output"), "--verbose")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "[2J" in done.stdout


@pytest.mark.needs("cc")
def test_a_sample_is_built_first(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "check", "sample:random-c", *steps("handshake"))
    assert done.stdout.startswith("random-c: building with `cc ")
    assert done.returncode == 0


@pytest.mark.needs("bwrap")
def test_isolation_levels(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "check", "sample:random", "--isolation", "jail", *steps("placement as White"))
    assert done.returncode == 0, done.stdout
    assert "(dvp, isolation jail)" in done.stdout


BAD = [
    (["check", "sample:nobody"], "there is no sample bot"),
    (["check", "sample:random", "--step", "99"], "there is no step 99"),
    (["check", "sample:random", "--step", "0"], "too small"),
    (["check", "sample:random", "--step", "4,0-3"], "too small"),
    (["check", "sample:random", "--step", "9-5"], "'9-5' goes backwards"),
    (["check", "sample:random", "--step", "3-"], "'' is not a whole number"),
    (["check", "sample:random", "--step", "20-24"], "there is no step 24"),
    (["check", "sample:random", "--time", "1m"], "from 1ms to 10s"),
    (["check", "sample:random", "--time", "move 1s"], "a time for the whole game"),
    (["check", "sample:random", "--time", "5"], "needs a unit"),
    (["check"], "BOT"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[" ".join(b[0]) for b in BAD])
def test_bad_input_is_one_clear_message(tmp_path: Path, arguments: list[str], words: str) -> None:
    done = arbiter(tmp_path, *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_a_missing_program_fails_the_first_step(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "check", "./nothing")
    assert done.returncode == 1
    assert "no such file; is it built, and is the path right?" in " ".join(done.stdout.split())
    assert done.stdout.endswith("23 steps: 1 failed, 22 skipped: see step 1\n")


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    while not path.exists():
        assert process.poll() is None
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_it_at_once_and_tells_what_was_found(tmp_path: Path, number: int) -> None:
    bot = f"{sys.executable} {BOTS / 'faulty.py'} hangs"
    process = start(tmp_path, "check", bot)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        while "readiness" not in process.stdout.readline():
            pass
        wait_for(tmp_path / "asked", process)
        os.kill(process.pid, number)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert errors == ""
    assert output == (
        "   5  placement as White      interrupted\n"
        "\n"
        "interrupted; 4 steps: 2 passed, 2 not announced: no fault found, but not all was tried\n"
        f"the rest: arbiter check '{bot}' --step 5-23\n"
    )


def test_an_interruption_is_told_to_programs(tmp_path: Path) -> None:
    process = start(tmp_path, "check", command("hangs"), "--format", "json", *steps(*INTRODUCTION, *GAME))
    try:
        wait_for(tmp_path / "asked", process)
        os.kill(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    data: dict[str, Any] = json.loads(output)
    assert (process.returncode, errors) == (130, "")
    assert data["interrupted"]
    assert ([step["number"] for step in data["steps"]], data["left"]) == ([1, 2], [5, 6, 7])
    assert data["rest"].endswith(" --step 5-7")


def test_what_there_was_no_time_for_is_tried_by_another_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four seconds of eight go to the trials, five of which a step needs."""
    monkeypatch.setattr(runner, "LIMIT", 8)
    monkeypatch.setattr(check, "_SLOW", 60)  # or it would be tried with less
    slow = command("sleepy", "0.9")
    done = at_once("check", slow, "--time", "4s", *steps("handshake", *REST), cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout.endswith(
        "5 steps: 1 passed, 4 not tried: no fault found, but not all was tried\n"
        f"the rest: arbiter check '{slow}' --step 13-14,17-18 --time 4s\n"
    )
    done = at_once("check", slow, "--step", "17-18", cwd=tmp_path)
    assert done.stdout.endswith("2 steps: 2 passed\n")
    assert done.returncode == 0


WRITES = "import sys; open(sys.argv[1], 'a').write('x')\n"
HOLDS = "kept = b'x' * (600 * 2**20)\n"


@pytest.mark.parametrize(
    ("habit", "words"),
    [(WRITES, "if the bot wrote there"), (HOLDS, "held 6")],
    ids=["writes", "holds"],
)
def test_what_most_tournaments_deny_is_told_with_the_command_that_tries_it(
    tmp_path: Path, habit: str, words: str
) -> None:
    (tmp_path / "bot.py").write_text(f"{habit}{(BOTS / 'faulty.py').read_text()}")
    bot = f"{sys.executable} bot.py bot.log"
    done = arbiter(tmp_path, "check", bot, *steps("starts", "leaves nothing behind"))
    assert done.returncode == 0, done.stdout
    told = " ".join(done.stdout.split())
    assert words in told
    assert "no fault found at isolation none, but step" in told
    last = done.stdout.splitlines()[-1]
    assert last == f"held back as in tournaments: arbiter check '{bot}' --step 1,23 --isolation auto"


def test_the_verdict_names_the_isolation_at_which_it_was_found() -> None:
    from arbiter.check.findings import Findings
    from arbiter.check.outcome import StepReport, passed
    from arbiter.isolation.sandbox import Level

    findings = Findings([1], every=True, level=Level.JAIL)
    findings.reports.append(StepReport(1, "starts", "", passed(), 0.1))
    assert findings.summary == "1 step: 1 passed: ready for tournaments at isolation jail"
