"""Results that earlier versions of the database's schema hold: read as they are, and gone on with.

In tests/data/schema stands for every schema the tournament file, and what the arbiter of that time had
stored when it was stopped half-way, as sqlite3 dumps it. A new schema gets a new pair of files, made by the
code that brings it; those that are there stay.
"""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arbiter.cli import main
from arbiter.store import League, schema
from tests.e2e.commands import at_once, stored

DATA = Path(__file__).parents[1] / "data" / "schema"
VERSIONS = sorted(int(path.stem) for path in DATA.glob("*.sql"))
STORED = {1: [1, 2, 7], 2: [1, 2, 3, 5], 3: [1, 2, 7], 4: [1, 2, 7]}
"""The games that were over when the arbiter was stopped."""
WHOLE = {version: [1, 2, 7, 8, 9, 10] for version in VERSIONS} | {2: [1, 2, 3, 5, 6, 7, 8]}
"""Those that there are at the end: the optional bot is left out, and a program that changed plays no more."""


def restore(directory: Path, version: int) -> Path:
    """The results of this version, their tournament file and its bots; what is there afterwards."""
    shutil.copy(DATA / f"{version}.yaml", directory / "cup.yaml")
    for name in ("bot.sh", "other.sh"):
        shutil.copy(DATA / "bot.sh", directory / name)
    results = directory / "results"
    results.mkdir()
    with closing(sqlite3.connect(results / "league.db")) as connection:
        connection.executescript((DATA / f"{version}.sql").read_text(encoding="utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    return results


def version_of(results: Path) -> int:
    with closing(sqlite3.connect(results / "league.db")) as connection:
        return schema.version_of(connection)


def test_there_is_a_fixture_of_every_version() -> None:
    assert list(range(1, schema.VERSION + 1)) == VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_an_earlier_version_is_read_as_it_is(tmp_path: Path, version: int) -> None:
    results = restore(tmp_path, version)
    before = (results / "league.db").read_bytes()
    table = json.loads(at_once("table", "results", "--format", "json", cwd=tmp_path).stdout)
    rows = {bot["name"]: bot for bot in table["bots"]}
    assert rows["Erste"]["games"] == 2
    assert rows["007"]["forfeits"] == {"crash": {2: 2}.get(version, 1)}
    assert any("ghost was left out" in note for note in table["notes"])
    for view in ("--crosstable", "--by=pairing", "--by=opening", "--by=ending", "--by=clock"):
        assert main(["table", str(results), view]) == 0
    exported = at_once("export", "results", cwd=tmp_path)
    (tmp_path / "games.drec").write_text(exported.stdout)
    assert at_once("verify", "games.drec", cwd=tmp_path).returncode == 0
    games = json.loads(at_once("export", "results", "--format", "json", cwd=tmp_path).stdout)["games"]
    assert [game["number"] for game in games] == STORED[version]
    assert (results / "league.db").read_bytes() == before


@pytest.mark.parametrize("version", VERSIONS)
def test_an_earlier_version_is_gone_on_with(tmp_path: Path, version: int) -> None:
    """To the same end as a run by this version alone."""
    results = restore(tmp_path, version)
    before = stored(results)
    done = at_once("run", "cup.yaml", "--results", "results", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert version_of(results) == schema.VERSION
    after = stored(results)
    assert list(after) == WHOLE[version]
    assert before.items() <= after.items()
    if version != 2:  # in which other programs had played
        assert at_once("run", "cup.yaml", "--results", "new", cwd=tmp_path).returncode == 0
        assert stored(tmp_path / "new") == after
    assert "starts" not in at_once("run", "cup.yaml", "--results", "results", cwd=tmp_path).stdout


def test_a_game_of_an_earlier_version_can_be_annulled(tmp_path: Path) -> None:
    results = restore(tmp_path, 1)
    done = at_once("annul", "results", "--game", "7", "--why", "a dead battery", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Game 7 was annulled: a dead battery." in at_once("table", "results", cwd=tmp_path).stdout
    assert list(stored(results)) == STORED[1]


def test_annulments_and_changed_programs_of_version_2(tmp_path: Path) -> None:
    restore(tmp_path, 2)
    table = at_once("table", "results", cwd=tmp_path).stdout
    for words in (
        "Game 1 was annulled and played again: power cut.",
        "Game 2 was annulled: opened the wrong file.",
        "letzte 🏆@bc624c3b plays no more: its program changed.",
        "Elo with the 95 % interval of the difference to Erste, set to 1500.",
    ):
        assert words in table


@pytest.mark.parametrize("version", VERSIONS)
def test_the_order_of_ending_goes_on_after_what_is_older(tmp_path: Path, version: int) -> None:
    results = restore(tmp_path, version)
    # Before schema 3 it is that of the numbers; of version 2 two attempts were taken out.
    before = {1: [1, 2, 7], 2: [1, 3, 5]}.get(version, [2, 1, 7])
    assert ended(results) == before
    assert at_once("run", "cup.yaml", "--results", "results", cwd=tmp_path).returncode == 0
    after = ended(results)
    assert after[: len(before)] == before
    assert sorted(after) == sorted(set(WHOLE[version]) - ({2} if version == 2 else set()))


def ended(results: Path) -> list[int]:
    with League.open_for_reading(results) as league:
        return [game["number"] for game in league.endings()]


@pytest.mark.parametrize("version", VERSIONS)
def test_why_a_game_ended_is_data_since_version_4_and_stays_words_in_what_is_older(
    tmp_path: Path, version: int
) -> None:
    restore(tmp_path, version)
    assert at_once("run", "cup.yaml", "--results", "results", cwd=tmp_path).returncode == 0
    exported = at_once("export", "results", "--format", "json", cwd=tmp_path).stdout
    for game in json.loads(exported)["games"]:
        is_old = game["number"] in STORED[version] and version < 4
        assert (game["reports"]["white"]["clock"]["elapsed_us"] == 0) == is_old
        if game["termination"] == "crash":
            assert game["detail"] == "exited with status 3; its last words: cannot go on"
            assert (game["fault"] and game["fault"]["status"]) == (None if is_old else 3)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_was_not_known_is_not_shown(tmp_path: Path, version: int) -> None:
    restore(tmp_path, version)
    for view in ([], ["--by", "clock"]):
        assert ("Waited %" in at_once("table", "results", *view, cwd=tmp_path).stdout) == (version >= 4)
