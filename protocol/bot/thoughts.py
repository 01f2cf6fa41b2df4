"""What a bot tells of its thinking, as lines; what the language has no form for is left out and named.

The arbiter skips what it cannot read and says nothing, since a bot may be busy. So it is told here.
"""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite, nan

from protocol.bot.options import NAME
from protocol.rules import Ply, parse_ply

_DIGITS = 18
_LONGEST = 32
_MOST = 32
_REAL = "score"
_WIDEST = 60


class Thoughts:
    """The ``lines`` for some values by key, a line of play, a text, metrics; what is None is not told.

    ``faults`` says what was left out and why, by what it is: a value that is no number or no ply, a name
    that is none.

    >>> Thoughts({"depth": 3, "nodes": None, "score": 1.5}, pv=["A1B1"], metrics={"cuts": 0.25}).lines
    ['info depth 3 score 1.5 x-cuts 0.25 pv A1B1']
    >>> thoughts = Thoughts({"depth": 3, "score": float("nan")})
    >>> thoughts.lines, thoughts.faults
    (['info depth 3'], {'score': 'info: score is nan, where a finite number below 1e18 is expected'})
    """

    def __init__(
        self,
        values: Mapping[str, object],
        currmove: object = None,
        pv: object = (),
        string: object = "",
        metrics: object = None,
    ) -> None:
        self.faults: dict[str, str] = {}
        words = ["info"]
        for key, value in values.items():
            if value is not None:
                words += self._told(key, _value, key, value)
        if currmove is not None:
            words += self._told("currmove", _current, currmove)
        words += self._metrics(metrics)
        words += self._told("pv", _line_of_play, pv)
        self.lines = [" ".join(words)] if len(words) > 1 else []
        if text := " ".join(str(string).split()):
            self.lines.append(f"info string {text}")

    def _told(self, what: str, tell: Callable[..., list[str]], *values: object) -> list[str]:
        """The words for values, or none and a fault."""
        try:
            return tell(*values)
        except ValueError as error:
            self.faults[what] = str(error)
            return []

    def _metrics(self, metrics: object) -> list[str]:
        if metrics is None:
            return []
        if not isinstance(metrics, Mapping):
            self.faults["metrics"] = f"info: metrics is {_shown(metrics)}, where numbers by name are expected"
            return []
        words: list[str] = []
        for name, value in list(metrics.items())[:_MOST]:
            words += self._told(f"the metric {name}", _metric, name, value)
        if len(metrics) > _MOST:
            self.faults["metrics"] = f"info: there are {len(metrics)} metrics; {_MOST} can be told at a time"
        return words


def _metric(name: object, value: object) -> list[str]:
    if not isinstance(name, str) or len(name) > _LONGEST or not NAME.fullmatch(name):
        form = f"letters, digits, _ and - only, at most {_LONGEST}"
        raise ValueError(f"info: the name of a metric has {form}: {_shown(name)}")
    return [f"x-{name}", _real(f"the metric {name}", value)]


def _line_of_play(pv: object) -> list[str]:
    if not isinstance(pv, Iterable):
        raise ValueError(f"info: pv is {_shown(pv)}, where plies are expected")
    plies = [_ply("pv", each) for each in pv]
    return ["pv", *plies] if plies else []


def _current(ply: object) -> list[str]:
    return ["currmove", _ply("currmove", ply)]


def _value(key: str, value: object) -> list[str]:
    if key == _REAL:
        return [key, _real(key, value)]
    text = _number(value)
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise ValueError(f"info: {key} is {_shown(value)}, where a whole number from 0 up is expected")
    return [key, text]


def _real(what: str, value: object) -> str:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = nan
    if not (isfinite(number) and abs(number) < 10**_DIGITS):
        expected = f"a finite number below 1e{_DIGITS} is expected"
        raise ValueError(f"info: {what} is {_shown(value)}, where {expected}")
    return _number(number)


def _number(value: object) -> str:
    """A number without an exponent; anything else as it is."""
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return str(value)


def _ply(what: str, ply: object) -> str:
    if isinstance(ply, Ply):
        return ply.text
    if not isinstance(ply, str):
        raise ValueError(f"info: {what}: {_shown(ply)} is not a ply")
    try:
        return parse_ply(ply).text
    except ValueError as error:
        raise ValueError(f"info: {what}: {error}") from None


def _shown(value: object) -> str:
    """A foreign value on one line and in bounds."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}..."
