"""Which positions a game may be set up from: the conditions on a DPOS, each with the cell it fails at."""

from protocol.errors import PositionError
from protocol.rules.board import REDS
from protocol.rules.geometry import INDEX, SPACES, TALLEST, cut_off, names
from protocol.rules.terms import Phase, Side, Stack

MOST_TOPS = 23
"""Pieces of each colour in the box, hence the most stacks a side can top."""


def placement_counts(pieces: int) -> dict[Side | None, int]:
    """Pieces of each colour once so many lie on the board; the reds are under ``None``."""
    coloured = max(pieces - REDS, 0)
    return {None: min(pieces, REDS), Side.BLACK: (coloured + 1) // 2, Side.WHITE: coloured // 2}


def placement_mover(pieces: int) -> Side:
    """Who places the next piece when so many lie on the board."""
    return Side(pieces % 2)


def check_setup(stacks: dict[str, Stack], to_move: Side, phase: Phase) -> None:
    """Make sure that a game may go on from here.

    :raises PositionError: with the cell at which a condition first fails, in the order of ``SPACES``, and the
        condition.
    """
    if phase is Phase.PLACEMENT:
        _check_placement(stacks, to_move)
    else:
        _check_movement(stacks)


def _check_placement(stacks: dict[str, Stack], to_move: Side) -> None:
    for name, stack in stacks.items():
        if stack.height > 1:
            raise PositionError(
                name, "placement-height", f"in phase p every height is 1, this is {stack.height}"
            )
    pieces = len(stacks)
    if pieces == len(SPACES):
        raise PositionError(None, "placement-full", "phase p needs an empty space; a full board is phase m")
    for colour, most in placement_counts(pieces).items():
        found = [name for name, stack in stacks.items() if stack.top is colour]
        if len(found) > most:
            reason = f"with {pieces} pieces down {most} are {_word(colour)}, here {len(found)}"
            raise PositionError(found[most], "placement-count", reason)
    if to_move is not placement_mover(pieces):
        reason = f"with {pieces} pieces down {placement_mover(pieces).word} places the next"
        raise PositionError(None, "placement-side", reason)


def _check_movement(stacks: dict[str, Stack]) -> None:
    reds = [name for name, stack in stacks.items() if stack.has_red]
    if not 1 <= len(reds) <= REDS:
        cell = reds[REDS] if reds else None
        raise PositionError(cell, "reds", f"phase m has 1 to 3 stacks that hold a red, here {len(reds)}")
    total = 0
    for name, stack in stacks.items():
        total += stack.height
        if total > TALLEST:
            layers = sum(stack.height for stack in stacks.values())
            raise PositionError(name, "total-height", f"the game has 49 pieces, the heights sum to {layers}")
    for side in Side:
        tops = [name for name, stack in stacks.items() if stack.top is side]
        if len(tops) > MOST_TOPS:
            reason = f"a side has 23 pieces, here {side.word} tops {len(tops)} stacks"
            raise PositionError(tops[MOST_TOPS], "tops", reason)
    adrift = names(cut_off(_mask(list(stacks)), _mask(reds), _mask(list(stacks))))
    if adrift:
        raise PositionError(
            adrift[0], "connection", "no chain of neighbours leads to a stack that holds a red"
        )


def _mask(spaces: list[str]) -> int:
    return sum(1 << INDEX[name] for name in spaces)


def _word(colour: Side | None) -> str:
    return "red" if colour is None else colour.word
