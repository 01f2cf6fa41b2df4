"""The four formats: exact text of a small table, and names that try to break it."""

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from arbiter.match.clock import MS, ClockUse
from arbiter.match.termination import Termination
from arbiter.rating.outcome import Outcome
from arbiter.rating.render import as_csv, as_json, as_markdown, as_text
from arbiter.rating.table import Anchor, Facts, Group, LeagueTable, Row, build_table

FACTS = Facts("Spring league", 2026, "5s + 100ms", {"arbiter": "0.1.0", "Python": "3.11.4"}, "Linux, 2 cores")


def table(rows: Sequence[Row], notes: tuple[str, ...] = ("A note.",), facts: Facts = FACTS) -> LeagueTable:
    return LeagueTable((Group(tuple(rows), 35.4),), 20, 0.05, 0.525, None, {}, {}, notes, facts)


def row(rank: int, bot: str, elo: float | None = 0.0, error: float = 90.0, **forfeits: int) -> Row:
    low, high = (None, None) if elo is None else (elo - error, elo + error)
    margin_error = 3.25 if error < 100 else 10.0
    return Row(rank, bot, 10, 6, 1, 3, 6.5, elo, low, high, 4.25, 61.375, forfeits, margin_error=margin_error)


ROWS = [
    row(1, "greedy", 143.4, 85.2),
    row(2, "007", -0.2, 79.6, timeout=2, crash=1),
    row(3, "random", -143.2, 101.7),
    Row(4, "1e3", 0, 0, 0, 0, 0.0, None, None, None, None, None, {}),
]


def test_text() -> None:
    assert as_text(table(ROWS)) == (
        "Spring league\n"
        "\n"
        "Rank  Bot     Games  W  D  L  Points  Elo ± 95 %     Margin ±  CodeCup  Forfeits\n"
        "──────────────────────────────────────────────────────────────────────────────────────────\n"
        "   1  greedy     10  6  1  3     6.5  +143 ±  85  +4.2 ±  3.2     61.4\n"
        "   2  007        10  6  1  3     6.5    +0 ±  80  +4.2 ±  3.2     61.4  timeout 2, crash 1\n"
        "   3  random     10  6  1  3     6.5  -143 ± 102  +4.2 ± 10.0     61.4\n"
        "   4  1e3         0  0  0  0     0.0           -            -        -\n"
        "\n"
        "A note.\n"
        "\n"
        "20 games · draws 5.0 % · White scored 52.5 % · first move +35 Elo\n"
        "seed 2026 · time 5s + 100ms\n"
        "arbiter 0.1.0 · Python 3.11.4 · Linux, 2 cores\n"
    )


def test_markdown() -> None:
    heading, blank, *lines = as_markdown(table(ROWS[1:3])).splitlines()
    assert (heading, blank) == ("## Spring league", "")
    assert [re.sub(" +", " ", re.sub("-+", "-", line)) for line in lines[:2]] == [
        "| Rank | Bot | Games | W | D | L | Points | Elo ± 95 % | Margin ± | CodeCup | Forfeits |",
        "|-:|:-|-:|-:|-:|-:|-:|-:|-:|-:|:-|",
    ]
    assert [re.sub(" +", " ", line) for line in lines[2:4]] == [
        "| 2 | 007 | 10 | 6 | 1 | 3 | 6.5 | +0 ± 80 | +4.2 ± 3.2 | 61.4 | timeout 2, crash 1 |",
        "| 3 | random | 10 | 6 | 1 | 3 | 6.5 | -143 ± 102 | +4.2 ± 10.0 | 61.4 | |",
    ]
    assert len({len(line) for line in lines[:4]}) == 1
    assert lines[4:] == [
        "",
        "- A note.",
        "- 20 games · draws 5.0 % · White scored 52.5 % · first move +35 Elo",
        "- seed 2026 · time 5s + 100ms",
        "- arbiter 0.1.0 · Python 3.11.4 · Linux, 2 cores",
    ]


def test_csv() -> None:
    assert as_csv(table(ROWS[1::2])) == (
        "name,rank,games,wins,draws,losses,points,bye_points,elo,elo_low,elo_high,mean_margin,margin_error,codecup_points,"
        "forfeits_timeout,forfeits_illegal,forfeits_syntax,forfeits_flood,forfeits_crash,forfeits_memory,"
        "forfeits_start,forfeits_killed,clock_plies,clock_mean_ms,clock_worst_ms,clock_worst_grace_ms,"
        "clock_idle_cpu_ms,clock_waited_share,group\n"
        "007,2,10,6,1,3,6.5,0.0,-0.2,-79.8,79.39999999999999,4.25,3.25,61.375,2,0,0,0,1,0,0,0,,,,,,,1\n"
        "1e3,4,0,0,0,0,0.0,0.0,,,,,,,0,0,0,0,0,0,0,0,,,,,,,1\n"
    )


def test_json() -> None:
    document = json.loads(as_json(table(ROWS)))
    assert list(document["bots"][0]) == [
        *("name", "rank", "games", "wins", "draws", "losses", "points", "bye_points"),
        *("elo", "elo_low", "elo_high"),
        *("mean_margin", "margin_error", "codecup_points", "forfeits", "clock"),
    ]
    assert document["bots"][1]["forfeits"] == {"timeout": 2, "crash": 1}
    idle = document["bots"][3]
    assert (idle["name"], idle["games"], idle["elo"], idle["mean_margin"]) == ("1e3", 0, None, None)
    assert document["seed"] == 2026
    assert document["time_control"] == "5s + 100ms"
    assert document["versions"] == {"arbiter": "0.1.0", "Python": "3.11.4"}
    assert document["machine"] == "Linux, 2 cores"
    assert document["notes"] == ["A note."]
    assert document["first_move_elo"] == 35.4


def test_json_of_a_real_table() -> None:
    outcomes = [
        Outcome(1, 1, "A", "B", "1-0", Termination.NORMAL, None, 20, 12),
        Outcome(2, 1, "B", "A", "*", Termination.VOID, detail="interrupted"),
    ]
    document = json.loads(
        as_json(build_table("AB", outcomes, withdrawn={"B": "crashes"}, anchor=Anchor("A", 0)))
    )
    assert document["bots"][0]["points"] == 1
    assert document["bots"][0]["elo_low"] is None
    assert document["void"] == [{"number": 2, "why": "interrupted"}]
    assert document["withdrawn"] == [{"name": "B", "why": "crashes"}]
    assert document["anchor"] == {"name": "A", "elo": 0}
    assert document["seed"] is None


def test_the_use_of_clocks() -> None:
    clocks = (
        ClockUse(40, 400_000_000, 90_000_000, 5_000_000, 0),
        ClockUse(39, 39_000_000, 2_000_000, 0, 8_000_000),
    )
    outcomes = [
        Outcome(1, 1, "A", "B", "1-0", Termination.NORMAL, None, 20, 12, clocks=clocks, lag=3_000_000),
        Outcome(2, 1, "B", "A", "0-1", Termination.NORMAL, None, 2, 12, clocks=clocks[::-1], lag=7_000_000),
    ]
    league = build_table("AB", outcomes)
    lines = [line.split() for line in as_text(league).splitlines()]
    assert ["A", "80", "10.0", "90", "5", "0"] in lines
    assert ["B", "78", "1.0", "2", "0", "8"] in lines
    assert "the arbiter was late by 7 ms at most" in as_text(league)
    assert "| A       |      80 |" in as_markdown(league)
    assert json.loads(as_json(league))["bots"][0]["clock"] == {
        "plies": 80, "mean_ms": 10.0, "worst_ms": 90.0, "worst_grace_ms": 5.0, "idle_cpu_ms": 0.0,
        "waited_share": None,
    }  # fmt: skip
    assert as_csv(league).splitlines()[1].endswith(",80,10.0,90.0,5.0,0.0,,1")
    assert "Waited" not in as_text(league) + as_markdown(league)


def waiting(*shares: tuple[int, int]) -> LeagueTable:
    """The table of two games in which A, then B, waited for a core for so many ms out of so many."""
    uses = [ClockUse(40, ms * MS, 9 * MS, 0, 0, ms * MS, waited * MS) for waited, ms in shares]
    return build_table(
        "AB",
        [
            Outcome(1, 1, "A", "B", "1-0", Termination.NORMAL, None, 20, 12, clocks=(uses[0], uses[1])),
            Outcome(
                2, 1, "B", "A", "0-1", Termination.NORMAL, None, 2, 12, clocks=(uses[1], ClockUse(40, 9))
            ),
        ],
    )


def test_what_bots_waited_for_a_core() -> None:
    """As a share of the time of those plies of which it is known."""
    league = waiting((30, 400), (39, 390))
    lines = [line.split() for line in as_text(league).splitlines()]
    assert [line[-1] for line in lines if line[:2] in (["A", "80"], ["B", "80"])] == ["7.5", "10.0"]
    assert next(line for line in lines if line[:1] == ["Clock"])[-2:] == ["Waited", "%"]
    assert re.search(r"\| A .*\| +7\.5 \|\n", as_markdown(league))
    shares = [bot["clock"]["waited_share"] for bot in json.loads(as_json(league))["bots"]]
    assert shares == [0.075, 0.1]
    assert [line.split(",")[-2] for line in as_csv(league).splitlines()[1:]] == ["0.075", "0.1"]
    assert not any("Warning" in note for note in league.notes)


def test_a_machine_that_was_too_busy_is_named_in_every_format_with_notes() -> None:
    one, both = waiting((0, 400), (336, 400)), waiting((44, 400), (336, 400))
    warning = (
        "Warning: the machine was too busy for reliable results: B waited for a core for 84 % of its time{}. "
        "Lower `concurrency` or stop other programs."
    )
    assert one.notes[0] == warning.format("")
    assert both.notes[0] == warning.format(", 1 other bot for more than 10 %")
    assert "Warning: the machine was too busy" in as_text(one)
    assert f"- {warning.format('')}".replace("`", r"\`") in as_markdown(one)
    assert json.loads(as_json(one))["notes"][0] == one.notes[0]


def test_the_usual_delay_of_a_scheduler_is_no_busy_machine() -> None:
    """Of plies that take next to nothing it is a good part: here 0.9 of 1.2 ms."""
    assert not any("Warning" in note for note in waiting((36, 48), (0, 48)).notes)


def test_json_refuses_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        as_json(table([row(1, "A", float("nan"))]))


def test_groups_have_tables_of_their_own() -> None:
    first = table(ROWS[:1])
    both = replace(first, groups=(*first.groups, Group((row(1, "other"),), 0.0)))
    text = as_text(both)
    assert re.findall(r"^(Group \d|Rank|   1  \w+)", text, re.MULTILINE) == [
        *("Group 1", "Rank", "   1  greedy"),
        *("Group 2", "Rank", "   1  other"),
    ]
    assert "first move" not in text
    assert "### Group 2" in as_markdown(both)
    assert [line[-2:] for line in as_csv(both).splitlines()[1:]] == [",1", ",2"]
    assert json.loads(as_json(both))["groups"] == [["greedy"], ["other"]]


def test_anchor_is_marked_and_absolute_ratings_have_no_plus() -> None:
    anchored = [
        row(1, "strong", 1612.0, 120.0),
        replace(row(2, "fixed", 1500.0), elo_low=None, elo_high=None),
    ]
    text = as_text(replace(table(anchored), anchor=Anchor("fixed", 1500.0)))
    assert "  1612 ± 120  " in text
    assert "  1500 (anchor)  " in text


def test_nothing_at_all() -> None:
    empty = build_table([], [])
    assert as_text(empty) == "No bots.\n\n0 games\n"
    assert as_markdown(empty) == "No bots.\n\n- 0 games\n"
    assert as_csv(empty).count("\n") == 1
    assert json.loads(as_json(empty))["bots"] == []


def test_ten_bots_fit_in_a_hundred_columns() -> None:
    rows = [row(rank, f"some-bot-v{rank}", 100.0 - rank, 120.0, timeout=12) for rank in range(1, 11)]
    assert max(map(len, as_text(table(rows)).splitlines())) <= 90


def test_long_names_lose_their_middle_in_text_only() -> None:
    long = "minimax-with-every-extension-known-to-man-v2"
    document = as_text(table([row(1, long)]))
    assert "minimax-with-eve…-man-v2" in document
    assert long in as_markdown(table([row(1, long)]))


def test_long_names_that_would_look_alike_stay_whole() -> None:
    names = ["minimax-with-every-extension-a-man-v2", "minimax-with-every-extension-b-man-v2"]
    document = as_text(table([row(1, names[0]), row(2, names[1])]))
    assert all(name in document for name in names)


def test_wide_characters_stay_aligned() -> None:
    rows = [row(1, "日本語"), row(2, "Ünï"), row(3, "cafe\u0301"), row(4, "plain-name")]
    lines = as_text(table(rows)).splitlines()[4:8]
    assert {cell_len(line) for line in lines} == {cell_len(lines[0])}
    assert ["日本語" in lines[0], "cafe\u0301" in lines[2]] == [True, True]


def test_markup_in_names_is_escaped() -> None:
    document = as_markdown(table([row(1, "a|b*c*[d](e)<f>`g`~h"), row(2, "_my_bot_"), row(3, "back\\slash")]))
    assert r"| a\|b\*c\*\[d\](e)\<f\>\`g\`\~h |" in document
    assert r"| \_my_bot\_ " in document
    assert r"| back\\slash " in document


NAMES = st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=4, unique=True)


@given(NAMES)
@example(["=cmd()", "+1", "-1", "@x"])
def test_any_name_leaves_every_format_well_formed(names: list[str]) -> None:
    league = table([row(rank, name) for rank, name in enumerate(names, start=1)])
    assert [bot["name"] for bot in json.loads(as_json(league))["bots"]] == names
    parsed = list(csv.reader(io.StringIO(as_csv(league), newline="")))
    assert [line[0] for line in parsed[1:] if line[0].isprintable()] == [line[0] for line in parsed[1:]]
    assert [line[0] for line, name in zip(parsed[1:], names, strict=True) if name.isprintable()] == [
        f"'{name}" if name[0] in "=+-@" else name for name in names if name.isprintable()
    ]
    assert {len(line) for line in parsed} == {29}
    lines = as_text(league).splitlines()
    assert len(lines) == 10 + len(names)
    body = lines[4 : 4 + len(names)]
    assert {cell_len(line) for line in body} == {cell_len(body[0])}
    cells = [
        re.split(r"(?<!\\)(?:\\\\)*\|", line) for line in as_markdown(league).splitlines()[4 : 4 + len(names)]
    ]
    assert {len(line) for line in cells} == {13}
