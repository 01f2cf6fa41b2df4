"""Where to place a piece: as near to a red as can be. Stacks far from all reds are the first to be cut off.

``benchmarks/weights.py`` measured on 12,000 random full boards, which players of one ply played out: a piece
within three steps of a red is worth 1.4 pieces at the end, within two steps 1.0 more, and next to a red 0.7
more. The edge adds 0.4, and neighbours of the same colour nothing that can be told from chance.
"""

from random import Random

from protocol.rules import Ply, Position
from protocol.rules.board import REDS
from protocol.rules.geometry import COORDINATES


def steps(source: str, target: str) -> int:
    """Steps from one space to another over the board.

    >>> steps("A1", "C3"), steps("C1", "A3")
    (2, 4)
    """
    (column, row), (to_column, to_row) = COORDINATES[source], COORDINATES[target]
    right, up = to_column - column, to_row - row
    # A diagonal step goes right and up, or left and down: two in one, where both have the same sign.
    return max(abs(right), abs(up), abs(right - up))


def place(position: Position, chance: Random) -> Ply:
    """A placement. Chance puts the reds, and decides between spaces that are equally near to one."""
    plies = sorted(position.legal_plies())
    reds = [space for space, stack in position.stacks().items() if stack.has_red]
    if len(reds) < REDS:
        return chance.choice(plies)
    distances = {ply: min(steps(red, str(ply)) for red in reds) for ply in plies}
    nearest = min(distances.values())
    return chance.choice([ply for ply in plies if distances[ply] == nearest])
