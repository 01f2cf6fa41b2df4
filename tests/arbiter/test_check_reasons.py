"""Why a ply is illegal, in words of the very board: what an author is told to change."""

import signal
from dataclasses import replace

import pytest

from arbiter.check.advice import change_for
from arbiter.check.failure import Failure
from arbiter.match.bot import Dialect
from arbiter.match.fault import Code, Fact, Fault
from arbiter.match.judging import judge_answer
from protocol.rules import Position, parse_dpos, parse_ply

CLUSTER = "........./..bb....../..wrw....../...www..../...bb.... w m"
ROW = "........./........../wbwrb....../........../......... w m"
RING = "........./..www...../..wwwr...../..ww....../......... w m"
TWO_PLACED = "........./........../..rr......./........../......... w p"

WRONG = [
    ("distance", CLUSTER, "", "D2F2", "The stack on D2 has height 1, so it must move exactly 1 space in a "
     "straight line; F2 is 2 away. Legal for it: D2D1 D2D3 D2E2 D2E3."),
    ("height is added up", CLUSTER, "D2E2 D1E1", "E2D1", "The stack on E2 has height 2 since ply 60, D2E2, "
     "so it must move exactly 2 spaces in a straight line; D1 is 1 away. "),
    ("empty target", CLUSTER, "F2E2 D4E4", "C3D4", "The stack on C3 has height 1, and D4 is 1 space away, "
     "but empty since ply 61, D4E4, by which its stack moved away. A stack lands on an occupied space. Legal "
     "for it: C3D3."),
    ("never there", CLUSTER, "", "C3B3", "and B3 is 1 space away, but empty. A stack lands"),
    ("moved away", CLUSTER, "D2E2 D1E1", "D2D3", "There is no stack on D2 since ply 60, D2E2, by which its "
     "stack moved away."),
    ("cut off", ROW, "C3D3", "B3C3", "There is no stack on B3 since ply 60, C3D3, which cut it off from the "
     "reds."),
    ("surrounded", RING, "", "D3D2", "The stack on D3 has six neighbours, C2 D2 C3 E3 D4 E4, all of them "
     "occupied: it cannot move, however high it is."),
    ("not its own", CLUSTER, "", "D1D2", "The stack on D1 has a black piece on top, and the side to move is "
     "white: only"),
    ("taken by the opponent", CLUSTER, "C3D3 D4D3", "D3E3", "The stack on D3 has a black piece on top since "
     "ply 61, D4D3, and"),
    ("crooked", CLUSTER, "", "D2C3", "From D2 to C3 is (-1, +1) in columns and rows, no straight line: there "
     "are six directions,"),
    ("lone red", CLUSTER, "", "D3D2", "On D3 is a red piece alone: it belongs to nobody and never moves."),
    ("own placement", TWO_PLACED, "A1 B1", "A1", "It placed a piece on A1 itself, at ply 60"),
    ("opponent's placement", TWO_PLACED, "A1 B1", "B1", "Its opponent placed a piece on B1, at ply 61"),
    ("placed before", TWO_PLACED, "A1 B1", "C3", "C3 is occupied: a piece goes on an empty space."),
    ("passes", CLUSTER, "", "PASS", "Here D2D1 is legal: the stack on D2 has height 1, and D1 is occupied, 1 "
     "space away in a straight line."),
]  # fmt: skip


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize(
    ("start", "plies", "answer", "words"), [pytest.param(*rest, id=name) for name, *rest in WRONG]
)
def test_the_reason_names_spaces_and_what_became_of_them(
    dialect: Dialect, start: str, plies: str, answer: str, words: str
) -> None:
    assert words in change_for(_failure(start, plies.split(), answer), dialect)


def _failure(start: str, plies: list[str], answer: str) -> Failure:
    began = position = parse_dpos(start)
    for ply in plies:
        position = position.play(parse_ply(ply))
    return replace(_wrong(position, answer), number=60 + len(plies), plies=tuple(plies), start=began)


def _wrong(position: Position, answer: str) -> Failure:
    _, fault = judge_answer(answer, position)
    assert fault is not None
    return Failure(fault, 60, position, answer)


def test_a_way_back_that_is_legal_does_not_hide_the_rule() -> None:
    told = change_for(replace(_wrong(parse_dpos(ROW), "D3C3"), reversible=(True,)), Dialect.DVP)
    assert told.startswith("The other way round, `C3D3`, it is legal")
    assert "On D3 is a red piece alone" in told


NAMES = [
    ("1A", "If `1A` is meant as `A1`: the letter of the column comes first"),
    ("2D1D", "If `2D1D` is meant as `D2D1`: the letter"),
    ("A0", "If `A0` is meant as `A1`: rows are counted from 1"),
    ("J1", "If `J1` is meant as `I1`: the columns are A to K, and no letter is left out"),
    ("K1", "If `K1` is meant as `K5`: row 1 is at the bottom"),
    ("Z9", "After `move` comes one ply"),
]


@pytest.mark.parametrize(("answer", "words"), NAMES)
def test_spaces_under_other_names_are_recognised(answer: str, words: str) -> None:
    position = parse_dpos(CLUSTER) if len(answer) == 4 else Position.start()
    assert change_for(_wrong(position, answer), Dialect.DVP).startswith(words)


def test_a_pass_instead_of_a_move_with_a_red_inside_is_told_so() -> None:
    start = "...b2.b4bb./...b2.b4w5wbr/....w4*.bbw3../.....b2.rb2./.....b... w m"
    told = change_for(_failure(start, [], "PASS"), Dialect.DVP)
    assert "In E3I3 a stack with a red inside moves, as any other does" in told


ENDINGS: list[tuple[Code, dict[str, Fact], str]] = [
    (Code.EXITED, {"status": 1, "last_words": "no book"}, "its last words are from standard"),
    (Code.EXITED, {"status": 1}, "To standard error it wrote nothing"),
    (Code.KILLED, {"signal": signal.SIGTERM}, "To standard error it wrote nothing"),
    (Code.OUTPUT_CLOSED, {}, "Find out why standard output was closed"),
    (Code.SIGNALLED, {"signal": signal.SIGSEGV}, "Signals like this come from memory"),
    (Code.EXITED, {"status": 128 + signal.SIGABRT}, "Signals like this come from memory"),
    (Code.EXITED, {"status": 0}, "It ended by itself, as if the game were over"),
]


@pytest.mark.parametrize(("code", "facts", "words"), ENDINGS)
def test_advice_about_an_end_is_about_how_it_ended(code: Code, facts: dict[str, Fact], words: str) -> None:
    told = change_for(Failure(Fault(code, facts), 13, Position.start()), Dialect.DVP)
    assert words in told
    assert ("its last words are" in told) == ("last_words" in facts)


def test_nobody_is_told_to_build_with_the_sanitizer_that_ended_the_program() -> None:
    last = "==2==ERROR: AddressSanitizer failed to allocate 0xdfff bytes"
    fault = Fault(Code.SIGNALLED, {"signal": signal.SIGABRT, "last_words": last})
    told = change_for(Failure(fault, 13, Position.start()), Dialect.DVP)
    assert "-fsanitize" not in told
    assert told.startswith("Find out why the program ended there")
