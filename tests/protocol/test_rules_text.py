"""Plies and positions as text: both ways, and what is said when that fails."""

import copy
import pickle
import random
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol.errors import IllegalPlyError, PlySyntaxError, PositionError, ProtocolError, RecordError
from protocol.rules import PASS, SPACES, Phase, Ply, Position, Rules, Side, Stack, parse_dpos, parse_ply
from tests.protocol.oracle import random_setup

EXAMPLE = "........w/....w4*b2..b3./.......b3w7*../......b3.../......... w m"
PLY_TEXTS = [*SPACES, *(source + target for source in SPACES for target in SPACES), "PASS"]
COPIES: list[Callable[[object], object]] = [
    copy.copy,
    copy.deepcopy,
    lambda value: pickle.loads(pickle.dumps(value)),
]


def test_every_ply_both_ways() -> None:
    for text in PLY_TEXTS:
        ply = parse_ply(text)
        assert str(ply) == ply.text == text
        assert parse_ply(text.lower()) is ply


def test_parts_of_a_ply() -> None:
    placement, move = parse_ply("d1"), parse_ply("h1G1")
    assert (placement.source, placement.target, placement.is_pass) == (None, "D1", False)
    assert (move.source, move.target, move.is_pass) == ("H1", "G1", False)
    assert (PASS.source, PASS.target, PASS.is_pass) == (None, None, True)
    assert parse_ply("pass") is PASS


def test_plies_sort_by_text() -> None:
    texts = random.Random(5).sample(PLY_TEXTS, 60)
    assert [ply.text for ply in sorted(map(parse_ply, texts))] == sorted(texts)
    assert parse_ply("A1") <= parse_ply("A1") < parse_ply("A1A2")
    assert parse_ply("PASS") > parse_ply("K5") >= parse_ply("K5")


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("text", ["D1", "H1G1", "A1K5", "PASS"])
def test_a_copied_ply_is_the_same_object(text: str, copied: Callable[[object], object]) -> None:
    ply = parse_ply(text)
    assert copied(ply) is ply
    assert {ply: 1}[parse_ply(text.lower())] == 1


def test_a_ply_cannot_be_changed() -> None:
    ply: Ply = parse_ply("D1")
    with pytest.raises(AttributeError):
        ply.text = "D2"
    with pytest.raises(AttributeError):
        del ply.text
    assert ply.text == "D1"


@pytest.mark.parametrize(
    "text, reason",
    [
        ("", "write a space"),
        ("Z9", "Z9 is not a space"),
        ("A4", "A4 is not a space"),
        ("a1j1", "J1 is not a space"),
        ("A1A", "write a space"),
        ("A1 B2", "write a space"),
        ("A1B2C3", "write a space"),
        ("\u0131" + "1", "write a space"),
        ("pa\u017f\u017f", "write a space"),
        ("A\u0661", "write a space"),
    ],
)
def test_what_is_no_ply(text: str, reason: str) -> None:
    with pytest.raises(PlySyntaxError, match=reason) as caught:
        parse_ply(text)
    assert caught.value.text == text


@given(st.text(max_size=6) | st.text("ABKabk0159PSpas \t\n", max_size=6))
def test_any_text_is_a_ply_or_a_syntax_error(text: str) -> None:
    if text.isascii() and text.upper() in PLY_TEXTS:
        assert parse_ply(text).text == text.upper()
        return
    with pytest.raises(PlySyntaxError) as caught:
        parse_ply(text)
    assert str(caught.value).isprintable()


def test_a_long_text_is_cut_in_the_message() -> None:
    with pytest.raises(PlySyntaxError) as caught:
        parse_ply("x" * 100_000)
    assert len(str(caught.value)) < 300


def test_reading_the_example_of_a_dpos() -> None:
    position = parse_dpos(EXAMPLE)
    assert position.stacks()["F4"] == Stack(4, Side.WHITE, True)
    assert position.stacks()["K5"] == Stack(1, Side.WHITE, False)
    assert (position.to_move, position.phase) == (Side.WHITE, Phase.MOVEMENT)
    assert position.score == (12, 11)
    assert str(position) == position.dpos == EXAMPLE


def test_blanks_and_tabs_between_the_parts() -> None:
    assert parse_dpos(" " + EXAMPLE.replace(" ", " \t ") + "\t") == parse_dpos(EXAMPLE)


def test_the_empty_board() -> None:
    start = Position.start()
    assert start.dpos == "........./........../.........../........../......... w p"
    assert parse_dpos(start.dpos) == start
    assert len(start.legal_plies()) == 49


ROWS = "........./........../.........../........../........."


@pytest.mark.parametrize(
    "dpos, cell, rule",
    [
        ("", None, "parts"),
        (ROWS, None, "parts"),
        (f"{ROWS} w p x", None, "parts"),
        (f"{ROWS}\nw p", None, "parts"),
        (f"{ROWS}/ w p", None, "rows"),
        (f"{ROWS[10:]} w p", None, "rows"),
        (f"{ROWS} W p", None, "side"),
        (f"{ROWS} x p", None, "side"),
        (f"{ROWS} w M", None, "phase"),
        (f".{ROWS} w p", "K5", "row-length"),
        (f"{ROWS[1:]} w p", "K5", "row-length"),
        (f"{ROWS[:-1]} w p", "I1", "row-length"),
        (f"x{ROWS[1:]} w p", "C5", "cell"),
        (f"W{ROWS[1:]} w m", "C5", "cell"),
        (f"{ROWS[:-1]}* w m", "I1", "cell"),
        (f"{ROWS[:-1]}\u0662 w m", "I1", "cell"),
        (f"r2{ROWS[1:]} w m", "C5", "cell"),
        (f"r*{ROWS[1:]} w m", "C5", "cell"),
        (f"w0{ROWS[1:]} w m", "C5", "height"),
        (f"w1*{ROWS[1:]} w m", "C5", "height"),
        (f"w02{ROWS[1:]} w m", "C5", "height"),
        (f"w50{ROWS[1:]} w m", "C5", "height"),
        (f"w{'9' * 6000}{ROWS[1:]} w m", "C5", "height"),
        (f"w*{ROWS[1:]} w m", "C5", "red-inside"),
        (f"rr{ROWS[2:]} b p", None, "placement-side"),
        (f"r{ROWS[1:]} w p", None, "placement-side"),
        (f"w2{ROWS[1:]} b p", "C5", "placement-height"),
        (f"w{ROWS[1:]} b p", "C5", "placement-count"),
        (f"rrrr{ROWS[4:]} w p", "F5", "placement-count"),
        (f"rrrw{ROWS[4:]} w p", "F5", "placement-count"),
        (f"rrrbb{ROWS[5:]} b p", "G5", "placement-count"),
        ("rrrbwbwbw/bwbwbwbwbw/bwbwbwbwbwb/wbwbwbwbwb/wbwbwbwbw w p", None, "placement-full"),
        (f"{ROWS} w m", None, "reds"),
        (f"ww{ROWS[2:]} w m", None, "reds"),
        (f"rrrr{ROWS[4:]} w m", "F5", "reds"),
        (f"w25*w25{ROWS[2:]} w m", "D5", "total-height"),
        ("rrrbwwwww/wwwwwwwwww/wwwwwwwww../........../......... w m", "K5", "tops"),
        (f"r.w{ROWS[3:]} w m", "E5", "connection"),
        (f"{ROWS[:-2]}bw2* b m", None, ""),
    ],
)
def test_a_bad_dpos_names_the_cell_and_the_rule(dpos: str, cell: str | None, rule: str) -> None:
    if not rule:
        assert parse_dpos(dpos).dpos == dpos
        return
    with pytest.raises(PositionError) as caught:
        parse_dpos(dpos)
    assert (caught.value.cell, caught.value.rule) == (cell, rule)
    assert str(caught.value).startswith(f"{cell}: " if cell else caught.value.reason)
    assert rule in str(caught.value)
    assert len(str(caught.value)) < 200


def test_limits_that_are_still_allowed() -> None:
    assert parse_dpos(f"w49*{ROWS[1:]} w m").score == (49, 0)
    assert parse_dpos(f"rrrb{ROWS[4:]} w p").to_move is Side.WHITE
    crowded = "rrrwwwwww/wwwwwwwwww/wwwwwww..../........../......... w m"
    assert parse_dpos(crowded).score == (23, 0)


@given(
    st.text(max_size=80)
    | st.text("./rwb0129* pm\t", max_size=80)
    | st.builds(
        lambda at, text: EXAMPLE[:at] + text + EXAMPLE[at + len(text) :],
        st.integers(0, len(EXAMPLE)),
        st.text("./rwb29* pm\u0662", min_size=1, max_size=3),
    )
)
@example(EXAMPLE)
def test_any_text_is_a_position_or_a_position_error(text: str) -> None:
    try:
        position = parse_dpos(text)
    except PositionError as error:
        fault = error
    else:
        assert position.dpos == " ".join(text.split())
        assert parse_dpos(position.dpos) == position
        return
    assert fault.cell is None or fault.cell in SPACES
    assert str(fault).isprintable()


@given(st.integers(0, 2**32))
def test_setups_round_trip(seed: int) -> None:
    dpos = random_setup(random.Random(seed)).dpos()
    assert parse_dpos(dpos).dpos == dpos


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("rules", list(Rules))
def test_copies_of_positions_are_equal(copied: Callable[[object], object], rules: Rules) -> None:
    for position in (Position.start(rules), parse_dpos(EXAMPLE, rules)):
        twin = copied(position)
        assert isinstance(twin, Position)
        assert twin == position
        assert hash(twin) == hash(position)
        assert twin.rules is rules


def test_positions_differ_by_board_side_phase_and_rules() -> None:
    base = parse_dpos(EXAMPLE)
    others = [
        parse_dpos(EXAMPLE.replace(" w m", " b m")),
        parse_dpos(EXAMPLE.replace("w7*", "b7*")),
        parse_dpos(EXAMPLE, Rules.BLACK_FIRST),
        Position.start(),
    ]
    assert len({base, *others}) == 5
    assert base != EXAMPLE


def test_a_position_cannot_be_changed() -> None:
    position = parse_dpos(EXAMPLE)
    position.play(position.legal_plies()[0])
    position.legal_plies().clear()
    position.stacks().clear()
    assert position.dpos == EXAMPLE
    for name in ("to_move", "rules", "phase", "anything"):
        with pytest.raises(AttributeError):
            setattr(position, name, position.to_move)


CORNER = "........./........../w........../rb......../ww2....... w m"


@pytest.mark.parametrize(
    "text, rule, reason",
    [
        ("A1A3", "distance", "a stack of height 1 moves exactly 1 space, A3 is 2 away"),
        ("B1C2", "distance", "a stack of height 2 moves exactly 2 spaces, C2 is 1 away"),
        ("B1D1", "empty-target", "D1 is empty, and a stack lands on an occupied space"),
        ("A1C2", "direction", "C2 is not in a straight line from A1; "),
        ("A1A1", "same-space", "a stack move leaves its space"),
        ("C1B1", "empty-source", "C1 is empty"),
        ("B2A1", "not-your-stack", "B2 is topped by black, and white is to move"),
        ("A2A1", "lone-red", "A2 is a lone red, which never moves"),
        ("K5", "movement-phase", "all pieces have been placed; a stack move names two spaces, as in H1G1"),
        ("PASS", "may-not-pass", "white has a stack move, and only a side without one passes"),
    ],
)
def test_the_rule_broken_in_words(text: str, rule: str, reason: str) -> None:
    position = parse_dpos(CORNER)
    with pytest.raises(IllegalPlyError) as caught:
        position.play(parse_ply(text))
    error = caught.value
    assert (error.ply, error.rule) == (parse_ply(text), rule)
    assert error.reason.startswith(reason)
    assert str(error) == f"{text}: {error.reason}; legal: A1A2 A1B1 A1B2 A3A2"
    assert [ply.text for ply in error.legal] == ["A1A2", "A1B1", "A1B2", "A3A2"]


@pytest.mark.parametrize(
    "text, rule, reason",
    [
        ("D1", "occupied", "D1 is occupied, and a piece is placed on an empty space"),
        (
            "D1E1",
            "placement-phase",
            "no stack moves before the board is full; 48 pieces have still to be placed",
        ),
        (
            "PASS",
            "placement-phase",
            "no side passes before the board is full; 48 pieces have still to be placed",
        ),
    ],
)
def test_the_rule_broken_while_placing(text: str, rule: str, reason: str) -> None:
    position = Position.start().play(parse_ply("D1"))
    error = position.check(parse_ply(text))
    assert error is not None
    assert (error.rule, error.reason) == (rule, reason)
    assert len(error.legal) == 48


def test_the_last_placement_in_words() -> None:
    position = Position.start()
    for name in SPACES[:48]:
        position = position.play(parse_ply(name))
    error = position.check(PASS)
    assert error is not None
    assert error.reason == "no side passes before the board is full; the last piece has still to be placed"
    assert position.check(parse_ply("K5")) is None


@pytest.mark.parametrize(
    "error",
    [
        PlySyntaxError("Z9", "no space"),
        IllegalPlyError(parse_ply("A1"), "occupied", "A1 is occupied", (parse_ply("A2"),)),
        PositionError("C5", "cell", "what is this"),
        RecordError("games.drec", 7, "no result"),
    ],
)
def test_errors_survive_pickling(error: ProtocolError) -> None:
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is type(error)
    assert str(twin) == str(error)
    assert vars(twin) == vars(error)
    assert isinstance(error, ValueError)


def test_an_illegal_ply_in_one_line() -> None:
    error = IllegalPlyError(parse_ply("A1"), "occupied", "A1 is occupied", (parse_ply("A2"), parse_ply("A3")))
    assert str(error) == "A1: A1 is occupied; legal: A2 A3"
