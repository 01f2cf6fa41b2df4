"""Asking one bot again what it was asked in a recorded game."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, Clock
from arbiter.match.dialogue import Ear
from arbiter.match.game import BotReport, GameSetup
from arbiter.match.seat import Turn
from arbiter.match.sitting import NotReadyError, Sitting, sit_down
from arbiter.match.verdict import Failure
from protocol.rules import Position, Side, parse_ply


@dataclass(frozen=True, slots=True)
class Script:
    """A recorded game as it is played to a bot again.

    ``plies`` from ``setup.start`` on; ``left`` what the mover's clock showed after each of them, in
    ms, None where that is not known. ``numbers`` (from 1) are the plies to ask for; past the end of
    the record that may be one of the opponent's, in whose turn the bot failed.
    """

    setup: GameSetup
    side: Side
    plies: Sequence[str]
    left: Sequence[int | None]
    numbers: Collection[int]


@dataclass(frozen=True, slots=True)
class Repeated:
    """An answer in place of a recorded one, which is None past the end of the record.

    ``number`` is 0 for a bot that did not get that far. ``used`` is in ns; ``info`` is what the bot said
    while it thought.
    """

    number: int
    position: Position
    recorded: str | None
    answer: str | None
    failure: Failure | None
    used: int
    info: Mapping[str, str] = field(default_factory=dict)


_PATIENCE = 3_000 * MS
"""How long a failure is waited for at most that came in the opponent's turn."""

Teller = Callable[[Repeated], None]
"""Called with each answer as it comes."""


async def replay(script: Script, tell: Teller, ear: Ear | None = None) -> BotReport:
    """Put the questions of a recorded game to one bot; what is known about it then.

    A DVP bot is asked for single plies. A CodeCup bot has to be led through the whole game, so it
    is left as soon as it plays something else. ``ear`` hears all that is said.
    """
    try:
        async with sit_down(script.side, script.setup, ear) as sitting:
            await _Player(script, sitting, tell).play()
    except NotReadyError as error:
        tell(Repeated(0, script.setup.start, None, None, error.failure, 0))
        return error.report
    return sitting.report()


class _Player:
    def __init__(self, script: Script, sitting: Sitting, tell: Teller) -> None:
        self._script = script
        self._sitting = sitting
        self._seat = sitting.seat
        self._tell = tell
        self._opponent_clock = Clock(script.setup.competitor(script.side.other).time)
        self._is_led = sitting.seat.bot.dialect is Dialect.CODECUP

    async def play(self) -> None:
        """Ask what is to be asked, as long as the bot answers and stays on the track it is led along."""
        for number, position in self._questions():
            if position.to_move is self._script.side:
                if not (self._is_led or number in self._script.numbers):
                    continue
                one = await self._ask(number, position)
                if number in self._script.numbers or one.answer != one.recorded:
                    self._tell(one)
                if one.failure or (self._is_led and one.answer != one.recorded):
                    return
            elif number in self._script.numbers:
                self._tell(await self._watch(number, position))
            elif self._is_led and number <= len(self._script.plies):
                self._seat.tell(self._script.plies[number - 1])

    def _questions(self) -> Iterator[tuple[int, Position]]:
        """Every ply up to the last one asked for, with the position before it; sets the clocks."""
        position = self._script.setup.start
        for number in range(1, max(self._script.numbers, default=0) + 1):
            yield number, position
            if number > len(self._script.plies):
                return
            clock = self._seat.clock if position.to_move is self._script.side else self._opponent_clock
            left = self._script.left[number - 1]
            if clock.left is not None and left is not None:
                clock.left = left * MS
            position = position.play(parse_ply(self._script.plies[number - 1]))

    async def _watch(self, number: int, position: Position) -> Repeated:
        """Leave the bot alone for as long as its opponent can have thought, within reason."""
        reply = await self._sitting.watch(min(_PATIENCE, self._opponent_clock.limit))
        return Repeated(number, position, None, None, reply.failure, reply.used)

    async def _ask(self, number: int, position: Position) -> Repeated:
        plies = self._script.plies
        recorded = plies[number - 1] if number <= len(plies) else None
        reply = await self._sitting.ask(Turn(number, position, plies[: number - 1], self._opponent_clock))
        return Repeated(number, position, recorded, reply.answer, reply.failure, reply.used, reply.info)
