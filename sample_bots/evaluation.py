"""What a board is worth, for bots that cannot look at a game to its end.

Values are hundredths of a piece of the final margin, from the side to move.
"""

from typing import NamedTuple

from protocol.rules import SPACES
from protocol.rules.board import HEIGHT_BYTES, Board
from sample_bots.board import around, layers, prospects

PIECE = 100
"""The value of one piece."""


class Weights(NamedTuple):
    """What is counted, own less the opponent's: how many hundredths of a piece each one is worth.

    ``pieces`` are those in all own stacks. ``close`` are stacks next to a red or with one inside, and
    ``near`` those as well as their neighbours: they are the last to be cut off. ``movers`` are stacks that
    can move, and ``moves`` what they can do. ``safe`` are pieces in stacks that the other side cannot land on
    at once. ``turn`` goes to the side to move.
    """

    pieces: int = 0
    close: int = 0
    near: int = 0
    movers: int = 0
    moves: int = 0
    safe: int = 0
    turn: int = 0


EARLY = Weights(close=53, near=214, movers=-90, moves=16, safe=23, turn=251)
LATE = Weights(close=50, near=-29, movers=162, moves=72, safe=83, turn=-83)
"""The weights of a full and of an empty board; in between they change with the number of stacks.

``benchmarks/weights.py`` fitted them by least squares to the final margins of 3,500 games, in which
``searcher`` looked at 250 positions a ply. They tell how DVONN changes: on a full board a stack near a red is
worth more than two pieces, for it will not be cut off; in the end what is safe counts, and who can still
move.
"""


class Evaluation:
    """Values boards by weights; with one set of them they are the same for all boards. Call it with a board.

    >>> from protocol.rules import parse_dpos
    >>> from sample_bots.board import light
    >>> board = light(parse_dpos("........./..b......./..wrw....../........../......... w m"))
    >>> Evaluation(Weights(pieces=100))(board)
    100
    """

    def __init__(self, early: Weights = EARLY, late: Weights | None = None) -> None:
        late = late or (LATE if early is EARLY else early)
        self._weights = [_mixed(early, late, stacks / len(SPACES)) for stacks in range(len(SPACES) + 1)]

    def __call__(self, board: Board) -> int:
        """The margin to expect, for the side to move."""
        occupied, own, opposing, red, heights, _ = board
        pieces, close, near, movers, moves, safe, value = self._weights[occupied.bit_count()]
        tall = heights.to_bytes(HEIGHT_BYTES, "little")
        our_movers, our_moves, our_targets = prospects(occupied, own, tall)
        their_movers, their_moves, their_targets = prospects(occupied, opposing, tall)
        first = around(red)
        second = around(first & occupied)
        value += close * ((own & first).bit_count() - (opposing & first).bit_count())
        value += near * ((own & second).bit_count() - (opposing & second).bit_count())
        value += movers * (our_movers - their_movers) + moves * (our_moves - their_moves)
        if safe:
            value += safe * (layers(heights, own & ~their_targets) - layers(heights, opposing & ~our_targets))
        if pieces:
            value += pieces * (layers(heights, own) - layers(heights, opposing))
        return value


def _mixed(early: Weights, late: Weights, share: float) -> Weights:
    return Weights(
        *(round(late_one + share * (one - late_one)) for one, late_one in zip(early, late, strict=True))
    )


def margin(board: Board) -> int:
    """By how much the side to move leads: the value of a finished game."""
    return PIECE * (layers(board[4], board[1]) - layers(board[4], board[2]))
