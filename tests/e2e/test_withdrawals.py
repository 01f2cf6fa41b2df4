"""Bots that were withdrawn: what a league does without them."""

import re
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.e2e.commands import QUICK, at_once, entry, quick, start, stored, write_cup


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
    (league / "a.sh").unlink()
    dry = run(league, "--dry-run")
    assert (dry.returncode, dry.stderr) == (0, "")
    assert "none is left\n" in dry.stdout


def test_who_is_readmitted_plays_what_it_missed_and_begins_anew(league: Path) -> None:
    van, path = league / "van.sh", league / "cup.yaml"
    said = run(league).stdout
    assert "van stays withdrawn: failed 1 game" in said
    assert "; `--readmit van` lets it play again\n" in said
    assert re.search(r"^let van play again: arbiter .* --readmit van$", said, re.MULTILINE)
    # As before one failure would do; now it takes two, and the one of before is not counted.
    path.write_text(path.read_text().replace("max_failures: 1", "max_failures: 2"))
    foretold = run(league, "--readmit", "van", "--dry-run").stdout
    assert "(withdrawn)" not in foretold
    assert "3 games were played; 3 are left" in foretold
    done = run(league, "--readmit", "van")
    assert "van is readmitted: what it failed so far counts no more against it\n" in done.stdout
    ends = [line for line in done.stdout.splitlines() if " ends: " in line]
    assert ["van forfeits" in line for line in ends] == [True, True]
    assert "van is withdrawn: failed 2 games" in done.stdout
    assert van.exists()
    # The second time, too; and it stays on the record.
    done = run(league, "--readmit", "van")
    assert [" starts: " in line for line in done.stdout.splitlines()].count(True) == 1
    assert done.returncode == 0, "one failure is forgiven"
    notes = " ".join(done.stdout.split())
    for failures in ("1 game,", "2 games,"):
        assert re.search(rf"van was readmitted on [0-9-]{{10}}; until then it had failed {failures}", notes)
    assert "van was withdrawn" not in notes


def test_who_still_does_not_start_is_not_readmitted(league: Path) -> None:
    (league / "van.sh").write_text("# new\n" + (league / "van.sh").read_text())
    refused = run(league, "--readmit", "van")
    assert refused.returncode == 2
    assert "add --new-version van to enter what changed as a new bot" in refused.stderr
    (league / "van.sh").unlink()
    refused = run(league, "--readmit", "van")
    assert (refused.returncode, "van: before" in refused.stderr) == (1, True)
    assert "van stays withdrawn" in run(league).stdout


def test_a_new_version_of_a_bot_that_was_withdrawn_begins_anew(league: Path) -> None:
    path = league / "van.sh"
    path.write_text(path.read_text().replace("crash:2", "crash:99"))
    done = run(league, "--new-version", "van")
    assert (done.returncode, done.stderr) == (1, "")  # its former self is withdrawn still
    assert done.stdout.count(" starts: ") == 4


def test_only_who_was_withdrawn_can_be_readmitted(league: Path) -> None:
    for name, why in {"a": "a is not withdrawn", "c": "no bot is named c"}.items():
        for more in ([], ["--dry-run"]):
            done = run(league, "--readmit", name, *more)
            assert (done.returncode, done.stdout) == (2, "")
            assert f"--readmit: {why}\n" in done.stderr


def test_a_knockout_takes_nobody_back_once_it_went_on(tmp_path: Path) -> None:
    bots = [quick("a"), quick("b", "crash"), quick("c", "last"), quick("d", "first x")]
    write_cup(tmp_path, "knockout", bots, "max_failures: 1")
    for _ in range(2):  # while it goes on, and when it is over
        done = run(tmp_path)
        assert (done.returncode, "b was withdrawn" in done.stdout) == (1, True)
        assert ("--readmit" in done.stdout, "play again" in done.stdout) == (False, False)
    done = run(tmp_path, "--readmit", "b")
    assert done.returncode == 2
    assert "--readmit: b cannot come back: round 2 of the knockout was drawn without it\n" in done.stderr


def test_who_could_not_come_back_before_an_interruption_does_so_after_it(tmp_path: Path) -> None:
    build = "sh -c 'test -e quick || exec sleep 60'"
    van = entry("van", f"{QUICK} crash", build=f'"{build}"', dir=".")
    write_cup(tmp_path, "round-robin", [quick("a"), van], "max_failures: 1")
    (tmp_path / "quick").touch()
    assert run(tmp_path).returncode == 1
    (tmp_path / "quick").unlink()
    process = start(tmp_path, "run", "cup.yaml", "--results", "one", "--readmit", "van")
    assert process.stdout is not None
    while "van: building" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    (command,) = re.findall(r"Go on with: arbiter (.*)$", said, re.MULTILINE)
    (tmp_path / "quick").touch()
    assert "van is readmitted: " in at_once(*shlex.split(command), cwd=tmp_path).stdout


def test_who_wins_a_knockout_without_a_game_leads_it(tmp_path: Path) -> None:
    bots = [quick("a"), quick("b", "crash"), quick("c", "crash")]
    write_cup(tmp_path, "knockout", bots, "max_failures: 1", "concurrency: 2")
    done = run(tmp_path)
    assert "a has a bye" in done.stdout
    assert done.stdout.count(" is withdrawn: ") == 2
    assert " withdrawn=2 leader=a " in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("name", ["it's one", "-rf"])
def test_the_command_that_takes_back_works_as_it_is_told(tmp_path: Path, name: str) -> None:
    write_cup(tmp_path, "round-robin", [quick("a"), quick(name, "crash")], "max_failures: 1")
    done = at_once("run", "cup.yaml", "--results", "it's here", cwd=tmp_path)
    (command,) = re.findall(r"^let .* play again: arbiter (.*)$", done.stdout, re.MULTILINE)
    (shown,) = re.findall(r"; see its games: arbiter (show .*); game records", done.stdout)
    done = at_once(*shlex.split(command), cwd=tmp_path)
    assert f"{name} is readmitted: " in done.stdout, done.stderr
    done = at_once(*shlex.split(shown), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_final_is_played_on_by_who_comes_back(tmp_path: Path) -> None:
    write_cup(tmp_path, "knockout", [quick("a"), quick("b", "crash")], "max_failures: 1")
    assert run(tmp_path).returncode == 1
    done = run(tmp_path, "--readmit", "b")
    assert done.stdout.count(" starts: ") == 1


def test_who_comes_back_to_a_swiss_system_is_drawn_again(tmp_path: Path) -> None:
    bots = [quick("a"), quick("b", "crash"), quick("c", "last"), quick("d", "first x")]
    write_cup(tmp_path, "swiss", bots, "max_failures: 1", "rounds: 2")
    assert run(tmp_path).returncode == 1
    assert sum("b" in game for game in stored(tmp_path / "one").values()) == 1
    write_cup(tmp_path, "swiss", bots, "max_failures: 9", "rounds: 3")
    done = run(tmp_path, "--readmit", "b")
    assert (done.returncode, done.stderr) == (0, "")
    # The second game of its pair, and the pair of the third round.
    assert sum("b" in game for game in stored(tmp_path / "one").values()) == 4


@pytest.mark.parametrize(
    "command",
    [("match", "--games", "8", "--openings", "balanced"), ("ab", "--seed", "1")],
    ids=lambda command: command[0],
)
def test_a_match_takes_back_who_was_withdrawn(tmp_path: Path, command: tuple[str, ...]) -> None:
    shutil.copy(QUICK, tmp_path / "van.sh")
    words = [*command, "./van.sh crash", f"{QUICK} last", "--concurrency", "1"]
    done = at_once(*words, cwd=tmp_path)
    assert (done.returncode, "van is withdrawn: failed 3 games" in done.stdout) == (1, True), done.stderr
    (results,) = (tmp_path / "results").iterdir()
    again = [*words, "--results", f"results/{results.name}"]
    line = f"let van play again: {shlex.join(['arbiter', *again, '--readmit', 'van'])}\n"
    assert line in done.stdout
    refused = at_once(*again, "--readmit", "quick", cwd=tmp_path)
    assert (refused.returncode, "--readmit: quick is not withdrawn\n" in refused.stderr) == (2, True)
    done = at_once(*again, "--readmit", "van", cwd=tmp_path)
    assert "van is readmitted: what it failed so far counts no more against it\n" in done.stdout
    assert done.stdout.count("van forfeits") == 3
    assert line in done.stdout
    assert "; `--readmit van` lets it play again\n" in at_once(*again, cwd=tmp_path).stdout
