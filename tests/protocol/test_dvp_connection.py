"""DVP as a conversation: two linked ends play dialogues, and the tables hold for every state and message."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import dvp
from protocol.dvp import Connection, Ignored, Role, State, Unexpected
from protocol.errors import LocalProtocolError
from protocol.lines import Overflow
from protocol.rules import Side
from protocol.states import ANSWERS, CROSSING, DVP, NEEDED_FEATURE

ARBITER, BOT = Role.ARBITER, Role.BOT
Step = tuple[Role, dvp.Message]

HELLO: Step = (ARBITER, dvp.Hello())
HELLO_OK: Step = (BOT, dvp.HelloOk())
ALL_BUT_SPARED: Step = (BOT, dvp.Feature(("reuse", "ready", "stop", "time-travel")))
NEW_GAME: Step = (ARBITER, dvp.NewGame(Side.WHITE, {"time": "5000"}))
SETUP: Step = (ARBITER, dvp.Setup("start"))
LEGAL: Step = (ARBITER, dvp.Legal(("A1", "B1")))
GO: Step = (ARBITER, dvp.Go({"ply": 1, "time": 5000}))
MOVE: Step = (BOT, dvp.Move("A1"))
RESULT: Step = (ARBITER, dvp.Result("1-0", {"white": "3", "black": "1", "reason": "normal"}))
QUIT: Step = (ARBITER, dvp.Quit())

TO_IDLE = [HELLO, ALL_BUT_SPARED, HELLO_OK]
TO_GAME = [*TO_IDLE, NEW_GAME]
TO_THINKING = [*TO_GAME, SETUP, LEGAL, GO]

# The shortest way to each state, written out by hand.
WAY: dict[State, list[Step]] = {
    State.START: [],
    State.HANDSHAKE: [HELLO, ALL_BUT_SPARED],
    State.REFUSED: [HELLO, ALL_BUT_SPARED, (BOT, dvp.BotError("no book"))],
    State.IDLE: TO_IDLE,
    State.GAME: TO_GAME,
    State.SYNC: [*TO_GAME, (ARBITER, dvp.IsReady())],
    State.SETUP: [*TO_GAME, SETUP],
    State.THINKING: TO_THINKING,
    State.STOPPING: [*TO_THINKING, (ARBITER, dvp.Stop())],
    State.OVER: [*TO_GAME, RESULT],
    State.SPENT: [*TO_THINKING, RESULT],
    State.CLOSED: [QUIT],
}

MESSAGES: dict[Role, list[dvp.Message]] = {
    ARBITER: [
        dvp.Hello(),
        dvp.SetOption("Hash", "1"),
        dvp.NewGame(Side.BLACK),
        dvp.IsReady(),
        dvp.Setup(),
        dvp.Board("x w p"),
        dvp.Legal(("A1",)),
        dvp.Go(),
        dvp.Stop(),
        dvp.Error("unexpected"),
        dvp.Result("*"),
        dvp.Quit(),
    ],
    BOT: [
        dvp.Id("name", "x"),
        dvp.Option("Hash", "spin", "1", 1, 9),
        dvp.Feature(("ready",)),
        dvp.HelloOk(),
        dvp.ReadyOk(),
        dvp.Move("A1"),
        dvp.Resign(),
        dvp.Info({"depth": "1"}),
        dvp.InfoString("x"),
        dvp.BotError("x"),
    ],
}


class Link:
    """Two ends that hear each other at once."""

    def __init__(self, steps: list[Step] | None = None) -> None:
        self.ends = {role: Connection(role) for role in Role}
        for step in steps or []:
            self.say(*step)

    def say(self, role: Role, *messages: dvp.Message) -> list[dvp.Event]:
        events = self.ends[role.other].receive(self.ends[role].send(*messages))
        assert events == list(messages)
        assert self.ends[ARBITER].state is self.ends[BOT].state
        return events

    @property
    def state(self) -> State:
        return self.ends[ARBITER].state


# Whole dialogues


def test_a_whole_game() -> None:
    link = Link()
    link.say(ARBITER, dvp.Hello())
    link.say(BOT, dvp.Id("name", "Zoë"), dvp.Id("author", "me"), dvp.Option("Hash", "spin", "8", 1, 64))
    link.say(BOT, dvp.HelloOk())
    link.say(ARBITER, dvp.SetOption("Hash", "16"), dvp.NewGame(Side.BLACK, {"time": "5000"}, "A. N. Other"))
    for number in (2, 4, 6):
        link.say(ARBITER, dvp.Setup("start", ("A1",)), dvp.Board("x b p"), dvp.Legal(("B1",)))
        link.say(ARBITER, dvp.Go({"ply": number, "time": 5000, "used": 0}))
        link.say(
            BOT, dvp.Info({"depth": "1"}, ("B1",)), dvp.InfoString("easy"), dvp.Move("B1", {"ply": number})
        )
    link.say(ARBITER, dvp.Error("illegal", "B1 is occupied"), dvp.Result("1-0"), dvp.Quit())
    assert link.state is State.CLOSED
    for end in link.ends.values():
        assert end.ids == {"name": "Zoë", "author": "me"}
        assert end.options["Hash"].high == 64
        assert end.version == 1


def test_the_twelve_line_bot_answers_twice_only() -> None:
    arbiter = Connection(ARBITER)
    arbiter.send(dvp.Hello())
    assert arbiter.receive(b"dvpok\n") == [dvp.HelloOk(1)]
    arbiter.send(dvp.NewGame(Side.WHITE), dvp.Setup(), dvp.Legal(("D1",)), dvp.Go({"ply": 1}))
    assert arbiter.receive(b"move D1\n") == [dvp.Move("D1")]
    assert arbiter.state is State.GAME


def test_features_are_known_by_name_and_unknown_ones_skipped() -> None:
    link = Link(
        [HELLO, (BOT, dvp.Feature(("noboard", "telepathy"))), (BOT, dvp.Feature(("nolegal",))), HELLO_OK]
    )
    assert [end.features for end in link.ends.values()] == [{"noboard", "nolegal"}] * 2


def test_several_games_need_the_feature_reuse() -> None:
    link = Link(
        [*TO_GAME, RESULT, NEW_GAME, SETUP, LEGAL, GO, MOVE, RESULT, (ARBITER, dvp.SetOption("a", "b"))]
    )
    assert link.state is State.OVER
    plain = Link([HELLO, HELLO_OK, NEW_GAME, RESULT])
    assert not plain.ends[ARBITER].allows(dvp.NewGame)
    with pytest.raises(LocalProtocolError, match="no feature reuse"):
        plain.say(*NEW_GAME)


def test_a_bot_is_spared_the_lines_it_does_not_want() -> None:
    link = Link([HELLO, (BOT, dvp.Feature(("noboard", "nolegal"))), HELLO_OK, NEW_GAME, SETUP])
    arbiter = link.ends[ARBITER]
    assert not arbiter.allows(dvp.Board)
    assert not arbiter.allows(dvp.Legal)
    with pytest.raises(LocalProtocolError, match="noboard"):
        arbiter.send(dvp.Board("x w p"))
    link.say(*GO)


def test_an_infinite_search_needs_the_feature_stop() -> None:
    plain = Link([HELLO, HELLO_OK, NEW_GAME, SETUP])
    with pytest.raises(LocalProtocolError, match="feature stop"):
        plain.say(ARBITER, dvp.Go({"infinite": 1}))
    link = Link([*TO_GAME, SETUP, (ARBITER, dvp.Go({"infinite": 1})), (ARBITER, dvp.Stop()), MOVE])
    assert link.state is State.GAME


def test_a_stop_that_met_the_move_on_its_way_is_nobodys_fault() -> None:
    link = Link(TO_THINKING)
    move, stop = link.ends[BOT].send(dvp.Move("A1")), link.ends[ARBITER].send(dvp.Stop())
    assert link.ends[ARBITER].receive(move) == [dvp.Move("A1")]
    (event,) = link.ends[BOT].receive(stop)
    assert isinstance(event, Ignored)
    link.say(ARBITER, SETUP[1], GO[1])


def test_a_version_that_was_not_offered_cannot_be_chosen() -> None:
    link = Link([HELLO])
    (event,) = link.ends[ARBITER].receive(b"dvpok 2\n")
    assert isinstance(event, Ignored)
    assert "only version 1 can be chosen" in event.hint
    assert link.state is State.HANDSHAKE
    with pytest.raises(LocalProtocolError):
        link.ends[BOT].send(dvp.HelloOk(2))


def test_an_offer_above_our_version_is_answered_with_ours() -> None:
    bot = Connection(BOT)
    bot.receive(b"dvp 9\n")
    assert bot.version == 1
    assert bot.send(dvp.HelloOk(bot.version)) == b"dvpok 1\n"


# Faults


def test_two_moves_in_one_write_are_one_answer() -> None:
    arbiter = Link(TO_THINKING).ends[ARBITER]
    assert arbiter.receive(b"move A1\nmove B1\n") == [dvp.Move("A1"), Unexpected(dvp.Move("B1"))]
    arbiter.send(dvp.Error("unexpected"), SETUP[1], GO[1])
    assert arbiter.state is State.THINKING


def test_an_answer_to_another_ply_leaves_the_request_open() -> None:
    arbiter = Link(TO_THINKING).ends[ARBITER]
    assert arbiter.receive(b"move A1 ply 3\n") == [Unexpected(dvp.Move("A1", {"ply": 3}))]
    assert arbiter.state is State.THINKING
    assert arbiter.receive(b"move A1 ply 1\n") == [dvp.Move("A1", {"ply": 1})]
    bot = Link(TO_THINKING).ends[BOT]
    with pytest.raises(LocalProtocolError, match="ply 1 is asked for"):
        bot.send(dvp.Move("A1", {"ply": 3}))


def test_a_go_without_number_takes_an_answer_with_or_without() -> None:
    for echo in ({}, {"ply": 7}):
        link = Link([*TO_GAME, SETUP, (ARBITER, dvp.Go())])
        assert link.ends[ARBITER].receive(dvp.format(dvp.Move("A1", echo)).encode() + b"\n") == [
            dvp.Move("A1", echo)
        ]


def test_a_refused_batch_changes_nothing() -> None:
    link = Link(TO_GAME)
    arbiter = link.ends[ARBITER]
    with pytest.raises(LocalProtocolError, match="may not say `board`"):
        arbiter.send(SETUP[1], GO[1], dvp.Board("x w p"))
    assert arbiter.state is State.GAME
    with pytest.raises(LocalProtocolError, match="no such key"):
        arbiter.send(SETUP[1], dvp.Go({"weather": 1}))
    assert arbiter.state is State.GAME


def test_every_first_ignored_line_of_a_kind_is_told() -> None:
    arbiter = Link(TO_THINKING).ends[ARBITER]
    lines = [
        b"A1B2",
        b"B3",
        b"depth 3",
        b"depth 4",
        b"n1",
        b"n2",
        b"move A\xff",
        b"dvpok",
        b"dvpok",
        b"MOVE A1",
        b"id x",
    ]
    events = arbiter.receive(b"\n".join(lines) + b"\n")
    told = [event.text for event in events if isinstance(event, Ignored) and event.first]
    assert told == ["A1B2", "depth 3", "n1", "move A\\xff", "dvpok", "MOVE A1", "id x"]
    assert arbiter.state is State.THINKING


def test_kinds_are_bounded_and_so_is_memory() -> None:
    arbiter = Link(TO_THINKING).ends[ARBITER]
    arbiter.receive(b"warm up\n")
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    firsts = 0
    for start in range(0, 9_000, 100):
        noise = b"".join(
            b"%s %s\n" % (chr(0x4E00 + n).encode(), b"x" * 500) for n in range(start, start + 100)
        )
        events = arbiter.receive(noise)
        firsts += sum(isinstance(event, Ignored) and event.first for event in events)
    del events
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert firsts == 99
    assert grown < 100_000
    assert arbiter.flood is None


def test_a_flood_ends_all_hearing_and_go_starts_a_new_count() -> None:
    link = Link(TO_GAME)
    arbiter = link.ends[ARBITER]
    for _ in range(3):
        arbiter.send(SETUP[1], GO[1])
        assert len(arbiter.receive(b"noise\n" * 9_000 + b"move A1\n")) == 9_001
    before = arbiter.flood
    arbiter.receive(b"noise\n" * 1_000)
    assert (before, str(arbiter.flood)) == (None, "more than 10,000 lines in one turn")
    assert arbiter.receive(b"move A1\n") == []


def test_what_has_no_line_end_can_be_seen() -> None:
    arbiter = Link(TO_THINKING).ends[ARBITER]
    received = arbiter.bytes_received
    assert arbiter.receive(b"move A1\x00") == []
    assert arbiter.unfinished == "move A1\\x00"
    assert arbiter.bytes_received == received + 8


# The tables


def test_every_state_and_message_is_covered() -> None:
    assert set(WAY) == set(State) == set(DVP)
    assert {message.word for message in MESSAGES[ARBITER] + MESSAGES[BOT]} == {
        word for rows in DVP.values() for row in rows.values() for word in row
    }


CASES = [(state, role, message) for state in State for role in Role for message in MESSAGES[role]]


@pytest.mark.parametrize("state, role, message", CASES, ids=lambda case: getattr(case, "word", case))
def test_our_own_side_may_say_what_the_table_says(state: State, role: Role, message: dvp.Message) -> None:
    end = Link(WAY[state]).ends[role]
    following = DVP[state][role].get(message.word)
    assert end.allows(type(message)) == (following is not None)
    if following is None:
        with pytest.raises(LocalProtocolError):
            end.send(message)
        assert end.state is state
    else:
        assert end.send(message) == dvp.format(message).encode() + b"\n"
        assert end.state is following


@pytest.mark.parametrize("state, role, message", CASES, ids=lambda case: getattr(case, "word", case))
def test_the_other_side_is_taken_by_the_same_table(state: State, role: Role, message: dvp.Message) -> None:
    end = Link(WAY[state]).ends[role.other]
    following = DVP[state][role].get(message.word)
    (event,) = end.receive(dvp.format(message).encode() + b"\n")
    assert end.state is (following or state)
    if following is not None:
        assert event == message
    elif message.word in ANSWERS or (role is ARBITER and (state, message.word) not in CROSSING):
        assert event == Unexpected(message)
    else:
        assert isinstance(event, Ignored)


@pytest.mark.parametrize("state, word", NEEDED_FEATURE)
def test_a_word_that_needs_a_feature_is_refused_without(state: State, word: str) -> None:
    link = Link([step for step in WAY[state] if step is not ALL_BUT_SPARED])
    (message,) = [message for message in MESSAGES[ARBITER] if message.word == word]
    assert not link.ends[ARBITER].allows(type(message))
    assert link.ends[BOT].receive(dvp.format(message).encode() + b"\n") == [Unexpected(message)]


# Whatever comes


LINES = [dvp.format(message).encode() for messages in MESSAGES.values() for message in messages]
PIECES = [
    *(line + b"\n" for line in LINES),
    *LINES,
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff\n",
    b"A1B2\n",
    b" ",
    b"MOVE\n",
]


def play(data: list[bytes], role: Role, state: State) -> tuple[list[dvp.Event], State, Overflow | None]:
    end = Link(WAY[state]).ends[role]
    events = [event for chunk in data for event in end.receive(chunk)]
    return events, end.state, end.flood


@given(
    st.one_of(st.binary(max_size=80), st.lists(st.sampled_from(PIECES), max_size=8).map(b"".join)),
    st.lists(st.integers(0, 200), max_size=5),
    st.sampled_from(Role),
    st.sampled_from(State),
)
def test_nothing_received_ever_raises_and_chunks_make_no_difference(
    data: bytes, cuts: list[int], role: Role, state: State
) -> None:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    chunks = [data[start:end] for start, end in pairwise(edges)]
    assert play(chunks, role, state) == play([data], role, state)


# What is said and heard most often goes a shorter way.


def outcome(ask: Callable[[], bytes]) -> object:
    try:
        return ask()
    except LocalProtocolError as error:
        return str(error)


SPARED = ("", "noboard", "nolegal", "noboard nolegal")
BOARDS = (None, "dpos")
PLIES: tuple[list[str] | None, ...] = (None, [], ["A1", "B1"])
GOES: tuple[dict[str, int], ...] = ({"ply": 2, "time": 10}, {}, {"infinite": 1}, {"nonsense": 1})


@pytest.mark.parametrize("state", State)
def test_a_request_is_said_as_its_messages_are(state: State) -> None:
    for features, board, legal, go in product(SPARED, BOARDS, PLIES, GOES):
        one, other = reached(state, features), reached(state, features)
        messages: list[dvp.Message] = [dvp.Setup("start", ("D1",))]
        messages += [] if board is None else [dvp.Board(board)]
        messages += [] if legal is None else [dvp.Legal(tuple(legal))]
        expected = outcome(partial(other.send, *messages, dvp.Go(go)))
        assert outcome(partial(one.request, "start", ["D1"], go, board, legal)) == expected
        assert one.state is other.state
        assert one.receive(b"move A1 ply 2\n") == other.receive(b"move A1 ply 2\n")


def reached(state: State, features: str) -> Connection:
    """An arbiter's end in this state, whose bot has these features."""
    arbiter = Connection(ARBITER)
    for role, message in WAY[state]:
        if isinstance(message, dvp.Feature):
            message = dvp.Feature((*message.names, *features.split()))
        if role is BOT:
            arbiter.receive(f"{dvp.format(message)}\n".encode())
        elif message.word not in ("board", "legal") or f"no{message.word}" not in features:
            arbiter.send(message)
    return arbiter


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("answer", ["D1", "c3d4", "PASS", "Z99", "x" * 80, "ä1", "A-1"])
def test_a_move_is_heard_however_many_blanks_it_has(state: State, answer: str) -> None:
    one, other = reached(state, ""), reached(state, "")
    heard = one.receive(f"move {answer}\n".encode())
    expected = other.receive(f"move  {answer}\n".encode())
    assert [type(event) for event in heard] == [type(event) for event in expected]
    assert heard == expected or isinstance(expected[0], Ignored)
    assert one.state is other.state
