"""The start of a game: both bots get ready within the start limit, or the game is lost or void."""

import itertools

import pytest

from arbiter.match.clock import MS
from arbiter.match.fault import Code, Fault
from protocol.rules import Side
from tests.arbiter.match.harness import CODECUP, Harness, competitor, setup_of

WHITE, BLACK = Side.WHITE, Side.BLACK
NO_PROGRAM = Fault(Code.CANNOT_START, {"text": "no such file"})


def spawned() -> Harness:
    harness = Harness(setup_of())
    harness.spawn()
    return harness


def not_spawned(harness: Harness, side: Side) -> None:
    harness.referee.not_spawned(side, NO_PROGRAM)
    harness.perform()


FAILURES = {
    "cannot start": (not_spawned, Code.CANNOT_START),
    "exits": (lambda harness, side: harness.crash(side), Code.ENDED_BEFORE),
    "refuses": (lambda harness, side: harness.say(side, "error no licence"), Code.REFUSED),
    "floods": (lambda harness, side: harness.say(side, b"x" * 65_537), Code.ENDED_BEFORE),
    "says nothing": (lambda harness, side: harness.sleep(2_001 * MS), Code.NOT_READY),
}


def fail(harness: Harness, side: Side, how: str) -> None:
    FAILURES[how][0](harness, side)


def spawn_all_but(*failing: tuple[Side, str]) -> Harness:
    harness = Harness(setup_of())
    without = [side for side, how in failing if how == "cannot start"]
    harness.spawn(*(side for side in Side if side not in without))
    return harness


@pytest.mark.parametrize("how", FAILURES)
@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("is_other_first", [False, True])
def test_one_bot_is_not_ready(how: str, side: Side, is_other_first: bool) -> None:
    """The other one has to get ready first, or nobody knows whether both fail."""
    harness = spawn_all_but((side, how))
    if is_other_first or how == "says nothing":
        harness.say(side.other, "dvpok")
    fail(harness, side, how)
    if not harness.referee.has_begun:
        assert not harness.referee.is_over
        harness.say(side.other, "dvpok")
    assert harness.codes == {side: FAILURES[how][1]}
    assert harness.outcome == ("0-1" if side is WHITE else "1-0", "start")
    assert not harness.result().both_failed
    assert harness.heard(side.other)[-1] == "quit"


@pytest.mark.parametrize("ways", list(itertools.product(FAILURES, repeat=2)))
@pytest.mark.parametrize("first", Side)
def test_no_bot_is_ready(ways: tuple[str, str], first: Side) -> None:
    failing = dict(zip(Side, ways, strict=True))
    harness = spawn_all_but(*failing.items())
    for side in (first, first.other):
        if side not in harness.referee.faults:
            fail(harness, side, failing[side])
    assert harness.outcome == ("*", "void")
    assert harness.fault.code is Code.BOTH
    result = harness.result()
    assert result.both_failed
    assert result.offender is None
    inner = {side: harness.fault.inner(side.word).code for side in Side}
    for side, way in failing.items():
        # Who was ready to fail in another way had no time for it when the other one said nothing.
        assert inner[side] in (FAILURES[way][1], Code.NOT_READY)


def test_nothing_is_asked_before_both_are_ready() -> None:
    harness = spawned()
    harness.say(WHITE, "dvpok")
    assert harness.asked is None
    assert not harness.referee.has_begun
    harness.say(BLACK, "dvpok")
    assert harness.asked is WHITE


def test_a_bot_with_the_feature_ready_has_the_limit_twice() -> None:
    harness = spawned()
    harness.say(BLACK, "dvpok")
    harness.sleep(2_000 * MS)
    harness.say(WHITE, "feature ready\ndvpok")
    assert harness.heard(WHITE)[-1] == "isready"
    harness.sleep(2_000 * MS)
    assert not harness.referee.is_over
    harness.say(WHITE, "readyok")
    assert harness.asked is WHITE


def test_a_bot_that_does_not_get_ready() -> None:
    harness = spawned()
    harness.say(BLACK, "dvpok")
    harness.say(WHITE, "feature ready\ndvpok")
    harness.sleep(2_001 * MS)
    assert harness.fault.code is Code.NOT_READY
    assert harness.fault.text("wanted") == "readyok"
    assert harness.fault.number("limit") == 2_000 * MS


def test_the_end_that_came_before_is_told() -> None:
    harness = spawned()
    harness.say(BLACK, "dvpok")
    harness.crash(WHITE, 127)
    assert harness.fault.text("wanted") == "dvpok"
    assert harness.fault.inner("end") == Fault(Code.EXITED, {"status": 127})


def test_an_end_that_is_not_known_at_once() -> None:
    """The output is closed; how the program ended is known later, or not within a while."""
    harness = spawned()
    harness.say(BLACK, "dvpok")
    harness.close(WHITE)
    harness.notice_end(WHITE)
    assert not harness.referee.is_over
    harness.sleep(100 * MS)
    harness.crash(WHITE, 9)
    assert harness.fault.inner("end").number("status") == 9


def test_an_end_that_never_becomes_known() -> None:
    harness = spawned()
    harness.say(BLACK, "dvpok")
    harness.close(WHITE)
    harness.notice_end(WHITE)
    harness.sleep(250 * MS)
    assert harness.fault.inner("end").code is Code.OUTPUT_CLOSED


def test_a_stall_is_not_charged() -> None:
    harness = spawned()
    harness.stall(20_000 * MS, dict.fromkeys(Side, 20_000 * MS))
    harness.wake()
    assert not harness.referee.is_over
    harness.sleep(1_900 * MS)
    for side in Side:
        harness.say(side, "dvpok")
    assert harness.asked is WHITE


def test_a_bot_that_gets_no_core_is_waited_for() -> None:
    harness = spawned()
    harness.say(BLACK, "dvpok")
    for _ in range(50):
        harness.bots[WHITE].wait += 100 * MS
        harness.sleep(100 * MS)
    assert not harness.referee.is_over
    harness.say(WHITE, "dvpok")
    assert harness.asked is WHITE


def test_a_bot_that_gets_no_core_for_too_long() -> None:
    harness = spawned()
    harness.say(BLACK, "dvpok")
    for _ in range(102):
        harness.bots[WHITE].wait += 100 * MS
        harness.sleep(100 * MS)
    assert harness.outcome == ("*", "void")
    assert harness.fault.code is Code.STARVED
    assert harness.referee.is_over


def test_a_bot_that_is_ready_and_fails_before_the_game_begins_loses_the_game_itself() -> None:
    harness = spawned()
    harness.say(BLACK, "dvpok")
    harness.crash(BLACK)
    assert not harness.referee.is_over
    harness.say(WHITE, "dvpok")
    assert harness.codes == {BLACK: Code.EXITED}
    assert harness.outcome == ("1-0", "crash")


def test_an_answer_before_the_first_question_is_none() -> None:
    harness = spawned()
    harness.say(WHITE, "dvpok\nmove D1")
    harness.say(BLACK, "dvpok")
    assert harness.asked is WHITE
    assert harness.notes[0][1].startswith("unexpected")


def test_an_answer_to_the_greeting_after_a_refusal_is_none() -> None:
    harness = spawned()
    harness.say(BLACK, "dvpok")
    harness.say(WHITE, "error no licence\ndvpok")
    assert harness.codes == {WHITE: Code.REFUSED}
    assert harness.fault.text("text") == "no licence"


@pytest.mark.parametrize("has_started", [False, True])
def test_a_line_before_start(has_started: bool) -> None:
    """A CodeCup bot that plays White may be quicker than `Start`: early lines count in their turn."""
    setup = setup_of(competitor("one", dialect=CODECUP))
    harness = Harness(setup)
    harness.spawn()
    harness.now += 40 * MS
    if not has_started:
        harness.say(WHITE, "D1")
    harness.say(BLACK, "dvpok")
    assert harness.heard(WHITE) == ["Start"]
    if has_started:
        harness.say(WHITE, "D1")
    assert harness.plies == ["D1"]
    assert harness.referee.records[0].used == 0
    assert harness.asked is BLACK
