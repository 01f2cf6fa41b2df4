"""The commands verify, show and perft as a user types them."""

import gc
import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from arbiter.cli import main
from protocol.records import Reading, Record, Unread, format_record, format_records
from protocol.rules import parse_dpos
from tests.protocol.drec_samples import EXAMPLE, broken_off, finished, golden_games, with_comment, with_header

SETUP = "........w/....w4*b2..b3./.......b3w7*../......b3.../......... w m"


@pytest.fixture
def games(tmp_path: Path) -> str:
    path = tmp_path / "games.drec"
    path.write_text(format_records([finished(0), finished(1), broken_off(2, 51, "0-1", "timeout")]))
    return str(path)


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def write(tmp_path: Path, *records: Record) -> str:
    path = tmp_path / "some.drec"
    path.write_text(format_records(records), encoding="utf-8")
    return str(path)


# --- verify ------------------------------------------------------------------------------------------------


def test_verify_consistent_files(games: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", games]) == 0
    assert capsys.readouterr().out == "3 games, all consistent\n"
    assert main(["verify", games, games]) == 0
    assert capsys.readouterr().out == "6 games, all consistent\n"


@pytest.mark.parametrize(
    "command", [("verify",), ("show",), ("replay",), ("openings", "--check")], ids=" ".join
)
def test_nobody_waits_for_a_pipe(
    tmp_path: Path,
    command: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("a pipe")
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was opened"))
    assert main([*command, "a pipe"]) == 2
    error = capsys.readouterr().err
    assert "a pipe: a pipe, not a file\n" in error
    assert "- reads standard input: < 'a pipe'\n" in error


def test_what_a_shell_opened_for_us_is_read(games: str, capsys: pytest.CaptureFixture[str]) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, Path(games).read_bytes()[:60_000])
    os.close(write_end)
    assert main(["verify", f"/dev/fd/{read_end}"]) == 0
    os.close(read_end)
    assert capsys.readouterr().out == "3 games, all consistent\n"


def test_verify_all_golden_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, *(finished(index) for index in range(len(golden_games()))))
    assert main(["verify", path]) == 0
    assert capsys.readouterr().out == "150 games, all consistent\n"


def test_verify_names_file_line_game_and_ply(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.drec"
    path.write_text(
        EXAMPLE + "\n" + EXAMPLE.replace("2. G1", "\n2. D1") + "\n" + EXAMPLE.replace("1-1", "0-1")
    )
    assert main(["verify", str(path)]) == 1
    first, second, summary = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{path}:25: game 2, ply 3: illegal (occupied): D1: ")
    assert second == f'{path}:35: game 3: header Score "0-1": the board says 1-1'
    assert summary == "3 games, 2 with faults"


def test_verify_goes_on_behind_a_broken_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.drec"
    path.write_text(
        EXAMPLE.replace("pv=A1B1,B2C2}", "") + "\n" + EXAMPLE.replace("1-1", "0-1") + "\n" + EXAMPLE
    )
    assert main(["verify", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.removeprefix(str(path)).split(":")[1] for line in lines[:2]] == ["11", "21"]
    assert lines[2] == "3 games, 2 with faults"


def test_verify_reports_unreadable_files_and_checks_the_others(
    tmp_path: Path, games: str, capsys: pytest.CaptureFixture[str]
) -> None:
    noise = tmp_path / "noise"
    noise.write_bytes(bytes(range(256)))
    assert main(["verify", "/no/such.drec", str(tmp_path), str(noise), games]) == 2
    captured = capsys.readouterr()
    assert captured.out == "3 games, all consistent\n"
    assert "/no/such.drec: no such file" in captured.err
    assert f"{tmp_path}: a directory" in captured.err
    assert f"{noise}:2: byte 0x80 is not UTF-8" in captured.err
    bad = tmp_path / "bad.drec"
    bad.write_text(EXAMPLE.replace("1-1", "0-1"))
    assert main(["verify", str(bad), "/no/such.drec"]) == 2
    assert "1 game, 1 with faults" in capsys.readouterr().out


def test_verify_an_empty_file(tmp_path: Path, games: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").write_text("\n\n")
    assert main(["verify", str(tmp_path / "empty")]) == 1
    assert capsys.readouterr().out == f"{tmp_path}/empty: no games in this file\n"
    assert main(["verify", str(tmp_path / "empty"), games]) == 1


def test_verify_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    data = io.BytesIO(EXAMPLE.replace("1-1", "2-0").encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=data))
    assert main(["verify", "-"]) == 1
    assert capsys.readouterr().out.startswith("<stdin>:8: game 1: header Score")


# --- perft -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, count",
    [(["0"], 1), (["1"], 49), (["2"], 49 * 48), (["start", "2"], 49 * 48), ([SETUP, "1"], 2)],
)
def test_perft_ends_with_the_bare_count(
    arguments: list[str], count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["perft", *arguments]) == 0
    assert capsys.readouterr().out == f"{count}\n"


def test_perft_divide(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", SETUP, "3", "--divide"]) == 0
    *parts, total = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in parts] == sorted(str(p) for p in parse_dpos(SETUP).legal_plies())
    assert sum(int(line.split()[1]) for line in parts) == int(total)
    assert main(["perft", SETUP, "0", "--divide"]) == 0
    assert capsys.readouterr().out == "1\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["x"], "DEPTH 'x' is not a whole number"),
        (["-1"], "DEPTH '-1' is not a whole number"),
        (["1.5"], "DEPTH '1.5' is not a whole number"),
        ([SETUP], "DEPTH is missing"),
        (["nonsense", "1"], "DPOS: "),
        ([SETUP.replace("b2..b3.", "b2.b3.."), "1"], "DPOS: K5: no chain of neighbours"),
        ([SETUP.replace("w7*", "w50*"), "1"], "DPOS: I3: "),
    ],
)
def test_perft_refuses_bad_input(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["perft", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert not captured.out


# --- show --------------------------------------------------------------------------------------------------


def test_show_lists_the_games_of_a_file(games: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", games]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["game", "white", "black", "result", "score", "termination", "plies"]
    assert lines[2].split() == ["1", "Ann", "Bob", "1/2-1/2", "12-12", "normal", "78"]
    assert lines[4].split()[0] == "3"
    assert f"arbiter show {games} --game 1" in lines[-1]


def test_show_the_last_position(games: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", games, "--game", "1"]) == 0
    out = capsys.readouterr().out
    assert "game 1: Ann (white) against Bob (black)\nresult 1/2-1/2, score 12-12, normal\n" in out
    assert "B9*" in out
    assert (
        "ply 78 of 78: white I4H4\nscore: white 12, black 12\nthe game is over: neither side can move\n"
        in out
    )


def test_show_a_ply_and_what_it_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, with_comment(finished(0), 60, used="412", score="3.5"))
    assert main(["show", path, "--ply", "61"]) == 0
    out = capsys.readouterr().out
    assert "ply 61 of 78: black C3D3, removed A1 B1, A2 W3, B2 W1, A3 B1, B3 W1, B4 B3\n" in out
    assert "  used=412 score=3.5\n" in out
    assert " 3   x     x    [.]   [B2]" in out.replace("·", ".")
    assert "white to move, " in out
    assert main(["show", path, "--ply", "0"]) == 0
    out = capsys.readouterr().out
    assert (
        "start, 78 plies follow\nscore: white 0, black 0\nwhite to place a red piece, 49 empty spaces\n"
        in out
    )
    assert main(["show", path, "--ply", "77"]) == 0
    assert "black PASS" in capsys.readouterr().out
    assert main(["show", path, "--ply", "76"]) == 0
    assert "black to move, but has no stack move and must pass\n" in capsys.readouterr().out


def test_show_how_a_game_was_broken_off(games: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", games, "--game", "3"]) == 0
    assert "; the game ended here: timeout, 0-1\n" in capsys.readouterr().out
    assert main(["show", games, "--game", "3", "--ply", "50"]) == 0
    assert "ended here" not in capsys.readouterr().out


def test_show_json(games: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", games, "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)["games"]
    assert [game["game"] for game in listed] == [1, 2, 3]
    assert listed[0]["score"] == "12-12"
    assert main(["show", games, "--game", "1", "--ply", "61", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["game"], data["ply"], data["last"]) == (1, 61, "C3D3")
    assert data["removed"] == ["A1", "A2", "A3", "B2", "B3", "B4"]
    assert parse_dpos(data["dpos"]).to_move.word == data["to_move"] == "white"
    assert (data["phase"], data["over"]) == ("movement", False)
    assert data["stacks"]["D3"] == {"height": 2, "top": "black", "red": False}
    assert data["legal"] == sorted(data["legal"])
    assert len(data["legal"]) == golden_games()[0]["legal_counts"][61]
    final = golden_games()[0]
    assert main(["show", games, "--game", "1", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["over"], data["legal"]) == (True, [])
    assert data["scores"] == {"white": final["white"], "black": final["black"]}
    assert {space: stack["height"] for space, stack in data["stacks"].items()} == {
        space: len(pieces) for space, pieces in final["final"].items()
    }


def test_show_lists_the_games_that_a_bot_lost_and_how_to_find_out_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    won, lost = (
        next(game for game in map(finished, range(20)) if game.result == result) for result in ("0-1", "1-0")
    )
    path = write(tmp_path, won, lost, with_header(won, White="Cid"), lost)
    assert main(["show", path, "--lost", "Bob"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:4] for line in lines[2:-3]] == [[n, "Ann", "Bob", "1-0"] for n in "24"]
    assert lines[-2:] == [
        f"The board of one: arbiter show {path} --game 2 [--ply N]",
        "What a stronger bot would have played, and its scores: "
        f"arbiter replay {path} --game 2 sample:searcher --side black --all --depth 4",
    ]
    assert main(["show", path, "--lost", "Bob", "--format", "json"]) == 0
    assert [game["game"] for game in json.loads(capsys.readouterr().out)["games"]] == [2, 4]
    assert main(["show", path, "--lost", "Cid"]) == 0
    assert capsys.readouterr().out.startswith("game 3: Cid (white) against Bob (black)\n")
    for name, words in (("Bobb", "; did you mean `Bob`?"), ("Zoë", "; players: Ann, Bob, Cid")):
        assert main(["show", path, "--lost", name]) == 2
        assert capsys.readouterr().err == f"arbiter: {path}: no player is named {name}{words}\n"
    crashed = write(tmp_path, *[with_header(lost, Termination="crash")] * 2)
    assert main(["show", crashed, "--lost", "Bob"]) == 0
    again = f"replay {crashed} --game 1 ./mybot --side black"  # a file does not tell which program it was
    assert capsys.readouterr().out.endswith(f"\nThe same again: arbiter {again}\n")


def test_show_counts_the_games_of_files_put_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    league, cup = (with_header(finished(index), Number="1", Event=event) for index, event in enumerate("ab"))
    path = tmp_path / "two leagues.drec"
    path.write_text("no game\n\n" + format_records([league, cup]))
    assert main(["show", str(path)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown[2:5]] == ["1", "2", "3"]
    assert shown[-1] == f"The board of one: arbiter show '{path}' --game 2 [--ply N]"
    assert main(["show", str(path), "--game", "3"]) == 0
    assert capsys.readouterr().out.splitlines()[::2][:2] == [
        "game 3: Ann (white) against Bob (black)",
        "b, 2026-11-29T21:10:03+00:00, round 1.1, time 5000+100",
    ]


def test_show_finds_games_by_the_number_of_their_schedule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, with_header(finished(0), Number="17"), with_header(finished(1), Number="3"))
    assert main(["show", path, "--game", "3"]) == 0
    assert "game 3: Ann" in capsys.readouterr().out
    assert main(["show", path, "--game", "1"]) == 2
    assert "no game 1\n  its games have numbers from 3 to 17\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--game", "4"], "no game 4"),
        (["--game", "0"], "no game 0"),
        (["--game", "1", "--ply", "79"], "game 1 has no ply 79\n  choose --ply from 0 (the start) to 78"),
        (["--game", "1", "--ply", "-1"], "game 1 has no ply -1"),
        (["--ply", "3"], "3 games, and --ply needs one\n  choose with --game N"),
    ],
)
def test_show_refuses_what_is_not_there(
    arguments: list[str], message: str, games: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", games, *arguments]) == 2
    assert message in capsys.readouterr().err


def records_in_memory() -> int:
    return sum(isinstance(thing, Record) for thing in gc.get_objects())


@pytest.mark.parametrize(
    ("options", "most"),
    [(["--game", "90", "--ply", "3"], 2), ([], 41), (["--lost", "Bob"], 101), (["--format", "json"], 101)],
)
def test_of_many_games_only_those_shown_are_read_and_one_is_in_memory(
    tmp_path: Path,
    options: list[str],
    most: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write(tmp_path, *[with_header(finished(1), Number=str(n)) for n in range(1, 101)])
    read, games, before = Unread.read, [0], records_in_memory()

    def counted(unread: Unread) -> Reading:
        reading = read(unread)
        games[0] += 1
        if games[0] == 40:
            assert records_in_memory() - before <= 3
        return reading

    monkeypatch.setattr(Unread, "read", counted)
    assert main(["show", path, *options]) == 0
    assert capsys.readouterr().out.startswith(("game 90: ", "{", "  game  white"))
    assert 1 <= games[0] <= most


def test_show_with_a_broken_game_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.drec"
    path.write_text(EXAMPLE.removesuffix("1-0\n") + "\n" + EXAMPLE.replace("G1 D5", "D5 D5"))
    assert main(["show", str(path)]) == 0
    assert "(not readable)" in capsys.readouterr().out
    assert main(["show", str(path), "--game", "1"]) == 2
    assert f"{path}:11: game 1, ply 5: no result at the end" in capsys.readouterr().err
    assert main(["show", str(path), "--game", "2"]) == 2
    captured = capsys.readouterr().err
    assert f"{path}:23: game 2, ply 4: illegal (occupied): D5" in captured
    assert "the board before it: --ply 3" in captured
    assert main(["show", str(path), "--game", "2", "--ply", "3"]) == 0


def test_show_without_games_or_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").touch()
    assert main(["show", str(tmp_path / "empty")]) == 2
    assert "no games in it" in capsys.readouterr().err
    assert main(["show", str(tmp_path / "missing")]) == 2
    assert "missing: no such file" in capsys.readouterr().err


class Terminal(io.TextIOWrapper):
    """Standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "encoding, variables, colour, unicode",
    [
        ("utf-8", {}, True, True),
        ("ascii", {}, True, False),
        ("utf-8", {"NO_COLOR": "1"}, False, True),
        ("utf-8", {"NO_COLOR": ""}, True, True),
        ("latin-1", {"TERM": "dumb"}, False, False),
    ],
)
def test_show_uses_what_the_terminal_can_do(
    encoding: str,
    variables: dict[str, str],
    colour: bool,
    unicode: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = write(tmp_path, with_header(finished(0), White="Žižka"))
    for name, value in variables.items():
        monkeypatch.setitem(os.environ, name, value)
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Terminal(raw, encoding=encoding))
    assert main(["show", path]) == 0
    sys.stdout.flush()
    text = raw.getvalue().decode(encoding)
    assert ("\x1b[" in text) == colour
    assert ("·" in text) == unicode
    assert ("Žižka" in text) == unicode
    assert unicode or r"\u017di\u017eka" in text or r"\u017di" in text


def test_control_characters_of_a_record_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, with_header(finished(0), White="\x1b[2Jbad", Date="\x07"), finished(1))
    for command in (["verify", path], ["show", path], ["show", path, "--game", "1"]):
        main(command)
        out = capsys.readouterr().out
        assert "\x1b" not in out
        assert "\x07" not in out
        assert r"\x1b[2Jbad" in out or r"\x07" in out


def test_written_files_verify(tmp_path: Path) -> None:
    path = tmp_path / "one.drec"
    path.write_text(format_record(with_comment(broken_off(5, 20, "0-1", "illegal"), 19, illegal="A1K5")))
    assert main(["verify", str(path)]) == 0


# --- numbers in records that are none ----------------------------------------------------------------------


@pytest.mark.parametrize("value", ["9" * 5_000, "9" * 30 + "+0", "5 min + 3", "movetime:", "+", "²", "-1"])
def test_senseless_numbers_break_nothing(tmp_path: Path, value: str) -> None:
    record = with_comment(broken_off(0, 2, "0-1", "timeout"), 1, left=value)
    path = write(tmp_path, with_header(record, Seed=value, Number=value, Score=value, TimeControl=value))
    bot = f"{sys.executable} {Path(__file__).parents[1] / 'bots' / 'odd.py'} none"
    assert main(["show", path]) == 0
    assert main(["verify", path]) == 1
    assert main(["replay", path, bot, "--side", "white"]) in (0, 1)
