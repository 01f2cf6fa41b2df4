"""The results of a tournament: one SQLite file, the only truth; everything else is derived from it."""

from arbiter.store.faults import StoreError, damaged_game, explaining
from arbiter.store.league import League
from arbiter.store.played import PlayedGame

__all__ = ["League", "PlayedGame", "StoreError", "damaged_game", "explaining"]
