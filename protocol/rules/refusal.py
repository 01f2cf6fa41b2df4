"""Why a ply is illegal, in words that help the author of a bot.

Only asked once a ply is known to be illegal, so clarity comes before speed.
"""

from protocol.rules.board import Board
from protocol.rules.geometry import FENCE, INDEX, LONGEST_JUMP
from protocol.rules.notation import stacks_of
from protocol.rules.ply import Ply
from protocol.rules.terms import Side


def placement_fault(board: Board, ply: Ply) -> tuple[str, str]:
    """The rule broken, as token and sentence, while pieces are still being placed."""
    if ply.source or ply.target is None:
        empty = len(INDEX) - board[0].bit_count()
        what = "no side passes" if ply.is_pass else "no stack moves"
        left = "the last piece has" if empty == 1 else f"{empty} pieces have"
        return "placement-phase", f"{what} before the board is full; {left} still to be placed"
    return "occupied", f"{ply.target} is occupied, and a piece is placed on an empty space"


def movement_fault(board: Board, ply: Ply, over: bool, must_pass: bool) -> tuple[str, str]:
    """The rule broken, as token and sentence, once the board has been full."""
    word = board[5].word
    if over:
        return "game-over", "neither side has a stack move, the game is over"
    if ply.is_pass:
        return "may-not-pass", f"{word} has a stack move, and only a side without one passes"
    if ply.source is None or ply.target is None:
        return "movement-phase", "all pieces have been placed; a stack move names two spaces, as in H1G1"
    if must_pass:
        return "must-pass", f"{word} has no stack move and must pass"
    return _source_fault(board, ply.source) or _landing_fault(board, ply, ply.source, ply.target)


def _source_fault(board: Board, source: str) -> tuple[str, str] | None:
    """What forbids the stack to move at all."""
    occupied, _, _, _, _, mover = board
    stack = stacks_of(board).get(source)
    if stack is None:
        return "empty-source", f"{source} is empty"
    if stack.top is None:
        return "lone-red", f"{source} is a lone red, which never moves"
    if stack.top is not mover:
        return "not-your-stack", f"{source} is topped by {stack.top.word}, and {Side(mover).word} is to move"
    if occupied & FENCE[INDEX[source]] == FENCE[INDEX[source]]:
        return "surrounded", f"{source} has all six neighbours occupied, and a surrounded stack does not move"
    return None


def _landing_fault(board: Board, ply: Ply, source: str, target: str) -> tuple[str, str]:
    """What forbids the stack to move there."""
    height = stacks_of(board)[source].height
    if source == target:
        return "same-space", "a stack move leaves its space"
    if ply.distance < 0:
        return "direction", (
            f"{target} is not in a straight line from {source}; a direction keeps the row, keeps the column, "
            "or changes both alike (B2 to C3 or A1)"
        )
    if ply.distance != height:
        spaces = f"{height} space" if height == 1 else f"{height} spaces"
        note = ", farther than the board is wide" if height > LONGEST_JUMP else ""
        return (
            "distance",
            f"a stack of height {height} moves exactly {spaces}{note}, {target} is {ply.distance} away",
        )
    return "empty-target", f"{target} is empty, and a stack lands on an occupied space"
