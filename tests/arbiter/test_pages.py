"""Views of a league: what stands in them, in four formats, also with little or odd data."""

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from arbiter.match.clock import MS, ClockUse
from arbiter.match.fault import Code, Fact, Fault
from arbiter.match.termination import FORFEITS, Termination
from arbiter.rating.outcome import Outcome, Result
from arbiter.rating.pages import PAGES, PageKind, page
from arbiter.rating.sheet import Sheet, Values
from arbiter.rating.table import table_of
from arbiter.rating.tally import Tally

NORMAL = Termination.NORMAL
RESULTS: dict[str, Result] = {">": "1-0", "=": "1/2-1/2", "<": "0-1"}
SCORES = {">": (20, 12), "=": (15, 15), "<": (10, 20)}


def games(*pairings: str, first: int = 1) -> list[Outcome]:
    """``A>B``: White A beats Black B; every two games are a pair."""
    return [
        Outcome(number, number // 2, game[0], game[2], RESULTS[game[1]], NORMAL, None, *SCORES[game[1]])
        for number, game in enumerate(pairings, start=2 * first)
    ]


def view(kind: PageKind, outcomes: Sequence[Outcome], bots: str = "ABC") -> Sheet:
    tally = Tally(bots, outcomes)
    return page(kind, tally, table_of(tally))


def by_name(sheet: Sheet) -> dict[str, Values]:
    return {row["name"]: row for row in sheet.rows}


LEAGUE = games("A>B", "B<A", "A>B", "B>A", "A>C", "C=A", "B=C", "C<B")
CRASH = Outcome(90, None, "C", "A", "0-1", Termination.CRASH, "white")
RESIGNED = Outcome(91, None, "B", "C", "0-1", Termination.RESIGN)
VOID = Outcome(92, None, "B", "C", "*", Termination.VOID)

ODD_LEAGUES = {
    "nothing": [],
    "one game": games("A>B"),
    "all draws": games("A=B", "B=A", "A=C", "C=A"),
    "a bot without points": games("A>C", "C<A", "B>C", "C<B", "A>B", "B>A"),
    "two groups": games("A>B", "C=D"),
    "only void games": [VOID],
    "only forfeits": [CRASH],
    "usual": [*LEAGUE, CRASH, RESIGNED, VOID],
}


@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.parametrize("outcomes", ODD_LEAGUES.values(), ids=ODD_LEAGUES)
def test_every_view_of_every_league_can_be_printed(kind: PageKind, outcomes: list[Outcome]) -> None:
    sheet = view(kind, outcomes, "ABCD")
    document = json.loads(sheet.as_json())
    assert document["page"] == kind
    assert document["rows"] == [dict(row) for row in sheet.rows]
    assert all(tuple(row) == sheet.keys for row in sheet.rows)
    lines = list(csv.reader(io.StringIO(sheet.as_csv())))
    assert len(lines) == 1 + len(sheet.rows)
    assert len({len(line) for line in lines}) == 1
    for text in (sheet.as_text(), sheet.as_markdown(), sheet.as_csv()):
        assert "nan" not in text
        assert "inf" not in text
        assert "None" not in text


def test_crosstable() -> None:
    sheet = view("crosstable", LEAGUE)
    assert sheet.as_text() == (
        "Crosstable\n\n"
        "#  Bot  Games  Points    1    2    3\n"
        "────────────────────────────────────\n"
        "1  A        6     4.5    ·  3.0  1.5\n"
        "2  B        6     2.5  1.0    ·  1.5\n"
        "3  C        4     1.0  0.5  0.5    ·\n\n"
        "In each row the bot's points against the bot with that number, of 2 to 4 games each.\n"
    )
    assert sheet.rows[0]["points_against"] == {"A": None, "B": 3, "C": 1.5}
    assert sheet.rows[0]["games_against"] == {"A": None, "B": 4, "C": 2}
    assert sheet.as_csv().splitlines()[0].startswith("name,rank,games,points,bye_points,points_against A,")


def test_large_crosstables_show_shares() -> None:
    bots = "ABCDEFGHIJKLMNOP"
    sheet = view("crosstable", games(*(f"{a}>{b}" for a in bots for b in bots if a != b)), bots)
    assert "share of the points in %" in sheet.notes[0]
    assert max(map(len, sheet.as_text().splitlines())) <= 100


def test_a_pairing() -> None:
    sheet = view("pairing", LEAGUE)
    row = sheet.rows[0]
    assert (row["name"], row["opponent"], row["games"]) == ("A", "B", 4)
    assert (row["wins"], row["draws"], row["losses"], row["score"]) == (3, 0, 1, 0.75)
    assert row["pairs"] == {"LL": 0, "LD": 0, "DD_WL": 1, "DW": 0, "WW": 1}
    assert row["lone_games"] == 0
    assert row["elo"] == pytest.approx(190.85, abs=0.01)
    assert row["elo_low"] < 0 < row["elo_high"]
    assert row["mean_margin"] == (8 + 10 + 8 - 8) / 4
    assert 5 < row["margin_error"] < 20
    assert [(r["name"], r["opponent"]) for r in sheet.rows] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert "0  0  1  0  1  +191 (-127, +509)" in sheet.as_text()


def test_a_pairing_whose_first_bot_is_not_first_in_the_alphabet() -> None:
    row = view("pairing", games("B>A", "A<B", "B>A", "A=B")).rows[0]
    assert (row["name"], row["opponent"], row["wins"], row["draws"]) == ("B", "A", 3, 1)
    assert row["pairs"] == {"LL": 0, "LD": 0, "DD_WL": 0, "DW": 1, "WW": 1}
    assert row["los"] > 0.9
    assert row["mean_margin"] == (8 + 10 + 8 + 0) / 4


def test_bounds_of_a_clean_score_are_one_sided() -> None:
    sheet = view("pairing", games(*["A>B", "B<A"] * 10))
    row = sheet.rows[0]
    assert (row["elo"], row["elo_high"]) == (None, None)
    assert row["elo_low"] == pytest.approx(286.61, abs=0.01)
    assert "> +287" in sheet.as_text()


def test_games_without_pairs_count_beside_the_pairs() -> None:
    lonely = [Outcome(n, None, "A", "B", "1-0", NORMAL, None, 20, 12) for n in range(100, 110)]
    pair = games("A>B", "B>A")
    for outcomes, lone, points in ((pair, 0, 1), ([*pair, lonely[0]], 1, 2), ([*pair, *lonely], 10, 11)):
        sheet = view("pairing", outcomes)
        row = sheet.rows[0]
        assert (row["lone_games"], sum(row["pairs"].values())) == (lone, 1)
        assert row["elo"] == pytest.approx(400 * math.log10(points / (2 + lone - points)))
        assert (row["los"] > 0.5) == (lone > 0)
    assert "10 games without the other half of a pair: in the Elo and the LOS all the same." in sheet.notes


def test_repeated_games_are_noted_with_the_two_that_played_them() -> None:
    outcomes = [replace(each, fingerprint=n % 2) for n, each in enumerate(games(*["A>B", "B>A"] * 3))]
    outcomes += games("A>C", "C>A", first=4)
    sheet = view("pairing", outcomes)
    assert [(row["opponent"], row["games"], row["repeats"]) for row in sheet.rows] == [
        ("B", 6, 4),
        ("C", 2, 0),
    ]
    head, _, first, second = sheet.as_text().splitlines()[2:6]
    assert head.split()[2:7] == ["Games", "W", "D", "L", "Repeats"]
    assert (first.split()[2:7], second.split()[2:7]) == (["6", "3", "0", "3", "4"], ["2", "1", "0", "1", "0"])
    # Where there are none, nobody has to think of them.
    assert "Repeats" not in view("pairing", games("A>B", "B>A")).as_text()


def test_by_colour() -> None:
    row = by_name(view("colour", LEAGUE))["A"]
    assert [row[f"white_{key}"] for key in ("games", "wins", "draws", "losses")] == [3, 3, 0, 0]
    assert [row[f"black_{key}"] for key in ("games", "wins", "draws", "losses")] == [3, 1, 1, 1]
    assert (row["white_score"], row["black_score"]) == (1.0, 0.5)
    assert (row["white_margin"], row["black_margin"]) == (8, (10 - 8 + 0) / 3)


def test_by_opening() -> None:
    from_there = [
        Outcome(n, None, "A", "B", "0-1", NORMAL, None, 10, 20, opening="www/bbb w p") for n in range(50, 60)
    ]
    sheet = view("opening", [*LEAGUE, *from_there])
    rows = {row["opening"]: row for row in sheet.rows}
    assert list(rows) == ["www/bbb w p", None]
    assert (rows["www/bbb w p"]["losses"], rows["www/bbb w p"]["mean_margin"]) == (10, -10)
    assert rows["www/bbb w p"]["score_low"] == 0 < rows["www/bbb w p"]["score_high"] < 0.4
    assert rows[None]["games"] == len(LEAGUE)
    assert "the empty board" in sheet.as_text()


def test_by_ending() -> None:
    sheet = view("ending", [*LEAGUE, CRASH, RESIGNED, VOID])
    rows = by_name(sheet)
    assert [rows["C"][key] for key in ("games", "played_out", "resigned", "crash", "opponent", "void")] == [
        *(6, 4, 0, 1, 1, 1)
    ]
    assert [rows["B"][key] for key in ("played_out", "resigned", "opponent", "void")] == [6, 1, 0, 1]
    assert [rows["A"][key] for key in ("played_out", "opponent", "void")] == [6, 1, 0]
    assert set(FORFEITS) < set(rows["A"])
    for row in sheet.rows:
        lost = sum(row[str(kind)] for kind in FORFEITS)
        assert row["games"] == row["played_out"] + row["resigned"] + lost + row["opponent"]
    assert "Crash" in sheet.as_text()
    assert "Timeout" not in sheet.as_text()


def test_by_clock() -> None:
    clocks = (ClockUse(40, 400_000_000, 90_000_000, 5_000_000, 0), ClockUse(39, 39_000_000, 2_000_000, 0, 8))
    sheet = view(
        "clock", [Outcome(1, 1, "A", "B", "1-0", NORMAL, None, 20, 12, clocks=clocks, lag=3_000_000)]
    )
    row = by_name(sheet)["A"]
    assert (row["plies"], row["mean_ms"], row["worst_ms"], row["game_ms"]) == (40, 10, 90, 400)
    assert "C" not in by_name(sheet)
    assert sheet.notes[-1] == "The arbiter was late by 3 ms at most."


def test_by_clock_with_what_bots_waited() -> None:
    starved = ClockUse(40, 400 * MS, 90 * MS, 0, 0, 400 * MS, 100 * MS)
    sheet = view("clock", [replace(LEAGUE[0], clocks=(ClockUse(4, 4), starved))])
    assert {name: row["waited_share"] for name, row in by_name(sheet).items()} == {"A": None, "B": 0.25}
    lines = sheet.as_text().splitlines()
    assert [line.split()[-1] for line in lines if line[:3] in ("A  ", "B  ")] == ["-", "25.0"]
    assert "B waited for a core for 25 % of its time" in sheet.notes[-1]


def late(
    number: int, code: Code = Code.MACHINE_LATE, culprit: str | None = None, replayed: bool = False
) -> Outcome:
    """A void attempt in which the machine made A late, who has Black."""
    facts: dict[str, Fact] = {"side": "black", **({} if culprit is None else {"culprit": culprit})}
    fault = Fault(code, facts)
    return Outcome(
        number, None, "B", "A", "*", Termination.VOID, detail="why", fault=fault, replayed=replayed
    )


def test_by_ending_with_who_was_late_through_the_machine_and_who_disturbed() -> None:
    memory = late(7, Code.OUT_OF_MEMORY)
    attempts = [late(5, replayed=True), late(5, Code.STARVED, "white", replayed=True), late(5), memory]
    sheet = view("ending", [*LEAGUE, *attempts])
    rows = {name: (row["void"], row["machine_late"], row["culprit"]) for name, row in by_name(sheet).items()}
    assert rows == {"A": (2, 3, 0), "B": (2, 0, 1), "C": (0, 0, 0)}
    assert sheet.as_text().splitlines()[2].split()[-3:] == ["Machine", "late", "Culprit"]
    assert sheet.notes == (
        "No game was forfeited.",
        "3 attempts at games were void because the machine made a bot late (A 3). In 1 of them the opponent "
        "computed meanwhile, though it was not its turn (B 1).",
    )
    table = table_of(Tally("ABC", [*LEAGUE, *attempts]))
    assert table.void == {5: "why", 7: "why"}
    assert table.notes[-1] == sheet.notes[-1]
    (alone,) = view("ending", [late(5, culprit="white")]).notes
    assert alone == (
        "1 attempt at a game was void because the machine made a bot late (A 1). Its opponent computed "
        "meanwhile, though it was not its turn (B 1)."
    )
    # Where there are none, nobody has to think of them.
    assert "late" not in view("ending", LEAGUE).as_text()


def same(number: int, white: str, black: str, result: Result, fingerprint: int | None) -> Outcome:
    scores = SCORES[">" if result == "1-0" else "<"]
    return Outcome(number, number // 2, white, black, result, NORMAL, None, *scores, fingerprint=fingerprint)


def test_repeated_games_count_once_in_ratings_pairs_and_errors() -> None:
    once = [same(2, "A", "B", "1-0", 5), same(3, "B", "A", "0-1", 6)]
    again = [
        each
        for n in range(4, 24, 2)
        for each in (same(n, "A", "B", "1-0", 5), same(n + 1, "B", "A", "0-1", 6))
    ]
    one, many = Tally("AB", once), Tally("AB", [*once, *again])
    assert (one.repeats, many.repeats) == (0, 20)
    assert (one.games, many.games) == (2, 22)
    assert many.standings["A"].points == 22
    assert many.rated == one.rated
    assert many.pairs == one.pairs == {("A", "B"): [0, 0, 0, 0, 1]}
    assert many.margin_error("A") == one.margin_error("A")
    assert many.half_pairs == 0
    (row,) = page("pairing", many, table_of(many)).rows
    (single,) = page("pairing", one, table_of(one)).rows
    assert (row["games"], row["elo_low"], row["los"]) == (22, single["elo_low"], single["los"])
    for kind in ("crosstable", "pairing", "opening"):
        notes = " ".join(page(kind, many, table_of(many)).notes)
        assert "20 games repeated an earlier one ply by ply" in notes
    assert any("20 games repeated" in note for note in table_of(many).notes)


def test_games_whose_plies_are_not_known_are_no_repeats() -> None:
    assert Tally("AB", [same(n, "A", "B", "1-0", None) for n in range(5)]).repeats == 0


def test_names_that_are_markup_or_long() -> None:
    outcomes = [Outcome(1, 1, "a|b", "x" * 60, "1-0", NORMAL, None, 20, 12)]
    tally = Tally((), outcomes)
    for kind in PAGES:
        sheet = page(kind, tally, table_of(tally))
        assert max(map(len, sheet.as_text().splitlines())) <= 100
        assert "a|b" not in sheet.as_markdown()


def test_names_give_way_where_two_stand_in_a_line() -> None:
    bots = [f"{n}-a-name-of-some-length" for n in range(4)]
    outcomes = [
        Outcome(n, None, a, b, "1-0", NORMAL, None, 40, 2)
        for n, (a, b) in enumerate((a, b) for a in bots for b in bots if a != b)
    ]
    tally = Tally(bots, outcomes)
    text = page("pairing", tally, table_of(tally)).as_text(100)
    assert max(map(len, text.splitlines())) <= 100
    assert "0-a-name…gth" in text
