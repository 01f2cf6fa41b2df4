"""Commands that look around, and what all commands have in common."""

import json
import re
import shutil
from pathlib import Path

import pytest

from arbiter.cli.main import COMMANDS
from tests.e2e.commands import QUICK, arbiter, at_once, entry, quick, write_cup


def test_the_sample_bots_are_listed(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "bots")
    assert done.returncode == 0
    listed = re.findall(r"^sample:([\w-]+)", done.stdout, re.MULTILINE)
    bots = json.loads(arbiter(tmp_path, "bots", "--format", "json").stdout)["bots"]
    assert [bot["name"] for bot in bots] == listed
    assert {bot["protocol"] for bot in bots} == {"dvp", "codecup"}
    assert len({bot["language"] for bot in bots}) >= 5


def test_the_doctor_finds_this_machine_fit(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "doctor")
    assert done.returncode == 0, done.stdout
    assert "MISSING" not in done.stdout
    findings = json.loads(arbiter(tmp_path, "doctor", "--format", "json").stdout)
    subjects = {"python", "results database", "build cache", "isolation none", "clocks", "hidden CPU time"}
    assert subjects <= {finding["subject"] for finding in findings}


def test_the_doctor_names_a_cache_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file")
    done = arbiter(tmp_path, "doctor")
    assert done.returncode == 1
    assert re.search(r"MISSING +build cache .*XDG_CACHE_HOME", done.stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(tmp_path: Path, command: str) -> None:
    done = arbiter(tmp_path, command, "--help")
    assert done.returncode == 0
    assert f"usage: arbiter {command}" in done.stdout
    assert "example" in done.stdout or "exit status" in done.stdout
    assert all(len(line) <= 100 for line in done.stdout.splitlines())


def test_the_version(tmp_path: Path) -> None:
    assert re.fullmatch(r"arbiter \d+\.\d+\.\d+\n", arbiter(tmp_path, "--version").stdout)


def test_a_dry_run_says_what_the_run_builds_and_builds_nothing(tmp_path: Path) -> None:
    shutil.copy(QUICK, tmp_path / "quick.sh")
    bots = [
        entry("made", "./made first", build="[cp, quick.sh, made]"),
        quick("other", "last"),
        entry("long", "./made last", build=f'[sh, -c, "cp quick.sh made {" " * 200}; true"]'),
    ]
    write_cup(tmp_path, "round-robin", bots)
    done = at_once("run", "cup.yaml", "--dry-run", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split("\n\n")[1].splitlines() == [
        f"  made: {tmp_path}/made first",
        f"    the run builds it: cp quick.sh made, in {tmp_path}",
        f"  other: {QUICK} last",
        f"  long: {tmp_path}/made last",
        f"    the run builds it: sh -c 'cp quick.sh made ; true', in {tmp_path}",
    ]
    assert not (tmp_path / "made").exists()
    assert at_once("run", "cup.yaml", cwd=tmp_path).returncode == 0
    assert "builds it" not in at_once("run", "cup.yaml", "--dry-run", cwd=tmp_path).stdout


def test_a_dry_run_without_a_clock(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(
        "tournament: t\ntime: none\ndepth: 3\nbots: [sample:random, sample:greedy]\n"
    )
    done = arbiter(tmp_path, "run", "t.yaml", "--dry-run", "--seed", "9")
    assert "no clock: how long it takes is up to the bots" in done.stdout
    assert "seed 9" in done.stdout
