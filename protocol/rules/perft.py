"""Counting plies to a depth: the usual check that two implementations of the rules agree.

A forced pass is one ply, and a finished game has none. Every position at the last depth is really made, so
that the count also tests what plies leave behind.
"""

from protocol.rules.board import Board, can_move, passed, successors
from protocol.rules.ply import Ply
from protocol.rules.position import Position
from protocol.rules.terms import Phase


def perft(position: Position, depth: int) -> int:
    """Sequences of ``depth`` plies from a position; 1 at depth 0.

    >>> perft(Position.start(), 2) == 49 * 48
    True

    :raises ValueError: the depth is negative.
    """
    if depth < 0:
        raise ValueError(f"a depth is 0 or more, not {depth}")
    if depth == 0:
        return 1
    if position.phase is Phase.MOVEMENT:
        return _count(position._board, depth)
    return sum(perft(position.play(ply), depth - 1) for ply in position.legal_plies())


def divide(position: Position, depth: int) -> dict[Ply, int]:
    """The same count split by the first ply, in the order of ``legal_plies``.

    >>> divide(parse_dpos("........./..b......./..wrw....../........../......... w m"), 2)
    {parse_ply('C3D3'): 1, parse_ply('C3D4'): 1, parse_ply('E3D3'): 2}

    :raises ValueError: the depth is less than 1.
    """
    if depth < 1:
        raise ValueError(f"a depth to divide is 1 or more, not {depth}")
    return {ply: perft(position.play(ply), depth - 1) for ply in position.legal_plies()}


def _count(board: Board, depth: int) -> int:
    after = successors(board) or _forced_pass(board)
    if depth == 1:
        return len(after)
    return sum([_count(following, depth - 1) for following in after])


def _forced_pass(board: Board) -> list[Board]:
    waiting = passed(board)
    return [waiting] if can_move(waiting) else []
