"""Output whose reader leaves early, as ``head`` does: every command ends quietly and leaves nothing."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from arbiter.cli.main import COMMANDS
from tests.e2e.commands import ODD, arbiter, entry, environment, processes_in, write_tournament

BAD = f"{ODD} say 'move A1B1\\n'"
PAIR = (f"{ODD} none", f"{ODD} none")
SAID = {
    "run": ("run", "league.yaml"),
    "match": ("match", *PAIR),
    "ab": ("ab", *PAIR, "--budget", "10s"),
    "table": ("table", "r"),
    "annul": ("annul", "r", "--game", "1", "--why", "a test"),
    "export": ("export", "r"),
    "show": ("show", "r", "--game", "1"),
    "play": ("play", f"{ODD} none"),
    "check": ("check", f"{ODD} none", "--step", "1"),
    "replay": ("replay", "r/failures/game-1"),
    "diff": ("diff", *PAIR, "--positions", "4"),
    "watch": ("watch", ".", "--run", f"{ODD} none", "--no-check", "--games", "1", "--once"),
    "verify": ("verify", "games.drec"),
    "import": ("import", "games.drec"),
    "perft": ("perft", "2"),
    "openings": ("openings", "--kind", "random", "--count", "2", "--seed", "1"),
    "schema": ("schema",),
    "bots": ("bots",),
    "new": ("new", "python", "fresh"),
    "doctor": ("doctor",),
}
OTHER = [
    ("match", *PAIR, "--trace"),
    ("match", *PAIR, "--wrap", "env"),
    ("replay", "r/failures/game-1", "--trace"),
    ("replay", "r/failures/game-1", "--wrap", "env"),
    ("replay", "r/failures/game-1", "--format", "json"),
    ("check", f"{ODD} none", "--step", "1", "--format", "json"),
    ("show", "r"),
    ("run", "league.yaml", "--dry-run"),
    ("new", "--list"),
    ("--version",),
    ("--help",),
    ("diff", "--help"),
]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a tournament file, results with a failed game, and their records."""
    directory = tmp_path_factory.mktemp("played")
    write_tournament(directory, [entry("a", f"{ODD} none"), entry("b", f"{ODD} none")])
    arbiter(directory, "match", BAD, PAIR[1], "--games", "1", "--seed", "1", "--results", "r")
    (directory / "games.drec").write_text(arbiter(directory, "export", "r").stdout)
    return directory


@pytest.fixture
def here(played: Path, tmp_path: Path) -> Path:
    copytree(played, tmp_path, dirs_exist_ok=True)
    return tmp_path


def read(directory: Path, *arguments: str, characters: int, with_errors: bool = False) -> tuple[int, str]:
    """Exit status and standard error of a command of whose output no more is read than so much."""
    reading, writing = os.pipe()
    if not characters:
        os.close(reading)  # before it begins: short output would fit into the pipe
    with subprocess.Popen(
        [sys.executable, "-m", "arbiter", *arguments],
        cwd=directory,
        env=environment(directory),
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=writing if with_errors else subprocess.PIPE,
        text=True,
    ) as process:
        os.close(writing)
        if characters:
            os.read(reading, characters)
            os.close(reading)
        errors = process.communicate(timeout=60)[1] or ""
    assert processes_in(directory) == []
    return process.returncode, errors


def words(arguments: tuple[str, ...]) -> str:
    return " ".join(word for word in arguments if "/" not in word)


def test_all_commands_are_tried() -> None:
    assert set(SAID) == set(COMMANDS)


@pytest.mark.parametrize("arguments", [*SAID.values(), *OTHER], ids=words)
def test_nobody_reads(here: Path, arguments: tuple[str, ...]) -> None:
    status, errors = read(here, *arguments, characters=0)
    told = "1 game imported from 1 file, 0 faults\n" if arguments[0] == "import" else ""
    assert (status, errors) == (141, told)


@pytest.mark.parametrize(
    "arguments", [SAID[name] for name in ("run", "match", "ab", "check", "replay")] + OTHER[:4], ids=words
)
def test_the_reader_leaves_in_the_middle(here: Path, arguments: tuple[str, ...]) -> None:
    status, errors = read(here, *arguments, characters=1)
    assert status in (0, 141)
    assert errors == ""


@pytest.mark.parametrize(
    "arguments", [("run", "nowhere.yaml"), ("match", "./nothing", "./nothing"), SAID["import"]], ids=words
)
def test_nobody_reads_the_errors_either(here: Path, arguments: tuple[str, ...]) -> None:
    status, _ = read(here, *arguments, characters=0, with_errors=True)
    assert status == 141


CLOSED = [SAID[name] for name in ("table", "export", "show", "check", "schema", "bots", "new", "doctor")]


@pytest.mark.parametrize("command", [*CLOSED, ("new", "--list"), ("--help",)], ids=" ".join)
def test_a_closed_standard_output_is_told(here: Path, command: tuple[str, ...]) -> None:
    status, errors = shell(here, command, ">&-")
    assert (status, errors) == (
        2,
        "arbiter: standard output is closed\n  to be rid of the output: >/dev/null\n",
    )
    assert not (here / "fresh").exists()


def test_closed_standard_input_is_an_empty_one(here: Path) -> None:
    assert shell(here, SAID["play"], "<&- >/dev/null") == shell(here, SAID["play"], "</dev/null >/dev/null")


def test_with_no_standard_error_nothing_is_said(here: Path) -> None:
    assert shell(here, ("table", "nowhere"), ">said 2>&-") == (2, "")
    assert (here / "said").read_text() == ""


@pytest.mark.parametrize("name", ["match", "check", "new"])
def test_a_deleted_working_directory_is_told(here: Path, name: str) -> None:
    (here / "gone").mkdir()
    status, errors = shell(here / "gone", SAID[name], ">/dev/null", before='rmdir "$PWD"')
    assert status == 2
    assert errors == "arbiter: the working directory was deleted\n  change to one that exists\n"


def shell(directory: Path, command: tuple[str, ...], redirections: str, before: str = ":") -> tuple[int, str]:
    """Exit status and standard error of a command with streams as a shell is told."""
    words = [sys.executable, "-m", "arbiter", *command]
    done = subprocess.run(
        ["sh", "-c", f"{before}; exec {shlex.join(words)} {redirections}"],
        cwd=directory,
        env=environment(directory),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr
