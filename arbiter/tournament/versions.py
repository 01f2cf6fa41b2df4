"""Programs that changed between two runs: the same name must not stand for two bots.

A bot's name belongs to the program that its tournament file starts now. A program that it started
before keeps its games under the name with its hash, ``mine@da2a78c2``, and plays no more, unless the
file comes back to it: then it has its name again, with all its games.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arbiter.store import Attempts, League, renamed
from arbiter.tournament import fingerprint
from arbiter.tournament.problems import option

_SHOWN = 8
"""Hex digits of a hash that tell versions apart."""


class ChangedProgramError(Exception):
    """Other programs play than before; ``names`` are theirs, the text says how to go on."""

    def __init__(self, names: Collection[str], text: str) -> None:
        super().__init__(text)
        self.names = tuple(names)


@dataclass(frozen=True, slots=True)
class Change:
    """A bot with another program than before, by their hashes. ``earlier``: the name under which the
    program of now is stored, if it had this bot's name before; ``has_played``: whether the other one did.
    """

    name: str
    before: str
    now: str
    earlier: str | None
    has_played: bool

    @property
    def foretold(self) -> str:
        """What is about to happen, in words that begin with the name."""
        if self.earlier:
            return f"{self.name} goes back to the program of {self.earlier}"
        return f"{self.name} enters as a new version"


def enter_versions(
    league: League,
    hashes: Mapping[str, str],
    files: Mapping[str, Collection[Path]],
    new_versions: Collection[str] | None,
) -> Iterator[str]:
    """Let changed programs enter as new bots, or as those they were before; gives a notice for each.

    What such a bot played so far stays under its name with the old hash behind it. All else is as for
    ``changed_programs``.
    """
    return _entering(league, changed_programs(league, hashes, files, new_versions))


def changed_programs(
    league: League,
    hashes: Mapping[str, str],
    files: Mapping[str, Collection[Path]],
    new_versions: Collection[str] | None,
) -> list[Change]:
    """The bots whose program is another one than in the games so far, and that may enter.

    ``hashes`` are those of the programs now, over ``files``; ``new_versions`` is None where nobody can
    enter any more.

    Raises:
        ChangedProgramError: when a program that has played changed and is not among ``new_versions``, or
            nobody can enter any more.
    """
    if league.get("fingerprints") != fingerprint.KIND:
        return []
    changes = list(_changes(league, hashes))
    asked = [change for change in changes if change.has_played]
    if not {change.name for change in asked} <= set(new_versions or ()):
        text = _explained(league.directory, asked, files, can_enter=new_versions is not None)
        raise ChangedProgramError([change.name for change in asked], text)
    return changes


def name_with_hash(name: str, hash: str) -> str:
    """The name of a program among several that have the same one."""
    return f"{name}@{hash[:_SHOWN]}"


class Foreseen:
    """What a league will hold once programs that changed have entered, as far as an agenda asks for it."""

    def __init__(self, league: League, changes: Collection[Change]) -> None:
        self._league = league
        self._names = {each.earlier: each.name for each in changes if each.earlier}
        self._names |= {each.name: _former_name(league, each) for each in changes}
        self.directory = league.directory

    def get(self, key: str) -> Any:
        value = self._league.get(key)
        return value and [renamed(stage, self._names) for stage in value] if key == "stages" else value

    def attempts(self) -> Iterator[Attempts]:
        return self._league.attempts()

    def encounters(self) -> list[tuple[str, str, int]]:
        return [(self._name(white), self._name(black), n) for white, black, n in self._league.encounters()]

    def brief_games(self) -> Iterator[Mapping[str, Any]]:
        for row in self._league.brief_games():
            yield {**row, "white": self._name(row["white"]), "black": self._name(row["black"])}

    def _name(self, name: str) -> str:
        return self._names.get(name, name)


def name_at_play(name: str, hash: str) -> str:
    """The name that a bot had when it played, which may have gone to another program since."""
    return re.sub(rf"@{re.escape(hash[:_SHOWN])}(-[0-9]+)?$", "", name) if hash else name


def _changes(league: League, hashes: Mapping[str, str]) -> Iterator[Change]:
    rows = {row["name"]: row for row in league.bots()}
    played = league.players()
    for name, now in hashes.items():
        before = rows[name]["hash"] if name in rows else ""
        if before == now:
            continue
        retired = (old for old, row in rows.items() if row["retired"] and row["hash"] == now)
        earlier = next((old for old in retired if name_at_play(old, now) == name), None)
        has_played = bool(before) and name in played
        if has_played or earlier:
            yield Change(name, before, now, earlier, has_played)


def _explained(
    directory: Path, changes: Sequence[Change], files: Mapping[str, Collection[Path]], *, can_enter: bool
) -> str:
    lines = [
        f"  {change.name}: the program was {change.before[:_SHOWN]} and is now {change.now[:_SHOWN]}, "
        f"by the content of {', '.join(map(str, files[change.name])) or 'nothing but its command'}"
        + (f"; it played here before, now as {change.earlier}" if change.earlier else "")
        for change in changes
    ]
    remedy = _remedy(changes) if can_enter else "nobody can enter here any more: put the old program back"
    head = f"{directory}: games there were played by other programs:"
    return "\n".join([head, *lines, f"{remedy}, or give another --results directory"])


def _remedy(changes: Sequence[Change]) -> str:
    options = " ".join(option("--new-version", change.name) for change in changes)
    kinds = {"the bot that it was before" if change.earlier else "a new bot": None for change in changes}
    return (
        f"add {options} to enter what changed as {' or as '.join(kinds)} (the old one keeps its games under "
        "its name with its hash), or put the old program back"
    )


def _entering(league: League, changes: Sequence[Change]) -> Iterator[str]:
    for change in changes:
        former = _former_name(league, change)
        league.replace_bot(change.name, former, "its program changed", earlier=change.earlier)
        yield f"{change.name}: {_news(change, former)}"


def _news(change: Change, former: str) -> str:
    if not change.earlier:
        return f"a new version; its games so far stay under {former}"
    since = f"; those of the one in between stay under {former}" if change.has_played else ""
    return f"back to the program of {change.earlier}, whose games are its own again{since}"


def _former_name(league: League, change: Change) -> str:
    """What the program is called from now on that a bot had before."""
    wanted = name_with_hash(change.name, change.before)
    taken = {row["name"] for row in league.bots()}
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name
