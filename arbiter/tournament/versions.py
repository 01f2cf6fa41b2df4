"""Programs that changed between two runs: the same name must not stand for two bots."""

import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from arbiter.store import League
from arbiter.tournament import fingerprint

_SHOWN = 8
"""Hex digits of a hash that tell versions apart."""


class ChangedProgramError(Exception):
    """Other programs play than before; ``names`` are theirs, the text says how to go on."""

    def __init__(self, names: Collection[str], text: str) -> None:
        super().__init__(text)
        self.names = tuple(names)


def enter_versions(
    league: League,
    hashes: Mapping[str, str],
    files: Mapping[str, Collection[Path]],
    new_versions: Collection[str] | None,
) -> Iterator[str]:
    """Let changed programs enter as new bots; gives a notice for each.

    What such a bot played so far stays under its name with the old hash behind it. All else is as for
    ``changed_programs``.
    """
    return _entering(league, changed_programs(league, hashes, files, new_versions))


def changed_programs(
    league: League,
    hashes: Mapping[str, str],
    files: Mapping[str, Collection[Path]],
    new_versions: Collection[str] | None,
) -> list[str]:
    """The bots whose program is another one than in the games so far, and that may enter as new ones.

    ``hashes`` are those of the programs now, over ``files``; ``new_versions`` is None where nobody can
    enter any more.

    Raises:
        ChangedProgramError: when a program changed that is not among ``new_versions``, or nobody can
            enter any more.
    """
    if league.get("fingerprints") != fingerprint.KIND:
        return []
    before = _before(league)
    changed = [name for name in hashes if before.get(name, hashes[name]) not in ("", hashes[name])]
    if not set(changed) <= set(new_versions or ()):
        can_enter = new_versions is not None
        raise ChangedProgramError(changed, _explained(league, before, hashes, files, changed, can_enter))
    return changed


def _before(league: League) -> dict[str, str]:
    """The hashes of the programs that played so far."""
    played = league.players()
    return {row["name"]: row["hash"] for row in league.bots() if row["name"] in played}


def _explained(
    league: League,
    before: Mapping[str, str],
    now: Mapping[str, str],
    files: Mapping[str, Collection[Path]],
    changed: Collection[str],
    can_enter: bool,
) -> str:
    lines = [
        f"  {name}: the program was {before[name][:_SHOWN]} and is now {now[name][:_SHOWN]}, "
        f"by the content of {', '.join(map(str, files[name])) or 'nothing but its command'}"
        for name in changed
    ]
    options = " ".join(f"--new-version {shlex.quote(name)}" for name in changed)
    remedy = (
        f"add {options} to enter what changed as a new bot (the old one keeps its games under its name with "
        "its hash), or put the old program back"
        if can_enter
        else "nobody can enter here any more: put the old program back"
    )
    head = f"{league.directory}: games there were played by other programs:"
    return "\n".join([head, *lines, f"{remedy}, or give another --results directory"])


def _entering(league: League, changed: Collection[str]) -> Iterator[str]:
    before = _before(league)
    for name in changed:
        old_name = _free_name(league, f"{name}@{before[name][:_SHOWN]}")
        league.replace_bot(name, old_name, "its program changed")
        yield f"{name}: a new version; its games so far stay under {old_name}"


def _free_name(league: League, wanted: str) -> str:
    taken = {row["name"] for row in league.bots()}
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name
