"""What the arbiter and a bot must agree on: the rules of DVONN, the bot language, and game records.

Standard library only, no input or output, and no clock, so that a bot may import any part of it at little
cost. Start with :mod:`protocol.rules`; :mod:`protocol.errors` lists what can go wrong.
"""
