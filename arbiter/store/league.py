"""The database of a tournament's results directory.

One process writes, any number may read meanwhile. A game is committed before anybody is told
about it, so that killing the arbiter at any moment loses no announced game. How the schema has
grown is told in ``schema``.
"""

import contextlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import shorten
from typing import Any, NamedTuple, Self, TypeVar

from arbiter.store import database
from arbiter.store.faults import FILE_NAME, StoreError, damaged, damaged_game, explaining
from arbiter.store.played import COLUMNS, PlayedGame, from_row, to_row

_BRIEF_COLUMNS = (
    "number", "attempt", "round", "pair", "white", "black", "result", "termination", "offender",
    "white_score", "black_score", "both_failed", "detail", "fault", "clocks", "lag", "rules", "start",
    "opening", "plies",
)  # fmt: skip
_COUNTS = "NOT EXISTS (SELECT 1 FROM annulments WHERE number = g.number AND attempt = g.attempt)"
"""Holds for attempts at a game ``g`` that were not taken out."""
T = TypeVar("T")
_AT_A_TIME = 500
"""Games that are read at once; between them others may write, however slow the reader is."""
_LONGEST_REASON = 160


class Attempts(NamedTuple):
    """The tries at a game: the number of the last one, how many were void, and whether one decided."""

    number: int
    last: int
    void: int
    decided: bool


def renamed(stage: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A stage as it is stored, in which bots have other names."""
    return {
        **stage,
        "byes": [names.get(bot, bot) for bot in stage["byes"]],
        "pairings": [[names.get(bot, bot) for bot in pairing] for pairing in stage["pairings"]],
    }


class League:
    """An open results database; a context manager."""

    def __init__(self, connection: sqlite3.Connection, directory: Path, lock: int | None) -> None:
        self._connection = connection
        self._lock = lock
        self._files = {} if lock is None else database.identities(directory)
        self.directory = directory

    @classmethod
    def open_for_writing(cls, directory: Path) -> Self:
        """Open or create the database; nobody else may write meanwhile.

        Raises:
            StoreError: when another run holds the directory, or it cannot be written.
        """
        connection, lock = database.open_to_write(directory)
        return cls(connection, directory, lock)

    @classmethod
    def open_for_reading(cls, directory: Path) -> Self:
        """Open an existing database, also while a run is writing to it.

        Raises:
            StoreError: when there is none, or it cannot be read.
        """
        return cls(database.open_to_read(directory), directory, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        if self._lock is not None:
            os.close(self._lock)

    def discard(self) -> None:
        """Take a database without games away again, and its directory if nothing else is in it."""
        for name in database.FILES:
            (self.directory / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.directory.rmdir()

    def require_in_place(self) -> None:
        """See that the database is still where it was opened to write.

        Raises:
            StoreError: when one of its files was deleted or replaced.
        """
        database.require_in_place(self.directory, self._files)

    # Facts about the tournament

    def get(self, key: str) -> Any:
        """A value stored with ``put``; None when there is none."""
        with explaining(self.directory):
            row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        try:
            return None if row is None else json.loads(row["value"])
        except ValueError as error:
            raise damaged(self.directory / FILE_NAME, f"{key}: {error}") from error

    def put(self, **values: object) -> None:
        """Store values for ``get``, all or none."""
        rows = [(key, json.dumps(value)) for key, value in values.items()]
        with explaining(self.directory), self._transaction():
            self._store(rows)

    def _store(self, rows: Iterable[tuple[str, str]]) -> None:
        self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def clear(self) -> None:
        """Forget a tournament of which no game was played."""
        with explaining(self.directory), self._transaction():
            for table in ("meta", "bots", "sessions"):
                self._connection.execute(f"DELETE FROM {table}")

    def start_session(self, started_at: str, machine: str, versions: str) -> None:
        """Note that a run began or went on."""
        with explaining(self.directory), self._transaction():
            self._connection.execute("INSERT INTO sessions VALUES (?, ?, ?)", (started_at, machine, versions))

    def sessions(self) -> list[Mapping[str, str]]:
        return self._rows("SELECT * FROM sessions ORDER BY rowid")

    # Bots

    def replace_bot(self, name: str, former: str, why: str, *, earlier: str | None = None) -> None:
        """Give a bot, in all games and stages so far, another name, under which it plays no more.

        ``earlier``: one that was replaced before, which has the name from now on.
        """
        with explaining(self.directory), self._transaction():
            self._rename(name, former, retired=why)
            if earlier is not None:
                self._rename(earlier, name, retired=None)

    def _rename(self, name: str, other: str, *, retired: str | None) -> None:
        execute = self._connection.execute
        execute("UPDATE bots SET name = ?, retired = ? WHERE name = ?", (other, retired, name))
        for side in ("white", "black"):
            execute(f"UPDATE games SET {side} = ? WHERE {side} = ?", (other, name))
        stages = [renamed(stage, {name: other}) for stage in self.get("stages") or []]
        readmissions = [
            {**each, "bot": other if each["bot"] == name else each["bot"]} for each in self.readmissions()
        ]
        self._store([("stages", json.dumps(stages)), ("readmissions", json.dumps(readmissions))])

    def set_bots(self, bots: Iterable[tuple[str, str, str, str | None]]) -> None:
        """Store name, hash, command and the reason for leaving out of every bot; keeps withdrawals.

        A bot that is left out has no hash; the one it had is kept, for its games so far.
        """
        with explaining(self.directory), self._transaction():
            self._connection.executemany(
                "INSERT INTO bots (name, hash, command, left_out) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET retired = NULL,"
                " hash = ifnull(nullif(excluded.hash, ''), hash),"
                " command = excluded.command, left_out = excluded.left_out",
                bots,
            )

    def readmit(self, name: str, at: str) -> None:
        """Let a bot that was withdrawn play again, on the record; what it failed so far is forgiven."""
        failed = " UNION ".join(
            f"SELECT number, attempt FROM games WHERE {side} = :name AND (both_failed OR offender = '{side}'"
            f" OR json_extract(fault, '$.culprit') = '{side}')"
            for side in ("white", "black")
        )
        failed += " ORDER BY number, attempt"
        with explaining(self.directory), self._transaction():
            execute = self._connection.execute
            row = execute("SELECT withdrawn FROM bots WHERE name = ?", (name,)).fetchone()
            forgiven = [list(game) for game in execute(failed, {"name": name})]
            new = {"bot": name, "at": at, "withdrawn": row["withdrawn"], "forgiven": forgiven}
            self._store([("readmissions", json.dumps([*self.readmissions(), new]))])
            execute("UPDATE bots SET withdrawn = NULL WHERE name = ?", (name,))

    def readmissions(self) -> list[dict[str, Any]]:
        """Who came back after a withdrawal (``bot``), when (``at``), why it had been ``withdrawn``, and which
        of its games are ``forgiven``: pairs of number and attempt.
        """
        return self.get("readmissions") or []

    def bots(self) -> list[Mapping[str, Any]]:
        """The bots in the order of the tournament file."""
        return self._rows("SELECT * FROM bots ORDER BY rowid")

    def _rows(self, query: str) -> list[Mapping[str, Any]]:
        with explaining(self.directory):
            return [dict(row) for row in self._connection.execute(query)]

    def players(self) -> set[str]:
        """The names of all bots that have played."""
        rows = self._rows("SELECT white AS name FROM games UNION SELECT black FROM games")
        return {row["name"] for row in rows}

    # Games

    def has_games(self) -> bool:
        """Whether any game was played, void ones included."""
        return bool(self._rows("SELECT 1 FROM games LIMIT 1"))

    def encounters(self) -> list[tuple[str, str, int]]:
        """White, Black, and how many games between them were tried, void ones included."""
        query = "SELECT white, black, count(DISTINCT number) AS games FROM games GROUP BY white, black"
        return [(row["white"], row["black"], row["games"]) for row in self._rows(query)]

    def add(self, games: Iterable[PlayedGame], withdrawn: Mapping[str, str] | None = None) -> None:
        """Commit games, in the order in which they ended, and who plays no more because of them, by name with
        the reason: all or nothing.

        Raises:
            StoreError: when they could not be written; the database is as it was.
        """
        columns, marks = ", ".join(COLUMNS), ", ".join("?" * len(COLUMNS))
        insert = (
            f"INSERT INTO games ({columns}, ended)"
            f" VALUES ({marks}, (SELECT ifnull(max(ended), 0) + 1 FROM games))"
        )
        reasons = [(why, name) for name, why in (withdrawn or {}).items()]
        with explaining(self.directory), self._transaction():
            self._connection.executemany(insert, map(to_row, games))
            self._connection.executemany("UPDATE bots SET withdrawn = ? WHERE name = ?", reasons)

    def annul(self, number: int, why: str, at: str, *, replay: bool) -> Mapping[str, Any]:
        """Take the last attempt at a game out of all tables, on the record; perhaps to play it again.

        Returns the game in brief.

        Raises:
            StoreError: when there is no such game, it was taken out before, or it is to be played again
                by a bot that plays no more.
        """
        with explaining(self.directory), self._transaction():
            found = self._connection.execute(
                "SELECT g.*, a.why AS annulled FROM games AS g"
                " LEFT JOIN annulments AS a USING (number, attempt) WHERE number = ?"
                " ORDER BY attempt DESC LIMIT 1",
                (number,),
            ).fetchone()
            if found is None:
                raise StoreError(f"{self.directory}: no game {number} was played")
            if found["annulled"] is not None:
                raise StoreError(f"{self.directory}: game {number} is annulled already: {found['annulled']}")
            if replay:
                self._require_players(found)
            self._connection.execute(
                "INSERT INTO annulments VALUES (?, ?, ?, ?, ?)", (number, found["attempt"], why, at, replay)
            )
        return dict(found)

    def _require_players(self, game: sqlite3.Row) -> None:
        """Nobody is promised a game that cannot be played."""
        for row in self.bots():
            why = row["retired"] or row["withdrawn"]
            if why and row["name"] in (game["white"], game["black"]):
                place = f"{self.directory}: game {game['number']} cannot be played again"
                reason = shorten(why, _LONGEST_REASON, placeholder=" ...")
                raise StoreError(
                    f"{place}, for {row['name']} plays no more: {reason}",
                    "without --replay it is taken out of the tables only",
                )

    def annulments(self) -> list[Mapping[str, Any]]:
        """Attempts that were taken out: number, attempt, white, black, why, at, and whether the game is to be
        played again (``replay``).
        """
        return self._rows(
            "SELECT number, attempt, white, black, why, at, replay"
            " FROM annulments JOIN games USING (number, attempt) ORDER BY number, attempt"
        )

    def attempts(self) -> Iterator[Attempts]:
        """What became of each game ever tried, but for games that are to be played again."""
        query = (
            "SELECT number, max(attempt) AS last, sum(result = '*' AND replay IS NULL) AS void,"
            " max((result != '*' AND replay IS NULL) OR replay IS 0) AS decided"
            " FROM games LEFT JOIN annulments USING (number, attempt) GROUP BY number"
        )
        for row in self._rows(query):
            yield Attempts(row["number"], row["last"], row["void"], bool(row["decided"]))

    def endings(self) -> list[Mapping[str, Any]]:
        """Who failed in every attempt that was not taken out, in the order in which they ended; where that
        was not yet stored, first and in order of number.
        """
        return self._rows(
            "SELECT number, attempt, white, black, termination, offender, both_failed, fault FROM games AS g"
            f" WHERE {_COUNTS} ORDER BY ended, number, attempt"
        )

    def brief_games(self) -> Iterator[Mapping[str, Any]]:
        """The last attempt at every game, in order of number, with what tables need.

        ``annulled`` says why a game was taken out; None for all others.
        """
        for row in self._last_attempts(", ".join(f"g.{column}" for column in _BRIEF_COLUMNS)):
            yield dict(row)

    def replayed_games(self) -> list[Mapping[str, Any]]:
        """Void attempts that another one followed, in brief."""
        return self._rows(
            f"SELECT {', '.join(_BRIEF_COLUMNS)}, NULL AS annulled FROM games AS g WHERE result = '*'"
            f" AND attempt < (SELECT max(attempt) FROM games WHERE number = g.number) AND {_COUNTS}"
            " ORDER BY number, attempt"
        )

    def games(self) -> Iterator[PlayedGame]:
        """The last attempt at every game, in order of number, whole."""
        return self.games_as(lambda game: game)

    def games_as(self, make: Callable[[PlayedGame], T], first: int = 1) -> Iterator[T]:
        """What ``make`` makes of each of these games, from the number ``first`` on.

        Raises:
            StoreError: when a game makes no sense by itself, or ``make`` can make nothing of it.
        """
        for row in self._last_attempts("g.*", first):
            try:
                made = make(from_row(dict(row)))
            except (ValueError, TypeError, KeyError, zlib.error) as error:
                raise damaged_game(self.directory, row["number"], error) from error
            yield made

    def _last_attempts(self, columns: str, first: int = 1) -> Iterator[sqlite3.Row]:
        query = (
            f"SELECT {columns}, a.why AS annulled FROM games AS g"
            " LEFT JOIN annulments AS a ON a.number = g.number AND a.attempt = g.attempt"
            " WHERE g.number > ? AND g.attempt = (SELECT max(attempt) FROM games WHERE number = g.number)"
            f" ORDER BY g.number LIMIT {_AT_A_TIME}"
        )
        last = first - 1
        while True:
            with explaining(self.directory):
                rows = self._connection.execute(query, (last,)).fetchall()
            yield from rows
            if len(rows) < _AT_A_TIME:
                return
            last = rows[-1]["number"]

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self.require_in_place()
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            # Of some errors SQLite takes everything back itself.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
