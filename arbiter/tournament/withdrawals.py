"""Bots that failed too often: they stay away, also from the start of a run."""

from collections.abc import Collection

from arbiter.store import League


def withdrawn(league: League, back: Collection[str] = ()) -> dict[str, str]:
    """Why each bot that was withdrawn plays no more, by name; without those that are to come ``back``."""
    return {
        row["name"]: row["withdrawn"]
        for row in league.bots()
        if row["withdrawn"] and not row["retired"] and row["name"] not in back
    }
