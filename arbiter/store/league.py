"""The database of a tournament's results directory.

One process writes, any number may read meanwhile. A game is committed before anybody is told
about it, so that killing the arbiter at any moment loses no announced game. How the schema has
grown is told in ``schema``.
"""

import contextlib
import fcntl
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from arbiter.store import schema
from arbiter.store.played import COLUMNS, PlayedGame, from_row, to_row

FILE_NAME = "league.db"
_LOCK_NAME = "league.lock"

_BRIEF_COLUMNS = (
    "number", "attempt", "round", "pair", "white", "black", "result", "termination", "offender",
    "white_score", "black_score", "both_failed", "detail", "clocks", "lag", "rules", "start", "opening",
    "plies",
)  # fmt: skip


class StoreError(Exception):
    """The results cannot be read or written; the text says which file, why, and what to do."""


class Attempts(NamedTuple):
    """The tries at a game: the number of the last one, how many were void, and whether one decided."""

    number: int
    last: int
    void: int
    decided: bool


class League:
    """An open results database; a context manager."""

    def __init__(self, connection: sqlite3.Connection, directory: Path, lock: int | None) -> None:
        self._connection = connection
        self._connection.row_factory = sqlite3.Row
        self._lock = lock
        self.directory = directory

    @classmethod
    def open_for_writing(cls, directory: Path) -> Self:
        """Open or create the database; nobody else may write meanwhile.

        Raises:
            StoreError: when another run holds the directory, or it cannot be written.
        """
        with _explaining(directory):
            directory.mkdir(parents=True, exist_ok=True)
            lock = _take_lock(directory)
        try:
            with _explaining(directory):
                connection = sqlite3.connect(
                    directory / FILE_NAME, isolation_level=None, check_same_thread=False
                )
                _prepare(connection)
        except BaseException:
            os.close(lock)
            raise
        return cls(connection, directory, lock)

    @classmethod
    def open_for_reading(cls, directory: Path) -> Self:
        """Open an existing database, also while a run is writing to it.

        Raises:
            StoreError: when there is none, or it cannot be read.
        """
        path = directory / FILE_NAME
        if not path.exists():
            raise StoreError(f"{directory}: no results here ({FILE_NAME} is missing)")
        with _explaining(directory):
            connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)
            _check_version(connection)
            schema.show_as_current(connection)
        return cls(connection, directory, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        if self._lock is not None:
            os.close(self._lock)

    def discard(self) -> None:
        """Take a database without games away again, and its directory if nothing else is in it."""
        for name in (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm", _LOCK_NAME):
            (self.directory / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.directory.rmdir()

    # Facts about the tournament

    def get(self, key: str) -> Any:
        """A value stored with ``put``; None when there is none."""
        with _explaining(self.directory):
            row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        try:
            return None if row is None else json.loads(row["value"])
        except ValueError as error:
            raise StoreError(f"{self.directory / FILE_NAME}: {key} is damaged: {error}") from error

    def put(self, key: str, value: object) -> None:
        with _explaining(self.directory):
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))

    def start_session(self, started_at: str, machine: str, versions: str) -> None:
        """Note that a run began or went on."""
        with _explaining(self.directory):
            self._connection.execute("INSERT INTO sessions VALUES (?, ?, ?)", (started_at, machine, versions))

    def sessions(self) -> list[Mapping[str, str]]:
        return self._rows("SELECT * FROM sessions ORDER BY rowid")

    # Bots

    def replace_bot(self, name: str, successor: str, why: str) -> None:
        """Give a bot, in all games and stages so far, another name, under which it plays no more."""
        with _explaining(self.directory), self._transaction():
            execute = self._connection.execute
            execute("UPDATE bots SET name = ?, retired = ? WHERE name = ?", (successor, why, name))
            for side in ("white", "black"):
                execute(f"UPDATE games SET {side} = ? WHERE {side} = ?", (successor, name))
            stages = self.get("stages") or []
            for stage in stages:
                stage["byes"] = [successor if bot == name else bot for bot in stage["byes"]]
                stage["pairings"] = [
                    [successor if bot == name else bot for bot in pairing] for pairing in stage["pairings"]
                ]
            self.put("stages", stages)

    def set_bots(self, bots: Iterable[tuple[str, str, str, str | None]]) -> None:
        """Store name, hash, command and the reason for leaving out of every bot; keeps withdrawals."""
        with _explaining(self.directory), self._transaction():
            self._connection.executemany(
                "INSERT INTO bots (name, hash, command, left_out) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET"
                " hash = excluded.hash, command = excluded.command, left_out = excluded.left_out",
                bots,
            )

    def withdraw(self, name: str, reason: str) -> None:
        """Note that a bot plays no further games."""
        with _explaining(self.directory):
            self._connection.execute("UPDATE bots SET withdrawn = ? WHERE name = ?", (reason, name))

    def bots(self) -> list[Mapping[str, Any]]:
        """The bots in the order of the tournament file."""
        return self._rows("SELECT * FROM bots ORDER BY rowid")

    def _rows(self, query: str) -> list[Mapping[str, Any]]:
        with _explaining(self.directory):
            return [dict(row) for row in self._connection.execute(query)]

    def players(self) -> set[str]:
        """The names of all bots that have played."""
        rows = self._rows("SELECT white AS name FROM games UNION SELECT black FROM games")
        return {row["name"] for row in rows}

    # Games

    def add(self, games: Iterable[PlayedGame]) -> None:
        """Commit games, all or none.

        Raises:
            StoreError: when they could not be written; the database is as it was.
        """
        columns, marks = ", ".join(COLUMNS), ", ".join("?" * len(COLUMNS))
        with _explaining(self.directory), self._transaction():
            self._connection.executemany(
                f"INSERT INTO games ({columns}) VALUES ({marks})", map(to_row, games)
            )

    def annul(self, number: int, why: str, at: str, *, replay: bool) -> Mapping[str, Any]:
        """Take the last attempt at a game out of all tables, on the record; perhaps to play it again.

        Returns the game in brief. Raises KeyError, with a sentence, when there is no such game, or it
        was taken out before.
        """
        with _explaining(self.directory), self._transaction():
            found = self._connection.execute(
                "SELECT g.*, a.why AS annulled FROM games AS g"
                " LEFT JOIN annulments AS a USING (number, attempt) WHERE number = ?"
                " ORDER BY attempt DESC LIMIT 1",
                (number,),
            ).fetchone()
            if found is None:
                raise KeyError(f"no game {number} was played")
            if found["annulled"] is not None:
                raise KeyError(f"game {number} is annulled already: {found['annulled']}")
            self._connection.execute(
                "INSERT INTO annulments VALUES (?, ?, ?, ?, ?)", (number, found["attempt"], why, at, replay)
            )
        return dict(found)

    def annulments(self) -> list[Mapping[str, Any]]:
        """Attempts that were taken out: number, attempt, why, at, and whether the game is played again."""
        return self._rows("SELECT * FROM annulments ORDER BY number, attempt")

    def attempts(self) -> Iterator[Attempts]:
        """What became of each game ever tried, but for games that are to be played again."""
        query = (
            "SELECT number, max(attempt) AS last, sum(result = '*' AND replay IS NULL) AS void,"
            " max((result != '*' AND replay IS NULL) OR replay IS 0) AS decided"
            " FROM games LEFT JOIN annulments USING (number, attempt) GROUP BY number"
        )
        for row in self._rows(query):
            yield Attempts(row["number"], row["last"], row["void"], bool(row["decided"]))

    def brief_games(self) -> Iterator[Mapping[str, Any]]:
        """The last attempt at every game, in order of number, with what tables need.

        ``annulled`` says why a game was taken out; None for all others.
        """
        for row in self._last_attempts(", ".join(f"g.{column}" for column in _BRIEF_COLUMNS)):
            yield dict(row)

    def games(self) -> Iterator[PlayedGame]:
        """The last attempt at every game, in order of number, whole."""
        for row in self._last_attempts("g.*"):
            try:
                yield from_row(dict(row))
            except (ValueError, TypeError, KeyError, zlib.error) as error:
                raise StoreError(
                    f"{self.directory / FILE_NAME}: game {row['number']} is damaged: {error}"
                ) from error

    def _last_attempts(self, columns: str) -> Iterator[sqlite3.Row]:
        with _explaining(self.directory):
            cursor = self._connection.execute(
                f"SELECT {columns}, a.why AS annulled FROM games AS g"
                " LEFT JOIN annulments AS a ON a.number = g.number AND a.attempt = g.attempt"
                " WHERE g.attempt = (SELECT max(attempt) FROM games WHERE number = g.number)"
                " ORDER BY g.number"
            )
        while (row := self._next(cursor)) is not None:
            yield row

    def _next(self, cursor: sqlite3.Cursor) -> sqlite3.Row | None:
        with _explaining(self.directory):
            row: sqlite3.Row | None = cursor.fetchone()
            return row

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


def _prepare(connection: sqlite3.Connection) -> None:
    """Choose the journal by a real write, then create or check the schema."""
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("COMMIT")
    except sqlite3.OperationalError:
        # Network file systems and some mounts have no shared memory; the old journal works there.
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = FULL")
    if schema.version_of(connection) == 0:
        schema.create(connection)
    _check_version(connection)
    schema.upgrade(connection)


def _check_version(connection: sqlite3.Connection) -> None:
    version = schema.version_of(connection)
    if version > schema.VERSION:
        raise StoreError(
            f"{FILE_NAME} was written by a later arbiter (its schema is {version}); update the arbiter"
        )
    if version == 0:
        raise StoreError(f"{FILE_NAME} is no results database of the arbiter, or an unfinished one")


def _take_lock(directory: Path) -> int:
    lock = os.open(directory / _LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise StoreError(
            f"{directory}: another run is using these results; wait for it or choose another --results"
        ) from None
    return lock


@contextlib.contextmanager
def _explaining(directory: Path) -> Iterator[None]:
    """Turn errors of the file system and of SQLite into one clear message."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{directory}: cannot keep results here: {error.strerror}") from error
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{directory / FILE_NAME}: {error}; the games stored before are not touched"
        ) from error
