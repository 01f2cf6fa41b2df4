"""Databases that are damaged, half made or none: refused with a remedy, and left as they are."""

import contextlib
import os
import random
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from arbiter.cli import main
from arbiter.store import League, StoreError, database
from tests.arbiter.stored import content
from tests.arbiter.test_store import game

QUICK = Path(__file__).parents[1] / "bots" / "quick.sh"


def overwrite(start: float, data: bytes) -> Callable[[Path], None]:
    """Bytes in place of others, from a share of the file on."""

    def harm(file: Path) -> None:
        place = int(start * file.stat().st_size) // 4096 * 4096
        with file.open("r+b") as opened:
            opened.seek(place)
            opened.write(data)

    return harm


def replace_by_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def replace_by(script: str) -> Callable[[Path], None]:
    """Another program's database."""

    def harm(file: Path) -> None:
        file.unlink()
        with contextlib.closing(sqlite3.connect(file)) as connection:
            connection.executescript(script)

    return harm


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "header": (overwrite(0, bytes(100)), "is damaged: file is not a database"),
    "first page": (overwrite(0, b"SQLite format 3\0" + b"\xff" * 4000), "is damaged: "),
    "page in the middle": (overwrite(0.5, random.Random(3).randbytes(4096)), "damaged: "),
    "zeros in the middle": (overwrite(0.4, bytes(8192)), "damaged: "),
    "cut off": (lambda file: os.truncate(file, 3 * file.stat().st_size // 4), "is damaged: "),
    "cut off in a page": (lambda file: os.truncate(file, 5000), "is damaged: "),
    "empty": (lambda file: os.truncate(file, 0), "is damaged: it is empty"),
    "text": (lambda file: file.write_text("results\n" * 900), "is damaged: file is not a database"),
    "directory": (replace_by_directory, "is a directory; the database should be there"),
    "another program's": (
        replace_by("CREATE TABLE t (x); INSERT INTO t VALUES (1)"),
        "is no results database of the arbiter; it is left as it is",
    ),
    "another program's with our number": (
        replace_by("CREATE TABLE bots (x); PRAGMA user_version = 2"),
        "is no results database of the arbiter; it is left as it is",
    ),
    "a later version's": (
        replace_by("CREATE TABLE t (x); PRAGMA user_version = 99"),
        "was written by a later arbiter (its schema is 99)",
    ),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_database_is_refused_with_a_remedy_and_left_as_it_is(
    results: Path, tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    harm, words = DAMAGE[kind]
    harm(results / "league.db")
    before = content(results)
    (tmp_path / "cup.yaml").write_text(f"tournament: x\nbots: [{{name: one, run: {QUICK} first}}, {QUICK}]\n")
    for command in (
        ["run", str(tmp_path / "cup.yaml"), "--results", str(results)],
        ["annul", str(results), "--game", "1", "--why", "x"],
        ["table", str(results)],
        ["export", str(results), "--format", "json"],
    ):
        # A page that only games use may not keep one from looking at the others.
        assert main(command) == 2, command
        message, remedy = capsys.readouterr().err.splitlines()
        assert message.startswith(f"arbiter: {results}/league.db"), message
        assert words in message
        assert message.isprintable()
        assert remedy.startswith("  ")
    assert content(results) == before


@pytest.mark.parametrize(
    "change, words",
    [
        ("UPDATE games SET clocks = '{' WHERE number = 7", "game 7 is damaged: "),
        (
            "UPDATE games SET result = '2-0' WHERE number = 7",
            "game 7 is damaged: unknown result '2-0'",
        ),
        ("UPDATE games SET termination = 'boredom' WHERE number = 7", "game 7 is damaged: "),
        ("UPDATE games SET fault = '{' WHERE number = 7", "game 7 is damaged: "),
        ("UPDATE games SET fault = '[]' WHERE number = 7", "game 7 is damaged: [] is no fault"),
        ("UPDATE games SET fault = '{\"side\": 1}' WHERE number = 7", "game 7 is damaged: 'code'"),
        ("UPDATE games SET detail = CAST(x'ff00' AS TEXT) WHERE number = 7", "a text in it cannot be read"),
        ("INSERT INTO meta VALUES ('config', '{')", "config: "),
    ],
)
def test_values_that_make_no_sense_are_named(
    results: Path, change: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(sqlite3.connect(results / "league.db")) as connection:
        connection.executescript(change)
    assert main(["table", str(results)]) == 2
    message, remedy = capsys.readouterr().err.splitlines()
    assert words in message
    assert "sqlite3 league.db .recover" in remedy


READERS = (
    ("table",),
    ("table", "--crosstable"),
    ("export",),
    ("export", "--format", "json"),
    ("export", "--format", "csv"),
    ("show", "--game", "7"),
    ("replay", "--game", "7"),
)


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_a_result_that_is_none_is_named_by_every_command_that_reads_games(
    results: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(sqlite3.connect(results / "league.db")) as connection:
        connection.executescript("UPDATE games SET result = '9-9' WHERE number = 7")
    assert main([command[0], str(results), *command[1:]]) == 2
    message, remedy = capsys.readouterr().err.splitlines()
    assert message == f"arbiter: {results}/league.db: game 7 is damaged: unknown result '9-9'"
    assert "sqlite3 league.db .recover" in remedy


@pytest.mark.parametrize(
    "column, value",
    [
        ("detail", "a\0b"),
        ("white", "a\nb"),
        ("started_at", "now\n"),
        ("facts", zlib.compress(b'[[1, 2, ["x", 2, 3], []]]')),
    ],
)
def test_what_no_record_can_hold_is_a_damaged_game(
    results: Path, column: str, value: str | bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(sqlite3.connect(results / "league.db")) as connection:
        connection.execute(f"UPDATE games SET {column} = ?, plies = 'A1' WHERE number = 7", (value,))
        connection.commit()
    assert main(["export", str(results)]) == 2
    assert "league.db: game 7 is damaged: " in capsys.readouterr().err


def test_a_large_database_is_not_looked_through(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take longer than the first game may."""
    overwrite(0.5, random.Random(3).randbytes(4096))(results / "league.db")
    with pytest.raises(StoreError, match="damaged"):
        League.open_for_writing(results)
    monkeypatch.setattr(database, "_CHECKED", 1000)
    League.open_for_writing(results).__exit__()


# Making a database


def test_a_database_has_its_name_only_when_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run that was killed while it made one left behind is in nobody's way."""

    def killed(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE half (x)")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("arbiter.store.schema.create", killed)
        with pytest.raises(KeyboardInterrupt):
            League.open_for_writing(tmp_path)
    assert not (tmp_path / "league.db").exists()
    with pytest.raises(StoreError, match="no results here"):
        League.open_for_reading(tmp_path)
    with League.open_for_writing(tmp_path) as league:
        league.add([game(1)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["league.db", "league.lock"]


def test_a_journal_without_its_database_is_not_taken_for_nothing(results: Path) -> None:
    journal = results / "league.db-wal"
    (results / "league.db").rename(results / "kept")
    journal.write_bytes(b"x" * 100)
    with pytest.raises(
        StoreError, match=r"league\.db is missing, but its journal league\.db-wal is there"
    ) as caught:
        League.open_for_writing(results)
    assert "put league.db back" in str(caught.value.remedy)
    assert journal.read_bytes() == b"x" * 100
    journal.unlink()
    with League.open_for_writing(results) as league:
        assert not league.has_games()
