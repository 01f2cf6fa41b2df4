"""The rules of DVONN.

A :class:`Position` knows its legal plies and makes the position after one; a :class:`Ply` is a value with a
text::

    position = Position.start()
    position = position.play(parse_ply("D1"))
    print(position.dpos, position.legal_plies())

``position.is_over`` and ``position.score`` end a game; :func:`parse_dpos` starts one from any lawful set-up.
"""

from protocol.rules.geometry import SPACES
from protocol.rules.perft import divide, perft
from protocol.rules.ply import PASS, Ply, parse_ply
from protocol.rules.position import Position, parse_dpos
from protocol.rules.terms import Phase, Rules, Score, Side, Stack

__all__ = [
    "PASS",
    "SPACES",
    "Phase",
    "Ply",
    "Position",
    "Rules",
    "Score",
    "Side",
    "Stack",
    "divide",
    "parse_dpos",
    "parse_ply",
    "perft",
]
