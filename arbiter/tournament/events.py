"""What happens in a tournament, as it is told to whoever watches."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arbiter.match.dialogue import Said
from arbiter.match.game import PlyRecord
from arbiter.rating.sprt import SprtProgress
from arbiter.store.played import PlayedGame
from arbiter.tournament.formats import Tie
from arbiter.tournament.schedule import Fixture, Stage
from protocol.rules import Position


@dataclass(frozen=True, slots=True)
class Notice:
    """Something people should know, in one line; a warning even those who want to be told little."""

    text: str
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class PlayBegins:
    """All bots are ready. ``total`` games belong to the schedule, ``done`` of them were played before.

    The total is None when only the results will tell. ``may_grow``: it is, now and when it is told
    again, the least that there can be.
    """

    total: int | None
    done: int
    may_grow: bool = False


@dataclass(frozen=True, slots=True)
class StageDrawn:
    """The results so far led to further games; ``total`` counts all games again."""

    stage: Stage
    total: int | None


@dataclass(frozen=True, slots=True)
class TieSettled:
    """Who of two bots goes on in a knockout, and by what."""

    tie: Tie


@dataclass(frozen=True, slots=True)
class SprtAdvanced:
    """Where a sequential test stands now."""

    progress: SprtProgress


@dataclass(frozen=True, slots=True)
class GameStarted:
    fixture: Fixture
    attempt: int


@dataclass(frozen=True, slots=True)
class PlyPlayed:
    """A ply, and the position it led to."""

    fixture: Fixture
    record: PlyRecord
    position: Position


@dataclass(frozen=True, slots=True)
class Overheard:
    """A piece of what was said in a game; told only where somebody wants to know."""

    fixture: Fixture
    said: Said


@dataclass(frozen=True, slots=True)
class GameFinished:
    """A game that is safely stored; ``bundle`` is the directory that tells more of a failed one."""

    game: PlayedGame
    replayed: bool
    bundle: Path | None = None


@dataclass(frozen=True, slots=True)
class BotWithdrawn:
    """A bot that plays no further games, which cancels so many of the schedule."""

    bot: str
    reason: str
    cancelled: int


Event = (
    Notice
    | PlayBegins
    | StageDrawn
    | TieSettled
    | SprtAdvanced
    | GameStarted
    | PlyPlayed
    | Overheard
    | GameFinished
    | BotWithdrawn
)
Watcher = Callable[[Event], None]
"""Called for each event in turn; must be quick, since the clocks of bots run meanwhile."""
