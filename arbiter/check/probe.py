"""One process of the bot that is checked, from its start to its end: asked for plies, and watched.

Nothing here judges the bot: the referee does, as in a game, and what goes wrong first is kept as a
``Failure``. What the machine spoils ends the probe with a ``MachineBusyError``.
"""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import inf

import trio

from arbiter.check.failure import Breach, Failure, MachineBusyError
from arbiter.check.opponent import Opponent
from arbiter.check.seats import SpokenCodecupSeat, SpokenDvpSeat, SpokenSeat, spoken_kind
from arbiter.check.shutdown import LAST_CHANCE, Patience, Shutdown
from arbiter.check.watch import Watch
from arbiter.match.fault import Fault
from arbiter.match.game import GameSetup
from arbiter.match.groups import unwrapped
from arbiter.match.judging import Reply
from arbiter.match.last_words import last_words
from arbiter.match.meter import is_available
from arbiter.match.seat import Turn
from arbiter.match.session import Session, start_session
from arbiter.match.termination import Termination
from protocol.rules import Phase, Ply, Position, Side, parse_ply

SECOND_ANSWER = 0.02
"""Seconds in which a second answer may come."""
_PLACED = 49
_SECOND_TURN = 0.2
"""Seconds for which White's first stack move is held back from a CodeCup bot."""
_LISTENED_TO = 3
"""First plies of a game after which is listened whether a second answer comes."""


class Probe:
    """A session with the bot; ``what`` is tried, in words.

    ``watch`` tells what its processes held, and ``shutdown`` how it ended.
    """

    def __init__(self, session: Session, what: str, patience: Patience) -> None:
        self.session = session
        self.what = what
        self.failure: Failure | None = None
        self.watch = Watch(session)
        self.shutdown = Shutdown(session, patience)
        self._reversible: list[bool] = []

    @property
    def seat(self) -> SpokenSeat:
        seat = self.session.seat
        assert isinstance(seat, SpokenSeat)
        return seat

    @property
    def position(self) -> Position:
        return self.session.referee.position

    @property
    def plies(self) -> list[str]:
        return self.session.referee.texts

    @property
    def trouble(self) -> Failure | None:
        """Its failure, unless it just resigned."""
        failure = self.failure
        return None if failure is None or failure.termination is Termination.RESIGN else failure

    # Beginning

    async def get_ready(self) -> bool:
        """Go through everything before the first ply; False when that went wrong."""
        return await self.greet() and await self.do(self.seat.announce, lambda: self.seat.is_ready)

    async def greet(self) -> bool:
        """Let a DVP bot introduce itself; False when that went wrong."""
        seat = self.seat
        return self.goes_on() and await self.do(seat.greet, lambda: seat.introduced_at or seat.is_ready)

    async def do(self, act: Callable[[], None], until: Callable[[], object] = lambda: True) -> bool:
        """Let the seat act, and wait for what has to follow; whether the bot did not fail."""
        self.session.table.perform(act)
        return await self.reaches(until)

    async def reaches(self, condition: Callable[[], object], seconds: float = inf) -> bool:
        """Wait until something holds, for at most so long; whether the bot did not fail."""
        await self.session.table.until(lambda: condition() or self.session.fault, seconds)
        return self.goes_on()

    async def is_holding_back(self) -> bool:
        """Close the input of a silent bot; whether that brought to light what it had kept in a buffer."""
        before, process = self.seat.bytes_read, self.session.process
        process.close_input()
        await self.session.table.until(lambda: process.output_ended, LAST_CHANCE)
        return self.seat.bytes_read > before

    # Asking

    async def play(self, opponent: Opponent, most: int | None = None) -> bool:
        """Play on to the end of the game, or until ``most`` plies of the bot; False at a failure."""
        own = 0
        while not self.position.is_over and own != most:
            if self.position.to_move is not self.session.side:
                self.session.play(opponent.choose(self.position))
                if not await self._leaves_white_its_second_turn():
                    return False
                continue
            self.ask()
            ply = await self.hear()
            if ply is None:
                return False
            self.session.play(ply)
            own += 1
            if own <= _LISTENED_TO and isinstance(self.seat, SpokenDvpSeat):
                await trio.sleep(SECOND_ANSWER)
        return True

    async def _leaves_white_its_second_turn(self) -> bool:
        """Whether a CodeCup bot is silent after White's last placement: the next ply is White's, too."""
        seat = self.seat
        if not isinstance(seat, SpokenCodecupSeat) or len(self.plies) != _PLACED:
            return True
        await self.session.table.until(lambda: seat.early, _SECOND_TURN)
        if seat.early:
            seat.early_ply = _PLACED + 2
            self.failure = Failure(Breach.EARLY, seat.early_ply, self.position, seat.pop_answer().text)
        return self.failure is None

    def ask(self) -> None:
        """Ask the bot for the ply in the position reached, whichever side is to move there."""
        referee = self.session.referee
        number, clock = len(referee.texts) + 1, self.session.guest.clock
        turn = Turn(number, referee.position, referee.texts, clock, referee.start, self.session.side)
        self.session.begin_asking(turn)

    async def hear(self) -> Ply | None:
        """The ply that answers the open question; None at a failure."""
        reply = await self.session.reply()
        ply = reply.ply
        if ply is None:
            self._fail_at_ply(reply)
        elif self.position.phase is Phase.MOVEMENT and not ply.is_pass:
            way_back = parse_ply(ply.text[2:] + ply.text[:2])
            self._reversible.append(self.position.check(way_back) is None)
        return ply

    # Failing

    def goes_on(self) -> bool:
        """Whether nothing went wrong; notes a fault of a bot that was asked for no ply."""
        fault = self.session.fault
        if self.failure is None and fault is not None:
            left_running, share = self._left_running(), self._share_since_start()
            self.failure = Failure(
                _bots(fault), lines=tuple(self.seat.heard), share=share, left_running=left_running
            )
        return self.failure is None

    def _fail_at_ply(self, reply: Reply) -> None:
        seat, referee = self.seat, self.session.referee
        assert reply.fault is not None
        fault = _bots(reply.fault)
        process = self.session.process
        self.failure = Failure(
            fault,
            len(self.plies) + 1,
            self.position,
            fault.text("answer") or reply.answer,
            seat.news(),
            tuple(self.plies),
            reply.spent.cpu / max(1, reply.spent.wall) if is_available() else None,
            tuple(self._reversible),
            referee.start,
            last_words(process.stderr, newest=process.turn_stderr_bytes),
            self._left_running(),
        )

    def _left_running(self) -> tuple[str, ...]:
        """What goes on though the program has ended."""
        has_ended = self.seat.is_spawned and self.session.process.exit_status is not None
        return self.shutdown.started() if has_ended else ()

    def _share_since_start(self) -> float | None:
        """How much of the time since its start the bot computed, or would have; None when it has ended."""
        if not is_available() or not self.seat.is_spawned or self.seat.has_ended:
            return None
        process = self.session.process
        used = process.meter.read()
        return (used.cpu + used.wait) / max(1, time.monotonic_ns() - process.spawned_at)

    # Ending

    async def end(self) -> None:
        """Tell the bot that the game is over, and give it the time to end by itself."""
        self.watch.look()  # for the last time, maybe: told so it ends
        self.shutdown.count_zombies()
        self.seat.has_left = False
        self.session.finish()
        await self.shutdown.part()

    @property
    def transcript(self) -> str:
        return self.session.process.transcript.text() if self.seat.is_spawned else ""


@asynccontextmanager
async def open_probe(setup: GameSetup, side: Side, what: str, patience: Patience) -> AsyncIterator[Probe]:
    """Start the bot of this side, and end it on leaving.

    Raises:
        MachineBusyError: when the machine spoils it.
    """
    kind = spoken_kind(setup.competitor(side).bot)
    with unwrapped(MachineBusyError):
        async with start_session(side, setup, seat=kind) as session, trio.open_nursery() as nursery:
            probe = Probe(session, what, patience)
            nursery.start_soon(probe.watch.run)
            try:
                yield probe
            finally:
                probe.watch.look()
                nursery.cancel_scope.cancel()


def _bots(fault: Fault) -> Fault:
    """A fault that is the bot's; raises MachineBusyError for another."""
    if fault.is_void:
        raise MachineBusyError(fault)
    return fault
