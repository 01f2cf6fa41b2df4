"""Is the new version better? ``arbiter ab`` from its forecast to the line for scripts."""

import json
import re
import shlex
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.commands import CUP, QUICK, at_once, entry, held_from, start, stored, write_cup

FIRST, LAST, GIVES_UP, LATE, FRAIL, CRASHES = (
    f"{QUICK} {kind}" for kind in ("first", "last", "resign", "late", "frail", "crash")
)
WIDE = ("--elo", "0", "300")
AMPLE = ("--time", "1m")
"""For bots that take next to nothing: no game is to be lost or void by what the machine does."""


def ab(directory: Path, *arguments: str) -> tuple[str, dict[str, str]]:
    """What is printed, and what its last line says to scripts."""
    done = at_once("ab", *AMPLE, *arguments, "--results", "ab", "--seed", "1", cwd=directory)
    assert done.returncode == 0, done.stderr
    return done.stdout, result_of(done.stdout)


def result_of(output: str) -> dict[str, str]:
    word, *pairs = shlex.split(output.splitlines()[-1])
    assert word == "result"
    assert all("=" in pair for pair in pairs)
    return dict(pair.split("=", 1) for pair in pairs)


def refusal(directory: Path, *arguments: str) -> str:
    done = at_once("ab", *arguments, cwd=directory)
    assert (done.returncode, done.stdout) == (2, "")
    assert not any(path.is_file() for path in directory.rglob("*"))
    return done.stderr


def test_a_better_version_is_found_out(tmp_path: Path) -> None:
    said, result = ab(tmp_path, FIRST, GIVES_UP, *WIDE)
    assert said.startswith("the test: is quick new better than quick old by 300 Elo, or only by 0?\n")
    assert re.search(r"^about \d+ pairs when one of the two is true, \d+ in the middle$", said, re.MULTILINE)
    assert "pair 1: LLR +0.53 (-2.94 to 2.94), pairs by points 0-0-0-0-1\n" in said
    assert "Test: quick new is better than quick old: by 300 Elo rather than by 0" in said
    assert result == {
        "games": "12", "void": "0", "forfeits": "0", "withdrawn": "0", "leader": "quick new", "score": "12:0",
        "elo": "-", "elo_low": result["elo_low"], "elo_high": "-", "los": "0.9997",
        "test": "H1", "llr": "3.18", "pairs": "6", "test_forfeits": "0", "test_played": "H1", "results": "ab",
    }  # fmt: skip
    assert float(result["elo_low"]) > 100
    # Once it is decided, no further game is played.
    again, same = ab(tmp_path, FIRST, GIVES_UP, *WIDE)
    assert (" starts: " in again, same) == (False, result)
    done = at_once("ab", GIVES_UP, FIRST, *WIDE, *AMPLE, "--results", "ab", cwd=tmp_path)
    assert (done.returncode, "under another description" in done.stderr) == (2, True)


def test_a_worse_version_is_no_better(tmp_path: Path) -> None:
    said, result = ab(tmp_path, GIVES_UP, FIRST, *WIDE, "--quiet")
    assert (result["test"], result["score"], result["elo"]) == ("H0", "0:6", "-")
    assert (result["leader"], result["elo_low"]) == ("quick old", "-")
    assert said.startswith("quick new - quick old\n")
    assert "is not better than quick old: by 0 Elo rather than by 300" in said


def test_the_time_may_not_be_enough_and_then_it_goes_on(tmp_path: Path) -> None:
    """Two seconds for bots that think for one second a ply; then again without that limit."""
    budget = ("--time", "60s", "--budget", "2s")
    began = time.monotonic()
    said, result = ab(tmp_path, LATE, LAST, *WIDE, *budget)
    assert 2 < time.monotonic() - began < 60  # a game takes them as long
    assert (
        "the budget is enough for no pair in which every clock is used up, too little to tell anything: "
        "the test takes about --budget 28m, less with a shorter --time\n"
    ) in said
    assert (result["test"], result["pairs"], result["games"], result["leader"]) == ("continue", "0", "0", "-")
    assert "not decided between 0 and 300 Elo for quick new against quick old" in said


def test_killed_it_comes_to_the_same_end(tmp_path: Path) -> None:
    _, whole = ab(tmp_path, FIRST, LAST, *WIDE)
    words = ("ab", FIRST, LAST, *WIDE, *AMPLE, "--results", "killed", "--seed", "1")
    with held_from(tmp_path, 7):
        running = start(tmp_path, *words, "--concurrency", "3")
        with running:
            assert running.stdout is not None
            next(line for line in running.stdout if line.startswith("pair 3: "))
            running.kill()
    assert len(stored(tmp_path / "killed")) < len(stored(tmp_path / "ab"))
    done = at_once(*words, "--concurrency", "2", cwd=tmp_path)
    ended = result_of(done.stdout)
    assert {key: ended[key] for key in ("test", "llr", "pairs")} == {
        key: whole[key] for key in ("test", "llr", "pairs")
    }
    assert "games were played before" in done.stdout


def test_interrupted_it_says_how_to_go_on(tmp_path: Path) -> None:
    words = (LATE, LAST, "--elo", "-5", "5.5", "--budget", "10m", "--results", "a b")
    running = start(tmp_path, "ab", *words, "--openings", "symmetric", "--isolation", "none")
    with running:
        assert running.stdout is not None
        next(line for line in running.stdout if "starts" in line)
        running.terminate()
        errors = running.stderr.read() if running.stderr else ""
    assert running.returncode == 130
    command = errors.partition("Go on with: arbiter ")[2]
    shown: list[str] = shlex.split(command)
    assert shown[:3] == ["ab", LATE, LAST]
    assert shown[shown.index("--elo") + 1 :][:2] == ["-5", "5.5"]
    for option, value in (("--budget", "10m"), ("--results", "a b"), ("--openings", "symmetric")):
        assert shown[shown.index(option) + 1] == value
    done = at_once(*shown, "--budget", "500ms", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_bots_that_only_repeat_themselves_are_found_out(tmp_path: Path) -> None:
    said, result = ab(tmp_path, FIRST, FIRST, "--openings", "empty")
    assert (result["test"], result["games"], result["pairs"]) == ("repeats", "8", "1")
    assert "only repeat their games; they need other openings" in " ".join(said.split())
    assert "6 games repeated an earlier one ply by ply" in said


TOO_LITTLE = "in which every clock is used up, too little to tell anything: the test takes"


@pytest.mark.parametrize(
    "words, forecast",
    [
        ("--budget 10m", "105 pairs in which every clock is used up, to tell a difference of 70 Elo"),
        ("--budget 20s", f"3 pairs {TOO_LITTLE} about --budget 11m, less with a shorter --time"),
        ("--budget 6s", f"1 pair {TOO_LITTLE} about --budget 11m, less with a shorter --time"),
        ("--budget 6s --elo 0 20", f"1 pair {TOO_LITTLE} about --budget 66m, less with a shorter --time"),
        (
            "--budget 1m --elo 0 2 --time 1m",
            f"no pair {TOO_LITTLE} more than a week; a shorter --time or a larger HI of --elo takes less",
        ),
    ],
)
def test_what_the_budget_is_good_for(tmp_path: Path, words: str, forecast: str) -> None:
    missing = str(tmp_path / "missing")
    Path(missing).write_text("")
    Path(missing).chmod(0o755)
    done = at_once("ab", FIRST, missing, *words.split(), cwd=tmp_path)
    # No bot has to play for a forecast.
    assert done.returncode == 1
    assert f"the budget is enough for {forecast}\n" in done.stdout


def test_a_program_against_itself_is_told_and_goes_on(tmp_path: Path) -> None:
    for name in ("new", "old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot").write_text(Path(QUICK).read_text())
        (tmp_path / name / "bot").chmod(0o755)
    words = ("ab", "new/bot first", "old/bot first", "--openings", "empty", "--results")
    warning = (
        "bot new and bot old are the same program, by the content of "
        f"{tmp_path}/new/bot and {tmp_path}/old/bot "
        "(files that it loads are not compared): was another version meant?\n"
    )
    done = at_once(*words, "one", cwd=tmp_path)
    assert (done.returncode, done.stdout.count(warning)) == (0, 1)
    assert result_of(done.stdout)["test"] == "repeats"
    # Also those hear of it who only want the end.
    done = at_once(*words, "two", "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, warning)
    (tmp_path / "new" / "bot").write_text(Path(QUICK).read_text() + "# better\n")
    done = at_once(*words, "three", cwd=tmp_path)
    assert "the same program" not in done.stdout + done.stderr


def test_what_else_tells_two_bots_apart_is_no_slip(tmp_path: Path) -> None:
    """One program with two values of an option is what many tests are about."""
    bots = [entry("a", FIRST, env="{SIZE: '1'}"), entry("b", FIRST, env="{SIZE: '2'}")]
    write_cup(tmp_path, "sprt", bots, "openings: empty")
    done = at_once("run", "cup.yaml", cwd=tmp_path)
    assert (done.returncode, "the same program" in done.stdout) == (0, False)


def test_bots_of_the_codecup_start_from_the_empty_board(tmp_path: Path) -> None:
    said, result = ab(tmp_path, CUP, CUP)
    assert result["test"] == "repeats"
    assert "codecup new" in said
    (tmp_path / "none").mkdir()
    message = refusal(tmp_path / "none", CUP, FIRST, "--openings", "random")
    assert "codecup speaks the CodeCup dialect, which knows the empty board only" in message


def test_what_forfeits_decide_is_said_to_be_decided_by_forfeits(tmp_path: Path) -> None:
    """A bot that fails in every game as White, and so in one game of each pair."""
    said, result = ab(tmp_path, FIRST, FRAIL, "--elo", "0", "200")
    assert (result["test"], result["games"], result["forfeits"]) == ("H1", "16", "8")
    assert (result["test_forfeits"], result["test_played"]) == ("8", "continue")
    assert re.search(r"^pair 8: LLR .*, pairs by points \S+, 8 of 16 games by forfeit$", said, re.MULTILINE)
    assert (
        "Decided by forfeits: 8 of the 16 games of this test ended by forfeit; without them it is not "
        "decided (LLR +0.00). This tells how often the programs fail, not how well they play."
    ) in " ".join(said.split())
    done = at_once("table", "ab", "--format", "json", cwd=tmp_path)
    test: dict[str, Any] = json.loads(done.stdout)["test"]
    assert (test["forfeits"], test["played_counts"]) == (8, [0] * 5)
    assert (test["ending"], test["played_ending"], test["played_llr"]) == ("H1", "continue", 0)


def test_bots_that_only_crash_decide_nothing(tmp_path: Path) -> None:
    words = (f"{CRASHES} 1", f"{CRASHES} 2", *WIDE, *AMPLE, "--results", "ab", "--seed", "1")
    done = at_once("ab", *words, cwd=tmp_path)
    assert done.returncode == 1
    result = result_of(done.stdout)
    assert (result["test"], result["withdrawn"], result["games"]) == ("continue", "1", "5")
    assert "4 of the 4 games of this test ended by forfeit." in done.stdout


def test_json_has_the_test_in_numbers(tmp_path: Path) -> None:
    words = (FIRST, GIVES_UP, *WIDE, *AMPLE, "--format", "json", "--results", "ab")
    done = at_once("ab", *words, cwd=tmp_path)
    test: dict[str, Any] = json.loads(done.stdout)["test"]
    assert (test["ending"], test["pairs"], test["counts"]) == ("H1", 6, [0, 0, 0, 0, 6])
    assert (test["elo0"], test["elo1"], test["alpha"], test["beta"], test["model"]) == (
        0.0, 300.0, 0.05, 0.05, "logistic",
    )  # fmt: skip
    assert test["llr"] >= test["llr_high"] == pytest.approx(2.9444, abs=1e-4)
    assert "pair 6: LLR +3.18" in done.stderr


@pytest.mark.parametrize(
    "words, message",
    [
        (("--elo", "20", "0"), "--elo 20 0: the first has to be the smaller"),
        (("--elo", "5", "5"), "--elo 5 5: the first has to be the smaller"),
        (("--elo", "nan", "5"), "'nan' is not a difference in Elo"),
        (("--elo", "0", "inf"), "'inf' is not a difference in Elo"),
        (("--elo", "0", "5,5"), "'5,5' is not a difference in Elo"),
        (("--elo", "0", "9999"), "'9999' is not a difference in Elo"),
        (("--elo", "5"), "first' is not a difference in Elo"),
        (("--budget", "20"), "--budget: `20` needs a unit: `20s` or `20ms`"),
        (("--budget", "0s"), "--budget: `0s` is no time at all; the shortest is `1ms`"),
        (("--budget", "-5m"), "--budget"),
        (("--budget", "soon"), "--budget: `soon` is not a time"),
        (("--time", "none"), "--time none needs a limit of depth or nodes"),
        (("--openings", "nowhere.drec"), "nowhere.drec: no such file"),
        (("--openings", "balancd"), "balancd"),
    ],
)
def test_what_cannot_be_understood_is_refused(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    said = refusal(tmp_path, FIRST, LAST, *words)
    assert message in said
    assert said.startswith("arbiter: ")
    assert len(said.splitlines()) <= 2


@pytest.mark.parametrize("option", ["--budget", "--time"])
def test_a_time_below_zero_is_told_like_other_bad_ones(tmp_path: Path, option: str) -> None:
    done = at_once("ab", FIRST, LAST, option, "-1s", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"arbiter: {option}: `-1s` is negative; a time cannot be\n" in done.stderr
    assert list(tmp_path.iterdir()) == []
