"""A person plays against a bot: typed lines, kept games, and bots that misbehave."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trio

from arbiter.bench.stand import Stand
from arbiter.cli.board import PLAIN
from arbiter.cli.duel import Duel, Parties
from arbiter.cli.input_lines import InputLines
from arbiter.isolation.tree import become_subreaper
from arbiter.match.bot import Dialect
from arbiter.match.clock import MS
from arbiter.match.game import Competitor, GameSetup
from protocol.records import Record, read_records
from protocol.rules import PASS, Position, Side
from tests.e2e.commands import BOTS, CUP, ODD, arbiter, environment, processes_in
from tests.e2e.table import AMPLE, Table
from tests.e2e.terminal import Terminal

FAIR = f"{ODD} none"
LATE = "........w/....w4*b2..b3./.......b3w7*../......b3.../......... w m"


def typed(person: Side, start: Position | None = None) -> Iterator[str]:
    """What a person types who plays the last legal ply, against bots that play the first."""
    position = start or Position.start()
    while not position.is_over:
        plies = sorted(position.legal_plies())
        mine = position.to_move is person
        if mine and plies != [PASS]:
            yield plies[-1].text.lower()
        position = position.play(plies[-1 if mine else 0])


def kept(path: Path) -> Record:
    (record,) = read_records(path.read_text(), str(path))
    return record


@pytest.mark.parametrize("bot", [FAIR, CUP], ids=["dvp", "codecup"])
@pytest.mark.parametrize("side", list(Side), ids=lambda side: side.word)
def test_a_whole_game_is_played_and_kept(tmp_path: Path, bot: str, side: Side) -> None:
    lines = "\n".join(typed(side))
    arguments = ("play", bot, "--side", side.word, "--save", "g.drec", "--seed", "5")
    done = arbiter(tmp_path, *arguments, stdin=lines)
    assert (done.returncode, done.stderr) == (0, "")
    record = kept(tmp_path / "g.drec")
    assert record.termination == "normal"
    assert record.headers[side.word.capitalize()] == "human"
    played = [ply.text.lower() for ply in record.plies]
    assert [ply for ply in played if ply in lines.split()][:10] == lines.split()[:10]
    assert set(lines.split()) <= set(played)
    score = record.headers["Score"].replace("-", ":")
    verdict = {"1/2-1/2": "a draw", ("1-0", "0-1")[side]: "you win"}.get(record.result, "you lose")
    assert f"the game is over, {score}: {verdict}\nkept in g.drec; see it: " in done.stdout
    if "PASS" in [ply.text for ply in record.plies[side::2]]:
        assert "You have no stack move and pass." in done.stdout
    assert arbiter(tmp_path, "verify", "g.drec").stdout == "1 game, all consistent\n"
    again = arbiter(tmp_path, "replay", "g.drec", bot, "--all")
    assert again.returncode == 0, again.stdout


def test_commands(tmp_path: Path) -> None:
    lines = [
        "help",
        "d1",
        "D1",
        "h1-g1",
        "zebra",
        "legal k",
        "legal zz",
        "hint",
        "e1",
        "plies",
        "undo",
        "U",
        "undo",
        "board",
        "f1",
        "resign",
    ]
    done = arbiter(tmp_path, "play", FAIR, "--save", "g.drec", stdin="\n".join(lines))
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout
    for words in (
        "hint        what odd would play",
        "D1: D1 is occupied, and a piece is placed on an empty space. `legal` lists",
        "H1G1: no stack moves before the board is full",
        "zebra: neither a ply nor a command; write a space",
        "legal: K3 K4 K5\n",
        "no legal ply begins with ZZ\n",
        "odd would play A2\n",
        "D1 A1 E1 A2\n",
        "taken back: E1 A2\n",
        "taken back: D1 A1\n",
        "there is nothing to take back\n",
        "you resign: odd wins\n",
    ):
        assert said.count(words) == 1, words
    assert said.count("odd plays A1  (") == 2
    record = kept(tmp_path / "g.drec")
    assert ([ply.text for ply in record.plies], record.result, record.termination) == (
        ["F1", "A1"],
        "0-1",
        "resign",
    )


def test_a_game_is_kept_wherever_it_stops_and_added_to_others(tmp_path: Path) -> None:
    for lines in ("d1\nquit\n", "", "e1\n"):
        done = arbiter(tmp_path, "play", FAIR, "--save", "g.drec", stdin=lines)
        assert done.returncode == 0
        assert "broken off" in done.stdout
    first, second = read_records((tmp_path / "g.drec").read_text(), "g.drec")
    assert (first.plies[0].text, first.result, first.termination) == ("D1", "*", None)
    assert (second.headers["Number"], second.plies[0].text) == ("2", "E1")
    assert "arbiter show g.drec --game 2" in done.stdout
    assert arbiter(tmp_path, "verify", "g.drec").returncode == 0
    again = arbiter(tmp_path, "replay", "g.drec", FAIR, "--game", "1", "--side", "both", "--all")
    assert again.stdout.endswith("1 of 2 as recorded\n")  # and none for a ply that was never asked for
    arbiter(tmp_path, "play", FAIR, stdin="d1\n")
    (own,) = tmp_path.glob("play-odd-2*.drec")
    assert kept(own).headers["Black"] == "odd"


@pytest.mark.parametrize("lines", ["", "quit\n", "d1\nundo\nquit\n"])
def test_a_game_that_never_began_is_not_kept_and_says_so(tmp_path: Path, lines: str) -> None:
    done = arbiter(tmp_path, "play", FAIR, "--save", "g.drec", stdin=lines)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\nbroken off before the first ply: no game is kept\n")
    assert list(tmp_path.glob("*.drec")) == []


def test_ctrl_c_before_the_first_ply_says_that_no_game_is_kept(tmp_path: Path) -> None:
    with Terminal(tmp_path, "play", FAIR) as terminal:
        terminal.read_until("white> ")
        terminal.type("\x03")
        terminal.read_until("interrupted before the first ply: no game is kept\n")
        assert terminal.finish() == 130
    assert list(tmp_path.glob("*.drec")) == []


def test_a_failure_in_place_of_the_first_ply_is_kept(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "play", f"{ODD} exit 3 --at 1", "--side", "black", "--save", "g.drec")
    assert done.returncode == 1
    assert done.stdout.endswith("kept in g.drec; see it: arbiter show g.drec\n")
    assert (kept(tmp_path / "g.drec").plies, kept(tmp_path / "g.drec").termination) == ((), "crash")


def test_taking_back_with_a_bot_that_knows_only_its_own_game(tmp_path: Path) -> None:
    lines = ["k5", "k4", "k3", "j5", "undo", "j4", "quit"]
    done = arbiter(tmp_path, "play", CUP, "--save", "g.drec", stdin="\n".join(lines))
    assert "codecup is started anew and led back ...\ntaken back: J5 B1\n" in done.stdout
    assert [ply.text for ply in kept(tmp_path / "g.drec").plies][::2] == ["K5", "K4", "K3", "J4"]
    assert processes_in(tmp_path) == []


@pytest.mark.parametrize(
    ("again", "told"),
    [("other.py", "A2 the bot now plays A3"), ("same.py garbage", "A3 the bot now plays syntax")],
)
def test_a_bot_that_plays_otherwise_cannot_be_led_back(tmp_path: Path, again: str, told: str) -> None:
    source = (BOTS / "codecup.py").read_text()
    (tmp_path / "same.py").write_text(source)
    (tmp_path / "other.py").write_text(source.replace("key=str)[0]", "key=str)[turns == 2]"))
    python = f"exec {sys.executable}"
    (tmp_path / "moody.sh").write_text(
        f"if [ -e began ]; then {python} {again}; fi; touch began; {python} same.py"
    )
    lines = ["k5", "k4", "k3", "j5", "undo", "j4", "quit"]
    done = arbiter(tmp_path, "play", "codecup:sh moody.sh", "--save", "g.drec", stdin="\n".join(lines))
    assert f"it cannot be taken back: where it played {told}\n" in done.stdout
    assert [ply.text for ply in kept(tmp_path / "g.drec").plies][::2] == ["K5", "K4", "K3", "J5", "J4"]
    assert processes_in(tmp_path) == []


@pytest.mark.parametrize(
    ("oddity", "termination", "words"),
    [
        ("exit 3", "crash", "odd forfeits, crash: exited with status 3"),
        ("say 'move A1A2\\n'", "illegal", "odd forfeits, illegal: A1A2: "),
        ("say 'resign\\n'", "resign", "odd resigns: you win"),
    ],
)
def test_a_bot_that_fails_loses_and_the_game_is_kept(
    tmp_path: Path, oddity: str, termination: str, words: str
) -> None:
    done = arbiter(tmp_path, "play", f"{ODD} {oddity} --at 2", "--save", "g.drec", stdin="k5\nk4\nk3\n")
    assert done.returncode == (termination != "resign")
    assert words in done.stdout
    record = kept(tmp_path / "g.drec")
    assert (record.result, record.termination, len(record.plies)) == ("1-0", termination, 3)
    assert arbiter(tmp_path, "verify", "g.drec").returncode == 0


def test_a_bot_that_never_starts_is_one_clear_message(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "play", "./nothing", stdin="d1\n")
    assert done.returncode == 2
    assert "arbiter: nothing cannot play: " in done.stderr
    assert list(tmp_path.glob("*.drec")) == []


def test_positions_openings_and_sides(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "play", FAIR, "--position", LATE, stdin="legal\nquit\n")
    assert "white to move, 2 legal plies" in done.stdout
    assert "legal: F4J4 K5J4\n" in done.stdout
    seen = set()
    for seed in range(4):
        options = ("--side", "random", "--openings", "random", "--seed", str(seed))
        done = arbiter(tmp_path, "play", FAIR, *options)
        seen.add(done.stdout.partition(" against odd")[0])
        assert "W1" in done.stdout
    assert seen == {"You are white", "You are black"}


def test_the_clock_of_the_person_runs_out(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "arbiter", "play", FAIR, "--clock", "1500ms", "--save", "g.drec"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write("d1\n")
    process.stdin.flush()
    assert process.wait(20) == 0  # its input stays open
    assert process.stdout is not None
    said = process.stdout.read()
    process.communicate()
    assert "your time is up: odd wins" in said
    assert re.search(r"^white (1\.[0-5]|0\.\d)> d1$", said, re.MULTILINE)
    record = kept(tmp_path / "g.drec")
    assert (record.result, record.termination) == ("0-1", "timeout")
    assert re.fullmatch(r"no answer within \d+ ms, after \d+ ms for 1 ply", record.headers["Detail"])
    assert record.headers["TimeControl"] == "1500+0"


def test_a_bot_that_dies_while_the_person_thinks_has_lost_at_once(tmp_path: Path) -> None:
    with Terminal(tmp_path, "play", f"{ODD} move-then-exit 0.5 --at 2", "--save", "g.drec") as terminal:
        for ply in ("k5\n", "k4\n"):
            terminal.read_until("white> ")
            terminal.type(ply)
        terminal.read_until("odd forfeits, crash: exited with status 0")
        assert terminal.finish() == 1
    record = kept(tmp_path / "g.drec")
    assert (record.result, record.termination, len(record.plies)) == ("1-0", "crash", 4)


class Typist(InputLines):
    """Lines that are typed one by one; ``begun`` is when the person's turn had begun, before each."""

    def __init__(self, *lines: str) -> None:
        self.is_typed = False
        self._lines = list(lines)
        self.begun: list[int] = []
        self.duel: Duel

    async def next(self) -> str | None:
        await trio.lowlevel.checkpoint()
        self.begun.append(self.duel.game.seats[Side.WHITE].question.stamp)
        return self._lines.pop(0) if self._lines else None


@pytest.mark.parametrize("dialect", list(Dialect))
def test_clocks_run_on_when_a_ply_is_taken_back(table: Table, dialect: Dialect) -> None:
    argv = (sys.executable, str(BOTS / "codecup.py")) if dialect is Dialect.CODECUP else table.fair().argv
    bot = Competitor(table.bot(*argv, dialect=dialect), AMPLE)
    person = Competitor(table.bot("nobody", name="human"), AMPLE)
    setup = GameSetup(person, bot, Position.start())
    typist = Typist("k5", "k4", "undo", "k3", "quit")
    duel = typist.duel = Duel(Parties(setup, setup, Side.WHITE), typist, PLAIN)

    async def play() -> None:
        async with trio.open_nursery() as nursery:
            stand = Stand(nursery)
            await duel.play(stand)
            stand.dismiss_all()

    become_subreaper()
    trio.run(play)
    first, second, third, after_undo, last = typist.begun
    assert first < second < third == after_undo < last
    assert [record.ply for record in duel.game.records][::2] == ["K5", "K3"]
    assert [duel.game.seats[side].clock.use().plies for side in Side] == [3, 3]
    lefts = [record.left or 0 for record in duel.game.records[::2]]
    assert lefts[1] < lefts[0] < 20_000 * MS


def test_ctrl_c_keeps_the_game_and_leaves_nothing(tmp_path: Path) -> None:
    with Terminal(tmp_path, "play", FAIR, "--save", "g.drec") as terminal:
        terminal.read_until("white> ")
        terminal.type("d1\n")
        terminal.read_until("odd plays A1")
        terminal.read_until("white> ")
        assert len(processes_in(tmp_path)) == 2
        terminal.type("\x03")
        terminal.read_until("interrupted\nkept in g.drec")
        assert terminal.finish() == 130
        assert "\x1b[1;38;5;231;48;5;160m" in terminal.text
    assert [ply.text for ply in kept(tmp_path / "g.drec").plies] == ["D1", "A1"]
    assert processes_in(tmp_path) == []


BAD = [
    (("--clock", "5"), "--clock: `5` needs a unit"),
    (("--think", "soon"), "--think: "),
    (("--hints", CUP), "no position can be told"),
    (("--save", "no/g.drec"), "there is no directory no"),
    (("--save", "notes.txt"), "--save: notes.txt:1: "),
    (("--save", "."), "--save .: a directory"),
    (("--save", "/dev/null"), "--save /dev/null: not a file"),
    (("--save", "x" * 300), "cannot be written: File name too long"),
    (("--save", "nowhere.drec"), "--save nowhere.drec: not a file"),
    (("--position", LATE, "--openings", "random"), "leave one of them out"),
    (("--position", "x"), "--position: "),
]


@pytest.mark.parametrize(("options", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_input_is_one_clear_message(
    tmp_path: Path, refused: Callable[..., str], options: tuple[str, ...], words: str
) -> None:
    (tmp_path / "notes.txt").write_text("hello\n")
    (tmp_path / "nowhere.drec").symlink_to("no/g.drec")
    assert words in refused("play", FAIR, *options)
    assert (tmp_path / "notes.txt").read_text() == "hello\n"
    assert {path.name for path in tmp_path.iterdir()} == {"notes.txt", "nowhere.drec"}
