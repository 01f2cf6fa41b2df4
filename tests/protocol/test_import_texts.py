"""Records of Little Golem and CodeCup, results in words, dates, and how a format is recognised."""

import random

import pytest

from protocol.errors import RecordError
from protocol.records import Reading, verify_record
from protocol.records.claims import read_claim
from protocol.records.codecup_log import scan_codecup_log
from protocol.records.dates import iso_date
from protocol.records.formats import Format, decode_foreign, recognise
from protocol.records.littlegolem import scan_little_golem
from tests.protocol.drec_samples import EXAMPLE
from tests.protocol.foreign_samples import deeds, positions, random_game, sgf

GAME = next(game for game in map(random_game, map(random.Random, range(99))) if game.count("PASS") > 3)
OTHER = random_game(random.Random(5))


def told(readings: list[Reading]) -> list[list[str]]:
    """The plies of each game, or its faults; what is good is also consistent."""
    found = []
    for reading in readings:
        assert not reading.warnings
        if reading.record is None:
            found.append([str(fault) for fault in reading.faults])
        else:
            assert verify_record(reading.record) == []
            found.append([ply.text for ply in reading.record.plies])
    return found


def golem(text: str) -> list[list[str]]:
    return told(list(scan_little_golem(text, "f")))


def codecup(text: str) -> list[list[str]]:
    return told(list(scan_codecup_log(text, "f")))


# --- Little Golem ------------------------------------------------------------------------------------------

LOWER = [ply.lower() for ply in GAME]
SHORT = [*LOWER[:48], *LOWER[49:]]


def test_little_golem_leaves_out_the_last_placement() -> None:
    text = f"Event [e] Site [s] White [Ann] Black [B. Bob] {' '.join(SHORT)}"
    (reading,) = scan_little_golem(text, "f")
    assert reading.record is not None
    assert [ply.text for ply in reading.record.plies] == list(GAME)
    headers = {"Event": "e", "Site": "s", "White": "Ann", "Black": "B. Bob"}
    assert reading.record.headers.items() >= headers.items()
    assert golem(f"1. {' '.join(LOWER)}") == [list(GAME)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("1. g2 c1\n2. A3", "G2 C1 A3"),
        ("1.g2 c1 2.a3 {a good one} b3", "G2 C1 A3 B3"),
        ("White [x]\n1... g2 c1", "G2 C1"),
        ("Foo [1] White [] 1. g2", "G2"),
        ("Event [\n]", ""),
    ],
)
def test_little_golem_in_other_shapes(text: str, expected: str) -> None:
    assert golem(text) == [expected.split()]


def test_little_golem_plies_may_have_a_hyphen_and_lack_passes() -> None:
    words = [f"{ply[:2]}-{ply[2:]}" if len(ply) == 4 else ply for ply in SHORT if ply != "pass"]
    assert golem(f"1. {' '.join(words)}") == [list(GAME)]


@pytest.mark.parametrize("name", ["[clan] Al", "a]b", "[x]", "]", "[", "Al [1. e4", "{Tom", "a1", "resign"])
@pytest.mark.parametrize("between", [" ", "\n"])
def test_little_golem_names_may_hold_any_sign(name: str, between: str) -> None:
    heads = ["Event [e]", f"White [{name}]", f"Black [{name} 2]"]
    one = between.join([*heads, "1.", *LOWER])
    for text in (one, f"{one}\n{one}"):
        for reading in scan_little_golem(text, "f"):
            assert reading.record is not None, reading.faults
            assert [ply.text for ply in reading.record.plies] == list(GAME)
            assert (reading.record.headers["White"], reading.record.headers["Black"]) == (name, f"{name} 2")


@pytest.mark.parametrize(
    "count, result", [(0, "0-1"), (1, "1-0"), (2, "0-1"), (49, "0-1"), (50, "1-0"), (48, "0-1")]
)
def test_little_golem_resignations(count: int, result: str) -> None:
    words = SHORT[: count - (count > 48)]
    (reading,) = scan_little_golem(f"White [a] 1. {' '.join(words)} resign", "f")
    record = reading.record
    assert record is not None
    assert (record.result, record.headers["Termination"], record.closing_comments) == (result, "resign", {})
    assert [ply.text for ply in record.plies] == list(GAME[: count + (count == 48)])
    assert verify_record(record) == []


def test_little_golem_results() -> None:
    def result(text: str) -> tuple[str, int]:
        (reading,) = scan_little_golem(text, "f")
        assert reading.record is not None
        return reading.record.result, len(reading.warnings)

    assert result("Result [0-1] 1. a1 b1") == ("0-1", 0)
    assert result("1. a1 b1 1/2-1/2") == ("1/2-1/2", 0)
    assert result("1. a1 b1 *") == ("*", 0)
    assert result("1. a1 b1") == ("*", 0)
    assert result("Result [0-1] 1. a1 b1 resign") == ("0-1", 0)
    assert result("Result [1-0] 1. a1 b1 resign") == ("0-1", 1)
    assert result("White [Ann] Black [Bob] Result [Bob wins] 1. a1") == ("0-1", 0)
    assert result("White [Ann] Black [Bob] Result [a pity] 1. a1") == ("*", 1)


def test_little_golem_games_in_one_file() -> None:
    one, two = "1. a1 b1", "1. c1 d1"
    for between in ("\n", "\n\n", " ", "\nWhite [x] Black [y]\n"):
        assert golem(one + between + two) == [["A1", "B1"], ["C1", "D1"]]
    assert golem("White [x] White [y] 1. a1") == [[], ["A1"]]
    bad = "Event [x] 1. a1 a1 2. b1 Event [y] 1. b1 zz Event [z] 1. c1"
    first, second, third = golem(bad)
    assert first[0].startswith("f:1: game 1, ply 2: A1: illegal (occupied): ")
    assert second == ["f:1: game 2: 'zz' is not a ply: write a space (D1), two spaces (H1G1) or PASS"]
    assert third == ["C1"]


# --- CodeCup -----------------------------------------------------------------------------------------------


def test_codecup_logs_keep_every_placement_and_have_comments() -> None:
    assert codecup("\n".join(GAME)) == [list(GAME)]
    assert codecup(" ".join(GAME).lower()) == [list(GAME)]
    assert codecup("# a log\nStart\n" + "\n".join(f"{ply} # x" for ply in GAME) + "\nQuit\n") == [list(GAME)]
    (found,) = codecup("\n".join([*GAME[:48], *GAME[49:]]))
    assert found[0].startswith("f:49: game 1, ply 49: ")


def test_codecup_comments_that_say_something() -> None:
    heads = ["# White: Ann", "#black = Bob ", "# Event:  the cup", "# Date: 5 Mar 2011", "# seed: 4"]
    (reading,) = scan_codecup_log("\n".join([*heads, *GAME]), "f")
    assert reading.record is not None
    headers = {"White": "Ann", "Black": "Bob", "Event": "the cup", "Date": "2011-03-05"}
    assert reading.record.headers.items() >= headers.items()
    (reading,) = scan_codecup_log("# Game 3: Prima Donna vs. Champ 2\nA1", "f")
    assert reading.record is not None
    assert (reading.record.headers["White"], reading.record.headers["Black"]) == ("Prima Donna", "Champ 2")


FULL, NEXT = "\n".join(GAME), "\n".join(OTHER)
BOTH = [list(GAME), list(OTHER)]


@pytest.mark.parametrize("between", ["\n", "\n\n", "\n# next\n", "\n\n\n# a vs b\n\n", "\nQuit\nStart\n"])
def test_codecup_games_in_one_file(between: str) -> None:
    assert codecup(FULL + between + NEXT + "\n") == BOTH
    half = "\n".join(GAME[:60])
    if between != "\n":
        assert codecup(half + between + NEXT) == [list(GAME[:60]), list(OTHER)]


def test_codecup_a_gap_among_placements() -> None:
    reds = "\n".join(GAME[:3])
    for gap in ("\n\n", "\n# the reds are placed\n"):
        assert codecup(f"{reds}{gap}" + "\n".join(GAME[3:])) == [list(GAME)]
    assert codecup(f"{FULL}\n\n{reds}\n\n" + "\n".join(GAME[3:])) == [list(GAME), list(GAME)]
    assert codecup(f"{reds}\n# hm\n" + "\n".join(GAME[3:30])) == [list(GAME[:30])]
    assert codecup(f"{reds}\n\n{FULL}") == [list(GAME[:3]), list(GAME)]
    assert codecup(f"{reds}\n# next\n{FULL}") == [list(GAME[:3]), list(GAME)]
    assert codecup(f"{reds}\n# White: x\n" + "\n".join(GAME[3:30])) == [list(GAME[:3]), list(GAME[3:30])]
    assert codecup("\n".join(GAME[:49]) + "\n\n# now they move\n" + "\n".join(GAME[49:])) == [list(GAME)]
    why = "\n# why\n"
    assert codecup(f"{why.join(GAME)}\n\n{why.join(OTHER)}") == BOTH
    assert codecup(f"{why.join(GAME[:30])}\n\n{why.join(OTHER)}") == [list(GAME[:30]), list(OTHER)]


def test_codecup_faults() -> None:
    assert codecup("A1\nB1\nfoo\nC1") == [["f:3: game 1, ply 3: `foo` is no ply"]]
    first, second = codecup("A1\nA1\n\n" + FULL)
    assert first[0].startswith("f:2: game 1, ply 2: A1: illegal (occupied): ")
    assert second == list(GAME)
    (found,) = codecup(" ".join(GAME[:49]) + " D1")
    assert found[0].startswith("f:1: game 1, ply 50: D1: illegal (")


# --- results and dates -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, result",
    [
        *[("1-0", "1-0"), ("½-½", "1/2-1/2"), ("W+3", "1-0"), ("b+R", "0-1"), ("W+", "1-0")],
        *[("Game won by Ann", "1-0"), ("GAME WON BY ANNA", "0-1"), ("Anna won", "0-1"), ("Ann wins", "1-0")],
        *[("Spiel gewonnen von Anna", "0-1"), ("Partida ganada por Ann", "1-0"), ("Annの勝ち", "1-0")],
        *[("Anna a perdu", "1-0"), ("Ann resigned", "0-1"), ("Anna verliert auf Zeit", "1-0")],
        *[("Partita vinta da Ann", "1-0"), ("Ann wint", "1-0"), ("Ann vann", "1-0"), ("Выиграл Ann", "1-0")],
        *[("The game is a draw", "1/2-1/2"), ("Unentschieden", "1/2-1/2"), ("Match nul", "1/2-1/2")],
        *[("0", "1/2-1/2"), ("引き分け", "1/2-1/2")],
        *[
            ("Ann and Anna drew", "1/2-1/2"),
            ("White wins", "1-0"),
            ("Black won", "0-1"),
        ],
        *[("Game won by Ann by resignation", "1-0"), ("Ann forfeits", "0-1"), ("Ann's win", "1-0")],
        *[("Ann", None), ("won", None), ("Ann beat Anna", None), ("Annabel won", None), ("12", None)],
        *[("Ann won, no, lost", None), ("Ann won a draw", None), ("draws are never won", None)],
    ],
)
def test_results_in_words(text: str, result: str | None) -> None:
    claim = read_claim(text, "Ann", "Anna")
    assert claim is not None
    assert claim.result == result


@pytest.mark.parametrize("text", ["", " ", "?", "*", "Unknown", "void", "unfinished"])
def test_results_that_say_nothing(text: str) -> None:
    assert read_claim(text, "Ann", "Bob") is None


@pytest.mark.parametrize(
    "text, on_time", [("B+T", True), ("B+Time", True), ("Ann lost on time", True), ("B+R", False)]
)
def test_losses_on_time_are_told(text: str, on_time: bool) -> None:
    claim = read_claim(text, "Ann", "Bob", 7)
    assert claim == ("0-1", text, on_time, 7)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Tue Jul 07 10:05:21 NZST 2009", "2009-07-07T10:05:21+12:00"),
        ("Fri Jul 15 07:50:24 EDT 2011", "2011-07-15T07:50:24-04:00"),
        ("Thu Jan 08 19:30:55 EST 2009", "2009-01-08"),
        ("Thu Jan 8 19:30:55 GMT-03:00 2009", "2009-01-08T19:30:55-03:00"),
        ("Thu Jan 08 19:30:55 2009", "2009-01-08"),
        ("2009-01-08T19:30:55Z", "2009-01-08T19:30:55+00:00"),
        ("2009-01-08 19:30:55.123 +0130", "2009-01-08T19:30:55+01:30"),
        ("2009-01-08 19:30", "2009-01-08"),
        *[("2009.1.8", "2009-01-08"), ("2009/01/08", "2009-01-08"), ("8 Jan 2009", "2009-01-08")],
        *[("January 8, 2009", "2009-01-08"), ("Thursday, 8. January 2009, late", "2009-01-08")],
        *[("", ""), ("yesterday", ""), ("2009-13-01", ""), ("08/01/2009", ""), ("30 Feb 2009", "")],
        ("Thu Jan 08 19:30:55 GMT+99:00 2009", ""),
    ],
)
def test_dates(text: str, expected: str) -> None:
    assert iso_date(text) == expected


# --- formats -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, form",
    [
        (EXAMPLE, Format.DREC),
        ("\ufeff\n\n" + EXAMPLE, Format.DREC),
        (sgf(deeds(GAME)), Format.BOARDSPACE),
        (" ( ;FF[4]GM[1]", Format.BOARDSPACE),
        ("Event [x] Site [y]", Format.LITTLE_GOLEM),
        ("site[x]", Format.LITTLE_GOLEM),
        ("Game [DVONN]\nEvent [x]", Format.LITTLE_GOLEM),
        ("\n1. g2 c1", Format.LITTLE_GOLEM),
        ("D1\nE1\n", Format.CODECUP),
        ("# hello\n\n  # White: x\nStart\nD1\n", Format.CODECUP),
        *[("", None), ("# only a comment", None), ("D1 is a fine space", None), ("1. Nf3", None)],
        *[("[1, 2]", None), ('{"file": 1}', None), ("Event: x", None), ("<html>", None)],
        *[("[Event] x", None), ("A5\n", None), ("foo [bar]", None)],
    ],
)
def test_a_format_is_told_by_the_beginning(text: str, form: Format | None) -> None:
    assert recognise(text) is form


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(RecordError) as error:
        decode_foreign(b"a\nb\0c", "f")
    assert str(error.value) == "f:2: a NUL byte: not a text file"
    assert decode_foreign("é\n".encode() + b"\xe9\x80\n\x81\n", "f") == "é\né€\n\x81\n"
    assert decode_foreign(b"a\r\n\x1a\0\0", "f") == "a\n"
    assert decode_foreign("\ufeffé".encode("utf-16-be"), "f") == "é"


def test_the_position_is_not_changed_by_reading() -> None:
    """A game and its positions by the rules, once more, so that the samples themselves are sound."""
    assert positions(GAME)[-1].is_over
    assert positions(OTHER)[-1].is_over
