"""The words of the game: sides, phases, rule variants, stacks and scores."""

from enum import Enum, IntEnum, StrEnum
from typing import NamedTuple


class Side(IntEnum):
    """A player, by the colour of the pieces.

    >>> Side.WHITE.other.word
    'black'
    """

    WHITE = 0
    BLACK = 1

    @property
    def other(self) -> "Side":
        """The opponent."""
        return Side.BLACK if self is Side.WHITE else Side.WHITE

    @property
    def word(self) -> str:
        """``white`` or ``black``."""
        return ("white", "black")[self]

    @property
    def letter(self) -> str:
        """``w`` or ``b``, as in a DPOS."""
        return "wb"[self]


class Phase(Enum):
    """The two parts of a game; the value is the letter of a DPOS."""

    PLACEMENT = "p"
    MOVEMENT = "m"


class Rules(StrEnum):
    """Who makes the first stack move: White by the official rules, Black by an older encyclopedia."""

    STANDARD = "standard"
    BLACK_FIRST = "black-first"


class Stack(NamedTuple):
    """What matters about the pieces on one space.

    ``top`` is the side that owns it, ``None`` for a lone red piece; ``has_red`` says whether any layer is
    red.

    >>> Stack(height=3, top=Side.BLACK, has_red=True).top.letter
    'b'
    """

    height: int
    top: Side | None
    has_red: bool


class Score(NamedTuple):
    """Layers of all stacks topped by each side."""

    white: int
    black: int
