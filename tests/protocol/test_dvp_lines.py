"""DVP line by line: format and parse are inverse, and parsing takes what other people's programs write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import dvp
from protocol.dvp import messages
from protocol.errors import LocalProtocolError
from protocol.rules import Side
from protocol.states import Role
from protocol.text import CONTROLS

# Every kind of message, as our own side may say it.

keys = st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True)
tokens = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=12)
texts = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=30).map(lambda t: t.strip(" "))
some_text = texts.filter(bool)
spaces = st.sampled_from(["A1", "F3", "K5"])
plies = st.lists(st.sampled_from(["A1", "H1G1", "PASS"]), max_size=5).map(tuple)
naturals = st.integers(0, 10**18 - 1)
dpos = st.just("........w/....w4*b2..b3./.......b3w7*../......b3.../......... w m")
numbers = st.sampled_from(["0", "-3", "3.5", "+.25", "1e-5", "123456789012"])


def some_of(known: frozenset[str], values: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, str]]:
    return st.dictionaries(st.sampled_from(sorted(known)), values, max_size=4)


spins = st.tuples(*[st.integers(-(10**17), 10**17)] * 3).map(sorted)
options = st.one_of(
    st.builds(dvp.Option, keys, st.just("check"), st.sampled_from(["true", "false"])),
    st.tuples(keys, spins).map(
        lambda drawn: dvp.Option(drawn[0], "spin", str(drawn[1][1]), drawn[1][0], drawn[1][2])
    ),
    st.builds(
        dvp.Option,
        keys,
        st.just("combo"),
        tokens,
        choices=st.lists(tokens, min_size=1, max_size=4).map(tuple),
    ),
    st.builds(dvp.Option, keys, st.just("string"), texts),
    st.builds(dvp.Option, keys, st.just("button")),
)
info_values = st.fixed_dictionaries(
    {},
    optional={
        "depth": naturals.map(str),
        "score": numbers,
        "exact": st.just("1"),
        "nodes": naturals.map(str),
        "currmove": st.sampled_from(["A1", "H1G1", "PASS"]),
        "x-cut-rate": numbers,
    },
)

FROM_ARBITER: dict[type[dvp.Message], st.SearchStrategy[dvp.Message]] = {
    dvp.Hello: st.builds(dvp.Hello, st.integers(0, 99)),
    dvp.SetOption: st.builds(dvp.SetOption, keys, texts),
    dvp.NewGame: st.builds(dvp.NewGame, st.sampled_from(Side), some_of(messages.NEWGAME_KEYS, tokens), texts),
    dvp.IsReady: st.just(dvp.IsReady()),
    dvp.Setup: st.builds(dvp.Setup, st.one_of(st.just("start"), dpos), plies),
    dvp.Board: st.builds(dvp.Board, dpos),
    dvp.Legal: st.builds(dvp.Legal, plies.filter(bool)),
    dvp.Go: st.builds(dvp.Go, st.dictionaries(st.sampled_from(sorted(messages.GO_KEYS)), naturals)),
    dvp.Stop: st.just(dvp.Stop()),
    dvp.Error: st.builds(dvp.Error, st.sampled_from(messages.ERROR_CODES), texts),
    dvp.Result: st.builds(
        dvp.Result, st.sampled_from(messages.RESULTS), some_of(messages.RESULT_KEYS, tokens)
    ),
    dvp.Quit: st.just(dvp.Quit()),
}
FROM_BOT: dict[type[dvp.Message], st.SearchStrategy[dvp.Message]] = {
    dvp.Id: st.builds(dvp.Id, st.sampled_from(messages.ID_KINDS), some_text),
    dvp.Option: options,
    dvp.Feature: st.builds(dvp.Feature, st.lists(keys, min_size=1, max_size=5).map(tuple)),
    dvp.HelloOk: st.builds(dvp.HelloOk, st.integers(0, 99)),
    dvp.ReadyOk: st.just(dvp.ReadyOk()),
    dvp.Move: st.builds(dvp.Move, tokens, st.dictionaries(st.just("ply"), naturals)),
    dvp.Resign: st.just(dvp.Resign()),
    dvp.Info: st.builds(dvp.Info, info_values, plies),
    dvp.InfoString: st.builds(dvp.InfoString, texts),
    dvp.BotError: st.builds(dvp.BotError, texts),
}


def test_every_kind_of_message_is_covered() -> None:
    assert set(FROM_ARBITER) == set(messages.FromArbiter.__args__)
    assert set(FROM_BOT) == set(messages.FromBot.__args__)


@pytest.mark.parametrize("kind", FROM_ARBITER, ids=lambda kind: kind.__name__)
def test_what_the_arbiter_says_is_read_back_as_it_was(kind: type[dvp.Message]) -> None:
    @given(FROM_ARBITER[kind])
    def check(message: dvp.Message) -> None:
        assert dvp.parse(dvp.format(message).encode(), Role.ARBITER) == message

    check()


@pytest.mark.parametrize("kind", FROM_BOT, ids=lambda kind: kind.__name__)
def test_what_the_bot_says_is_read_back_as_it_was(kind: type[dvp.Message]) -> None:
    @given(FROM_BOT[kind])
    def check(message: dvp.Message) -> None:
        assert dvp.parse(dvp.format(message).encode(), Role.BOT) == message

    check()


@given(st.binary(max_size=60), st.sampled_from(Role))
def test_no_bytes_make_parsing_fail(line: bytes, sender: Role) -> None:
    message = dvp.parse(line, sender)
    assert not isinstance(message, dvp.Unknown) or not CONTROLS.search(message.text)


VOCABULARY = [
    b"move",
    b"info",
    b"pv",
    b"string",
    b"option",
    b"spin",
    b"combo",
    b"check",
    b"A1",
    b"ply",
    b"-1",
]
VOCABULARY += [
    b"1",
    b"id",
    b"name",
    b"position",
    b"moves",
    b"go",
    b"newgame",
    b"white",
    b"opponent",
    b" ",
    b"\t",
]
VOCABULARY += [
    "٣".encode(),
    "\u00a0".encode(),
    b"\0",
    b"\xff",
    b"9" * 5000,
    b"result",
    b"*",
    b"x-a",
    b"nan",
    b"1e99",
]


@given(st.lists(st.sampled_from(VOCABULARY), max_size=8), st.sampled_from(Role))
def test_no_mixture_of_words_makes_parsing_fail(words: list[bytes], sender: Role) -> None:
    message = dvp.parse(b" ".join(words), sender)
    if not isinstance(message, dvp.Unknown) and message != dvp.Move(""):
        assert dvp.parse(dvp.format(message).encode(), sender) == message


@pytest.mark.parametrize(
    "line, message",
    [
        (b"move D1", dvp.Move("D1")),
        (b"\t move \t D1  ", dvp.Move("D1")),
        (b"move D1\r", dvp.Move("D1")),
        (b"move d1", dvp.Move("d1")),
        (b"move D1 ply 12", dvp.Move("D1", {"ply": 12})),
        (b"move D1 ply 12 ply 13", dvp.Move("D1", {"ply": 13})),
        (b"move D1 ply", dvp.Move("D1")),
        (b"move D1 ply x", dvp.Move("D1")),
        (b"move D1 mood happy ply 3 trailing", dvp.Move("D1", {"ply": 3})),
        (b"move D1 looks good", dvp.Move("D1")),
        (b"move", dvp.Move("")),
        (b"move Z9", dvp.Move("Z9")),
        (b"move A1\0", dvp.Move("A1\\x00")),
        (b"resign now, please", dvp.Resign()),
        (b"readyok yes", dvp.ReadyOk()),
        (b"dvpok", dvp.HelloOk(1)),
        (b"dvpok 1", dvp.HelloOk(1)),
        (b"id name  My  bot 0.3 ", dvp.Id("name", "My  bot 0.3")),
        ("id author Zoë \u3000 日本".encode(), dvp.Id("author", "Zoë \u3000 日本")),
        (b"id name \x1b[31mred", dvp.Id("name", "\\x1b[31mred")),
        (b"feature reuse nolegal time-travel", dvp.Feature(("reuse", "nolegal", "time-travel"))),
        (b"option Hash spin 64 1 1024", dvp.Option("Hash", "spin", "64", 1, 1024)),
        (b"option Bias spin -5 -10 10", dvp.Option("Bias", "spin", "-5", -10, 10)),
        (b"option Own_Book check true", dvp.Option("Own_Book", "check", "true")),
        (
            b"option Style combo solid solid wild",
            dvp.Option("Style", "combo", "solid", choices=("solid", "wild")),
        ),
        (b"option Book string my  book.txt", dvp.Option("Book", "string", "my  book.txt")),
        (b"option Book string", dvp.Option("Book", "string")),
        (b"option Clear button", dvp.Option("Clear", "button")),
        (b"info depth 8 score -3.5 nodes 100", dvp.Info({"depth": "8", "score": "-3.5", "nodes": "100"})),
        (b"info depth 8 mood 3 x-cuts 0.25", dvp.Info({"depth": "8", "x-cuts": "0.25"})),
        (b"info depth x score nan x-cuts inf nps -1", dvp.Info()),
        (b"info exact 2 currmove Z9 hashfull", dvp.Info()),
        (b"info score 1 pv a1b2 PASS and then C3", dvp.Info({"score": "1"}, ("A1B2", "PASS"))),
        (b"info pv", dvp.Info()),
        (b"info", dvp.Info()),
        (b"info string  thinking of pv A1 ", dvp.InfoString("thinking of pv A1")),
        (b"error no book found", dvp.BotError("no book found")),
    ],
)
def test_what_a_bot_may_write(line: bytes, message: dvp.Message) -> None:
    assert dvp.parse(line, Role.BOT) == message


@pytest.mark.parametrize(
    "line, text, hint",
    [
        (b"A1B2", "A1B2", "did you mean `move A1B2`?"),
        (b"d1", "d1", "did you mean `move D1`?"),
        (b"PASS", "PASS", "did you mean `move PASS`?"),
        (b"debug A1B2 looks good", "debug A1B2 looks good", ""),
        (b"A1B2 looks good", "A1B2 looks good", ""),
        (b"bestmove A1B2", "bestmove A1B2", "did you mean `move A1B2`?"),
        (b"MOVE A1", "MOVE A1", "keywords are lower case: did you mean `move A1`?"),
        (b"Resign", "Resign", "keywords are lower case: did you mean `resign`?"),
        (b"move A1\xff", "move A1\\xff", "a command must be UTF-8"),
        (b"\xed\xa0\x80", "\\xed\\xa0\\x80", "a command must be UTF-8"),
        (b"\0move A1", "\\x00move A1", ""),
        ("move\u00a0A1".encode(), "move\u00a0A1", ""),
        (b"move\x0bA1", "move\\x0bA1", ""),
        (b"go", "go", ""),
        (b"", "", ""),
        (b"dvpok maybe", "dvpok maybe", "expected `dvpok [VERSION]`"),
        (b"id nickname x", "id nickname x", "expected `id name|author|version TEXT`"),
        (b"id name", "id name", "expected `id name|author|version TEXT`"),
        (b"feature", "feature", "expected `feature NAME...`"),
    ],
)
def test_any_other_line_is_unknown_and_explained(line: bytes, text: str, hint: str) -> None:
    message = dvp.parse(line, Role.BOT)
    assert isinstance(message, dvp.Unknown)
    assert (message.text, message.hint) == (text, hint)


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "Hash",
        "Hash spin",
        "Hash spin 5 1",
        "Hash spin 5 6 7",
        "Hash spin a 1 2",
        "H:h button",
        "Hash slider 1",
        "Own check",
        "Own check yes",
        "Style combo",
        "Style combo solid",
        "Big spin 1 0 " + "9" * 19,
    ],
)
def test_a_malformed_option_is_explained(rest: str) -> None:
    message = dvp.parse(f"option {rest}".encode(), Role.BOT)
    assert isinstance(message, dvp.Unknown)
    assert message.hint.startswith("expected `option NAME ")


@pytest.mark.parametrize(
    "line, message",
    [
        (b"dvp 1", dvp.Hello(1)),
        (b"setoption Hash 64", dvp.SetOption("Hash", "64")),
        (b"setoption Book  a  b ", dvp.SetOption("Book", "a  b")),
        (b"setoption Clear", dvp.SetOption("Clear", "")),
        (b"newgame white", dvp.NewGame(Side.WHITE)),
        (
            b"newgame black time 5000 weather fine inc 100 opponent  Big  time 3",
            dvp.NewGame(Side.BLACK, {"time": "5000", "inc": "100"}, "Big  time 3"),
        ),
        (b"position start", dvp.Setup("start")),
        (b"position start moves D1 F4", dvp.Setup("start", ("D1", "F4"))),
        (b"position a/b/c/d/e  w m moves A1B1", dvp.Setup("a/b/c/d/e w m", ("A1B1",))),
        (b"board a/b/c/d/e w m", dvp.Board("a/b/c/d/e w m")),
        (b"legal D1  F4", dvp.Legal(("D1", "F4"))),
        (b"go", dvp.Go()),
        (b"go ply 3 time 5000 mood 4 used -1 inc x", dvp.Go({"ply": 3, "time": 5000})),
        (b"error illegal A1B2: distance", dvp.Error("illegal", "A1B2: distance")),
        (
            b"result 1-0 white 20 black 3 reason normal",
            dvp.Result("1-0", {"white": "20", "black": "3", "reason": "normal"}),
        ),
        (b"quit now", dvp.Quit()),
    ],
)
def test_what_an_arbiter_may_write(line: bytes, message: dvp.Message) -> None:
    assert dvp.parse(line, Role.ARBITER) == message


@pytest.mark.parametrize(
    "line",
    [
        b"dvp",
        b"dvp x",
        b"setoption",
        b"newgame",
        b"newgame red",
        b"position",
        b"position start moves",
        b"legal",
        b"position start then A1",
        b"position a w",
        b"board",
        b"board x w",
        b"error",
        b"result",
        b"result 2-0",
        b"move A1",
    ],
)
def test_what_an_arbiter_must_not_write(line: bytes) -> None:
    assert isinstance(dvp.parse(line, Role.ARBITER), dvp.Unknown)


def test_metrics_and_lines_of_play_are_bounded() -> None:
    metrics = b" ".join(b"x-%d 1" % number for number in range(1000))
    info = dvp.parse(b"info depth 3 " + metrics + b" score 2 pv" + b" A1B2" * 1000, Role.BOT)
    assert isinstance(info, dvp.Info)
    assert len(info.values) == 34
    assert {"depth", "score"} <= info.values.keys()
    assert len(info.pv) == 98


@pytest.mark.parametrize(
    "message",
    [
        dvp.SetOption("Ha sh", "1"),
        dvp.SetOption("Hash", "1\nquit"),
        dvp.SetOption("Hash", " 1"),
        dvp.NewGame(Side.WHITE, {"opponent": "x"}),
        dvp.NewGame(Side.WHITE, {"game": "two words"}),
        dvp.NewGame(Side.WHITE, {"game": ""}),
        dvp.Go({"time": -1}),
        dvp.Go({"weather": 1}),
        dvp.Legal(()),
        dvp.Legal(("A1\nquit",)),
        dvp.Board("a\rb w m"),
        dvp.Error("bored"),
        dvp.Result("2-0"),
        dvp.Result("1-0", {"x-weather": "1"}),
        dvp.Id("name", " "),
        dvp.Id("nickname", "x"),
        dvp.Feature(("re use",)),
        dvp.Move("A1 B1"),
        dvp.Move(""),
        dvp.Option("Own", "check", "yes"),
    ],
)
def test_what_would_not_be_read_back_is_refused(message: dvp.Message) -> None:
    with pytest.raises(LocalProtocolError):
        dvp.format(message)


@pytest.mark.parametrize(
    "message, line",
    [
        (dvp.Error("syntax", " two\nlines\t\x1b[0m "), "error syntax two\\x0alines \\x1b[0m"),
        (dvp.NewGame(Side.BLACK, {}, "  Bob\r\n "), "newgame black opponent Bob\\x0d\\x0a"),
        (dvp.NewGame(Side.BLACK, {}, " "), "newgame black"),
        (dvp.BotError("half a \ud83d"), "error half a \\ud83d"),
    ],
)
def test_text_for_people_is_made_fit_for_a_line(message: dvp.Message, line: str) -> None:
    assert dvp.format(message) == line
    assert line.encode()


@pytest.mark.parametrize(
    "option, good, bad",
    [
        (dvp.Option("Own", "check", "true"), ["true", "false"], ["yes", "", "True"]),
        (dvp.Option("Hash", "spin", "5", -1, 9), ["-1", "9", "0"], ["10", "-2", "x", "1.5", "", "9" * 6000]),
        (dvp.Option("Style", "combo", "a", choices=("a", "b")), ["a", "b"], ["c", ""]),
        (dvp.Option("Book", "string"), ["", "any text"], ["two\nlines", " x"]),
        (dvp.Option("Clear", "button"), [""], ["now"]),
    ],
)
def test_an_option_says_what_it_takes(option: dvp.Option, good: list[str], bad: list[str]) -> None:
    assert [option.fault(value) for value in good] == [None] * len(good)
    assert all(option.fault(value) for value in bad)
