"""The bots of several results directories, under names of which each stands for one program."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from arbiter.store import League
from arbiter.tournament.versions import name_with_hash


class Roster:
    """Who played in these directories.

    A bot is its name and its program, by hash. Where all directories agree about the program of a name,
    the name says it all; where they do not, each program has the name with its hash, ``mine@da2a78c2``,
    as the versions of a bot within one directory have. Hashes that were made in different ways say
    nothing about each other: by these alone nobody is told apart.

    ``rows`` are those of ``League.bots`` with these names, directory after directory, each with the
    name ``stored`` there. ``names`` has for each directory the names that are other than there.
    """

    def __init__(self, leagues: Sequence[League]) -> None:
        found = [(league, row) for league in leagues for row in league.bots()]
        self._programs: dict[str, dict[str, list[League]]] = {}
        for league, row in found:
            if row["hash"] and not row["retired"]:
                programs = self._programs.setdefault(row["name"], {})
                programs.setdefault(row["hash"], []).append(league)
        self._split = {name for name, programs in self._programs.items() if _differ(programs)}
        self.rows: list[Mapping[str, Any]] = [
            {**row, "stored": row["name"], "name": self._shown(row)} for _, row in found
        ]
        self.names: dict[League, dict[str, str]] = {league: {} for league in leagues}
        for (league, _), row in zip(found, self.rows, strict=True):
            if row["name"] != row["stored"]:
                self.names[league][row["stored"]] = row["name"]

    def _shown(self, row: Mapping[str, Any]) -> str:
        name: str = row["name"]
        return name_with_hash(name, row["hash"]) if row["hash"] and name in self._split else name

    def chosen(self, only: Collection[str], exclude: Collection[str]) -> list[Mapping[str, Any]]:
        """The rows of these bots alone, or of all; and without those. A name that several programs have
        stands for all of them.
        """
        kept, dropped = self._named(only), self._named(exclude)
        return [row for row in self.rows if row["name"] not in dropped and (not only or row["name"] in kept)]

    def _named(self, names: Collection[str]) -> set[str]:
        return {row["name"] for row in self.rows if row["name"] in names or row["stored"] in names}

    @property
    def known(self) -> set[str]:
        """All names that ``chosen`` understands."""
        return {row[key] for row in self.rows for key in ("name", "stored")}

    def remarks(self, shown: Collection[str]) -> Iterator[str]:
        """Which names stood for what, as far as these bots are concerned."""
        directories = [str(league.directory) for league in self.names]
        top = os.path.commonpath(directories) if directories else ""
        for name, programs in self._programs.items():
            places = {
                name_with_hash(name, program): os.path.relpath(leagues[0].directory, top) + _more(leagues)
                for program, leagues in programs.items()
            }
            if name in self._split and not places.keys().isdisjoint(shown):
                list_of = "; ".join(f"{bot} in {place}" for bot, place in places.items())
                yield f"{name} is {len(programs)} programs, told apart by hash: {list_of}."
            elif len(programs) > 1 and name in shown:
                yield f"{name} may be several programs: the hashes were made in different ways."


def _differ(programs: Mapping[str, Sequence[League]]) -> bool:
    """Whether some hashes that were made in the same way are different."""
    kinds = [{league.get("fingerprints") for league in leagues} for leagues in programs.values()]
    return len(set().union(*kinds)) < sum(map(len, kinds))


def _more(leagues: Sequence[League]) -> str:
    return f" and {len(leagues) - 1} more" if len(leagues) > 1 else ""
