"""Bots that failed too often: they stay away, also from the start of a run, until the organiser readmits
them.
"""

from collections.abc import Collection

from arbiter.store import League
from arbiter.tournament.config import Tournament
from arbiter.tournament.formats import format_of
from arbiter.tournament.problems import option
from arbiter.tournament.schedule import Stage


class ReadmissionError(Exception):
    """A bot cannot be readmitted; the text says why."""


def withdrawn(league: League, back: Collection[str] = ()) -> dict[str, str]:
    """Why each bot that was withdrawn plays no more, by name; without those that are to come ``back``."""
    return {
        row["name"]: row["withdrawn"]
        for row in league.bots()
        if row["withdrawn"] and not row["retired"] and row["name"] not in back
    }


def ways_back(tournament: Tournament, league: League) -> dict[str, str]:
    """The option that takes back each bot that was withdrawn, by name, of those that can come back."""
    return {
        name: option("--readmit", name) for name in withdrawn(league) if not _parted(name, tournament, league)
    }


def require_readmissible(names: Collection[str], tournament: Tournament, league: League | None) -> None:
    """Make sure that these bots can come back.

    Raises:
        ReadmissionError: when one was not withdrawn, or its tournament went on without it for good.
    """
    away = withdrawn(league) if league else {}
    for name in names:
        if name not in away:
            raise ReadmissionError(f"{name} is not withdrawn")
        if why := _parted(name, tournament, league):
            raise ReadmissionError(f"{name} cannot come back: {why}")


def _parted(name: str, tournament: Tournament, league: League | None) -> str | None:
    """Why a tournament went on without a bot for good; empty or None where it did not."""
    stages = [Stage.from_json(stage) for stage in (league and league.get("stages")) or []]
    return format_of(tournament).parted(stages, name)
