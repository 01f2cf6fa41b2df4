"""What the arbiter knows about a bot before it runs: how to start it and how to talk to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from arbiter.isolation.sandbox import Sandbox
from arbiter.match.clock import TimeControl


class Dialect(StrEnum):
    """The language a bot speaks; set by its owner, never guessed."""

    DVP = "dvp"
    CODECUP = "codecup"


@dataclass(frozen=True, slots=True)
class Bot:
    """One competitor.

    ``argv`` is the command as it is executed; its first word is an absolute path where the owner
    named a file, else a bare name looked up on ``PATH``. ``directory`` is the working directory of
    both ``argv`` and ``build``. ``env`` is added to the inherited environment. ``options`` are
    sent with ``setoption``. ``time`` replaces the tournament's time control for this bot alone, as
    ``isolation`` does its isolation level. ``sandbox`` is what the program really runs in; until the
    level is chosen it holds the limits that the owner gave. ``wrap`` are words put before ``argv``, such
    as a debugger's; such a bot is not tried before its first game.
    """

    name: str
    argv: tuple[str, ...]
    directory: Path
    dialect: Dialect = Dialect.DVP
    build: tuple[str, ...] | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    time: TimeControl | None = None
    optional: bool = False
    isolation: str | None = None
    sandbox: Sandbox = field(default_factory=Sandbox)
    wrap: tuple[str, ...] = ()
