r"""A bot in Python: write how to choose a ply, and :func:`run` does everything else.

A function is enough. It gets the position, with the bot to move, and the clock, and gives a ply::

    import random
    from protocol.bot import run

    def choose(position, clock):
        return random.choice(position.legal_plies())

    run(choose, name="Mine")

A class derived from :class:`Bot` has more: options that a tournament's owner can set, ``info`` about the
search, and hooks for the beginning and the end of a game.

>>> from protocol.bot import Bot, Clock, Spin, run
>>> class Patient(Bot):
...     author = "Zoë Example"
...     depth = Spin("Depth", 3, 1, 9)
...
...     def choose(self, position, clock):
...         ply = min(position.legal_plies())
...         self.info(depth=self.depth.value, score=1.5, pv=[ply])
...         return ply

Here it is in a conversation; without ``stdin`` and ``stdout`` it uses those of the process:

>>> import io
>>> lines = ["dvp 1", "setoption Depth 5", "newgame white", "position start moves A1 B1", "go ply 3", "quit"]
>>> answers = io.BytesIO()
>>> run(Patient(), stdin=io.BytesIO("\n".join(lines).encode()), stdout=answers)
>>> print(answers.getvalue().decode(), end="")
id name Patient
id author Zoë Example
option Seed spin 0 0 2147483647
option Depth spin 3 1 9
dvpok
info depth 5 score 1.5 pv A2
move A2

What a bot may rely on:

- It is asked for each of its plies, the two of White around the end of placement included; a forced pass is
  answered without asking it.
- Chance is the same with the same ``Seed``: ``self.random``, and the functions of the module ``random``, too,
  begin anew with each game. (A set of plies has no order that one can rely on: sort before you choose.)
- What it prints goes to standard error, even from programs that it starts, so that nothing gets between the
  lines for the arbiter. The arbiter keeps the beginning and the end of it.
- An exception ends it with a traceback and an exit status, and the arbiter reports a crash. An illegal ply is
  sent as it is: the arbiter names the rule it breaks.
- What it tells with ``info`` loses no game: a value that the arbiter could not read, such as a score that is
  not a number, is left out, and the log says so. Tried without an arbiter it raises ValueError.
- A bot whose ``features`` have ``stop`` looks at ``clock.is_up`` while it thinks.

This package needs the standard library only. It is the one part of :mod:`protocol` that reads, writes and
looks at the time. It speaks the language by itself instead of importing :mod:`protocol.dvp`, which would take
as long as everything else a bot needs: a tournament starts each bot anew for every game.
"""

from protocol.bot.clock import Clock
from protocol.bot.options import Button, Check, Combo, Option, Spin, Text
from protocol.bot.player import RESIGN, Bot, Choose, Game, Result
from protocol.bot.session import run

__all__ = [
    "RESIGN",
    "Bot",
    "Button",
    "Check",
    "Choose",
    "Clock",
    "Combo",
    "Game",
    "Option",
    "Result",
    "Spin",
    "Text",
    "run",
]
