"""The results of a tournament: one SQLite file, the only truth; everything else is derived from it."""

from arbiter.store.faults import FILE_NAME, StoreError, damaged_game, explaining
from arbiter.store.league import Attempts, League, renamed
from arbiter.store.played import PlayedGame, fault_of

__all__ = [
    "FILE_NAME",
    "Attempts",
    "League",
    "PlayedGame",
    "StoreError",
    "damaged_game",
    "explaining",
    "fault_of",
    "renamed",
]
