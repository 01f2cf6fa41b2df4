"""Bots that were withdrawn: what a league does without them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.commands import QUICK, at_once, entry, quick, stored, write_cup


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """A league from which ``van`` was withdrawn at its first failure, and that is complete without it;
    each start of ``a`` leaves a trace.
    """
    van, a = tmp_path / "van.sh", tmp_path / "a.sh"
    shutil.copy(QUICK, van)
    a.write_text(f"echo started >> {tmp_path}/starts\n{Path(QUICK).read_text()}")
    write_cup(
        tmp_path,
        "round-robin",
        [entry("a", f"sh {a} first"), quick("b", "last"), entry("van", f"sh {van} crash")],
        "max_failures: 1",
    )
    done = run(tmp_path)
    assert (done.returncode, "van is withdrawn: failed 1 game" in done.stdout) == (1, True), done.stderr
    assert len([game for game in stored(tmp_path / "one").values() if "van" not in game]) == 2
    return tmp_path


def run(directory: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return at_once("run", "cup.yaml", "--results", "one", *more, cwd=directory)


def test_who_was_withdrawn_need_not_start_any_more(league: Path) -> None:
    (league / "van.sh").unlink()
    path = league / "cup.yaml"
    path.write_text(path.read_text().replace("bots:", "rounds: 2\nbots:"))
    done = run(league)
    assert done.returncode == 1, done.stderr
    assert "van stays withdrawn: failed 1 game" in done.stdout
    assert done.stdout.count(" starts: a - b") + done.stdout.count(" starts: b - a") == 2
    assert done.stdout.count(" starts: ") == 2


def test_where_nothing_is_left_nothing_is_started(league: Path) -> None:
    table = run(league).stdout.split("Cup\n")[1]
    (league / "van.sh").unlink()
    starts = (league / "starts").read_text()
    done = run(league)
    assert (done.returncode, done.stderr) == (1, "")
    assert "no game is left to play, so no bot is built or started\n" in done.stdout
    assert done.stdout.split("Cup\n")[1] == table
    assert (league / "starts").read_text() == starts
