"""Times and sizes: what is accepted, with its value, and what is refused, with its remedy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.match.clock import TimeControl, format_ms
from arbiter.tournament.durations import (
    DurationError,
    parse_duration,
    parse_positive_duration,
    parse_size,
    parse_time_control,
)


@pytest.mark.parametrize(
    "text, ms",
    [
        ("5s", 5_000),
        ("500ms", 500),
        ("1:30", 90_000),
        ("2m", 120_000),
        ("1h", 3_600_000),
        ("1.5s", 1_500),
        ("0.5s", 500),
        ("0.001s", 1),
        (" 5 s ", 5_000),
        ("0ms", 0),
        ("0:05", 5_000),
        ("168h", 604_800_000),
    ],
)
def test_accepted_times(text: str, ms: int) -> None:
    assert parse_duration(text) == ms


@pytest.mark.parametrize(
    "text, message",
    [
        ("5", "`5` needs a unit: `5s` or `5ms`"),
        ("0", "`0` needs a unit, such as `0s`"),
        ("-1", "`-1` is negative; a time cannot be"),
        ("-1s", "`-1s` is negative; a time cannot be"),
        (".5", "`.5` needs a digit before the point and a unit: `0.5s`"),
        (".5s", "`.5s` needs a digit before the point: `0.5s`"),
        (
            "1e3",
            "`1e3` has an exponent; write the number out, with a unit: `5s`, `500ms`, `1:30`, `2m`, `1h`",
        ),
        ("nan", "`nan` is not a time; write it like `5s`, `500ms`, `1:30`, `2m`, `1h`"),
        ("inf", "`inf` is not a time; write it like `5s`, `500ms`, `1:30`, `2m`, `1h`"),
        ("5,5", "`5,5` has a comma; write a point and a unit: `5.5s`"),
        ("5,5s", "`5,5s` has a comma; write a point: `5.5s`"),
        ("", "a time is missing; write it like `5s`, `500ms`, `1:30`, `2m`, `1h`"),
        ("5S", "`5S` has an unknown unit; units are `ms`, `s`, `m` and `h`, written small"),
        ("5 min", "`5 min` has an unknown unit; units are `ms`, `s`, `m` and `h`, written small"),
        ("1:5", "`1:5` is not minutes:seconds; seconds have two digits, at most 59: `1:30`"),
        ("1:75", "`1:75` is not minutes:seconds; seconds have two digits, at most 59: `1:30`"),
        ("0.5ms", "`0.5ms` is not a whole number of milliseconds"),
        ("1.0005s", "`1.0005s` is not a whole number of milliseconds"),
        ("169h", "`169h` is more than a week"),
        ("٥s", "`٥s` is not a time; write it like `5s`, `500ms`, `1:30`, `2m`, `1h`"),
    ],
)
def test_refused_times(text: str, message: str) -> None:
    with pytest.raises(DurationError) as caught:
        parse_duration(text)
    assert str(caught.value) == message


def test_zero_is_refused_where_time_is_needed() -> None:
    with pytest.raises(DurationError, match="`0s` is no time at all; the shortest is `1ms`"):
        parse_positive_duration("0s")
    assert parse_positive_duration("1ms") == 1


@pytest.mark.parametrize(
    "text, control",
    [
        ("5s", TimeControl(5_000)),
        ("5s + 100ms", TimeControl(5_000, 100)),
        ("5s+100ms", TimeControl(5_000, 100)),
        ("1:30 + 0s", TimeControl(90_000, 0)),
        ("move 200ms", TimeControl(None, 0, 200)),
        ("5s + 100ms, move 1s", TimeControl(5_000, 100, 1_000)),
        ("none", TimeControl(None)),
    ],
)
def test_time_controls(text: str, control: TimeControl) -> None:
    assert parse_time_control(text) == control


@pytest.mark.parametrize(
    "text, message",
    [
        ("5+0.1", "`5` needs a unit: `5s` or `5ms`"),
        ("5s + 0.1", "`0.1` needs a unit: `0.1s` or `0.1ms`"),
        ("5s +", "a time is missing; write it like `5s`, `500ms`, `1:30`, `2m`, `1h`"),
        ("0s", "`0s` is no time at all; the shortest is `1ms`"),
        ("0", "`0` is no time at all; the shortest is `1ms`"),
        ("5s + 0", "`0` needs a unit, such as `0s`"),
        ("5,5", "`5,5` has a comma; write a point and a unit: `5.5s`"),
        ("5s, 6s", "`5s, 6s` gives the game time twice"),
        ("move 1s, move 2s", "`move 1s, move 2s` gives the move time twice"),
        ("move", "a time is missing; write it like `5s`, `500ms`, `1:30`, `2m`, `1h`"),
        ("5s + -1s", "`-1s` is negative; a time cannot be"),
        ("40/60s", "`40/60s` is not a time; write it like `5s`, `500ms`, `1:30`, `2m`, `1h`"),
    ],
)
def test_refused_time_controls(text: str, message: str) -> None:
    with pytest.raises(DurationError) as caught:
        parse_time_control(text)
    assert str(caught.value) == message


@given(st.integers(0, 604_800_000))
def test_what_is_shown_is_read_back(ms: int) -> None:
    assert parse_duration(format_ms(ms)) == ms


@given(
    st.builds(
        TimeControl,
        game=st.none() | st.integers(1, 10**8),
        increment=st.just(0),
        move=st.none() | st.integers(1, 10**8),
    )
)
def test_a_shown_time_control_is_read_back(control: TimeControl) -> None:
    assert parse_time_control(str(control)) == control


@given(st.text(max_size=20) | st.text("0123456789.,:+-smhe ", max_size=12))
def test_any_other_text_is_refused_in_words(text: str) -> None:
    try:
        parse_time_control(text)
    except DurationError as error:
        message = str(error)
        assert "\n" not in message
        assert message[0] in "`a"


@pytest.mark.parametrize(
    "text, size", [("512M", 512 * 2**20), ("2G", 2**31), ("1.5K", 1536), ("64MiB", 2**26)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["512", "0M", "-1M", "M", "0.3K", "1e3M", "512m"])
def test_refused_sizes(text: str) -> None:
    with pytest.raises(DurationError, match="is not a size; write it like `512M` or `2G`"):
        parse_size(text)
