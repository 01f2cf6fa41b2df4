"""A fault of the arbiter itself stops any command at once: told as that, with all that was finished kept."""

import errno
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import trio

from arbiter.cli import failures
from arbiter.cli.errors import UsageError
from arbiter.cli.failures import say_failure
from arbiter.cli.main import COMMANDS
from arbiter.isolation import proc
from arbiter.isolation.resources import ResourceError
from arbiter.match.game import GameResult, GameSetup
from arbiter.store import League, StoreError
from arbiter.tournament import runner
from tests.e2e.commands import QUICK, at_once, quick, stored, write_tournament

LAST = f"{QUICK} last"
LINE = re.compile(
    r"arbiter: internal error in [\w/.]+:\d+: ZeroDivisionError: injected; this is a fault of the arbiter "
    r"and of no bot, please report it with (?P<place>.*)\n"
)


def broken(*_: object, **__: object) -> None:
    raise ZeroDivisionError("injected")


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Whatever stopped a command, no bot of it may live on."""
    before = set(proc.children(os.getpid()))
    yield
    assert set(proc.children(os.getpid())) <= before


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with results and the records of their games."""
    directory = tmp_path_factory.mktemp("played")
    at_once("match", QUICK, LAST, "--games", "2", "--results", "results", "--seed", "1", cwd=directory)
    (directory / "games.drec").write_text(at_once("export", "results", cwd=directory).stdout)
    return directory


@pytest.fixture
def here(tmp_path: Path, played: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, and no input."""
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def run(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    with Path(os.devnull).open() as nothing, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", nothing)
        return at_once(*words, cwd=directory)


def fault_in_results(done: subprocess.CompletedProcess[str], directory: Path, results: str) -> str:
    """What was kept of the fault that ended a command."""
    line = LINE.fullmatch(done.stderr)
    assert line is not None, done.stderr
    assert done.returncode == 70
    (path,) = (directory / results / "faults").iterdir()
    assert line["place"] == str(Path(results) / "faults" / path.name)
    return path.read_text()


# Commands that play


PLACES = {
    "a game": "arbiter.tournament.runner.play_game",
    "a view": "arbiter.live.plain.describe",
    "the store": "arbiter.store.league.League.add",
    "a format": "arbiter.tournament.agenda.Agenda.end",
    "failures in a row": "arbiter.tournament.form.Form.note",
    "a trial start": "arbiter.tournament.prepare.check_start",
    "the ratings": "arbiter.cli.playing.standings_of",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize(
    ("words", "results"),
    [
        (["run", "league.yaml"], "results/test-league"),
        (["match", QUICK, LAST, "--games", "6", "--results", "new"], "new"),
        (["ab", QUICK, LAST, "--results", "new", "--openings", "empty"], "new"),
    ],
    ids=["run", "match", "ab"],
)
def test_a_fault_while_games_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], results: str, place: str
) -> None:
    bots = [quick("one"), quick("two", "last")]
    write_tournament(tmp_path, bots, "isolation: none\nconcurrency: 2", rounds=3)
    monkeypatch.setattr(place, broken)
    if place == PLACES["the ratings"] and words[0] == "ab":
        words = [*words, "--budget", "1s"]
    done = run(tmp_path, *words)
    text = fault_in_results(done, tmp_path, results)
    assert text.startswith("time: ")
    assert f"\ncommand: arbiter {words[0]} " in text
    assert "Traceback (most recent call last):" in text
    assert "ZeroDivisionError: injected" in text
    with League.open_for_reading(tmp_path / results) as league:
        assert {game.outcome.termination for game in league.games()} <= {"normal"}


@pytest.mark.parametrize("concurrency", [1, 3])
def test_what_was_finished_is_stored_and_the_rest_is_played_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, concurrency: int
) -> None:
    head = f"isolation: none\nconcurrency: {concurrency}"
    write_tournament(tmp_path, [quick("one"), quick("two", "last")], head, rounds=5)
    results = tmp_path / "results/test-league"

    play_game: Callable[..., Awaitable[GameResult]] = runner.play_game  # type: ignore[attr-defined]

    async def play_until_seven(setup: GameSetup, *more: object) -> GameResult:
        if setup.label == "7":
            await trio.lowlevel.checkpoint()
            broken()
        return await play_game(setup, *more)

    with monkeypatch.context() as patch:
        patch.setattr("arbiter.tournament.runner.play_game", play_until_seven)
        done = run(tmp_path, "run", "league.yaml")
    fault_in_results(done, tmp_path, "results/test-league")
    announced = {int(number) for number in re.findall(r"^game (\d+) ends", done.stdout, re.MULTILINE)}
    assert announced == set(stored(results))
    assert announced >= set(range(1, 7 - concurrency + 1))
    assert not {7, 8, 9, 10} & announced
    assert "void" not in done.stdout
    again = run(tmp_path, "run", "league.yaml")
    assert (again.returncode, again.stderr) == (0, "")
    with League.open_for_reading(results) as league:
        assert [(game.number, game.attempt) for game in league.games()] == [(n, 1) for n in range(1, 11)]


def test_where_the_results_cannot_keep_it_the_traceback_is_on_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.tournament.runner.play_game", broken)
    (tmp_path / "new").mkdir()
    (tmp_path / "new/faults").write_text("a file")
    done = run(tmp_path, "match", QUICK, LAST, "--results", "new")
    trace, line = done.stderr.rsplit("\narbiter: ", 1)
    assert "Traceback (most recent call last):" in trace
    found = LINE.fullmatch(f"arbiter: {line}")
    assert found is not None
    assert (found["place"], done.returncode) == ("the traceback above", 70)


# All commands


OTHERS = {
    "check": (["check", QUICK, "--step", "1,2"], "arbiter.check.runner.excerpt"),
    "replay": (
        ["replay", "results", QUICK, "--game", "1", "--side", "white"],
        "arbiter.cli.replay.Report.is_same",
    ),
    "diff": (
        ["diff", QUICK, LAST, "--depth", "1", "--positions", "4"],
        "arbiter.bench.comparison.Survey._pairs",
    ),
    "watch": (
        ["watch", ".", "--run", QUICK, "--once", "--no-check", "--games", "1", "--against", LAST],
        "arbiter.bench.trial._Score.watch",
    ),
    "play": (["play", QUICK, "--side", "black", "--save", "new.drec"], "arbiter.cli.duel.Duel._say_end"),
    "table": (["table", "results"], "arbiter.tournament.standings.league_table"),
    "show": (["show", "results", "--game", "1"], "arbiter.cli.show.scene_text"),
    "export": (["export", "results"], "arbiter.store.drec.texts"),
    "import": (["import", "old.txt"], "arbiter.cli.sources.check_sources"),
    "verify": (["verify", "games.drec"], "arbiter.cli.verify.verify_record"),
    "bots": (["bots"], "arbiter.tournament.bots.load_sample_catalogue"),
    "new": (["new", "python", "mine"], "arbiter.tournament.starters.write_files"),
    "schema": (["schema"], "arbiter.cli.schema.run"),
    "doctor": (["doctor"], "arbiter.isolation.remains.find"),
    "perft": (["perft", "1"], "arbiter.cli.perft.run"),
    "openings": (["openings", "--count", "1"], "arbiter.cli.openings.run"),
}
PLAYING = {"run", "match", "ab"}


@pytest.mark.parametrize("name", OTHERS)
def test_a_fault_in_any_command(here: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    words, place = OTHERS[name]
    monkeypatch.setattr(place, broken)
    done = run(here, *words)
    assert done.returncode == 70, done.stderr
    trace, line = done.stderr.rsplit("\narbiter: ", 1)
    assert trace.count("Traceback (most recent call last):") >= 1
    assert trace.endswith("ZeroDivisionError: injected") or "ZeroDivisionError: injected" in trace
    found = LINE.fullmatch(f"arbiter: {line}")
    assert found is not None, line
    assert found["place"] == "the traceback above"
    assert not list(here.rglob("faults"))


def test_a_fault_while_a_game_is_annulled_is_kept(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbiter.store.league.League.annul", broken)
    done = run(here, "annul", "results", "--game", "1", "--why", "x")
    assert "ZeroDivisionError" in fault_in_results(done, here, "results")


def test_no_command_is_forgotten_here() -> None:
    assert OTHERS.keys() | PLAYING | {"annul"} == set(COMMANDS)


# Endings that are no faults keep their statuses, also in groups and beside others


FAULT = ZeroDivisionError("injected")
LACK = ResourceError(errno.EMFILE, "no descriptor", "close some")
ENDINGS: list[tuple[BaseException, int]] = [
    (FAULT, 70),
    (PermissionError(errno.EACCES, "x"), 70),
    (LACK, 1),
    (OSError(errno.EMFILE, "x"), 1),
    (MemoryError(), 1),
    (RuntimeError("can't start new thread"), 1),
    (RuntimeError("x"), 70),
    (UsageError("x", "y"), 2),
    (StoreError("x", "y"), 2),
    (KeyboardInterrupt(), 130),
]


@pytest.mark.parametrize(("error", "status"), ENDINGS, ids=lambda value: repr(value)[:40])
def test_each_ending_has_its_status_also_in_groups(
    error: BaseException, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for wanted in (error, BaseExceptionGroup("x", [BaseExceptionGroup("x", [error])])):
        with pytest.raises(BaseException) as caught:  # noqa: PT011 (for the traceback)
            raise wanted
        assert say_failure(caught.value, ["run", "x"]) == status
        said = capsys.readouterr().err
        assert ("Traceback" in said) == (status == 70)
        assert ("internal error" in said) == (status == 70)


@pytest.mark.parametrize(
    ("errors", "status"),
    [
        ([KeyboardInterrupt(), FAULT], 70),
        ([LACK, FAULT], 70),
        ([UsageError("x"), LACK], 1),
        ([KeyboardInterrupt(), UsageError("x")], 2),
        ([LACK, OSError(errno.EMFILE, "x"), LACK], 1),
    ],
)
def test_the_most_serious_of_several_decides(
    errors: list[BaseException], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert say_failure(BaseExceptionGroup("x", errors), []) == status
    assert capsys.readouterr().err.count("arbiter: ") == 1


@pytest.mark.parametrize(
    ("error", "status"), [(BrokenPipeError(errno.EPIPE, "x"), 141), (OSError(errno.ENOSPC, "full"), 2)]
)
def test_output_that_cannot_be_written_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: OSError, status: int
) -> None:
    monkeypatch.setattr(failures, "without_output", lambda status: status)
    assert say_failure(BaseExceptionGroup("x", [error]), []) == status
    assert "Traceback" not in capsys.readouterr().err
