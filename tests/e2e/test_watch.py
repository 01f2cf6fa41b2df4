"""Watching the sources of a bot: a line of verdict for each save."""

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.commands import BOTS, CUP, ODD, arbiter, processes_in
from tests.e2e.terminal import Terminal

RIVAL = f"{ODD} none"
CLOCK = r"\d\d:\d\d:\d\d"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A bot that is built by copying its source, unless that says `#error`."""
    directory = tmp_path / "mine"
    directory.mkdir()
    (directory / "bot.py").write_text((BOTS / "odd.py").read_text())
    (directory / "build.sh").write_text(
        "if grep -q '^#error' bot.py; then echo 'bot.py:1: error: told so' >&2; exit 1; fi\n"
        "cp bot.py built; date +%s%N > stamp.txt\n"
    )
    (directory / "league.yaml").write_text(
        "tournament: Mine\ntime: 20s\nbots:\n  - sample:random\n"
        f"  - {{name: mine, run: {sys.executable} built none, build: sh build.sh}}\n"
    )
    return tmp_path


def arguments(*more: str) -> tuple[str, ...]:
    return ("watch", "mine", "--against", RIVAL, "--games", "2", "--no-check", *more)


def test_once_is_one_line_of_verdict(project: Path) -> None:
    done = arbiter(project, *arguments("--once"))
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(
        rf"{CLOCK} build ok \d+\.\d s · (0-2|0\.5-1\.5|1-1|1\.5-0\.5|2-0) against odd\n", done.stdout
    )
    again = arbiter(project, *arguments("--once"))
    assert again.stdout.split("·")[1] == done.stdout.split("·")[1]


PLACED = re.compile(r"^1\. [A-K][1-5] ", re.MULTILINE)
"""A record with its placements, which has none when the game starts from a full board."""


def starts(project: Path) -> list[bool]:
    """Whether each game of the last trial started from the empty board."""
    (results,) = (project / "cache").glob("dvonn-arbiter/watch/*/*/league.db")
    records = arbiter(project, "export", str(results.parent)).stdout.split("\n\n[Game ")
    return [PLACED.search(record) is not None for record in records]


def test_games_start_where_it_is_said_and_else_on_the_empty_board(project: Path) -> None:
    arbiter(project, *arguments("--once"))
    assert starts(project) == [True, True]
    arbiter(project, *arguments("--once", "--openings", "symmetric"))
    assert starts(project) == [False, False]
    league = project / "mine" / "league.yaml"
    board = "bwbwwwwrb/bbbwwbrwbb/wwrwbbwbwwb/wwbwbwbwbw/bbwbbwbwb w m"
    (project / "mine" / "book.dpos").write_text(f"{board}\n")
    league.write_text(league.read_text().replace("bots:", "openings: {file: book.dpos}\nbots:"))
    arbiter(project, *arguments("--once"))
    assert starts(project) == [False, False]
    against = ("watch", "mine", "--against", CUP, "--games", "2", "--no-check", "--once")
    assert arbiter(project, *against).stdout.endswith(" against codecup (from the empty board)\n")


def test_a_failing_build_shows_its_first_errors(project: Path) -> None:
    (project / "mine/bot.py").write_text("#error\n")
    done = arbiter(project, *arguments("--once"))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert re.fullmatch(rf"{CLOCK} build FAILED \d\.\d s", lines[0])
    assert lines[1] == "    bot.py:1: error: told so"
    assert "told so" in Path(lines[-1].partition("all of it: ")[2]).read_text()


def test_forfeits_are_explained_with_a_command_that_repeats_them(project: Path) -> None:
    options = ("--once", "--run", f"{ODD} exit 3")
    done = arbiter(project, *arguments(*options))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert re.fullmatch(rf"{CLOCK} 0-2 \(2 forfeited\) against odd-2", lines[0])
    assert lines[1] == "    game 1 as white, ply 5: crash: exited with status 3"
    command = lines[2].partition("again: ")[2].split()
    assert arbiter(project, *command[1:]).returncode == 0
    done = arbiter(project, *arguments("--once", "--run", "./missing"))
    assert done.returncode == 1
    assert "does not start" in done.stdout
    assert "missing: no such file" in done.stdout


def test_saves_are_noticed_and_a_save_during_a_run_begins_it_anew(project: Path) -> None:
    source, good = project / "mine/bot.py", (BOTS / "odd.py").read_text()
    with Terminal(project, *arguments()) as terminal:
        terminal.read_until("watching 3 files in mine; Ctrl-C ends it\n")
        terminal.read_until("each time: build, 2 games against odd, from the empty board\n")
        assert " build ok " in terminal.read_until(" against odd")
        terminal.read_until("\n")
        source.write_text("#error\n" + good)
        terminal.read_until(" build FAILED ")
        terminal.read_until("all of it: ")
        source.write_text(good.replace("turn, legal = 0", "time.sleep(9); turn, legal = 0"))
        terminal.read_until(" build ok ")
        source.write_text(good)
        terminal.read_until(" · saved again\n")
        terminal.read_until(" against odd")
        terminal.read_until("\n")
        # Neither the built program nor the file that each build writes anew counts as a save.
        with pytest.raises(AssertionError, match="never came"):
            terminal.read_until("build", timeout=1.5)
        (project / "mine/league.yaml").write_text("bots: [sample:random]\n")
        terminal.read_until(" no bot\n")
        terminal.read_until("`tournament` is missing")
        terminal.type("\x03")
        assert terminal.finish() == 130
        assert "Traceback" not in terminal.text
    assert processes_in(project / "mine") == []
    assert processes_in(project) == []


def test_ctrl_c_in_the_middle_leaves_nothing(project: Path) -> None:
    with Terminal(project, *arguments("--run", f"{ODD} silent")) as terminal:
        terminal.read_until("watching")
        while not processes_in(project / "mine"):
            time.sleep(0.02)
        terminal.type("\x03")
        assert terminal.finish() == 130
    assert processes_in(project / "mine") == []


BAD = [
    (("nowhere",), "nowhere: no such directory"),
    (("empty",), "empty: there is no league.yaml"),
    (("mine", "--build", "make"), "--build goes with --run"),
    (("mine", "--run", "a && b"), "means something to a shell only"),
    (("mine", "--against", "sample:rando"), "did you mean `random`?"),
    (("mine", "--time", "5"), "needs a unit"),
    (("mine", "--openings", "balancd"), "did you mean `balanced`?"),
    (("mine", "--openings", "book.drec"), "openings: book.drec: no such file"),
    (("mine", "--openings", "random", "--against", "sample:camel"), "the empty board only"),
]


@pytest.mark.parametrize(("options", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_input_is_one_clear_message(
    project: Path, refused: Callable[..., str], options: tuple[str, ...], words: str
) -> None:
    (project / "empty").mkdir()
    assert words in refused("watch", *options)


def test_a_cache_that_cannot_be_written_is_one_clear_message(
    project: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "cache").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(project / "cache"))
    said = refused("watch", str(project / "mine"), "--once")
    assert said.startswith(f"arbiter: {project}/cache/dvonn-arbiter/watch/mine-")
    assert ": logs and results cannot be kept there: Not a directory\n" in said
    assert said.endswith("  XDG_CACHE_HOME names another place than ~/.cache\n")
