"""The command ``openings``: boards for people and programs, and the check of a file before a long run."""

import re
from pathlib import Path

import pytest

from arbiter.tournament.openings import BOARD_KINDS, BoardKind, OpeningsSpec, open_openings
from protocol.rules import Rules
from tests.e2e.commands import arbiter, start


@pytest.mark.parametrize("kind", BOARD_KINDS)
def test_the_boards_are_those_of_a_tournament_with_the_seed(tmp_path: Path, kind: BoardKind) -> None:
    words = ("openings", "--kind", kind, "--count", "20", "--seed", "7", "--rules", "black-first")
    done = arbiter(tmp_path, *words)
    openings = open_openings(OpeningsSpec(kind), 7, Rules.BLACK_FIRST)
    assert done.stdout.splitlines() == [openings[index].position.dpos for index in range(20)]
    assert (done.returncode, done.stderr) == (0, "")
    assert arbiter(tmp_path, *words).stdout == done.stdout


@pytest.mark.parametrize("rules", ["standard", "black-first"])
def test_records_pass_every_check(tmp_path: Path, rules: str) -> None:
    words = ("--kind", "balanced", "--count", "3", "--seed", "7", "--rules", rules)
    records = arbiter(tmp_path, "openings", *words, "--format", "drec").stdout
    lines = arbiter(tmp_path, "openings", *words).stdout
    assert re.findall(r'^\[Start "(.*)"\]$', records, re.MULTILINE) == lines.splitlines()
    assert re.findall(r'^\[Opening "(.*)"\]$', records, re.MULTILINE) == [f"balanced {n}" for n in (1, 2, 3)]
    (tmp_path / "book.drec").write_text(records)
    assert arbiter(tmp_path, "verify", "book.drec").stdout == "3 games, all consistent\n"
    check = arbiter(tmp_path, "openings", "--check", "book.drec", "--rules", rules)
    assert check.stdout == "book.drec: 3 distinct openings: 3 full boards\n"
    assert "23" in arbiter(tmp_path, "show", "book.drec", "--game", "2").stdout


def test_a_seed_that_was_drawn_is_told(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "openings", "--kind", "random", "--count", "1")
    seed = re.fullmatch(r"seed (\d+)\n", done.stderr)
    assert seed
    again = arbiter(tmp_path, "openings", "--kind", "random", "--count", "1", "--seed", seed[1])
    assert again.stdout == done.stdout
    assert arbiter(tmp_path, "openings", "--kind", "random", "--count", "1").stdout != done.stdout


def test_into_a_file(tmp_path: Path) -> None:
    words = ("openings", "--kind", "symmetric", "--seed", "7")
    done = arbiter(tmp_path, *words, "--output", "book.dpos")
    assert done.stdout == "10 symmetric boards of seed 7 written to book.dpos\n"
    assert (tmp_path / "book.dpos").read_text() == arbiter(tmp_path, *words).stdout
    check = arbiter(tmp_path, "openings", "--check", "book.dpos")
    assert check.stdout == "book.dpos: 10 distinct openings: 10 full boards\n"


def test_a_file_that_exists_is_replaced_only_when_asked_for(tmp_path: Path) -> None:
    words = ("openings", "--kind", "random", "--seed", "7", "--output", "book.dpos")
    (tmp_path / "book.dpos").write_text("mine\n")
    done = arbiter(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "arbiter: book.dpos: exists\n  --force replaces it\n"
    assert (tmp_path / "book.dpos").read_text() == "mine\n"
    assert arbiter(tmp_path, *words, "--force").returncode == 0
    assert len((tmp_path / "book.dpos").read_text().splitlines()) == 10


def test_boards_come_one_by_one_and_their_reader_may_leave(tmp_path: Path) -> None:
    running = start(tmp_path, "openings", "--kind", "balanced", "--count", "1000000", "--seed", "7")
    with running:
        assert running.stdout
        assert running.stdout.readline().endswith(" w m\n")
        running.stdout.close()
        assert running.wait(timeout=20) == 141
        assert running.stderr
        assert running.stderr.read() == ""


def test_drawings(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "openings", "--kind", "symmetric", "--count", "2", "--seed", "7", "--show")
    assert done.stdout.startswith("symmetric 1, white to move\n\n 5  ")
    assert "\nsymmetric 2, white to move\n" in done.stdout
    assert done.stdout.count("A     B     C") == 2
    assert done.stdout.endswith("a red inside    R  a lone red\n")


def test_a_good_file_and_what_is_left_out(tmp_path: Path) -> None:
    boards = arbiter(tmp_path, "openings", "--kind", "random", "--seed", "1", "--count", "2").stdout
    early = "........./....r...../.....r...../........../......... w p # two reds"
    book = f"{boards}{boards}{early}\n........./..b......./..wrw....../........../......... w m\n"
    (tmp_path / "book.dpos").write_text(book)
    done = arbiter(tmp_path, "openings", "--check", "book.dpos")
    assert done.returncode == 0
    assert done.stdout == (
        "book.dpos: 2 openings repeat earlier ones and are left out: lines 3, 4\n"
        "book.dpos: 4 distinct openings: 2 full boards, 1 in the placement, 1 after stack moves\n"
    )
    assert arbiter(tmp_path, "openings", "--check", "-", stdin=book).stdout == done.stdout.replace(
        "book.dpos", "<stdin>"
    )
    drawn = arbiter(tmp_path, "openings", "--check", "book.dpos", "--show").stdout
    assert drawn.count("A     B     C") == 4
    assert "\ntwo reds, white to place\n" in drawn
    assert drawn.endswith(done.stdout)


def test_every_fault_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "bad.dpos").write_text("a/b w m\n" * 25)
    done = arbiter(tmp_path, "openings", "--check", "bad.dpos")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[24] == "bad.dpos:25: 5 rows divided by / are needed, row 5 first; this has 2 [rows]"
    assert lines[25:] == ["bad.dpos: 25 faults"]
    (tmp_path / "empty.dpos").write_text("")
    done = arbiter(tmp_path, "openings", "--check", "empty.dpos")
    assert (done.returncode, done.stdout) == (1, "empty.dpos: no openings in this file\n")


@pytest.mark.parametrize(
    "words, message, hint",
    [
        ("", "--kind is missing",
         "boards: --kind with one of random, balanced, symmetric, book; a file: --check FILE"),
        ("--check f --seed 1", "--check reads a file, --seed is for making boards", "leave out one of them"),
        ("--kind random --show --format drec", "--show draws boards for people",
         "leave out --format and --output"),
        ("--check nowhere.drec", "nowhere.drec: no such file", None),
        ("--check .", ".: a directory, not a record file",
         "its games as one file: arbiter export . > games.drec"),
        ("--kind random --output .", ".: a directory, not a file to write to", None),
        ("--kind balansed", "argument --kind: invalid choice: 'balansed' (choose from 'random', 'balanced', "
         "'symmetric', 'book')", "see `arbiter openings --help`"),
        ("--kind random --count 0", "argument --count: '0' is too small: at least 1",
         "see `arbiter openings --help`"),
    ],
)  # fmt: skip
def test_usage(tmp_path: Path, words: str, message: str, hint: str | None) -> None:
    done = arbiter(tmp_path, "openings", *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    # Later versions of Python quote the choices in another way.
    told = done.stderr.replace(
        "random, balanced, symmetric, book)", "'random', 'balanced', 'symmetric', 'book')"
    )
    assert told == f"arbiter: {message}\n" + (f"  {hint}\n" if hint else "")
