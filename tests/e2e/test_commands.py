"""Commands that look around, and what all commands have in common."""

import json
import re
from pathlib import Path

import pytest

from arbiter.cli.main import COMMANDS
from tests.e2e.commands import arbiter


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
    assert {"python", "results database", "build cache", "isolation none"} <= {f["subject"] for f in findings}


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


def test_a_dry_run_without_a_clock(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(
        "tournament: t\ntime: none\ndepth: 3\nbots: [sample:random, sample:greedy]\n"
    )
    done = arbiter(tmp_path, "run", "t.yaml", "--dry-run", "--seed", "9")
    assert "no clock: how long it takes is up to the bots" in done.stdout
    assert "seed 9" in done.stdout
