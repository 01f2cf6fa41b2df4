"""One finished game, as far as points, ratings and tables need to know it."""

from dataclasses import dataclass
from typing import Literal

from arbiter.match.clock import ClockUse
from arbiter.match.fault import Code, Fault
from arbiter.match.game import Result, check_end
from arbiter.match.termination import Termination

__all__ = ["Colour", "Outcome", "Result"]

Colour = Literal["white", "black"]

WHITE_POINTS: dict[str, float] = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}

CODECUP_WIN = 90
"""What the CodeCup adds to the winner's own pieces; both get half of it for a draw."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is kept of a game.

    ``number`` is its place in the schedule. ``pair`` is shared by two games on the same opening with
    colours swapped, None for a game that belongs to no pair. ``offender`` is the side that forfeited.
    The scores are the pieces of the final board. ``weight`` is 0 for a game that repeats an earlier
    one ply by ply: it stands in the table, but tells the ratings nothing. ``fingerprint`` is equal for
    games that are the same ply by ply between the same bots with the same colours, and None where
    that cannot be known. ``detail`` says in a few words why a game is void, ``fault`` as data where that is
    known; a void one that is ``replayed`` has another outcome as well. ``clocks`` are White's and
    Black's, ``lag`` the arbiter's worst delay in ns. ``opening``: where the game started, None for the
    empty board.

    Raises ValueError for a bot that plays itself, an unknown result and a forfeit that is not the
    offender's loss.
    """

    number: int
    pair: int | str | None
    white: str
    black: str
    result: Result
    termination: Termination
    offender: Colour | None = None
    white_score: int = 0
    black_score: int = 0
    weight: int = 1
    detail: str = ""
    clocks: tuple[ClockUse, ClockUse] | None = None
    lag: int = 0
    opening: str | None = None
    fingerprint: int | None = None
    fault: Fault | None = None
    replayed: bool = False

    def __post_init__(self) -> None:
        if self.white == self.black:
            raise ValueError(f"{self.white!r} plays itself")
        check_end(self.result, self.termination, self.offender)

    @property
    def is_void(self) -> bool:
        """No game at all: interrupted, both failed, or the arbiter's own fault."""
        return self.result == "*" or self.termination is Termination.VOID

    @property
    def late(self) -> str | None:
        """The bot that the machine made late, which made the game void."""
        is_late = self.fault is not None and self.fault.code in (Code.MACHINE_LATE, Code.STARVED)
        return self._bot("side") if is_late else None

    @property
    def culprit(self) -> str | None:
        """The bot that computed in its opponent's turn when the machine made the opponent late."""
        return self._bot("culprit")

    def _bot(self, fact: str) -> str | None:
        side = "" if self.fault is None else self.fault.text(fact)
        return {"white": self.white, "black": self.black}.get(side)

    @property
    def white_points(self) -> float:
        """1, 1/2 or 0; not to be asked of a void game."""
        return WHITE_POINTS[self.result]

    @property
    def margin(self) -> int | None:
        """White's pieces minus Black's; None unless the game was played to its end."""
        if self.termination is not Termination.NORMAL:
            return None
        return self.white_score - self.black_score

    @property
    def codecup_points(self) -> tuple[int, int]:
        """White's and Black's points by the CodeCup's rule.

        Each side gets its pieces on the final board, the winner 90 more, both 45 more for a draw; a
        side that forfeits gets nothing.
        """
        bonus = round(CODECUP_WIN * self.white_points)
        white, black = self.white_score + bonus, self.black_score + CODECUP_WIN - bonus
        if self.offender is not None:
            return (0, black) if self.offender == "white" else (white, 0)
        return white, black
