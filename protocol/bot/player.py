"""A bot as its author writes it: the base class with its hooks, and what it is told about its games."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from protocol.bot.clock import Clock
from protocol.bot.options import Option
from protocol.bot.thoughts import Thoughts
from protocol.rules import Ply, Position, Rules, Side

RESIGN = "resign"
"""The answer that gives the game up."""

Choose = Callable[[Position, Clock], Ply | str]
"""A bot in one function: from a position with the bot to move, and its clock, to a ply (or ``RESIGN``)."""


class Game(NamedTuple):
    """What is known about a game when it begins; times in milliseconds, None where there is none.

    ``name`` is the arbiter's word for the game, ``clock`` what is charged (``wall``, ``cpu`` or ``fair``),
    ``ponder`` whether thinking in the opponent's time is welcome.
    """

    side: Side = Side.WHITE
    opponent: str = ""
    rules: Rules = Rules.STANDARD
    name: str = ""
    time: int | None = None
    increment: int = 0
    movetime: int | None = None
    grace: int = 0
    clock: str = "wall"
    ponder: bool = False


class Result(NamedTuple):
    """How a game ended: ``text`` is ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``, ``reason`` the arbiter's word.

    ``white`` and ``black`` are the pieces that each side owned at the end.

    >>> Result("1-0", 20, 3, "normal").winner
    <Side.WHITE: 0>
    """

    text: str
    white: int = 0
    black: int = 0
    reason: str = ""

    @property
    def winner(self) -> Side | None:
        """Who won; None for a draw and for a game that does not count."""
        return {"1-0": Side.WHITE, "0-1": Side.BLACK}.get(self.text)


class Bot:
    """Derive from this class and override :meth:`choose`; everything else is optional.

    Class attributes introduce the bot: ``name`` (else the name of the class), ``author``, ``version``, and
    ``features``, those of the language that it has: ``reuse`` (it can play another game in the same process),
    ``stop`` (it looks at ``clock.is_up`` while it thinks), ``nolegal`` and ``noboard`` (it wants no such
    lines, which it does not need). ``ready`` is announced for a bot that overrides :meth:`new_game`. Options
    are class attributes, too.

    While a game is played, ``game`` says what is known about it, ``start`` and ``plies`` where it began and
    what has been played since, and ``random`` is the source of chance, seeded for each game.
    """

    name: str = ""
    author: str = ""
    version: str = ""
    features: Sequence[str] = ()

    game: Game = Game()
    start: Position = Position.start()
    plies: tuple[Ply, ...] = ()
    random: Random = Random(0)
    _say: Callable[..., None] | None = None
    _complained: frozenset[str] = frozenset()

    def on_say(self, listener: Callable[..., None]) -> None:
        """Have what the bot says go to ``listener``, line by line; without one it goes nowhere."""
        self._say = listener

    def new_game(self, game: Game) -> None:
        """Get ready for a game: load tables, warm up. No clock runs, but the start limit does (10 s)."""

    def choose(self, position: Position, clock: Clock) -> Ply | str:
        """The ply to play, or ``RESIGN``. There is always more to choose from than a pass."""
        raise NotImplementedError(f"{type(self).__name__} has no method `choose`")

    def result(self, result: Result) -> None:
        """Learn how the game ended."""

    @property
    def options(self) -> Sequence[Option[Any]]:
        """What is offered for setting: the class attributes that are options, base classes first."""
        found: dict[str, Option[Any]] = {}
        for owner in reversed(type(self).__mro__):
            found |= {key: value for key, value in vars(owner).items() if isinstance(value, Option)}
        return tuple(found.values())

    def info(
        self,
        *,
        depth: int | None = None,
        score: float | None = None,
        exact: bool = False,
        nodes: int | None = None,
        nps: int | None = None,
        time: int | None = None,
        hashfull: int | None = None,
        currmove: Ply | None = None,
        pv: Iterable[Ply] = (),
        string: str = "",
        metrics: Mapping[str, float] | None = None,
    ) -> None:
        """Tell what the bot thinks, while it thinks; it goes into the record and never matters for the game.

        ``score`` is the margin in pieces that the bot expects at the end, from its own side; ``exact`` says
        that it is proved. ``pv`` is the expected line of play. ``metrics`` are numbers of the bot's own by
        name, sent as ``x-NAME``. ``string`` is free text, on a line of its own.

        What the arbiter could not read, such as a score that is not a number, loses no game: it is left
        out, and a line ``error`` says so in the log, the first time.

        :raises ValueError: there is such a value, and nobody listens: the bot is being tried without an
            arbiter.
        """
        numbers = {
            "depth": depth,
            "score": score,
            "exact": int(bool(exact)) or None,
            "nodes": nodes,
            "nps": nps,
            "time": time,
            "hashfull": hashfull,
        }
        thoughts = Thoughts(numbers, currmove, pv, string, metrics)
        if self._say is None:
            if thoughts.faults:
                raise ValueError(next(iter(thoughts.faults.values())))
            return
        fresh = {what: fault for what, fault in thoughts.faults.items() if what not in self._complained}
        self._complained |= fresh.keys()
        lines = [*thoughts.lines, *(f"error {fault}; it is left out" for fault in fresh.values())]
        if lines:
            self._say(*lines)


class FunctionBot(Bot):
    """A function as a bot."""

    def __init__(self, function: Choose, options: Sequence[Option[Any]]) -> None:
        self._function = function
        self._options = tuple(options)

    def choose(self, position: Position, clock: Clock) -> Ply | str:
        return self._function(position, clock)

    @property
    def options(self) -> Sequence[Option[Any]]:
        return self._options
