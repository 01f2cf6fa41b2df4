"""A referee that does not lead: its owner asks and plays, as in sessions with one bot and a guest."""

import pytest

from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, Spent, TimeControl
from arbiter.match.fault import Code
from arbiter.match.game import PlyRecord
from arbiter.match.judging import Reply
from arbiter.match.seat import Guest, Turn
from protocol.rules import Position, Side, parse_dpos, parse_ply
from tests.arbiter.match.harness import CODECUP, DVP, LATE_BOARD, TIME, Harness, competitor, setup_of

WHITE, BLACK = Side.WHITE, Side.BLACK


def session(dialect: Dialect = DVP, side: Side = WHITE, time: TimeControl = TIME) -> Harness:
    """A bot on one side that is ready, and a guest on the other."""
    one = competitor("one", time, dialect)
    harness = Harness(setup_of(one, one), {side.other: Guest}, leads=False)
    harness.spawn(side)
    if dialect is DVP:
        harness.say(side, "dvpok")
    assert harness.referee.has_begun
    harness.heard(side)
    return harness


def ask(harness: Harness, turn: Turn | None = None) -> None:
    harness.referee.ask(turn)
    harness.perform()


def reply(harness: Harness) -> Reply:
    assert harness.referee.reply is not None
    return harness.referee.reply


def play(harness: Harness, text: str) -> None:
    harness.referee.play(parse_ply(text))
    harness.perform()


@pytest.mark.parametrize("dialect", Dialect)
def test_a_reply_is_not_played(dialect: Dialect) -> None:
    harness = session(dialect)
    assert harness.asked is None
    ask(harness)
    assert harness.referee.reply is None
    harness.now += 30 * MS
    harness.say(WHITE, "info depth 5\nmove D1" if dialect is DVP else "D1")
    info = {"depth": "5"} if dialect is DVP else {}
    assert reply(harness) == Reply(parse_ply("D1"), "D1", None, Spent(30 * MS), info)
    assert harness.plies == []
    play(harness, "D1")
    assert harness.plies == ["D1"]
    assert harness.asked is None


@pytest.mark.parametrize("dialect", Dialect)
def test_a_guest_and_a_bot_in_turns(dialect: Dialect) -> None:
    harness = session(dialect, BLACK)
    for text, mine in (("D1", "E1"), ("D2", "E2"), ("D3", "E3")):
        ask(harness)
        assert harness.asked is WHITE
        harness.now += 10 * MS
        harness.play(WHITE, text)
        assert reply(harness).ply == parse_ply(text)
        play(harness, text)
        ask(harness)
        harness.now += 20 * MS
        harness.say(BLACK, f"move {mine}" if dialect is DVP else mine)
        assert reply(harness).ply == parse_ply(mine)
        assert reply(harness).spent.wall == 20 * MS
        play(harness, mine)
    assert harness.plies == ["D1", "E1", "D2", "E2", "D3", "E3"]
    if dialect is CODECUP:
        assert harness.heard(BLACK) == ["D1", "D2", "D3"]


@pytest.mark.parametrize("text, code", [("nonsense", Code.NOT_A_PLY), ("A1B1", Code.ILLEGAL)])
def test_a_wrong_reply(text: str, code: Code) -> None:
    harness = session()
    ask(harness)
    harness.say(WHITE, f"move {text}")
    assert (reply(harness).ply, reply(harness).answer) == (None, text)
    assert reply(harness).fault == harness.referee.faults[WHITE]
    assert harness.codes == {WHITE: code}


def test_a_guest_has_a_clock() -> None:
    harness = session(side=BLACK)
    ask(harness)
    harness.sleep(1_051 * MS)
    assert reply(harness).fault == harness.referee.faults[WHITE]
    assert harness.codes == {WHITE: Code.NO_ANSWER}


def test_a_guest_may_be_late_and_may_give_up() -> None:
    late = session(side=BLACK)
    ask(late)
    late.now += 1_051 * MS
    late.play(WHITE, "D1")
    assert late.codes == {WHITE: Code.LATE}
    gone = session(side=BLACK)
    ask(gone)
    gone.play(WHITE, None)
    assert gone.codes == {WHITE: Code.RESIGNED}
    assert reply(gone).answer is None


def test_what_a_guest_says_before_its_question_is_dropped() -> None:
    harness = session(side=BLACK)
    harness.play(WHITE, "D1")
    ask(harness)
    assert harness.referee.reply is None
    harness.play(WHITE, "E1")
    assert reply(harness).ply == parse_ply("E1")


def test_another_turn_than_the_games_own() -> None:
    """A bot can be asked about any position."""
    harness = session()
    white = Turn(7, LATE_BOARD, [], harness.referee.seats[BLACK].clock, LATE_BOARD)
    ask(harness, white)
    assert harness.heard(WHITE)[0] == f"position {LATE_BOARD.dpos}"
    harness.say(WHITE, "move D3C3")
    assert reply(harness).ply == parse_ply("D3C3")
    assert harness.referee.position == Position.start()
    ask(harness)
    assert harness.heard(WHITE)[0] == "position start"


def test_setting_up_a_position() -> None:
    harness = session()
    harness.referee.set_up(LATE_BOARD, ["D3C3", "F2F3"])
    assert harness.plies == ["D3C3", "F2F3"]
    assert harness.referee.position.is_over
    harness.referee.set_up(LATE_BOARD)
    assert harness.plies == []
    ask(harness)
    assert harness.heard(WHITE)[0] == f"position {LATE_BOARD.dpos}"


def test_a_ply_with_a_record() -> None:
    harness = session()
    record = PlyRecord("D1", 5, 6, Spent(7))
    harness.referee.play(parse_ply("D1"), record)
    harness.perform()
    assert harness.referee.records == [record]
    assert harness.played == ["D1"]


def test_a_reply_that_the_machine_made_late_has_both() -> None:
    """Without a leader nothing is called off: the ply is there, and so is why it does not count."""
    harness = session()
    ask(harness)
    harness.now += 1_100 * MS
    harness.bots[WHITE].wait += 60 * MS
    harness.say(WHITE, "move D1")
    assert reply(harness).ply == parse_ply("D1")
    fault = reply(harness).fault
    assert fault is not None
    assert fault.code is Code.MACHINE_LATE
    assert not harness.referee.is_over
    play(harness, "D1")


def test_a_bot_that_fails_while_nothing_is_asked() -> None:
    harness = session()
    harness.crash(WHITE)
    assert harness.codes == {WHITE: Code.EXITED}
    assert harness.referee.is_over


def test_a_failure_after_the_reply_does_not_replace_it() -> None:
    """A bot may answer and exit; whoever asked has not looked at the answer yet when the end is noticed."""
    harness = session()
    ask(harness)
    harness.say(WHITE, "move D1")
    harness.crash(WHITE)
    assert reply(harness).ply == parse_ply("D1")
    assert reply(harness).fault is None
    assert harness.codes == {WHITE: Code.EXITED}


def test_a_bot_that_does_not_answer_and_ends() -> None:
    harness = session()
    ask(harness)
    harness.crash(WHITE, 3)
    assert reply(harness).fault == harness.referee.faults[WHITE]


def test_a_stall_that_calls_the_game_off_is_a_reply() -> None:
    """Whoever waits for the answer would wait for ever."""
    harness = session()
    ask(harness)
    harness.stall(6_000 * MS, {WHITE: 5_000 * MS})
    fault = reply(harness).fault
    assert fault is not None
    assert fault.code is Code.STALLED
    assert harness.referee.void == fault


def test_starvation_that_calls_the_game_off_is_a_reply() -> None:
    harness = session()
    ask(harness)
    harness.bots[WHITE].wait += 11_000 * MS
    harness.sleep(11_001 * MS)
    fault = reply(harness).fault
    assert fault is not None
    assert fault.code is Code.STARVED


def test_nothing_may_be_asked_any_more_and_whoever_asks_hears_why() -> None:
    harness = session()
    harness.crash(WHITE)
    ask(harness)
    assert reply(harness).fault == harness.referee.faults[WHITE]


def test_finishing_with_an_open_question() -> None:
    harness = session()
    ask(harness)
    harness.heard(WHITE)
    harness.referee.finish()
    harness.perform()
    assert harness.heard(WHITE) == ["result * white 0 black 0 reason void", "quit"]
    harness.say(WHITE, "move D1")
    assert harness.referee.reply is None
    harness.stall(9_000 * MS, {WHITE: 9_000 * MS})
    assert harness.referee.void is None, "it was over"


def test_finishing_while_something_is_read() -> None:
    harness = session()
    harness.holds_drains = True
    ask(harness)
    harness.referee.finish()
    harness.perform()
    harness.drain()
    assert "go" not in " ".join(harness.heard(WHITE))


def test_a_bot_that_cannot_get_ready() -> None:
    one = competitor("one")
    harness = Harness(setup_of(one, one), {BLACK: Guest}, leads=False)
    harness.spawn(WHITE)
    harness.crash(WHITE)
    assert harness.referee.has_begun
    assert harness.referee.is_over
    assert harness.codes == {WHITE: Code.ENDED_BEFORE}


def test_the_clock_of_whoever_plays_now_is_in_the_record() -> None:
    """Also after a question that was about another side's turn."""
    harness = session()
    harness.referee.seats[BLACK].clock.left = 77 * MS
    play(harness, "D1")
    other = parse_dpos(LATE_BOARD.dpos)
    ask(harness, Turn(1, other, [], harness.referee.seats[BLACK].clock, other))
    harness.say(WHITE, "move D3C3")
    play(harness, "E1")
    assert harness.referee.records[1].left == 77 * MS
