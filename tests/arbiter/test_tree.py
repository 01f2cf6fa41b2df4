"""Killing a whole tree: children, orphans, daemons; and nobody else."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import trio

from arbiter.isolation import proc, tree, usage
from arbiter.isolation.launch import launch
from arbiter.isolation.program import Program
from arbiter.isolation.sandbox import MIB, Level, Sandbox

SLEEP = "sleep 60"

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
    "import os, sys, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        os.chdir(sys.argv[1])\n"
    "        for descriptor in range(3): os.close(descriptor)\n"
    "        os.execve('/bin/sleep', ['sleep', '60'], {})\n"
    "    os._exit(0)\n"
    "os.wait()\n"
    "time.sleep(float(sys.argv[2]))\n"
)
"""A daemon without any sign of where it came from."""


def hidden(directory: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == directory:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


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


@pytest.mark.parametrize("level", Level)
def test_an_orphan_without_any_sign_goes_with_the_last_it_can_belong_to(level: Level, tmp_path: Path) -> None:
    """Of two programs side by side one hides a daemon; nothing of the other is touched."""
    if level is Level.JAIL and shutil.which("bwrap") is None:
        pytest.skip("not on this machine: bwrap")
    tree.become_subreaper()
    (home := tmp_path / "home").mkdir()
    words = [sys.executable, "-c", HIDDEN, str(home), "60"]
    sandbox = Sandbox(level)
    other = launch(["sh", "-c", f"(setsid {SLEEP} &); {SLEEP}"], tmp_path, {}, sandbox)
    program = launch(words, tmp_path, {}, sandbox)
    deadline = time.monotonic() + 20
    while not (hidden(home) and sleepers(other, home) == 2) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.3)  # it may have been seen before it lost its signs
    assert (len(hidden(home)), sleepers(other, home)) == (1, 2)
    before = len(other.members())
    trio.run(program.kill)
    if level is not Level.NONE:
        # Its own tree was still known: it holds its orphans itself, or a namespace does.
        assert hidden(home) == []
    assert len(other.members()) == before
    later = launch(["sh", "-c", SLEEP], tmp_path, {}, sandbox)
    trio.run(other.kill)
    assert hidden(home) == []
    assert later.poll() is None
    trio.run(later.kill)
    close(program, other, later)


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
