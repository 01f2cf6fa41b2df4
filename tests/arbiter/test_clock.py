"""The clock, case by case in numbers."""

from hypothesis import given
from hypothesis import strategies as st

from arbiter.match.clock import MS, Clock, TimeControl, format_ms


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
