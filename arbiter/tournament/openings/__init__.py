"""Where games start: the empty board, boards set up by chance, or the openings of a file.

``parse_openings`` and ``OpeningsSpec`` say which are meant; ``open_openings`` gives them by number::

    openings = open_openings(parse_openings("balanced"), seed=2026)
    position, name = openings[16].position, openings[16].name   # "balanced 17"

An opening depends on kind, seed and index alone. Games of a pair play the same one.
"""

from arbiter.tournament.openings.boards import BOARD_KINDS, BoardKind, set_up_board
from arbiter.tournament.openings.files import OpeningFile, read_openings
from arbiter.tournament.openings.fixed import FixedPosition
from arbiter.tournament.openings.opening import Opening, OpeningsError
from arbiter.tournament.openings.sources import Openings, fault_of_openings, open_openings
from arbiter.tournament.openings.spec import KIND_WORDS, ORDERS, OpeningsSpec, parse_openings

__all__ = [
    "BOARD_KINDS",
    "KIND_WORDS",
    "ORDERS",
    "BoardKind",
    "FixedPosition",
    "Opening",
    "OpeningFile",
    "Openings",
    "OpeningsError",
    "OpeningsSpec",
    "fault_of_openings",
    "open_openings",
    "parse_openings",
    "read_openings",
    "set_up_board",
]
