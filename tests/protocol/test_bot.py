"""The helper for Python bots, in this process: what it hears, what it says, what the author's code gets."""

import io
import json
import os
import random
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protocol import dvp
from protocol.bot import RESIGN, Bot, Button, Check, Clock, Combo, Game, Option, Result, Spin, Text, run
from protocol.bot.clock import time_share
from protocol.bot.session import FEATURES
from protocol.rules import PASS, Phase, Ply, Position, Rules, Side, parse_dpos, parse_ply
from tests.sample_bots.referee import mover

GAMES = Path(__file__).parents[1] / "data" / "games.jsonl"
START = str(Position.start())
MUST_PASS = "........./..w2......./...rw....../........../......... b m"
OVER = "........./........../....r....../........../......... w m"


class Told(Bot):
    """Plays the first ply by name and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Position] = []
        self.clocks: list[Clock] = []
        self.games: list[Game] = []
        self.results: list[Result] = []

    def choose(self, position: Position, clock: Clock) -> Ply | str:
        self.asked.append(position)
        self.clocks.append(clock)
        return min(position.legal_plies())

    def result(self, result: Result) -> None:
        self.results.append(result)


class Ready(Told):
    def new_game(self, game: Game) -> None:
        self.games.append(game)


def talk(
    bot: Bot | type[Bot] | Callable[[Position, Clock], Ply | str], *lines: str | bytes, **more: Any
) -> list[str]:
    """What a bot answers to some lines."""
    data = b"".join(line if isinstance(line, bytes) else line.encode() + b"\n" for line in lines)
    output = io.BytesIO()
    run(bot, stdin=io.BytesIO(data), stdout=output, **more)
    return output.getvalue().decode().splitlines()


def heard(*lines: str | bytes) -> Told:
    bot = Told()
    talk(bot, *lines)
    return bot


# The introduction


def test_introduces_itself() -> None:
    class Mine(Ready):
        name = "My\nbot "
        author = "Zoë Example"
        version = "0.3"
        features = ("stop", "reuse")
        hash = Spin("Hash", 64, 1, 1024)
        book = Check("OwnBook", True)

    lines = talk(Mine(), "dvp 1")
    assert lines == [
        "id name My bot",
        "id author Zoë Example",
        "id version 0.3",
        "option Seed spin 0 0 2147483647",
        "option Hash spin 64 1 1024",
        "option OwnBook check true",
        "feature ready stop reuse",
        "dvpok",
    ]
    arbiter = dvp.Connection(dvp.Role.ARBITER)
    arbiter.send(dvp.Hello())
    events = arbiter.receive("".join(line + "\n" for line in lines).encode())
    assert not any(isinstance(event, dvp.Ignored | dvp.Unexpected) for event in events)
    assert arbiter.features == {"ready", "stop", "reuse"}


def test_says_no_more_than_it_has_to() -> None:
    assert talk(Told(), "dvp 1") == ["id name Told", "option Seed spin 0 0 2147483647", "dvpok"]
    assert talk(lambda position, clock: "A1", "dvp 1", name="F", author="Me", features=["nolegal"]) == [
        "id name F",
        "id author Me",
        "option Seed spin 0 0 2147483647",
        "feature nolegal",
        "dvpok",
    ]


def test_a_class_will_do() -> None:
    assert talk(Told, "go") == ["move A1"]


class Stranger:
    def choose(self, position: Position, clock: Clock) -> str:
        return "A1"


@pytest.mark.parametrize(
    "player, words",
    [
        (Stranger, "the class Stranger that run was given is not derived from protocol.bot.Bot"),
        (Stranger(), "run needs a Bot, a class of bots or a function, not <"),
        (None, "run needs a Bot, a class of bots or a function, not None"),
    ],
)
def test_what_is_no_bot_is_refused_at_once(player: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        talk(player)


def test_features_are_those_of_the_language() -> None:
    assert {*FEATURES, "ready"} == dvp.FEATURES
    with pytest.raises(ValueError, match="no feature 'stopp' to announce; there are reuse, stop"):
        talk(Told(), features=["stopp"])


def test_a_stream_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="together"):
        run(Told(), stdin=io.BytesIO())


# Options


def options() -> dict[str, Option[Any]]:
    found: list[Option[Any]] = [Spin("Hash", 64, 1, 1024), Check("OwnBook", True)]
    found += [Combo("Style", "solid", "wild"), Text("Book", "my book.txt")]
    return {option.name: option for option in found}


def test_options_are_set() -> None:
    offered, pressed = options(), list[str]()
    button = Button("Clear", lambda: pressed.append("!"))
    seen = []

    def choose(position: Position, clock: Clock) -> str:
        seen.append([option.value for option in offered.values()])
        return "A1"

    sets = [
        "Hash 128",
        "OwnBook false",
        "Style wild",
        "Book other  text.txt",
        "Clear",
        "Unknown 7",
        "Book",
        "",
    ]
    turns = [line for text in sets for line in (f"setoption {text}", "go")]
    talk(choose, "go", *turns, options=[*offered.values(), button])
    assert seen[0] == [64, True, "solid", "my book.txt"]
    assert seen[4] == [128, False, "wild", "other  text.txt"]
    assert seen[-1] == [128, False, "wild", ""]
    assert pressed == ["!"]
    talk(choose, "go", options=list(offered.values()))
    assert seen[-1] == seen[0], "each conversation begins with the defaults"


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("Hash 0", "option Hash: an integer from 1 to 1024 is expected, not '0'; it stays 64"),
        ("Hash many", "option Hash: an integer from 1 to 1024 is expected, not 'many'; it stays 64"),
        ("OwnBook yes", "option OwnBook: true or false is expected, not 'yes'; it stays True"),
        ("Style odd", "option Style: one of solid, wild is expected, not 'odd'; it stays 'solid'"),
    ],
)
def test_bad_values_are_told_and_not_taken(
    text: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    offered = options()
    talk(Told().choose, f"setoption {text}", options=list(offered.values()))
    assert capsys.readouterr().err == complaint + "\n"
    assert [option.value for option in offered.values()] == [64, True, "solid", "my book.txt"]


def test_declarations_are_understood() -> None:
    for option in (*options().values(), Button("Clear", print), Text("Empty")):
        line = f"option {option.name} {option.declaration}"
        told = dvp.parse(line.encode(), dvp.Role.BOT)
        assert isinstance(told, dvp.Option), line
        assert dvp.format(told) == line
        assert told.fault(told.default) is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: Spin("two words", 1, 0, 2),
        lambda: Spin("Hash", 3, 0, 2),
        lambda: Combo("Style"),
        lambda: Combo("Style", "two words"),
        lambda: Text("Book", "a\nb"),
        lambda: Text("Book", " a"),
        lambda: talk(Told().choose, options=[Spin("Seed", 0, 0, 1)]),
        lambda: talk(Told().choose, options=[Text("Book"), Text("Book")]),
        lambda: talk(Told(), options=[Text("Book")]),
    ],
)
def test_impossible_options_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"option|Hash|Style|Book"):
        make()


def test_the_option_with_a_name_twice_is_named() -> None:
    with pytest.raises(ValueError, match="two options have the name Book"):
        talk(Told().choose, options=[Text("Book"), Spin("Hash", 1, 1, 2), Text("Book")])
    with pytest.raises(ValueError, match=r"an option Seed is there already, behind `self\.random`"):
        talk(Told().choose, options=[Spin("Seed", 0, 0, 1)])


# Chance


class Chance(Bot):
    """Draws from both sources."""

    def __init__(self) -> None:
        self.drawn: list[tuple[float, float]] = []

    def choose(self, position: Position, clock: Clock) -> str:
        self.drawn.append((self.random.random(), random.random()))
        return "A1"


def drawn(*lines: str) -> list[tuple[float, float]]:
    bot = Chance()
    talk(bot, *lines)
    return bot.drawn


def test_chance_begins_anew_with_each_game() -> None:
    game = ("newgame white", "go", "go")
    one, two, again, other = (
        drawn("setoption Seed 5", *game),
        drawn("setoption Seed 5", "go", *game)[1:],
        drawn("setoption Seed 5", *game, "result *", *game)[2:],
        drawn("setoption Seed 5", *game, "setoption Seed 6", *game)[2:],
    )
    assert one == two == again
    assert set(one).isdisjoint(other)
    assert one[0] != one[1]
    assert all(own != shared for own, shared in one), "the two sources have nothing to do with each other"


def test_without_a_seed_it_is_0() -> None:
    assert drawn("go") == drawn("setoption Seed 0", "go") == drawn("newgame black", "go")
    assert drawn("go") != drawn("setoption Seed 1", "go")


# Positions


def test_positions_from_plies_from_a_set_up_and_as_drawn() -> None:
    dpos = "........./..b......./..wrw....../........../......... w m"
    lines = [
        *("position start", "go"),
        *("position start moves D1 f4", "go"),
        *(f"position {dpos}", "go"),
        *(f"position\t{dpos}  moves\tC3D4", "go", "go"),
        *("position start moves D1", f"board {dpos}", "legal A1", "go"),
        *("position start", "go"),
    ]
    bot = heard("newgame white", *lines)
    assert [str(position) for position in bot.asked] == [
        START,
        "........./....r...../.........../........../...r..... w p",
        dpos,
        dpos,  # Black's two forced passes in between need no choice
        START,
    ]


def test_the_history_is_told() -> None:
    seen = []

    class Historian(Bot):
        def choose(self, position: Position, clock: Clock) -> Ply:
            seen.append((str(self.start), " ".join(map(str, self.plies)), clock.ply))
            return min(position.legal_plies())

    dpos = "........./..b......./..wrw....../........../......... w m"
    talk(
        Historian(),
        *("newgame white", "position start moves D1 F4", "go ply 3"),
        *(f"position {dpos}", f"board {dpos}", "go ply 1"),
        *("newgame white", "go"),
    )
    assert seen == [(START, "D1 F4", 3), (dpos, "", 1), (START, "", 1)]


@pytest.mark.parametrize(
    "newgame, rules",
    [
        ("newgame white", Rules.STANDARD),
        ("newgame white rules standard game 1", Rules.STANDARD),
        ("newgame black time 1000 rules black-first", Rules.BLACK_FIRST),
        ("newgame black opponent plays rules black-first", Rules.STANDARD),
        ("newgame white\trules\tblack-first opponent A rules standard", Rules.BLACK_FIRST),
        ("newgame white rules strange", Rules.STANDARD),
    ],
)
def test_a_position_has_the_rules_of_its_game(newgame: str, rules: Rules) -> None:
    turn = (f"board {START}", "go")
    bot = heard(newgame, *turn, "position start", "go", "newgame white", *turn)
    assert [position.rules for position in bot.asked] == [rules, rules, Rules.STANDARD]


def test_white_is_asked_twice_at_the_end_of_placement() -> None:
    position, plies, choose = Position.start(), list[str](), mover(1)
    while position.phase is Phase.PLACEMENT:
        plies.append(str(choose(position)))
        position = position.play(parse_ply(plies[-1]))
    turns = [line for n in (48, 49) for line in (f"position start moves {' '.join(plies[:n])}", "go")]
    bot = heard("newgame white", *turns)
    assert [(asked.phase, asked.to_move) for asked in bot.asked] == [
        (Phase.PLACEMENT, Side.WHITE),
        (Phase.MOVEMENT, Side.WHITE),
    ]


def test_a_forced_pass_needs_no_choice() -> None:
    bot = Told()
    assert parse_dpos(MUST_PASS).legal_plies() == [PASS]
    assert talk(bot, f"position {MUST_PASS}", "go") == ["move PASS"]
    assert bot.asked == []


@pytest.mark.parametrize(
    "lines, answer",
    [
        (["board x"], "error rows, side and phase are needed, this has 1 part [parts]"),
        (["position start moves A9"], "error 'A9' is not a ply: A9 is not a space"),
        (["position start moves A1 A1"], "error A1: A1 is occupied"),
        ([f"position {OVER}"], "error the game is over: "),
    ],
)
def test_what_makes_no_position_is_told(lines: list[str], answer: str) -> None:
    (line,) = talk(Told(), *lines, "go")
    assert line.startswith(answer)


# Lines


def test_lines_as_other_programs_write_them() -> None:
    bot = Told()
    lines = talk(
        bot,
        b"\xef\xbb\xbfdvp 1\r\n",
        b"\n  \n\xff\xfe go\nGO\ngoing\nisready\nstop\n",
        b"comment " + b"go quit " * 40_000 + b"\n",
        b"\t go\t ply 7 time x nodes 5 depth\r\n",
        b"go",
    )
    assert lines[-3:] == ["dvpok", "move A1", "move A1"]
    assert [(clock.ply, clock.time, clock.nodes) for clock in bot.clocks] == [(7, None, 5), (1, None, None)]


def test_nothing_is_heard_after_quit() -> None:
    assert talk(Told(), "go", "quit", "go") == ["move A1"]


def test_the_arbiters_complaints_reach_the_author(capsys: pytest.CaptureFixture[str]) -> None:
    assert talk(Told(), "error illegal A1K5: no straight line") == []
    assert capsys.readouterr().err == "the arbiter says: illegal A1K5: no straight line\n"


# Games


def test_a_game_is_announced_before_the_bot_is_ready() -> None:
    bot = Ready()
    times = "time 60000 inc 100 movetime 900 grace 50 clock fair ponder on"
    lines = talk(bot, f"newgame black {times} rules black-first game 12 opponent Deep Stack 2", "isready")
    assert lines == ["readyok"]
    fair = Game(Side.BLACK, "Deep Stack 2", Rules.BLACK_FIRST, "12", 60000, 100, 900, 50, "fair", True)
    assert bot.games == [fair] == [bot.game]
    assert talk(Ready(), "newgame white", "isready") == ["readyok"]
    assert Game(Side.WHITE) == Game()


def test_bots_that_need_no_time_to_get_ready_are_not_asked() -> None:
    assert talk(Told(), "newgame white", "isready") == []


def test_results_are_told() -> None:
    bot = heard("result 1-0 white 20 black 3 reason normal", "result * reason void", "result")
    assert bot.results == [Result("1-0", 20, 3, "normal"), Result("*", 0, 0, "void"), Result("*")]
    assert [result.winner for result in bot.results] == [Side.WHITE, None, None]
    assert Result("0-1").winner is Side.BLACK


# Answers


@pytest.mark.parametrize(
    "answer, line",
    [
        (parse_ply("A1B1"), "move A1B1"),
        ("a1b1 ", "move a1b1"),
        ("nonsense", "move nonsense"),
        (RESIGN, "resign"),
    ],
)
def test_answers_are_passed_on(answer: Ply | str, line: str) -> None:
    assert talk(lambda position, clock: answer, "go") == [line]


@pytest.mark.parametrize("answer", [None, 7, "", "A1 B1", "A1\nmove B1"])
def test_what_is_no_answer_is_an_error(answer: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="choose gave"):
        talk(lambda position, clock: answer, "go")


def test_errors_of_the_author_pass_through() -> None:
    def choose(position: Position, clock: Clock) -> Ply:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        talk(choose, "go")
    with pytest.raises(NotImplementedError, match="Bot has no method `choose`"):
        talk(Bot(), "go")


def test_info_is_understood() -> None:
    class Talker(Bot):
        def choose(self, position: Position, clock: Clock) -> Ply:
            plies = sorted(position.legal_plies())
            self.info(string="first\n thing")
            self.info(depth=0, score=-0.000012, exact=True, nodes=10**9, nps=5, time=3, hashfull=1)
            self.info(score=1e15, currmove=plies[1], pv=plies[:3], metrics={"cut": 0.5, "big": 1e12})
            self.info()
            return plies[0]

    lines = talk(Talker(), "go")
    told = [dvp.parse(line.encode(), dvp.Role.BOT) for line in lines]
    assert told == [
        dvp.InfoString("first thing"),
        dvp.Info(
            {"depth": "0", "score": "-0.000012", "exact": "1", "nodes": "1000000000"}
            | {"nps": "5", "time": "3", "hashfull": "1"}
        ),
        dvp.Info(
            {"score": "1000000000000000", "currmove": "A2", "x-cut": "0.5", "x-big": "1000000000000"},
            ("A1", "A2", "A3"),
        ),
        dvp.Move("A1"),
    ]


UNREADABLE: list[tuple[dict[str, Any], str]] = [
    ({"score": float("nan")}, "score is nan, where a finite number below 1e18 is expected"),
    ({"score": float("inf")}, "score is inf, where"),
    ({"score": 1e300}, r"score is 1e\+300, where"),
    ({"score": "high"}, "score is 'high', where"),
    ({"depth": 3.5}, r"depth is 3\.5, where a whole number from 0 up is expected"),
    ({"nodes": -1}, "nodes is -1, where"),
    ({"time": float("nan")}, "time is nan, where"),
    ({"metrics": {"cut offs": 1}}, "a metric has letters, digits, _ and - only, at most 32: 'cut offs'"),
    ({"metrics": {"": 1}}, "at most 32: ''"),
    ({"metrics": {"x" * 33: 1}}, "at most 32: 'xxx"),
    ({"metrics": {"cuts": float("nan")}}, "the metric cuts is nan, where"),
    ({"metrics": {f"n{i}": 1 for i in range(33)}}, "there are 33 metrics; 32 can be told at a time"),
    ({"pv": "A1B1"}, "pv: 'A' is not a ply"),
    ({"pv": ["A1B1 C1D1"]}, "pv: 'A1B1 C1D1' is not a ply"),
    ({"currmove": "Z9"}, "currmove: 'Z9' is not a ply"),
    ({"metrics": ["cuts"]}, r"metrics is \['cuts'\], where numbers by name are expected"),
    ({"metrics": {1: 1}}, "at most 32: 1"),
    ({"metrics": {"cuts": [1, 2]}}, r"the metric cuts is \[1, 2\], where"),
    ({"pv": 5}, "pv is 5, where plies are expected"),
    ({"pv": [None]}, "pv: None is not a ply"),
    ({"score": 10**400}, "score is 1000.*, where"),
    ({"depth": {"a": "\n" * 90}}, "depth is {'a': .*, where"),
]


@pytest.mark.parametrize(("values", "words"), UNREADABLE)
def test_info_that_nobody_could_read_is_refused_where_no_game_is_lost(
    values: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=f"^info: .*{words}"):
        Told().info(**values)


@pytest.mark.parametrize(("values", "words"), UNREADABLE)
def test_info_that_nobody_could_read_loses_no_game(values: dict[str, Any], words: str) -> None:
    class Talker(Bot):
        def choose(self, position: Position, clock: Clock) -> Ply:
            self.info(nps=7, **values)
            return min(position.legal_plies())

    lines = talk(Talker(), "go", "go")
    told = [dvp.parse(line.encode(), dvp.Role.BOT) for line in lines]
    info, error, move, again, last = told
    assert isinstance(info, dvp.Info)
    assert isinstance(error, dvp.BotError)
    assert info == again
    assert info.values["nps"] == "7"
    assert re.search(f"^info: .*{words}.*; it is left out$", error.text)
    assert move == last == dvp.Move("A1")


def test_names_and_numbers_at_their_limits_are_understood() -> None:
    bot, said = Told(), list[str]()
    bot.on_say(said.append)
    bot.info(score=-999_999_999_999, time=10**18 - 1, metrics={"x" * 32: -0.0000001, "n": True})
    told = dvp.parse(said[0].encode(), dvp.Role.BOT)
    assert isinstance(told, dvp.Info)
    assert list(told.values) == ["score", "time", f"x-{'x' * 32}", "x-n"]


def test_info_without_a_listener_goes_nowhere() -> None:
    bot, said = Told(), list[str]()
    bot.info(depth=1)
    bot.on_say(said.append)
    bot.info(depth=2)
    assert said == ["info depth 2"]


# The clock


def test_the_clock_tells_all_keys() -> None:
    keys = "ply 51 time 58211 opptime 60000 inc 100 oppinc 0 movetime 900 used 412 depth 8 nodes 1000"
    (clock,) = heard(f"go {keys} strange 7").clocks
    assert (clock.ply, clock.time, clock.opponent_time) == (51, 58211, 60000)
    assert (clock.increment, clock.opponent_increment, clock.movetime, clock.used) == (100, 0, 900, 412)
    assert (clock.depth, clock.nodes, clock.infinite, clock.limit) == (8, 1000, False, 890)
    assert 0 <= (clock.budget or -1) <= 890


@pytest.mark.parametrize(
    "keys, budget, limit",
    [
        ({}, None, None),
        ({"depth": 5}, None, None),
        ({"infinite": True, "time": 5000}, None, None),
        ({"movetime": 200}, 190, 190),
        ({"time": 5}, 0, 0),
        ({"time": 0, "increment": 100}, 0, 0),
        ({"time": 100_000, "movetime": 50}, 40, 40),
        ({"time": 110, "increment": 1000}, 100, 100),
    ],
)
def test_budgets(
    keys: dict[str, Any], budget: float | None, limit: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Clock, "elapsed", 0.0)  # a stalled machine would let the smaller ones pass
    clock = Clock(Position.start(), **keys)
    assert (clock.budget, clock.limit) == (budget, limit)
    assert clock.is_up is (budget == 0)


def test_increments_of_the_opponent_default_to_ones_own() -> None:
    assert Clock(increment=50).opponent_increment == 50


def test_a_bot_that_takes_its_budget_never_loses_on_time() -> None:
    """In whole games, each ply charged with its budget and what the way takes; and little is left unused."""
    unused: list[float] = []
    for line in GAMES.read_text().splitlines()[:40]:
        position, left = Position.start(), dict.fromkeys(Side, 5000.0)
        for text in json.loads(line)["moves"]:
            if text != "PASS":
                budget = Clock(position, time=int(left[position.to_move])).budget
                assert budget is not None
                left[position.to_move] -= budget + 5
            position = position.play(parse_ply(text))
        unused += left.values()
    assert min(unused) > 0
    assert sum(unused) / len(unused) < 1000


def test_a_placement_takes_less_than_a_move_and_the_end_more_than_the_beginning() -> None:
    position, choose = Position.start(), mover(3)
    shares = []
    while not position.is_over:
        shares.append(time_share(position))
        position = position.play(choose(position))
    placements, moves = shares[:49], shares[49:]
    assert placements == sorted(placements)
    assert moves == sorted(moves)
    assert max(placements) < min(moves)


# Thinking while the arbiter talks


class Thinker(Told):
    """Thinks until its clock is up, and says when it begins."""

    features = ("stop",)

    def __init__(self) -> None:
        super().__init__()
        self.thinking = threading.Event()

    def choose(self, position: Position, clock: Clock) -> Ply | str:
        self.thinking.set()
        until = time.monotonic() + 10
        while not clock.is_up:
            assert time.monotonic() < until, "nobody stopped it"
            time.sleep(0.001)
        return super().choose(position, clock)


class Beside:
    """A bot that runs beside the test."""

    def __init__(self, bot: Bot) -> None:
        read, write = os.pipe()
        self._sink, self._output = io.FileIO(write, "w"), io.BytesIO()
        streams = {"stdin": io.FileIO(read), "stdout": self._output}
        self._thread = threading.Thread(target=run, args=(bot,), kwargs=streams)
        self._thread.start()

    def say(self, *lines: str) -> None:
        self._sink.write("".join(line + "\n" for line in lines).encode())

    def finish(self) -> list[str]:
        """End the input and wait; what the bot said."""
        self._sink.close()
        self._thread.join(10)
        assert not self._thread.is_alive()
        return self._output.getvalue().decode().splitlines()


def test_a_budget_ends_a_search() -> None:
    bot = Thinker()
    beside = Beside(bot)
    beside.say("go movetime 60")
    while not bot.clocks:
        time.sleep(0.001)
    assert 50 <= bot.clocks[0].elapsed < 5000
    assert not bot.clocks[0].stopped
    assert beside.finish() == ["move A1"]


def test_stop_ends_a_search_and_only_that_one() -> None:
    bot = Thinker()
    beside = Beside(bot)
    for turn in range(1, 4):
        bot.thinking.clear()
        beside.say("go infinite 1")
        assert bot.thinking.wait(10)
        beside.say("stop", "stop")
        while len(bot.clocks) < turn:
            time.sleep(0.001)
        beside.say("stop")
    beside.say("position start moves A1", "go movetime 40")
    while len(bot.clocks) < 4:
        time.sleep(0.001)
    assert not bot.clocks[3].stopped
    assert beside.finish() == [*["move A1"] * 3, "move A2"]


@pytest.mark.parametrize("last", [["quit"], []])
def test_quit_and_the_end_of_input_end_a_search(last: list[str]) -> None:
    bot = Thinker()
    beside = Beside(bot)
    beside.say("go infinite 1")
    assert bot.thinking.wait(10)
    beside.say(*last)
    assert beside.finish() == ["move A1"]
    assert bot.clocks[0].stopped
