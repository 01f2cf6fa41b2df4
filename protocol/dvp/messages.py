"""What can be said in DVP/1: one frozen dataclass for every kind of line.

``word`` is the name of the message in the state tables. Mappings hold the known keys of a line only;
lists of keys stand beside the classes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from protocol.rules import Side
from protocol.text import CONTROLS

VERSION = 1
"""The highest version of the language this package speaks."""

NEWGAME_KEYS = frozenset({"time", "inc", "movetime", "grace", "clock", "ponder", "rules", "game"})
GO_KEYS = frozenset(
    {
        "ply",
        "time",
        "opptime",
        "inc",
        "oppinc",
        "movetime",
        "used",
        "depth",
        "nodes",
        "infinite",
    }
)
RESULT_KEYS = frozenset({"white", "black", "reason"})
MOVE_KEYS = frozenset(
    {
        "ply",
    }
)
INFO_KEYS = frozenset({"depth", "score", "exact", "nodes", "nps", "time", "hashfull", "currmove"})
ERROR_CODES = ("illegal", "syntax", "timeout", "flood", "unexpected")
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
ID_KINDS = ("name", "author", "version")
FEATURES = frozenset({"reuse", "ready", "stop", "nolegal", "noboard"})

_KEY = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)

OptionKind = Literal["check", "spin", "combo", "string", "button"]


# From the arbiter to the bot.


@dataclass(frozen=True, slots=True)
class Hello:
    """The highest version the arbiter speaks."""

    word: ClassVar[str] = "dvp"
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class SetOption:
    word: ClassVar[str] = "setoption"
    name: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game begins and the bot plays ``side``; ``values`` has keys of ``NEWGAME_KEYS``, times in ms."""

    word: ClassVar[str] = "newgame"
    side: Side
    values: Mapping[str, str] = field(default_factory=dict)
    opponent: str = ""


@dataclass(frozen=True, slots=True)
class IsReady:
    word: ClassVar[str] = "isready"


@dataclass(frozen=True, slots=True)
class Setup:
    """The ``position`` line: ``start`` is ``"start"`` or a DPOS, ``plies`` what was played from there."""

    word: ClassVar[str] = "position"
    start: str = "start"
    plies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Board:
    """The position after those plies."""

    word: ClassVar[str] = "board"
    dpos: str


@dataclass(frozen=True, slots=True)
class Legal:
    word: ClassVar[str] = "legal"
    plies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Go:
    """The request for a ply; ``values`` has keys of ``GO_KEYS``, times in ms."""

    word: ClassVar[str] = "go"
    values: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stop:
    word: ClassVar[str] = "stop"


@dataclass(frozen=True, slots=True)
class Error:
    """The arbiter reports a fault of the bot."""

    word: ClassVar[str] = "error"
    code: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """How the game ended: ``result`` is one of ``RESULTS``, ``values`` has keys of ``RESULT_KEYS``."""

    word: ClassVar[str] = "result"
    result: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Quit:
    word: ClassVar[str] = "quit"


# From the bot to the arbiter.


@dataclass(frozen=True, slots=True)
class Id:
    """``kind`` is one of ``ID_KINDS``."""

    word: ClassVar[str] = "id"
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Option:
    """An option that the bot offers.

    ``default`` is the text a ``setoption`` would carry. ``low`` and ``high`` bound a spin,
    ``choices`` are the values of a combo.

    >>> Option("Hash", "spin", "64", 1, 1024).fault("0")
    'an integer from 1 to 1024 expected'
    """

    word: ClassVar[str] = "option"
    name: str
    kind: OptionKind
    default: str = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    def fault(self, value: str) -> str | None:
        """Why ``value`` cannot be set, in words; None when it can."""
        if self.kind == "check" and value not in ("true", "false"):
            return "true or false expected"
        if self.kind == "spin" and not (is_integer(value) and self.low <= int(value) <= self.high):
            return f"an integer from {self.low} to {self.high} expected"
        if self.kind == "combo" and value not in self.choices:
            return f"one of {', '.join(self.choices)} expected"
        if self.kind == "button" and value:
            return "a button takes no value"
        if value.strip(" ") != value or CONTROLS.search(value):
            return "one line without blanks at its ends expected"
        return None


@dataclass(frozen=True, slots=True)
class Feature:
    """``names`` as announced; the known ones are ``FEATURES``."""

    word: ClassVar[str] = "feature"
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HelloOk:
    word: ClassVar[str] = "dvpok"
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class ReadyOk:
    word: ClassVar[str] = "readyok"


@dataclass(frozen=True, slots=True)
class Move:
    """An answer. ``ply_text`` is the word after ``move`` whatever it is, empty when there is none.

    A judge decides whether it is a ply. ``values`` has keys of ``MOVE_KEYS``: ``ply``, the number of
    the ply that is answered.
    """

    word: ClassVar[str] = "move"
    ply_text: str
    values: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Resign:
    word: ClassVar[str] = "resign"


@dataclass(frozen=True, slots=True)
class Info:
    """What the bot thinks; ``values`` has keys of ``INFO_KEYS`` and ``x-NAME``, each a well-formed value.

    ``pv`` is the expected line of play, as far as it has the shape of plies.
    """

    word: ClassVar[str] = "info"
    values: Mapping[str, str] = field(default_factory=dict)
    pv: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InfoString:
    word: ClassVar[str] = "info string"
    text: str


@dataclass(frozen=True, slots=True)
class BotError:
    """The bot reports a fault; during the handshake it means that it cannot play."""

    word: ClassVar[str] = "error"
    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Any other line. ``kind`` is the same for lines of the same sort; ``hint`` helps its author."""

    word: ClassVar[str] = ""
    text: str
    hint: str = ""
    kind: str = ""


FromArbiter = (
    Hello | SetOption | NewGame | IsReady | Setup | Board | Legal | Go | Stop | Error | Result | Quit
)
FromBot = Id | Option | Feature | HelloOk | ReadyOk | Move | Resign | Info | InfoString | BotError
Message = FromArbiter | FromBot


def is_key(token: str) -> bool:
    """Whether ``token`` can name an option, a feature or a value."""
    return _KEY.fullmatch(token) is not None


def is_integer(token: str) -> bool:
    """Whether ``token`` is an integer with at most 18 digits, so that it fits every language's 64 bits."""
    digits = token.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 18


def is_natural(token: str) -> bool:
    """Whether ``token`` is an integer >= 0 with at most 18 digits."""
    return token.isascii() and token.isdigit() and len(token) <= 18
