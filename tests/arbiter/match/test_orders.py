"""Two things go wrong at once: the verdict is the same in whatever order the news of them come.

White is to move, Black is idle. Both things have happened when the first news comes; a drain is finished
after any of the news, or after all of them, and finds whatever there was no news of yet.
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

World = Callable[[Harness], None]
"""What happens, unnoticed; or the news of it."""

HAPPEN: dict[str, World] = {
    "answer": lambda harness: harness.write(WHITE, _answer(harness)),
    "late": lambda harness: _let_pass(harness, 1_060),
    "flood": lambda harness: harness.write(WHITE, FLOOD),
    "end": lambda harness: harness.close(WHITE),
    "exit": lambda harness: harness.exit(WHITE, 3),
    "other's flood": lambda harness: harness.write(BLACK, FLOOD),
    "other's end": lambda harness: harness.close(BLACK),
    "other's exit": lambda harness: harness.exit(BLACK, 4),
}
NEWS: dict[str, World] = {
    "answer": lambda harness: harness.read(WHITE),
    "late": Harness.wake,
    "flood": lambda harness: harness.read(WHITE),
    "end": lambda harness: harness.notice_end(WHITE),
    "exit": lambda harness: harness.notice_end(WHITE),
    "other's flood": lambda harness: harness.read(BLACK),
    "other's end": lambda harness: harness.notice_end(BLACK),
    "other's exit": lambda harness: harness.notice_end(BLACK),
}


def _answer(harness: Harness) -> str:
    return "D1" if harness.referee.setup.white.bot.dialect is CODECUP else "move D1"


def _let_pass(harness: Harness, ms: int) -> None:
    harness.now += ms * MS


# What two things that happen at once come to: who loses and by what, and how many plies were played. The
# order matters only where both are bytes of one stream.
BETWEEN_DVP_BOTS = {
    ("answer", "flood"): ("white many", 1),
    ("flood", "answer"): ("white many", 0),
    ("answer", "end"): ("white output-closed", 1),
    ("answer", "exit"): ("white exited", 1),
    ("answer", "other's flood"): ("black many", 1),
    ("answer", "other's end"): ("black output-closed", 1),
    ("answer", "other's exit"): ("black exited", 1),
    ("late", "answer"): ("white late", 0),
    ("flood", "end"): ("white many", 0),
    ("flood", "exit"): ("white many", 0),
    ("flood", "other's flood"): ("white many", 0),
    ("flood", "other's end"): ("white many", 0),
    ("flood", "other's exit"): ("white many", 0),
    ("late", "flood"): ("white many", 0),
    ("end", "exit"): ("white exited", 0),
    ("end", "other's flood"): ("white output-closed", 0),
    ("end", "other's end"): ("white output-closed", 0),
    ("end", "other's exit"): ("white output-closed", 0),
    ("late", "end"): ("white output-closed", 0),
    ("exit", "other's flood"): ("white exited", 0),
    ("exit", "other's end"): ("white exited", 0),
    ("exit", "other's exit"): ("white exited", 0),
    ("late", "exit"): ("white exited", 0),
    ("other's flood", "other's end"): ("black many", 0),
    ("other's flood", "other's exit"): ("black many", 0),
    ("late", "other's flood"): ("white no-answer", 0),
    ("other's end", "other's exit"): ("black exited", 0),
    ("late", "other's end"): ("white no-answer", 0),
    ("late", "other's exit"): ("white no-answer", 0),
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


@pytest.mark.parametrize("dialect, pair, expected", CASES, ids=lambda value: str(value))
def test_the_order_of_news_does_not_matter(
    dialect: Dialect, pair: tuple[str, str], expected: tuple[str, int]
) -> None:
    for news in itertools.permutations(pair):
        for drains in itertools.product((False, True), repeat=2):
            harness = _happened(dialect, pair)
            for name, drain in zip(news, drains, strict=True):
                NEWS[name](harness)
                if drain:
                    harness.drain()
            harness.holds_drains = False
            harness.drain()
            harness.sleep(300 * MS)
            assert _outcome(harness) == expected, (news, drains)


def _happened(dialect: Dialect, pair: tuple[str, str]) -> Harness:
    setup = setup_of(competitor("one", dialect=dialect), competitor("two", dialect=dialect))
    harness = begun(Harness(setup))
    harness.holds_drains = True
    harness.now += 100 * MS
    for name in pair:
        HAPPEN[name](harness)
    return harness


def _outcome(harness: Harness) -> tuple[str, int]:
    loser = "nobody"
    for side, code in harness.codes.items():
        loser = f"{side.word} {'many' if code.startswith(('many', 'long')) else code}"
        break
    return loser, len(harness.plies)
