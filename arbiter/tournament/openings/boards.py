"""Full boards to start from: 49 pieces, each alone on its space, 3 red, 23 white and 23 black.

A board depends on its kind, a seed and its number alone. It is made when it is asked for, without the ones
before it, and comes out the same with every version of Python (see :mod:`.chance`).

``random``
    Any board, all with the same chance.

``balanced``
    No piece is walled in, which is to have no neighbour but pieces of its own colour. And White and Black
    have equally many pieces, or one more or less, on the 24 spaces of the edge, from where the first stacks
    move, and in each half of the board.

    The board has two mirrors, and each makes two halves that are alike in shape and in neighbours. *Front*
    and *back* are rows 1-2 and rows 4-5, 19 spaces each; the 11 of row 3 lie on the mirror between them.
    *Left* and *right* are what stands left and right of the centre F3 in the drawing, 23 spaces each; E1, F3
    and G5 lie on the mirror. (Column F is slanted and no mirror: half a turn makes one of its sides the
    other, but nothing tells which of them is left.) Spaces on a mirror count for neither half.

    The reds lie anywhere with the same chance, and then all balanced colourings have the same chance.

``symmetric``
    A red lies in the centre F3. Turned by half a turn with the colours exchanged the board is the same, so
    that the right to move first is all that tells the sides apart; the other two reds are each other's
    images. All such boards have the same chance. There are 24 * 2**23 of them, so that one may come twice:
    among 1,000 boards once in 400 seeds.
"""

from typing import Literal, TypeAlias, get_args

from arbiter.tournament.openings.chance import Chance
from protocol.rules import Phase, Position, Rules, Side, Stack, parse_dpos
from protocol.rules.geometry import COORDINATES, FULL_BOARD, INDEX, NEIGHBOURS
from protocol.rules.notation import format_dpos

BoardKind: TypeAlias = Literal["random", "balanced", "symmetric"]
BOARD_KINDS: tuple[BoardKind, ...] = get_args(BoardKind)

_Board: TypeAlias = tuple[int, int]
"""The spaces of the reds and of the white pieces, as bits."""

_REDS = 3
_OF_A_SIDE = 23
_BITS = tuple(1 << index for index in sorted(NEIGHBOURS))
_CENTRE = INDEX["F3"]
_PAIRS = tuple((1 << index, 1 << 2 * _CENTRE - index) for index in sorted(NEIGHBOURS) if index < _CENTRE)
"""Each space before the centre with its image by half a turn."""


def set_up_board(kind: BoardKind, seed: int, index: int, rules: Rules = Rules.STANDARD) -> Position:
    """Board number ``index`` (from 0) of a seed: White is to move, or Black by ``Rules.BLACK_FIRST``.

    Both variants of the rules have the same boards.
    """
    red, white = _MAKERS[kind](Chance("dvonn", kind, seed, index))
    stacks = {name: _piece(1 << bit, red, white) for name, bit in INDEX.items()}
    first = Side.BLACK if rules is Rules.BLACK_FIRST else Side.WHITE
    return parse_dpos(format_dpos(stacks, first, Phase.MOVEMENT), rules)


def _piece(bit: int, red: int, white: int) -> Stack:
    if bit & red:
        return Stack(1, None, True)
    return Stack(1, Side.WHITE if bit & white else Side.BLACK, False)


# --- kinds -------------------------------------------------------------------------------------------------


def _random(chance: Chance) -> _Board:
    red = _reds(chance)
    return red, _whites(chance, FULL_BOARD ^ red)


def _balanced(chance: Chance) -> _Board:
    """Colour until it fits, which takes a few hundred attempts; each is quick."""
    red = _reds(chance)
    free = FULL_BOARD ^ red
    while not _is_balanced(white := _whites(chance, free), free ^ white):
        pass
    return red, white


def _symmetric(chance: Chance) -> _Board:
    pairs = list(_PAIRS)
    one, other = pairs.pop(chance.below(len(pairs)))
    coin = chance.word()
    white = sum(pair[coin >> place & 1] for place, pair in enumerate(pairs))
    return 1 << _CENTRE | one | other, white


_MAKERS = {"random": _random, "balanced": _balanced, "symmetric": _symmetric}


def _reds(chance: Chance) -> int:
    red = 0
    while red.bit_count() < _REDS:
        red |= _BITS[chance.below(len(_BITS))]
    return red


def _whites(chance: Chance, free: int) -> int:
    """Half of the spaces ``free``: a coin for each, all anew until as many show white as black."""
    while (white := chance.word() & free).bit_count() != _OF_A_SIDE:
        pass
    return white


# --- balance -----------------------------------------------------------------------------------------------


def _spaces(*names: str) -> int:
    return sum(1 << INDEX[name] for name in names)


def _across(name: str) -> int:
    """How far right of the centre a space is drawn, in half spaces: rows above are shifted to the left."""
    column, row = COORDINATES[name]
    centre_column, centre_row = COORDINATES["F3"]
    return 2 * (column - centre_column) - (row - centre_row)


_REGIONS = (
    _spaces(*(name for name in INDEX if _across(name) < 0)),
    _spaces(*(name for name in INDEX if _across(name) > 0)),
    _spaces(*(name for name in INDEX if name[1] in "12")),
    _spaces(*(name for name in INDEX if name[1] in "45")),
    _spaces(*(name for name, index in INDEX.items() if NEIGHBOURS[index].bit_count() < 6)),
)
"""Left, right, front, back and the edge."""


def _is_balanced(white: int, black: int) -> bool:
    even = all(abs((white & part).bit_count() - (black & part).bit_count()) <= 1 for part in _REGIONS)
    return even and not (_walled_in(white) or _walled_in(black))


def _walled_in(own: int) -> int:
    """The pieces of a side that have no neighbour but pieces of that side."""
    foreign = FULL_BOARD ^ own
    reached = foreign << 1 | foreign >> 1 | foreign << 12 | foreign >> 12 | foreign << 13 | foreign >> 13
    return own & ~reached
