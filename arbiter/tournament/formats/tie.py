"""A tie of a knockout: two bots, of which one goes on."""

from dataclasses import dataclass
from typing import Any, Literal

By = Literal["score", "margin", "seed", "absence", "draw"]
"""What let a bot through: the other's "absence", or a later "draw" whatever the games say by now."""


@dataclass(frozen=True, slots=True)
class Tie:
    """How it stands between two bots in a round, or how it ended.

    ``points`` are the first bot's and the other's, ``margin`` is the first bot's, ``pending`` counts the
    games that were drawn and are not over. ``winner`` and ``by`` are None while the tie is open; with both
    absent it is over without a winner.
    """

    round: int
    one: str
    other: str
    points: tuple[float, float]
    margin: int
    pending: int = 0
    winner: str | None = None
    by: By | None = None

    @property
    def is_over(self) -> bool:
        return self.by is not None

    def as_json(self) -> dict[str, Any]:
        """As programs are told."""
        return {
            "round": self.round,
            "one": self.one,
            "other": self.other,
            "points": list(self.points),
            "margin": self.margin,
            "open_games": self.pending,
            "over": self.is_over,
            "winner": self.winner,
            "by": self.by,
        }

    def __str__(self) -> str:
        first, second = self.points
        if self.winner is None:
            state = "ends without a winner" if self.is_over else "is open"
            return f"{self.one} - {self.other} {state} at {first:g}:{second:g}"
        if self.winner == self.one:
            return _won(self.one, self.other, f"{first:g}:{second:g}", self.by, self.margin)
        return _won(self.other, self.one, f"{second:g}:{first:g}", self.by, -self.margin)


def _won(winner: str, loser: str, score: str, by: By | None, margin: int) -> str:
    match by:
        case "margin":
            return f"{winner} beats {loser} {score} by margin ({margin:+})"
        case "seed":
            return f"{winner} beats {loser} {score} by seed"
        case "absence":
            return f"{winner} goes on at {score}, for {loser} plays no more"
        case "draw":
            return f"{winner} went on as it was drawn, though it is {score} against {loser} now"
    return f"{winner} beats {loser} {score}"
