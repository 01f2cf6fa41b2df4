"""Killing a whole tree: children, orphans, daemons; and nobody else."""

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import trio

from arbiter.isolation import mark, proc, tree, usage
from arbiter.isolation.launch import launch
from arbiter.isolation.program import Program
from arbiter.isolation.sandbox import MIB, Level, Sandbox

BOTS = Path(__file__).parent.parent / "bots"
SLEEP = "sleep 60"
FILE_LOCKS = 10
needs_marks = pytest.mark.skipif(sys.platform != "linux", reason="needs limits that are set from outside")

TREES = {
    "a child": f"{SLEEP} & {SLEEP} & wait",
    "an orphan": f"({SLEEP} & ) ; {SLEEP}",
    "an orphan of a dead root": f"({SLEEP} & )",
    "a session of its own": f"setsid {SLEEP} & {SLEEP}",
    "a daemon": f"(setsid sh -c '{SLEEP} & {SLEEP}' & ) ; {SLEEP}",
    "a daemon of a dead root": f"(setsid sh -c '{SLEEP} & {SLEEP}' & )",
    "deaf to signals": f"trap '' TERM INT HUP; {SLEEP} & wait; {SLEEP}",
}


def start(directory: Path, script: str, mark: str) -> Program:
    return launch(["sh", "-c", script], directory, {"TEST_MARK": mark})


def close_pipes(program: Program) -> None:
    for pipe in (program.process.stdin, program.process.stdout, program.process.stderr):
        assert pipe is not None
        pipe.close()


def alive(mark: str) -> int:
    """Processes with the mark that are no zombies."""
    count = 0
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"TEST_MARK={mark}".encode() in (
                entry / "environ"
            ).read_bytes().split(b"\0"):
                count += 1
        except OSError:
            continue
    return count


@pytest.mark.parametrize("script", TREES.values(), ids=TREES.keys())
def test_nothing_of_a_tree_is_left(tmp_path: Path, script: str) -> None:
    tree.become_subreaper()
    bystander = subprocess.Popen(["sleep", "60"])
    other = start(tmp_path, SLEEP, f"{tmp_path}-other")
    program = start(tmp_path, script, str(tmp_path))
    deadline = time.monotonic() + 5
    while alive(str(tmp_path)) < 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    assert alive(str(tmp_path)) >= 1
    try:
        trio.run(program.kill)
        assert alive(str(tmp_path)) == 0
        assert bystander.poll() is None
        assert other.poll() is None
    finally:
        trio.run(other.kill)
        bystander.kill()
        bystander.wait()
        close_pipes(program)
        close_pipes(other)


def test_what_a_program_leaves_is_seen_as_soon_as_it_has_ended(tmp_path: Path) -> None:
    tree.become_subreaper()
    program = start(tmp_path, f"{SLEEP} & read line", str(tmp_path))
    try:
        while len(program.members()) < 2:
            time.sleep(0.001)
        assert program.process.stdin is not None
        program.process.stdin.close()
        while program.poll() is None:
            program.members()
        assert len(program.members()) == 1
    finally:
        trio.run(program.kill)
        close_pipes(program)


def test_exit_statuses_of_other_children_are_not_taken(tmp_path: Path) -> None:
    tree.become_subreaper()
    bystander = subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"])
    os.waitid(os.P_PID, bystander.pid, os.WEXITED | os.WNOWAIT)
    program = start(tmp_path, SLEEP, str(tmp_path))
    trio.run(program.kill)
    assert bystander.wait() == 7
    for pipe in (program.process.stdin, program.process.stdout, program.process.stderr):
        assert pipe is not None
        pipe.close()


HIDDEN = (
    "import os, resource, sys, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        if sys.argv[3] == 'shed':\n"
    "            for kind in (resource.RLIMIT_RSS, 10): resource.setrlimit(kind, (0, 0))\n"
    "        os.chdir(sys.argv[1])\n"
    "        for descriptor in range(3): os.close(descriptor)\n"
    "        os.execve('/bin/sleep', ['sleep', '60'], {})\n"
    "    os._exit(0)\n"
    "os.wait()\n"
    "time.sleep(float(sys.argv[2]))\n"
)
"""A daemon without any sign of where it came from but its limits, or without these, too."""


def hidden(directory: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == directory:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def command(pid: int) -> str:
    """The name of what a process runs."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def sleepers(program: Program, home: Path) -> int:
    """How many of its processes sleep already, without those that hide in ``home``."""
    count = 0
    for pid in set(program.members()) - set(hidden(home)):
        with contextlib.suppress(OSError):
            count += Path(f"/proc/{pid}/cmdline").read_bytes() == b"sleep\x0060\x00"
    return count


def close(*programs: Program) -> None:
    for program in programs:
        for pipe in (program.process.stdin, program.process.stdout, program.process.stderr):
            assert pipe is not None
            pipe.close()


@dataclass
class Couple:
    """Two programs side by side, of which the first hides a daemon."""

    first: Program
    second: Program
    home: Path

    def close(self) -> None:
        close(self.first, self.second)


def couple(directory: Path, level: Level, how: str) -> Couple:
    """Start them, and let what they do take its time."""
    if level is Level.JAIL and shutil.which("bwrap") is None:
        pytest.skip("not on this machine: bwrap")
    tree.become_subreaper()
    (home := directory / "home").mkdir()
    sandbox = Sandbox(level)
    second = launch(["sh", "-c", f"(setsid {SLEEP} &); {SLEEP}"], directory, {}, sandbox)
    first = launch([sys.executable, "-c", HIDDEN, str(home), "60", how], directory, {}, sandbox)
    deadline = time.monotonic() + 20
    while not (hidden(home) and sleepers(second, home) == 2) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.3)  # it may have been seen before it lost its signs
    assert (len(hidden(home)), sleepers(second, home)) == (1, 2)
    return Couple(first, second, home)


@needs_marks
@pytest.mark.parametrize("level", Level)
def test_an_orphan_that_hides_goes_with_its_own_program(level: Level, tmp_path: Path) -> None:
    """By its limits, or since its root or a namespace holds it; nothing of the other is touched."""
    them = couple(tmp_path, level, "hide")
    before = len(them.second.members())
    trio.run(them.first.kill)
    assert hidden(them.home) == []
    assert len(them.second.members()) == before
    trio.run(them.second.kill)
    them.close()


def test_an_orphan_without_any_sign_goes_with_the_last_it_can_belong_to(tmp_path: Path) -> None:
    them = couple(tmp_path, Level.NONE, "shed")
    before = len(them.second.members())
    trio.run(them.first.kill)
    assert len(hidden(them.home)) == 1
    assert len(them.second.members()) == before
    later = launch(["sh", "-c", SLEEP], tmp_path, {})
    trio.run(them.second.kill)
    assert hidden(them.home) == []
    assert later.poll() is None
    trio.run(later.kill)
    them.close()
    close(later)


def hasty(home: Path) -> tuple[Program, "subprocess.Popen[bytes]"]:
    """A program that hides a daemon before the arbiter has marked it, and what the arbiter itself starts
    meanwhile.
    """
    home.mkdir()
    mark.prepare()
    process = subprocess.Popen([sys.executable, "-c", HIDDEN, home, "60", "hide"], start_new_session=True)
    bystander = subprocess.Popen(["sleep", "60"])
    while not hidden(home):
        time.sleep(0.01)
    tree.adopt(process.pid, "no marker")
    return Program(process), bystander


@needs_marks
def test_what_a_program_starts_before_the_arbiter_goes_on_is_known(tmp_path: Path) -> None:
    tree.become_subreaper()
    program, bystander = hasty(tmp_path / "home")
    with bystander:
        assert tree.orphans(program.pid).living == hidden(tmp_path / "home")
        trio.run(program.kill)
        assert hidden(tmp_path / "home") == []
        assert bystander.poll() is None
        bystander.kill()


@needs_marks
def test_who_takes_on_the_mark_of_a_later_program_is_not_taken_for_its_own(tmp_path: Path) -> None:
    tree.become_subreaper()
    first, bystander = hasty(tmp_path / "home")
    (orphan,) = hidden(tmp_path / "home")
    second = start(tmp_path, SLEEP, str(tmp_path))
    for kind in (resource.RLIMIT_RSS, FILE_LOCKS):
        resource.prlimit(orphan, kind, resource.prlimit(second.pid, kind))
    with bystander:
        assert mark.of(orphan) == mark.of(second.pid)
        assert tree.orphans(second.pid).living == []
        trio.run(second.kill)
        assert hidden(tmp_path / "home") == [orphan]
        trio.run(first.kill)
        assert hidden(tmp_path / "home") == []
        bystander.kill()
    close(second)


@pytest.mark.needs("cc")
@needs_marks
def test_orphans_that_end_do_not_pile_up(tmp_path: Path) -> None:
    tree.become_subreaper()
    before = set(proc.children(os.getpid()))  # an arbiter that another test killed may have left its dead
    subprocess.run(["cc", "-o", tmp_path / "hidden", BOTS / "hidden.c"], check=True)
    program = launch(["sh", "-c", f"./hidden orphans 1000; {SLEEP}"], tmp_path, {})
    while "sleep" not in [command(pid) for pid in program.members()] or tree.orphans(program.pid).living:
        time.sleep(0.01)
    found = tree.orphans(program.pid)
    assert found.is_complete
    assert found.collected >= 1_000_000_000
    assert program.pid in proc.children(os.getpid())
    new = set(proc.children(os.getpid())) - before
    assert [pid for pid in new if proc.has_ended(proc.stat(pid))] == []
    trio.run(program.kill)
    close(program)


def test_what_was_here_before_is_nobodys_orphan(tmp_path: Path) -> None:
    tree.become_subreaper()
    before = subprocess.Popen(["sleep", "60"], start_new_session=True)
    time.sleep(0.02)
    program = start(tmp_path, SLEEP, str(tmp_path))
    trio.run(program.kill)
    assert before.poll() is None
    before.kill()
    before.wait()
    close(program)


HEADLESS = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *go_on(void *unused) {
    size_t size = 40 << 20;
    memset(malloc(size), 1, size);
    if (write(1, "held\n", 5) == 5) pause();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, go_on, NULL);
    pthread_exit(NULL);
}
"""


@pytest.fixture
def headless(tmp_path: Path) -> Program:
    """A program of which the first thread has ended and another goes on: the kernel calls it a zombie."""
    (tmp_path / "headless.c").write_text(HEADLESS)
    subprocess.run(["cc", "-pthread", "-o", "headless", "headless.c"], cwd=tmp_path, check=True)
    program = launch(["./headless"], tmp_path, {}, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert program.process.stdout is not None
    with program.process.stdout as output:
        assert output.readline() == b"held\n"
    return program


@pytest.mark.needs("cc")
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_program_without_its_first_thread_is_seen_and_killed(headless: Program) -> None:
    while proc.stat(headless.pid)[proc.STATE] != b"Z":
        time.sleep(0.01)
    assert headless.members() == [headless.pid]
    assert usage.measure([headless.pid]).memory > 40 * MIB
    assert usage.highest([headless.pid]) > 40 * MIB
    assert (usage.proportional([headless.pid]) or 0) > 40 * MIB
    trio.run(headless.kill)
    assert headless.process.returncode == -signal.SIGKILL


@pytest.mark.needs("cc")
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_its_environment_tells_whose_it_is(headless: Program) -> None:
    try:
        assert any(entry.startswith(tree.MARKER.encode()) for entry in proc.environment(headless.pid))
    finally:
        trio.run(headless.kill)
