"""DREC as a form: reading, what is refused and where, writing, and both together."""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.errors import LocalProtocolError, RecordError
from protocol.records import (
    RESULTS,
    TEXT,
    Record,
    RecordedPly,
    decode_text,
    format_record,
    format_records,
    read_records,
    scan_records,
)
from tests.protocol.drec_samples import EXAMPLE, finished, golden_games

HEADERS = '[Game "DVONN"]\n[White "a"]\n[Black "b"]\n[Result "*"]\n'


def read_one(text: str) -> Record:
    (record,) = read_records(text, "test.drec")
    return record


def faults(text: str) -> list[str]:
    return [str(fault) for reading in scan_records(text, "f") for fault in reading.faults]


# --- reading what is well formed ---------------------------------------------------------------------------


def test_the_parts_of_a_record_are_read() -> None:
    record = read_one(EXAMPLE)
    assert record.headers["Black"] == "Serious 0.3"
    assert list(record.headers)[:3] == ["Game", "Event", "Date"]
    assert [ply.text for ply in record.plies] == ["D1", "F4", "G1", "D5", "A1"]
    assert record.plies[1].comments == {"used": "412", "left": "58211", "score": "3.5", "pv": "A1B1,B2C2"}
    assert (record.result, record.resigned, record.line, record.game) == ("1-0", False, 1, 1)
    assert record.plies[1].line == record.header_lines["TimeControl"] + 1 == 11
    assert record.result_line == 12


@pytest.mark.parametrize(
    "text",
    [
        EXAMPLE.replace("\n", "\r\n"),
        "\ufeff" + EXAMPLE,
        EXAMPLE.removesuffix("\n"),
        "\n\n" + EXAMPLE + "\n\n\n",
        EXAMPLE.replace("1. D1", "\n\n1.\tD1"),
        EXAMPLE.replace("D1 F4 ", "d1 f4"),
        EXAMPLE.replace("1. D1", "1... D1").replace("2. ", ""),
        EXAMPLE.replace(" left=", "}{left=").replace(" score=", "}\n\n  {  score="),
        EXAMPLE.replace('"]\n', '"  ]  \n').replace('[Game "', '  [Game   "'),
    ],
)
def test_harmless_differences_of_form_give_the_same_record(text: str) -> None:
    assert read_one(text) == read_one(EXAMPLE)


def test_escapes_in_headers() -> None:
    assert read_one(HEADERS.replace('"a"', r'"a \"b\" c\\"') + "*\n").headers["White"] == 'a "b" c\\'


def test_comments_are_pairs_or_plain_words() -> None:
    record = read_one(
        HEADERS + "{a well known  opening: x=3} 1. A1 {x=%7B%20%25%22%7D y=} {good, I=1} B1 resign {used=7} *"
    )
    assert record.opening_comments == {TEXT: "a well known opening: x=3"}
    assert record.plies[0].comments == {"x": '{ %"}', "y": "", TEXT: "good, I=1"}
    assert (record.plies[1].comments, record.resigned, record.closing_comments) == ({}, True, {"used": "7"})


def test_any_number_of_games_with_and_without_blank_lines_between() -> None:
    records = list(read_records(EXAMPLE + EXAMPLE + "\n" + HEADERS + "*\n\n\n" + EXAMPLE, "f"))
    assert [record.game for record in records] == [1, 2, 3, 4]
    assert [record.line for record in records] == [1, 13, 26, 33]
    assert not list(read_records("", "f"))
    assert not list(read_records("\n \r\n", "f"))


def test_a_word_that_is_no_ply_is_kept_for_the_rules_to_judge() -> None:
    assert [ply.text for ply in read_one(HEADERS + "a1 L9 Hello *").plies] == ["A1", "L9", "Hello"]


# --- refusing what is not ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, expected",
    [
        (HEADERS.replace('"a"', "a") + "*", 'f:2: game 1: `[White a]` is no header (write [Name "value"'),
        (HEADERS.replace('"a"', '"a') + "*", "f:2: game 1: header without its closing quote"),
        (HEADERS.replace('"a"]', '"a"') + "*", "f:2: game 1: header without its closing bracket"),
        (HEADERS.replace('"a"', '"a"b"') + "*", 'f:2: game 1: `[White "a"b"]` is no header'),
        (HEADERS.replace('"a"', r'"a\n"') + "*", r"f:2: game 1: header White: unknown escape \n"),
        (HEADERS.replace('"a"', r'"a\"') + "*", "f:2: game 1: "),
        (HEADERS + '[Game "DVONN"]\n*', "f:5: game 1: header Game comes twice (first in line 1)"),
        (HEADERS.replace('[White "a"]\n', "") + "*", "f:1: game 1: header White is missing"),
        (HEADERS.replace('"*"', '"2-0"') + "*", "f:4: game 1: header Result: unknown result `2-0`"),
        (HEADERS + "A1 2-0", "f:5: game 1, ply 1: unknown result `2-0` (known: 1-0 0-1 1/2-1/2 *)"),
        (HEADERS + "A1 ½-½", "f:5: game 1, ply 1: unknown result `½-½`"),
        (HEADERS + "A1\n* B1", "f:6: game 1: `B1` after the result"),
        (HEADERS + "A1\n*\n\nhello", "f:8: game 1: `hello` after the result"),
        (HEADERS + "A1 * {late}", "f:5: game 1: `{late}` after the result"),
        (HEADERS + "A1 resign B1 *", "f:5: game 1, ply 1: `B1` after `resign`"),
        (HEADERS + "A1\nB1", "f:6: game 1, ply 2: no result at the end"),
        (HEADERS, "f:4: game 1: no result at the end"),
        (HEADERS + "A1\n{used=1 *", "f:6: game 1, ply 1: this comment is never closed"),
        (HEADERS + "A1 {a {b} *", "f:5: game 1, ply 1: a brace inside the comment"),
        (HEADERS + "A1 } *", "f:5: game 1, ply 1: `}` without a comment before it"),
        (HEADERS + "A1 {used=1 used=2} *", "f:5: game 1, ply 1: comment: key `used` comes twice"),
        (HEADERS + "A1 {used=1}{used=2} *", "f:5: game 1, ply 1: comment: key `used` comes twice"),
        (HEADERS + "A1 {illegal=A1 K5} *", "f:5: game 1, ply 1: comment: `K5` is no key=value"),
        (HEADERS + "A1 {x=%FF} *", "f:5: game 1, ply 1: comment: `%FF` is wrongly encoded"),
        ("hello world\n", "f:1: game 1: no headers: not a game record"),
    ],
)
def test_faults_of_form_are_named_with_their_place(text: str, expected: str) -> None:
    found = faults(text)
    assert len(found) == 1
    assert found[0].startswith(expected)
    with pytest.raises(RecordError) as error:
        list(read_records(text, "f"))
    assert str(error.value) == found[0]


@pytest.mark.parametrize(
    "broken",
    [
        HEADERS + "A1 {never closed\n",
        HEADERS + "A1 {never closed\n\n",
        HEADERS + "A1\n",
        HEADERS + "A1 } B1 *\n",
        HEADERS,
        HEADERS + "\n",
        HEADERS.replace('"a"', '"a') + "A1 *\n",
        "[[[\n*\n\n",
    ],
)
def test_a_faulty_game_does_not_hide_the_next(broken: str) -> None:
    if broken == HEADERS:  # without a blank line this is one game whose headers all come twice
        assert len(faults(broken + EXAMPLE)) == 4
        return
    readings = list(scan_records(EXAMPLE + "\n" + broken + EXAMPLE, "f"))
    assert [bool(reading.faults) for reading in readings] == [False, True, False]
    assert readings[2].record == read_one(EXAMPLE)


def test_text_between_games_is_a_fault_of_the_one_before_and_spoils_neither() -> None:
    readings = list(scan_records(EXAMPLE + "\nby the way\n\n" + EXAMPLE, "f"))
    assert [str(fault) for fault in readings[0].faults] == ["f:14: game 1: `by` after the result"]
    assert readings[0].record == readings[1].record == read_one(EXAMPLE)
    assert not readings[1].faults


def test_all_faults_of_one_game_are_reported() -> None:
    text = HEADERS.replace('"a"', "a").replace('"*"', '"0-1\\x"') + "A1 {x=1 x=2} B1 {y=1 2} 1-0"
    assert [fault.split(":")[1] for fault in faults(text)] == ["2", "4", "5", "5"]


@pytest.mark.parametrize(
    "data, message",
    [
        (EXAMPLE.encode("utf-16"), "f:1: UTF-16 text"),
        (EXAMPLE.replace("Clumsy", "Käthe").encode("latin-1"), "f:5: byte 0xE4 is not UTF-8"),
        (b"[Game\n\0", "f:2: a NUL byte: not a text file"),
    ],
)
def test_other_encodings_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(RecordError, match="^" + message):
        decode_text(data, "f")


def test_utf_8_with_and_without_a_byte_order_mark() -> None:
    text = EXAMPLE.replace("Clumsy", "Käthe ♟")
    assert decode_text(text.encode(), "f") == decode_text(text.encode("utf-8-sig"), "f") == text


# --- writing -----------------------------------------------------------------------------------------------


def test_the_written_form() -> None:
    record = finished(0)
    lines = format_record(record).splitlines()
    assert lines[:10] == [
        *('[Game "DVONN"]', '[Event "test"]', '[Date "2026-11-29T21:10:03+00:00"]', '[Round "1.1"]'),
        *('[White "Ann"]', '[Black "Bob"]', '[Result "1/2-1/2"]', '[Score "12-12"]'),
        *('[Termination "normal"]', '[TimeControl "5000+100"]'),
    ]
    assert lines[10].startswith("1. H5 E3 2. I1 B4 3. ")
    place = lines.index("25. G3")
    assert lines[place - 1].endswith("24. D1 F4")
    assert lines[place + 1].startswith("26. H1I1 I2I1 27. ")
    assert lines[-2].endswith("40. I4H4")
    assert lines[-1] == "1/2-1/2"
    assert all(len(line) <= 80 for line in lines)


def test_headers_come_in_the_usual_order_and_further_ones_behind() -> None:
    record = finished(0)
    shuffled = replace(
        record, headers={"Seed": "7", **dict(reversed(list(record.headers.items()))), "Number": "3"}
    )
    names = [line.split()[0][1:] for line in format_record(shuffled).splitlines() if line.startswith("[")]
    assert names == [*record.headers, "Seed", "Number"]


def test_a_ply_stays_with_its_number_and_its_comment() -> None:
    record = finished(3)
    commented = replace(
        record, plies=tuple(RecordedPly(p.text, {"used": "4", "pv": "A1B1," * 9}) for p in record.plies)
    )
    lines = format_record(commented).splitlines()[10:-1]
    assert len(lines) == len(record.plies)
    assert lines[2] == "2. " + record.plies[2].text + " {used=4 pv=" + "A1B1," * 9 + "}"


def test_numbers_follow_the_side_to_move() -> None:
    headers = dict(finished(0).headers)
    start = "........w/....w4*b2..b3./.......b3w7*../......b3.../......... b m"
    plies = (RecordedPly("J3J4"), RecordedPly("K5J4"), RecordedPly("PASS"))
    assert "\n1... J3J4 2. K5J4 PASS\n" in format_record(Record({**headers, "Start": start}, plies, "*"))
    moves = finished(0).plies[:51]
    written = format_record(Record({**headers, "Rules": "black-first"}, moves, "*"))
    assert f"\n25. {moves[48].text}\n{moves[49].text} 26. {moves[50].text}\n" in written


@pytest.mark.parametrize(
    "change",
    [
        {"headers": {**finished(0).headers, "White": "two\nlines"}},
        {"headers": {**finished(0).headers, "White": "two\rlines"}},
        {"headers": {**finished(0).headers, "No blank": "x"}},
        {"headers": {"Game": "DVONN", "White": "x", "Black": "y"}},
        {"result": "2-0"},
        {"opening_comments": {"no key": "x"}},
        {"opening_comments": {TEXT: "braces {}"}},
        {"opening_comments": {TEXT: "looks=like a pair"}},
    ],
)
def test_what_could_not_be_read_back_is_not_written(change: dict[str, object]) -> None:
    with pytest.raises(LocalProtocolError):
        format_record(replace(finished(0), **change))  # type: ignore[arg-type]


# --- both together -----------------------------------------------------------------------------------------


LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"))
KEY = st.from_regex(r"[A-Za-z0-9_-]+", fullmatch=True)
WORDS = st.lists(st.from_regex(r"[^\s{}=\0]+", fullmatch=True), min_size=1).map(" ".join)
COMMENTS = st.builds(
    lambda pairs, words: {**pairs, **({TEXT: words} if words else {})},
    st.dictionaries(KEY, st.text(), max_size=4),
    st.none() | WORDS,
)
PLIES = st.lists(
    st.builds(RecordedPly, st.sampled_from(["D1", "H1G1", "PASS", "K5"]), COMMENTS), max_size=20
).map(tuple)
RECORDS = st.builds(
    lambda names, further, plies, result, resigned, opening, closing: Record(
        {**further, "Game": "DVONN", **names, "Result": result},
        plies,
        result,
        resigned,
        opening,
        closing if resigned else {},
    ),
    st.fixed_dictionaries({"White": LINE, "Black": LINE}),
    st.dictionaries(st.from_regex(r"[A-Z][A-Za-z0-9_-]*", fullmatch=True), LINE, max_size=4),
    PLIES,
    st.sampled_from(RESULTS),
    st.booleans(),
    COMMENTS,
    COMMENTS,
)


@settings(max_examples=60)
@given(st.lists(RECORDS, max_size=2))
@example([finished(index) for index in range(3)])
def test_whatever_is_written_is_read_back(records: list[Record]) -> None:
    text = format_records(records)
    assert list(read_records(text, "f")) == records
    assert list(read_records(text.replace("\n", "\r\n"), "f")) == records


@given(st.text('{}[]"\\ \nA1=%*-/0.', max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    for reading in scan_records(EXAMPLE + text, "f"):
        assert reading.record is not None or reading.faults


def test_golden_games_survive_writing_and_reading() -> None:
    records = [finished(index) for index in range(len(golden_games()))]
    assert list(read_records(format_records(records), "f")) == records
