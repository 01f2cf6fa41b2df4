"""Openings by number: what a word or path stands for, wrapping, shuffling, what is compared on resume."""

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.tournament.openings import (
    BOARD_KINDS,
    KIND_WORDS,
    BoardKind,
    Openings,
    OpeningsError,
    OpeningsSpec,
    open_openings,
    parse_openings,
    set_up_board,
)
from protocol.records import format_records
from protocol.rules import Position, Rules
from tests.protocol.drec_samples import finished

COUNT = 12
ORDER = [8, 9, 12, 4, 3, 1, 10, 11, 6, 7, 5, 2]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    boards = [set_up_board("random", 1, index).dpos for index in range(COUNT)]
    (tmp_path / "book.dpos").write_text("\n".join(boards))
    return tmp_path


def opened(here: Path, text: str, seed: int = 1) -> Openings:
    return open_openings(parse_openings(text), seed, base=here)


def order(openings: Openings, count: int = COUNT) -> list[str | None]:
    return [openings[index].name for index in range(count)]


# --- what is meant -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KIND_WORDS)
def test_words_for_kinds(kind: str) -> None:
    spec = parse_openings(kind)
    assert (spec.kind, spec.path, spec.order) == (kind, None, "listed")
    assert spec.canonical() == kind
    assert str(spec) == kind


@pytest.mark.parametrize(
    "text, path, order",
    [
        ("book.drec", "book.drec", "listed"),
        ("random:book.drec", "book.drec", "random"),
        ("./random", "./random", "listed"),
        ("random:./balanced", "./balanced", "random"),
        ("/tmp/my book", "/tmp/my book", "listed"),
        ("random:~/b.drec", "~/b.drec", "random"),
    ],
)
def test_words_for_files(text: str, path: str, order: str) -> None:
    spec = parse_openings(text)
    assert (spec.kind, spec.path, spec.order) == ("file", path, order)
    assert spec.canonical() == {"file": path, "order": order}
    assert str(spec) == text


@given(st.text(min_size=1), st.sampled_from(["listed", "random"]))
def test_any_file_can_be_written_as_a_word(path: str, order: str) -> None:
    spec = OpeningsSpec("file", path, "random" if order == "random" else "listed")
    again = parse_openings(str(spec))
    assert again.order == spec.order
    assert Path("/somewhere", again.path or "") == Path("/somewhere", path)


@pytest.mark.parametrize(
    "text, message",
    [
        ("balansed", "`balansed` is no kind of openings (a file of this name is `./balansed`); did you mean "
         "`balanced`?"),
        ("Random", "`Random` is no kind of openings (a file of this name is `./Random`); did you mean "
         "`random`?"),
        ("random:book", "`random:` shuffles a file (one of this name is `./book`); write `book`"),
        ("random:lines", "`lines` is no kind of openings (a file of this name is `./lines`); available: "
         "empty, random, balanced, symmetric, book, FILE, random:FILE"),
        ("", "openings are missing; available: empty, random, balanced, symmetric, book, FILE, random:FILE"),
        ("random:", "openings are missing; available: empty, random, balanced, symmetric, book, FILE, "
         "random:FILE"),
    ],
)  # fmt: skip
def test_slips(text: str, message: str) -> None:
    with pytest.raises(OpeningsError) as caught:
        parse_openings(text)
    assert str(caught.value) == message


def test_a_spec_cannot_contradict_itself() -> None:
    for spec in ({"kind": "file"}, {"path": "b.drec"}, {"kind": "file", "path": ""}, {"order": "random"}):
        with pytest.raises(ValueError, match="openings of kind"):
            OpeningsSpec(**spec)  # type: ignore[arg-type]  # what no type checker would let pass


# --- by chance ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", Rules)
def test_the_empty_board(rules: Rules) -> None:
    openings = open_openings(OpeningsSpec(), 1, rules)
    assert openings.count == 1
    assert openings[0] == openings[7]
    assert (openings[0].position, openings[0].name) == (Position.start(rules), None)
    assert openings.description == "the empty board"
    assert openings.canonical() == "empty"


@pytest.mark.parametrize("kind", BOARD_KINDS)
def test_boards_have_numbers_from_one(kind: BoardKind) -> None:
    openings = open_openings(OpeningsSpec(kind), 7, Rules.BLACK_FIRST)
    assert openings.count is None
    assert order(openings, 2) == [f"{kind} 1", f"{kind} 2"]
    assert openings[16].position == set_up_board(kind, 7, 16, Rules.BLACK_FIRST)
    assert openings.description == f"{kind} boards"
    assert openings.canonical() == kind
    assert openings.notices == ()


def test_a_late_board_costs_no_more_than_the_first() -> None:
    openings = open_openings(OpeningsSpec("symmetric"), 7)
    began = time.process_time()
    assert openings[10**15].name == "symmetric 1000000000000001"
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("text", ["empty", "random", "book.dpos"])
def test_there_is_nothing_before_the_first(here: Path, text: str) -> None:
    with pytest.raises(IndexError):
        opened(here, text)[-1]


# --- from a file -------------------------------------------------------------------------------------------


def test_a_file_in_its_order_begins_anew(here: Path) -> None:
    openings = opened(here, "book.dpos")
    assert openings.count == COUNT
    assert order(openings) == [f"book.dpos {number}" for number in range(1, COUNT + 1)]
    assert openings[COUNT] == openings[0]
    assert openings[5 * COUNT + 3] == openings[3]
    assert openings.description == "12 openings from book.dpos"


def test_a_shuffled_file_has_every_opening_once(here: Path) -> None:
    listed, shuffled = opened(here, "book.dpos"), opened(here, "random:book.dpos")
    assert shuffled.description == "12 openings from book.dpos, shuffled"
    assert order(shuffled) != order(listed)
    assert sorted(map(str, order(shuffled))) == sorted(map(str, order(listed)))
    assert order(opened(here, "random:book.dpos")) == order(shuffled)
    assert order(opened(here, "random:book.dpos", seed=2)) != order(shuffled)
    assert shuffled[COUNT] == shuffled[0]


def test_an_order_stays_the_same_for_ever(here: Path) -> None:
    """A stored tournament would go on with other openings if this changed: never renew it."""
    numbers = [int(str(name).split()[1]) for name in order(opened(here, "random:book.dpos"))]
    assert numbers == ORDER


def test_rules_and_notices_reach_the_file(here: Path) -> None:
    (here / "twice.drec").write_text(format_records([finished(0), finished(0)]))
    openings = open_openings(OpeningsSpec("file", "twice.drec"), rules=Rules.BLACK_FIRST, base=here)
    assert openings[0].position.rules is Rules.BLACK_FIRST
    assert openings.notices == ("twice.drec:20: repeats an earlier opening and is left out",)
    assert openings.description == "1 opening from twice.drec"


def test_absolute_paths_and_the_home_directory(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(here))
    assert opened(Path("/nowhere"), "~/book.dpos").count == COUNT
    assert opened(Path("/nowhere"), str(here / "book.dpos")).count == COUNT


def test_what_is_compared_on_resume_tells_a_changed_file(here: Path) -> None:
    book = here / "book.dpos"
    text = book.read_text()
    before = opened(here, "book.dpos").canonical()
    assert json.loads(json.dumps(before)) == before
    assert before == {"file": "book.dpos", "order": "listed", "sha256": before["sha256"]}
    book.write_text("# a comment changes nothing\n" + text.replace("\n", "\r\n"))
    assert opened(here, "book.dpos").canonical() == before
    lines = text.split("\n")
    for changed in (lines[1:], [lines[1], lines[0], *lines[2:]], [*lines, set_up_board("random", 2, 0).dpos]):
        book.write_text("\n".join(changed))
        assert opened(here, "book.dpos").canonical() != before


def test_a_pipe_is_refused_and_not_waited_for(here: Path) -> None:
    os.mkfifo(here / "pipe.dpos")
    with pytest.raises(OpeningsError) as caught:
        opened(here, "pipe.dpos")
    assert str(caught.value) == (
        "pipe.dpos: not a regular file; a tournament that goes on reads its openings again"
    )


@pytest.mark.parametrize(
    "path, message",
    [
        ("bok.dpos", "bok.dpos: no such file; did you mean `book.dpos`?"),
        ("book.dpos:random", "book.dpos:random: no such file; did you mean `random:book.dpos`?"),
        ("nowhere/x.y", "nowhere/x.y: no such file"),
        (".", ".: a directory, not a file of openings; the games of a results directory as a file: "
         "arbiter export . > games.drec"),
        ("book.dpos/x", "book.dpos/x: cannot be read: Not a directory"),
        ("latin.dpos", "latin.dpos:1: byte 0xE9 is not UTF-8; save the file as UTF-8"),
        ("\x1b", "\\x1b: no such file"),
        ("a\0b", "a\\x00b: no such file"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read(here: Path, path: str, message: str) -> None:
    (here / "latin.dpos").write_bytes(b"# caf\xe9\n")
    with pytest.raises(OpeningsError) as caught:
        open_openings(OpeningsSpec("file", path), base=here)
    assert str(caught.value) == message
