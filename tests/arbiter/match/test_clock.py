"""The clock, case by case in numbers: what a ply cost, what it may cost, whose doing an overrun was."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.match.actions import Drain, Write
from arbiter.match.bot import Bot
from arbiter.match.clock import (
    MOST_WAITING,
    MS,
    Clock,
    ClockKind,
    ClockUse,
    Overrun,
    Reading,
    Spent,
    TimeControl,
    format_ms,
    spent_between,
)
from arbiter.match.game import Competitor, GameSetup
from arbiter.match.referee import Look, Referee
from arbiter.match.seat import Guest
from protocol.rules import Position, Side

SECOND = 1_000 * MS


# What a ply took: T elapsed, S stalled, lag, C computed, W waited; then wall, cpu and wait.

CASES = {
    "nothing": ((0, 0, 0, 0, 0), (0, 0, 0)),
    "thought alone": ((100, 0, 0, 100, 0), (100, 100, 0)),
    "slept alone": ((100, 0, 0, 0, 0), (100, 0, 0)),
    "waited for a core": ((100, 0, 0, 40, 60), (100, 40, 60)),
    "waited, slept and thought": ((100, 0, 0, 40, 30), (100, 40, 30)),
    "two threads waited for each other": ((100, 0, 0, 100, 100), (100, 100, 0)),
    "four threads waited on two cores": ((100, 0, 0, 200, 200), (100, 200, 0)),
    "waits of several threads count once": ((100, 0, 0, 30, 500), (100, 30, 70)),
    "the arbiter was late": ((100, 0, 30, 0, 0), (70, 0, 0)),
    "the arbiter was late, and the bot computed on": ((100, 0, 30, 100, 0), (100, 100, 0)),
    "the arbiter was late, and the bot computed half of it": ((100, 0, 30, 85, 0), (85, 85, 0)),
    "all stalled": ((100, 30, 0, 0, 0), (70, 0, 0)),
    "all stalled, and cpu time can be no more than the rest": ((100, 30, 0, 70, 0), (70, 70, 0)),
    "several cores during a stall are charged up to what was no stall": ((100, 30, 0, 500, 0), (70, 500, 0)),
    "a stall and a lag": ((100, 30, 20, 10, 100), (50, 10, 40)),
    "a lag longer than the ply": ((100, 0, 300, 10, 0), (10, 10, 0)),
    "a stall longer than the ply": ((100, 300, 0, 10, 0), (0, 10, 0)),
    "an answer from before its question": ((-50, 0, 0, 0, 0), (0, 0, 0)),
    "counters that fell": ((100, 0, 0, -5, -5), (100, 0, 0)),
    "a lag below nothing": ((100, 0, -40, 0, 0), (100, 0, 0)),
}


@pytest.mark.parametrize("took, expected", CASES.values(), ids=CASES)
def test_what_a_ply_took(took: tuple[int, int, int, int, int], expected: tuple[int, int, int]) -> None:
    elapsed, stalled, lag, cpu, wait = took
    question = Reading(10 * SECOND, 7_000, 8_000, 0, 9_000)
    answer = Reading(10 * SECOND + elapsed, 7_000 + cpu, 8_000 + wait, lag, 9_000 + stalled)
    assert spent_between(question, answer) == Spent(*expected)


def test_the_lag_of_the_question_is_none_of_the_ply() -> None:
    assert spent_between(Reading(0, lag=500), Reading(100)) == Spent(100)


TIMES = st.integers(0, 400)


@given(TIMES, TIMES, TIMES, TIMES, TIMES, TIMES)
def test_what_is_always_so(elapsed: int, stalled: int, lag: int, cpu: int, wait: int, begun: int) -> None:
    question = Reading(begun, cpu=begun, wait=begun, stalled=begun)
    answer = Reading(begun + elapsed, begun + cpu, begun + wait, lag, begun + stalled)
    spent = spent_between(question, answer)
    awake = max(0, elapsed - stalled)
    arbiters = min(elapsed, lag + stalled)
    assert spent.wall == max(elapsed - arbiters, min(awake, cpu))
    assert spent.wait == min(wait, max(0, elapsed - arbiters - cpu))
    assert spent.cpu == cpu
    assert 0 <= spent.wait <= spent.wall <= elapsed
    assert spent.wait == 0 or spent.wait <= spent.wall - spent.cpu
    assert ClockKind.FAIR.charge(spent) >= min(awake, cpu)
    if cpu >= elapsed:
        assert spent.wait == 0, "who uses a core has nothing to excuse"
    if cpu == 0:
        assert spent.wall <= awake, "a stall is never charged"


@given(TIMES, TIMES, TIMES, TIMES, st.integers(1, 400))
def test_more_delay_never_costs_more(elapsed: int, stalled: int, lag: int, cpu: int, more: int) -> None:
    """For the same ply, whoever was delayed longer is charged no more; stalled time is added to both."""
    before = spent_between(Reading(0), Reading(elapsed, cpu, 0, lag, stalled))
    lagging = spent_between(Reading(0), Reading(elapsed, cpu, 0, lag + more, stalled))
    asleep = spent_between(Reading(0), Reading(elapsed + more, cpu, 0, lag, stalled + more))
    waiting = spent_between(Reading(0), Reading(elapsed + more, cpu, more, lag, stalled))
    assert lagging.wall <= before.wall
    assert asleep.wall == before.wall or stalled > elapsed
    assert ClockKind.FAIR.charge(waiting) <= ClockKind.FAIR.charge(before) or lag + stalled > elapsed - cpu


# What it costs.


def test_what_each_clock_charges() -> None:
    spent = Spent(wall=100, cpu=60, wait=30)
    assert {kind: kind.charge(spent) for kind in ClockKind} == {
        ClockKind.WALL: 100,
        ClockKind.CPU: 60,
        ClockKind.FAIR: 70,
        ClockKind.STILL: 0,
    }


def test_the_limit_is_the_smaller_budget_plus_the_grace() -> None:
    assert Clock(TimeControl(game=1_000, grace=50)).limit == 1_050 * MS
    assert Clock(TimeControl(game=1_000, move=200, grace=50)).limit == 250 * MS
    assert Clock(TimeControl(game=100, move=200, grace=50)).limit == 150 * MS
    assert Clock(TimeControl(game=None, move=200, grace=0)).limit == 200 * MS
    assert Clock(TimeControl(game=None, stall=4_000)).limit == 4_050 * MS


def test_a_ply_in_time_pays_and_gains_its_increment() -> None:
    clock = Clock(TimeControl(game=1_000, increment=100))
    assert clock.charge(300 * MS)
    assert clock.left == 800 * MS
    assert clock.last_charge == 300 * MS


def test_the_increment_never_saves_the_ply_itself() -> None:
    """SPEC: 1000 ms left, increment 500, answer after 1200 ms is lost."""
    clock = Clock(TimeControl(game=1_000, increment=500, grace=50))
    assert clock.overrun(Spent(1_200 * MS)).ns == 150 * MS
    assert not clock.charge(1_200 * MS)
    assert clock.left == 0


def test_the_grace_saves_it() -> None:
    """SPEC: 1000 ms left, grace 50, answer after 1020 ms is fine; the clock stands at 0, then gains."""
    clock = Clock(TimeControl(game=1_000, increment=10, grace=50))
    assert not clock.overrun(Spent(1_020 * MS)).is_late
    assert clock.charge(1_020 * MS)
    assert (clock.left, clock.grace_left) == (10 * MS, 30 * MS)


def test_an_overrun_comes_out_of_the_grace_and_is_never_refilled() -> None:
    clock = Clock(TimeControl(game=100, increment=10, grace=50))
    assert clock.charge(120 * MS)
    assert (clock.left, clock.grace_left) == (10 * MS, 30 * MS)
    assert clock.charge(40 * MS)
    assert (clock.left, clock.grace_left) == (10 * MS, 0)
    assert not clock.charge(10 * MS + 1)


def test_the_limit_itself_is_in_time() -> None:
    control = TimeControl(game=100, grace=50)
    assert Clock(control).charge(150 * MS)
    assert not Clock(control).charge(150 * MS + 1)
    assert not Clock(control).overrun(Spent(150 * MS)).is_late
    assert Clock(control).overrun(Spent(150 * MS + 1)).is_late


def test_a_limit_per_move_leaves_no_debt() -> None:
    """SPEC: movetime 200, 49 plies of 150 ms each are fine."""
    clock = Clock(TimeControl(game=None, move=200, grace=0))
    assert all(clock.charge(150 * MS) for _ in range(49))
    assert clock.left is None
    assert not clock.charge(300 * MS)


def test_what_was_used_is_kept() -> None:
    clock = Clock(TimeControl(game=100, grace=50))
    clock.charge(30 * MS)
    clock.charge(80 * MS)
    use = clock.use(idle_cpu=5)
    assert (use.plies, use.used, use.worst, use.grace, use.idle_cpu) == (2, 110 * MS, 80 * MS, 10 * MS, 5)


CONTROLS = st.builds(
    TimeControl,
    game=st.none() | st.integers(0, 10_000),
    increment=st.integers(0, 500),
    move=st.none() | st.integers(1, 3_000),
    grace=st.integers(0, 200),
    clock=st.sampled_from(ClockKind),
)
NS = st.integers(0, 4_000 * MS)


@given(CONTROLS, st.lists(NS, max_size=60))
def test_time_is_neither_lost_nor_invented(control: TimeControl, plies: list[int]) -> None:
    """In time exactly when within the limit; what was used came from the clock or from the grace."""
    clock = Clock(control)
    for used in plies:
        left, grace, limit = clock.left, clock.grace_left, clock.limit
        in_time = clock.charge(used)
        assert in_time == (used <= limit)
        assert 0 <= clock.grace_left <= grace
        if left is not None and in_time:
            assert clock.left == max(0, left - used) + control.increment * MS
        if left is not None and not in_time:
            assert clock.left == max(0, left - used), "no increment"
        if not in_time:
            return


# Whose doing an overrun was.

LIMIT = 150 * MS


def overrun(kind: ClockKind, wall: int, cpu: int = 0, wait: int = 0) -> Overrun:
    """That of a ply with a limit of 100 ms and 50 ms of grace; numbers in ms."""
    over = Clock(TimeControl(game=100, grace=50, clock=kind)).overrun(Spent(wall * MS, cpu * MS, wait * MS))
    return Overrun(over.ns // MS, over.machine // MS)


@pytest.mark.parametrize(
    "kind, took, over, is_late, is_machines",
    [
        (ClockKind.WALL, (150, 0, 0), (0, 0), False, False),
        (ClockKind.WALL, (151, 0, 0), (1, 0), True, False),
        (ClockKind.WALL, (180, 0, 30), (30, 30), True, True),
        (ClockKind.WALL, (180, 0, 29), (30, 29), True, False),
        (ClockKind.WALL, (140, 0, 100), (-10, 100), False, False),
        (ClockKind.FAIR, (180, 0, 30), (0, 0), False, False),
        (ClockKind.FAIR, (181, 0, 30), (1, 0), True, False),
        (ClockKind.CPU, (449, 150, 100), (0, 0), False, False),
        (ClockKind.CPU, (449, 151, 100), (1, 0), True, False),
        (ClockKind.CPU, (1_300, 0, 0), (0, 0), False, False),
        (ClockKind.CPU, (1_301, 0, 0), (1, 0), True, False),
        (ClockKind.CPU, (1_301, 150, 1), (1, 1), True, True),
        (ClockKind.CPU, (1_303, 150, 2), (3, 2), True, False),
        (ClockKind.STILL, (500_000_000, 0, 0), (-604_800_000 + -50, 0), False, False),
    ],
)
def test_an_overrun(
    kind: ClockKind, took: tuple[int, int, int], over: tuple[int, int], is_late: bool, is_machines: bool
) -> None:
    found = overrun(kind, *took)
    assert found == Overrun(*over)
    assert (found.is_late, found.is_machines) == (is_late, is_machines)


@given(CONTROLS, st.builds(Spent, NS, NS, NS))
def test_a_late_ply_is_one_that_the_clock_would_not_forgive(control: TimeControl, spent: Spent) -> None:
    over = Clock(control).overrun(spent)
    in_time = Clock(control).charge(control.clock.charge(spent))
    assert over.is_late or in_time
    assert not over.is_late or not in_time or control.clock is ClockKind.CPU, "only that has a backstop"
    assert over.is_late or not over.is_machines
    assert over.machine in (0, spent.wait), "the machine is never blamed for more than the waiting"
    assert over.most <= max(0, spent.wall - spent.cpu), "nor could it be for what the bot computed"


@given(CONTROLS, st.builds(Spent, NS, NS, NS))
def test_who_waits_is_patient_for_no_longer_than_the_verdict_stays(
    control: TimeControl, spent: Spent
) -> None:
    clock = Clock(control)
    over, patience = clock.overrun(spent), clock.patience(spent)
    assert patience > 0
    if over.is_late:
        assert patience <= 20 * MS, "a bot that still waits is looked at often"
        return
    later = Spent(spent.wall + patience + 1, spent.cpu, spent.wait)
    to_starvation = max(MS // 5, MOST_WAITING - spent.wait)
    assert patience <= to_starvation, "the machine is not waited for"
    if control.clock in (ClockKind.WALL, ClockKind.FAIR) and patience < to_starvation:
        assert clock.overrun(later).ns == max(1, over.ns + patience + 1)
    if control.clock is ClockKind.CPU:
        assert patience <= 20 * MS, "several cores use CPU time up faster than time passes"


@given(CONTROLS)
def test_the_first_look_is_when_patience_ends(control: TimeControl) -> None:
    clock = Clock(control)
    assert clock.first_look == clock.patience(Spent())


def test_patience() -> None:
    clock = Clock(TimeControl(game=100, grace=50))
    assert clock.patience(Spent()) == 150 * MS
    assert clock.patience(Spent(149 * MS)) == MS
    assert clock.patience(Spent(150 * MS)) == 1
    assert clock.patience(Spent(160 * MS, 0, 15 * MS)) == 5 * MS, "until the waiting would not excuse it"
    assert clock.patience(Spent(160 * MS, 0, 90 * MS)) == 20 * MS
    assert clock.patience(Spent(160 * MS, 0, 10 * MS)) == MS // 5


def test_how_time_controls_are_written() -> None:
    assert str(TimeControl(game=5_000, increment=100)) == "5s + 100ms"
    assert str(TimeControl(game=120_000, move=1_500)) == "2m, move 1500ms"
    assert str(TimeControl(game=None)) == "none"
    assert TimeControl(game=1_500).header == "1500+0"
    assert TimeControl(game=None, move=200).header == "movetime:200"
    assert TimeControl(game=None).header == "-"
    assert [format_ms(ms) for ms in (0, 1, 1_000, 60_000, 61_000, 1_500)] == [
        *("0s", "1ms", "1s", "1m", "61s", "1500ms")
    ]


def test_what_a_bot_waited_for_a_core_is_summed_up_with_the_time_it_took() -> None:
    clock = Clock(TimeControl())
    clock.charge(3 * MS, Spent(wall=5 * MS, wait=2 * MS))
    clock.charge(4 * MS, Spent(wall=4 * MS))
    clock.charge(1 * MS)  # by hand, so that nothing is known of it
    assert clock.use(9) == ClockUse(3, 8 * MS, 4 * MS, 0, 9, elapsed=9 * MS, waited=2 * MS)


def answered(referee: Referee, text: str, reading: Reading) -> None:
    """Do what the referee wants at time 0, then let White answer."""
    while referee.actions:
        match referee.actions.popleft():
            case Write(side, _, True):
                referee.asked(side, Reading(0))
            case Drain(ticket):
                referee.drained(ticket, {side: Look(reading) for side in Side})
    referee.answered(Side.WHITE, text, reading)


@pytest.mark.parametrize("kind", [ClockKind.WALL, ClockKind.FAIR])
def test_the_referee_sums_up_what_every_ply_took(tmp_path: Path, kind: ClockKind) -> None:
    """Also with a clock that does not charge all of it."""
    player = Competitor(Bot("a", ("true",), tmp_path), TimeControl(clock=kind))
    setup = GameSetup(player, player, Position.start())
    referee = Referee(setup, dict.fromkeys(Side, Guest))
    referee.spawned(Side.WHITE, 0)
    answered(referee, "A1", Reading(40 * MS, cpu=10 * MS, wait=25 * MS, lag=2 * MS))
    use = referee.seats[Side.WHITE].clock_use()
    assert (use.plies, use.elapsed, use.waited) == (1, 38 * MS, 25 * MS)
    assert use.used == (38 if kind is ClockKind.WALL else 13) * MS
