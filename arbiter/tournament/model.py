"""The keys of a tournament file: what each may hold, and the JSON Schema made from that.

Every value arrives as text (``nodes`` converts nothing), so the types here read texts. Validators
raise ``ValueError`` with a whole sentence, which ``load`` puts beside its place.

This module imports pydantic, which is slow to start: import it inside the function that needs it.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from arbiter.match.clock import ClockKind, TimeControl
from arbiter.tournament.durations import (
    parse_duration,
    parse_positive_duration,
    split_time_control,
)
from arbiter.tournament.problems import did_you_mean, listed, quoted
from arbiter.tournament.sizes import parse_size

LONGEST_NAME = 64
_YES = frozenset({"true", "yes", "on"})
_NO = frozenset({"false", "no", "off"})
_DIRECTIONS = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def not_available(setting: str, available: str = "") -> str:
    """The sentence for what this version names but does not do."""
    return f"{quoted(setting)} is not available in this version" + (available and f"; available: {available}")


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
        raise ValueError(f"one text is wanted here, not a {'list' if isinstance(value, list) else 'mapping'}")
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


def _elo(value: Any) -> float:
    text = _text(value)
    if not re.fullmatch(r"[-+]?[0-9]{1,5}(\.[0-9]{1,6})?", text):
        raise ValueError(f"{quoted(text)} is not a rating; write it like `1500`")
    return float(text)


def _anchor(value: Any) -> tuple[str, float]:
    if isinstance(value, str):
        return check_name(value), 0.0
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError("an anchor is a bot's name, or one name with its rating: `{greedy: 1500}`")
    ((name, elo),) = value.items()
    return check_name(name), _elo(elo)


def _duration(parse: Callable[[str], int]) -> Callable[[Any], int]:
    return lambda value: parse(_text(value))


def _choice(*available: str, later: tuple[str, ...] = ()) -> tuple[PlainValidator, WithJsonSchema]:
    """One of a few words; ``later`` are words that a later version will know."""

    def validate(value: Any, info: ValidationInfo) -> str:
        if isinstance(value, dict) and value and info.field_name == "openings":
            raise ValueError(not_available(f"openings: {{{next(iter(value))}: …}}", listed(available)))
        word = _text(value)
        if word in later:
            raise ValueError(not_available(f"{info.field_name}: {word}", listed(available)))
        if word not in available:
            hint = did_you_mean(word, (*available, *later)) or f"; available: {listed(available)}"
            raise ValueError(f"`{info.field_name}` cannot be {quoted(word)}{hint}")
        return word

    return PlainValidator(validate), WithJsonSchema({"type": "string", "enum": list(available)})


def _switched_off(value: Any, info: ValidationInfo) -> None:
    if not (isinstance(value, str) and value.casefold() in _NO | {"none"}):
        shown = f"{info.field_name}: {value}" if isinstance(value, str) else str(info.field_name)
        raise ValueError(not_available(shown))


WHOLE = BeforeValidator(_digits)
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

_ISOLATION = ("none", "limits", "jail", "auto")
_Isolation = Annotated[str | None, *_choice(*_ISOLATION)]
_Protocol = Annotated[str | None, *_choice("dvp", "codecup")]


def _or_text(examples: list[str]) -> Callable[[dict[str, Any]], None]:
    """Let the schema of a mapping allow a text in its place."""

    def extend(schema: dict[str, Any]) -> None:
        mapping = dict(schema)
        schema.clear()
        schema.update(
            description=mapping.pop("description", ""),
            anyOf=[{"type": "string", "examples": examples}, mapping],
        )

    return extend


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TimeModel(_Part):
    """A time control: `5s`, `5s + 100ms`, `none`, or a mapping."""

    model_config = ConfigDict(json_schema_extra=_or_text(["5s", "5s + 100ms", "1:30", "none"]))

    game: Annotated[Span | None, Field(description="time for the whole game")] = None
    increment: Annotated[
        SpanOrZero,
        Field(description="added after each ply made in time", json_schema_extra={"default": "0s"}),
    ] = 0
    move: Annotated[Span | None, Field(description="limit of every single ply")] = None
    grace: Annotated[
        SpanOrZero,
        Field(
            description="forgives small overruns; one budget for the game",
            json_schema_extra={"default": "50ms"},
        ),
    ] = 50
    start: Annotated[
        Span, Field(description="limit for starting up", json_schema_extra={"default": "10s"})
    ] = 10_000
    clock: Annotated[str, *_choice(*ClockKind), Field(description="what is charged")] = "wall"

    @model_validator(mode="wrap")
    @classmethod
    def _text_or_mapping(cls, value: Any, handler: Callable[[Any], "TimeModel"]) -> "TimeModel":
        if isinstance(value, str):
            return cls.model_construct(None, **split_time_control(value))
        if not isinstance(value, dict):
            raise ValueError(
                "a time is a text such as `5s + 100ms`, or a mapping such as `{game: 5s, move: 1s}`"
            )
        if "increment" in value and "game" not in value:
            raise ValueError("an `increment` needs a `game` time to add to")
        return handler(value)

    def control(self, stall: int) -> TimeControl:
        return TimeControl(
            self.game, self.increment, self.move, self.grace, self.start, stall, ClockKind(self.clock)
        )


class BotModel(_Part):
    """A bot: a path, a quoted command or `sample:NAME`, or a mapping."""

    model_config = ConfigDict(json_schema_extra=_or_text(["sample:greedy", "./mybot", "python3 mybot.py"]))

    run: Annotated[Command, Field(description="path, command or `sample:NAME`; relative to `dir`")]
    name: Annotated[Name | None, Field(description="shown in tables; default: the program's name")] = None
    build: Annotated[Command | None, Field(description="run once before the first game, in `dir`")] = None
    dir: Annotated[Text, Field(description="working directory, relative to this file")] = "."
    protocol: Annotated[_Protocol, Field(description="the language the bot speaks; default: dvp")] = None
    options: Annotated[dict[OptionName, Text], Field(description="sent to the bot with `setoption`")] = {}
    env: Annotated[
        dict[VariableName, Text], Field(description="environment variables added for this bot")
    ] = {}
    time: Annotated[TimeModel | None, Field(description="this bot's own time control")] = None
    optional: Annotated[Truth, Field(description="left out by name when it cannot play here")] = False
    isolation: Annotated[_Isolation, Field(description="this bot's own isolation level")] = None
    memory: Annotated[Size | None, Field(description="memory of all its processes together")] = None
    disk: Annotated[Size | None, Field(description="what its scratch directory may hold")] = None
    processes: Annotated[
        int | None, Field(ge=1, le=1_000_000, description="processes and threads at a time"), WHOLE
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _text_or_mapping(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"run": value}
        if not isinstance(value, dict):
            raise ValueError("a bot is a text such as `sample:greedy`, or a mapping with `run: …`")
        for key in value:
            if (prefix := key.casefold()) in ("sample", "codecup"):
                run = f"{prefix}:{value[key] if isinstance(value[key], str) else '…'}"
                raise ValueError(f"write {quoted(run if len(value) == 1 else f'run: {run}')}, in one word")
        return value


class TournamentModel(_Part):
    """A DVONN tournament for `arbiter run`."""

    model_config = ConfigDict(title="DVONN tournament")

    tournament: Annotated[Name, Field(description="name; results go to results/NAME beside this file")]
    bots: Annotated[list[BotModel], Field(description="at least two", json_schema_extra={"minItems": 2})]
    format: Annotated[
        str,
        *_choice("round-robin", later=("gauntlet", "swiss", "knockout", "sprt")),
        Field(description="who meets whom"),
    ] = "round-robin"
    rounds: Annotated[
        int, Field(ge=1, le=10_000_000, description="pairs of games every pairing plays"), WHOLE
    ] = 1
    seed: Annotated[
        int | None,
        Field(ge=0, lt=2**63, description="the same seed, the same schedule; drawn when left out"),
        WHOLE,
    ] = None
    time: Annotated[
        TimeModel, Field(description="how long a bot may think", json_schema_extra={"default": "5s"})
    ] = TimeModel.model_construct(game=5_000)
    stall: Annotated[
        Span,
        Field(
            description="longest silence within a ply with `time: none`", json_schema_extra={"default": "5m"}
        ),
    ] = 300_000
    nodes: Annotated[int | None, Field(ge=1, description="search limit told to the bots"), WHOLE] = None
    depth: Annotated[int | None, Field(ge=1, description="search limit told to the bots"), WHOLE] = None
    rules: Annotated[
        str, *_choice("standard", "black-first"), Field(description="who makes the first stack move")
    ] = "standard"
    openings: Annotated[
        str,
        *_choice("empty", later=("random", "balanced", "symmetric")),
        Field(description="how games begin"),
    ] = "empty"
    concurrency: Annotated[int, Field(ge=1, le=1024, description="games at the same time"), WHOLE] = 1
    isolation: Annotated[str, *_choice(*_ISOLATION), Field(description="what holds a bot back")] = "auto"
    on_failure: Annotated[
        str, *_choice("forfeit", "substitute"), Field(description="what a failed bot costs")
    ] = "forfeit"
    max_failures: Annotated[
        int, Field(ge=1, description="failures after which a bot is withdrawn"), WHOLE
    ] = 3
    clock_from: Annotated[
        str, *_choice("first-turn", "spawn"), Field(description="when a CodeCup bot's clock starts")
    ] = "first-turn"
    record: Annotated[str, *_choice("full", "lean"), Field(description="how much of each game is kept")] = (
        "full"
    )
    anchor: Annotated[Anchor | None, Field(description="the bot whose rating is fixed, at 0 or as given")] = (
        None
    )
    suspend_idle: Annotated[Truth, Field(description="stop a bot's processes while its opponent thinks")] = (
        False
    )
    affinity: Annotated[Truth, Field(description="give every game at a time cores of its own")] = False
    reuse: NotYet = None
    ponder: NotYet = None
    challengers: NotYet = None
    best_of: NotYet = None
    sprt: NotYet = None


def tournament_schema() -> dict[str, Any]:
    """The JSON Schema of a tournament file, for editors that complete and check it; draft 2020-12."""
    schema = _tidied(TournamentModel.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _tidied(schema: Any) -> Any:
    """Without what a file cannot hold (null) and without pydantic's titles, which only repeat the keys."""
    if isinstance(schema, list):
        return [_tidied(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    tidied = {key: _tidied(value) for key, value in schema.items() if key != "title"}
    if tidied.get("default", ...) in (None, {}):
        del tidied["default"]
    if "anyOf" in tidied:
        tidied["anyOf"] = [choice for choice in tidied["anyOf"] if choice != {"type": "null"}]
        if len(tidied["anyOf"]) == 1:
            tidied |= tidied.pop("anyOf")[0]
    return tidied
