"""Matches from the command line."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.e2e.commands import CUP, ODD, arbiter


def test_a_match_without_a_file(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "match", f"{ODD} none", CUP, "--games", "3", "--time", "5s + 10ms")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(" ends: ") == 3
    (results,) = (tmp_path / "results").iterdir()
    assert f"results in results/{results.name}" in done.stdout
    shown = arbiter(tmp_path, "show", str(results), "--game", "1")
    assert "odd (white) against codecup (black)" in shown.stdout
    assert "5000+10" in arbiter(tmp_path, "export", str(results)).stdout


def test_the_last_hint_of_a_match_works_as_it_is_told(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "match", "sample:random", "sample:greedy", "--results", "my games")
    (shown,) = re.findall(r"^results in 'my games'; see a game: arbiter (.*)$", done.stdout, re.MULTILINE)
    assert arbiter(tmp_path, *shlex.split(shown)).stdout.startswith("game 1: random (white)")


def test_a_bot_against_itself_gets_two_names(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "match", "sample:random", "sample:random", "--seed", "3", "--format", "json")
    table = json.loads(done.stdout)
    assert {bot["name"] for bot in table["bots"]} == {"random", "random-2"}
    assert table["seed"] == 3


def test_a_game_without_its_pair_counts_in_the_elo_of_the_last_line(tmp_path: Path) -> None:
    done = arbiter(
        tmp_path, "match", *["sample:random"] * 2, "--games", "3", "--seed", "3", "--quiet", "--results", "r"
    )
    last = done.stdout.splitlines()[-1]
    assert " score=2:1 elo=120.4 elo_low=-200.0 elo_high=440.8 los=0.7437 " in last
    (row,) = json.loads(arbiter(tmp_path, "table", "r", "--by", "pairing", "--format", "json").stdout)["rows"]
    assert (round(row["elo"], 1), round(row["los"], 4), row["lone_games"]) == (120.4, 0.7437, 1)


def test_a_match_from_a_position(tmp_path: Path) -> None:
    position = "........w/....w4*b2..b3./.......b3w7*../......b3.../......... w m"
    done = arbiter(
        tmp_path, "match", f"{ODD} none", "sample:greedy", "--position", position, "--results", "r"
    )
    assert done.returncode == 0, done.stderr
    record = arbiter(tmp_path, "export", "r").stdout
    assert f'[Start "{position}"]' in record
    (tmp_path / "r.drec").write_text(record)
    assert arbiter(tmp_path, "verify", "r.drec").returncode == 0


def test_forfeits_are_told_with_ply_rule_and_choice(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "match", f"{ODD} say 'move A1A2\\n'", f"{ODD} none", "--games", "1")
    assert done.returncode == 0
    assert re.search(
        r"game 1 ends: odd - odd-2 0-1 \(odd forfeits at ply 5, illegal: A1A2: .*legal: ", done.stdout
    )


BAD = [
    (["match", "./nowhere", "sample:random"], 1, "no such file"),
    (["match", "sample:rando", "sample:random"], 2, "did you mean `random`?"),
    (["match", "sample:random"], 2, "the following arguments are required: BOT"),
    (["match", "sample:random", "sample:greedy", "--time", "5"], 2, "needs a unit"),
    (["match", "sample:random", "sample:greedy", "--games", "0"], 2, "at least 1"),
    (["match", "sample:random", "sample:greedy", "--openings", "randon"], 2, "did you mean `random`?"),
    (["match", "sample:random", "sample:camel", "--openings", "random"], 2, "knows the empty board only"),
    (["match", "sample:random", "sample:greedy", "--position", "x w m"], 2, "--position: "),
    (["match", "sample:camel", "sample:greedy", "--position", "x w m"], 2, "CodeCup dialect"),
    (["match", "'", "sample:greedy"], 2, "closing"),
    (["mach", "a", "b"], 2, "did you mean `match`?"),
    (["match", "a", "--games", "3", "b", "--tme", "4"], 2, "unknown argument --tme; did you mean `--time`?"),
    ([], 2, "COMMAND"),
    (["run", "none.yaml"], 2, "there is no such file"),
    (["run", "."], 2, "directory"),
    (["table", "nowhere"], 2, "no results here"),
    (["export", "nowhere"], 2, "no results here"),
    (["show", "nowhere.drec"], 2, "no such file"),
    (["verify", "nowhere.drec"], 2, "no such file"),
    (["perft", "x"], 2, "x"),
    (["run", "league.yaml", "--concurrency", "x"], 2, "not a whole number"),
]


@pytest.mark.parametrize(
    ("arguments", "status", "words"), BAD, ids=[" ".join(b[0]) or "nothing" for b in BAD]
)
def test_bad_input_is_one_clear_message(
    tmp_path: Path, arguments: list[str], status: int, words: str
) -> None:
    done = arbiter(tmp_path, *arguments)
    assert done.returncode == status
    assert words in done.stderr
    assert len(done.stderr.splitlines()) <= 3
    assert done.stdout == ""
