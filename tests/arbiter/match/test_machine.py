"""What the machine and the arbiter took: excused, waited for, or too much to go on, in numbers."""

from collections.abc import Mapping

import pytest

from arbiter.match.clock import CHARGING, MOST_WAITING, MS, ClockKind, TimeControl
from arbiter.match.fault import Code
from protocol.rules import Side
from tests.arbiter.match.harness import RUNNING, Harness, begun, competitor, setup_of

WHITE, BLACK = Side.WHITE, Side.BLACK
SECOND = 1_000 * MS
LIMIT = 1_050
"""What White may take for the first ply, in ms."""


def game(kind: ClockKind = ClockKind.WALL, *, substitute: bool = False, time: int = 1_000) -> Harness:
    control = TimeControl(game=time, increment=100, grace=50, clock=kind)
    setup = setup_of(competitor("one", control), competitor("two", control), substitute=substitute)
    return begun(Harness(setup))


def answer(harness: Harness, ms: float, cpu: float = 0, wait: float = 0, lag: float = 0) -> None:
    """White answers after so many ms, having computed and waited for some of them."""
    harness.now += int(ms * MS)
    harness.bots[WHITE].cpu += int(cpu * MS)
    harness.bots[WHITE].wait += int(wait * MS)
    harness.say(WHITE, "move D1", int(lag * MS))


# An answer that came late.


@pytest.mark.parametrize(
    "ms, cpu, wait, lag, code",
    [
        (1_050, 0, 0, 0, None),
        (1_051, 0, 0, 0, Code.LATE),
        (1_051, 0, 1, 0, Code.MACHINE_LATE),
        (1_080, 0, 29, 0, Code.LATE),
        (1_080, 0, 30, 0, Code.MACHINE_LATE),
        (1_080, 1_050, 30, 0, Code.MACHINE_LATE),
        (1_080, 1_051, 30, 0, Code.LATE),
        (1_080, 1_080, 900, 0, Code.LATE),
        (1_080, 4_000, 4_000, 0, Code.LATE),
        (1_080, 0, 0, 30, None),
        (1_080, 0, 0, 29, Code.LATE),
        (1_080, 1_080, 0, 30, Code.LATE),
        (9_000, 1_000, 8_000, 0, Code.MACHINE_LATE),
        (9_000, 1_000, 7_949, 0, Code.LATE),
    ],
)
def test_an_answer(ms: int, cpu: int, wait: int, lag: int, code: Code | None) -> None:
    """In time, late, or late by no more than the machine may have taken; the arbiter's own part is free."""
    harness = game()
    answer(harness, ms, cpu, wait, lag)
    if code is None:
        assert harness.plies == ["D1"]
        assert not harness.referee.is_over
        return
    assert harness.referee.is_over
    assert harness.plies == []
    assert harness.fault.code is code
    assert harness.outcome == (("*", "void") if code is Code.MACHINE_LATE else ("0-1", "timeout"))


def test_the_facts_of_a_contest() -> None:
    harness = game()
    answer(harness, 1_100, cpu=40, wait=70)
    assert harness.fault.facts == {
        "used": 1_100 * MS, "over": 50 * MS, "limit": LIMIT * MS, "side": "white", "machine": 70 * MS,
    }  # fmt: skip
    assert harness.result().offender is None


@pytest.mark.parametrize("kind", [ClockKind.FAIR, ClockKind.CPU])
def test_clocks_that_do_not_charge_waiting(kind: ClockKind) -> None:
    harness = game(kind)
    answer(harness, 3_000, cpu=500, wait=2_500)
    assert harness.plies == ["D1"]
    assert harness.referee.records[0].used == 500 * MS


@pytest.mark.parametrize("kind", [ClockKind.FAIR, ClockKind.CPU])
def test_they_are_no_excuse_either(kind: ClockKind) -> None:
    harness = game(kind)
    answer(harness, 4_000, cpu=1_051, wait=2_949)
    assert harness.codes == {WHITE: Code.LATE}


def test_the_backstop_of_a_cpu_clock() -> None:
    """Three times the allowance and a second, in elapsed time; waiting excuses that."""
    in_time, late, excused = game(ClockKind.CPU), game(ClockKind.CPU), game(ClockKind.CPU)
    answer(in_time, 4_000)
    assert in_time.plies == ["D1"]
    answer(late, 4_001)
    assert late.codes == {WHITE: Code.LATE}
    answer(excused, 4_001, wait=1)
    assert excused.fault.code is Code.MACHINE_LATE


def test_a_sleeping_bot_runs_into_the_backstop() -> None:
    harness = game(ClockKind.CPU)
    harness.sleep(4_000 * MS)
    assert not harness.referee.is_over
    harness.sleep(20 * MS)
    assert harness.codes == {WHITE: Code.NO_ANSWER}


# No answer yet.


def starve(harness: Harness, ms: int, rate: float = 1.0, step: int = 1) -> None:
    """So many ms in which White gets no core for a part of the time."""
    for _ in range(0, ms, step):
        harness.bots[WHITE].wait += int(rate * step * MS)
        harness.sleep(step * MS)
        if harness.referee.is_over:
            return


def test_a_bot_is_waited_for_as_long_as_the_machine_keeps_it_waiting() -> None:
    harness = game()
    harness.sleep(1_000 * MS)
    starve(harness, 3_000)
    assert not harness.referee.is_over
    harness.say(WHITE, "move D1")
    assert harness.fault.code is Code.MACHINE_LATE
    assert harness.fault.facts["machine"] == 3_000 * MS


def test_and_no_longer() -> None:
    """What it waited before its limit counts as well: so long it may take past it."""
    harness = game()
    starve(harness, 500)
    harness.sleep(550 * MS)
    harness.sleep(499 * MS)
    assert not harness.referee.is_over
    harness.sleep(21 * MS)
    assert harness.codes == {WHITE: Code.NO_ANSWER}
    late_by = harness.now - harness.referee.seats[WHITE].question.stamp - LIMIT * MS
    assert 500 * MS < late_by <= 520 * MS


def test_waiting_half_the_time_excuses_half_of_it() -> None:
    harness = game()
    harness.sleep(LIMIT * MS)
    starve(harness, 1_000, rate=0.5)
    assert harness.codes == {WHITE: Code.NO_ANSWER}


def test_threads_that_wait_for_each_other_excuse_nothing() -> None:
    harness = game()
    harness.bots[WHITE].cpu += 1_060 * MS
    harness.bots[WHITE].wait += 5_000 * MS
    harness.sleep(1_060 * MS)
    assert harness.codes == {WHITE: Code.NO_ANSWER}


ELAPSED = (ClockKind.WALL, ClockKind.FAIR)


@pytest.mark.parametrize("kind", ELAPSED)
@pytest.mark.parametrize("waited", [450, 399])
def test_a_wait_that_lasts_is_judged_when_it_is_over(kind: ClockKind, waited: int) -> None:
    """The kernel tells for how long a thread has waited when it runs again, and not before."""
    harness = game(kind)
    harness.bots[WHITE].ready_since = harness.now + (LIMIT - 10) * MS
    harness.sleep((LIMIT + 400) * MS)
    assert not harness.referee.is_over
    harness.bots[WHITE].wait += waited * MS
    harness.bots[WHITE].ready_since = None
    harness.say(WHITE, "move D1")
    if waited < 400:
        assert harness.codes == {WHITE: Code.LATE}
    elif kind is ClockKind.WALL:
        assert harness.fault.code is Code.MACHINE_LATE
    else:
        assert harness.plies == ["D1"]


@pytest.mark.parametrize("kind", ELAPSED)
def test_who_runs_past_its_limit_is_looked_at_twice(kind: ClockKind) -> None:
    """A thread that is ready may run or wait; at the second look, a millisecond later, it has run."""
    harness = game(kind)
    harness.bots[WHITE].ready_since = RUNNING
    harness.bots[WHITE].cpu += 40 * MS
    harness.sleep(LIMIT * MS + MS // 2)
    assert not harness.referee.is_over
    harness.sleep(MS)
    assert harness.codes == {WHITE: Code.NO_ANSWER}


def test_who_has_computed_all_the_time_is_not() -> None:
    harness = game()
    harness.bots[WHITE].ready_since = RUNNING
    harness.bots[WHITE].cpu += (LIMIT + 1) * MS
    harness.sleep(LIMIT * MS + MS // 2)
    assert harness.codes == {WHITE: Code.NO_ANSWER}


@pytest.mark.parametrize("kind", CHARGING)
def test_a_machine_that_cannot_play_the_game(kind: ClockKind) -> None:
    """Past ten seconds of waiting in one ply, at the first look."""
    harness = game(kind)
    starve(harness, 9_990, step=10)
    assert not harness.referee.is_over
    starve(harness, 1_200, step=10)
    assert harness.outcome == ("*", "void")
    assert harness.fault.code is Code.STARVED
    assert harness.fault.text("side") == "white"
    assert MOST_WAITING < harness.fault.number("machine") <= 11_100 * MS
    assert "void" in " ".join(harness.heard(WHITE))


@pytest.mark.parametrize("kind", CHARGING)
def test_a_machine_that_cannot_play_the_game_is_seen_long_before_the_limit(kind: ClockKind) -> None:
    harness = game(kind, time=600_000)
    starve(harness, 9_990, step=10)
    assert not harness.referee.is_over
    starve(harness, 200, step=10)
    assert harness.fault.code is Code.STARVED


def test_the_other_clock_runs_for_nobody_who_waits() -> None:
    """The idle bot's waiting is no matter."""
    harness = game()
    harness.bots[BLACK].wait += 60 * SECOND
    harness.sleep(1_051 * MS)
    assert harness.codes == {WHITE: Code.NO_ANSWER}


# Who took it.


def play_first_plies(harness: Harness) -> None:
    """One each, so that Black has answered once."""
    harness.say(WHITE, "move E1")
    harness.say(BLACK, "move F1")


@pytest.mark.parametrize("cpu, is_culprit", [(119, False), (120, False), (121, True)])
def test_an_idle_opponent_that_computed(cpu: int, is_culprit: bool) -> None:
    """It is named when it took more than a tenth of a core."""
    harness = game()
    play_first_plies(harness)
    harness.bots[BLACK].cpu += cpu * MS
    answer(harness, 1_200, wait=1_200)
    assert harness.fault.code is Code.MACHINE_LATE
    assert harness.fault.facts.get("culprit") == ("black" if is_culprit else None)
    assert harness.fault.number("culprit_cpu") == (cpu * MS if is_culprit else 0)


@pytest.mark.parametrize("cpu, is_culprit", [(100, False), (101, True)])
def test_an_idle_opponent_that_computed_hardly(cpu: int, is_culprit: bool) -> None:
    """A tenth of a short ply says nothing."""
    control = TimeControl(game=None, move=200, grace=0)
    harness = begun(Harness(setup_of(competitor("one", control), competitor("two", control))))
    play_first_plies(harness)
    harness.bots[BLACK].cpu += cpu * MS
    answer(harness, 300, wait=300)
    assert ("culprit" in harness.fault.facts) is is_culprit


def test_an_opponent_that_computed_before_its_first_turn() -> None:
    """From when it was ready on."""
    harness = game()
    harness.bots[BLACK].cpu += 200 * MS
    answer(harness, 1_200, wait=1_200)
    assert harness.fault.facts.get("culprit") == "black"
    assert harness.fault.number("culprit_cpu") == 200 * MS


def test_an_opponent_that_starved_the_bot() -> None:
    harness = game()
    play_first_plies(harness)
    harness.bots[BLACK].cpu += 9_000 * MS
    starve(harness, 12_000, step=20)
    assert harness.fault.code is Code.STARVED
    assert harness.fault.facts["culprit"] == "black"


def test_what_it_computed_in_its_own_turn_is_no_fault() -> None:
    harness = game()
    harness.say(WHITE, "move E1")
    harness.bots[BLACK].cpu += 700 * MS
    harness.now += 700 * MS
    harness.say(BLACK, "move F1")
    answer(harness, 1_200, wait=1_200)
    assert "culprit" not in harness.fault.facts


# Stalls.


@pytest.mark.parametrize(
    "ms, ran, is_void",
    [
        (5_000, {WHITE: 5_000}, False),
        (5_001, {WHITE: 5_000}, True),
        (5_001, {WHITE: 501}, True),
        (5_001, {WHITE: 500}, False),
        (60_000, {WHITE: 0}, False),
        (60_000, {}, False),
    ],
)
def test_a_stall(ms: int, ran: Mapping[Side, int], is_void: bool) -> None:
    """Nobody loses by one; a bot that computed through a long one had time for nothing."""
    harness = game()
    harness.now += 500 * MS
    harness.stall(ms * MS, {side: cpu * MS for side, cpu in ran.items()})
    assert harness.referee.is_over is is_void
    if is_void:
        assert harness.fault.code is Code.STALLED
        assert harness.outcome == ("*", "void")
        return
    harness.wake()
    answer(harness, 500)
    assert harness.plies == ["D1"]
    assert harness.referee.records[0].used == SECOND


def test_two_stalls_in_one_ply() -> None:
    harness = game()
    for _ in range(2):
        harness.now += 400 * MS
        harness.stall(3_000 * MS)
    answer(harness, 200)
    assert harness.referee.records[0].used == SECOND


def test_a_stall_in_the_opponents_turn_is_none_of_the_next_ply() -> None:
    harness = game()
    harness.stall(3_000 * MS)
    harness.say(WHITE, "move D1")
    harness.now += 1_051 * MS
    harness.say(BLACK, "move E1")
    assert harness.codes == {BLACK: Code.LATE}


def test_a_void_game_says_so() -> None:
    harness = game()
    answer(harness, 1_100, wait=100)
    for side in Side:
        assert harness.heard(side)[-2:] == ["result * white 0 black 0 reason void", "quit"]


def test_bots_that_fail_while_a_contest_is_settled_do_not_lose() -> None:
    """The answer came first; what it was worth is found out meanwhile."""
    harness = game()
    harness.holds_drains = True
    answer(harness, 1_100, wait=100)
    harness.crash(BLACK)
    harness.write(WHITE, b"x" * 65_537)
    harness.read(WHITE)
    harness.drain()
    assert harness.fault.code is Code.MACHINE_LATE
    assert not harness.referee.faults


def test_a_wrong_answer_that_the_machine_made_late_is_void() -> None:
    """Time comes first."""
    harness = game()
    harness.now += 1_100 * MS
    harness.bots[WHITE].wait += 100 * MS
    harness.say(WHITE, "move nonsense")
    assert harness.fault.code is Code.MACHINE_LATE
