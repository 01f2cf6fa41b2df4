"""The keys of a tournament file, and the JSON Schema made from them.

This module imports pydantic, which is slow to start: import it inside the function that needs it.
"""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema, model_validator

from arbiter.match.clock import CHARGING, ClockKind, TimeControl
from arbiter.rating.sprt import Sprt
from arbiter.tournament.config import MOST_PAIRS, SprtSettings
from arbiter.tournament.durations import split_time_control
from arbiter.tournament.fields import (
    CHANCE_SCHEMA,
    ELO_SCHEMA,
    ISOLATION,
    WHOLE,
    Anchor,
    Command,
    Isolation,
    Name,
    NotYet,
    OptionName,
    Protocol,
    Size,
    Span,
    SpanOrZero,
    Text,
    Truth,
    VariableName,
    as_challengers,
    as_chance,
    as_difference,
    as_elo,
    choice,
)
from arbiter.tournament.openings.spec import KIND_WORDS, ORDERS, Kind, OpeningsSpec
from arbiter.tournament.problems import did_you_mean, listed, quoted


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
    clock: Annotated[str, *choice(*CHARGING), Field(description="what is charged")] = "wall"

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
    protocol: Annotated[Protocol, Field(description="the language the bot speaks; default: dvp")] = None
    options: Annotated[dict[OptionName, Text], Field(description="sent to the bot with `setoption`")] = {}
    env: Annotated[
        dict[VariableName, Text], Field(description="environment variables added for this bot")
    ] = {}
    time: Annotated[TimeModel | None, Field(description="this bot's own time control")] = None
    rating: Annotated[
        float | None,
        PlainValidator(as_elo),
        WithJsonSchema({"type": "number"}),
        Field(description="for the seeding of a knockout"),
    ] = None
    optional: Annotated[Truth, Field(description="left out by name when it cannot play here")] = False
    isolation: Annotated[Isolation, Field(description="this bot's own isolation level")] = None
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


class SprtModel(_Part):
    """The hypotheses of an SPRT match, in Elo, and how often the test may err."""

    elo0: Annotated[float, PlainValidator(as_difference), ELO_SCHEMA, Field(description="no better")] = 0.0
    elo1: Annotated[float, PlainValidator(as_difference), ELO_SCHEMA, Field(description="better")] = 50.0
    alpha: Annotated[
        float, PlainValidator(as_chance), CHANCE_SCHEMA, Field(description="chance to accept elo1 wrongly")
    ] = 0.05
    beta: Annotated[
        float, PlainValidator(as_chance), CHANCE_SCHEMA, Field(description="chance to accept elo0 wrongly")
    ] = 0.05
    model: Annotated[
        str, *choice("logistic", "normalized"), Field(description="what the hypotheses are about")
    ] = "logistic"
    max_pairs: Annotated[
        int, Field(ge=1, le=MOST_PAIRS, description="the match ends undecided after so many pairs"), WHOLE
    ] = MOST_PAIRS

    @model_validator(mode="after")
    def _is_a_test(self) -> "SprtModel":
        self.settings()
        return self

    def settings(self) -> SprtSettings:
        if self.elo0 >= self.elo1:
            raise ValueError(
                f"`elo0` has to be less than `elo1`, and {self.elo0:g} is not less than {self.elo1:g}"
            )
        model: Any = self.model
        return SprtSettings(Sprt(self.elo0, self.elo1, self.alpha, self.beta, model), self.max_pairs)


class OpeningsModel(_Part):
    """Where games start: a kind of full boards, or a file of positions or games."""

    model_config = ConfigDict(json_schema_extra=_or_text(list(KIND_WORDS)))

    file: Annotated[Text, Field(description="DREC records or DPOS lines, relative to this file")] = ""
    order: Annotated[str, *choice(*ORDERS), Field(description="as in the file, or shuffled by the seed")] = (
        "listed"
    )
    _kind: Kind = "empty"

    @model_validator(mode="wrap")
    @classmethod
    def _text_or_mapping(cls, value: Any, handler: Callable[[Any], "OpeningsModel"]) -> "OpeningsModel":
        if isinstance(value, str):
            return cls._of_kind(value)
        if not isinstance(value, dict):
            raise ValueError(
                f"openings are one of {listed(KIND_WORDS)}, or a mapping such as `{{file: book.drec}}`"
            )
        if not value.get("file"):
            raise ValueError("a mapping under `openings` names a `file`")
        model = handler(value)
        model._kind = "file"
        return model

    @classmethod
    def _of_kind(cls, word: str) -> "OpeningsModel":
        kind = next((kind for kind in KIND_WORDS if kind == word), None)
        if kind is None:
            hint = did_you_mean(word, KIND_WORDS) or f"; available: {listed(KIND_WORDS)}"
            if "." in word or "/" in word:
                hint = f"; a file is written `openings: {{file: {word}}}`"
            raise ValueError(f"`openings` cannot be {quoted(word)}{hint}")
        model = cls.model_construct()
        model._kind = kind
        return model

    def spec(self) -> OpeningsSpec:
        order: Any = self.order
        return OpeningsSpec(self._kind, self.file or None, order)


MOST_BOTS = 1000
"""Half a million pairings: more would take longer to draw up than anybody waits."""


class TournamentModel(_Part):
    """A DVONN tournament for `arbiter run`."""

    model_config = ConfigDict(title="DVONN tournament")

    tournament: Annotated[Name, Field(description="name; results go to results/NAME beside this file")]
    bots: Annotated[
        list[BotModel],
        Field(description="at least two", max_length=MOST_BOTS, json_schema_extra={"minItems": 2}),
    ]
    format: Annotated[
        str,
        *choice("round-robin", "gauntlet", "swiss", "knockout", "sprt"),
        Field(description="who meets whom"),
    ] = "round-robin"
    rounds: Annotated[
        int | None,
        Field(
            ge=1,
            le=10_000_000,
            description="pairs of games every pairing plays; in a Swiss system its rounds (default: enough "
            "to find a winner)",
        ),
        WHOLE,
    ] = None
    challengers: Annotated[
        int | tuple[str, ...] | None,
        PlainValidator(as_challengers),
        WithJsonSchema(
            {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "array", "items": {"type": "string"}}]}
        ),
        Field(
            description="gauntlet: who meets everybody else, by name, or so many from the top (default: 1)"
        ),
    ] = None
    best_of: Annotated[
        int | None, Field(ge=1, le=1_000, description="knockout: pairs in a tie (default: 1)"), WHOLE
    ] = None
    seeding: Annotated[
        str | None,
        *choice("order", "rating"),
        Field(description="knockout: who is seeded first, by the order here or by `rating` (default: order)"),
    ] = None
    sprt: Annotated[SprtModel | None, Field(description="sprt: the test that ends the match")] = None
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
        str, *choice("standard", "black-first"), Field(description="who makes the first stack move")
    ] = "standard"
    openings: Annotated[
        OpeningsModel, Field(description="how games begin", json_schema_extra={"default": "empty"})
    ] = OpeningsModel.model_construct()
    concurrency: Annotated[int, Field(ge=1, le=1024, description="games at the same time"), WHOLE] = 1
    isolation: Annotated[str, *choice(*ISOLATION), Field(description="what holds a bot back")] = "auto"
    on_failure: Annotated[
        str, *choice("forfeit", "substitute"), Field(description="what a failed bot costs")
    ] = "forfeit"
    max_failures: Annotated[
        int, Field(ge=1, description="failures after which a bot is withdrawn"), WHOLE
    ] = 3
    clock_from: Annotated[
        str, *choice("first-turn", "spawn"), Field(description="when a CodeCup bot's clock starts")
    ] = "first-turn"
    record: Annotated[str, *choice("full", "lean"), Field(description="how much of each game is kept")] = (
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


PARTS: dict[str, type[BaseModel]] = {"time": TimeModel, "sprt": SprtModel, "openings": OpeningsModel}
"""The mappings that a key of these names may hold."""


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
