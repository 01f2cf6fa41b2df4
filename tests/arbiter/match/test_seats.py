"""Both seats: bytes in any pieces, what is kept of them, and what each dialect does in its own way."""

import pytest

from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, TimeControl
from arbiter.match.fault import Code
from protocol.rules import Side
from tests.arbiter.match.harness import CODECUP, DVP, Harness, begun, competitor, nearly_full, setup_of

WHITE, BLACK = Side.WHITE, Side.BLACK


def game(dialect: Dialect = DVP) -> Harness:
    return begun(Harness(setup_of(competitor("one", dialect=dialect), competitor("two", dialect=dialect))))


def say_in_pieces(harness: Harness, data: bytes, size: int) -> None:
    """All of it at one moment; what is left after the game was decided is not read."""
    harness.write(WHITE, data)
    while harness.bots[WHITE].unread and not harness.referee.is_over:
        harness.read(WHITE, most=size)


TOO_MANY = b"\n" * 10_001
PIECES = [1_000_000, 4_096, 7]


@pytest.mark.parametrize("size", PIECES)
@pytest.mark.parametrize("dialect", Dialect)
def test_an_answer_right_before_a_flood_counts(dialect: Dialect, size: int) -> None:
    """Both may come in one piece: the line was complete before the limit was passed."""
    harness = game(dialect)
    answer = b"info depth 1\nmove D1\n" if dialect is DVP else b"D1\n"
    say_in_pieces(harness, answer + TOO_MANY, size)
    assert harness.codes == {WHITE: Code.MANY_LINES}
    assert harness.plies == ["D1"]


@pytest.mark.parametrize("size", PIECES)
def test_an_answer_right_after_too_many_unasked_ones_does_not_count(size: int) -> None:
    harness = game()
    say_in_pieces(harness, b"move D1 ply 9\n" * 10 + b"move D1\n", size)
    assert harness.codes == {WHITE: Code.UNASKED}
    assert harness.plies == []
    assert harness.fault.number("count") == 10


@pytest.mark.parametrize("size", PIECES)
def test_nothing_is_said_with_an_answer_after_it(size: int) -> None:
    """What comes behind the answer is read with it or later, as chance has it."""
    harness = game()
    say_in_pieces(harness, b"info string before\nmove D1\ninfo string behind\n", size)
    assert harness.referee.records[0].info == {"string": "before"}


@pytest.mark.parametrize("size", PIECES)
def test_two_answers_in_one_piece(size: int) -> None:
    harness = game()
    say_in_pieces(harness, b"move D1\nmove E1\n", size)
    assert harness.plies == ["D1"]
    assert harness.notes == [(WHITE, "unexpected: `move` is not the answer to an open request")]


def test_complaints_end_with_the_limit() -> None:
    harness = game()
    harness.heard(WHITE)
    harness.say(WHITE, "resign ply 9\n" * 3 + "move D1 ply 9\n" * 500)
    assert sum(line.startswith("error unexpected") for line in harness.heard(WHITE)) <= 10


def test_notes_are_bounded() -> None:
    harness = game()
    harness.say(BLACK, "\n".join(f"error number {number} {'x' * 1_000}" for number in range(500)))
    notes = harness.referee.seats[BLACK].notes
    assert len(notes) == 50
    assert max(map(len, notes)) == 300


def test_what_is_kept_of_infos_is_bounded() -> None:
    harness = game()
    for number in range(60):
        harness.say(WHITE, f"info x-name{number} {number}")
    harness.say(WHITE, f"info string {'x' * 5_000}\nmove D1")
    info = harness.referee.records[0].info
    assert len(info) == 40
    assert max(map(len, info.values())) <= 600


def test_black_rests_through_whites_double_turn() -> None:
    """A CodeCup bot is told White's last placement at once, but it is not its turn yet."""
    one, two = competitor("one", dialect=CODECUP), competitor("two", dialect=CODECUP)
    harness = begun(Harness(setup_of(one, two, suspend_idle=True)))
    for ply in _plies_to_nearly_full():
        assert harness.asked is not None
        harness.say(harness.asked, ply)
    assert not is_awake(harness), "its own placement is made"
    harness.bots[BLACK].cpu += 10 * MS
    harness.say(WHITE, "K5")
    assert harness.heard(BLACK)[-1] == "K5"
    assert not is_awake(harness), "White moves again"
    harness.bots[BLACK].cpu += 30 * MS
    harness.say(WHITE, min(ply.text for ply in harness.referee.position.legal_plies()))
    assert is_awake(harness)
    assert harness.asked is BLACK
    assert harness.referee.seats[BLACK].clock_use().idle_cpu == 40 * MS, "and all of that was idle"


def test_an_early_line_ends_a_turn_when_that_has_come() -> None:
    """White's last placement comes with the one before; what Black thinks between them is Black's."""
    plies = _plies_to_nearly_full()
    time = TimeControl(game=1_000, increment=0)
    one, two = competitor("one", time, CODECUP), competitor("two", dialect=CODECUP)
    harness = begun(Harness(setup_of(one, two)))
    for ply in plies[:-2]:
        assert harness.asked is not None
        harness.say(harness.asked, ply)
    last = next(ply.text for ply in nearly_full().legal_plies())
    harness.say(WHITE, f"{plies[-2]}\n{last}")
    harness.now += 800 * MS
    harness.say(BLACK, plies[-1])
    assert harness.plies[-1] == last
    harness.now += 10 * MS
    harness.say(WHITE, min(ply.text for ply in harness.referee.position.legal_plies()))
    assert [record.used for record in harness.referee.records[-2:]] == [0, 10 * MS]


def is_awake(harness: Harness) -> bool:
    """Whether Black's last rest is over."""
    return harness.bots[BLACK].rests[-1]


def _plies_to_nearly_full() -> list[str]:
    harness = begun(Harness(setup_of()))
    while harness.referee.position != nearly_full():
        assert harness.asked is not None
        legal = harness.heard(harness.asked)[-2].split()[1:]
        harness.say(harness.asked, f"move {min(legal)}")
    return harness.plies


def test_idle_cpu_of_a_dvp_bot() -> None:
    harness = game()
    for number in range(3):
        harness.bots[WHITE].cpu += 5 * MS
        harness.say(WHITE, f"move {'DEF'[number]}1")
        harness.bots[WHITE].cpu += 100 * MS
        harness.say(BLACK, f"move {'DEF'[number]}2")
    use = harness.referee.seats[WHITE].clock_use()
    assert use.idle_cpu == 300 * MS
    assert [record.spent.cpu for record in harness.referee.records[::2]] == [5 * MS] * 3


def test_what_explains_that_no_answer_came() -> None:
    harness = game()
    harness.say(WHITE, "info depth 1\nbestmove D1")
    harness.write(WHITE, b"move D")
    harness.read(WHITE)
    harness.sleep(1_051 * MS)
    facts = harness.fault.facts
    assert (facts["bytes"], facts["turn_bytes"]) == (len("dvpok\ninfo depth 1\nbestmove D1\nmove D"), 31)
    assert facts["unfinished"] == "move D"
    assert facts["note"] == "ignored: 'bestmove D1'; did you mean `move D1`?"
    assert facts["used"] == 0


@pytest.mark.parametrize("is_only", [True, False])
def test_what_explains_that_no_ply_came_in_the_double_turn(is_only: bool) -> None:
    harness = game(CODECUP)
    for ply in [*_plies_to_nearly_full(), *(["K5"] if is_only else [])]:
        assert harness.asked is not None
        harness.say(harness.asked, ply)
    harness.sleep(20_000 * MS)
    assert harness.codes == {WHITE: Code.NO_ANSWER}
    assert harness.fault.facts["double_turn"] is is_only
