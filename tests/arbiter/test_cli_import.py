"""The command import: files, directories and archives in, one DREC file and an account out."""

import gzip
import io
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from arbiter.cli import main
from protocol.records import Record, format_record, format_records, read_records, verify_record
from protocol.records.anonymous import Pseudonyms
from tests.e2e.commands import arbiter, environment
from tests.protocol.drec_samples import EXAMPLE, broken_off, finished, with_comment, with_header
from tests.protocol.foreign_samples import Writer, boardspace, codecup, headline, little_golem, random_game

Capture = pytest.CaptureFixture[str]
GAMES = [random_game(random.Random(seed)) for seed in range(4)]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A directory with a game in each format, one deeper, and things that are none."""
    directory = tmp_path / "games"
    (directory / "deep" / "er").mkdir(parents=True)
    (directory / ".git").mkdir()
    (directory / "b.sgf").write_text(boardspace(GAMES[0], random.Random(0)))
    (directory / "deep" / "golem.txt").write_text(little_golem(GAMES[1], random.Random(1)))
    (directory / "deep" / "er" / "codecup").write_text(codecup(GAMES[2], random.Random(2)))
    (directory / "a.drec").write_text(format_records([finished(0), finished(1)]))
    (directory / ".git" / "hidden.sgf").write_text("(;")
    (directory / ".hidden").write_text("nothing")
    return directory


def records(path: Path) -> list[Record]:
    """What was written; all of it has to be consistent."""
    found = list(read_records(path.read_text("utf-8"), "out"))
    assert [verify_record(record) for record in found] == [[]] * len(found)
    return found


def texts(record: Record) -> tuple[str, ...]:
    return tuple(ply.text for ply in record.plies)


def plies(path: Path) -> list[tuple[str, ...]]:
    return [texts(record) for record in records(path)]


def test_everything_in_a_directory_in_the_order_of_names(
    files: Path, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "out.drec"
    assert main(["import", str(files), "--output", str(out)]) == 0
    assert capsys.readouterr() == ("5 games imported from 4 files, 0 faults\n", "")
    assert plies(out) == [texts(finished(0)), texts(finished(1)), GAMES[0], GAMES[2], GAMES[1]]
    assert main(["verify", str(out)]) == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["games", "out.drec"]
    assert out.stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_games_go_to_standard_output_and_the_account_to_stderr(files: Path, capsys: Capture) -> None:
    assert main(["import", str(files / "b.sgf"), str(files / "a.drec")]) == 0
    out, err = capsys.readouterr()
    assert [texts(record) for record in read_records(out, "out")] == [
        GAMES[0],
        *map(texts, map(finished, (0, 1))),
    ]
    assert err == "3 games imported from 2 files, 0 faults\n"


def test_faults_are_named_with_file_and_place_and_the_rest_is_imported(
    files: Path, tmp_path: Path, capsys: Capture
) -> None:
    (files / "b2.sgf").write_text(boardspace(GAMES[0], random.Random(0)).replace("Start P0", "dropb A 5"))
    (files / "readme.md").write_text("# Games\nSome text.\n")
    (files / "empty").write_text(" \n")
    (files / "picture").write_bytes(b"\x89PNG\r\n\0\0IHDR")
    (files / "bad.drec").write_text(EXAMPLE.replace("1-1", "2-1") + "\n" + EXAMPLE)
    (files / "bytes.drec").write_bytes(
        EXAMPLE.encode() + b"\n" + EXAMPLE.encode().replace(b"Clumsy", b"\xe9")
    )
    out = tmp_path / "out.drec"
    assert main(["import", str(files), "--output", str(out)]) == 1
    said, err = capsys.readouterr()
    assert said == "7 games imported from 10 files, 6 faults\n"
    found = [line.removeprefix(f"{files}/") for line in err.splitlines()]
    assert found[0].startswith("b2.sgf:")
    assert "`dropb A 5`: A5 is not a space" in found[0]
    assert found[1:] == [
        'bad.drec:8: game 1: header Score "2-1": the board says 1-1',
        "bytes.drec:18: byte 0xE9 is not UTF-8; save the file as UTF-8",
        "empty: no game in this file",
        "picture:2: a NUL byte: not a text file",
        "readme.md: no game record in a known format (DREC, Boardspace SGF, Little Golem, CodeCup log)",
    ]
    assert len(records(out)) == 7


def test_warnings_do_not_cost_a_game(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "a.sgf"
    path.write_text(boardspace(GAMES[0][:60], random.Random(0), headline(RE="who knows")))
    assert main(["import", str(path)]) == 0
    err = capsys.readouterr().err.splitlines()
    assert err[0].startswith(f"{path}:")
    assert err[0].endswith("not understood; recorded as * (warning)")
    assert err[1] == "1 game imported from 1 file, 0 faults, 1 warning"


def test_the_account_as_json(files: Path, tmp_path: Path, capsys: Capture) -> None:
    (files / "c.sgf").write_text("(;GM[Zertz])")
    (files / "d").write_text("x")
    (files / "e.sgf").write_text(boardspace(GAMES[0][:60], random.Random(0), headline(RE="who knows")))
    out = tmp_path / "out.drec"
    assert main(["import", str(files), "--output", str(out), "--format", "json"]) == 1
    said, err = capsys.readouterr()
    account = json.loads(said)
    assert err == ""
    assert (account["games"], account["files"], account["output"]) == (6, 7, str(out))
    first, second = account["faults"]
    message = "GM[Zertz]: not a game of DVONN"
    assert first == {"source": f"{files}/c.sgf", "line": 1, "game": 1, "ply": None, "message": message}
    assert (second["source"], second["line"], second["game"]) == (f"{files}/d", None, None)
    assert [warning["source"] for warning in account["warnings"]] == [f"{files}/e.sgf"]
    assert main(["import", str(files / "b.sgf"), "--output", str(out), "--force", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["faults"] == []


def test_archives_are_looked_into(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "games-2009.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("july/a.sgf", boardspace(GAMES[0], random.Random(0)))
        archive.writestr("__MACOSX/a.sgf", "rubbish")
        archive.writestr("july/b.txt", "rubbish")
        archive.writestr("july/c.txt", codecup(GAMES[1], random.Random(0)))
    out = tmp_path / "out.drec"
    assert main(["import", str(tmp_path), "--output", str(out)]) == 1
    assert plies(out) == [GAMES[0], GAMES[1]]
    said, err = capsys.readouterr()
    assert said == "2 games imported from 3 files, 1 fault\n"
    assert err.startswith(f"{path}/july/b.txt: no game record in a known format")


@pytest.mark.parametrize("kind", ["x.tar", "x.tar.gz", "x.sgf.gz", "x.tar.bz2", "x.tar.xz", "zip in zip"])
def test_other_archives_are_to_be_unpacked_first(kind: str, tmp_path: Path, capsys: Capture) -> None:
    game = boardspace(GAMES[0], random.Random(0)).encode()
    path = tmp_path / kind
    if kind == "zip in zip":
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as archive:
            archive.writestr("a.sgf", game)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("inner.zip", inner.getvalue())
        path /= "inner.zip"
    elif kind == "x.sgf.gz":
        path.write_bytes(gzip.compress(game))
    else:
        form = {"x.tar": "tar", "x.tar.gz": "gztar", "x.tar.bz2": "bztar", "x.tar.xz": "xztar"}[kind]
        inside = tmp_path / ".hidden"
        inside.mkdir()
        (inside / "a.sgf").write_bytes(game)
        shutil.make_archive(str(tmp_path / "x"), form, inside)
    assert main(["import", str(tmp_path)]) == 1
    told = capsys.readouterr().err.splitlines()[0]
    assert told == f"{path}: an archive or packed file that is not looked into; unpack it first"


def test_damaged_archives_are_named(tmp_path: Path, capsys: Capture) -> None:
    good = io.BytesIO()
    with zipfile.ZipFile(good, "w") as archive:
        archive.writestr("a.sgf", boardspace(GAMES[0], random.Random(0)))
    (tmp_path / "cut.zip").write_bytes(good.getvalue()[:900])
    (tmp_path / "sum.zip").write_bytes(good.getvalue().replace(b"dropb", b"dropp", 1))
    (tmp_path / "lock.zip").write_bytes(_with_password(good.getvalue()))
    assert main(["import", str(tmp_path)]) == 1
    cut, lock, checksum, total = capsys.readouterr().err.splitlines()
    assert cut.startswith(f"{tmp_path}/cut.zip: a damaged zip archive: ")
    assert lock == f"{tmp_path}/lock.zip/a.sgf: cannot be unpacked: it has a password; unpack it first"
    assert checksum.startswith(f"{tmp_path}/sum.zip/a.sgf: cannot be read to its end: ")
    assert total == "0 games imported from 3 files, 3 faults"


def _with_password(data: bytes) -> bytes:
    """The archive with the flag of encryption set in both headers of its member."""
    changed = bytearray(data)
    changed[6] |= 1
    changed[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


def test_standard_input_and_pipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    data = boardspace(GAMES[0], random.Random(0)).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert main(["import", "-"]) == 0
    assert texts(next(read_records(capsys.readouterr().out, "out"))) == GAMES[0]
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"what")))
    assert main(["import", "-"]) == 1
    assert capsys.readouterr().err.startswith("<stdin>: no game record in a known format")
    # What a shell makes of `arbiter import <(command)`.
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    assert main(["import", f"/dev/fd/{reading}"]) == 0
    os.close(reading)
    assert texts(next(read_records(capsys.readouterr().out, "out"))) == GAMES[0]


# --- what cannot be read -----------------------------------------------------------------------------------


def test_what_is_no_file_is_named_and_the_rest_is_imported(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """In a directory as well as by name; nothing is waited for."""
    monkeypatch.chdir(files)
    os.mkfifo("pipe")
    for link, target in {"dead": "gone", "ring": "ring", "null": "/dev/null", "to pipe": "pipe"}.items():
        Path(link).symlink_to(target)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    faults = {
        "dead": "a symbolic link to gone, which is not there",
        "null": "a device, not a file",
        "pipe": "a pipe, not a file; `arbiter import - < pipe` reads it",
        "ring": "cannot be read: Too many levels of symbolic links",
        "socket": "a socket, not a file",
        "to pipe": "a pipe, not a file; `arbiter import - < 'to pipe'` reads it",
    }
    for sources in (["."], [*faults, "a.drec", "b.sgf", "deep"]):
        assert main(["import", *sources]) == 1
        assert capsys.readouterr().err.splitlines() == [
            *(f"{name}: {fault}" for name, fault in faults.items()),
            "5 games imported from 10 files, 6 faults",
        ]


def test_a_directory_that_leads_back_to_itself_is_read_once(files: Path, capsys: Capture) -> None:
    (files / "deep" / "again").symlink_to("..")
    (files / "itself").symlink_to(files)
    assert main(["import", str(files)]) == 0
    assert capsys.readouterr().err == "5 games imported from 4 files, 0 faults\n"
    # By its own name a link is as good as what it leads to.
    assert main(["import", str(files / "deep" / "again")]) == 0
    assert capsys.readouterr().err == "5 games imported from 4 files, 0 faults\n"


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of the superuser, if that is who runs the tests."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_what_one_may_not_read_is_named_and_the_rest_is_imported(files: Path, capsys: Capture) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = shutil.copytree(files, Path(name) / "games")
        Path(name).chmod(0o755)
        for path, mode in (("b.sgf", 0), ("deep/er", 0), ("deep", 0o444)):
            (place / path).chmod(mode)
        assert main(["import", str(place / "a.drec")]) == 0  # whatever is loaded once
        capsys.readouterr()
        found = []
        with as_nobody():
            for sources in ([place], [place / "b.sgf", place / "deep" / "golem.txt", place / "a.drec"]):
                assert main(["import", *map(str, sources)]) == 1
                found.append(capsys.readouterr().err.replace(f"{place}/", "").splitlines())
        (place / "deep").chmod(0o755)
        (place / "deep/er").chmod(0o755)
    denied = "cannot be read: Permission denied"
    assert found == [
        [
            f"b.sgf: {denied}",
            f"deep/er: {denied}",
            f"deep/golem.txt: {denied}",
            "2 games imported from 4 files, 3 faults",
        ],
        [f"b.sgf: {denied}", f"deep/golem.txt: {denied}", "2 games imported from 3 files, 2 faults"],
    ]


# --- the output file ---------------------------------------------------------------------------------------


def test_an_existing_file_is_kept_unless_force_is_given(files: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out.drec"
    out.write_text("precious")
    assert main(["import", str(files), "--output", str(out)]) == 2
    assert capsys.readouterr().err == f"arbiter: {out}: exists\n  --force replaces it\n"
    assert out.read_text() == "precious"
    link = tmp_path / "link.drec"
    link.symlink_to(out)
    assert main(["import", str(files), "--output", str(link), "--force"]) == 0
    assert link.is_symlink()
    assert len(records(out)) == 5


def test_nothing_imported_makes_no_file_and_replaces_none(tmp_path: Path, capsys: Capture) -> None:
    source, out = tmp_path / "x", tmp_path / "out.drec"
    source.write_text("nothing")
    assert main(["import", str(source), "--output", str(out)]) == 1
    assert capsys.readouterr().out == (
        f"0 games imported from 1 file, 1 fault\n{out} is not written: it would be empty\n"
    )
    assert not out.exists()
    out.write_text("precious")
    assert main(["import", str(source), "--output", str(out), "--force"]) == 1
    assert out.read_text() == "precious"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.drec", "x"]


def test_the_output_is_no_input_and_may_replace_one(files: Path, capsys: Capture) -> None:
    out = files / "all.drec"
    for _ in range(2):
        assert main(["import", str(files), "--output", str(out), "--force"]) == 0
        assert len(records(out)) == 5
    assert main(["import", str(out), "--output", str(out), "--force", "--anonymous"]) == 0
    assert [record.headers["White"] for record in records(out)] == ["player-1"] * 5
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["missing.sgf"], "missing.sgf: no such file or directory"),
        (["a.sgf", "--output", "no/such/out"], "no/such/out: its directory does not exist"),
        (["a.sgf", "--output", "."], ".: a directory, not a file to write to"),
        (["a.sgf", "--output", "/dev/null", "--force"], "/dev/null: not a regular file"),
        (["a.sgf", "--format", "json"], "--format json needs --output"),
        ([], "the following arguments are required: FILE"),
    ],
)
def test_mistakes_are_told_before_anything_is_read(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.sgf").write_text(boardspace(GAMES[0], random.Random(0)))
    assert main(["import", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.startswith(f"arbiter: {message}")) == ("", True)
    assert [each.name for each in tmp_path.iterdir()] == ["a.sgf"]


def test_an_interrupted_import_leaves_nothing(tmp_path: Path) -> None:
    source, out = tmp_path / "a.sgf", tmp_path / "out.drec"
    source.write_text(boardspace(GAMES[0], random.Random(0)))
    running = subprocess.Popen(
        [sys.executable, "-m", "arbiter", "import", str(source), "-", "--output", str(out)],
        stdin=subprocess.PIPE,
        env=environment(tmp_path),
        cwd=tmp_path,
    )
    while not any(each.name.endswith(".part") for each in tmp_path.iterdir()):
        assert running.poll() is None
    running.terminate()
    assert running.wait(10) == 130
    assert running.stdin is not None
    running.stdin.close()
    assert not out.exists()
    assert not list(tmp_path.glob(".out*"))


# --- nobody's names ----------------------------------------------------------------------------------------


def test_players_have_the_same_pseudonym_in_all_files(files: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.drec"
    assert main(["import", str(files), "--output", str(out), "--anonymous"]) == 0
    assert {record.headers["White"] for record in records(out)} == {"player-1"}
    assert {record.headers["Black"] for record in records(out)} == {"player-2"}
    assert not re.search("Ann|Bob|Event|Site|T21|golem", out.read_text())


def test_nothing_but_the_game_is_left_of_an_anonymous_record() -> None:
    record = with_comment(
        finished(0), 3, used="12", pv="A1B1,PASS", illegal="Bob Smith", depth="Bob", mail="1"
    )
    record = with_comment(record, 3, **{"": "thinks Bob"})
    record = with_header(
        record, Machine="bobs-pc", Site="Bobtown", Detail="Bob slept", Number="3", WhiteHash="1"
    )
    hidden = Pseudonyms().hide(record)
    assert set(hidden.headers) == {
        *["Game", "Date", "White", "Black", "Result", "Score", "Termination", "TimeControl"]
    }
    assert hidden.headers["Date"] == "2026-11-29"
    assert hidden.plies[3].comments == {"used": "12", "pv": "A1B1,PASS"}
    assert "Bob" not in format_record(hidden)
    assert verify_record(hidden) == []


def test_pseudonyms_go_by_first_appearance() -> None:
    pseudonyms = Pseudonyms()
    names = [("Eve", "Ann"), ("Ann", " Eve "), ("?", "ann"), ("player-1", "Eve")]
    hidden = [
        pseudonyms.hide(with_header(finished(0), White=white, Black=black)).headers for white, black in names
    ]
    assert [(headers["White"], headers["Black"]) for headers in hidden] == [
        ("player-1", "player-2"),
        ("player-2", "player-1"),
        ("?", "player-3"),
        ("player-4", "player-1"),
    ]


def test_marks_of_failures_stay() -> None:
    record = with_comment(broken_off(0, 3, "1-0", "illegal"), 2, illegal="A1K5")
    assert Pseudonyms().hide(record).plies[2].comments == {"illegal": "A1K5"}


# --- size --------------------------------------------------------------------------------------------------


def test_memory_does_not_grow_with_the_number_of_games(tmp_path: Path, capsys: Capture) -> None:
    path, out = tmp_path / "many.drec", tmp_path / "out.drec"
    one = format_record(broken_off(0, 5, "*", "void"))

    def peak(count: int) -> int:
        path.write_text("\n".join([one] * count))
        tracemalloc.start()
        assert main(["import", str(path), "--output", str(out), "--force"]) == 0
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert out.read_text() == path.read_text()
        return most

    peak(1)  # whatever is made once
    assert peak(1_000) < peak(300) + 100_000
    assert capsys.readouterr().out.endswith("300 games imported from 1 file, 0 faults\n")


@pytest.mark.sweep
def test_ten_thousand_files(tmp_path: Path) -> None:
    games = tmp_path / "games"
    games.mkdir()
    writers: list[Writer] = [boardspace, boardspace, boardspace, little_golem, codecup]
    for number in range(10_000):
        chance = random.Random(number)
        (games / f"{number:05}").write_text(writers[number % 5](random_game(chance), chance))
    (games / "05000").write_text("(;GM[Dvonn];P0[1 dropb A 1];P1[2 dropb A 1])")
    done = arbiter(tmp_path, "import", "games", "--output", "out.drec", timeout=600)
    assert done.stdout == "9,999 games imported from 10,000 files, 1 fault\n"
    assert done.stderr.startswith("games/05000:1: game 1, ply 2: node 2: A1: illegal (occupied): ")
    assert done.returncode == 1
    assert arbiter(tmp_path, "verify", "out.drec", timeout=600).stdout == "9999 games, all consistent\n"
