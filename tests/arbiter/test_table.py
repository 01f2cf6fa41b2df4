"""The league table: its rows, groups and notes, and what must not change them."""

import subprocess
import sys
import time

import pytest

from arbiter.match.termination import Termination
from arbiter.rating.outcome import Outcome, Result
from arbiter.rating.table import Anchor, Facts, LeagueTable, Row, build_table, table_of
from arbiter.rating.tally import Tally

NORMAL = Termination.NORMAL


def games(*pairings: str, first: int = 1) -> list[Outcome]:
    """``A>B``: White A beats Black B, 20 to 12; every two games are a pair."""
    results: dict[str, Result] = {">": "1-0", "=": "1/2-1/2", "<": "0-1"}
    scores = {">": (20, 12), "=": (15, 15), "<": (12, 20)}
    return [
        Outcome(number, number // 2, game[0], game[2], results[game[1]], NORMAL, None, *scores[game[1]])
        for number, game in enumerate(pairings, start=2 * first)
    ]


FIELD = games("A>B", "B>A", "A>C", "C<A", "B=C", "C<B")


def by_name(table: LeagueTable) -> dict[str, Row]:
    return {row.bot: row for row in table.rows}


def test_rows() -> None:
    table = build_table("ABC", FIELD)
    assert [(row.rank, row.bot, row.points) for row in table.rows] == [
        (1, "A", 3),
        (2, "B", 2.5),
        (3, "C", 0.5),
    ]
    first = table.rows[0]
    assert (first.games, first.wins, first.draws, first.losses) == (4, 3, 0, 1)
    assert first.mean_margin == 4
    assert first.codecup_points == (110 + 12 + 110 + 110) / 4
    assert first.elo_low is not None
    assert first.elo is not None
    assert first.elo_high is not None
    assert first.elo_low < first.elo < first.elo_high
    assert sum(row.elo or 0 for row in table.rows) == pytest.approx(0, abs=1e-6)
    assert (table.games, table.draw_share, table.white_share) == (6, 1 / 6, 3.5 / 6)


def test_order_of_games_does_not_matter() -> None:
    one, other = by_name(build_table("ABC", FIELD)), by_name(build_table("ABC", FIELD[::-1]))
    for bot, row in one.items():
        assert row.elo == pytest.approx(other[bot].elo)
        assert row.rank == other[bot].rank


def test_no_games_and_no_bots() -> None:
    table = build_table(["A", "B"], [])
    assert [(row.rank, row.bot, row.points, row.elo) for row in table.rows] == [
        (1, "A", 0, None),
        (1, "B", 0, None),
    ]
    assert table.draw_share is None
    assert table.notes == ()
    assert build_table([], []).rows == ()


def test_bot_without_games_comes_last() -> None:
    table = build_table("XABC", FIELD)
    last = table.rows[-1]
    assert (last.rank, last.bot, last.games, last.points) == (4, "X", 0, 0)
    assert (last.elo, last.elo_low, last.mean_margin, last.codecup_points) == (None,) * 4
    assert by_name(table)["A"] == by_name(build_table("ABC", FIELD))["A"]


def test_groups_that_never_met_do_not_move_each_other() -> None:
    others = games("X>Y", "Y<X", "X=Y", "Y>X", first=10)
    table = build_table("XYABC", [*FIELD, *others])
    assert [[row.bot for row in group.rows] for group in table.groups] == [["X", "Y"], ["A", "B", "C"]]
    assert table.groups[1] == build_table("ABC", FIELD).groups[0]
    assert table.groups[0] == build_table("XY", others).groups[0]
    assert "2 groups of bots never met: their ranks and ratings are not comparable." in table.notes
    assert table.advantage is None


def test_one_game_between_the_groups_joins_them() -> None:
    others = games("X>Y", "Y<X", first=10)
    assert len(build_table("XYABC", [*FIELD, *others, *games("X=C", first=20)]).groups) == 1


def test_phantoms_are_said_and_only_then() -> None:
    swept = build_table("AB", games("A>B", "B<A"))
    assert any("one extra draw" in note for note in swept.notes)
    assert not any("extra draw" in note for note in build_table("ABC", FIELD).notes)


def test_phantoms_of_one_group_are_said_of_that_group() -> None:
    table = build_table("ABCXY", [*FIELD, *games("X>Y", "Y<X", first=10)])
    assert next(note for note in table.notes if "extra draw" in note).startswith("Group 2: ")


def test_all_draws() -> None:
    table = build_table("AB", games("A=B", "B=A"))
    assert [row.rank for row in table.rows] == [1, 1]
    assert [row.elo for row in table.rows] == pytest.approx([0, 0])
    assert any("No game was won" in note for note in table.notes)
    assert table.draw_share == 1


def test_anchor() -> None:
    table = build_table("ABC", FIELD, anchor=Anchor("B", 1500))
    free, rows = by_name(build_table("ABC", FIELD)), by_name(table)
    assert rows["B"].elo == pytest.approx(1500)
    assert (rows["B"].elo_low, rows["B"].elo_high) == (None, None)
    assert (rows["A"].elo or 0) - 1500 == pytest.approx((free["A"].elo or 0) - (free["B"].elo or 0))
    assert "Elo with the 95 % interval of the difference to B, set to 1500." in table.notes


def test_anchor_without_games_is_not_used() -> None:
    table = build_table("ABCX", FIELD, anchor=Anchor("X", 1500))
    assert by_name(table)["A"].elo == by_name(build_table("ABC", FIELD))["A"].elo
    assert "X, the anchor, has played no game: not used." in table.notes


def test_notes_on_games_and_bots() -> None:
    odd = [
        Outcome(31, None, "A", "B", "*", Termination.VOID, detail="interrupted"),
        Outcome(30, None, "A", "B", "*", Termination.VOID, detail="both crashed"),
        Outcome(32, 32, "A", "B", "1-0", NORMAL),
        Outcome(33, None, "A", "B", "1-0", NORMAL, weight=0),
    ]
    table = build_table("ABC", [*FIELD, *odd], withdrawn={"C": "3 failures (crash)"})
    assert table.notes[1:] == (
        "1 game without the other half of the pair: counted all the same.",
        "1 game repeated an earlier one ply by ply: counted in the points, not in the ratings.",
        "2 games void and not counted: 30 (both crashed), 31 (interrupted).",
        "C was withdrawn: 3 failures (crash).",
    )
    assert list(table.void) == [30, 31]
    assert table.void == {30: "both crashed", 31: "interrupted"}
    assert table.games == 8


def test_many_void_games_are_not_all_named() -> None:
    void = [Outcome(number, None, "A", "B", "*", Termination.VOID) for number in range(1, 16)]
    assert build_table("AB", void).notes == (
        "15 games void and not counted: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 5 more.",
    )


def test_repeats_count_in_points_but_do_not_move_ratings() -> None:
    repeats = [Outcome(n, None, "C", "A", "1-0", NORMAL, weight=0) for n in range(50, 53)]
    before, after = by_name(build_table("ABC", FIELD)), by_name(build_table("ABC", [*FIELD, *repeats]))
    assert after["C"].points == before["C"].points + 3
    assert {bot: row.elo for bot, row in after.items()} == {bot: row.elo for bot, row in before.items()}


def test_forfeits_by_kind() -> None:
    forfeits = [
        Outcome(50, None, "C", "A", "0-1", Termination.CRASH, "white"),
        Outcome(51, None, "A", "C", "1-0", Termination.CRASH, "black"),
        Outcome(52, None, "A", "C", "1-0", Termination.TIMEOUT, "black"),
    ]
    rows = by_name(build_table("ABC", [*FIELD, *forfeits]))
    assert rows["C"].forfeits == {"timeout": 1, "crash": 2}
    assert list(rows["C"].forfeits) == ["timeout", "crash"]
    assert rows["A"].forfeits == {}


def test_facts_are_kept() -> None:
    facts = Facts(title="League", seed=7)
    assert table_of(Tally(), facts=facts).facts == facts


def test_a_league_of_many_games_takes_no_time() -> None:
    bots = [f"bot{i}" for i in range(40)]
    pairings = [(a, b) for a in bots for b in bots if a != b] * 10
    tally = Tally(bots)
    for number, (white, black) in enumerate(pairings):
        result: Result = "1-0" if (number * 7919) % 100 < 50 else "0-1"
        tally.add(Outcome(number, None, white, black, result, NORMAL))
    table_of(tally)  # imports NumPy
    start = time.process_time()
    table = table_of(tally)
    assert table.games == 15_600
    assert time.process_time() - start < 0.5  # some 10 ms on a quiet machine


def test_numpy_and_tabulate_wait_until_they_are_needed() -> None:
    code = (
        "import sys, arbiter.rating.table, arbiter.rating.render as render;"
        "render.as_json(arbiter.rating.table.build_table(['A'], []));"
        "sys.exit(bool({'numpy', 'tabulate', 'rich'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
