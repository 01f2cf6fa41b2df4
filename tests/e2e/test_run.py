"""Tournaments from the command line: played, stopped, killed, resumed, and what they leave."""

import json
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arbiter.store import League
from tests.e2e.commands import (
    CUP,
    ODD,
    arbiter,
    at_once,
    entry,
    quick,
    start,
    stored,
    write_cup,
    write_tournament,
)

STEADY = [entry("steady", f"{ODD} none"), entry("cup", CUP), entry("calm", f"{ODD} none --echo")]


def test_a_league_from_file_to_table_and_records(tmp_path: Path) -> None:
    write_tournament(tmp_path, STEADY, "concurrency: 2")
    done = arbiter(tmp_path, "run", "league.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    for number in range(1, 7):
        assert sum(line.startswith(f"game {number} starts: ") for line in lines) == 1
        assert sum(line.startswith(f"game {number} ends: ") for line in lines) == 1
    assert re.search(r"^ +1 +\w+ +4 ", done.stdout, re.MULTILINE)
    results = tmp_path / "results" / "test-league"
    exported = arbiter(tmp_path, "export", str(results))
    (tmp_path / "games.drec").write_text(exported.stdout)
    verified = arbiter(tmp_path, "verify", "games.drec")
    assert (verified.returncode, verified.stdout) == (0, "6 games, all consistent\n")
    table = arbiter(tmp_path, "table", str(results))
    assert table.stdout in done.stdout


def test_running_again_plays_nothing_twice(tmp_path: Path) -> None:
    write_tournament(tmp_path, STEADY)
    first = arbiter(tmp_path, "run", "league.yaml")
    again = arbiter(tmp_path, "run", "league.yaml")
    assert again.returncode == 0
    assert "6 of 6 games were played before" in again.stdout
    assert "starts" not in again.stdout
    assert first.stdout.split("Test league")[1] == again.stdout.split("Test league")[1]


def test_the_same_seed_gives_the_same_games_at_any_concurrency(tmp_path: Path) -> None:
    bots = ["sample:random", "sample:greedy", entry("steady", f"{ODD} none")]
    write_tournament(tmp_path, bots, rounds=2)
    arbiter(tmp_path, "run", "league.yaml", "--results", "one")
    arbiter(tmp_path, "run", "league.yaml", "--results", "four", "--concurrency", "4")
    arbiter(tmp_path, "run", "league.yaml", "--results", "other", "--seed", "2")
    assert stored(tmp_path / "one") == stored(tmp_path / "four")
    assert stored(tmp_path / "one") != stored(tmp_path / "other")


def test_json_stands_alone_on_the_output(tmp_path: Path) -> None:
    write_tournament(tmp_path, STEADY)
    done = arbiter(tmp_path, "run", "league.yaml", "--format", "json")
    table = json.loads(done.stdout)
    assert [bot["games"] for bot in table["bots"]] == [4, 4, 4]
    assert {"name", "rank", "wins", "points", "elo", "elo_low", "elo_high", "forfeits"} <= table["bots"][
        0
    ].keys()
    assert "game 1 starts" in done.stderr
    games = json.loads(arbiter(tmp_path, "export", "results/test-league", "--format", "json").stdout)
    assert [game["number"] for game in games["games"]] == [1, 2, 3, 4, 5, 6]


def test_quiet_prints_the_table_and_the_line_for_scripts_only(tmp_path: Path) -> None:
    write_tournament(tmp_path, STEADY)
    done = arbiter(tmp_path, "run", "league.yaml", "--quiet")
    table, last = done.stdout.rsplit("result ", 1)
    assert table == arbiter(tmp_path, "table", "results/test-league").stdout
    assert last.startswith("games=6 void=0 forfeits=0 withdrawn=0 leader=")


def test_a_dry_run_touches_nothing(tmp_path: Path) -> None:
    trace = entry("trace", "sh -c 'touch started'", build="touch built")
    write_tournament(tmp_path, [*STEADY, trace])
    done = arbiter(tmp_path, "run", "league.yaml", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert "6 pairings, 12 games" in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == ["league.yaml"]


def test_a_dry_run_names_the_bots_that_cannot_start(tmp_path: Path) -> None:
    bots = [
        *STEADY[:2],
        entry("ghost", "./nowhere"),
        entry("shy", "./nowhere", optional="true"),
        entry("script", "python3 van.py --fast"),
        entry("unbuilt", "./soon", build="no-such-compiler soon.c"),
        entry("built", "./soon", build="sh make.sh"),
    ]
    write_tournament(tmp_path, bots)
    done = arbiter(tmp_path, "run", "league.yaml", "--dry-run")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"arbiter: ghost: {tmp_path}/nowhere: no such file; is it built, and is the path right?",
        f"arbiter: shy is left out: {tmp_path}/nowhere: no such file; is it built, and is the path right?",
        f"arbiter: script: {tmp_path}/van.py: no such file",
        "arbiter: unbuilt: no-such-compiler: no such command on PATH; write ./no-such-compiler for a file of "
        "your own",
    ]
    assert "15 pairings" in done.stdout


def test_a_dry_run_opens_the_openings(tmp_path: Path) -> None:
    write_tournament(tmp_path, STEADY[:1] * 2, "openings: {file: book.dpos}")
    path = tmp_path / "league.yaml"
    path.write_text(path.read_text().replace('name: "steady"', 'name: "other"', 1))
    for command in (("run", "league.yaml"), ("run", "league.yaml", "--dry-run")):
        done = arbiter(tmp_path, *command)
        assert (done.returncode, done.stdout) == (2, "")
        assert "league.yaml:5:18: `openings`: book.dpos: no such file" in done.stderr
    (tmp_path / "book.dpos").write_text("nonsense\n")
    done = arbiter(tmp_path, "run", "league.yaml", "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert "book.dpos:1: " in done.stderr


def test_a_bot_that_cannot_start_stops_the_tournament_before_it_begins(tmp_path: Path) -> None:
    bots = [*STEADY, entry("ghost", "./nowhere"), entry("mute", f"{ODD} none --hello x")]
    write_tournament(tmp_path, bots, "")
    (tmp_path / "league.yaml").write_text(
        (tmp_path / "league.yaml").read_text().replace("time: 5s", "time: {game: 5s, start: 500ms}")
    )
    done = arbiter(tmp_path, "run", "league.yaml")
    assert done.returncode == 1
    assert f"ghost: {tmp_path}/nowhere: no such file" in done.stderr
    assert "mute: no `dvpok` within 500 ms" in done.stderr
    assert "starts" not in done.stdout
    assert not (tmp_path / "results/test-league").exists()


def test_an_optional_bot_is_left_out_by_name(tmp_path: Path) -> None:
    write_tournament(tmp_path, [*STEADY[:2], entry("ghost", "./nowhere", optional="true")])
    done = arbiter(tmp_path, "run", "league.yaml")
    assert done.returncode == 0
    assert "ghost is left out: " in done.stdout
    assert len(stored(tmp_path / "results/test-league")) == 2


def test_a_dry_run_refuses_what_fewer_than_two_bots_would_play(tmp_path: Path) -> None:
    write_cup(tmp_path, "round-robin", [quick("a"), entry("ghost", "./nowhere", optional="true")])
    for more in ([], ["--dry-run"]):
        done = at_once("run", "cup.yaml", *more, cwd=tmp_path)
        assert (done.returncode, "arbiter: fewer than two bots can play here\n" in done.stderr) == (1, True)


@pytest.mark.parametrize("kind", ["round-robin", "swiss", "knockout"])
def test_a_dry_run_foretells_no_game_of_who_is_left_out(tmp_path: Path, kind: str) -> None:
    ghost = entry("ghost", "./nowhere", build="no-such-compiler soon.c", optional="true")
    write_cup(tmp_path, kind, [quick("a"), ghost, quick("b", "last")], "rounds: 1" * (kind != "knockout"))

    foretold = at_once("run", "cup.yaml", "--dry-run", cwd=tmp_path)
    assert (foretold.returncode, "arbiter: ghost is left out: " in foretold.stderr) == (0, True)
    assert re.search(r"^  ghost \(left out\): .*\n  b: ", foretold.stdout, re.MULTILINE)
    games = re.findall(r"^  (game \d+), round 1: (.*)$", foretold.stdout, re.MULTILINE)
    assert len(games) == 2
    done = at_once("run", "cup.yaml", cwd=tmp_path)
    assert re.findall(r"^(game \d+) starts: (.*) \(", done.stdout, re.MULTILINE)[:2] == games
    assert "; none is left\n" in at_once("run", "cup.yaml", "--dry-run", cwd=tmp_path).stdout


def test_builds_run_once_and_a_failing_one_is_shown(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    build = "sh -c 'echo built >> log; echo why >&2; exit $CODE'"
    bots = [
        entry("a", f"{ODD} none", dir="mine", build=f'"{build}"', env="{CODE: 0}"),
        entry("b", f"{ODD} none", dir="mine", build=f'"{build}"', env="{CODE: 0}"),
    ]
    write_tournament(tmp_path, bots)
    assert arbiter(tmp_path, "run", "league.yaml").returncode == 0
    assert (tmp_path / "mine/log").read_text() == "built\n"
    write_tournament(
        tmp_path, [entry("a", f"{ODD} none", build=f'"{build}"', env="{CODE: 3}"), *STEADY], name="x.yaml"
    )
    done = arbiter(tmp_path, "run", "x.yaml", "--results", "x")
    assert done.returncode == 1
    assert "a: its build failed (3)" in done.stderr
    assert "    why\n" in done.stderr


def test_a_bot_that_always_crashes_is_withdrawn_and_the_rest_go_on(tmp_path: Path) -> None:
    bots = [*STEADY, entry("broken", f"{ODD} exit 5 --at 2")]
    write_tournament(tmp_path, bots, "max_failures: 3", rounds=2)
    done = arbiter(tmp_path, "run", "league.yaml")
    assert done.returncode == 1
    assert done.stdout.count("broken forfeits at ply") == 3
    reason = "failed 3 games, none finished in between, the last by crash: exited with status 5"
    assert f"broken was withdrawn: {reason}" in " ".join(done.stdout.split())
    others = [moves for moves in stored(tmp_path / "results/test-league").values() if moves[-1] == "normal"]
    assert len(others) == 12
    assert "crash 3" in done.stdout
    # It stays withdrawn.
    assert "starts" not in arbiter(tmp_path, "run", "league.yaml").stdout


def test_a_changed_file_is_refused_with_the_difference(tmp_path: Path) -> None:
    path = write_tournament(tmp_path, STEADY)
    arbiter(tmp_path, "run", "league.yaml")
    text = path.read_text()
    path.write_text(text.replace("time: 5s", "time: 6s"))
    done = arbiter(tmp_path, "run", "league.yaml")
    assert done.returncode == 2
    assert "time: 5s -> 6s" in done.stderr
    path.write_text(text.replace("bots:", "concurrency: 2\nbots:"))
    assert arbiter(tmp_path, "run", "league.yaml").returncode == 0
    path.write_text(text.replace("rounds: 1", "rounds: 2"))
    assert arbiter(tmp_path, "run", "league.yaml").stdout.count(" starts: ") == 6


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_in_order(tmp_path: Path, number: int) -> None:
    """Within two seconds, but for a machine that stalls: so in one of three runs."""
    write_tournament(tmp_path, [*STEADY[:2], entry("thinker", f"{ODD} silent --at 2")], "max_failures: 9")
    (tmp_path / "league.yaml").write_text((tmp_path / "league.yaml").read_text().replace("5s", "60s"))
    assert any(seconds_to_stop(tmp_path, f"run-{attempt}", number) < 2 for attempt in range(3))


def seconds_to_stop(directory: Path, results: str, number: int) -> float:
    """How long a run that is stopped in a game of ``thinker`` takes to end."""
    run = start(directory, "run", "league.yaml", "--results", results)
    assert run.stdout is not None
    for line in run.stdout:
        if "starts: " in line and "thinker" in line:
            break
    time.sleep(0.5)
    began = time.monotonic()
    run.send_signal(number)
    _, errors = run.communicate(timeout=20)
    seconds = time.monotonic() - began
    assert run.returncode == 130
    assert "Go on with: arbiter run league.yaml" in errors
    assert "Traceback" not in errors
    assert all("thinker" not in game for game in stored(directory / results).values())
    return seconds


QUICK_ONES = [quick("a"), quick("b", "last"), quick("c", "first x"), quick("d", "last x")]
FIELDS = {2: QUICK_ONES[:2], 5: [*QUICK_ONES, "sample:random"]}


FIFTY_KILLS = [(50, 2, 1, 400), (50, 5, 1, 40), (50, 2, 4, 400), (50, 5, 4, 40)]


@pytest.mark.parametrize(
    "kills, bots, concurrency, rounds",
    [(2, 2, 1, 20), (3, 5, 4, 2), *(pytest.param(*each, marks=pytest.mark.sweep) for each in FIFTY_KILLS)],
)
def test_killed_at_random_moments_the_results_are_those_of_one_run(
    tmp_path: Path, kills: int, bots: int, concurrency: int, rounds: int
) -> None:
    """Killed again and again, the first times before anything is ready; then played to its end."""
    write_tournament(tmp_path, FIELDS[bots], f"concurrency: {concurrency}\nisolation: none", rounds=rounds)
    chance = random.Random(7)
    announced: set[int] = set()
    for _ in range(kills):
        run = start(tmp_path, "run", "league.yaml", "--results", "killed")
        time.sleep(chance.uniform(0.1, 1.5))
        run.kill()
        output, _ = run.communicate(timeout=20)
        announced |= {int(n) for n in re.findall(r"^game (\d+) ends", output, re.MULTILINE)}
        if announced:
            assert announced <= stored(tmp_path / "killed").keys()
    for results in ("killed", "whole"):
        done = at_once("run", "league.yaml", "--results", results, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert stored(tmp_path / "killed") == stored(tmp_path / "whole")
    assert len(stored(tmp_path / "whole")) == bots * (bots - 1) * rounds
    # No game that was over was played a second time.
    attempts = {row["attempt"] for row in json.loads(exported(tmp_path / "killed"))["games"]}
    assert attempts == {1}


def exported(results: Path) -> str:
    return at_once("export", str(results), "--format", "json").stdout


def test_the_table_can_be_read_while_games_go_on(tmp_path: Path) -> None:
    write_tournament(tmp_path, STEADY, rounds=20)
    run = start(tmp_path, "run", "league.yaml")
    assert run.stdout is not None
    while "game 3 ends" not in run.stdout.readline():
        pass
    table = json.loads(arbiter(tmp_path, "table", "results/test-league", "--format", "json").stdout)
    assert sum(bot["games"] for bot in table["bots"]) >= 6
    refused = arbiter(tmp_path, "run", "league.yaml")
    assert (refused.returncode, "another run is using these results" in refused.stderr) == (2, True)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=20)


def test_two_programs_of_one_name_in_two_directories(tmp_path: Path) -> None:
    for name, at in (("one", 2), ("two", 3)):
        (tmp_path / name).mkdir()
        script = tmp_path / name / "bot"
        script.write_text(f"#!/bin/sh\nexec {ODD} exit {at} --at {at}\n")
        script.chmod(0o755)
    bots = [entry("first", "./bot", dir="one"), entry("second", "./bot", dir="two")]
    write_tournament(tmp_path, bots, "isolation: none", rounds=1)
    (tmp_path / "third").mkdir()
    done = arbiter(tmp_path / "third", "run", "../league.yaml")
    assert "first forfeits at ply 3, crash: exited with status 2" in done.stdout
    with League.open_for_reading(tmp_path / "results/test-league") as league:
        hashes = {(game.white, game.white_hash) for game in league.games()}
    assert len({digest for _, digest in hashes}) == 2


def test_what_a_pipe_closes_early_is_no_traceback(tmp_path: Path) -> None:
    write_tournament(tmp_path, STEADY)
    arbiter(tmp_path, "run", "league.yaml")
    for command, first in (
        ("export results/test-league", '[Game "DVONN"]\n'),
        ("run league.yaml --results other", "game 1 starts: calm - steady (round 1, 1 of 6)\n"),
    ):
        done = subprocess.run(
            f"{sys.executable} -m arbiter {command} | head -1; exit ${{PIPESTATUS[0]}}",
            shell=True,
            executable="/bin/bash",
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout.split("(")[0][:13], done.stderr) == (first.split("(")[0][:13], "")
        assert done.returncode in (0, 141)
    assert arbiter(tmp_path, "run", "league.yaml", "--results", "other").returncode == 0


def test_a_full_disk_behind_the_output_is_one_message(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m arbiter perft 3 > /dev/full",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "arbiter: the output cannot be written: No space left on device\n"
    assert done.returncode == 2
