"""Results with hardly anything in them, and names that tables and spreadsheets could stumble over."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.commands import QUICK, arbiter, at_once, entry, quick, start, write_cup

VIEWS = ("", "--crosstable", *(f"--by={v}" for v in ("pairing", "colour", "opening", "ending", "clock")))
NAMES = ("a|b", "=cmd()", "日本語🙂é", "0" * 60, "-1+1", "@sum(A1)", "a,'b`;*c*<d>")
PLAYED = {"empty": 0, "single": 1, "void": 0, "names": 42}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with results of each kind of ``PLAYED``."""
    directory = tmp_path_factory.mktemp("odd")
    write_cup(directory, "round-robin", [quick("a", "late"), quick("b", "late x")], "time: 60s")
    running = start(directory, "run", "cup.yaml", "--results", "empty")
    with running:
        assert running.stdout is not None
        assert "game 1 starts" in running.stdout.readline()
        running.terminate()
        assert running.stderr is not None
        assert running.stderr.read().startswith("interrupted; no game was played yet. Go on with: ")
    for name in ("single", "void"):
        done = at_once("match", QUICK, f"{QUICK} last", "--games", "1", "--results", name, cwd=directory)
        assert done.returncode == 0, done.stderr
    done = at_once("annul", "void", "--game", "1", "--why", "=HYPERLINK(1)", cwd=directory)
    assert done.returncode == 0, done.stderr
    bots = [entry(name, f"{QUICK} first {number}") for number, name in enumerate(NAMES)]
    write_cup(directory, "round-robin", bots, 'tournament: "=1+1 | *x* <b>"')
    done = at_once("run", "cup.yaml", "--results", "names", cwd=directory)
    assert done.returncode == 0, done.stderr
    return directory


@pytest.fixture
def printed(results: Path) -> Callable[..., str]:
    """What a command prints that is right about everything."""

    def say(*arguments: str) -> str:
        done = at_once(*filter(None, arguments), cwd=results)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return say


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_in_every_format(printed: Callable[..., str], name: str, view: str) -> None:
    lines = printed("table", name, view).splitlines()
    assert max(len(line) for line in lines if " · " not in line) <= 100
    markdown = printed("table", name, view, "--format", "md")
    assert ("a\\|b" in markdown) == ("a|b" in "".join(lines))
    header, *rows = csv.reader(io.StringIO(printed("table", name, view, "--format", "csv")))
    assert [len(row) for row in rows] == [len(header)] * len(rows)
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "@", "-1+"))]
    document = json.loads(printed("table", name, view, "--format", "json"))
    assert len(document["rows" if view else "bots"]) == len(rows)
    if not view:
        assert document["games"] == PLAYED[name]
        assert f"{PLAYED[name]} game" in markdown


@pytest.mark.parametrize("name", PLAYED)
def test_exports(printed: Callable[..., str], results: Path, name: str) -> None:
    stored = 1 if name == "void" else PLAYED[name]
    games = json.loads(printed("export", name, "--format", "json"))["games"]
    rows = list(csv.DictReader(io.StringIO(printed("export", name, "--format", "csv"))))
    (results / f"{name}.drec").write_text(printed("export", name), encoding="utf-8")
    assert len(games) == len(rows) == stored
    assert [row["plies"] for row in rows] == [str(len(game["plies"])) for game in games]
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "@", "-1+"))]
    if stored:
        counted = f"{stored} game{'' if stored == 1 else 's'}"
        assert printed("verify", f"{name}.drec") == f"{counted}, all consistent\n"


def test_only_what_a_spreadsheet_would_compute_is_marked_as_a_text(printed: Callable[..., str]) -> None:
    rows = csv.DictReader(io.StringIO(printed("table", "names", "--format", "csv")))
    assert {row["name"] for row in rows} == {
        f"'{name}" if name in ("=cmd()", "-1+1", "@sum(A1)") else name for name in NAMES
    }
    (row,) = csv.DictReader(io.StringIO(printed("export", "void", "--format", "csv")))
    assert (row["white"], row["annulled"]) == ("quick", "'=HYPERLINK(1)")
    # Numbers below zero stay numbers.
    rows = csv.DictReader(io.StringIO(printed("table", "single", "--format", "csv")))
    assert sorted(float(row["elo"]) < 0 for row in rows) == [False, True]


def test_a_single_game_is_one(printed: Callable[..., str]) -> None:
    assert "of 1 game.\n" in printed("table", "single", "--by", "colour")


@pytest.mark.parametrize("form", ["md", "csv"])
def test_formats_for_files_are_utf_8_wherever_they_are_written(
    results: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    for view in ("", "--crosstable"):
        monkeypatch.setenv("PYTHONIOENCODING", "ascii")
        done = arbiter(results, "table", "names", "--format", form, *filter(None, [view]))
        assert "日本語" in done.stdout


def test_programs_with_names_that_no_table_can_hold(tmp_path: Path) -> None:
    """On a command line the name is that of the file."""
    for name in ("a\nb\x1b[31m", "x" * 80, "\udcff"):
        (tmp_path / name).write_text(Path(QUICK).read_text())
        (tmp_path / name).chmod(0o755)
    words = ["match", "./a\nb\x1b[31m", f"./{'x' * 80}", "--games", "1", "--results", "r"]
    done = at_once(*words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"game 1 starts: a_b_[31m - {'x' * 64} (")
    done = at_once("match", "./\udcff", QUICK, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "arbiter: `./\\udcff` is no UTF-8 text; rename the file, or give a link to it\n",
    )
