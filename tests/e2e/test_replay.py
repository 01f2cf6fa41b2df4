"""What is kept of a failed game, and how it is made to happen again."""

import json
import shlex
from pathlib import Path

import pytest

from tests.e2e.commands import CUP, ODD, arbiter, entry, write_tournament


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
    assert done.stdout.startswith("ply 5, white: recorded illegal A1B1, now illegal A1B1")
    assert done.stdout.endswith("3 of 3 as recorded\n")


def test_a_bot_that_was_mended_answers_otherwise(bundle: Path) -> None:
    done = arbiter(bundle, "replay", ".", f"{ODD} none")
    assert done.returncode == 1
    assert "ply 5, white: recorded illegal A1B1, now B2" in done.stdout or "DIFFERENT" in done.stdout


@pytest.fixture
def records(tmp_path: Path) -> Path:
    arbiter(tmp_path, "match", CUP, f"{ODD} none", "--results", "r", "--seed", "5")
    (tmp_path / "games.drec").write_text(arbiter(tmp_path, "export", "r").stdout)
    return tmp_path


@pytest.mark.parametrize("bot", [CUP, f"{ODD} none"], ids=["codecup", "dvp"])
@pytest.mark.parametrize("game", ["1", "2"])
def test_a_record_is_put_to_a_bot_again(records: Path, bot: str, game: str) -> None:
    done = arbiter(records, "replay", "games.drec", bot, "--game", game, "--all")
    assert done.returncode == 0, done.stdout
    count = len(done.stdout.splitlines()) - 1
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
    assert "now syntax" in done.stdout
    assert str(Path.home()) not in done.stdout.replace(str(tmp_path), "")
    free = arbiter(tmp_path, "replay", str(bundle), "--isolation", "none")
    assert f"now syntax {Path.home()}" in free.stdout


def test_single_plies_and_sides(records: Path) -> None:
    done = arbiter(records, "replay", "r", "sample:greedy", "--game", "1", "--ply", "51")
    assert "ply 51, black: recorded " in done.stdout
    done = arbiter(records, "replay", "r", "sample:greedy", "--game", "1", "--ply", "50", "--side", "white")
    assert "ply 50, white: recorded " in done.stdout


def test_seeded_bots_answer_as_they_did(tmp_path: Path) -> None:
    arbiter(
        tmp_path, "match", "sample:greedy", "sample:random", "--results", "r", "--seed", "5", "--games", "1"
    )
    done = arbiter(tmp_path, "replay", "r", "sample:greedy", "--ply", "1")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 of 1 as recorded")


BAD = [
    (["replay", "games.drec"], "choose one with --game N"),
    (["replay", "games.drec", "--game", "1"], "which BOT is to be asked?"),
    (["replay", "games.drec", "--game", "9", "sample:random"], "no game 9"),
    (["replay", "games.drec", "sample:random", "--game", "1"], "add --side white or black"),
    (
        ["replay", "games.drec", "sample:random", "--game", "1", "--ply", "2", "--side", "white"],
        "none of white's",
    ),
    (["replay", "nowhere"], "no such file"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[" ".join(b[0]) for b in BAD])
def test_bad_input_is_one_clear_message(records: Path, arguments: list[str], words: str) -> None:
    done = arbiter(records, *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) <= 2
