"""The tables of the results database, and how they came to be what they are.

Every released version stays readable. A database that is written to is brought up to date first, in
one transaction; for one that is only read, temporary views give it the shape of the latest version.
"""

import sqlite3

VERSION = 4

_NAMES_1 = {"meta", "bots", "sessions", "games"}
_TABLES_1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE bots (
    name TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    command TEXT NOT NULL,
    left_out TEXT,          -- why an optional bot does not play
    withdrawn TEXT          -- why a bot plays no further games
) STRICT;
CREATE TABLE sessions (started_at TEXT NOT NULL, machine TEXT NOT NULL, versions TEXT NOT NULL) STRICT;
CREATE TABLE games (
    number INTEGER NOT NULL, attempt INTEGER NOT NULL,
    round INTEGER NOT NULL, game INTEGER NOT NULL, pair INTEGER NOT NULL,
    white TEXT NOT NULL, black TEXT NOT NULL, white_time TEXT NOT NULL, black_time TEXT NOT NULL,
    white_hash TEXT NOT NULL, black_hash TEXT NOT NULL,
    clock TEXT NOT NULL, rules TEXT NOT NULL, start TEXT, seed INTEGER NOT NULL,
    result TEXT NOT NULL, termination TEXT NOT NULL, offender TEXT,
    white_score INTEGER NOT NULL, black_score INTEGER NOT NULL, detail TEXT NOT NULL, answer TEXT,
    final TEXT NOT NULL, started_at TEXT NOT NULL, seconds REAL NOT NULL, both_failed INTEGER NOT NULL,
    lag INTEGER NOT NULL,   -- ns, the worst delay of the arbiter itself
    clocks TEXT NOT NULL,   -- JSON: for each side plies, and in ns used, worst, grace, idle CPU
    plies TEXT NOT NULL,
    facts BLOB NOT NULL,    -- JSON, deflated: for each ply [used ns, left ns, [wall, cpu, wait] ns, info]
    reports BLOB NOT NULL,  -- JSON, deflated: for each side identity, stderr, notes, clock
    PRIMARY KEY (number, attempt)
) STRICT, WITHOUT ROWID;
"""
_SINCE_2 = """
ALTER TABLE bots ADD COLUMN retired TEXT;       -- why a program plays no more under the name it had
ALTER TABLE games ADD COLUMN opening TEXT;      -- the name of the opening, when it has one
CREATE TABLE annulments (
    number INTEGER NOT NULL, attempt INTEGER NOT NULL, why TEXT NOT NULL, at TEXT NOT NULL,
    replay INTEGER NOT NULL,                    -- whether the game is played again
    PRIMARY KEY (number, attempt)
) STRICT, WITHOUT ROWID;
"""
_SINCE_3 = """
ALTER TABLE games ADD COLUMN ended INTEGER;     -- the order in which games ended; NULL in what is older
CREATE INDEX games_in_order ON games (ended);
"""
_SINCE_4 = """
ALTER TABLE games ADD COLUMN fault TEXT;        -- JSON: code and facts of what `detail` says; NULL in what is
                                                -- older, and where the board decided
"""
_UPGRADES = {2: _SINCE_2, 3: _SINCE_3, 4: _SINCE_4}
_VIEWS = {
    1: """
CREATE TEMP VIEW bots AS SELECT rowid, *, NULL AS retired FROM main.bots;
CREATE TEMP VIEW games AS SELECT *, NULL AS opening, NULL AS ended, NULL AS fault FROM main.games;
CREATE TEMP TABLE annulments (number, attempt, why, at, replay);
""",
    2: "CREATE TEMP VIEW games AS SELECT *, NULL AS ended, NULL AS fault FROM main.games;",
    3: "CREATE TEMP VIEW games AS SELECT *, NULL AS fault FROM main.games;",
}


def create(connection: sqlite3.Connection) -> None:
    """Make all tables in an empty database."""
    _execute(connection, _TABLES_1, *_UPGRADES.values())


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a database; 0 for one that is none of ours."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def is_complete(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there that all versions have."""
    rows = connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")
    return {row[0] for row in rows} >= _NAMES_1


def upgrade(connection: sqlite3.Connection) -> None:
    """Bring the tables of an earlier version up to date; all or nothing."""
    version = version_of(connection)
    if version < VERSION:
        _execute(connection, *(script for since, script in _UPGRADES.items() if since > version))


def _execute(connection: sqlite3.Connection, *scripts: str) -> None:
    """What leads to the latest version, in one transaction."""
    connection.executescript(f"BEGIN IMMEDIATE; {' '.join(scripts)} PRAGMA user_version = {VERSION}; COMMIT;")


def show_as_current(connection: sqlite3.Connection) -> None:
    """Let queries see an earlier version as the latest one; the file stays as it is."""
    connection.executescript(_VIEWS.get(version_of(connection), ""))
