"""Asking one bot again what it was asked in a recorded game."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, Spent
from arbiter.match.dialogue import Ear
from arbiter.match.game import BotReport, GameSetup
from arbiter.match.judging import Reply
from arbiter.match.session import NotReadyError, Session, open_session
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
    """What a bot said in place of a recorded ply, which is None past the end of the record.

    ``number`` is 0 for a bot that did not get that far.
    """

    number: int
    position: Position
    recorded: str | None
    reply: Reply

    @property
    def is_off_the_track(self) -> bool:
        """Whether it is another ply than the recorded one, or none."""
        return self.reply.ply is None or self.reply.ply.text != self.recorded

    @property
    def is_void(self) -> bool:
        """Whether it says nothing of the bot, for the machine was too busy."""
        return self.reply.failure is not None and self.reply.failure.is_void


_PATIENCE = 3.0
"""Seconds for which a failure is waited for at most that came in the opponent's turn."""

Teller = Callable[[Repeated], None]
"""Called with each answer as it comes."""


async def replay(script: Script, tell: Teller, ear: Ear | None = None) -> BotReport:
    """Put the questions of a recorded game to one bot; what is known about it then.

    A DVP bot is asked for single plies. A CodeCup bot has to be led through the whole game, so it
    is left as soon as it plays something else. ``ear`` hears all that is said.
    """
    try:
        async with open_session(script.side, script.setup, ear) as session:
            await _Player(script, session, tell).play()
    except NotReadyError as error:
        tell(Repeated(0, script.setup.start, None, Reply(None, None, error.fault)))
        return error.report
    return session.report()


class _Player:
    def __init__(self, script: Script, session: Session, tell: Teller) -> None:
        self._script = script
        self._session = session
        self._referee = session.referee
        self._tell = tell
        self._is_led = session.seat.bot.dialect is Dialect.CODECUP

    async def play(self) -> None:
        """Ask what is to be asked, as long as the bot answers and stays on the track it is led along."""
        for number in range(1, max(self._script.numbers, default=0) + 1):
            is_wanted = number in self._script.numbers
            is_own = self._referee.position.to_move is self._script.side
            if is_wanted or (is_own and self._is_led):
                one = await (self._ask(number) if is_own else self._watch(number))
                if is_wanted or one.is_off_the_track:
                    self._tell(one)
                if one.reply.failure or (self._is_led and one.is_off_the_track):
                    return
            if number <= len(self._script.plies):
                self._follow(number)

    async def _ask(self, number: int) -> Repeated:
        position, plies = self._referee.position, self._script.plies
        recorded = plies[number - 1] if number <= len(plies) else None
        return Repeated(number, position, recorded, await self._session.ask())

    async def _watch(self, number: int) -> Repeated:
        """Leave the bot alone for as long as its opponent can have thought, within reason."""
        began = time.monotonic_ns()
        fault = await self._session.fails_within(min(_PATIENCE, self._session.guest.clock.limit / 1e9))
        spent = Spent(time.monotonic_ns() - began)
        return Repeated(number, self._referee.position, None, Reply(None, None, fault, spent))

    def _follow(self, number: int) -> None:
        """Play what was played, and set the mover's clock to what it showed then."""
        clock = self._referee.seats[self._referee.position.to_move].clock
        self._session.play(parse_ply(self._script.plies[number - 1]))
        left = self._script.left[number - 1]
        if clock.left is not None and left is not None:
            clock.left = left * MS
