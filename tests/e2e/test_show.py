"""Stepping through a recorded game in a terminal."""

import shutil
import signal
import sys
from pathlib import Path

import pytest

from protocol.records import format_record, replay
from tests.e2e.commands import arbiter
from tests.e2e.terminal import Terminal
from tests.protocol.drec_samples import broken_off, finished, with_header

LEFT, RIGHT, END, PAGE_UP = "\x1b[D", "\x1b[C", "\x1b[F", "\x1b[5~"
BOTTOM = "q quit"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    records = [
        with_header(finished(0), Number="4"),
        with_header(broken_off(1, 30, "0-1", "crash"), Number="7"),
    ]
    (tmp_path / "games.drec").write_text("\n".join(map(format_record, records)))
    return tmp_path


def test_keys_lead_through_the_game_and_the_terminal_comes_back(games: Path) -> None:
    with Terminal(games, "show", "games.drec", "--game", "4", rows=30) as terminal:
        assert "ply 78 of 78: white I4H4" in terminal.read_until(BOTTOM)
        assert terminal.modes() != terminal.modes_before
        for keys, seen in (
            (LEFT, "ply 77 of 78: black PASS"),
            ("p", "ply 76 of 78: "),
            (RIGHT, "ply 77 of 78: "),
            ("n", "ply 78 of 78: "),
            (RIGHT, "ply 78 of 78: "),
            (PAGE_UP, "ply 68 of 78: "),
            ("g61\r", "ply 61 of 78: black C3D3, removed A1 B1, A2 W3, B2 W1, A3 B1, B3 W1, B4 B3"),
            ("g999\n", "ply 78 of 78: "),
            ("<", "start, 78 plies follow"),
            ("p", "start, 78 plies follow"),
            (END, "ply 78 of 78: "),
            ("N", "game 7: Ann (white) against Bob (black)"),
            ("N", "game 7: Ann (white) against Bob (black)"),
            ("P", "game 4: Ann (white) against Bob (black)"),
            ("g5\x7f7\r", "ply 7 of 78: "),
        ):
            terminal.type(keys)
            terminal.read_until(seen)
            terminal.read_until(BOTTOM)
        terminal.type("l")
        legal = sorted(ply.text for ply in replay(finished(0))[7].legal_plies())
        assert f"legal: {' '.join(legal[:5])}" in terminal.read_until(BOTTOM)
        terminal.type("q")
        assert terminal.finish() == 0
        assert terminal.modes() == terminal.modes_before
        after = terminal.text.rpartition("\x1b[?1049l")[2]
        assert "\x1b[?25h" in terminal.text
        assert "ply 7 of 78: " in after  # what was seen last stays
        assert "\x1b[1;38;5;231;48;5;160m" in after


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGHUP, 130)]
)
def test_a_signal_gives_the_terminal_back(games: Path, number: int, status: int) -> None:
    with Terminal(games, "show", "games.drec", "--game", "4") as terminal:
        terminal.read_until(BOTTOM)
        terminal.interrupt(number)
        assert terminal.finish() == 130
        assert terminal.modes() == terminal.modes_before
        assert terminal.text.endswith("\x1b[?7h\x1b[?25h\x1b[?1049l")


@pytest.mark.needs("bash")
def test_it_stops_and_goes_on_like_any_program(games: Path) -> None:
    bash = (shutil.which("bash") or "", "--norc", "-i")
    with Terminal(games, program=bash, PS1="ready> ") as terminal:
        terminal.read_until("ready> ")
        terminal.type(f"{sys.executable} -m arbiter show games.drec --game 4\n")
        terminal.read_until(BOTTOM)
        terminal.type("\x1a")
        terminal.read_until("Stopped")
        assert "\x1b[?1049l" in terminal.text
        terminal.read_until("ready> ")
        terminal.type("fg\n")
        terminal.read_until(BOTTOM)
        terminal.type("p")
        terminal.read_until("ply 77 of 78")
        terminal.type("q")
        terminal.read_until("ready> ")
        terminal.type("exit\n")
        assert terminal.finish() == 0


def test_a_small_terminal_shows_what_it_can(games: Path) -> None:
    with Terminal(games, "show", "games.drec", "--game", "7", rows=10, columns=50) as terminal:
        text = terminal.read_until("g go")
        assert len(text.splitlines()) == 10
        terminal.type("q")
        assert terminal.finish() == 0


def test_pipes_and_chosen_plies_stay_as_they_are(games: Path) -> None:
    with Terminal(games, "show", "games.drec", "--game", "4", "--ply", "7", "--legal") as terminal:
        assert terminal.finish() == 0
        assert "\x1b[?1049h" not in terminal.text
        assert "legal: A1 A2" in terminal.shown
    with Terminal(games, "show", "games.drec", "--game", "4", TERM="dumb") as terminal:
        assert terminal.finish() == 0
        assert "\x1b" not in terminal.text
    done = arbiter(games, "show", "games.drec", "--game", "7", "--legal")
    assert "legal: B4 C1 E2" in done.stdout
    assert "; the game ended here: crash, 0-1" in done.stdout
