"""The rules of DVONN.

A :class:`Position` knows its legal plies and makes the position after one; a :class:`Ply` is a value with a
text. ``is_over`` and ``score`` end a game; :func:`parse_dpos` starts one from any lawful set-up.

>>> position = parse_dpos("........./..b......./..wrw....../........../......... w m")
>>> for ply in position.legal_plies():
...     print(ply, position.play(ply).score)
C3D3 Score(white=3, black=1)
C3D4 Score(white=3, black=0)
E3D3 Score(white=3, black=1)

A whole game, in which both sides take the first ply there is:

>>> position = Position.start()
>>> while not position.is_over:
...     position = position.play(position.legal_plies()[0])
>>> position.score, position.winner
(Score(white=9, black=10), <Side.BLACK: 1>)
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
