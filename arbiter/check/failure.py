"""The first thing that a bot did wrong in a probe, with what was known then."""

from dataclasses import dataclass
from enum import StrEnum

from arbiter.match.fault import Code, Fault
from arbiter.match.termination import Termination
from protocol.rules import PASS, Position


class MachineBusyError(Exception):
    """The machine, and not the bot, spoiled a probe."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


class Breach(StrEnum):
    """What goes against the protocol and yet loses no game."""

    UNASKED = "unasked"
    EARLY = "early"
    BEFORE_STOP = "before-stop"
    STILL_RUNNING = "still-running"


@dataclass(frozen=True, slots=True)
class Failure:
    """The first thing that went wrong in a probe.

    ``number`` and ``position`` are those of the ply that was asked for, if one was, ``plies`` what was played
    before, from ``start``, and ``answer`` what the bot said. ``lines`` are those of a new kind that a DVP bot
    wrote in that turn, and ``share`` how much of the time for it the bot computed, as far as the system
    tells. ``reversible`` tells for each stack move that it made before whether the way back was legal, too.
    ``last_words`` are those on standard error in that turn, and ``left_running`` the programs of its own that
    go on though it has ended.
    """

    cause: Fault | Breach
    number: int = 0
    position: Position | None = None
    answer: str | None = None
    lines: tuple[str, ...] = ()
    plies: tuple[str, ...] = ()
    share: float | None = None
    reversible: tuple[bool, ...] = ()
    start: Position | None = None
    last_words: str = ""
    left_running: tuple[str, ...] = ()

    @property
    def termination(self) -> Termination | None:
        """How a game ends by it; None when none does."""
        return self.cause.termination if isinstance(self.cause, Fault) else None

    @property
    def legal(self) -> list[str]:
        """The plies that were legal, where one was asked for, in order."""
        return [] if self.position is None else sorted(ply.text for ply in self.position.legal_plies())

    @property
    def must_pass(self) -> bool:
        return self.legal == [PASS.text]

    @property
    def root(self) -> Fault | None:
        """The fault at the bottom: what happened before the bot was ready, where it is about that."""
        if not isinstance(self.cause, Fault):
            return None
        return self.cause.inner("end") if self.cause.code is Code.ENDED_BEFORE else self.cause

    def fact(self, name: str) -> str:
        """A fact of its fault that is a text; empty when there is none."""
        return self.cause.text(name) if isinstance(self.cause, Fault) else ""
