"""What the values of a tournament file may be: a type for each kind of value.

Every value arrives as text (``nodes`` converts nothing), so the types here read texts. Validators
raise ``ValueError`` with a whole sentence, which ``load`` puts beside its place.

This module imports pydantic, which is slow to start: import it inside the function that needs it.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainValidator, ValidationInfo, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from arbiter.tournament.bots import LONGEST_NAME
from arbiter.tournament.durations import parse_duration, parse_positive_duration
from arbiter.tournament.problems import did_you_mean, listed, quoted
from arbiter.tournament.sizes import parse_size

_YES = frozenset({"true", "yes", "on"})
_NO = frozenset({"false", "no", "off"})
_DIRECTIONS = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def check_name(text: str) -> str:
    """The name without blanks around it. Raises ValueError when it could spoil a table or a message."""
    name = unicodedata.normalize("NFC", text.strip())
    if not name:
        raise ValueError("a name cannot be empty")
    if len(name) > LONGEST_NAME:
        raise ValueError(f"{quoted(name)} is longer than {LONGEST_NAME} characters")
    if any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in _DIRECTIONS for char in name):
        raise ValueError(f"{quoted(name)} holds a line end or a control character")
    return name


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(
            f"one value is wanted here, not a {'list' if isinstance(value, list) else 'mapping'}"
        )
    return value


def _digits(value: Any) -> str:
    text = _text(value)
    if re.fullmatch(r"0[0-9]+", text):
        raise ValueError(f"{quoted(text)} begins with a zero; write `{text.lstrip('0') or '0'}`")
    if re.fullmatch(r"[0-9]{19,}", text):
        raise ValueError(f"{quoted(text)} has too many digits")
    if not re.fullmatch(r"[0-9]+", text):
        raise ValueError(f"{quoted(text)} is not a whole number{'' if text else '; write one'}")
    return text


def _truth(value: Any) -> bool:
    word = _text(value).casefold()
    if word not in _YES | _NO:
        raise ValueError(f"{quoted(_text(value))} is neither `true` nor `false`")
    return word in _YES


def _one_line(value: Any) -> str:
    text = _text(value)
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in text if char != "\t"):
        raise ValueError(f"{quoted(text)} holds a line end or a control character")
    return text


def _option_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise ValueError(f"{quoted(name)} cannot name an option; letters, digits, `_` and `-` can")
    return name


def _variable_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"{quoted(name)} cannot name an environment variable")
    return name


def _command(value: Any) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ValueError("a command is one text, or a list of texts")
    if not value:
        raise ValueError("the command is empty")
    return tuple(value)


def as_elo(value: Any) -> float:
    text = _text(value)
    if not re.fullmatch(r"[-+]?[0-9]{1,5}(\.[0-9]{1,6})?", text):
        raise ValueError(f"{quoted(text)} is not a rating; write it like `1500`")
    return float(text)


def as_difference(value: Any) -> float:
    text = _text(value)
    if not re.fullmatch(r"[-+]?[0-9]{1,3}(\.[0-9]{1,6})?", text):
        raise ValueError(f"{quoted(text)} is not a difference in Elo; write it like `20`")
    return float(text)


def as_chance(value: Any) -> float:
    text = _text(value)
    if not re.fullmatch(r"0?\.[0-9]{1,9}", text) or not 0 < float(text) < 0.5:
        raise ValueError(f"{quoted(text)} is not a chance between 0 and 0.5; write it like `0.05`")
    return float(text)


def as_challengers(value: Any) -> int | tuple[str, ...]:
    if isinstance(value, str) and re.fullmatch(r"[1-9][0-9]{0,5}", value):
        return int(value)
    if isinstance(value, str):
        return (check_name(value),)
    if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
        raise ValueError("challengers are a number, a bot's name or a list of names")
    return tuple(map(check_name, value))


def _anchor(value: Any) -> tuple[str, float]:
    if isinstance(value, str):
        return check_name(value), 0.0
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError("an anchor is a bot's name, or one name with its rating: `{greedy: 1500}`")
    ((name, elo),) = value.items()
    return check_name(name), as_elo(elo)


def _duration(parse: Callable[[str], int]) -> Callable[[Any], int]:
    return lambda value: parse(_text(value))


def choice(*available: str) -> tuple[PlainValidator, WithJsonSchema]:
    """One of a few words."""

    def validate(value: Any, info: ValidationInfo) -> str:
        word = _text(value)
        if word not in available:
            hint = did_you_mean(word, available) or f"; available: {listed(available)}"
            raise ValueError(f"`{info.field_name}` cannot be {quoted(word)}{hint}")
        return word

    return PlainValidator(validate), WithJsonSchema({"type": "string", "enum": list(available)})


def _switched_off(value: Any, info: ValidationInfo) -> None:
    if not (isinstance(value, str) and value.casefold() in _NO | {"none"}):
        shown = f"{info.field_name}: {value}" if isinstance(value, str) else str(info.field_name)
        raise ValueError(f"{quoted(shown)} is not available in this version")


WHOLE = BeforeValidator(_digits)
ELO_SCHEMA = WithJsonSchema({"type": "number"})
CHANCE_SCHEMA = WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5})
_TIME_TEXT = {"type": "string", "examples": ["5s", "500ms", "1:30", "2m"]}
Text = Annotated[str, PlainValidator(_one_line), WithJsonSchema({"type": ["string", "number", "boolean"]})]
Name = Annotated[
    str,
    BeforeValidator(_text),
    AfterValidator(check_name),
    WithJsonSchema({"type": ["string", "number", "boolean"]}),
]
OptionName = Annotated[str, AfterValidator(_option_name)]
VariableName = Annotated[str, AfterValidator(_variable_name)]
Truth = Annotated[bool, PlainValidator(_truth), WithJsonSchema({"type": "boolean"})]
Span = Annotated[int, PlainValidator(_duration(parse_positive_duration)), WithJsonSchema(_TIME_TEXT)]
SpanOrZero = Annotated[int, PlainValidator(_duration(parse_duration)), WithJsonSchema(_TIME_TEXT)]
Size = Annotated[
    int,
    PlainValidator(lambda value: parse_size(_text(value))),
    WithJsonSchema({"type": "string", "examples": ["512M", "2G"]}),
]
Command = Annotated[
    str | tuple[str, ...],
    PlainValidator(_command),
    WithJsonSchema(
        {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
    ),
]
Anchor = Annotated[
    tuple[str, float],
    PlainValidator(_anchor),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "additionalProperties": {"type": "number"},
                    "minProperties": 1,
                    "maxProperties": 1,
                },
            ]
        }
    ),
]
NotYet = Annotated[SkipJsonSchema[None], PlainValidator(_switched_off)]
"""A key that a later version will know; here it may only be switched off."""

ISOLATION = ("none", "limits", "jail", "auto")
Isolation = Annotated[str | None, *choice(*ISOLATION)]
Protocol = Annotated[str | None, *choice("dvp", "codecup")]
