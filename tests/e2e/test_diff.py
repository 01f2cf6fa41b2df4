"""Two versions of a bot asked about the same positions."""

import json
import re
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from arbiter.bench.positions import Phase, made_positions, recorded_positions
from protocol.records import read_records, replay
from protocol.rules import parse_dpos, parse_ply
from tests.e2e.commands import CUP, ODD, arbiter, at_once, processes_in
from tests.e2e.terminal import Terminal
from tests.protocol.drec_samples import EXAMPLE

OLD = f"{ODD} none"
NEW = """
import sys
legal = []
for line in sys.stdin:
    word, *rest = line.split() or [""]
    if word == "dvp":
        print("dvpok", flush=True)
    if word == "legal":
        legal = rest
    if word == "go":
        late = " m" in board and len(legal) < 12
        print("info score", len(legal), "nodes", "NODES")
        print("move", legal[-1 if late else 0], flush=True)
    if word == "board":
        board = line
    if word == "quit":
        break
"""

LISTENS_TO_POSITIONS = """
import sys
from protocol.rules import Position, parse_dpos, parse_ply
for line in sys.stdin:
    word, *rest = line.split()
    if word == "dvp":
        print("feature noboard nolegal", "dvpok", sep="\\n", flush=True)
    if word == "newgame":
        side = rest[0]
    if word == "position":
        start, _, plies = " ".join(rest).partition(" moves ")
        position = Position.start() if start == "start" else parse_dpos(start)
        for text in plies.split():
            position = position.play(parse_ply(text))
        assert position.to_move.word == side
    if word == "go":
        print("move", min(ply.text for ply in position.legal_plies()), flush=True)
    if word == "quit":
        break
"""


def test_made_positions_are_sound_different_and_of_every_phase() -> None:
    questions = made_positions(60, 7)
    assert questions == made_positions(60, 7)
    assert questions != made_positions(60, 8)
    assert len({question.position for question in questions}) == 60
    phases = Counter(question.phase for question in questions)
    assert phases[Phase.PLACEMENT] == 12
    assert min(phases[phase] for phase in Phase) >= 5
    for question in questions:
        position = question.start
        for text in question.plies:
            position = position.play(parse_ply(text))
        assert position == question.position
        assert len(position.legal_plies()) > 1


@pytest.fixture
def versions(tmp_path: Path) -> Path:
    (tmp_path / "new.py").write_text(NEW.replace('"NODES"', "9"))
    return tmp_path


def test_equal_versions_need_no_test(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "diff", OLD, OLD, "--positions", "40", "--nodes", "500")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "40 positions, seed 1, nodes 500: 0 answers differ"
    assert lines[1].split() == ["placement", "0", "of", "8"]
    assert lines[-1] == "the two answer alike: no test is needed"


def test_differences_are_found_and_shown(versions: Path) -> None:
    arguments = ("diff", "python3 new.py", OLD, "--positions", "40", "--depth", "3", "--seed", "4")
    done = arbiter(versions, *arguments, "--format", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["bots"], found["limits"]["depth"]) == (["new", "odd"], 3)
    assert found["positions"] == 40
    assert 0 < found["differ"] == len(found["differing"]) < 40
    assert found["unsteady"] == [0, 0]
    assert found["phases"]["placement"] == {"asked": 8, "differ": 0}
    for each in found["differing"]:
        plies = sorted(ply.text for ply in parse_dpos(each["position"]).legal_plies())
        assert len(plies) < 12
        assert each["answers"] == [plies[-1], plies[0]]
        assert each["scores"] == [str(len(plies)), None]
    done = arbiter(versions, *arguments)
    assert done.returncode == 1
    assert f"{found['differ']} answers differ" in done.stdout
    shown = [line.split()[-3] for line in done.stdout.splitlines() if line.endswith(" m")]
    assert sorted(shown) == sorted(each["position"].split()[0] for each in found["differing"])[: len(shown)]
    assert done.stdout.endswith("which is the better: arbiter ab 'python3 new.py' " + f"'{OLD}'\n")


def test_a_program_is_not_to_be_tried_against_itself(versions: Path) -> None:
    (versions / "wild.py").write_text(
        NEW.replace("legal[-1 if late else 0]", "__import__('random').choice(legal)")
    )
    done = arbiter(
        versions, "diff", "python3 wild.py", "python3 wild.py", "--positions", "20", "--depth", "3"
    )
    assert done.returncode == 1
    assert " 0 answers differ" not in done.stdout
    assert "arbiter ab" not in done.stdout
    assert done.stdout.endswith("\n\nboth are the same program: none is the better\n")


def test_a_bot_without_steadiness_or_limits_is_named(versions: Path) -> None:
    (versions / "wild.py").write_text(
        NEW.replace('"NODES"', "123456").replace(
            "legal[-1 if late else 0]", "__import__('random').choice(legal)"
        )
    )
    done = arbiter(versions, "diff", "python3 wild.py", OLD, "--positions", "20", "--nodes", "1000")
    assert done.returncode == 1
    assert "wild, asked again, answered " in done.stdout
    assert "wild does not keep to the limit: nodes 123,456 where 1,000 were asked for" in done.stdout
    assert "odd, asked again" not in done.stdout


def test_history_and_side_are_told(tmp_path: Path) -> None:
    (tmp_path / "deaf.py").write_text(LISTENS_TO_POSITIONS)
    done = arbiter(tmp_path, "diff", f"{sys.executable} deaf.py", OLD, "--positions", "25")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_positions_out_of_records(tmp_path: Path) -> None:
    (tmp_path / "games.drec").write_text(EXAMPLE)
    done = arbiter(tmp_path, "diff", OLD, OLD, "--from", "games.drec", "--time", "500ms", "--positions", "5")
    assert done.stdout.startswith("5 positions, seed 1, movetime 500: 0 answers differ")
    (record,) = read_records(EXAMPLE, "games.drec")
    positions = replay(record)
    questions = recorded_positions([record], 1000, 3)
    assert [question.position for question in questions] == [
        position for position in dict.fromkeys(positions) if len(position.legal_plies()) > 1
    ]


def test_a_failing_bot_is_asked_on_and_told_apart(tmp_path: Path) -> None:
    once = f"{ODD} say 'move Z9\\n' --at 2"
    done = arbiter(tmp_path, "diff", once, OLD, "--positions", "12", "--format", "json")
    found = json.loads(done.stdout)
    assert {answers[0] for answers in (each["answers"] for each in found["differing"])} == {"syntax"}
    assert "Z9" in found["differing"][0]["details"][0]
    done = arbiter(tmp_path, "diff", f"{ODD} exit 3 --at 1 --always", OLD, "--positions", "12")
    assert done.returncode == 1
    assert done.stderr.startswith("arbiter: odd new: failed 3 times in a row, the last by crash: exited with")
    done = arbiter(tmp_path, "diff", OLD, f"{ODD} none --hello 'error no\\n'", "--positions", "12")
    assert "arbiter: odd old: the bot cannot play: no" in done.stderr


def test_bots_that_fail_alike_are_not_said_to_be_alike(tmp_path: Path) -> None:
    bots = (f"{ODD} exit 3 --at 3", f"{ODD} exit 4 --at 3")
    done = arbiter(tmp_path, "diff", *bots, "--positions", "12", "--nodes", "50")
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[0]) == (1, "12 positions, seed 1, nodes 50: 0 answers differ")
    assert re.fullmatch(
        r"odd new failed at \d+ of 12 positions, first by crash: exited with status 3", lines[-3]
    )
    assert lines[-2] == lines[-3].replace(" new ", " old ").replace("status 3", "status 4")
    assert lines[-1] == f"what failed comes first: {shlex.join(['arbiter', 'check', bots[0]])}"


def test_a_little_late_at_every_position_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the two sides is asked three times at least, for longer together than it may be late at once."""
    monkeypatch.setattr("arbiter.bench.interview._STALL", 1_500)
    late = (f"{ODD} late 0.6 --at 1 --always", OLD)
    done = at_once("diff", *late, "--positions", "6", "--time", "1ms", "--concurrency", "1", cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "the two answer alike: no test is needed")
    silent = (f"{ODD} silent --at 2", OLD)
    done = at_once("diff", *silent, "--positions", "6", "--time", "1ms", "--concurrency", "1", cwd=tmp_path)
    assert (done.returncode, "first by timeout: " in done.stdout) == (1, True)


def test_what_the_machine_kept_from_an_answer_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.bench.interview._STALL", 1_500)
    monkeypatch.setattr("arbiter.match.referee.MOST_WAITING", -1)
    (tmp_path / "sleepy.sh").write_text(
        f"echo >> starts; [ $(wc -l < starts) -le 2 ] && exec {ODD} silent --at 2\nexec {OLD}\n"
    )
    done = at_once("diff", "sh sleepy.sh", OLD, "--positions", "6", "--time", "1ms", cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "the two answer alike: no test is needed")
    assert done.stdout.startswith("6 positions, ")
    assert len((tmp_path / "starts").read_text()) > 2


def test_what_the_machine_keeps_from_every_answer_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.bench.interview._STALL", 300)
    monkeypatch.setattr("arbiter.match.referee.MOST_WAITING", -1)
    silent = f"{ODD} silent --at 1 --always"
    done = at_once("diff", silent, OLD, "--positions", "1", "--time", "1ms", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "odd new: failed 3 times in a row, the last by void: " in done.stderr


BAD = [
    (("diff", CUP, OLD), "codecup speaks the CodeCup dialect, in which no position can be told"),
    (("diff", OLD, OLD, "--nodes", "5", "--depth", "2"), "not allowed with argument"),
    (("diff", OLD, OLD, "--time", "5"), "needs a unit"),
    (("diff", OLD, OLD, "--from", "none.drec"), "none.drec: no such file"),
    (("diff", OLD, OLD, "--from", "none.drec", "--openings", "random"), "leave one of them out"),
    (("diff", OLD, OLD, "--openings", "balance"), "did you mean `balanced`?"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_input_is_one_clear_message(
    refused: Callable[..., str], arguments: tuple[str, ...], words: str
) -> None:
    assert words in refused(*arguments)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_progress_is_shown_and_an_interrupt_keeps_what_was_found(tmp_path: Path, number: int) -> None:
    slow = f"{ODD} late 0.2 --at 1 --always"
    with Terminal(tmp_path, "diff", slow, OLD, "--positions", "100") as terminal:
        terminal.read_until("3 of 100 positions, 0 differ")
        assert len(processes_in(tmp_path)) > 2
        terminal.interrupt(number)
        assert terminal.finish() == 130
        lines = terminal.shown.splitlines()
        assert lines[-1] == "no difference so far; not all positions were asked"
        start = lines.index("interrupted") + 1
        assert re.fullmatch(
            r"\d+ of 100 positions so far, seed 1, nodes 10000: 0 answers differ", lines[start]
        )
        assert "Traceback" not in terminal.text
        assert processes_in(tmp_path) == []


def test_differences_found_before_an_interrupt_are_shown(tmp_path: Path) -> None:
    source = NEW.replace('"NODES"', "9").replace("-1 if late else 0", "-1")
    waits = source.replace("import sys", "import sys, time").replace(
        'print("info', 'time.sleep(0.1); print("info'
    )
    (tmp_path / "slow.py").write_text(waits)
    with Terminal(tmp_path, "diff", "python3 slow.py", OLD, "--positions", "100") as terminal:
        terminal.read_until("4 of 100 positions, 4 differ")
        terminal.interrupt()
        assert terminal.finish() == 130
        rows = [
            line for line in terminal.shown.splitlines() if line.endswith((" w m", " b m", " w p", " b p"))
        ]
        assert len(rows) >= 4
        assert "which is the better: arbiter ab 'python3 slow.py'" in terminal.shown


COUNTS = """
import sys
turns = 0
for line in sys.stdin:
    word, *rest = line.split()
    if word == "dvp":
        print("dvpok", flush=True)
    if word == "newgame":
        side = rest[0]
    if word == "legal":
        legal = rest
    if word == "go":
        turns += 1
        print("move", legal[0], flush=True)
        if turns == 4:
            open(f"answered-{side}", "w")
    if word == "quit":
        break
"""


def test_what_was_found_before_a_bot_gave_up_is_shown(tmp_path: Path) -> None:
    (tmp_path / "steady.py").write_text(COUNTS)
    (tmp_path / "weary.sh").write_text(
        f"echo >> starts; [ $(wc -l < starts) -le 2 ] && exec {ODD} exit 3 --at 4\n"
        "until [ -e answered-white -a -e answered-black ]; do sleep 0.05; done\n"
        f"exec {ODD} exit 3 --at 1\n"
    )
    bots = ("sh weary.sh", "python3 steady.py")
    done = arbiter(tmp_path, "diff", *bots, "--positions", "40", "--concurrency", "9", "--format", "json")
    assert done.returncode == 1
    assert done.stderr.startswith("arbiter: weary: failed 3 times in a row, the last by crash: exited with")
    found = json.loads(done.stdout)
    assert found["wanted"] == 40
    assert 4 <= found["positions"] < 40
    assert {each["answers"][0] for each in found["differing"]} == {"crash"}
