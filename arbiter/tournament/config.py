"""A tournament as it will be played, and what has changed between two versions of its file."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl, format_ms
from arbiter.rating.sprt import Sprt
from arbiter.tournament.openings import OpeningsSpec
from protocol.rules import Rules

MOST_PAIRS = 100_000
"""Where a sequential test ends at the latest unless its file says otherwise."""
GROWING = ("round-robin", "gauntlet", "swiss")
"""Formats that bots can join when games have been played."""
_HARMLESS = ("concurrency", "max_failures", "anchor", "affinity", "record")
"""Keys that change how a run goes on or is shown, but no game that was played."""
_LONGEST_SLUG = 60


class Anchor(NamedTuple):
    """The bot whose rating is fixed."""

    name: str
    elo: float


class SprtSettings(NamedTuple):
    """The test of an SPRT match, and the number of pairs after which it ends undecided."""

    test: Sprt = Sprt()
    max_pairs: int = MOST_PAIRS


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """A tournament file, read and checked.

    ``given`` holds for each bot what its owner wrote for ``run``, ``build`` and ``dir``, so that a
    file moved to another place is still the same tournament. ``seed`` is None when the file has
    none. ``nodes`` and ``depth`` are limits told to the bots. ``challengers`` are the names of those
    whom a gauntlet is about; ``best_of`` is the number of pairs of a knockout's tie, ``seeds`` are the
    bots of a knockout, strongest first.
    """

    name: str
    path: Path
    bots: tuple[Bot, ...]
    given: tuple[Mapping[str, Any], ...]
    format: str = "round-robin"
    rounds: int = 1
    challengers: tuple[str, ...] = ()
    best_of: int = 1
    seeds: tuple[str, ...] = ()
    sprt: SprtSettings = field(default_factory=SprtSettings)
    seed: int | None = None
    time: TimeControl = field(default_factory=TimeControl)
    rules: Rules = Rules.STANDARD
    openings: OpeningsSpec = field(default_factory=OpeningsSpec)
    concurrency: int = 1
    isolation: str = "auto"
    on_failure: str = "forfeit"
    max_failures: int = 3
    clock_from: str = "first-turn"
    nodes: int | None = None
    depth: int | None = None
    record: str = "full"
    suspend_idle: bool = False
    affinity: bool = False
    anchor: Anchor | None = None

    @property
    def slug(self) -> str:
        return slugify(self.name)

    @property
    def results_dir(self) -> Path:
        """Where results go unless the user names another directory."""
        return self.path.parent / "results" / self.slug

    def canonical(self) -> dict[str, Any]:
        """Everything that defines the tournament, fit for JSON; texts and paths as the file gives them."""
        plain = {
            key: getattr(self, key)
            for key in (
                "format", "rounds", "seed", "concurrency", "isolation", "on_failure", "max_failures",
                 "clock_from", "nodes", "depth", "record", "suspend_idle", "affinity",
            )
        }  # fmt: skip
        anchor = {self.anchor.name: self.anchor.elo} if self.anchor else None
        bots = [_canonical_bot(bot, given) for bot, given in zip(self.bots, self.given, strict=True)]
        return {
            "tournament": self.name,
            **plain,
            **self._canonical_format(),
            "openings": self.openings.canonical(),
            "rules": str(self.rules),
            "time": asdict(self.time),
            "anchor": anchor,
            "bots": bots,
        }

    def _canonical_format(self) -> dict[str, Any]:
        """What only one format knows."""
        match self.format:
            case "gauntlet":
                return {"challengers": list(self.challengers)}
            case "knockout":
                return {"best_of": self.best_of, "seeds": list(self.seeds)}
            case "sprt":
                return {"sprt": asdict(self.sprt.test), "max_pairs": self.sprt.max_pairs}
        return {}


def _canonical_bot(bot: Bot, given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": bot.name,
        **given,
        "protocol": str(bot.dialect),
        "options": dict(bot.options),
        "env": dict(bot.env),
        "time": asdict(bot.time) if bot.time else None,
        "isolation": bot.isolation,
        "memory": bot.sandbox.memory,
        "disk": bot.sandbox.disk,
        "processes": bot.sandbox.processes,
    }


def slugify(name: str) -> str:
    """A name as a directory: small letters and digits of any script, joined by hyphens; never empty."""
    letters = "".join(_plain_letters(char) for char in unicodedata.normalize("NFC", name.casefold()))
    slug = "-".join(re.findall(r"[^\W_]+", letters))[:_LONGEST_SLUG].strip("-")
    return slug or f"tournament-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _plain_letters(char: str) -> str:
    """Latin letters without their accents; other scripts need theirs."""
    plain = unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode()
    return plain if plain.isalnum() else char


class Differences(NamedTuple):
    """What a tournament's file says now and did not say before, in sentences.

    ``breaking`` would mix games played under different conditions; ``extending`` asks for more
    games under the same ones; ``harmless`` touches no game.
    """

    breaking: list[str]
    extending: list[str]
    harmless: list[str]

    def __bool__(self) -> bool:
        return any(self)


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Differences:
    """Compare two results of ``Tournament.canonical``.

    A seed that the file leaves out is not a change, for one was drawn then.
    """
    found = Differences([], [], [])
    for key in new:
        if key == "bots" or old.get(key) == new[key] or (key == "seed" and new[key] is None):
            continue
        line = f"{key}: {_shown(key, old.get(key))} -> {_shown(key, new[key])}"
        if key in _HARMLESS:
            found.harmless.append(line)
        elif _extends(key, old.get(key), new[key]):
            found.extending.append(line)
        else:
            found.breaking.append(line)
    _compare_bots(old["bots"], new["bots"], found, can_grow=new["format"] in GROWING)
    return found


def _extends(key: str, old: Any, new: Any) -> bool:
    """Whether a change only asks for more games."""
    if key in ("rounds", "max_pairs"):
        return bool(new > (old or 0))
    return key == "challengers" and old is not None and set(new) > set(old)


def _compare_bots(
    old: list[dict[str, Any]], new: list[dict[str, Any]], found: Differences, *, can_grow: bool
) -> None:
    before = {bot["name"]: bot for bot in old}
    after = {bot["name"]: bot for bot in new}
    found.breaking.extend(f"bot removed: {name}" for name in before if name not in after)
    kept = [name for name in after if name in before]
    if kept != [name for name in before if name in after]:
        found.breaking.append(f"bots in another order: {', '.join(kept)}")
    for name in kept:
        found.breaking.extend(_bot_changes(before[name], after[name]))
    added = [f"bot added: {name}" for name in after if name not in before]
    (found.extending if can_grow else found.breaking).extend(added)


def _bot_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for key in new:
        if old.get(key) != new[key]:
            yield f"bot `{new['name']}`: {key}: {_shown(key, old.get(key))} -> {_shown(key, new[key])}"


def _shown(key: str, value: Any) -> str:
    """A value as the file would give it."""
    if value is None or value == {}:
        return "nothing"
    if key == "time":
        return _shown_time(TimeControl(**value))
    if isinstance(value, dict):
        return ", ".join(f"{name}: {each}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return str(value)


def _shown_time(control: TimeControl) -> str:
    """The time control with those limits that differ from the defaults."""
    usual = TimeControl()
    limits = {name: getattr(control, name) for name in ("grace", "start", "stall")}
    special = [f"{name} {format_ms(ms)}" for name, ms in limits.items() if ms != getattr(usual, name)]
    return ", ".join([str(control), *special])
