"""Every format from the command line: whole, killed and gone on with, with bots and rounds that join."""

import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.commands import QUICK, arbiter, at_once, entry, held_from, quick, start, stored, write_cup

BOTS = [quick(f"b{number}", "last" if number % 2 else "first") for number in range(1, 6)]
NAMES = ["b1", "b2", "b3", "b4", "b5"]
CUPS: dict[str, tuple[str, list[str], tuple[str, ...]]] = {
    "round-robin": ("round-robin", BOTS[:3], ("rounds: 2", "openings: random")),
    "gauntlet": ("gauntlet", BOTS[:4], ("challengers: [b2]", "rounds: 2", "openings: symmetric")),
    "swiss": ("swiss", BOTS[:4], ("rounds: 3",)),
    "odd swiss": ("swiss", BOTS, ("rounds: 4", "time: 1m")),
    "knockout": ("knockout", BOTS, ("best_of: 1", "time: 1m")),
    "sprt": ("sprt", BOTS[:2], ("sprt: {elo1: 300}",)),
}
"""Format, bots and the lines of the file."""

Game = dict[str, Any]


def games_of(results: Path) -> list[Game]:
    games: list[Game] = json.loads(at_once("export", str(results), "--format", "json").stdout)["games"]
    return games


def run(directory: Path, results: str, *more: str) -> str:
    done = at_once("run", "cup.yaml", "--results", results, *more, cwd=directory)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(directory: Path) -> str:
    done = at_once("run", "cup.yaml", "--results", "one", cwd=directory)
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The directory with file and results ``one`` of a cup played from its beginning to its end."""
    played: dict[str, Path] = {}

    def play(kind: str) -> Path:
        if kind not in played:
            played[kind] = tmp_path_factory.mktemp(kind.replace(" ", "-"))
            form, bots, lines = CUPS[kind]
            write_cup(played[kind], form, bots, *lines)
            (played[kind] / "said").write_text(run(played[kind], "one"))
        return played[kind]

    return play


@pytest.fixture
def copy(whole: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    """The same to go on with."""

    def copied(kind: str) -> Path:
        shutil.copytree(whole(kind), tmp_path / "copy")
        return tmp_path / "copy"

    return copied


def pairs_of(games: list[Game]) -> dict[int, list[Game]]:
    pairs: dict[int, list[Game]] = defaultdict(list)
    for game in games:
        pairs[game["pair"]].append(game)
    return pairs


@pytest.mark.parametrize("kind", CUPS)
def test_pairs_swap_colours_and_see_new_openings(whole: Callable[[str], Path], kind: str) -> None:
    games = games_of(whole(kind) / "one")
    met: dict[frozenset[str], list[str]] = defaultdict(list)
    for pair in pairs_of(games).values():
        if kind == "sprt" and len(pair) == 1:
            continue  # a game that was under way when the test was decided
        one, other = pair
        assert (one["white"], one["black"]) == (other["black"], other["white"])
        assert (one["start"], one["round"]) == (other["start"], other["round"])
        met[frozenset((one["white"], one["black"]))].append(one["start"])
    assert all(len(set(starts)) == len(starts) for starts in met.values())
    word = {"round-robin": "random", "gauntlet": "symmetric"}.get(kind, "balanced")
    assert {game["opening"].split()[0] for game in games} == {word}
    assert [game["number"] for game in games] == list(range(1, len(games) + 1))


@pytest.mark.parametrize("kind", CUPS)
def test_games_at_a_time_change_nothing(whole: Callable[[str], Path], tmp_path: Path, kind: str) -> None:
    one = whole(kind)
    said = run(one, str(tmp_path / "four"), "--concurrency", "4")
    once, four = stored(one / "one"), stored(tmp_path / "four")
    if kind == "sprt":
        # Games that were under way when the test was decided may be over, too.
        assert once.items() <= four.items() or four.items() <= once.items()
        verdict = re.compile(r"Test: .*\n.*\n")
        assert verdict.findall(said) == verdict.findall((one / "said").read_text()) != []
    else:
        assert once == four


@pytest.mark.parametrize(
    "kind, expected",
    [
        ("round-robin", ["round-robin, 2 rounds", "3 pairings, 12 games, 1 at a time", "round 1: b2 - b3"]),
        ("gauntlet", ["gauntlet of b2, 2 rounds", "3 pairings, 12 games", "game 1, round 1: b2 - b1"]),
        ("swiss", ["swiss, 3 rounds", "\n12 games, 1 at a time", "game 3, round 1: b2 - b4"]),
        ("odd swiss", ["swiss, 4 rounds", "\n16 games", "b5 has a bye in round 1"]),
        ("knockout", ["knockout, best of 1 pair", "at least 8 games", "b1 has a bye in round 1"]),
        ("sprt", ["sprt [0, 300] Elo, alpha 0.05, beta 0.05", "if a hypothesis is true, 200,000 at most"]),
    ],
)  # fmt: skip
def test_a_dry_run_tells_what_comes(whole: Callable[[str], Path], kind: str, expected: list[str]) -> None:
    done = at_once("run", str(whole(kind) / "cup.yaml"), "--dry-run")
    assert done.returncode == 0
    for words in expected:
        assert words in done.stdout
    # And that is what came.
    foretold = re.findall(r"^  game (\d+), round (\d+): (\S+) - (\S+)$", done.stdout, re.MULTILINE)
    came = {str(game["number"]): game for game in games_of(whole(kind) / "one")}
    for number, round_number, white, black in foretold:
        if number in came:
            game = came[number]
            assert (str(game["round"]), game["white"], game["black"]) == (round_number, white, black)


def test_a_gauntlet_is_about_its_challengers(whole: Callable[[str], Path]) -> None:
    games = games_of(whole("gauntlet") / "one")
    met = Counter(frozenset((game["white"], game["black"])) for game in games)
    assert met == {frozenset(("b2", other)): 4 for other in ("b1", "b3", "b4")}


@pytest.mark.parametrize("kind", ["swiss", "odd swiss"])
def test_a_swiss_system_ends_as_announced(whole: Callable[[str], Path], kind: str) -> None:
    directory = whole(kind)
    games, bots, rounds = games_of(directory / "one"), len(CUPS[kind][1]), int(CUPS[kind][2][0][-1])
    met = Counter(frozenset((game["white"], game["black"])) for game in games)
    assert set(met.values()) == {2}  # nobody meets anybody twice
    for number in range(1, rounds + 1):
        playing = Counter(game["white"] for game in games if game["round"] == number)
        assert len(playing) == bots - bots % 2
    said = (directory / "said").read_text()
    byes = re.findall(r"(\S+) has a bye", said)
    assert len(byes) == len(set(byes)) == (rounds if bots % 2 else 0)
    table = json.loads(at_once("table", str(directory / "one"), "--format", "json").stdout)
    points = {row["name"]: row["points"] - 2 * (row["name"] in byes) for row in table["bots"]}
    assert points == {row["name"]: row["wins"] + row["draws"] / 2 for row in table["bots"]}
    assert [row["points"] for row in table["bots"]] == sorted(
        (row["points"] for row in table["bots"]), reverse=True
    )
    if bots % 2:
        assert "Points include those for byes" in said


def test_a_swiss_system_that_ends_early_says_why_it_has_no_ratings(tmp_path: Path) -> None:
    """Nothing is promised: it is over."""
    write_cup(tmp_path, "swiss", BOTS[:4], "rounds: 1")
    said = run(tmp_path, "one")
    assert "\nNo Elo: the bots are 2 groups that have not met, directly or through others.\n" in said
    table = json.loads(at_once("table", str(tmp_path / "one"), "--format", "json").stdout)
    assert [row["elo"] for row in table["bots"]] == [None] * 4


def test_a_knockout_ends_with_one_winner(whole: Callable[[str], Path]) -> None:
    directory = whole("knockout")
    said = (directory / "said").read_text()
    rounds = re.findall(r"^round (\d)( goes on)?: (.*)$", said, re.MULTILINE)
    assert rounds[0] == ("1", "", "b4 - b5, b1 has a bye, b2 has a bye, b3 has a bye")
    assert rounds[1][0] == "2"
    # Two of a kind play level by nature, so that ties go on, for three more pairs at most.
    assert any(again for _, again, _ in rounds)
    ties = Counter(
        (number, tie) for number, _, line in rounds for tie in line.split(", ") if "bye" not in tie
    )
    assert max(ties.values()) <= 4
    totals = [int(total) for total in re.findall(r"\(round \d, \d+ of at least (\d+)\)$", said, re.MULTILINE)]
    assert len(totals) == said.count(" starts: ") == totals[-1]
    assert totals == sorted(totals)
    finalists = [tie for number, tie in ties if number == "3"]
    assert len(finalists) == 1
    table = json.loads(at_once("table", str(directory / "one"), "--format", "json").stdout)
    ranks = {row["name"]: row["rank"] for row in table["bots"]}
    assert sorted(ranks.values()) == [1, 2, 3, 3, 5]
    assert {name for name, rank in ranks.items() if rank < 3} == set(finalists[0].split(" - "))
    # Each tie ends with one line, and the table has the same.
    settled = re.findall(r"^tie ends: (\S+ beats .*) \(round (\d)\)$", said, re.MULTILINE)
    assert len(settled) == 4
    winners = [line.split()[0] for line, _ in settled]
    assert ranks[winners[-1]] == 1
    noted = [f"Round {number}: {'; '.join(line for line, n in settled if n == number)}." for number in "123"]
    assert [note for note in table["notes"] if note.startswith("Round ")] == noted
    assert any(re.search(r" by (margin \(\+\d+\)|seed)$", line) for line, _ in settled)


def test_an_sprt_match_tells_how_it_goes(whole: Callable[[str], Path]) -> None:
    directory = whole("sprt")
    said = (directory / "said").read_text()
    lines = re.findall(
        r"^pair (\d+): LLR ([+-]\d+\.\d\d) \(-2.94 to 2.94\), pairs by points (\S+)$", said, re.MULTILINE
    )
    assert [int(number) for number, _, _ in lines] == list(range(1, len(lines) + 1))
    assert all(sum(map(int, counts.split("-"))) == int(number) for number, _, counts in lines)
    assert all(abs(float(llr)) < 2.95 for _, llr, _ in lines[:-1])
    assert abs(float(lines[-1][1])) >= 2.94
    test = json.loads(at_once("table", str(directory / "one"), "--format", "json").stdout)["test"]
    assert test["ending"] in ("H0", "H1")
    assert f"{test['llr']:+.2f}" == lines[-1][1]
    assert "An Elo shown after a test has stopped is biased." in " ".join(said.split())


@pytest.mark.parametrize("kind", ["odd swiss", "knockout"])
def test_killed_in_the_middle_of_a_round(whole: Callable[[str], Path], tmp_path: Path, kind: str) -> None:
    """Once with one game at a time and once with four; then the rest is played."""
    directory = whole(kind)
    for concurrency, round_number in (("1", 1), ("4", 2)):
        results = str(tmp_path / "killed")
        first, second, *_ = (g["number"] for g in games_of(directory / "one") if g["round"] == round_number)
        with held_from(directory, second):
            running = start(directory, "run", "cup.yaml", "--results", results, "--concurrency", concurrency)
            with running:
                assert running.stdout is not None
                awaited = {f"game {first} ends: ", f"game {second} starts: "}
                for line in running.stdout:
                    awaited -= {words for words in awaited if line.startswith(words)}
                    if not awaited:
                        break
                running.kill()
        assert not awaited
        assert first <= len(stored(tmp_path / "killed")) < second
    said = run(directory, results, "--concurrency", "4")
    assert "games were played before" in said
    assert stored(tmp_path / "killed") == stored(directory / "one")
    tables = [
        at_once("table", str(place), "--crosstable").stdout
        for place in (directory / "one", tmp_path / "killed")
    ]
    assert tables[0] == tables[1]


# What comes later


def add_bot(directory: Path, bot: str) -> None:
    path = directory / "cup.yaml"
    path.write_text(f"{path.read_text()}  - {bot}\n")


def swap(directory: Path, old: str, new: str) -> None:
    path = directory / "cup.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("kind", ["round-robin", "gauntlet", "swiss"])
def test_a_bot_that_joins_extends_the_schedule(copy: Callable[[str], Path], kind: str) -> None:
    directory = copy(kind)
    before = stored(directory / "one")
    add_bot(directory, quick("late", "last"))
    if kind == "swiss":
        swap(directory, "rounds: 3", "rounds: 4")
    run(directory, "one")
    after, games = stored(directory / "one"), games_of(directory / "one")
    assert before.items() <= after.items()
    assert list(after) == list(range(1, len(after) + 1))
    met = Counter(frozenset((game["white"], game["black"])) for game in games)
    mine = {next(iter(pair - {"late"})): count for pair, count in met.items() if "late" in pair}
    if kind == "round-robin":
        assert mine == {"b1": 4, "b2": 4, "b3": 4}
    elif kind == "gauntlet":
        assert mine == {"b2": 4}
    else:
        assert (len(mine), set(mine.values())) == (1, {2})
        assert {game["round"] for game in games if "late" in (game["white"], game["black"])} == {4}
    assert len({(game["round"], game["game"]) for game in games}) == len(games)
    assert all(len(pair) == 2 for pair in pairs_of(games).values())


NEXT_GAMES = re.compile(r"^  game (\d+), round (\d+): (\S+) - (\S+)$", re.MULTILINE)


def foretold(directory: Path, *more: str) -> str:
    """What a dry run says of stored games, which it leaves alone."""
    before = (directory / "one" / "league.db").read_bytes()
    done = at_once("run", "cup.yaml", "--results", "one", "--dry-run", *more, cwd=directory)
    assert (done.returncode, done.stderr) == (0, "")
    assert (directory / "one" / "league.db").read_bytes() == before
    return done.stdout


@pytest.mark.parametrize(
    "kind, old, new, expected",
    [
        ("gauntlet", "rounds: 2", "rounds: 3", "12 games were played; 6 are left, 1 at a time; the first"),
        ("odd swiss", "rounds: 4", "rounds: 6", "16 games were played; 8 are left, 1 at a time; the first"),
    ],
)  # fmt: skip
def test_a_dry_run_tells_what_is_left(
    copy: Callable[[str], Path], kind: str, old: str, new: str, expected: str
) -> None:
    directory = copy(kind)
    before = stored(directory / "one")
    assert f"{len(before)} games were played; none is left\n" in foretold(directory)
    swap(directory, old, new)
    said = foretold(directory)
    assert expected in said
    coming = NEXT_GAMES.findall(said)
    run(directory, "one")
    played = {
        (str(game["number"]), str(game["round"]), game["white"], game["black"])
        for game in games_of(directory / "one")
        if game["number"] not in before
    }
    assert set(coming) <= played
    # Of a Swiss system the round is told that the results so far lead to.
    assert len(coming) == (6 if kind == "gauntlet" else 4)


def test_a_dry_run_of_a_knockout_counts_the_least(copy: Callable[[str], Path]) -> None:
    directory = copy("knockout")
    games = len(stored(directory / "one"))
    assert at_once("annul", "one", "--game", "1", "--why", "x", "--replay", cwd=directory).returncode == 0
    said = foretold(directory)
    assert f"{games - 1} games were played; at least 1 is left, 1 at a time; the first of them:" in said
    assert NEXT_GAMES.findall(said) == [("1", "1", "b4", "b5")]


def test_a_dry_run_knows_when_a_test_is_decided(copy: Callable[[str], Path]) -> None:
    directory = copy("sprt")
    assert f"{len(stored(directory / 'one'))} games were played; none is left\n" in foretold(directory)


def test_a_dry_run_refuses_what_the_run_refuses(copy: Callable[[str], Path]) -> None:
    directory = copy("knockout")
    swap(directory, "best_of: 1", "best_of: 2")
    message = refusal(directory)
    assert "  best_of: 1 -> 2\n" in message
    done = at_once("run", "cup.yaml", "--results", "one", "--dry-run", cwd=directory)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)
    swap(directory, "best_of: 2", "best_of: 1")
    done = at_once("run", "cup.yaml", "--results", "one", "--dry-run", "--seed", "5", cwd=directory)
    assert (done.returncode, "played with seed 1, not 5" in done.stderr) == (2, True)


def test_a_dry_run_tells_who_joins_too_late(copy: Callable[[str], Path]) -> None:
    directory = copy("swiss")
    add_bot(directory, quick("late"))
    assert "late is left out: the last round was drawn before it joined" in foretold(directory)


@pytest.mark.parametrize("more", [(), ("--quiet",)])
def test_who_joins_when_all_rounds_were_drawn_is_told_so(
    copy: Callable[[str], Path], more: tuple[str, ...]
) -> None:
    directory = copy("swiss")
    before = stored(directory / "one")
    add_bot(directory, quick("late"))
    done = at_once("run", "cup.yaml", "--results", "one", *more, cwd=directory)
    line = "late is left out: the last round was drawn before it joined; raise `rounds` to let it play\n"
    assert (done.returncode, line in done.stdout + done.stderr) == (0, True)
    assert stored(directory / "one") == before
    swap(directory, "rounds: 3", "rounds: 4")
    said = run(directory, "one")
    assert "late is left out" not in said
    assert len(stored(directory / "one")) == len(before) + 4


def test_who_missed_the_draw_of_a_knockout_is_told_so(tmp_path: Path) -> None:
    """A bot that could not be started then, and can be now."""
    late = entry("late", "./late.sh first", optional="true")
    write_cup(tmp_path, "knockout", [*BOTS[:2], late])
    assert "late is left out: " in run(tmp_path, "one")
    shutil.copy(QUICK, tmp_path / "late.sh")
    line = (
        "late is left out: the first round was drawn without it; it can play in another --results directory\n"
    )
    assert line in run(tmp_path, "one")


@pytest.mark.parametrize(
    "kind, message",
    [
        ("knockout", "  bot added: late; `format: knockout` takes no new bots once it has begun\nundo"),
        ("sprt", "`format: sprt` compares two bots; here are 3"),
    ],
)
def test_where_nobody_can_join(copy: Callable[[str], Path], kind: str, message: str) -> None:
    directory = copy(kind)
    before = stored(directory / "one")
    add_bot(directory, quick("late"))
    assert message in refusal(directory)
    assert stored(directory / "one") == before


@pytest.mark.parametrize(
    "kind, old, new, games",
    [
        ("gauntlet", "rounds: 2", "rounds: 3", 6),
        ("odd swiss", "rounds: 4", "rounds: 5", 4),
    ],
)
def test_more_rounds(copy: Callable[[str], Path], kind: str, old: str, new: str, games: int) -> None:
    directory = copy(kind)
    before = stored(directory / "one")
    swap(directory, old, new)
    assert run(directory, "one").count(" starts: ") == games
    after = stored(directory / "one")
    assert before.items() <= after.items()
    assert list(after) == list(range(1, len(before) + games + 1))
    swap(directory, new, old)
    assert f"  {new} -> {old.split()[1]}\n" in refusal(directory)


def test_a_description_that_was_never_played_binds_nobody(tmp_path: Path) -> None:
    """Stopped before its first game was over, a tournament can still be put right."""
    write_cup(tmp_path, "swiss", [quick("b1", "late"), quick("b2")], "rounds: 1")
    running = start(tmp_path, "run", "cup.yaml", "--results", "one")
    with running:
        assert running.stdout is not None
        assert "starts" in next(line for line in running.stdout if "starts" in line)
        running.kill()
    write_cup(tmp_path, "round-robin", BOTS[:3], "seed: 2")
    run(tmp_path, "one")
    assert {white for white, *_ in stored(tmp_path / "one").values()} == {"b1", "b2", "b3"}
    table = at_once("table", str(tmp_path / "one")).stdout
    assert "6 games" in table
    assert "seed 2" in table


# Openings of a file


def boards(count: int) -> list[str]:
    done = at_once("openings", "--kind", "random", "--seed", "5", "--count", str(count))
    return done.stdout.splitlines()


@pytest.fixture
def book(tmp_path: Path) -> list[str]:
    """Two openings, the second without a line end behind it; the first stands there twice."""
    lines = boards(2)
    (tmp_path / "book.dpos").write_text(f"{lines[0]} # first\n{lines[0]}\n{lines[1]} # second")
    return lines


@pytest.mark.parametrize("order", ["listed", "random"])
def test_openings_of_a_file_are_played_in_turn_and_again(tmp_path: Path, book: list[str], order: str) -> None:
    write_cup(
        tmp_path, "round-robin", BOTS[:2], "rounds: 3", f"openings: {{file: book.dpos, order: {order}}}"
    )
    said = run(tmp_path, "one")
    shuffled = ", shuffled" if order == "random" else ""
    assert "book.dpos:2: repeats an earlier opening and is left out\n" in said
    assert (
        f"2 openings from book.dpos{shuffled} for 3 rounds: after the last one comes the first again\n"
        in said
    )
    starts = [game["start"] for game in games_of(tmp_path / "one")]
    assert set(starts) == set(book)
    assert starts[0:6:2] == starts[1:6:2] == [starts[0], starts[2], starts[0]]
    if order == "listed":
        assert starts[0] == book[0]
    # The last pair only repeats the first one, move by move.
    assert "2 games repeated an earlier one ply by ply" in said
    (tmp_path / "book.dpos").write_text(f"{book[1]}\n{book[0]}\n")
    assert "openings: file: book.dpos" in refusal(tmp_path)


@pytest.mark.parametrize(
    "form, bots, lines, expected",
    [
        ("knockout", BOTS[:2], ("best_of: 1",), "for ties of up to 4 pairs: after the last one"),
        ("swiss", BOTS[:2], ("rounds: 3",), "for 3 rounds of 2 bots: after the last one comes"),
        ("swiss", BOTS[:3], ("rounds: 3",), ""),
        ("sprt", BOTS[:2], (), "2 openings from book.dpos, so that the test ends after as many pairs"),
    ],
)  # fmt: skip
def test_a_file_that_is_too_short_is_announced(
    tmp_path: Path, book: list[str], form: str, bots: list[str], lines: tuple[str, ...], expected: str
) -> None:
    write_cup(tmp_path, form, bots, *lines, "openings: {file: book.dpos}")
    said = run(tmp_path, "one")
    assert expected in said if expected else "after the last one" not in said
    if form == "sprt":
        assert [game["start"] for game in games_of(tmp_path / "one")] == [book[0]] * 2 + [book[1]] * 2
        assert "not decided between 0 and 50 Elo" in said


FAULTS: dict[str, tuple[Callable[[str], str], str]] = {
    "shape": (lambda board: "a/b w m", "5 rows divided by / are needed, row 5 first; this has 2 [rows]"),
    "48 pieces": (lambda board: board.replace("w", ".", 1), "a full board has 49 pieces"),
    "two on a space": (
        lambda board: board.replace("w", "w2", 1),
        "the game has 49 pieces, the heights sum to 50",
    ),
    "four reds": (
        lambda board: board.replace("b", "r", 1),
        "phase m has 1 to 3 stacks that hold a red, here 4",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_openings_that_are_none_are_refused_with_their_place(tmp_path: Path, fault: str) -> None:
    """Before anything starts, and of each line of the file."""
    make, message = FAULTS[fault]
    good, bad = boards(2)
    (tmp_path / "book.dpos").write_text(f"# openings\n{good}\n{make(bad)}\n\n{make(bad)}")
    write_cup(tmp_path, "round-robin", BOTS[:2], "openings: {file: book.dpos}")
    first, second = refusal(tmp_path).splitlines()
    assert first.startswith("arbiter: book.dpos:3: ")
    assert second.startswith("book.dpos:5: ")
    assert message in first
    assert message in second
    assert not (tmp_path / "one").exists()


def test_a_file_without_openings_is_refused(tmp_path: Path) -> None:
    (tmp_path / "book.dpos").write_text("# openings\n")
    write_cup(tmp_path, "round-robin", BOTS[:2], "openings: {file: book.dpos}")
    assert refusal(tmp_path) == "arbiter: book.dpos: no openings in this file\n"
    write_cup(tmp_path, "round-robin", BOTS[:2], "openings: {file: bok.dpos}")
    assert "bok.dpos: no such file; did you mean `book.dpos`?" in refusal(tmp_path)


def test_every_fault_of_a_tournament_file_is_told_at_once(tmp_path: Path) -> None:
    """From the command line: place and message of each, and nothing else."""
    path = Path(__file__).parents[1] / "data" / "yaml" / "everything_wrong.yaml"
    told = sum(line.count("#> ") for line in path.read_text().splitlines())
    done = arbiter(tmp_path, "run", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.removeprefix("arbiter: ").splitlines()
    assert len(lines) == told > 20
    assert all(re.match(rf"{re.escape(str(path))}:\d+:\d+: \S", line) for line in lines)
    assert list(tmp_path.iterdir()) == []


def test_every_kind_of_pairing_stays_distinct_over_many_rounds(whole: Callable[[str], Path]) -> None:
    """Two bots meet on the same openings as two others, but never twice on one."""
    starts: dict[frozenset[str], list[str]] = defaultdict(list)
    for game in games_of(whole("round-robin") / "one"):
        starts[frozenset((game["white"], game["black"]))].append(game["start"])
    assert starts.keys() == {frozenset(pair) for pair in combinations(("b1", "b2", "b3"), 2)}
    assert len({tuple(each) for each in starts.values()}) == 1
    assert all(len(set(each)) == 2 for each in starts.values())
