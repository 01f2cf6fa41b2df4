"""Reading a tournament file: every fault of it at once, each with its line and column."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.isolation.sandbox import Sandbox
from arbiter.match.bot import Bot, Dialect
from arbiter.tournament.bots import Command, expand_home, locate, resolve_build, resolve_command
from arbiter.tournament.config import Anchor, Tournament
from arbiter.tournament.format_keys import format_values
from arbiter.tournament.nodes import Document, KeyPath, UnreadableFileError, parse, read_text
from arbiter.tournament.openings import OpeningsSpec, fault_of_openings
from arbiter.tournament.problems import (
    TOLD,
    ConfigurationError,
    Problem,
    TournamentFileError,
    did_you_mean,
    listed,
    quoted,
)
from protocol.rules import Rules

if TYPE_CHECKING:  # pydantic takes long to import; `arbiter --help` must not wait for it
    from pydantic import BaseModel

    from arbiter.tournament.model import BotModel, TimeModel, TournamentModel


def load_tournament(path: Path) -> Tournament:
    """Read and check a tournament file.

    Raises TournamentFileError with every fault found, a missing file of openings among them. Whether
    the bots exist and start is not looked at: that is found out when they are built and started.
    """
    try:
        text = read_text(path)
    except UnreadableFileError as error:
        raise TournamentFileError(path, [error.problem]) from None
    from arbiter.tournament.model import PARTS, BotModel, TournamentModel

    models: list[type[BaseModel]] = [TournamentModel, BotModel, *PARTS.values()]
    document = parse(text, {key for model in models for key in model.model_fields})
    if document.data is None:
        raise TournamentFileError(path, document.problems)
    draft = _Draft(document)
    tournament = _Assembly(path, draft).tournament()
    if problems := {*document.problems, *draft.problems}:
        raise TournamentFileError(path, problems)
    return tournament


class _Draft:
    """A file's values after validation: what is sound as a model, the rest as problems.

    What failed is cut out and the remainder validated again, so that the checks across several
    keys see everything that can be relied on.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self._failed: set[KeyPath] = set()
        self.model, self.positions = self._validate(document.data)

    def complain(self, path: KeyPath, message: str) -> None:
        self.problems.append(Problem(*self.document.place(path), message))

    @property
    def is_complete(self) -> bool:
        """Whether every bot of the file stands in the model."""
        return "bots" in self.document.data and len(self.positions) == len(self.document.data["bots"])

    def _validate(self, data: dict[str, Any]) -> tuple["TournamentModel", list[int]]:
        from pydantic import ValidationError

        from arbiter.tournament.model import TournamentModel

        try:
            model = TournamentModel.model_validate(data)
            return model, list(range(len(model.bots)))
        except ValidationError as error:
            self._report(error.errors(include_url=False))
        sound, positions = self._sound_part(data)
        return TournamentModel.model_validate(sound), positions

    def _report(self, errors: Iterable[Any]) -> None:
        unknown = [error["loc"] for error in errors if error["type"] == "extra_forbidden"]
        unknown.sort(key=self.document.key_place)
        # To find what was meant takes time, and of further ones nobody is told.
        meant = {self._report_unknown(path, _hint_for_unknown(path)) for path in unknown[:TOLD]}
        meant.update(self._report_unknown(path) for path in unknown[TOLD:])
        for error in errors:
            of_key = error["loc"][-1] == "[key]"
            path = error["loc"][:-1] if of_key else error["loc"]
            self._failed.add(path)
            if error["type"] == "missing":
                if path not in meant and path not in self.document.keys:
                    self.complain(path, _missing(path))
            elif error["type"] != "extra_forbidden" and error["input"] is not None:
                place = self.document.key_place(path) if of_key else self.document.place(path)
                self.problems.append(Problem(*place, _sentence("" if of_key else str(path[-1]), error)))

    def _report_unknown(self, path: KeyPath, hint: str = "") -> KeyPath:
        """Complain of an unknown key; gives the path of the key that was meant, as far as that is clear."""
        key = str(path[-1])
        self.problems.append(Problem(*self.document.key_place(path), f"unknown key {quoted(key)}{hint}"))
        close = re.search(r"did you mean `(.*)`", hint)
        return (*path[:-1], close[1] if close else key)

    def _sound_part(self, data: dict[str, Any]) -> tuple[dict[str, Any], list[int]]:
        """The data without what failed, and which of the bots are left."""
        failed_keys = {path[0] for path in self._failed}
        sound = {key: value for key, value in data.items() if key not in failed_keys}
        sound.setdefault("tournament", "unnamed")
        bad: defaultdict[str | int, set[KeyPath]] = defaultdict(set)
        for path in self._failed:
            if path[:1] == ("bots",) and len(path) > 1:
                bad[path[1]].add(path[2:3])
        entries = [] if ("bots",) in self._failed else enumerate(data.get("bots", ()))
        kept = {
            index: sound_bot
            for index, entry in entries
            if (sound_bot := _sound_bot(entry, bad[index])) is not None
        }
        return {**sound, "bots": list(kept.values())}, list(kept)


def _sound_bot(entry: Any, bad: Collection[KeyPath]) -> Any:
    """A bot's entry without what failed of it; None when there is no bot without that."""
    if not {(), ("run",), ("name",)}.isdisjoint(bad):
        return None
    return {key: value for key, value in entry.items() if (key,) not in bad} if bad else entry


def _keys_at(path: KeyPath) -> list[str]:
    """The keys that a mapping at this place may have."""
    from arbiter.tournament.model import PARTS, BotModel, TournamentModel

    if path and path[-1] in PARTS:
        return list(PARTS[str(path[-1])].model_fields)
    return list(BotModel.model_fields if path else TournamentModel.model_fields)


def _hint_for_unknown(path: KeyPath) -> str:
    *outer, key = path
    here = _keys_at(tuple(outer))
    levels: dict[str, KeyPath] = {
        "the tournament": (),
        "a bot": ("bots", 0),
        "`time`": ("time",),
        "`sprt`": ("sprt",),
    }
    for owner, level in levels.items():
        if key in _keys_at(level):
            return f"; it is a key of {owner}"
    return did_you_mean(str(key), here) or (
        f"; known here: {listed(here)}" if outer else "; `arbiter schema` tells which there are"
    )


def _missing(path: KeyPath) -> str:
    if path[-1] == "run":
        return "`run` is missing: how is this bot started?"
    return f"`{path[-1]}` is missing"


def _sentence(key: str, error: Mapping[str, Any]) -> str:
    """Put what the model found wrong with a key's value into our words; no key: with the key itself."""
    context, shown = error.get("ctx", {}), quoted(key)
    match error["type"]:
        case "value_error":
            cause = str(context["error"])
            return cause if not key or key.isdigit() or shown[:-1] in cause else f"{shown}: {cause}"
        case "greater_than_equal":
            return f"{shown}: {quoted(error['input'])} is too small; the least is {context['ge']}"
        case "less_than_equal":
            return f"{shown}: {quoted(error['input'])} is too large; the most is {context['le']}"
        case "less_than":
            return f"{shown}: {quoted(error['input'])} is too large; the most is {context['lt'] - 1}"
        case "too_long":
            return f"{shown}: here are {context['actual_length']:,}; the most is {context['max_length']:,}"
        case "list_type":
            return f"{shown} must be a list: one `- …` line for each"
        case "dict_type":
            return f"{shown} must be a mapping: `NAME: VALUE` for each"
        case _:
            return f"{shown}: {error['msg']}"


class _Assembly:
    """Puts the tournament together and checks what concerns several keys at once."""

    def __init__(self, path: Path, draft: _Draft) -> None:
        self._path = locate(path)
        self._draft = draft
        self._model = draft.model

    def tournament(self) -> Tournament:
        model = self._model
        self._check_count()
        entries = dict(zip(self._draft.positions, model.bots, strict=True))
        commands = {i: command for i, entry in entries.items() if (command := self._command(i, entry))}
        names = {i: name for i, entry in entries.items() if (name := self._name(i, entry, commands.get(i)))}
        self._check_names(names)
        self._check_limits(entries)
        self._check_ratings()
        sound = commands.keys() & names.keys()
        bots = {i: self._bot(i, entries[i], commands[i], names[i]) for i in sorted(sound)}
        for index, bot in bots.items():
            self._check_codecup(index, bot)
        return Tournament(
            name=model.tournament,
            path=self._path,
            bots=tuple(bots.values()),
            given=tuple(_given(entries[index]) for index in bots),
            time=model.time.control(model.stall),
            rules=Rules(model.rules),
            anchor=self._anchor(list(names.values())),
            openings=self._openings(bots.values()),
            **format_values(
                model,
                {names[index]: entries[index].rating for index in bots},
                self._draft.is_complete and len(bots) == len(self._draft.positions),
                self._draft.complain,
            ),
            **{key: getattr(model, key) for key in _TAKEN_OVER},
        )

    def _check_count(self) -> None:
        bots = self._draft.document.data.get("bots")
        if isinstance(bots, list) and len(bots) < 2:
            self._draft.complain(
                ("bots",), f"a tournament needs at least two bots; here is {len(bots) or 'none'}"
            )

    def _command(self, index: int, entry: "BotModel") -> Command | None:
        """The bot's command; None, with a complaint, where there is none to be found."""
        directory = self._path.parent / expand_home(entry.dir)
        try:
            self._check_glue(entry)
            return resolve_command(entry.run, directory, Dialect(entry.protocol) if entry.protocol else None)
        except ConfigurationError as error:
            self._draft.complain(("bots", index, "run"), str(error))
            return None

    def _name(self, index: int, entry: "BotModel", command: Command | None) -> str | None:
        from arbiter.tournament.fields import check_name

        if entry.name or command is None:
            return entry.name
        try:
            return check_name(command.name)
        except ValueError as error:
            self._draft.complain(("bots", index, "run"), f"{error}; give the bot a `name:`")
            return None

    def _bot(self, index: int, entry: "BotModel", command: Command, name: str) -> Bot:
        path: KeyPath = ("bots", index)
        self._check_sample(path, entry)
        return Bot(
            name=name,
            argv=command.argv,
            directory=command.directory,
            dialect=command.dialect,
            build=self._build(path, entry, command),
            env=entry.env,
            options=entry.options,
            time=entry.time.control(self._model.stall) if entry.time else None,
            optional=entry.optional,
            isolation=entry.isolation,
            sandbox=Sandbox(memory=entry.memory, disk=entry.disk, processes=entry.processes),
        )

    def _check_glue(self, entry: "BotModel") -> None:
        match = re.fullmatch(r"(\w+):([^\s/].*)", entry.run) if isinstance(entry.run, str) else None
        if match and match[1] in _keys_at(("bots", 0)):
            raise ConfigurationError(
                f"a blank is missing after the colon: {quoted(f'{match[1]}: {match[2]}')}"
            )

    def _check_sample(self, path: KeyPath, entry: "BotModel") -> None:
        first = entry.run if isinstance(entry.run, str) else entry.run[0]
        if re.match(r"\s*(codecup:)?sample:", first):
            for key in entry.model_fields_set & {"build", "dir"}:
                self._draft.complain((*path, key), f"a sample bot brings its own `{key}`; leave this out")

    def _build(self, path: KeyPath, entry: "BotModel", command: Command) -> tuple[str, ...] | None:
        if entry.build is None:
            return command.build
        try:
            return resolve_build(entry.build, command.directory)
        except ConfigurationError as error:
            self._draft.complain((*path, "build"), f"`build`: {error}")
            return None

    def _check_names(self, names: Mapping[int, str]) -> None:
        taken: dict[str, int] = {}
        for index, name in names.items():
            first = taken.setdefault(name.casefold(), index)
            if first != index:
                spelled = f" (there {quoted(names[first])})" if names[first] != name else ""
                line = self._draft.document.place(("bots", first, "name")).line
                message = f"the name {quoted(name)} is taken by the bot in line {line}{spelled}"
                self._draft.complain(("bots", index, "name"), f"{message}; give one another `name:`")

    def _check_limits(self, entries: Mapping[int, "BotModel"]) -> None:
        """Without any clock, nodes or depth must bound the thinking."""
        if self._draft.document.keys.keys() & {("nodes",), ("depth",)}:
            return
        times: dict[KeyPath, TimeModel] = {("time",): self._model.time}
        times |= {("bots", index, "time"): entry.time for index, entry in entries.items() if entry.time}
        for path, time in times.items():
            if time.game is None and time.move is None:
                self._draft.complain(
                    path, "nothing limits the thinking: neither `time` nor `nodes` nor `depth`"
                )

    def _check_ratings(self) -> None:
        """Seeding by ratings that nobody has would be the order of the file, unnoticed."""
        is_rated = any(path[-1] == "rating" for path in self._draft.document.keys if path[:1] == ("bots",))
        if (self._model.format, self._model.seeding) == ("knockout", "rating") and not is_rated:
            self._draft.complain(
                ("seeding",), "no bot has a `rating` to be seeded by; give them one, or leave `seeding` out"
            )

    def _check_codecup(self, index: int, bot: Bot) -> None:
        """Refuse for a CodeCup bot what its dialect has no words for."""
        if bot.dialect is not Dialect.CODECUP:
            return
        present = {
            "`time: none`": not (bot.time or self._model.time.control(self._model.stall)).is_timed,
            "`nodes`": self._model.nodes is not None,
            "`depth`": self._model.depth is not None,
            "`rules: black-first`": self._model.rules == "black-first",
            "`options`": bool(bot.options),
        }
        if refused := [what for what, here in present.items() if here]:
            message = (
                f"{quoted(bot.name)} speaks the CodeCup dialect, which knows no {' and no '.join(refused)}"
            )
            self._draft.complain(("bots", index), message)

    def _openings(self, bots: Iterable[Bot]) -> OpeningsSpec:
        spec = self._model.openings.spec()
        if fault := fault_of_openings(spec, self._path.parent):
            self._draft.complain(("openings", "file"), f"`openings`: {fault}")
        cup = next((bot.name for bot in bots if bot.dialect is Dialect.CODECUP), None)
        if cup is not None and spec.kind != "empty":
            self._draft.complain(
                ("openings",),
                f"{quoted(cup)} speaks the CodeCup dialect, which knows only `openings: empty`",
            )
        return spec

    def _anchor(self, names: list[str]) -> Anchor | None:
        if self._model.anchor is None:
            return None
        wanted, elo = self._model.anchor
        for name in names:
            if name.casefold() == wanted.casefold():
                return Anchor(name, elo)
        if names and self._draft.is_complete and len(names) == len(self._draft.positions):
            hint = did_you_mean(wanted, names) or f"; there are {listed(names)}"
            self._draft.complain(("anchor",), f"`anchor`: there is no bot {quoted(wanted)}{hint}")
        return None


_TAKEN_OVER = (
    "format", "seed", "concurrency", "isolation", "on_failure", "max_failures",
    "clock_from", "nodes", "depth", "record", "suspend_idle", "affinity",
)  # fmt: skip


def _given(entry: "BotModel") -> dict[str, Any]:
    """What the owner wrote for the command, as lists and texts."""
    written = {"run": entry.run, "build": entry.build, "dir": entry.dir}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in written.items()}
