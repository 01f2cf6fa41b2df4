"""SPEC.md keeps its word: every example runs, and what is generated or counted in it is current."""

import os
import re
import select
import subprocess
import sys
from inspect import signature
from pathlib import Path

import pytest

from arbiter.match.termination import Termination
from arbiter.tournament.starters import load_starter_catalogue
from protocol import codecup, diagram, dvp
from protocol.dvp import messages
from protocol.errors import PositionError
from protocol.lines import LineBuffer
from protocol.records import read_records, verify_record
from protocol.rules import SPACES, Position, Side, parse_dpos, parse_ply
from protocol.states import Role
from tests.e2e.commands import arbiter

SPEC_PATH = Path(diagram.__file__).with_name("SPEC.md")
SPEC = SPEC_PATH.read_text("utf-8")
PROSE = re.sub(r"```.*?```", "", SPEC, flags=re.DOTALL)


def blocks(kind: str) -> list[str]:
    found = re.findall(rf"^```{kind}\n(.*?)^```$", SPEC, re.DOTALL | re.MULTILINE)
    assert found, f"no block of kind {kind}"
    return found


def lines(kind: str) -> list[str]:
    return [line for block in blocks(kind) for line in block.splitlines() if line]


class Terminal:
    """A bot in a process, typed at by hand."""

    def __init__(self, path: Path) -> None:
        # Bots flush by themselves, or the example is wrong.
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
        self.process = subprocess.Popen(
            [sys.executable, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._lines = LineBuffer()

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        """The next line of output."""
        assert self.process.stdout is not None
        found: list[bytes] = []
        while not found:
            assert select.select([self.process.stdout], [], [], 10)[0], "no answer within 10 s"
            data = os.read(self.process.stdout.fileno(), 4096)
            assert data, "the bot has ended"
            found = self._lines.feed(data)
        assert len(found) == 1
        return found[0].decode()

    def close(self) -> int:
        with self.process:
            try:
                return self.process.wait(10)
            finally:
                self.process.kill()


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    (program,) = blocks("python")
    path = tmp_path / "bot.py"
    path.write_text(program, "utf-8")
    return path


def test_the_first_bot_has_twelve_lines() -> None:
    (program,) = blocks("python")
    assert len(program.splitlines()) == 12


def test_the_bot_on_the_helper_plays_and_wins(tmp_path: Path) -> None:
    (program,) = blocks("python helper")
    (tmp_path / "narrow.py").write_text(program, "utf-8")
    bot = f"{sys.executable} narrow.py"
    done = arbiter(tmp_path, "match", bot, "sample:random", "--games", "1", "--seed", "1")
    assert "ends: narrow - random 1-0 (" in done.stdout


def test_every_language_with_a_starter_is_named() -> None:
    section = SPEC.partition("## A start in your language\n")[2].partition("\n##")[0]
    assert [
        starter.language for starter in load_starter_catalogue().values() if starter.language not in section
    ] == []


def test_the_session_by_hand_goes_as_written(bot: Path) -> None:
    start, *session = lines("session")
    assert start == "$ python3 bot.py"
    terminal = Terminal(bot)
    legal: list[str] = []
    try:
        for line in session:
            direction, text = line[:2], line[2:]
            if direction == "> ":
                terminal.type(text)
                legal = text.split()[1:] if text.startswith("legal") else legal
            elif text.startswith("move"):
                assert text.removeprefix("move ") in legal
                assert terminal.answer().removeprefix("move ") in legal
            else:
                assert terminal.answer() == text
    finally:
        code = terminal.close()
    assert code == 0


def test_the_first_bot_plays_a_whole_game_by_the_rules(bot: Path) -> None:
    terminal, talk = Terminal(bot), dvp.Connection(Role.ARBITER)
    position, plies = Position.start(), list[str]()

    def exchange(*sent: dvp.Message) -> dvp.Event:
        for line in talk.send(*sent).decode().splitlines():
            terminal.type(line)
        (event,) = talk.receive(terminal.answer().encode() + b"\n")
        return event

    try:
        assert exchange(dvp.Hello()) == dvp.HelloOk()
        sent: list[dvp.Message] = [dvp.NewGame(Side.WHITE)]
        while not position.is_over:
            legal = tuple(ply.text for ply in position.legal_plies())
            sent += [dvp.Setup("start", tuple(plies)), dvp.Board(position.dpos), dvp.Legal(legal)]
            move = exchange(*sent, dvp.Go({"ply": len(plies) + 1}))
            assert isinstance(move, dvp.Move)
            position, sent = position.play(parse_ply(move.ply_text)), []
            plies.append(move.ply_text)
        terminal.type("quit")
    finally:
        code = terminal.close()
    assert code == 0
    assert len(plies) > 49


@pytest.mark.parametrize("role", Role)
def test_the_examples_of_lines_are_in_the_language(role: Role) -> None:
    for line in lines(role):
        message = dvp.parse(line.encode(), role)
        assert not isinstance(message, dvp.Unknown), line
        assert dvp.format(message) in (line, f"{line} 1"), "`dvpok` alone may leave something out"


def test_every_word_of_the_language_has_an_example() -> None:
    for role, kinds in ((Role.ARBITER, messages.FromArbiter), (Role.BOT, messages.FromBot)):
        said = {type(dvp.parse(line.encode(), role)) for line in lines(role)}
        assert said == set(kinds.__args__)


def test_positions_boards_and_legal_plies_of_the_examples_agree() -> None:
    board = None
    for line in lines("arbiter"):
        message = dvp.parse(line.encode(), Role.ARBITER)
        match message:
            case dvp.Setup(start, plies):
                position = Position.start() if start == "start" else parse_dpos(start)
                for ply in plies:
                    position = position.play(parse_ply(ply))
                board = position.dpos
            case dvp.Board(dpos):
                assert dpos == board
            case dvp.Legal(plies):
                assert board is not None
                assert sorted(plies) == sorted(ply.text for ply in parse_dpos(board).legal_plies())


def test_the_session_asks_for_legal_plies() -> None:
    position = parse_dpos("........./..b......./..wrw....../........../......... w m")
    asked = [line.split()[2:] for line in lines("session") if line.startswith("> legal")]
    assert asked[0] == sorted(ply.text for ply in position.legal_plies())
    after = position.play(parse_ply("C3D4"))
    assert asked[1] == [ply.text for ply in after.legal_plies()]


def test_the_dialogue_is_allowed_by_the_tables() -> None:
    ends = {role: dvp.Connection(role) for role in Role}
    for line in lines("dialogue"):
        speaker = Role.ARBITER if line[0] == ">" else Role.BOT
        message = dvp.parse(line[2:].encode(), speaker)
        assert not isinstance(message, dvp.Unknown), line
        assert ends[speaker.other].receive(ends[speaker].send(message)) == [message]
    assert ends[Role.BOT].state is dvp.State.CLOSED


def test_the_boards_of_the_dialogue_follow_from_its_plies() -> None:
    position, boards = Position.start(), 0
    for line in lines("dialogue"):
        message = dvp.parse(line[2:].encode(), Role.ARBITER)
        if isinstance(message, dvp.Setup):
            position = Position.start()
            for ply in message.plies:
                position = position.play(parse_ply(ply))
        elif isinstance(message, dvp.Board):
            assert message.dpos == position.dpos
            boards += 1
        elif isinstance(message, dvp.Legal):
            assert set(message.plies) <= {ply.text for ply in position.legal_plies()}
    assert boards == 2


def test_the_hints_are_those_of_the_log() -> None:
    table = SPEC.partition("| The bot writes | The log says |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", table, re.MULTILINE)
    assert len(rows) == 4
    for line, hint in rows:
        message = dvp.parse(line.encode(), Role.BOT)
        assert isinstance(message, dvp.Unknown)
        assert message.hint == hint


def test_the_options_of_the_table_are_understood() -> None:
    examples = re.findall(r"\| `(option [A-Z]\w+ [^`]*)` \|$", SPEC, re.MULTILINE)
    kinds = set()
    for example in examples:
        option = dvp.parse(example.encode(), Role.BOT)
        assert isinstance(option, dvp.Option)
        assert option.fault(option.default) is None
        kinds.add(option.kind)
    assert kinds == {"check", "spin", "combo", "string", "button"}


def test_the_board_is_drawn_as_the_rules_have_it() -> None:
    (drawing,) = blocks("board")
    rows = [line.split() for line in drawing.splitlines()]
    assert [space for row in reversed(rows) for space in row] == list(SPACES)
    width = max(len(row) for row in rows)
    for row, line in zip(rows, drawing.splitlines(), strict=True):
        assert len(line) - len(line.lstrip()) == 4 + width - len(row)


def test_the_neighbours_are_those_a_stack_of_one_reaches() -> None:
    for line in lines("neighbours"):
        space, _, neighbours = line.partition(": ")
        board = ["." * length for length in (9, 10, 11, 10, 9)]
        rows = [row.split() for row in blocks("board")[0].splitlines()]
        for name in [space, *neighbours.split()]:
            row = next(i for i, names in enumerate(rows) if name in names)
            column = rows[row].index(name)
            cell = "w" if name == space else "r" if name == neighbours.split()[0] else "b"
            board[row] = board[row][:column] + cell + board[row][column + 1 :]
        # One neighbour is taken away again, or the piece would be stuck.
        (away,) = neighbours.split()[-1:]
        row = next(i for i, names in enumerate(rows) if away in names)
        column = rows[row].index(away)
        board[row] = board[row][:column] + "." + board[row][column + 1 :]
        reached = {ply.target for ply in parse_dpos("/".join(board) + " w m").legal_plies()}
        assert reached == set(neighbours.split()) - {away}


def test_the_plies_of_the_table_are_plies() -> None:
    plies = re.findall(r"^\| `(D1|H1G1|PASS)` \|", SPEC, re.MULTILINE)
    assert [parse_ply(text.lower()).text for text in plies] == ["D1", "H1G1", "PASS"]


def test_the_positions_are_positions() -> None:
    for line in lines("dpos"):
        assert parse_dpos(line).dpos == line


def test_the_positions_at_fault_are_refused_for_the_reasons_given() -> None:
    rules = []
    for line in lines("bad-dpos"):
        with pytest.raises(PositionError) as caught:
            parse_dpos(line)
        rules.append((caught.value.cell, caught.value.rule))
    assert rules == [(None, "reds"), ("C3", "red-inside"), ("C5", "connection"), (None, "placement-side")]


def test_the_record_is_consistent() -> None:
    (text,) = blocks("drec")
    (record,) = read_records(text, "SPEC.md")
    assert verify_record(record) == []
    assert record.result == "1-0"
    assert record.plies[0].comments["pv"] == "C3D4,PASS"


def test_the_codecup_dialogue_is_allowed_by_the_table() -> None:
    arbiter, bot = codecup.Connection(Side.WHITE), codecup.Connection(Side.WHITE, Role.BOT)
    say = {"Start": arbiter.start, "Quit": arbiter.quit}
    for line in lines("codecup"):
        text = line[2:]
        if line[0] == ">":
            sent = say[text]() if text in say else arbiter.ply(text)
            assert bot.receive(sent) == [text]
        else:
            assert arbiter.receive(bot.ply(text)) == [text]
    assert bot.state is codecup.Turn.ENDED


def test_what_is_generated_is_current() -> None:
    assert len(re.findall("<!-- generated: ", SPEC)) == 3
    assert diagram.renewed(SPEC) == SPEC, "run: python -m protocol.diagram protocol/SPEC.md"


def test_the_generator_prints_and_renews(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    diagram.main([])
    assert "thinking --> game: bot move, bot resign" in capsys.readouterr().out
    copy = tmp_path / "SPEC.md"
    copy.write_text("a\n<!-- generated: codecup-table -->\nold\n<!-- end -->\nz\n", "utf-8")
    diagram.main([str(copy)])
    text = copy.read_text("utf-8")
    assert text.startswith("a\n<!--")
    assert "**own**" in text
    assert "old" not in text


def test_every_key_word_and_limit_is_named() -> None:
    words = set().union(
        messages.NEWGAME_KEYS,
        messages.GO_KEYS,
        messages.RESULT_KEYS,
        messages.INFO_KEYS,
        messages.FEATURES,
        messages.ERROR_CODES,
        Termination,
    )
    assert [word for word in sorted(words) if f"`{word}`" not in PROSE] == []
    limits = [parameter.default for parameter in signature(LineBuffer).parameters.values()]
    assert [f"{limits[0]:,} bytes", f"{limits[1]:,} lines", f"{limits[2] // 2**20} MiB"] == [
        limit for limit in ("65,536 bytes", "10,000 lines", "8 MiB") if limit in PROSE
    ]
