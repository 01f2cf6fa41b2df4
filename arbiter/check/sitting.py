"""One process of the bot under examination, from its start to its end: asked for plies, and watched.

Nothing here judges whether a step is passed. What goes wrong first is kept as a ``Slip``.
"""

import contextlib
import time

import trio

from arbiter.check.departure import LAST_CHANCE, Departure, Patience
from arbiter.check.opponent import Opponent
from arbiter.check.seats import SpokenDvpSeat, SpokenSeat
from arbiter.check.slip import Slip
from arbiter.check.watch import Watch
from arbiter.isolation.launch import StartError
from arbiter.match.bell import Bell
from arbiter.match.clock import MS, Clock, Spent
from arbiter.match.game import won_by
from arbiter.match.heartbeat import Heartbeat
from arbiter.match.last_words import last_words
from arbiter.match.seat import Turn
from arbiter.match.termination import Termination
from arbiter.match.usage import is_available
from arbiter.match.verdict import Failure, ForfeitError, NobodysFaultError, judge_answer, judge_time
from protocol.errors import PlySyntaxError
from protocol.rules import Phase, Ply, Position, Score, parse_ply

SECOND_ANSWER = 0.02
"""Seconds in which a second answer may come."""
_LONGEST_CONTEST = 1_000 * MS
_STRAYS = 200
_PLACED = 49
_SECOND_TURN = 0.2
"""Seconds for which White's first stack move is held back from a CodeCup bot."""
_LISTENED_TO = 3
"""First plies of a game after which is listened whether a second answer comes."""


class Sitting:
    """A bot at its seat; ``what`` is tried, in words.

    ``strays`` are lines of a CodeCup bot that are no plies; ``early`` is the number of the first ply that
    it wrote before its turn came, 0 when there is none. ``watch`` tells what its processes held, and
    ``departure`` how it ended.
    """

    def __init__(self, seat: SpokenSeat, bell: Bell, what: str, patience: Patience) -> None:
        self.seat = seat
        self.what = what
        self.slip: Slip | None = None
        self.start = self.position = seat.setup.start
        self.plies: list[str] = []
        self.strays: list[str] = []
        self.early = 0
        self.watch = Watch(seat)
        self.departure = Departure(seat, patience)
        self._heartbeat = Heartbeat(bell)
        self._reversible: list[bool] = []
        self.bell = bell

    # Beginning

    def spawn(self, nursery: trio.Nursery) -> None:
        try:
            self.seat.spawn(nursery)
        except StartError as error:
            self.slip = Slip(Termination.START, str(error), "the start")
        else:
            nursery.start_soon(self._heartbeat.run)
            nursery.start_soon(self.watch.run)

    async def get_ready(self) -> bool:
        """Go through everything before the first ply; False when that went wrong."""
        if self.slip is None:
            return self.goes_on(await self.seat.get_ready(), "the start")
        return False

    def goes_on(self, failure: Failure | None, asked: str) -> bool:
        """Note a failure in what was asked, if there is one; whether there is none."""
        if failure is not None:
            share = self._share_since_start() if self.seat.is_running else None
            lines, company = tuple(self.heard), self._company()
            self.slip = Slip(
                failure.termination, failure.detail, asked, lines=lines, share=share, company=company
            )
        return failure is None

    async def stays_alive(self, seconds: float) -> bool:
        """Whether the program is still there after a while, in which a CodeCup bot may write a line."""

        def has_changed() -> bool:
            wrote = not isinstance(self.seat, SpokenDvpSeat) and self.seat.has_answer
            return wrote or self.seat.process.output_ended

        await self.bell.wait(has_changed, after(seconds * 1_000))
        if self.seat.process.output_ended:
            return self.goes_on(await self.seat.fault(), "the start")
        return True

    async def is_holding_back(self) -> bool:
        """Close the input of a silent bot; whether that brought to light what it had kept in a buffer."""
        process = self.seat.process
        before = process.bytes_read
        process.close_input()
        await self.bell.wait(lambda: process.output_ended, after(LAST_CHANCE * 1_000))
        return process.bytes_read > before

    # Asking

    async def play(self, opponent: Opponent, most: int | None = None) -> bool:
        """Play from the start position, to the end or until ``most`` plies of the bot; False at a slip."""
        seat, own = self.seat, 0
        theirs = Clock(seat.setup.competitor(seat.side.other).time)
        while not self.position.is_over and own != most:
            before = self.position
            if before.to_move is seat.side:
                ply = await self.ask(theirs)
                if ply is None:
                    return False
                own += 1
                if own <= _LISTENED_TO and isinstance(seat, SpokenDvpSeat):
                    await trio.sleep(SECOND_ANSWER)
            else:
                ply = opponent.choose(before)
            self.position = before.play(ply)
            self.plies.append(ply.text)
            if before.to_move is not seat.side and not self.position.is_over:
                seat.tell(ply.text)
                if len(self.plies) == _PLACED and not await self._leaves_white_its_second_turn():
                    return False
        return True

    async def _leaves_white_its_second_turn(self) -> bool:
        """Whether a CodeCup bot is silent after White's last placement: the next ply is White's, too."""
        seat = self.seat
        if isinstance(seat, SpokenDvpSeat) or self.position.to_move is seat.side:
            return True
        await self.bell.wait(lambda: seat.has_answer, after(_SECOND_TURN * 1_000))
        while seat.has_answer:
            text = seat.take_answer().text
            if not self._is_stray(text):
                self.early = _PLACED + 2
                detail = f"after the 49th placement it wrote {text} at once, while White was to move"
                self.slip = Slip(None, detail, f"ply {self.early}", self.early, self.position, text)
                return False
        return True

    async def ask(self, opponent_clock: Clock) -> Ply | None:
        """The bot's ply in the position reached; None at a slip."""
        number = len(self.plies) + 1
        await self.seat.process.drain()
        self.seat.ask(Turn(number, self.position, tuple(self.plies), opponent_clock))
        return await self.ply(number, self.position)

    async def ply(self, number: int, position: Position) -> Ply | None:
        """The ply that answers the open question, judged; None at a slip."""
        try:
            ply = judge_answer(await self._answer(number), position)
        except ForfeitError as forfeit:
            self.slip = self._slip(forfeit, number, position)
            return None
        if position.phase is Phase.MOVEMENT and not ply.is_pass:
            way_back = parse_ply(ply.text[2:] + ply.text[:2])
            self._reversible.append(position.check(way_back) is None)
        return ply

    def _slip(self, forfeit: ForfeitError, number: int, position: Position) -> Slip:
        seat, (termination, detail) = self.seat, forfeit.failure
        return Slip(
            termination,
            detail,
            f"ply {number}",
            number,
            position,
            forfeit.answer,
            seat.news() if isinstance(seat, SpokenDvpSeat) else (),
            tuple(self.plies),
            self._share_computed() if termination is Termination.TIMEOUT else None,
            tuple(self._reversible),
            self.start,
            last_words(seat.process.stderr, newest=seat.process.turn_stderr_bytes),
            self._company(),
        )

    def _company(self) -> tuple[str, ...]:
        """What goes on though the program has ended."""
        has_ended = self.seat.is_running and self.seat.process.exit_status is not None
        return self.departure.company() if has_ended else ()

    def _share_computed(self) -> float | None:
        """How much of its turn until now the bot computed."""
        if not is_available():
            return None
        spent = self.seat.stopwatch.spent(self.seat.stopwatch.read(time.monotonic_ns()))
        return spent.cpu / max(1, spent.wall)

    def _share_since_start(self) -> float | None:
        """How much of the time since its start the bot computed, or would have; None when it has ended."""
        process = self.seat.process
        if not is_available() or process.output_ended:
            return None
        now = time.monotonic_ns()
        used = self.seat.stopwatch.read(now)
        return (used.cpu + used.wait) / max(1, now - process.spawned_at)

    async def _answer(self, number: int) -> str | None:
        """What is answered to the open question; raises ForfeitError."""
        strays = len(self.strays)
        while True:
            try:
                await self._wait_for_answer()
            except ForfeitError as forfeit:
                raise self._as_stray(forfeit, self.strays[strays:]) from None
            answer = self.seat.take_answer()
            if not self._is_stray(answer.text):
                break
            self.seat.owes = True
        stopwatch = self.seat.stopwatch
        if answer.reading.wall < stopwatch.started_at and not self.early:
            self.early = number
        spent = stopwatch.answered(answer.reading)
        with contextlib.suppress(NobodysFaultError):
            judge_time(self.seat.clock, spent, self.seat.side, self._contestable(spent))
        return answer.text

    async def _wait_for_answer(self) -> None:
        seat = self.seat

        def is_decided() -> bool:
            return seat.has_answer or seat.has_fault(on_turn=True)

        deadline = seat.stopwatch.started_at + seat.clock.limit
        await self.bell.wait(is_decided, deadline)
        if not is_decided():
            spent = seat.stopwatch.spent(seat.stopwatch.read(time.monotonic_ns()))
            await self.bell.wait(is_decided, deadline + self._contestable(spent))
        await seat.process.drain()
        if not seat.has_answer:
            fault = await seat.fault() if seat.has_fault(on_turn=True) else seat.overdue()
            raise ForfeitError(seat.side, fault)

    def _contestable(self, spent: Spent) -> int:
        """Nanoseconds of this ply that the machine took and not the bot, as in a game."""
        return min(_LONGEST_CONTEST, spent.wait + self._heartbeat.lag(self.seat.stopwatch.started_at))

    def _is_stray(self, text: str | None) -> bool:
        """Whether a line of a CodeCup bot is none of its plies; the next one may be."""
        if isinstance(self.seat, SpokenDvpSeat) or text is None:
            return False
        try:
            parse_ply(text)
        except PlySyntaxError:
            self.strays = [*self.strays, text][:_STRAYS]
            return True
        return False

    def _as_stray(self, forfeit: ForfeitError, strays: list[str]) -> ForfeitError:
        """Where lines that are no plies are all that came, the first of them was the answer."""
        if not strays or forfeit.failure.termination is not Termination.TIMEOUT:
            return forfeit
        detail = f"{strays[0][:60]!r} is not a ply"
        return ForfeitError(forfeit.side, Failure(Termination.SYNTAX, detail), strays[0])

    # Ending

    def say_end(self) -> None:
        """Tell the bot that the game is over, with the result that the board shows."""
        self.watch.look()  # for the last time, maybe: told so it ends
        self.departure.count_zombies()
        if self.position.is_over:
            result = won_by(self.position.winner)
            self.seat.say_end(result, self.position.score, Termination.NORMAL, None)
        else:
            self.seat.say_end("*", Score(0, 0), Termination.VOID, None)

    async def part(self) -> None:
        """Close the input of a program that was told to quit, and give it the time to end by itself."""
        await self.departure.part()

    async def leave(self) -> None:
        """End whatever is left of it, at once."""
        self.watch.look()
        await self.seat.leave(Failure(Termination.VOID, "the sitting is over"))

    @property
    def uncalled(self) -> list[str]:
        """Answers that nobody had asked for, in words."""
        return self.seat.uncalled if isinstance(self.seat, SpokenDvpSeat) else []

    @property
    def heard(self) -> list[str]:
        """The first lines of a DVP bot."""
        return self.seat.heard if isinstance(self.seat, SpokenDvpSeat) else []

    @property
    def start_seconds(self) -> float | None:
        """How long a DVP bot took from its start to the end of its introduction, if it came so far."""
        if not isinstance(self.seat, SpokenDvpSeat) or not self.seat.introduced_at:
            return None
        return (self.seat.introduced_at - self.seat.process.spawned_at) / (1_000 * MS)

    @property
    def transcript(self) -> str:
        return self.seat.process.transcript.text() if self.seat.is_running else ""


def after(ms: float) -> int:
    """The moment that so many ms lie ahead (monotonic ns)."""
    return time.monotonic_ns() + round(ms * MS)
