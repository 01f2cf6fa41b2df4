"""What the machine lacks stops a command in order, with a remedy; no bot is blamed for it."""

import errno
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import trio

from arbiter.isolation import launch, proc, resources
from arbiter.isolation.resources import DESCRIPTORS_PER_GAME
from arbiter.isolation.sandbox import Level, Sandbox
from arbiter.isolation.tree import become_subreaper
from arbiter.match.bot import Bot
from arbiter.match.driver import play_game
from arbiter.match.game import Competitor, GameSetup
from arbiter.store import League
from protocol.rules import Position
from tests.e2e.commands import (
    BOTS,
    QUICK,
    arbiter,
    at_once,
    environment,
    held_from,
    quick,
    start,
    stored,
    write_tournament,
)
from tests.e2e.table import AMPLE

LAST = f"{QUICK} last"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")


def write(directory: Path, *lines: str, rounds: int = 1) -> None:
    bots = [quick("one"), quick("two", "last")]
    write_tournament(directory, bots, "\n".join(["isolation: none", *lines]), rounds=rounds)


def endings(directory: Path) -> set[tuple[str, int]]:
    """How the stored games ended, and in which attempt."""
    with League.open_for_reading(directory) as league:
        return {(str(game.outcome.termination), game.attempt) for game in league.games()}


# Counted beforehand


LOOP = 5
"""What an event loop keeps open besides its games: its poll, a pair to wake it up, the poll that tells when
bytes arrive, and the arbiter's own counters.
"""


@LINUX
def test_a_game_keeps_no_more_open_than_is_counted_for_it(tmp_path: Path) -> None:
    shutil.copy(BOTS / "odd.py", tmp_path)
    sandbox = Sandbox(Level.LIMITS)
    most: dict[int, int] = {}

    async def play(games: int) -> None:
        bot = Bot("odd", (sys.executable, "odd.py", "none"), tmp_path, sandbox=sandbox)
        setup = GameSetup(Competitor(bot, AMPLE), Competitor(bot, AMPLE), Position.start())

        def count_descriptors(*_: object) -> None:
            most[games] = max(most.get(games, 0), resources.descriptors_open())

        async with trio.open_nursery() as nursery:
            for _ in range(games):
                nursery.start_soon(play_game, setup, count_descriptors)

    become_subreaper()
    for games in (1, 4):
        trio.run(play, games)
    each = (most[4] - most[1]) / 3
    assert 8 <= each <= DESCRIPTORS_PER_GAME
    assert most[1] - resources.descriptors_open() - LOOP <= DESCRIPTORS_PER_GAME


def with_limit(directory: Path, number: int, *words: str) -> subprocess.CompletedProcess[str]:
    """A command that may have so many descriptors open and no more."""
    command = ["sh", "-c", f'ulimit -n {number} && exec "$@"', "sh", sys.executable, "-m", "arbiter", *words]
    done = subprocess.run(
        command, cwd=directory, env=environment(directory), capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize("level", ["none", "limits"])
def test_too_few_descriptors_are_refused_and_as_many_as_asked_for_do(tmp_path: Path, level: str) -> None:
    shutil.copy(QUICK, tmp_path / "quick.sh")
    head = f"isolation: {level}\nconcurrency: 8"
    write_tournament(tmp_path, [f"{{name: {name}, run: ./quick.sh first}}" for name in "ab"], head, rounds=12)
    refused = with_limit(tmp_path, 48, "run", "league.yaml")
    said = re.fullmatch(
        r"arbiter: 16 bots in parallel need (\d+) file descriptors, counting what is in use already; "
        r"the limit is 48\n  raise it with `ulimit -n \1`, or play fewer games in parallel .--concurrency.\n",
        refused.stderr,
    )
    assert said is not None, refused.stderr
    assert (refused.returncode, refused.stdout) == (2, "")
    assert not (tmp_path / "results/test-league").exists()
    played = with_limit(tmp_path, int(said[1]), "run", "league.yaml")
    assert (played.returncode, played.stderr) == (0, "")
    assert endings(tmp_path / "results/test-league") == {("normal", 1)}


@pytest.mark.parametrize(
    "command",
    [
        ["match", QUICK, LAST],
        ["ab", QUICK, LAST],
        ["check", QUICK],
        ["play", QUICK],
        ["diff", QUICK, LAST],
        ["replay", "results"],
        ["watch", ".", "--run", QUICK, "--once"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_that_starts_bots_counts(tmp_path: Path, command: list[str]) -> None:
    done = with_limit(tmp_path, 30, *command)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"arbiter: .* file descriptors, .*\n  raise it with `ulimit -n \d+`\n", done.stderr)


# In mid-run


@LINUX
@pytest.mark.parametrize("concurrency", [1, 3])
def test_descriptors_that_run_out_in_mid_run(tmp_path: Path, concurrency: int) -> None:
    write(tmp_path, f"concurrency: {concurrency}", rounds=10)
    with start(tmp_path, "run", "league.yaml") as run:
        assert run.stdout is not None
        assert run.stderr is not None
        with held_from(tmp_path, 5):
            next(line for line in run.stdout if line.startswith("game 4 ends: "))
            resource.prlimit(run.pid, resource.RLIMIT_NOFILE, (16, 16))
        run.stdout.read()
        said = run.stderr.read()
    assert re.fullmatch(
        r"arbiter: .*: no file descriptor is left\n  raise the limit with `ulimit -n`, or .*; all finished "
        r"games are stored\. Go on with: arbiter run league\.yaml\n",
        said,
    ), said
    assert run.returncode == 1
    results = tmp_path / "results/test-league"
    assert endings(results) == {("normal", 1)}
    assert not (results / "failures").exists()
    assert 4 <= len(stored(results)) < 20
    assert arbiter(tmp_path, "run", "league.yaml", "--quiet").returncode == 0
    assert endings(results) == {("normal", 1)}
    assert len(stored(results)) == 20


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int, int], None]]:
    """Makes the system refuse a program, from some start on; nothing that was started may be left."""
    numbers = count(1)
    popen = subprocess.Popen
    before = proc.children(os.getpid())

    def refuse_from(start: int, number: int) -> None:
        def refuse(*words: Any, **options: Any) -> subprocess.Popen[bytes]:
            if next(numbers) >= start:
                raise OSError(number, os.strerror(number))
            return popen(*words, **options)

        monkeypatch.setattr(launch.subprocess, "Popen", refuse)  # type: ignore[attr-defined]

    yield refuse_from
    assert set(proc.children(os.getpid())) <= set(before)


WORDS = {
    errno.EMFILE: "no file descriptor is left",
    errno.ENFILE: "the machine has no file descriptor left",
    errno.EAGAIN: "no further process can be started",
    errno.ENOMEM: "the memory of the machine is used up",
    errno.ENOSPC: "the disk is full",
}


@pytest.mark.parametrize("number", WORDS)
@pytest.mark.parametrize("first", [1, 2, 3, 6])
def test_a_program_that_cannot_be_started(
    tmp_path: Path, refusing: Callable[[int, int], None], first: int, number: int
) -> None:
    """At the first start, at the second, in the first game, in a later one."""
    write(tmp_path, rounds=3)
    refusing(first, number)
    done = at_once("run", "league.yaml", cwd=tmp_path)
    kept = "all finished games are stored" if first == 6 else "no game was played yet"
    message, remedy = done.stderr.splitlines()
    assert message.startswith("arbiter: starting ")
    assert message.endswith(WORDS[number])
    assert remedy.endswith(f"; {kept}. Go on with: arbiter run league.yaml")
    assert done.returncode == 1
    assert "withdrawn" not in done.stdout
    results = tmp_path / "results/test-league"
    assert results.exists() == (first > 2)
    if results.exists():
        assert endings(results) == ({("normal", 1)} if first == 6 else set())


def test_the_games_go_on_where_they_were_stopped(
    tmp_path: Path, refusing: Callable[[int, int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "max_failures: 1", rounds=3)
    refusing(6, errno.EAGAIN)
    assert at_once("run", "league.yaml", cwd=tmp_path).returncode == 1
    monkeypatch.undo()
    assert at_once("run", "league.yaml", cwd=tmp_path).returncode == 0
    assert endings(tmp_path / "results/test-league") == {("normal", 1)}
    assert len(stored(tmp_path / "results/test-league")) == 6


# A full disk


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_bundle_for_which_there_is_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failed game is played again later, and has its bundle then."""
    bots = [quick("one", "crash"), quick("two")]
    write_tournament(tmp_path, bots, "isolation: none", rounds=1)
    results = tmp_path / "results/test-league"
    with monkeypatch.context() as patch:
        patch.setattr("arbiter.tournament.runner.write_bundle", full)
        done = at_once("run", "league.yaml", cwd=tmp_path)
    message, remedy = done.stderr.splitlines()
    assert message == f"arbiter: {results}: the disk is full"
    assert remedy.startswith("  make room; no game was played yet. Go on with: arbiter run")
    assert (done.returncode, endings(results)) == (1, set())
    assert at_once("run", "league.yaml", cwd=tmp_path).returncode == 0
    assert endings(results) == {("crash", 1)}
    assert len(list((results / "failures").iterdir())) == 2


def test_a_build_for_which_there_is_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbiter.tournament.prepare.require_disk", full)
    bots = ['{name: one, run: ./one, build: "false", optional: true}', quick("two"), quick("three")]
    write_tournament(tmp_path, bots, "isolation: none")
    done = at_once("run", "league.yaml", cwd=tmp_path)
    assert done.stderr.startswith("arbiter: building: the disk is full\n")
    assert (done.returncode, "left out" in done.stdout) == (1, False)


@pytest.mark.parametrize("size", [1, 8, 64])
@pytest.mark.parametrize("option", ["--log", "--trace"])
def test_what_is_said_cannot_be_written(tmp_path: Path, option: str, size: int) -> None:
    """Files may be no longer than so many blocks, as on a full disk."""
    words = ["match", QUICK, LAST, "--results", "new", option, *(["logs"] if option == "--log" else [])]
    done = subprocess.run(
        ["sh", "-c", f'ulimit -f {size} && exec "$@" >output', "sh", sys.executable, "-m", "arbiter", *words],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert re.fullmatch(
        r"arbiter: .*(File too large|the disk is full|failed: disk I/O error)\n(  .*\n)?", done.stderr
    )
    if (tmp_path / "new/league.db").exists():
        assert endings(tmp_path / "new") <= {("normal", 1)}


def test_a_log_whose_directory_is_gone(tmp_path: Path) -> None:
    write_tournament(tmp_path, [quick("one"), quick("two", "last")], "isolation: none")
    words = ["match", f"{QUICK} first", LAST, "--games", "8", "--results", "new", "--log", "logs"]
    with start(tmp_path, *words) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        with held_from(tmp_path, 3):
            next(line for line in run.stdout if line.startswith("game 2 ends: "))
            (tmp_path / "logs").rename(tmp_path / "away")
        run.stdout.read()
        said = run.stderr.read()
    assert re.fullmatch(
        r"arbiter: logs/game-\d\.log: cannot be written: No such file or directory\n  --log names .*\n",
        said,
    ), said
    assert run.returncode == 2
    assert endings(tmp_path / "new") == {("normal", 1)}


@pytest.mark.parametrize(
    "command",
    [
        ["match", QUICK, LAST, "--results", "new"],
        ["ab", QUICK, LAST, "--results", "new"],
        ["check", QUICK, "--step", "1-3"],
        ["diff", QUICK, LAST, "--depth", "1", "--positions", "4"],
        ["replay", "results", QUICK, "--game", "1", "--side", "white"],
        ["play", QUICK, "--side", "black", "--save", "game.drec"],
        ["watch", ".", "--run", QUICK, "--once", "--no-check", "--against", QUICK, "--games", "1"],
    ],
    ids=lambda words: words[0],
)
def test_no_command_blames_a_bot(
    tmp_path: Path,
    refusing: Callable[[int, int], None],
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if command[0] == "replay":
        at_once("match", QUICK, LAST, "--results", "results", "--games", "1", cwd=tmp_path)
    refusing(1, errno.EAGAIN)
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        done = at_once(*command, cwd=tmp_path)
        monkeypatch.undo()
    message, remedy, *more = done.stderr.splitlines()
    assert (message, more) == (f"arbiter: starting {QUICK}: no further process can be started", [])
    assert "ulimit -u" in remedy
    assert done.returncode == 1
    assert not (tmp_path / "new").exists()
    assert "FAIL" not in done.stdout
