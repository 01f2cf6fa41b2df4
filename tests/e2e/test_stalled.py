"""Output that nobody reads for a while, or ever: the games do not notice."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arbiter.store import League, StoreError
from tests.e2e.commands import ODD, arbiter, entry, environment, processes_in, quick, write_tournament
from tests.e2e.terminal import Terminal
from tests.e2e.test_dialogues import SHORT

QUICK = [quick("a"), quick("b", "last"), quick("c", "first x")]
GAMES = 6


class Stalled:
    """A command one of whose streams, or both, is a full pipe; the test reads it when it wants to."""

    def __init__(self, directory: Path, arguments: Sequence[str], streams: Sequence[str]) -> None:
        self._directory = directory
        self._reading, writing = os.pipe()
        _fill(writing)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "arbiter", *arguments],
            cwd=directory,
            env=environment(directory),
            stdin=subprocess.DEVNULL,
            stdout=writing if "stdout" in streams else subprocess.PIPE,
            stderr=writing if "stderr" in streams else subprocess.PIPE,
            text=True,
        )
        os.close(writing)

    def read(self) -> str:
        """All that was written, and will be."""
        with open(self._reading, encoding="utf-8") as stream:  # noqa: PTH123
            self._reading = -1
            return stream.read().lstrip("\0")

    def leave(self) -> None:
        os.close(self._reading)
        self._reading = -1

    def finish(self) -> tuple[str, str]:
        """What the streams that are read said."""
        output, errors = self.process.communicate(timeout=60)
        assert processes_in(self._directory) == []
        return output or "", errors or ""

    def interrupt(self) -> float:
        """How long it takes to end then."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)
        return time.monotonic() - began

    def close(self) -> None:
        self.process.kill()
        with self.process:
            pass
        if self._reading >= 0:
            self.leave()


def _fill(writing: int) -> None:
    os.set_blocking(writing, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writing, bytes(4096))
    os.set_blocking(writing, True)


@contextmanager
def stalled(directory: Path, *arguments: str, streams: Sequence[str] = ("stdout",)) -> Iterator[Stalled]:
    run = Stalled(directory, arguments, streams)
    try:
        yield run
    finally:
        run.close()


def wait_for(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, f"{what}: not within a minute"
        time.sleep(0.05)


def has_games(results: Path, count: int) -> Callable[[], bool]:
    """Whether so many games are stored."""

    def check() -> bool:
        with suppress(StoreError), League.open_for_reading(results) as league:
            return sum(1 for _ in league.games()) == count
        return False

    return check


def told(text: str) -> list[str]:
    """What is the same in every run."""
    lines = text.splitlines()
    return [line for line in lines if re.match(r"game \d|result |\S+ is left out", line)]


@pytest.mark.parametrize(
    "options, streams",
    [((), ("stdout",)), (("--format", "json"), ("stderr",)), (("--quiet",), ("stdout", "stderr"))],
    ids=["plain", "json", "quiet"],
)
def test_games_do_not_wait_for_a_reader(tmp_path: Path, options: tuple[str, ...], streams: list[str]) -> None:
    """And once it reads, it reads what others do."""
    absent = entry("absent", "./nowhere", optional="true")
    write_tournament(tmp_path, [*QUICK, absent], "isolation: none")
    arguments = ("run", "league.yaml", *options, "--results", "r")
    with stalled(tmp_path, *arguments, streams=streams) as run:
        wait_for(has_games(tmp_path / "r", GAMES), "games are played")
        assert run.process.poll() is None
        text = run.read()
        run.finish()
    assert run.process.returncode == 0
    with League.open_for_reading(tmp_path / "r") as league:
        assert {(game.outcome.termination, game.attempt) for game in league.games()} == {("normal", 1)}
    (tmp_path / "r").rename(tmp_path / "before")
    usual = subprocess.run(
        [sys.executable, "-m", "arbiter", *arguments],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE if "stdout" in streams else None,
        stderr=subprocess.STDOUT if "stdout" in streams else subprocess.PIPE,
        text=True,
        check=True,
    )
    expected = told(usual.stdout or usual.stderr)
    assert told(text) == expected
    assert len(expected) == 1 + 2 * GAMES * ("--quiet" not in options) + ("--format" not in options)


def test_what_is_too_much_is_dropped_and_counted_but_no_result(tmp_path: Path) -> None:
    """And a log, which goes elsewhere, is complete."""
    noise = f"{ODD} stderr 3000000 --at 1"
    arguments = ("match", noise, f"{ODD} none", *SHORT, "--results", "r", "--trace", "--log", "said")
    log = tmp_path / "said/game-2.log"
    with stalled(tmp_path, *arguments) as run:
        wait_for(lambda: log.exists() and "game 2 ends" in log.read_text(), "the games are over")
        text = run.read()
        run.finish()
    assert run.process.returncode == 0
    assert 1_000_000 < text.count("y") < 2_000_000
    marks = (
        r"^game 1 ends",
        r"^game 2 ends",
        r"^\d+ lines dropped, since the output was not read$",
        r"^result games=2 void=0 forfeits=0",
    )
    places = [found.start() for mark in marks for found in re.finditer(mark, text, re.MULTILINE)]
    assert len(places) == len(marks)
    assert places == sorted(places)
    for number in (1, 2):
        assert (tmp_path / f"said/game-{number}.log").read_text().count("y") >= 3_000_000


def seconds_to_stop(directory: Path, results: str, streams: Sequence[str]) -> float:
    """How long a run with a bot that thinks takes to end."""
    arguments = ("match", f"{ODD} hold --at 1", f"{ODD} none", "--time", "5m", "--results", results)
    (directory / "asked").unlink(missing_ok=True)
    with stalled(directory, *arguments, streams=streams) as run:
        wait_for((directory / "asked").exists, "a game begins")
        seconds = run.interrupt()
        _, errors = run.finish()
        assert run.process.returncode == 130
        if "stderr" not in streams:
            assert errors.startswith("interrupted; no game was played yet. Go on with: arbiter match ")
    return seconds


@pytest.mark.parametrize("streams", [["stdout"], ["stdout", "stderr"]], ids=" ".join)
def test_a_signal_stops_it_all_the_same(tmp_path: Path, streams: list[str]) -> None:
    """Within two seconds, but for a machine that stalls: so in one of three runs."""
    assert any(seconds_to_stop(tmp_path, f"run-{attempt}", streams) < 2 for attempt in range(3))


def test_a_signal_ends_the_wait_for_the_reader(tmp_path: Path) -> None:
    write_tournament(tmp_path, QUICK[:2], "isolation: none")
    with stalled(tmp_path, "run", "league.yaml", "--results", "r") as run:
        wait_for(has_games(tmp_path / "r", 2), "games are played")
        time.sleep(1)
        assert run.process.poll() is None
        assert run.interrupt() < 10
        _, errors = run.finish()
    assert (run.process.returncode, "Traceback" in errors) == (130, False)


def test_a_reader_that_leaves_is_noticed_while_a_bot_thinks(tmp_path: Path) -> None:
    arguments = ("match", f"{ODD} hold --at 1", f"{ODD} none", "--time", "5m", "--results", "r")
    with stalled(tmp_path, *arguments) as run:
        wait_for((tmp_path / "asked").exists, "a game begins")
        run.leave()
        _, errors = run.finish()
    assert (run.process.returncode, errors) == (141, "")
    assert arbiter(tmp_path, "show", "r").returncode != 0  # no game was over


@pytest.mark.parametrize("kind", ["xterm", "dumb"])
def test_a_terminal_that_is_held_holds_nobody_up(tmp_path: Path, kind: str) -> None:
    """With Ctrl-S; Ctrl-Q shows the rest."""
    write_tournament(tmp_path, QUICK, "isolation: none")
    with Terminal(tmp_path, "run", "league.yaml", "--results", "r", TERM=kind) as terminal:
        terminal.type("\x13")
        wait_for(has_games(tmp_path / "r", GAMES), "games are played")
        assert terminal.process.poll() is None
        terminal.type("\x11")
        assert terminal.finish() == 0
        assert f"result games={GAMES} void=0 forfeits=0" in terminal.shown


def test_a_terminal_that_is_held_can_be_interrupted(tmp_path: Path) -> None:
    arguments = ("match", f"{ODD} hold --at 1", f"{ODD} none", "--time", "5m", "--results", "r")
    with Terminal(tmp_path, *arguments) as terminal:
        terminal.type("\x13")
        wait_for((tmp_path / "asked").exists, "a game begins")
        terminal.interrupt()
        assert terminal.process.wait(10) == 130
