"""The views of stored games from the command line, over one or several results directories."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.e2e.commands import ODD, arbiter, entry, write_tournament

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
