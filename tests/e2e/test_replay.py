"""What is kept of a failed game, and how it is made to happen again."""

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from arbiter.isolation.levels import Availability
from arbiter.store import League
from tests.e2e.commands import BOTS, CUP, ODD, arbiter, at_once, entry, write_tournament
from tests.protocol.foreign_samples import deeds, sgf

FAIR = f"{ODD} none"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """The bundle of a game that a bot lost by an illegal answer to ply 5."""
    bots = [
        entry("odd", f"{ODD} say 'move A1B1\\\\n'", env="{MINE: yes}", options="{Depth: 3}"),
        entry("fair", f"{ODD} none"),
    ]
    write_tournament(tmp_path, bots)
    done = arbiter(tmp_path, "run", "league.yaml")
    assert "more in results/test-league/failures/game-1" in done.stdout
    return tmp_path / "results/test-league/failures/game-1"


def test_a_bundle_tells_the_whole_story(bundle: Path) -> None:
    assert sorted(path.name for path in bundle.iterdir()) == [
        *("black.log", "black.stderr", "bundle.json", "game.drec", "white.log", "white.stderr")
    ]
    facts = json.loads((bundle / "bundle.json").read_text())
    assert (facts["termination"], facts["offender"], facts["answer"]) == ("illegal", "white", "A1B1")
    assert facts["white"]["env"] == {"MINE": "yes"}
    assert facts["white"]["options"] == {"Depth": "3"}
    log = (bundle / "white.log").read_text().splitlines()
    assert log[0].split()[1:] == [">", "dvp", "1"]
    stamps = [float(line.split()[0]) for line in log if not line.startswith("note")]
    assert stamps == sorted(stamps)
    assert any(line.endswith("< move A1B1") for line in log)
    assert any("option Depth was never announced" in line for line in log)
    verified = arbiter(bundle, "verify", "game.drec")
    assert verified.stdout == "1 game, all consistent\n"


def test_no_bundle_for_games_that_end_well(tmp_path: Path) -> None:
    write_tournament(tmp_path, [entry("a", f"{ODD} none"), entry("b", f"{ODD} say 'resign\\\\n'")])
    arbiter(tmp_path, "run", "league.yaml")
    assert not (tmp_path / "results/test-league/failures").exists()


def test_the_command_in_a_bundle_makes_it_happen_again(bundle: Path) -> None:
    command = json.loads((bundle / "bundle.json").read_text())["reproduce"]
    words = shlex.split(command)
    # The bot is odd at its third turn of a process, so all its turns have to be played.
    done = arbiter(bundle, *words[1:])
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert lines[1].split() == ["5", "white", *["illegal", "A1B1", "-"] * 2, lines[1].split()[8], "same"]
    assert "no stack moves before the board is full" in lines[2]
    assert lines[3].startswith("note: option Depth was never announced")
    assert lines[4:] == ["3 of 3 as recorded"]


def test_the_line_of_a_failed_game_names_the_command(tmp_path: Path) -> None:
    results = "odd results"
    bot = f"{ODD} say 'move A1B1\\n'"
    done = arbiter(tmp_path, "match", bot, f"{ODD} none", "--games", "1", "--results", results)
    line = next(line for line in done.stdout.splitlines() if " ends: " in line)
    words = shlex.split(line.partition(", again: ")[2])
    assert words == ["arbiter", "replay", "odd results/failures/game-1"]
    assert arbiter(tmp_path, *words[1:]).returncode == 0
    # The directory of all results knows its bundles.
    assert arbiter(tmp_path, "replay", results, "--game", "1").stdout.endswith("3 of 3 as recorded\n")


# The third answer comes first, and then what is odd: in the opponent's turn, which it makes long.
_ABORTS = "import threading, os\nafter = lambda: threading.Timer(.02, os.abort).start()"
_CLOSES = "import threading, os\nafter = lambda: threading.Timer(.02, lambda: os.close(1)).start()"
_FINE = "after = lambda: None"
_BOT = """
import sys, time
turn = 0
for line in sys.stdin:
    word, *rest = line.split()
    if word == "dvp": print("dvpok", flush=True)
    if word == "legal": legal = rest
    if word == "go":
        turn += 1
        print("move", legal[0], flush=True)
        if turn == 3: after()
"""
_DIES_OF_NEWGAME = """
import sys
for line in sys.stdin:
    if line.startswith("dvp "): print("dvpok", flush=True)
    if line.startswith("newgame black"): raise RuntimeError("no book for black")
"""


@pytest.mark.parametrize(
    ("bot", "plies", "detail"),
    [
        (_ABORTS + _BOT, 6, "killed by SIGABRT"),
        (_CLOSES + _BOT, 6, "closed its standard output"),
        (_DIES_OF_NEWGAME, 0, "exited with status 1; its last words: RuntimeError: no book for black"),
    ],
    ids=["dies", "closes", "before its first ply"],
)
def test_a_failure_in_the_turn_of_the_opponent_is_repeated(
    tmp_path: Path, bot: str, plies: int, detail: str
) -> None:
    (tmp_path / "bot.py").write_text(bot)
    (tmp_path / "fine.py").write_text(_FINE + _BOT)
    thinker = f"{ODD} silent --at {plies // 2 + 1}"
    words = ("--games", "1", "--time", "60s", "--results", "r")
    arbiter(tmp_path, "match", thinker, "python3 bot.py", *words)
    done = arbiter(tmp_path, "replay", "r/failures/game-1")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    row = lines[1].split()
    assert (row[:6], row[-1]) == ([str(plies + 1), "black", "crash", "-", "crash", "-"], "same")
    assert lines[2].strip() == detail
    asked = plies // 2 + 1
    assert lines[3:] == [f"{asked} of {asked} as recorded"]
    # Nor does the lack of it go unnoticed; nobody waits longer than the opponent's clock allows.
    bundle = tmp_path / "r/failures/game-1/bundle.json"
    facts = json.loads(bundle.read_text())
    facts["white"]["time"]["move"] = 300
    bundle.write_text(json.dumps(facts))
    done = arbiter(tmp_path, "replay", "r/failures/game-1", "python3 fine.py")
    assert done.returncode == 1
    (row,) = [line.split() for line in done.stdout.splitlines() if " DIFFERENT " in line]
    assert row[:6] == [str(plies + 1), "black", "crash", "-", "nothing", "-"]
    assert 300 < float(row[6]) < 2_500  # and never more than three seconds
    assert done.stdout.endswith(f"{asked - 1} of {asked} as recorded\n")


def test_a_bot_that_never_plays_the_same_again_is_told_of_the_seed(tmp_path: Path) -> None:
    (tmp_path / "wild.py").write_text(
        "import random, sys\nturn = 0\nlegal = []\n"
        "for line in sys.stdin:\n"
        "    word, *rest = line.split() or ['']\n"
        "    if word == 'dvp': print('dvpok', flush=True)\n"
        "    if word == 'legal': legal = rest\n"
        "    if word == 'go':\n"
        "        turn += 1\n"
        "        print('move', random.choice(legal) if turn < 9 else 'A9', flush=True)\n"
    )
    arbiter(tmp_path, "match", "python3 wild.py", FAIR, "--games", "1", "--results", "r")
    done = arbiter(tmp_path, "replay", "r/failures/game-1")
    assert done.stdout.splitlines()[-2] == (
        "note: most answers are others than in the game: does it draw chance without the option Seed?"
    )


def test_a_bot_that_was_mended_answers_otherwise(bundle: Path) -> None:
    done = arbiter(bundle, "replay", ".", f"{ODD} none")
    assert done.returncode == 1
    (answer,) = [line for line in done.stdout.splitlines() if " DIFFERENT " in line]
    assert answer.split()[:6] == ["5", "white", "illegal", "A1B1", "-", "B2"]
    assert answer.endswith(" w p")
    assert "note: option Depth was never announced" in done.stdout  # it was told the options of the game


@pytest.fixture
def short(bundle: Path) -> Path:
    """The same with 300 ms a ply."""
    path = bundle / "bundle.json"
    facts = json.loads(path.read_text())
    facts["white"]["time"]["move"] = 300
    path.write_text(json.dumps(facts))
    return bundle


def test_what_the_machine_kept_from_an_answer_is_not_repeated(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.match.referee.MOST_WAITING", -1)
    done = at_once("replay", ".", f"{ODD} silent --at 2", cwd=short)
    _, row, detail, *_, end = done.stdout.splitlines()
    assert (done.returncode, row.split()[:2], row.split()[-2:]) == (1, ["3", "white"], ["NOT", "REPEATED"])
    assert detail.strip().endswith("in one ply: this machine is too busy")
    rest = "1 not asked any more; 1 not repeated: the machine was too busy, try again"
    assert end == f"1 of 2 as recorded; {rest}"
    done = at_once("replay", ".", f"{ODD} silent --at 2", "--format", "json", cwd=short)
    assert [answer["same"] for answer in json.loads(done.stdout)["answers"]] == [True, False]


def test_an_answer_that_only_the_machine_made_late_is_one(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.match.clock.Overrun.is_machines", property(lambda overrun: overrun.is_late))
    done = at_once("replay", ".", f"{ODD} late 0.5 --at 1 --always", cwd=short)
    (row,) = [line.split() for line in done.stdout.splitlines() if " DIFFERENT " in line]
    assert row[:6] == ["5", "white", "illegal", "A1B1", "-", "B2"]
    assert done.stdout.endswith("\n2 of 3 as recorded\n")


def test_a_failure_is_repeated_under_a_wrapper_and_traced(bundle: Path) -> None:
    (bundle / "w.sh").write_text('#!/bin/sh\necho wrapped >&2\nexec "$@"\n')
    (bundle / "w.sh").chmod(0o755)
    done = arbiter(bundle, "replay", ".", "--wrap", "./w.sh", "--isolation", "none")
    assert done.returncode == 0, done.stdout
    first = next(line for line in done.stdout.splitlines() if " ! " in line)
    assert first.split()[1:] == ["!", "white", "wrapped"]
    done = arbiter(bundle, "replay", ".", "--trace")
    lines = [line.split()[1:] for line in done.stdout.splitlines()]
    assert lines.index([">", "white", "dvp", "1"]) < lines.index(["of", "3", "as", "recorded"])
    assert any(line[-4:] == ["<", "white", "move", "A1B1"] for line in lines)


@pytest.fixture(scope="module")
def crashes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundles of two games that a bot lost by a crash: killed by a signal, and with status 0.

    It needs a file of its directory, which lies elsewhere.
    """
    directory = tmp_path_factory.mktemp("crashes")
    (directory / "own").mkdir()
    (directory / "own/odd.py").write_text((BOTS / "odd.py").read_text())
    bots = [
        entry("signal", f"{sys.executable} odd.py signal SIGSEGV", dir="own"),
        entry("quiet", f"{sys.executable} odd.py exit 0", dir="own"),
    ]
    write_tournament(directory, [*bots, entry("fair", f"{ODD} none")], "isolation: none")
    arbiter(directory, "run", "league.yaml")
    wrappers = {"passes": 'exec "$@"', "swallows": '"$@"; exit 0', "changes": '"$@"; exit 5'}
    for name, script in wrappers.items():
        (directory / name).write_text(f"#!/bin/sh\n{script}\n")
        (directory / name).chmod(0o755)
    return directory


def wrapped(crashes: Path, bot: str, wrapper: str) -> tuple[int, list[str]]:
    """Exit status and last lines of a repeated game under a wrapper."""
    bundles = (crashes / "results/test-league/failures").iterdir()
    facts = {path: json.loads((path / "bundle.json").read_text()) for path in bundles}
    bundle = next(path for path, known in facts.items() if known[known["offender"]]["name"] == bot)
    done = arbiter(crashes, "replay", str(bundle), "--wrap", wrapper)
    lines = done.stdout.splitlines()
    return done.returncode, lines[lines.index(next(line for line in lines if line.endswith("  ms"))) + 1 :]


def test_a_wrapper_that_passes_the_status_on_repeats_a_crash(crashes: Path) -> None:
    status, (row, detail, end) = wrapped(crashes, "signal", "./passes")
    assert (status, row.split()[-1], detail, end) == (
        *(0, "same", "      killed by SIGSEGV"),
        "3 of 3 as recorded",
    )


OWN = "exited with status 0, which tells nothing of the bot"


@pytest.mark.parametrize(
    ("bot", "wrapper", "now", "then"),
    [
        ("signal", "./swallows", f"swallows {OWN}", "killed by SIGSEGV"),
        ("signal", "./changes", "exited with status 5", "killed by SIGSEGV"),
        ("quiet", "./swallows", f"swallows {OWN}", "exited with status 0"),
        pytest.param(
            "signal",
            "gdb -q -batch -ex run --args",
            f"gdb {OWN}",
            "killed by SIGSEGV",
            marks=pytest.mark.needs("gdb"),
        ),
    ],
)
def test_the_status_of_a_wrapper_is_no_crash_of_the_bot(
    crashes: Path, bot: str, wrapper: str, now: str, then: str
) -> None:
    status, (row, *details, end) = wrapped(crashes, bot, wrapper)
    assert (status, row.split()[2:6], row.split()[-1]) == (1, ["crash", "-"] * 2, "UNCLEAR")
    assert details[0].strip().partition("; its last words")[0] == now
    assert details[1] == f"      recorded: {then}"
    assert end == "2 of 3 as recorded; 1 unclear: under --wrap only the tool knows how the bot ended"


@pytest.fixture
def moved(crashes: Path, tmp_path: Path) -> Path:
    """The same once more, with the bundle of the game that was lost by a signal."""
    copytree(crashes, tmp_path, dirs_exist_ok=True)
    for path in sorted((tmp_path / "results/test-league/failures").iterdir()):
        text = (path / "bundle.json").read_text().replace(str(crashes), str(tmp_path))
        (path / "bundle.json").write_text(text)
        if "SIGSEGV" in json.loads(text)["detail"]:
            path.rename(tmp_path / "bundle")
            break
    return tmp_path


def test_a_bot_that_is_not_where_it_was_has_to_be_named(moved: Path) -> None:
    (moved / "own").rename(moved / "other")
    done = arbiter(moved, "replay", "bundle")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"arbiter: signal is not where it was: its directory {moved}/own does not exist",
        "  name it: arbiter replay bundle ./mybot",
    ]
    done = arbiter(moved, "replay", "bundle", f"{sys.executable} other/odd.py signal SIGSEGV")
    assert done.stdout.endswith("\n3 of 3 as recorded\n")


def test_a_program_that_has_changed_since_is_told(moved: Path) -> None:
    assert "note:" not in arbiter(moved, "replay", "bundle").stdout
    with (moved / "own/odd.py").open("a") as file:
        file.write("\n")
    said = arbiter(moved, "replay", "bundle").stdout
    told = r"note: the program of signal was [0-9a-f]{8} in the game and is now [0-9a-f]{8}"
    assert re.fullmatch(told, said.splitlines()[-2])


def test_a_level_that_this_machine_lacks_is_told_with_what_can_be_done(
    moved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacks = Availability(False, "there is no bwrap", "sudo apt install bubblewrap")
    monkeypatch.setattr("arbiter.isolation.levels.look_at", lambda _: lacks)
    facts = json.loads((moved / "bundle/bundle.json").read_text())
    facts[facts["offender"]]["sandbox"]["level"] = "jail"
    (moved / "bundle/bundle.json").write_text(json.dumps(facts))
    done = at_once("replay", "bundle", cwd=moved)
    assert (done.returncode, done.stderr.splitlines()) == (
        2,
        [
            "arbiter: isolation: jail is not available here: there is no bwrap",
            "  sudo apt install bubblewrap, or replay with --isolation none",
        ],
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"bundle": 1', '"bundle": 2', "bundles of kind 2 are not known here"),
        ('"white": {', '"someone": {', "'white' is missing"),
        ('"sandbox": {\n      "level": "none"', '"sandbox": {"level": "moat"', "'moat' is not a valid Level"),
        ('"argv": [', '"argv": [3, ', "3 is no text"),
        ('"env": {}', '"env": {"A": 1}', "1 is no text"),
        ('"env": {}', '"env": []', "has no attribute"),
        ("{", "", "Extra data"),
    ],
)
def test_a_damaged_bundle_is_one_clear_message(moved: Path, old: str, new: str, words: str) -> None:
    path = moved / "bundle/bundle.json"
    path.write_text(path.read_text().replace(old, new, 1))
    done = arbiter(moved, "replay", "bundle")
    assert (done.returncode, done.stdout) == (2, "")
    first, hint = done.stderr.splitlines()
    assert first.startswith("arbiter: bundle/bundle.json: ")
    assert first.endswith(": not a bundle for this arbiter")
    assert words in first
    assert hint == "  its game alone: bundle/game.drec"


def test_a_bundle_without_its_game_is_told(moved: Path) -> None:
    (moved / "bundle/game.drec").unlink()
    assert arbiter(moved, "replay", "bundle").stderr == "arbiter: bundle/game.drec: no such file\n"


@pytest.mark.parametrize(
    "arguments",
    [("show", "game.sgf"), ("replay", "game.sgf", FAIR), ("diff", FAIR, FAIR, "--from", "game.sgf")],
    ids=lambda arguments: arguments[0],
)
def test_games_from_other_places_have_to_be_imported(
    refused: Callable[..., str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "game.sgf").write_text(sgf(deeds(["D3", "F5", "E2"])))
    assert refused(*arguments) == (
        "arbiter: game.sgf: Boardspace SGF, not DREC\n"
        "  make it that: arbiter import game.sgf --output games.drec\n"
    )
    assert arbiter(tmp_path, "import", "game.sgf", "--output", "games.drec").returncode == 0
    done = arbiter(tmp_path, "replay", "games.drec", FAIR, "--side", "both", "--all")
    assert done.stdout.splitlines()[-1].endswith(" of 3 as recorded")


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games of bots without chance, as a directory of results and as a file."""
    directory = tmp_path_factory.mktemp("records")
    arbiter(directory, "match", CUP, f"{ODD} none", "--results", "r", "--seed", "5")
    (directory / "games.drec").write_text(arbiter(directory, "export", "r").stdout)
    return directory


@pytest.mark.parametrize("bot", [CUP, f"{CUP} lower", f"{ODD} none"], ids=["codecup", "lower", "dvp"])
@pytest.mark.parametrize("game", ["1", "2"])
def test_a_record_is_put_to_a_bot_again(records: Path, bot: str, game: str) -> None:
    done = arbiter(records, "replay", "games.drec", bot, "--game", game, "--all")
    assert done.returncode == 0, done.stdout
    count = len(done.stdout.splitlines()) - 2
    assert count > 25
    assert done.stdout.endswith(f"{count} of {count} as recorded\n")


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("level", ["limits", "jail"])
def test_a_failure_is_repeated_in_the_sandbox_it_happened_in(tmp_path: Path, level: str) -> None:
    look = "sh -c 'read x; echo dvpok; for i in 1 2 3 4 5; do read x; done; echo move $HOME'"
    head = f"isolation: {level}"
    write_tournament(
        tmp_path, [entry("homely", look.replace("'", "\\'") if False else look), "sample:random"], head
    )
    arbiter(tmp_path, "run", "league.yaml")
    bundle = tmp_path / "results/test-league/failures/game-1"
    facts = json.loads((bundle / "bundle.json").read_text())
    assert facts["white"]["sandbox"]["level"] == level
    home = facts["answer"]
    assert home not in ("/root", str(Path.home()))
    done = arbiter(tmp_path, "replay", str(bundle))
    assert done.stdout.splitlines()[1].count("syntax ") == 2
    assert str(Path.home()) not in done.stdout.replace(str(tmp_path), "")
    free = arbiter(tmp_path, "replay", str(bundle), "--isolation", "none")
    assert f"syntax {Path.home()}" in free.stdout


def test_memory_failures_at_another_ply_are_explained(tmp_path: Path) -> None:
    taking = "import time\nafter = lambda: (bytearray(300_000_000), time.sleep(60))\n"
    bot = _BOT.replace("turn == 3: after()", "False: pass").replace(
        'print("move"', 'turn == int(open("when").read()) and after(); print("move"'
    )
    (tmp_path / "bot.py").write_text(taking + bot)
    (tmp_path / "when").write_text("3")
    bots = [entry("greedy", "python3 bot.py", memory="100MB"), entry("fair", FAIR)]
    path = write_tournament(tmp_path, bots, "isolation: limits")
    path.write_text(path.read_text().replace("time: 5s", "time: 60s"))
    arbiter(tmp_path, "run", "league.yaml")
    words = "note: memory failures need not come at the same ply again"
    for when, status in (("3", 0), ("2", 1), ("4", 1)):
        (tmp_path / "when").write_text(when)
        done = arbiter(tmp_path, "replay", "results/test-league/failures/game-1")
        assert done.returncode == status, done.stdout
        assert (words in done.stdout.splitlines()) is bool(status), done.stdout


def test_both_sides_from_a_ply_on(records: Path) -> None:
    arguments = ("replay", "r", f"{ODD} none", "--game", "1", "--side", "both", "--all", "--ply", "40")
    done = arbiter(records, *arguments)
    rows = [line.split()[:2] for line in done.stdout.splitlines() if line.endswith("same")]
    sides = [side for _, side in rows]
    assert sides == sorted(sides, reverse=True)
    assert set(sides) == {"white", "black"}
    numbers = sorted(int(number) for number, _ in rows)
    assert numbers == list(range(40, numbers[-1] + 1))
    done = arbiter(records, *arguments, "--format", "json")
    found = json.loads(done.stdout)
    assert (found["asked"], found["same"], found["game"], found["bot"]) == (len(rows), len(rows), 1, "odd")
    assert [row["ply"] for row in found["answers"]] == numbers
    first = found["answers"][0]
    assert (first["side"], first["same"], first["failure"]) == ("black", True, None)
    assert first["recorded"] == first["answer"]
    assert first["position"].endswith(" b p")


def test_clock_and_limits_are_those_of_the_tournament(tmp_path: Path) -> None:
    write_tournament(
        tmp_path, [entry("a", f"{ODD} none", options="{Depth: 3}"), entry("b", f"{ODD} none")], "nodes: 77"
    )
    path = tmp_path / "league.yaml"
    path.write_text(path.read_text().replace("time: 5s", "time: {game: 5s, grace: 7ms}"))
    arbiter(tmp_path, "run", "league.yaml")
    arguments = ("replay", "results/test-league", f"{ODD} none", "--game", "1", "--side", "white", "--trace")
    done = arbiter(tmp_path, *arguments)
    assert "note: option Depth was never announced" in done.stdout
    assert " grace 7 " in done.stdout
    assert "nodes 77" in done.stdout
    assert "nodes 5" in arbiter(tmp_path, *arguments, "--nodes", "5").stdout


def test_single_plies_and_sides(records: Path) -> None:
    done = arbiter(records, "replay", "r", "sample:greedy", "--game", "1", "--ply", "51")
    assert done.stdout.splitlines()[1].split()[:2] == ["51", "black"]
    done = arbiter(records, "replay", "r", "sample:greedy", "--game", "1", "--ply", "50", "--side", "white")
    assert done.stdout.splitlines()[1].split()[:2] == ["50", "white"]


def test_an_older_version_tells_its_side_by_its_name(records: Path, tmp_path: Path) -> None:
    text = (records / "games.drec").read_text()
    digest = re.search(r'BlackHash "(.{8})', text)
    assert digest
    (tmp_path / "games.drec").write_text(text.replace('Black "odd"', f'Black "odd@{digest[1]}"'))
    done = arbiter(tmp_path, "replay", "games.drec", f"{ODD} none", "--game", "1")
    assert done.stdout.splitlines()[1].split()[1] == "black"


def test_seeded_bots_answer_as_they_did(tmp_path: Path) -> None:
    arbiter(
        tmp_path, "match", "sample:greedy", "sample:random", "--results", "r", "--seed", "5", "--games", "1"
    )
    done = arbiter(tmp_path, "replay", "r", "sample:greedy", "--ply", "1")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 of 1 as recorded")


def test_a_version_that_was_replaced_has_the_seed_and_options_that_it_had(tmp_path: Path) -> None:
    """It played under the name that another program has now."""
    (tmp_path / "mine.py").write_text(
        "from protocol.bot import Bot, Spin, run\n"
        "class Mine(Bot):\n"
        "    skip = Spin('Skip', 0, 0, 9)\n"
        "    def choose(self, position, clock):\n"
        "        plies = position.legal_plies()\n"
        "        return self.random.choice(plies[self.skip.value :] or plies)\n"
        "run(Mine)\n"
    )
    command = f"{sys.executable} mine.py"
    bots = [entry("m@home", command, options="{Skip: 5}"), entry("b", f"{ODD} none")]
    write_tournament(tmp_path, bots, "isolation: none")
    done = arbiter(tmp_path, "run", "league.yaml", "--results", "r")
    assert done.returncode == 0, done.stderr
    again = ("replay", "r", command, "--game", "1", "--side", "white", "--all")
    assert arbiter(tmp_path, *again).returncode == 0
    with League.open_for_writing(tmp_path / "r") as league:
        former = f"m@home@{league.bots()[0]['hash'][:8]}"
        league.replace_bot("m@home", former, "its program changed")
    assert f'White "{former}"' in arbiter(tmp_path, "export", "r").stdout
    done = arbiter(tmp_path, *again)
    same, asked = re.findall("[0-9]+", done.stdout.splitlines()[-1])
    assert (done.returncode, same) == (0, asked)


def test_scores_tell_where_a_game_was_lost(tmp_path: Path) -> None:
    arbiter(tmp_path, "match", "sample:greedy", FAIR, "--results", "r", "--seed", "5", "--games", "1")
    arguments = ("replay", "r", "sample:greedy", "--game", "1")
    said = arbiter(tmp_path, *arguments, "--all").stdout
    rows = [line.split() for line in said.splitlines() if line.endswith("same")]
    found = json.loads(arbiter(tmp_path, *arguments, "--all", "--format", "json").stdout)["answers"]
    assert [row[3] for row in rows] == [row[5] for row in rows] == [a["recorded_score"] or "-" for a in found]
    assert {row[3] for row in rows[-5:]} <= {str(margin) for margin in range(-49, 50)}
    ply = str(next(answer["ply"] for answer in found if answer["recorded_score"]))
    (_, row, line, _) = arbiter(tmp_path, *arguments, "--ply", ply).stdout.splitlines()
    assert line == f"      line: {row.split()[4]}"


BAD = [
    (["replay", "games.drec"], "choose one with --game N"),
    (
        ["replay", "games.drec", "--game", "1", "--all"],
        "arbiter: which BOT is to be asked, and at which side?\n  codecup was white and odd black: "
        "arbiter replay games.drec ./mybot --game 1 --all --side white\n",
    ),
    (
        ["replay", "games.drec", "--game", "1", "--ply", "7"],
        "arbiter: which BOT is to be asked?\n  name it: arbiter replay games.drec ./mybot --game 1 --ply 7\n",
    ),
    (["replay", "games.drec", "--game", "9", "sample:random"], "no game 9"),
    (
        ["replay", "games.drec", "sample:random", "--game", "1"],
        "black: add --side white, --side black",
    ),
    (
        ["replay", "games.drec", "sample:random", "--game", "1", "--ply", "2", "--side", "white"],
        "none of white's",
    ),
    (["replay", "nowhere"], "no such file"),
    (
        ["replay", "games.drec", "./mybot", "--game", "1", "--side", "white"],
        "mybot: no such file; is it built",
    ),
    (
        ["replay", "games.drec", "sample:greedy", "--game", "1", "--side", "white", "--wrap", ""],
        "--wrap: the command",
    ),
    (
        ["replay", "games.drec", "sample:greedy", "--game", "1", "--side", "white", "--wrap", "./no"],
        "no: no such file",
    ),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[" ".join(b[0]) for b in BAD])
def test_bad_input_is_one_clear_message(records: Path, arguments: list[str], words: str) -> None:
    done = arbiter(records, *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) <= 2
