"""The first thing that a bot did wrong in a sitting, with what was known then."""

from dataclasses import dataclass

from arbiter.match.termination import Termination
from protocol.rules import Position


@dataclass(frozen=True, slots=True)
class Slip:
    """The first thing that went wrong in a sitting.

    ``asked`` says in words what the bot had been asked; ``number`` and ``position`` are those of
    the ply asked for, if it was one, ``plies`` what was played before, from ``start``, and ``answer`` what
    it said. ``lines`` are those of a new kind that a DVP bot wrote in that turn, and ``share`` how much of
    the time for it the bot computed, as far as the system tells. ``reversible`` tells for each stack move
    that it made before whether the way back was legal, too. ``last_words`` are those on standard error in
    that turn, and ``company`` the programs of its own that go on though it has ended. No ``termination``
    stands for a slip that does not end a game.
    """

    termination: Termination | None
    detail: str
    asked: str
    number: int = 0
    position: Position | None = None
    answer: str | None = None
    lines: tuple[str, ...] = ()
    plies: tuple[str, ...] = ()
    share: float | None = None
    reversible: tuple[bool, ...] = ()
    start: Position | None = None
    last_words: str = ""
    company: tuple[str, ...] = ()
