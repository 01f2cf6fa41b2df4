"""Openings from files: what each record gives, and every fault at once with its place."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.tournament.openings import OpeningFile, OpeningsError, read_openings, set_up_board
from protocol.records import Record, RecordedPly, format_records
from protocol.rules import Phase, Position, Rules, Side, parse_dpos, parse_ply
from tests.protocol.drec_samples import broken_off, finished, golden_games, with_header

BOARDS = [set_up_board("random", 1, index).dpos for index in range(8)]
FULL = "bwbbwwbwb/wbwrbwbwbw/bwbwbrbwbwb/wbwbrwbwbw/bwbwbwbww w m"
"""A board that the faulty ones below are made of."""
STUDY = "........./..b......./..wrw....../........../......... w m"
SAMPLES = [FULL, STUDY, "\n[", '"]\n', '[Game "DVONN"]\n', "D1 E1 ", "1-0\n", "*\n", "Start", "Result"]
NOBODY = {"Game": "DVONN", "White": "?", "Black": "?", "Result": "*"}


def read(*lines: str, rules: Rules = Rules.STANDARD) -> OpeningFile:
    return read_openings("\n".join(lines), "book", rules)


def read_records(*records: Record, rules: Rules = Rules.STANDARD) -> OpeningFile:
    return read_openings(format_records(records), "book", rules)


def problems(text: str, rules: Rules = Rules.STANDARD) -> tuple[str, ...]:
    with pytest.raises(OpeningsError) as caught:
        read_openings(text, "book", rules)
    return caught.value.problems


def positions(file: OpeningFile) -> list[str]:
    return [opening.position.dpos for opening in file.openings]


def names(file: OpeningFile) -> list[str | None]:
    return [opening.name for opening in file.openings]


def unplayed(plies: Sequence[str] = (), **headers: str) -> Record:
    return Record({**NOBODY, **headers}, tuple(map(RecordedPly, plies)), "*")


def after(plies: Sequence[str], rules: Rules = Rules.STANDARD) -> Position:
    position = Position.start(rules)
    for ply in plies:
        position = position.play(parse_ply(ply))
    return position


def moves(index: int, count: int) -> list[str]:
    """The first plies of a game that was played to its end."""
    found: list[str] = golden_games()[index]["moves"][:count]
    return found


# --- positions ---------------------------------------------------------------------------------------------


def test_a_position_a_line() -> None:
    file = read(
        "# made by hand", "", BOARDS[0], f"  {BOARDS[1]}\t# the  sharp one", "   # more", BOARDS[2], ""
    )
    assert positions(file) == BOARDS[:3]
    assert names(file) == ["book 1", "the sharp one", "book 3"]
    assert file.notices == ()


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\r"])
def test_the_last_line_counts_with_and_without_its_end(ending: str) -> None:
    text = (ending or "\n").join(BOARDS[:3]) + ending
    assert positions(read_openings(text, "book")) == BOARDS[:3]


def test_openings_before_and_after_the_full_board_are_welcome() -> None:
    placing, empty = after(moves(0, 20)).dpos, Position.start().dpos
    assert positions(read(STUDY, placing, empty)) == [STUDY, placing, empty]


def test_positions_that_come_again_are_left_out() -> None:
    file = read(BOARDS[0], BOARDS[1], BOARDS[0], BOARDS[2])
    assert positions(file) == BOARDS[:3]
    assert names(file) == ["book 1", "book 2", "book 4"]
    assert file.notices == ("book:3: repeats an earlier opening and is left out",)
    many = read(*BOARDS, *BOARDS)
    assert many.notices == (
        "book: 8 openings repeat earlier ones and are left out: lines 9, 10, 11, 12, 13 and 3 more",
    )


def test_a_name_belongs_to_one_opening_and_is_fit_to_be_shown() -> None:
    given = ("a", "a", "x" * 61, "\x1b[31m")
    file = read(*(f"{board} # {name}" for board, name in zip(BOARDS, given, strict=False)))
    assert names(file) == ["a", "book 2", "book 3", "\\x1b[31m"]


def test_faults_of_positions_are_told_all_at_once_with_their_lines() -> None:
    faulty = {
        FULL.replace("wrb", ".rb", 1): "a full board has 49 pieces, 3 red, 23 white and 23 black; this has "
        "48, 3 red, 22 white and 23 black: nothing on D4",
        FULL.replace("wb", "w2b", 1): "K5: the game has 49 pieces, the heights sum to 50 [total-height]",
        FULL.replace("wb", "wwb", 1): "K5: row 5 has 9 cells, this has 10: K5 is the last one [row-length]",
        FULL.replace("wb", "rb", 1): "D5: phase m has 1 to 3 stacks that hold a red, here 4 [reds]",
        FULL.replace("w m", "b m"): "a full board, black to move; by the rules standard White makes the "
        "first stack move",
        FULL.replace("w m", "w p"): "phase p needs an empty space; a full board is phase m [placement-full]",
        "........./........../.....r...../........../......... w m": "the game is over there: neither side "
        "can move",
        "D1 F4": "rows, side and phase are needed, this has 2 parts [parts]",
    }
    lines = ["# openings", FULL, *faulty, ""]
    expected = [f"book:{line}: {message}" for line, message in enumerate(faulty.values(), 3)]
    assert list(problems("\n".join(lines))) == expected


def test_pieces_may_be_missing_once_they_could_have_left_the_board() -> None:
    """With a corner and its three neighbours gone all others can stand alone; with one more piece not."""
    corner = FULL.replace("/bwbwbwbww", "/..bwbwbww").replace("/wbwbr", "/..wbr")
    assert positions(read(corner)) == [corner]
    (fault,) = problems(corner.replace("/..wbr", "/.bwbr"))
    assert fault.endswith("this has 46, 3 red, 21 white and 22 black: nothing on A1, B1, A2")


def test_black_moves_first_where_the_rules_say_so() -> None:
    black = [board.replace(" w m", " b m") for board in BOARDS]
    assert positions(read(*black, rules=Rules.BLACK_FIRST)) == black
    assert read(*black, rules=Rules.BLACK_FIRST).openings[0].position.rules is Rules.BLACK_FIRST
    assert problems(BOARDS[0], Rules.BLACK_FIRST) == (
        "book:1: a full board, white to move; by the rules black-first Black makes the first stack move",
    )
    assert positions(read(STUDY, rules=Rules.BLACK_FIRST)) == [STUDY]


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "book: no openings in this file"),
        ("\n# nothing\n", "book: no openings in this file"),
        ("\n(;GM[Dvonn]VV[1]\nDT[Tue]\n", "book:2: `(;GM[Dvonn]VV[1]` is neither a DPOS nor a header of a "
         "game record (DREC)"),
        ("D1\nF4\n", "book:1: `D1`: plies alone are no opening here; put them into a game record (DREC)"),
        ("\x1b[2J\n", "book:1: `\\x1b[2J` is neither a DPOS nor a header of a game record (DREC)"),
    ],
)  # fmt: skip
def test_files_of_something_else(text: str, message: str) -> None:
    assert problems(text) == (message,)


def test_an_error_shows_twenty_faults_and_counts_the_others() -> None:
    with pytest.raises(OpeningsError) as caught:
        read_openings("a/b\n" * 25, "book")
    assert len(caught.value.problems) == 25
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[19].startswith("book:20: ")
    assert lines[20] == "... and 5 more faults"


@given(st.text() | st.lists(st.sampled_from([*"[]{}#/. \n\t\0wbr23*mp", *SAMPLES]), max_size=40).map("".join))
def test_any_text_gives_openings_or_faults_with_places(text: str) -> None:
    found: list[str | None] = []
    faults: tuple[str, ...] = ()
    try:
        found = names(read_openings(text, "book"))
    except OpeningsError as error:
        faults = error.problems
    assert bool(found) != bool(faults)
    assert all(found)
    assert all(re.match(r"book:(\d+:)? ", fault) and fault.isprintable() for fault in faults)


# --- records -----------------------------------------------------------------------------------------------


def test_of_a_played_game_the_placement_counts() -> None:
    file = read_records(finished(0), broken_off(1, 60, "0-1", "timeout"), broken_off(2, 20, "0-1", "crash"))
    expected = [after(moves(0, 49)), after(moves(1, 49)), after(moves(2, 20))]
    assert [opening.position for opening in file.openings] == expected
    assert [position.phase for position in expected] == [Phase.MOVEMENT, Phase.MOVEMENT, Phase.PLACEMENT]
    assert names(file) == ["book 1", "book 2", "book 3"]


def test_a_void_game_was_played() -> None:
    record = broken_off(0, 55, "*", "void")
    assert read_records(record).openings[0].position == after(moves(0, 49))


def test_an_imported_game_that_nobody_finished_was_played() -> None:
    record = with_header(unplayed(moves(0, 55)), Score="23-23")
    assert read_records(record).openings[0].position == after(moves(0, 49))


@pytest.mark.parametrize("count", [0, 1, 48, 49, 50, 60])
def test_of_a_line_without_a_result_all_plies_count(count: int) -> None:
    file = read_records(unplayed(moves(0, count)))
    assert [opening.position for opening in file.openings] == [after(moves(0, count))]


def test_a_position_at_the_start_with_and_without_plies() -> None:
    board = parse_dpos(BOARDS[0])
    first = board.legal_plies()[0]
    third = after(moves(0, 3))
    file = read_records(
        unplayed(Start=BOARDS[0]),
        unplayed([first.text], Start=BOARDS[0]),
        replace(unplayed([first.text], Start=BOARDS[1], Result="1-0"), result="1-0"),
        with_header(replace(finished(0), plies=finished(0).plies[3:]), Start=third.dpos),
    )
    assert [opening.position for opening in file.openings] == [
        board,
        board.play(first),
        parse_dpos(BOARDS[1]),
        after(moves(0, 49)),
    ]


def test_a_game_that_never_began_is_no_opening() -> None:
    never = broken_off(0, 0, "0-1", "start")
    file = read_records(never, finished(1))
    assert len(file.openings) == 1
    assert file.notices == ("book:1: the game ended before its first ply and is left out",)
    assert read_records(with_header(never, Start=BOARDS[0])).openings[0].position.dpos == BOARDS[0]
    assert problems(format_records([never, never])) == (
        "book: no openings in this file",
        "book: 2 games ended before their first ply and are left out: lines 1, 13",
    )


def test_a_record_may_name_its_opening() -> None:
    named = [
        unplayed(Start=board, Opening=name) for board, name in zip(BOARDS, ("a", "b", "a", ""), strict=False)
    ]
    assert names(read_records(*named)) == ["a", "b", "book 3", "book 4"]


def test_placements_serve_all_rules() -> None:
    """Only who moves next on the full board is for the rules to say."""
    standard, black_first = finished(0), with_header(finished(0), Rules="black-first")
    for record in (standard, black_first, unplayed(moves(0, 49), Rules="black-first")):
        for rules in Rules:
            (opening,) = read_records(record, rules=rules).openings
            assert opening.position == after(moves(0, 49), rules)
    assert after(moves(0, 49), Rules.BLACK_FIRST).to_move is Side.BLACK


def test_faults_of_records_are_told_all_at_once_with_their_lines() -> None:
    four_reds, black = FULL.replace("wb", "rb", 1), FULL.replace("w m", "b m")
    over = "........./........../.....r...../........../......... w m"
    text = format_records(
        [
            finished(0),
            unplayed(["D1", "E1", "D1"]),
            unplayed(["D1", "H9"]),
            unplayed(Start=four_reds),
            unplayed(Start=black),
            unplayed(Start=over),
            unplayed(moves(1, 50), Rules="black-first"),
            unplayed(Rules="swapped"),
            unplayed(moves(2, 200)),
        ]
    )
    text += '\n[Game "DVONN"]\n[White "?"]\n[Black "?"]\n[Result "*"]\nD1 E1\n'
    expected = [
        "book:24: game 2, ply 3: illegal (occupied): D1: D1 is occupied, and a piece is placed on an ",
        "book:31: game 3, ply 2: syntax: 'H9' is not a ply: H9 is not a space (row 1 is A..I, row 2 A..J, ",
        f'book:38: game 4: header Start "{four_reds}": D5: phase m has 1 to 3 stacks that hold a red, here ',
        f'book:45: game 5: header Start "{black}": a full board, black to move; by the rules standard White ',
        f'book:52: game 6: header Start "{over}": the game is over there: neither side can move',
        "book:55: game 7: its plies go past the placement by the rules black-first, and the openings are ",
        'book:71: game 8: header Rules "swapped": unknown rules (known: standard, black-first)',
        "book:74: game 9: its plies lead to the end of the game: neither side can move",
        "book:91: game 10, ply 2: no result at the end (one of 1-0 0-1 1/2-1/2 *): is the record cut off?",
    ]
    found = problems(text)
    assert len(found) == len(expected)
    for problem, beginning in zip(found, expected, strict=True):
        assert problem.startswith(beginning)


def test_later_plies_of_a_played_game_need_not_be_right() -> None:
    wrong = replace(finished(0), plies=(*finished(0).plies[:49], RecordedPly("A1K5")))
    assert read_records(wrong).openings[0].position == after(moves(0, 49))
