"""What the arbiter and a bot must agree on: the rules of DVONN, the bot language, and game records.

Standard library only, so that a bot may import any part of it at little cost; no input or output, and no
clock, :mod:`protocol.bot` excepted. Start with :mod:`protocol.rules`, and with :mod:`protocol.bot` for a bot;
:mod:`protocol.errors` lists what can go wrong.

>>> from protocol.rules import Position, parse_ply
>>> position = Position.start().play(parse_ply("D1"))
>>> position.dpos
'........./........../.........../........../...r..... b p'
"""
