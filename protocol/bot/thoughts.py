"""What a bot tells of its thinking, as lines; what the language has no form for is refused.

The arbiter skips what it cannot read and says nothing, since a bot may be busy. So it is told here.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite, nan

from protocol.bot.options import NAME
from protocol.rules import Ply, parse_ply

_DIGITS = 18
_LONGEST = 32
_MOST = 32
_REAL = "score"


def info_lines(
    values: Mapping[str, object],
    currmove: Ply | str | None = None,
    pv: Iterable[Ply | str] = (),
    string: str = "",
    metrics: Mapping[str, float] | None = None,
) -> list[str]:
    """The lines for some values by key (those that are None are left out), a line of play, a text, metrics.

    >>> info_lines({"depth": 3, "nodes": None, "score": 1.5}, pv=["A1B1"], metrics={"cuts": 0.25})
    ['info depth 3 score 1.5 x-cuts 0.25 pv A1B1']

    :raises ValueError: a value is no number or no ply, or a name is none.
    """
    words = [word for key, value in values.items() if value is not None for word in (key, _value(key, value))]
    if currmove is not None:
        words += ["currmove", _ply("currmove", currmove)]
    words += _metrics(metrics or {})
    if line := [_ply("pv", each) for each in pv]:
        words += ["pv", *line]
    lines = [" ".join(["info", *words])] if words else []
    if text := " ".join(string.split()):
        lines.append(f"info string {text}")
    return lines


def _metrics(metrics: Mapping[str, float]) -> Iterator[str]:
    if len(metrics) > _MOST:
        raise ValueError(f"info: there are {len(metrics)} metrics; {_MOST} can be told at a time")
    for name, value in metrics.items():
        if len(name) > _LONGEST or not NAME.fullmatch(name):
            raise ValueError(
                f"info: the name of a metric has letters, digits, _ and - only, at most {_LONGEST}: {name!r}"
            )
        yield f"x-{name}"
        yield _real(f"the metric {name}", value)


def _value(key: str, value: object) -> str:
    if key == _REAL:
        return _real(key, value)
    text = _number(value)
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise ValueError(f"info: {key} is {value!r}, where a whole number from 0 up is expected")
    return text


def _real(what: str, value: object) -> str:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = nan
    if not (isfinite(number) and abs(number) < 10**_DIGITS):
        raise ValueError(f"info: {what} is {value!r}, where a finite number below 1e{_DIGITS} is expected")
    return _number(number)


def _number(value: object) -> str:
    """A number without an exponent; anything else as it is."""
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return str(value)


def _ply(what: str, ply: Ply | str) -> str:
    if isinstance(ply, Ply):
        return ply.text
    try:
        return parse_ply(ply).text
    except (TypeError, ValueError) as error:
        raise ValueError(f"info: {what}: {error}") from None
