"""The views of stored games from the command line, over one or several results directories."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.e2e.commands import ODD, arbiter, at_once, entry, quick, write_cup, write_tournament

VIEWS = ("--crosstable", *(f"--by={view}" for view in ("pairing", "colour", "opening", "ending", "clock")))


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two bots without chance, one with; three rounds, so the first two repeat their games twice."""
    directory = tmp_path_factory.mktemp("league")
    bots = [entry("one", f"{ODD} none"), entry("two", f"{ODD} none"), "sample:random"]
    write_tournament(directory, bots, rounds=3)
    for results in ("first", "second"):
        done = arbiter(directory, "run", "league.yaml", "--results", results, "--quiet")
        assert done.returncode == 0, done.stderr
    return directory


@pytest.fixture(scope="module")
def swiss(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five bots, so that every round has a bye; a game of ``a`` was annulled."""
    directory = tmp_path_factory.mktemp("swiss")
    write_cup(directory, "swiss", [quick(bot, f"first {bot}") for bot in "abcde"])
    assert at_once("run", "cup.yaml", "--results", "one", cwd=directory).returncode == 0
    (game,) = [
        row["number"]
        for row in csv.DictReader(io.StringIO(printed(directory, "export", "one", "--format", "csv")))
        if {row["white"], row["black"]} == {"a", "c"} and row["white"] == "a"
    ]
    printed(directory, "annul", "one", "--game", game, "--why", "a power cut")
    return directory


def printed(directory: Path, *arguments: str) -> str:
    done = at_once(*arguments, cwd=directory)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(league: Path, *arguments: str) -> list[dict[str, object]]:
    done = arbiter(league, "table", *arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, object]] = json.loads(done.stdout)["rows"]
    return found


def test_repeated_games_are_counted_and_told(league: Path) -> None:
    table = arbiter(league, "table", "first").stdout
    assert "4 games repeated an earlier one ply by ply: counted in the points, not in the ratings." in table
    (pairing,) = rows(league, "first", "--by", "pairing", "--exclude", "random")
    assert pairing["games"] == 6
    assert sum(pairing["pairs"].values()) == 1  # type: ignore[attr-defined]
    assert all(sum(row["pairs"].values()) in (1, 3) for row in rows(league, "first", "--by", "pairing"))  # type: ignore[attr-defined]


def test_repeats_are_found_across_directories(league: Path) -> None:
    """The same seed gives the same games again, those with chance in them, too."""
    table = arbiter(league, "table", "first", "second").stdout
    assert "36 games" in table
    assert f"{4 + 18} games repeated an earlier one ply by ply" in table


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_in_every_format(league: Path, view: str) -> None:
    text = arbiter(league, "table", "first", "second", view)
    assert text.returncode == 0, text.stderr
    assert max(map(len, text.stdout.splitlines())) <= 100
    found = rows(league, "first", "second", view)
    assert found
    lines = list(csv.reader(io.StringIO(arbiter(league, "table", "first", view, "--format=csv").stdout)))
    assert len(lines) == 1 + len(found)
    assert arbiter(league, "table", "first", view, "--format=md").stdout.startswith("## Test league")


def test_only_and_exclude_hold_for_views(league: Path) -> None:
    chosen = rows(league, "first", "--crosstable", "--only", "one", "--only", "random")
    assert {row["name"] for row in chosen} == {"one", "random"}
    assert chosen == rows(league, "first", "--crosstable", "--exclude", "two")
    assert [row["games"] for row in chosen] == [6, 6]


def test_one_view_at_a_time(league: Path) -> None:
    done = arbiter(league, "table", "first", "--crosstable", "--by", "colour")
    assert done.returncode == 2
    assert "not allowed with" in done.stderr
    assert arbiter(league, "table", "first", "--by", "weather").returncode == 2


def test_byes_and_notes_are_those_of_the_bots_that_are_shown(swiss: Path) -> None:
    whole = json.loads(printed(swiss, "table", "one", "--format", "json"))
    byes = {row["name"]: row["bye_points"] for row in whole["bots"] if row["bye_points"]}
    assert len(byes) == 3
    assert any("Game" in note and "was annulled" in note for note in whole["notes"])
    with_bye, *others = byes
    part = json.loads(
        printed(swiss, "table", "one", "--only", with_bye, "--exclude", others[0], "--format", "json")
    )
    assert [(row["name"], row["points"]) for row in part["bots"]] == [(with_bye, 2)]
    (note,) = [note for note in part["notes"] if "byes" in note]
    assert note.endswith(f": {with_bye} 2.")
    for bot in "ac":  # who played the game that was annulled
        rest = json.loads(printed(swiss, "table", "one", "--exclude", bot, "--format", "json"))
        assert rest["annulled"] == []
        assert not any("annulled" in note for note in rest["notes"])


def test_a_row_of_the_crosstable_adds_up(swiss: Path) -> None:
    sheet = json.loads(printed(swiss, "table", "one", "--crosstable", "--format", "json"))
    for row in sheet["rows"]:
        against = sum(points or 0 for points in row["points_against"].values())
        assert row["points"] == against + row["bye_points"]
    assert sum(row["bye_points"] for row in sheet["rows"]) == 6
    text = printed(swiss, "table", "one", "--crosstable")
    head, _, *lines = text.splitlines()[2:9]
    assert head.split() == ["#", "Bot", "Games", "Points", "Byes", "1", "2", "3", "4", "5"]
    assert sum(float(line.split()[4]) for line in lines) == 6
    assert "Points include those for byes and for games that an opponent did not play" in text
    header = printed(swiss, "table", "one", "--crosstable", "--format", "csv").splitlines()[0]
    assert header.startswith("name,rank,games,points,bye_points,points_against ")
    league = csv.DictReader(io.StringIO(printed(swiss, "table", "one", "--format", "csv")))
    assert sum(float(row["bye_points"]) for row in league) == 6
