"""Killing a whole tree: children, orphans, daemons; and nobody else."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import trio

from arbiter.isolation import tree
from arbiter.isolation.launch import Program, launch

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
        for each in (program, other):
            for pipe in (each.process.stdin, each.process.stdout, each.process.stderr):
                assert pipe is not None
                pipe.close()


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
