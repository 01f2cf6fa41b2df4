"""Places that do not do what disks do, are full or read-only: a message with a remedy, nothing harmed."""

import contextlib
import errno
import fcntl
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arbiter.isolation.resources import ResourceError
from arbiter.store import League, StoreError, database
from arbiter.store.faults import explaining
from tests.arbiter.stored import GAMES, WRITER, content, numbers
from tests.arbiter.test_store import game

QUICK = Path(__file__).parents[1] / "bots" / "quick.sh"


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
    with pytest.raises((ResourceError, StoreError), match=r"^place: ") as caught, explaining(Path("place")):
        raise OSError(number, os.strerror(number))
    assert isinstance(caught.value, ResourceError | StoreError)
    assert caught.value.remedy
    assert isinstance(caught.value, ResourceError) is (number in (errno.ENOSPC, errno.EDQUOT))


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
            with pytest.raises((ResourceError, StoreError), match=r"the disk is full|the file system failed"):
                fill(league)
            assert stored > GAMES
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
        assert told(f"{run}.status") == "1\n"
        message, remedy = told(f"{run}.err").splitlines()
        assert re.fullmatch(r"arbiter: disk/results(/league\.db)?: the disk is full", message), message
        assert remedy.startswith("  make room")
    assert "Go on with: arbiter run cup.yaml" in told("run-1.err")
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
    killed = subprocess.Popen([sys.executable, "-c", WRITER, str(results)], stdout=subprocess.PIPE, text=True)
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
