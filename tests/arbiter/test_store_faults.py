"""What people and kills do to a results directory in use: told with a remedy, nothing lost."""

import contextlib
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arbiter.store import League, StoreError
from tests.arbiter.stored import GAMES, WRITER, numbers
from tests.arbiter.test_store import game

QUICK = Path(__file__).parents[1] / "bots" / "quick.sh"


# Taken away under a run


@pytest.mark.parametrize(
    "name, replaced",
    [("league.db", False), ("league.db", True), ("league.db-wal", False), ("league.lock", False)],
)
def test_files_that_are_taken_away_end_the_run(results: Path, name: str, replaced: bool) -> None:
    with League.open_for_writing(results) as league:
        league.add([game(GAMES + 1)])
        (results / name).rename(results / "away")
        if replaced:
            shutil.copy(results / "away", results / name)
        with pytest.raises(StoreError) as caught:
            league.add([game(GAMES + 2)])
        assert str(caught.value) == (
            f"{results / name} was {'replaced' if replaced else 'deleted'} while this run was using it, "
            "so that no further game can be stored"
        )
        assert "run the same command again" in str(caught.value.remedy)
        with pytest.raises(StoreError):
            league.add([], {"one": "crashed"})
        (results / name).unlink(missing_ok=True)
        (results / "away").rename(results / name)
        league.require_in_place()
        assert [played.number for played in league.games()] == list(range(1, GAMES + 2))


def test_a_run_whose_results_were_deleted_does_not_say_that_all_is_stored(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text(
        "tournament: Cup\nisolation: none\nrounds: 200\nbots:\n"
        f"  - {{name: a, run: {QUICK} first}}\n  - {{name: b, run: {QUICK} last}}\n"
    )
    command = [sys.executable, "-m", "arbiter", "run", "cup.yaml", "--results", "one"]
    run = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with run:
        assert run.stdout is not None
        assert run.stderr is not None
        next(line for line in run.stdout if " ends: " in line)
        # The database first, and the run may have ended before the others are taken away.
        for file in sorted((tmp_path / "one").glob("league.db*")):
            file.unlink(missing_ok=True)
        run.stdout.read()
        said = run.stderr.read()
    assert run.returncode == 2
    assert said == (
        "arbiter: one/league.db was deleted while this run was using it, so that no further game can be "
        "stored\n  keep other programs away from one, then run the same command again\n"
    )


def test_what_another_run_stored_meanwhile_is_told_in_words(results: Path) -> None:
    with League.open_for_writing(results) as league, pytest.raises(StoreError) as caught:
        league.add([game(1)])
    assert str(caught.value).startswith(f"{results}/league.db: another program wrote to it meanwhile (")


# Killed


@pytest.mark.parametrize("kills", [5, pytest.param(50, marks=pytest.mark.sweep)])
def test_killed_while_it_stores(tmp_path: Path, kills: int) -> None:
    """Killed at any moment, within a commit, too: what was announced is there, groups are whole."""
    chance = random.Random(11)
    for _ in range(kills):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        with writer:
            assert writer.stdout is not None
            announced = int(writer.stdout.readline())
            with contextlib.suppress(subprocess.TimeoutExpired):
                writer.wait(chance.uniform(0, 0.05))
            writer.kill()
            announced = max([announced, *map(int, writer.stdout.read().split())])
        stored = numbers(tmp_path)
        assert stored == list(range(1, len(stored) + 1))
        assert len(stored) % 3 == 0
        assert len(stored) >= announced
