"""What disks and people do to a results directory: one message with a remedy each time, nothing harmed."""

import contextlib
import errno
import fcntl
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arbiter.cli import main
from arbiter.store import League, StoreError, database
from arbiter.store.faults import of_system
from tests.arbiter.test_store import game

GAMES = 40
QUICK = Path(__file__).parents[1] / "bots" / "quick.sh"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A results directory with games in it, closed in order."""
    directory = tmp_path / "results"
    with League.open_for_writing(directory) as league:
        league.set_bots([("one", "aa", "./one", None), ("two", "bb", "./two", None)])
        league.add(game(number) for number in range(1, GAMES + 1))
    return directory


def numbers(directory: Path) -> list[int]:
    with League.open_for_reading(directory) as league:
        return [played.number for played in league.games()]


def content(directory: Path) -> dict[str, bytes]:
    """Every byte of the database; what readers leave to share it says nothing."""
    return {
        path.name: path.read_bytes()
        for path in directory.iterdir()
        if path.is_file() and not path.name.endswith("-shm") and path.stat().st_size
    }


# Damage


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


_WRITER = """
import sys
from pathlib import Path
from arbiter.store import League
from tests.arbiter.test_store import game
with League.open_for_writing(Path(sys.argv[1])) as league:
    number = max((row["number"] for row in league.brief_games()), default=0)
    while True:
        league.add(game(number + each) for each in range(1, 4))
        number += 3
        print(number, flush=True)
"""


def killed_while_storing(directory: Path, kills: int) -> None:
    """Killed at any moment, within a commit, too: what was announced is there, groups are whole."""
    chance = random.Random(11)
    for _ in range(kills):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(directory)], stdout=subprocess.PIPE, text=True
        )
        with writer:
            assert writer.stdout is not None
            announced = int(writer.stdout.readline())
            with contextlib.suppress(subprocess.TimeoutExpired):
                writer.wait(chance.uniform(0, 0.05))
            writer.kill()
            announced = max([announced, *map(int, writer.stdout.read().split())])
        stored = numbers(directory)
        assert stored == list(range(1, len(stored) + 1))
        assert len(stored) % 3 == 0
        assert len(stored) >= announced


def test_killed_while_it_stores(tmp_path: Path) -> None:
    killed_while_storing(tmp_path, 5)


@pytest.mark.sweep
def test_killed_fifty_times_while_it_stores(tmp_path: Path) -> None:
    killed_while_storing(tmp_path, 50)


# Places that do not do what disks do


@pytest.fixture
def without_shared_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """SQLite's way of locking by files has no memory that processes share: as network file systems."""
    connect = sqlite3.connect

    def elsewhere(name: str, **more: object) -> sqlite3.Connection:
        return connect(f"{name}&vfs=unix-dotfile", **more)  # type: ignore[call-overload,no-any-return]

    with monkeypatch.context() as patch:
        patch.setattr(
            sqlite3,
            "connect",
            lambda name, **more: elsewhere(name, **more) if "uri" in more else connect(name, **more),
        )
        yield


def journal_of(directory: Path) -> str:
    with contextlib.closing(sqlite3.connect(directory / "league.db")) as connection:
        mode: str = connection.execute("PRAGMA journal_mode").fetchone()[0]
    return mode


@pytest.mark.usefixtures("without_shared_memory")
@pytest.mark.parametrize("wrote_ahead", [False, True])
def test_without_shared_memory_the_old_journal_serves(
    results: Path, tmp_path: Path, wrote_ahead: bool
) -> None:
    """Also for a database that was begun elsewhere."""
    directory = results if wrote_ahead else tmp_path / "new"
    before = GAMES if wrote_ahead else 0
    with League.open_for_writing(directory) as league:
        league.add([game(before + 1)])
        with League.open_for_reading(directory) as reader:
            assert sum(1 for _ in reader.games()) == before + 1
        league.add([game(before + 2)])
    assert numbers(directory) == list(range(1, before + 3))
    assert journal_of(directory) == "delete"


def test_on_a_network_the_old_journal_is_chosen_at_once(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mounts"
    place = str(tmp_path).replace(" ", "\\040")
    mounts.write_text(
        "1 0 0:1 / / rw - ext4 /dev/sda1 rw\n"
        f"2 1 0:2 / {place} rw,relatime shared:1 - nfs4 server:/export rw\n"
        f"3 1 0:3 / {place}/local rw - tmpfs none rw\n"
    )
    monkeypatch.setattr(database, "_MOUNTS", mounts)
    assert [database.is_network(tmp_path / name) for name in ("", "results", "local", "local/x")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert not database.is_network(Path("/"))
    assert journal_of(results) == "wal"
    with League.open_for_writing(results) as league:
        league.add([game(GAMES + 1)])
    assert journal_of(results) == "delete"
    monkeypatch.setattr(database, "_MOUNTS", tmp_path / "none")
    with League.open_for_writing(results):
        pass
    assert journal_of(results) == "wal"


@pytest.mark.usefixtures("without_shared_memory")
def test_a_slow_reader_keeps_no_writer_waiting(results: Path) -> None:
    """With the old journal nobody can write while another reads."""
    with League.open_for_writing(results) as league:
        league.add(game(number) for number in range(GAMES + 1, 700))
        with League.open_for_reading(results) as reader:
            games = reader.games()
            assert next(games).number == 1
            league.add([game(700)])
            assert sum(1 for _ in games) == 699


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_refused(
    results: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def flock(descriptor: int, operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)
    before = content(results)
    with pytest.raises(
        StoreError, match="this file system has no locks, which keep two runs apart"
    ) as caught:
        League.open_for_writing(results)
    assert caught.value.remedy == "choose a results directory on a local disk"
    assert content(results) == before
    assert numbers(results) == list(range(1, GAMES + 1))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO])
def test_what_the_system_refuses_has_a_remedy(number: int) -> None:
    error = of_system(Path("place"), OSError(number, os.strerror(number)))
    assert str(error).startswith("place: ")
    assert error.remedy


# No room


@contextlib.contextmanager
def longest_file(size: int) -> Iterator[None]:
    """What SQLite meets on a full disk, for files longer than this."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)


def test_where_there_is_no_room_everything_stays_and_goes_on_later(results: Path) -> None:
    stored = GAMES

    def fill(league: League) -> None:
        nonlocal stored
        while True:
            league.add([game(stored + 1)])
            stored += 1

    with League.open_for_writing(results) as league:
        with longest_file((results / "league.db").stat().st_size + 4096):
            with pytest.raises(StoreError, match=r"the disk is full|the file system failed") as caught:
                fill(league)
            assert stored > GAMES
            assert "run the same command again" in str(caught.value.remedy)
            assert numbers(results) == list(range(1, stored + 1))
        # The same connection goes on where there is room again.
        league.add([game(stored + 1)])
    assert numbers(results) == list(range(1, stored + 2))


_ON_A_SMALL_DISK = """
arbiter() { name=$1; shift; "$PYTHON" -m arbiter "$@" > $name.out 2> $name.err; echo $? > $name.status; }
head -c 1850000 /dev/zero > disk/ballast
arbiter run-1 run cup.yaml --results disk/results
arbiter table-1 export disk/results --format csv
arbiter run-2 run cup.yaml --results disk/results
rm disk/ballast
arbiter run-3 run cup.yaml --results disk/results
arbiter table-3 export disk/results --format csv
"""


@pytest.mark.needs("bwrap")
def test_a_full_disk_stops_a_run_and_no_more(tmp_path: Path) -> None:
    if "--size" not in subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=True).stdout:
        pytest.skip("this bwrap cannot make a small disk")
    (tmp_path / "disk").mkdir()
    (tmp_path / "cup.yaml").write_text(
        "tournament: x\nseed: 1\nrounds: 20\nisolation: none\nopenings: random\nrecord: full\n"
        f"bots: [{{name: one, run: {QUICK} first}}, {{name: two, run: {QUICK} last}}]\n"
    )
    small = ["--size", str(2**21), "--tmpfs", str(tmp_path / "disk")]
    done = subprocess.run(
        ["bwrap", "--dev-bind", "/", "/", *small, "sh", "-c", _ON_A_SMALL_DISK],
        cwd=tmp_path,
        env=os.environ | {"PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")

    def told(name: str) -> str:
        return (tmp_path / name).read_text()

    for run in ("run-1", "run-2"):
        assert told(f"{run}.status") == "2\n"
        message, remedy = told(f"{run}.err").splitlines()
        assert re.fullmatch(r"arbiter: disk/results(/league\.db)?: the disk is full", message), message
        assert remedy.startswith("  make room, then run the same command again")
    announced = re.findall(r"^game (\d+) ends", told("run-1.out"), re.MULTILINE)
    rows = told("table-1.out").splitlines()[1:]
    assert 0 < len(announced) < 40
    assert [row.split(",")[0] for row in rows] == announced
    assert told("run-3.status") == "0\n"
    assert told("table-3.out").splitlines()[1 : len(rows) + 1] == rows
    assert len(told("table-3.out").splitlines()) == 1 + 40


# Read-only


def in_read_only(directory: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run the arbiter where this directory can be read but not written, by root neither."""
    return subprocess.run(
        ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(directory), str(directory),
         sys.executable, "-m", "arbiter", *command],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.needs("bwrap")
def test_a_read_only_directory_can_be_read_and_is_said_to_be_one(results: Path, tmp_path: Path) -> None:
    table = in_read_only(results, "table", str(results))
    assert (table.returncode, table.stderr) == (0, "")
    assert f"{GAMES} games" in table.stdout
    (tmp_path / "cup.yaml").write_text(f"tournament: x\nbots: [{QUICK}, {{name: b, run: {QUICK}}}]\n")
    for command in (
        ("run", str(tmp_path / "cup.yaml"), "--results", str(results)),
        ("run", str(tmp_path / "cup.yaml"), "--results", str(results / "new")),
        ("annul", str(results), "--game", "1", "--why", "x"),
    ):
        done = in_read_only(results, *command)
        assert (done.returncode, done.stdout) == (2, "")
        message, remedy = done.stderr.splitlines()
        assert message.endswith("cannot keep results here: Read-only file system")
        assert remedy == "  make it writable, or choose another results directory"


@pytest.mark.needs("bwrap")
def test_what_a_killed_run_left_in_a_read_only_directory(results: Path) -> None:
    killed = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(results)], stdout=subprocess.PIPE, text=True
    )
    with killed:
        assert killed.stdout is not None
        killed.stdout.readline()
        killed.kill()
    assert (results / "league.db-wal").stat().st_size
    assert "games" in in_read_only(results, "table", str(results)).stdout
    (results / "league.db-shm").unlink()
    done = in_read_only(results, "table", str(results))
    assert done.returncode == 2
    assert "a run that was killed left games in league.db-wal" in done.stderr
    assert "copy the whole directory to another place" in done.stderr
    shutil.copytree(results, results.with_name("copy"))
    assert len(numbers(results.with_name("copy"))) > GAMES


_HALF_A_WRITE = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE games SET detail = detail || hex(randomblob(2000))")
os._exit(0)
"""


def test_a_half_done_write_is_taken_back_by_who_may(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run with the old journal, killed in the middle of a commit, leaves one that reading has to undo."""
    monkeypatch.setattr(database, "is_network", lambda directory: True)
    with League.open_for_writing(results):
        pass
    subprocess.run([sys.executable, "-c", _HALF_A_WRITE, str(results / "league.db")], check=True)
    assert (results / "league.db-journal").stat().st_size
    assert numbers(results) == list(range(1, GAMES + 1))
    with League.open_for_reading(results) as league:
        assert {played.outcome.detail for played in league.games()} == {"no answer within 50 ms"}
