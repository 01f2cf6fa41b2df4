"""What an organiser puts right: programs that changed, and games that do not count."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arbiter.store import League
from tests.e2e.commands import QUICK, at_once, entry, quick, start, stored, write_cup


@pytest.fixture(scope="module")
def cups(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A cup of three bots in this format, played, the first of which is a script of its own."""
    made: dict[str, Path] = {}

    def make(form: str) -> Path:
        if form not in made:
            directory = made[form] = tmp_path_factory.mktemp(form)
            shutil.copy(QUICK, directory / "mine.sh")
            bots = [entry("mine", "./mine.sh first"), quick("b2", "last"), quick("b3", "first x")]
            write_cup(directory, form, bots)
            done = at_once("run", "cup.yaml", "--results", "one", cwd=directory)
            assert done.returncode == 0, done.stderr
        return made[form]

    return make


@pytest.fixture
def cup(cups: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    """The same, to be changed."""

    def copy(form: str) -> Path:
        shutil.copytree(cups(form), tmp_path / form)
        return tmp_path / form

    return copy


def change(directory: Path) -> None:
    script = directory / "mine.sh"
    script.write_text(script.read_text() + "# better\n")


def hash_of(directory: Path, name: str) -> str:
    with League.open_for_reading(directory / "one") as league:
        (found,) = [row["hash"] for row in league.bots() if row["name"] == name]
    return str(found)


def table_of(directory: Path) -> dict[str, Any]:
    done = at_once("table", "one", "--format", "json", cwd=directory)
    assert done.returncode == 0, done.stderr
    table: dict[str, Any] = json.loads(done.stdout)
    return table


# Changed programs


@pytest.mark.parametrize("form", ["round-robin", "swiss"])
def test_a_changed_program_is_refused_until_it_is_said_to_be_a_new_one(
    cup: Callable[[str], Path], form: str
) -> None:
    directory = cup(form)
    before, old = stored(directory / "one"), hash_of(directory, "mine")
    change(directory)
    done = at_once("run", "cup.yaml", "--results", "one", cwd=directory)
    assert done.returncode == 2
    refusal = done.stderr
    assert re.search(
        rf"mine: the program was {old[:8]} and is now [0-9a-f]{{8}}, "
        rf"by the content of {re.escape(str(directory))}/mine\.sh\n",
        refusal,
    )
    assert "b2" not in refusal
    dry = at_once("run", "cup.yaml", "--results", "one", "--dry-run", cwd=directory)
    assert (dry.returncode, dry.stdout, dry.stderr) == (2, "", refusal)
    assert "add --new-version mine to enter what changed as a new bot" in refusal
    assert stored(directory / "one") == before
    if form == "swiss":
        (directory / "cup.yaml").write_text((directory / "cup.yaml").read_text() + "rounds: 4\n")
    enter = ("run", "cup.yaml", "--results", "one", "--new-version", "mine")
    dry = at_once(*enter, "--dry-run", cwd=directory)
    assert stored(directory / "one") == before
    done = at_once(*enter, cwd=directory)
    assert done.returncode == 0, done.stderr
    former = f"mine@{old[:8]}"
    assert "mine enters as a new version" in dry.stdout
    assert f"mine: a new version; its games so far stay under {former}\n" in done.stdout
    after = stored(directory / "one")
    assert list(after) == list(range(1, len(after) + 1))
    assert {number: game for number, game in after.items() if number in before} == {
        number: tuple(former if part == "mine" else part for part in game) for number, game in before.items()
    }
    played = [game for number, game in after.items() if number not in before]
    assert f"{len(before)} games were played; 4 are left, 1 at a time; the first of them:\n" in dry.stdout
    assert dry.stdout.count("  game ") == (4 if form == "round-robin" else 2)
    # In the Swiss system it comes last, and so has the bye of the first round that it is there for.
    assert (len(played), sum("mine" in game for game in played)) == (4, 4 if form == "round-robin" else 2)
    hashes = {
        game[f"{side}_hash"]
        for game in json.loads(at_once("export", "one", "--format", "json", cwd=directory).stdout)["games"]
        for side in ("white", "black")
        if game[side] in ("mine", former)
    }
    assert hashes == {old, hash_of(directory, "mine")}
    table = table_of(directory)
    assert table["retired"] == [{"name": former, "why": "its program changed"}]
    assert f"{former} plays no more: its program changed." in table["notes"]
    assert "starts" not in at_once("run", "cup.yaml", "--results", "one", cwd=directory).stdout


@pytest.mark.parametrize("form", ["round-robin", "swiss"])
def test_who_goes_back_to_an_earlier_program_is_the_bot_it_was(cup: Callable[[str], Path], form: str) -> None:
    directory = cup(form)
    path, script = directory / "cup.yaml", directory / "mine.sh"
    first, played = script.read_text(), stored(directory / "one")
    old = hash_of(directory, "mine")
    # One game of the first program is still to be played when the second one comes.
    number = next(n for n, game in played.items() if "mine" in game)
    assert annul(directory, "--replay", game=number)[0] == 0
    change(directory)
    if form == "swiss":
        path.write_text(path.read_text() + "rounds: 4\n")
    enter = ("run", "cup.yaml", "--results", "one", "--new-version", "mine")
    done = at_once(*enter, cwd=directory)
    assert done.returncode == 0, done.stderr
    between, new = stored(directory / "one"), hash_of(directory, "mine")
    assert new != old
    script.write_text(first)
    done = at_once("run", "cup.yaml", "--results", "one", cwd=directory)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        f"is now {old[:8]}, by the content of {script}; it played here before, now as mine@{old[:8]}\n"
        in (done.stderr)
    )
    assert "add --new-version mine to enter what changed as the bot that it was before" in done.stderr
    dry = at_once(*enter, "--dry-run", cwd=directory)
    assert f"mine goes back to the program of mine@{old[:8]}\n" in dry.stdout
    assert stored(directory / "one") == between
    done = at_once(*enter, cwd=directory)
    assert done.returncode == 0, done.stderr
    assert (
        f"mine: back to the program of mine@{old[:8]}, whose games are its own again; "
        f"those of the one in between stay under mine@{new[:8]}\n"
    ) in done.stdout
    # What it still had to play it plays now, and nothing else.
    assert [line.split()[1] for line in done.stdout.splitlines() if " starts: " in line] == [str(number)]
    after = stored(directory / "one")
    assert {n: game for n, game in after.items() if n in played} == played
    renamed = {n: game for n, game in after.items() if n not in played}
    assert renamed == {
        n: tuple(f"mine@{new[:8]}" if part == "mine" else part for part in between[n]) for n in renamed
    }
    assert (hash_of(directory, "mine"), hash_of(directory, f"mine@{new[:8]}")) == (old, new)
    table = table_of(directory)
    assert table["retired"] == [{"name": f"mine@{new[:8]}", "why": "its program changed"}]
    assert sorted(row["name"] for row in table["bots"]) == ["b2", "b3", "mine", f"mine@{new[:8]}"]
    # The same again changes nothing; and the second program is known as well.
    done = at_once("run", "cup.yaml", "--results", "one", cwd=directory)
    assert (done.returncode, " starts: " in done.stdout) == (0, False)
    change(directory)
    done = at_once("run", "cup.yaml", "--results", "one", "--new-version", "mine", cwd=directory)
    assert f"mine: back to the program of mine@{new[:8]}" in done.stdout
    assert [row["name"] for row in table_of(directory)["retired"]] == [f"mine@{old[:8]}"]


def test_who_left_costs_its_opponent_nothing(cup: Callable[[str], Path]) -> None:
    """A game that waits for a program which changed is never played; in a Swiss system it is a point."""
    directory = cup("swiss")
    games, old = stored(directory / "one"), hash_of(directory, "mine")
    number, (white, black, *_) = next((n, game) for n, game in games.items() if "mine" in game)
    assert annul(directory, "--replay", game=number)[0] == 0
    change(directory)
    (directory / "cup.yaml").write_text((directory / "cup.yaml").read_text() + "rounds: 3\n")
    done = at_once("run", "cup.yaml", "--results", "one", "--new-version", "mine", cwd=directory)
    assert done.returncode == 0, done.stderr
    assert f"game {number} starts" not in done.stdout
    (other,) = {white, black} - {"mine"}
    notes = table_of(directory)["notes"]
    former = f"mine@{old[:8]}"
    assert f"Game {number} was annulled; it cannot be played again, for {former} left: a power cut." in notes
    assert any(re.search(rf"an opponent did not play: .*\b{other} [13]\b", note) for note in notes)


def test_a_dry_run_tells_where_no_change_can_be_seen(cup: Callable[[str], Path]) -> None:
    directory = cup("round-robin")
    dry = ("run", "cup.yaml", "--results", "one", "--dry-run", "--new-version", "mine")
    done = at_once(*dry, cwd=directory)
    assert "mine is no new version: its program has not changed\n" in done.stdout


def test_a_dry_run_of_what_has_to_be_built_tells_that_a_change_may_show_then(tmp_path: Path) -> None:
    write_cup(tmp_path, "round-robin", [quick("a"), entry("b", f"{QUICK} last", build="'true'")], "rounds: 1")
    assert at_once("run", "cup.yaml", cwd=tmp_path).returncode == 0
    dry = at_once("run", "cup.yaml", "--dry-run", "--new-version", "b", cwd=tmp_path)
    assert "b enters as a new version if its program is another one once it is built\n" in dry.stdout


def test_a_knockout_keeps_its_programs(cup: Callable[[str], Path]) -> None:
    directory = cup("knockout")
    change(directory)
    for more in ([], ["--new-version", "mine"]):
        done = at_once("run", "cup.yaml", "--results", "one", *more, cwd=directory)
        assert done.returncode == 2
        assert "nobody can enter here any more: put the old program back" in done.stderr
    done = at_once("run", "cup.yaml", "--results", "one", "--new-version", "nine", cwd=directory)
    assert (done.returncode, "no bot is named nine" in done.stderr) == (2, True)


def test_a_bot_that_was_left_out_for_a_while_is_known_again(cup: Callable[[str], Path]) -> None:
    directory = cup("round-robin")
    path = directory / "cup.yaml"
    path.write_text(
        path.read_text().replace('run: "./mine.sh first"', 'run: "./mine.sh first", optional: true')
    )
    (directory / "mine.sh").rename(directory / "away")
    number, other, *_ = (n for n, game in stored(directory / "one").items() if "mine" in game)
    annul(directory, "--replay", game=other)
    done = at_once("run", "cup.yaml", "--results", "one", cwd=directory)
    assert "mine is left out" in done.stdout, done.stderr
    _, said = annul(directory, "--replay", game=number)
    assert "played again by the next `arbiter run` of this tournament in which mine plays\n" in said
    (directory / "away").rename(directory / "mine.sh")
    change(directory)
    done = at_once("run", "cup.yaml", "--results", "one", cwd=directory)
    assert (done.returncode, "mine: the program was" in done.stderr) == (2, True)


# Annulled games


def annul(directory: Path, *more: str, game: int = 1) -> tuple[int, str]:
    done = at_once("annul", "one", "--game", str(game), "--why", "a  power\ncut", *more, cwd=directory)
    assert bool(done.stdout) != bool(done.stderr)
    return done.returncode, done.stdout or done.stderr


def test_an_annulled_game_counts_for_nobody(cup: Callable[[str], Path]) -> None:
    directory = cup("round-robin")
    white, black, *_, result, _ = stored(directory / "one")[1]
    status, said = annul(directory)
    assert (status, said) == (
        0,
        f"game 1, {white} - {black} {result}, is annulled; it is not played again\nsee `arbiter table one`\n",
    )
    table = table_of(directory)
    assert table["games"] == 5
    assert "Game 1 was annulled: a power cut." in table["notes"]
    (annulled,) = table["annulled"]
    assert (annulled["number"], annulled["attempt"], annulled["why"]) == (1, 1, "a power cut")
    assert annul(directory) == (2, "arbiter: one: game 1 is annulled already: a power cut\n")
    assert annul(directory, "--replay") == (2, "arbiter: one: game 1 is annulled already: a power cut\n")
    assert annul(directory, game=99) == (2, "arbiter: one: no game 99 was played\n")
    # It is not played again, and stands in every export, marked.
    assert "starts" not in at_once("run", "cup.yaml", "--results", "one", cwd=directory).stdout
    exported = at_once("export", "one", cwd=directory).stdout
    assert exported.count('[Annulled "a power cut"]') == 1
    rows = at_once("export", "one", "--format", "csv", cwd=directory).stdout.splitlines()
    assert [row.endswith(",a power cut") for row in rows[1:]] == [True] + [False] * 5


def test_an_annulled_game_is_shown_as_such(cup: Callable[[str], Path]) -> None:
    directory = cup("round-robin")
    listed = at_once("show", "one", cwd=directory).stdout
    assert "annulled" not in listed
    games = json.loads(at_once("show", "one", "--format", "json", cwd=directory).stdout)["games"]
    (first, result) = games[0], games[0]["result"]
    assert first["annulled"] is None
    loser = first["black"] if result == "1-0" else first["white"]
    lost = ("show", "one", "--lost", loser)
    assert re.search(r"^ +1 ", at_once(*lost, cwd=directory).stdout, re.MULTILINE)
    annul(directory)
    listed = at_once("show", "one", cwd=directory).stdout
    assert re.search(r"^ +1 .* normal, annulled +\d+$", listed, re.MULTILINE)
    assert listed.count("annulled") == 1
    assert not re.search(r"^ +1 ", at_once(*lost, cwd=directory).stdout, re.MULTILINE)
    games = json.loads(at_once("show", "one", "--format", "json", cwd=directory).stdout)["games"]
    assert games[0]["annulled"] == "a power cut"
    board = at_once("show", "one", "--game", "1", "--ply", "0", cwd=directory).stdout
    assert "\nannulled: a power cut\n" in board


def test_an_annulled_game_is_played_again_where_asked_for(cup: Callable[[str], Path]) -> None:
    directory = cup("round-robin")
    before = stored(directory / "one")
    status, said = annul(directory, "--replay", game=3)
    assert (status, "it is played again by the next `arbiter run`" in said) == (0, True)
    table = table_of(directory)
    assert table["games"] == 5
    assert "Game 3 was annulled, to be played again: a power cut." in table["notes"]
    assert [(each["replayed"], each["played_again"]) for each in table["annulled"]] == [(True, False)]
    done = at_once("run", "cup.yaml", "--results", "one", cwd=directory)
    assert done.stdout.count(" starts: ") == 1
    assert "game 3 starts: " in done.stdout
    assert "attempt 2" in done.stdout
    assert stored(directory / "one") == before
    table = table_of(directory)
    assert table["games"] == 6
    assert "Game 3 was annulled and played again: a power cut." in table["notes"]
    assert [(each["replayed"], each["played_again"]) for each in table["annulled"]] == [(True, True)]
    # The second attempt can be taken out like the first one.
    assert annul(directory, "--replay", game=3)[0] == 0
    table = table_of(directory)
    assert table["games"] == 5
    assert [(each["attempt"], each["played_again"]) for each in table["annulled"]] == [(1, True), (2, False)]
    assert [note for note in table["notes"] if "Game 3 was" in note] == [
        "Game 3 was annulled and played again: a power cut.",
        "Game 3 was annulled, to be played again: a power cut.",
    ]


def test_what_is_annulled_against_a_bot_that_was_withdrawn_is_no_point(tmp_path: Path) -> None:
    bots = [quick("good"), quick("bad", "crash")]
    write_cup(tmp_path, "swiss", bots, "rounds: 1", "max_failures: 3")
    assert at_once("run", "cup.yaml", "--results", "one", cwd=tmp_path).returncode == 0
    for game in (1, 2):
        assert annul(tmp_path, "--replay", game=game)[0] == 0
    # With the first failure it is withdrawn, and never plays the second game again.
    write_cup(tmp_path, "swiss", bots, "rounds: 1", "max_failures: 1")
    assert at_once("run", "cup.yaml", "--results", "one", cwd=tmp_path).returncode == 1
    foretold = at_once("run", "cup.yaml", "--results", "one", "--dry-run", cwd=tmp_path).stdout
    assert "  bad (withdrawn): " in foretold
    assert [row["points"] for row in table_of(tmp_path)["bots"]] == [2, 0]
    assert annul(tmp_path)[0] == 0
    # One that was to be played again and cannot be is a game that the opponent did not play.
    table = table_of(tmp_path)
    assert [(row["name"], row["points"], row["games"]) for row in table["bots"]] == [
        ("good", 1, 0), ("bad", 0, 0),
    ]  # fmt: skip
    notes = " ".join(table["notes"])
    assert "Game 2 was annulled; it cannot be played again, for bad left: a power cut." in notes
    assert "games that an opponent did not play: good 1." in notes


def test_no_replay_is_promised_of_a_bot_that_plays_no_more(cup: Callable[[str], Path]) -> None:
    directory = cup("round-robin")
    number = next(n for n, game in stored(directory / "one").items() if "mine" in game)
    former = f"mine@{hash_of(directory, 'mine')[:8]}"
    change(directory)
    path = directory / "cup.yaml"
    path.write_text(path.read_text() + f"  - {quick('b4', 'crash')}\nmax_failures: 2\n")
    done = at_once("run", "cup.yaml", "--results", "one", "--new-version", "mine", cwd=directory)
    assert done.returncode == 1
    lost = next(n for n, game in stored(directory / "one").items() if "b4" in game)
    for game, reason in (
        (number, f"{former} plays no more: its program changed"),
        (
            lost,
            "b4 plays no more: failed 2 games, none finished in between, "
            "the last by crash: exited with status 3",
        ),
    ):
        assert annul(directory, "--replay", game=game) == (
            2,
            f"arbiter: one: game {game} cannot be played again, for {reason}\n"
            "  without --replay it is taken out of the tables only\n",
        )
        # Nothing was noted, so that it can still be taken out.
        assert annul(directory, game=game)[0] == 0
    assert [row["replayed"] for row in table_of(directory)["annulled"]] == [False, False]


def test_a_knockout_goes_on_from_what_was_drawn(cup: Callable[[str], Path]) -> None:
    """A game of an early round that is taken out and played again leaves the later rounds alone."""
    directory = cup("knockout")
    before = stored(directory / "one")
    assert annul(directory, "--replay")[0] == 0
    done = at_once("run", "cup.yaml", "--results", "one", cwd=directory)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" starts: ") == 1
    assert stored(directory / "one") == before


@pytest.fixture
def clear_cup(tmp_path: Path) -> Path:
    """A knockout in which a beats d and b, and b comes past c by its seed alone."""
    bots = [quick("a"), *(quick(name, f"resign {name}") for name in "bcd")]
    write_cup(tmp_path, "knockout", bots)
    done = at_once("run", "cup.yaml", "--results", "one", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [note for note in table_of(tmp_path)["notes"] if note.startswith("Round ")] == [
        "Round 1: a beats d 2:0; b beats c 4:4 by seed.",
        "Round 2: a beats b 2:0.",
    ]
    return tmp_path


def game_of(directory: Path, *names: str) -> int:
    """The first game between two bots."""
    return next(n for n, game in stored(directory / "one").items() if set(game[:2]) == set(names))


def test_rounds_that_a_game_led_to_are_said_to_stay(clear_cup: Path) -> None:
    _, said = annul(clear_cup, "--replay", game=game_of(clear_cup, "a", "d"))
    assert said.splitlines()[0].endswith("it is played again by the next `arbiter run` of this tournament")
    assert said.splitlines()[1:] == [
        "  until then a went on as it was drawn, though it is 1:0 against d now",
        "  round 2 stays as it was drawn",
        "see `arbiter table one`",
    ]
    assert "Round 1: a went on as it was drawn" in "".join(table_of(clear_cup)["notes"])
    done = at_once("run", "cup.yaml", "--results", "one", cwd=clear_cup)
    assert "tie ends: a beats d 2:0 (round 1)\n" in done.stdout


def test_a_final_is_decided_anew(clear_cup: Path) -> None:
    final = game_of(clear_cup, "a", "b")
    _, said = annul(clear_cup, game=final)
    assert "; it is not played again\n  without it a beats b 1:0\nsee " in said
    _, said = annul(clear_cup, game=final + 1)
    assert "  without it a - b is open at 0:0: the next `arbiter run` plays on\nsee " in said
    done = at_once("run", "cup.yaml", "--results", "one", cwd=clear_cup)
    assert done.stdout.count(" starts: ") == 2
    assert "tie ends: a beats b 2:0 (round 2)\n" in done.stdout
    _, said = annul(clear_cup, "--replay", game=final + 2)
    assert "\n  until then a - b is open at 1:0\nsee " in said


def test_rounds_of_a_swiss_system_stay_and_a_test_is_told(cup: Callable[[str], Path], tmp_path: Path) -> None:
    _, said = annul(cup("swiss"))
    assert "\n  round 2 stays as it was drawn\nsee " in said
    write_cup(tmp_path, "sprt", [quick("one", "resign"), quick("two")], "sprt: {max_pairs: 2}")
    assert at_once("run", "cup.yaml", "--results", "one", cwd=tmp_path).returncode == 0
    _, said = annul(tmp_path, game=3)
    assert "\n  without it the test is at pair 1: LLR -" in said


def test_nothing_is_annulled_while_a_run_goes_on(cup: Callable[[str], Path]) -> None:
    directory = cup("round-robin")
    path = directory / "cup.yaml"
    path.write_text(path.read_text() + "rounds: 30\n")
    running = start(directory, "run", "cup.yaml", "--results", "one")
    with running:
        assert running.stdout is not None
        next(line for line in running.stdout if "ends" in line)
        status, said = annul(directory)
        # What only reads is never refused.
        for view in (["--by", "pairing"], ["--by", "opening"], ["--crosstable"], []):
            assert at_once("table", "one", *view, cwd=directory).returncode == 0
        for form in ("drec", "json", "csv"):
            assert at_once("export", "one", "--format", form, cwd=directory).returncode == 0
        again = at_once("run", "cup.yaml", "--results", "one", cwd=directory)
        running.kill()
    assert status == again.returncode == 2
    for words in (said, again.stderr):
        message, remedy = words.splitlines()
        assert message == "arbiter: one: another run is using these results"
        assert remedy == "  wait for it, or choose another results directory"


def test_what_is_no_results_directory_has_nothing_to_annul(tmp_path: Path) -> None:
    for name in ("nowhere", "."):
        done = at_once("annul", name, "--game", "1", "--why", "x", cwd=tmp_path)
        assert done.returncode == 2
        assert "no results here" in done.stderr
    done = at_once("annul", ".", "--game", "1", "--why", " ", cwd=tmp_path)
    assert (done.returncode, "--why is empty" in done.stderr) == (2, True)
    done = at_once("annul", ".", "--game", "1", "--why", 201 * "x", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "arbiter: --why has 201 characters; it stands below every table\n"
        "  say it in at most 200 characters\n",
    )
    done = at_once("annul", ".", "--game", "0", "--why", "x", cwd=tmp_path)
    assert (done.returncode, "'0' is too small: at least 1" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
