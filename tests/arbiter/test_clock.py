"""The clock, case by case in numbers."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.match.actions import Drain, Write
from arbiter.match.bot import Bot
from arbiter.match.clock import MS, Clock, ClockKind, ClockUse, Reading, Spent, TimeControl, format_ms
from arbiter.match.game import Competitor, GameSetup
from arbiter.match.referee import Look, Referee
from arbiter.match.seat import Guest
from protocol.rules import Position, Side


def test_the_limit_is_the_smaller_budget_plus_the_grace() -> None:
    assert Clock(TimeControl(game=1_000, grace=50)).limit == 1_050 * MS
    assert Clock(TimeControl(game=1_000, move=200, grace=50)).limit == 250 * MS
    assert Clock(TimeControl(game=None, move=200, grace=0)).limit == 200 * MS
    assert Clock(TimeControl(game=None, stall=4_000)).limit == 4_050 * MS


def test_a_ply_in_time_pays_and_gains_its_increment() -> None:
    clock = Clock(TimeControl(game=1_000, increment=100))
    assert clock.charge(300 * MS)
    assert clock.left == 800 * MS
    assert clock.last_charge == 300 * MS


def test_the_increment_never_saves_the_ply_itself() -> None:
    clock = Clock(TimeControl(game=1_000, increment=500, grace=50))
    assert not clock.charge(1_200 * MS)
    assert clock.left == 0


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


def test_a_limit_per_move_leaves_no_debt() -> None:
    clock = Clock(TimeControl(game=None, move=200, grace=0))
    assert all(clock.charge(150 * MS) for _ in range(49))
    assert clock.left is None
    assert not clock.charge(300 * MS)


@given(
    st.builds(
        TimeControl,
        game=st.none() | st.integers(0, 10_000),
        increment=st.integers(0, 500),
        move=st.none() | st.integers(1, 3_000),
        grace=st.integers(0, 200),
    ),
    st.lists(st.integers(0, 4_000 * MS), max_size=60),
)
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
        if not in_time:
            return


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
