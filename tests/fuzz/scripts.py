"""What hypothesis draws for a scripted bot: noise of every sort, and when it is made."""

from functools import cache

from hypothesis import strategies as st

from arbiter.match.bot import Dialect
from protocol.rules import Position, Side
from tests.fuzz.arena import Action, Match

# Nothing of this is an answer; whole lines each.
HARMLESS = {
    Dialect.DVP: [
        b"\n",
        b"\r\n",
        b" \t \n",
        b"A1\n",
        b"PASS\n",
        b"Quit\n",
        b"bestmove A1\n",
        b"MOVE A1\n",
        b"moveA1\n",
        b"info depth 3 score 1 pv A1 B1\n",
        b"info string \xc3\xa9\xe2\x80\xa8 \xf0\x9f\x98\x80\n",
        b"info\n",
        b"info string %{}=\"'\\ \n",
        b"info x-a -1e5 x-b .5 x-\n",
        b"info score 1 score 2 currmove k5\n",
        b"\xff\xfe\n",
        b"move\xff A1\n",
        b"\0\n",
        b"\x1b[2J\n",
        b"move\x0bA1\n",
        b"move\xc2\xa0A1\n",
        b"result 1-0\n",
        b"dvpok\n",
        b"readyok\n",
        b"error sorry\n",
        b"quit\n",
        b"id name \xe2\x80\xae\n",
        b"move K5 ply 999\n",
        b"move J4 ply 0 ply 998\n",
        b"option Seed spin 1 0 5\n",
        b"feature stop reuse\n",
        b"\xef\xbb\xbf\n",
    ],
    Dialect.CODECUP: [b"\n", b"\r\n", b"\t\n", b"  \r\n"],
}
ANSWERS = {
    Dialect.DVP: [
        b"move A1\n",
        b"move K5\n",
        b"move j4\n",
        b"move H9\n",
        b"move\n",
        b"move PASS\n",
        b"move A1B1\n",
        b"resign\n",
        b"resign now\n",
        b"move \xc3\x9f1\n",
        b"move \0\n",
        b"\tmove\tC3 \r\n",
        b"move D3 ply 1\n",
        b"move E3 ply x\n",
        b"move F3 time 1 ply 3\n",
        b"move A1\x00\n",
        b"move %7B{\n",
    ],
    Dialect.CODECUP: [
        b"A1\n",
        b"k5\n",
        b"H9\n",
        b"PASS\n",
        b"A1B1\n",
        b"move A1\n",
        b"\0\n",
        b"\xff\n",
        b"Quit\n",
        b" C3 \r\n",
        b"A1 A2\n",
        b"\xef\xbb\xbfD3\n",
        b"D3\r\r\n",
        b"\xc2\xa0\n",
        b"\x0b\n",
    ],
}
SHAKES = {
    Dialect.DVP: [
        b"feature ready\n",
        b"feature ready nolegal noboard stop reuse\n",
        b"option Seed spin 7 0 9\n",
        b"option Seed string \n",
        b"option Seed combo a b\n",
        b"option Seed check true\n",
        b"option Seed button\n",
        b"dvpok 1\n",
        b"dvpok 2\n",
        b"dvpok maybe\n",
        b"error no\n",
        b"id version \n",
        b"readyok\n",
        b"option Seed spin 0 -999999999999999999 999999999999999999\n",
    ],
    Dialect.CODECUP: [b"Start\n", b"A1\n"],
}
FLOODS = [b"\n", b"\r", b"x\n", b"resign\n", b"move A1\n", b"x" * 100, b"\xff" * 100 + b"\n"]
_PARTS = [b"mo", b"ve", b"A", b"1", b" ", b"\r", b"\n", b"\xef\xbb\xbf", b"\xc3", b"re", b"sign", b"dvpok"]


@cache
def starts() -> tuple[Position, ...]:
    """The empty board, and later positions from which the rest is short."""
    found, position = [Position.start()], Position.start()
    count = 0
    while not position.is_over:
        position = position.play(min(position.legal_plies()))
        count += 1
        if count in (46, 48, 49, 56, 64) and not position.is_over:
            found.append(position)
    return tuple(found)


def harmless(dialect: Dialect) -> st.SearchStrategy[str]:
    """Whole lines that are no answers."""
    return st.lists(st.sampled_from(HARMLESS[dialect]), max_size=3).map(b"".join).map(bytes.hex)


def wild(dialect: Dialect) -> st.SearchStrategy[str]:
    """Any bytes: near-misses, answers, halves of lines."""
    known = [*HARMLESS[dialect], *ANSWERS[dialect], *SHAKES[dialect], *_PARTS]
    return st.lists(st.sampled_from(known) | st.binary(max_size=12), max_size=4).map(b"".join).map(bytes.hex)


def turns(dialect: Dialect) -> st.SearchStrategy[Action]:
    """A turn in which the bot answers, in one write with some noise."""
    noise = harmless(dialect)
    return st.tuples(st.just("turn"), noise, st.just(True), noise)


def endings(dialect: Dialect) -> st.SearchStrategy[list[Action]]:
    """How a script may stop; at most one of them hangs, which takes its whole time."""
    statuses, signals = st.sampled_from([0, 1, 139, 255]), st.sampled_from([1, 9, 15, 6, 11, 10])
    loud = st.sampled_from([b"", b"Oops\n", b"a\0b\n", b"\xff\x1b[1m\xe2\x80\xa8 \n"]).map(bytes.hex)
    return st.one_of(
        st.just([]),
        st.tuples(wild(dialect), st.sampled_from(["turn"])).map(
            lambda drawn: [["turn", drawn[0], False, ""]]
        ),
        st.tuples(loud, statuses).map(lambda drawn: [["stderr", drawn[0]], ["exit", drawn[1]]]),
        st.tuples(loud, signals).map(lambda drawn: [["stderr", drawn[0]], ["signal", drawn[1]]]),
        st.sampled_from([[["close"], ["hang"]], [["deaf"]], [["close"]], [["hang"]]]),
    )


def actions(dialect: Dialect) -> st.SearchStrategy[Action]:
    """Anything at any time."""
    noise, quiet = wild(dialect), harmless(dialect)
    return st.one_of(
        turns(dialect),
        st.tuples(st.just("turn"), noise, st.booleans(), noise),
        st.tuples(st.just("play"), st.integers(1, 30)),
        st.tuples(st.just("write"), quiet),
        st.tuples(st.just("write"), st.sampled_from(SHAKES[dialect]).map(bytes.hex)),
        st.tuples(st.just("write"), noise),
        st.tuples(
            st.just("repeat"), st.sampled_from(FLOODS).map(bytes.hex), st.sampled_from([2, 12, 700, 11_000])
        ),
        st.tuples(st.just("drip"), st.one_of(noise, quiet), st.integers(0, 3)),
        st.tuples(st.just("pause"), st.integers(0, 40)),
        st.just(("await",)),
    )


@st.composite
def matches(draw: st.DrawFn, *, is_timed: bool) -> Match:
    """A game with a scripted bot; without timing, only what one order of bytes decides."""
    dialect = draw(st.sampled_from(Dialect))
    opponent = draw(st.sampled_from(Dialect))
    is_dvp = (dialect, opponent) == (Dialect.DVP, Dialect.DVP)
    anything = actions(dialect) if is_timed else turns(dialect)
    script = [*draw(st.lists(anything, max_size=6)), *draw(endings(dialect))]
    return Match(
        script=tuple(map(tuple, script)),
        dialect=dialect,
        side=draw(st.sampled_from(Side)),
        opponent=opponent,
        start=draw(st.sampled_from(starts())) if is_dvp else Position.start(),
        substitute=draw(st.booleans()),
    )
