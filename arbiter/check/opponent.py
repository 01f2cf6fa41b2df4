"""The opponent in the games of the check: chance from a seed, and an inclination to bring about passes."""

from enum import Enum
from random import Random

from protocol.rules import Phase, Ply, Position, parse_dpos

_LOST = 1_000
"""What an end of the game weighs: it is to be put off, for more plies show more."""


class Aim(Enum):
    """What the opponent inclines to."""

    STIFLE = "stifle"
    """That the bot has no move, and has to pass."""
    YIELD = "yield"
    """That it has none itself, and the bot sees a pass."""


class Opponent:
    """Chooses by chance among the plies that serve its aim best; the same seed, the same choices."""

    def __init__(self, seed: int, aim: Aim = Aim.STIFLE) -> None:
        self._random = Random(seed)
        self._aim = aim

    def choose(self, position: Position) -> Ply:
        """A legal ply of the side to move."""
        plies = sorted(position.legal_plies())
        if position.phase is Phase.PLACEMENT or len(plies) == 1:
            return self._random.choice(plies)
        costs = {ply: self._cost(position.play(ply)) for ply in plies}
        least = min(costs.values())
        return self._random.choice([ply for ply in plies if costs[ply] == least])

    def _cost(self, after: Position) -> int:
        """How far a position is from the aim: the stack moves that are still there."""
        if after.is_over:
            return _LOST
        return _moves(after) if self._aim is Aim.STIFLE else _moves(_turned(after))


def _moves(position: Position) -> int:
    plies = position.legal_plies()
    return 0 if not plies or plies[0].is_pass else len(plies)


def _turned(position: Position) -> Position:
    """The same board with the other side to move."""
    rows, _, phase = position.dpos.split(" ")
    return parse_dpos(f"{rows} {position.to_move.other.letter} {phase}", position.rules)
