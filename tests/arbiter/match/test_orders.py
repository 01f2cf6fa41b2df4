"""Two things go wrong at once: the verdict is the same in whatever order the news of them come.

One bot is to move, the other is idle. Both things have happened when the first news comes; a drain is
finished after any of the news, or after all of them, and finds whatever there was no news of yet.
"""

import itertools
from collections.abc import Callable

import pytest

from arbiter.match.bot import Dialect
from arbiter.match.clock import MS
from protocol.rules import Side
from tests.arbiter.match.harness import CODECUP, DVP, Harness, begun, competitor, setup_of

WHITE, BLACK = Side.WHITE, Side.BLACK
FLOOD = b"x" * 65_537

Happening = Callable[[Harness, Side], None]
"""Something that happens, or the news of it; the side is the one to move."""

HAPPEN: dict[str, Happening] = {
    "answer": lambda harness, mover: harness.write(mover, _answer(harness, mover)),
    "late": lambda harness, mover: _let_pass(harness, 1_060),
    "flood": lambda harness, mover: harness.write(mover, FLOOD),
    "end": lambda harness, mover: harness.close(mover),
    "exit": lambda harness, mover: harness.exit(mover, 3),
    "other's flood": lambda harness, mover: harness.write(mover.other, FLOOD),
    "other's end": lambda harness, mover: harness.close(mover.other),
    "other's exit": lambda harness, mover: harness.exit(mover.other, 4),
}
NEWS: dict[str, Happening] = {
    "answer": lambda harness, mover: harness.read(mover),
    "late": lambda harness, mover: harness.wake(),
    "flood": lambda harness, mover: harness.read(mover),
    "end": lambda harness, mover: harness.notice_end(mover),
    "exit": lambda harness, mover: harness.notice_end(mover),
    "other's flood": lambda harness, mover: harness.read(mover.other),
    "other's end": lambda harness, mover: harness.notice_end(mover.other),
    "other's exit": lambda harness, mover: harness.notice_end(mover.other),
}


def _answer(harness: Harness, mover: Side) -> str:
    return "D1" if harness.referee.setup.competitor(mover).bot.dialect is CODECUP else "move D1"


def _let_pass(harness: Harness, ms: int) -> None:
    harness.now += ms * MS


# What two things that happen at once come to: who loses and by what, and how many plies were played. The
# order matters only where both are bytes of one stream.
BETWEEN_DVP_BOTS = {
    ("answer", "flood"): ("mover many", 1),
    ("flood", "answer"): ("mover many", 0),
    ("answer", "end"): ("mover output-closed", 1),
    ("answer", "exit"): ("mover exited", 1),
    ("answer", "other's flood"): ("other many", 1),
    ("answer", "other's end"): ("other output-closed", 1),
    ("answer", "other's exit"): ("other exited", 1),
    ("late", "answer"): ("mover late", 0),
    ("flood", "end"): ("mover many", 0),
    ("flood", "exit"): ("mover many", 0),
    ("flood", "other's flood"): ("mover many", 0),
    ("flood", "other's end"): ("mover many", 0),
    ("flood", "other's exit"): ("mover many", 0),
    ("late", "flood"): ("mover many", 0),
    ("end", "exit"): ("mover exited", 0),
    ("end", "other's flood"): ("mover output-closed", 0),
    ("end", "other's end"): ("mover output-closed", 0),
    ("end", "other's exit"): ("mover output-closed", 0),
    ("late", "end"): ("mover output-closed", 0),
    ("exit", "other's flood"): ("mover exited", 0),
    ("exit", "other's end"): ("mover exited", 0),
    ("exit", "other's exit"): ("mover exited", 0),
    ("late", "exit"): ("mover exited", 0),
    ("other's flood", "other's end"): ("other many", 0),
    ("other's flood", "other's exit"): ("other many", 0),
    ("late", "other's flood"): ("mover no-answer", 0),
    ("other's end", "other's exit"): ("other exited", 0),
    ("late", "other's end"): ("mover no-answer", 0),
    ("late", "other's exit"): ("mover no-answer", 0),
}
"""`many` is any limit of the protocol's."""

BETWEEN_CODECUP_BOTS = BETWEEN_DVP_BOTS | {
    ("answer", "end"): ("nobody", 1),
    ("answer", "exit"): ("nobody", 1),
    ("other's end", "other's exit"): ("nobody", 0),
}
"""A bot of this dialect may be gone in its opponent's turn."""

CASES = [
    *((DVP, pair, expected) for pair, expected in BETWEEN_DVP_BOTS.items()),
    *((CODECUP, pair, expected) for pair, expected in BETWEEN_CODECUP_BOTS.items()),
]


def test_no_pair_is_left_out() -> None:
    pairs = {frozenset(pair) for pair in BETWEEN_DVP_BOTS}
    assert pairs == {frozenset(pair) for pair in itertools.combinations(HAPPEN, 2)}


@pytest.mark.parametrize("dialect, pair, expected", CASES, ids=str)
@pytest.mark.parametrize("mover", Side)
def test_the_order_of_news_does_not_matter(
    dialect: Dialect, pair: tuple[str, str], expected: tuple[str, int], mover: Side
) -> None:
    for news in itertools.permutations(pair):
        for drains in itertools.product((False, True), repeat=2):
            harness = _happened(dialect, pair, mover)
            for name, drain in zip(news, drains, strict=True):
                NEWS[name](harness, mover)
                if drain:
                    harness.drain()
            harness.holds_drains = False
            harness.drain()
            harness.sleep(300 * MS)
            assert _outcome(harness, mover) == expected, (news, drains)


def _happened(dialect: Dialect, pair: tuple[str, str], mover: Side) -> Harness:
    setup = setup_of(competitor("one", dialect=dialect), competitor("two", dialect=dialect))
    harness = begun(Harness(setup))
    if mover is BLACK:
        harness.say(WHITE, "E1" if dialect is CODECUP else "move E1")
    harness.holds_drains = True
    harness.now += 100 * MS
    for name in pair:
        HAPPEN[name](harness, mover)
    return harness


def _outcome(harness: Harness, mover: Side) -> tuple[str, int]:
    """Who lost by what, and how many plies were played since."""
    loser = "nobody"
    for side, code in harness.codes.items():
        who = "mover" if side is mover else "other"
        loser = f"{who} {'many' if code.startswith(('many', 'long')) else code}"
        break
    return loser, len(harness.plies) - (mover is BLACK)
