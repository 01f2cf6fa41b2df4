"""Times and sizes as people write them: ``5s``, ``500ms``, ``1:30``, ``5s + 100ms``, ``512M``."""

import re
from fractions import Fraction
from typing import Literal, TypedDict

from arbiter.match.clock import TimeControl
from arbiter.tournament.problems import ConfigurationError, quoted

_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}
_LONGEST = 7 * 24 * _UNITS["h"]
_NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,12})?"
_DURATION = re.compile(rf"({_NUMBER}) *(ms|s|m|h)")
_MINUTES_SECONDS = re.compile(r"([0-9]{1,6}):([0-5][0-9])")
_SIZES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(rf"({_NUMBER}) *([KMGT])(?:i?B)?")
_EXAMPLES = "`5s`, `500ms`, `1:30`, `2m`, `1h`"

_REMEDIES = {
    r"[-−].*": "is negative; a time cannot be",
    r"0+(?:\.0+)?": "needs a unit, such as `0s`",
    rf"({_NUMBER})": "needs a unit: `{0}s` or `{0}ms`",
    r"(\.[0-9]+)": "needs a digit before the point and a unit: `0{0}s`",
    r"(\.[0-9]+) *(ms|s|m|h)": "needs a digit before the point: `0{0}{1}`",
    r"([0-9]+),([0-9]+)": "has a comma; write a point and a unit: `{0}.{1}s`",
    r"([0-9]+),([0-9]+) *(ms|s|m|h)": "has a comma; write a point: `{0}.{1}{2}`",
    rf"{_NUMBER}[eE][-+]?[0-9]+.*": f"has an exponent; write the number out, with a unit: {_EXAMPLES}",
    r"[0-9]+:[0-9]{1,2}": "is not minutes:seconds; seconds have two digits, at most 59: `1:30`",
    rf"{_NUMBER} *[^\W\d_]+": "has an unknown unit; units are `ms`, `s`, `m` and `h`, written small",
}
"""What people write for a time that is none, and what to tell them; the first pattern that fits counts."""


class TimeFields(TypedDict):
    """The fields of TimeControl that a text decides, in milliseconds."""

    game: int | None
    increment: int
    move: int | None


class DurationError(ConfigurationError):
    """The text is no time or no size."""


def parse_duration(text: str) -> int:
    """Milliseconds of a time: a number with a unit (ms, s, m, h), or minutes:seconds.

    Raises DurationError for everything else, for less than a whole millisecond and for more than a week.
    """
    text = text.strip()
    if minutes := _MINUTES_SECONDS.fullmatch(text):
        ms = Fraction(int(minutes[1]) * 60_000 + int(minutes[2]) * 1_000)
    elif match := _DURATION.fullmatch(text):
        ms = Fraction(match[1]) * _UNITS[match[2]]
    else:
        raise DurationError(_why_no_duration(text))
    if ms.denominator != 1:
        raise DurationError(f"{quoted(text)} is not a whole number of milliseconds")
    if ms > _LONGEST:
        raise DurationError(f"{quoted(text)} is more than a week")
    return int(ms)


def parse_positive_duration(text: str) -> int:
    """Like ``parse_duration``, but zero is refused."""
    zero = re.fullmatch(r"\s*0+(\.0+)?\s*", text)
    ms = 0 if zero else parse_duration(text)
    if ms == 0:
        raise DurationError(f"{quoted(text.strip())} is no time at all; the shortest is `1ms`")
    return ms


def parse_time_control(text: str) -> TimeControl:
    """Read ``5s``, ``5s + 100ms`` (game and increment), ``move 1s``, both joined by a comma, or ``none``.

    Raises DurationError.
    """
    return TimeControl(**split_time_control(text))


def split_time_control(text: str) -> TimeFields:
    """Read the same, and give only the fields that the text decides. Raises DurationError."""
    fields = TimeFields(game=None, increment=0, move=None)
    if text.strip() == "none":
        return fields
    for part in re.split(r",\s+|,(?=\s*move\b)", text):
        word, _, rest = part.strip().partition(" ")
        key: Literal["game", "move"] = "move" if word == "move" else "game"
        if fields[key] is not None:
            raise DurationError(f"{quoted(text)} gives the {key} time twice")
        if key == "move":
            fields["move"] = parse_positive_duration(rest)
        else:
            game, plus, increment = part.partition("+")
            fields["game"] = parse_positive_duration(game)
            fields["increment"] = parse_duration(increment) if plus else 0
    return fields


def parse_size(text: str) -> int:
    """Bytes of a size such as ``512M`` or ``2G``; K, M, G and T are powers of 1024. Raises DurationError."""
    match = _SIZE.fullmatch(text.strip())
    size = Fraction(match[1]) * _SIZES[match[2]] if match else Fraction(0)
    if size < 1 or size.denominator != 1:
        raise DurationError(f"{quoted(text)} is not a size; write it like `512M` or `2G`")
    return int(size)


def _why_no_duration(text: str) -> str:
    """Say what is wrong with a text that is no time, and what to write instead."""
    if not text:
        return f"a time is missing; write it like {_EXAMPLES}"
    for pattern, remedy in _REMEDIES.items():
        if match := re.fullmatch(pattern, text):
            return f"{quoted(text)} {remedy.format(*match.groups())}"
    return f"{quoted(text)} is not a time; write it like {_EXAMPLES}"
