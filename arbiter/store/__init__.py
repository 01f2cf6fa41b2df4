"""The results of a tournament: one SQLite file, the only truth; everything else is derived from it."""

from arbiter.store.league import League, StoreError
from arbiter.store.played import PlayedGame

__all__ = ["League", "PlayedGame", "StoreError"]
