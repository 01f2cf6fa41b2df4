"""One process of the bot under examination, from its start to its end: asked for plies, and watched.

Nothing here judges whether a step is passed. What goes wrong first is kept as a ``Slip``.
"""

import contextlib
import time
from dataclasses import dataclass

import trio

from arbiter.check.opponent import Opponent
from arbiter.check.seats import SpokenDvpSeat, SpokenSeat
from arbiter.isolation import proc
from arbiter.isolation.launch import StartError
from arbiter.isolation.sandbox import USUAL, Level
from arbiter.isolation.usage import measure, proportional
from arbiter.match.bell import Bell
from arbiter.match.clock import MS, Clock, Spent
from arbiter.match.game import won_by
from arbiter.match.heartbeat import Heartbeat
from arbiter.match.seat import Turn
from arbiter.match.termination import Termination
from arbiter.match.usage import is_available
from arbiter.match.verdict import Failure, ForfeitError, NobodysFaultError, judge_answer, judge_time
from protocol.errors import PlySyntaxError
from protocol.rules import Phase, Ply, Position, Score, parse_ply

QUIT_GRACE = 2.0
LAST_CHANCE = 1.0
SECOND_ANSWER = 0.02
"""Seconds: for the end of a bot after `quit`, after its input was closed as well, for a second answer."""
_LONGEST_CONTEST = 1_000 * MS
_STRAYS = 200
_LOOK_PAUSE = 0.02
_PLACED = 49
_SECOND_TURN = 0.2
"""Seconds for which White's first stack move is held back from a CodeCup bot."""
_WATCH_PAUSE = 0.05
_NO_PATIENCE = 0.05
_LISTENED_TO = 3
"""First plies of a game after which is listened whether a second answer comes."""


@dataclass(frozen=True, slots=True)
class Slip:
    """The first thing that went wrong in a sitting.

    ``asked`` says in words what the bot had been asked; ``number`` and ``position`` are those of
    the ply asked for, if it was one, ``plies`` what was played before, and ``answer`` what it said.
    ``lines`` are those of a new kind that a DVP bot wrote in that turn, and ``share`` how much of the time
    for it the bot computed, as far as the system tells. ``reversible`` tells for each stack move that it made
    before whether the way back was legal, too. No ``termination`` stands for a slip that does not
    end a game.
    """

    termination: Termination | None
    detail: str
    asked: str
    number: int = 0
    position: Position | None = None
    answer: str | None = None
    lines: tuple[str, ...] = ()
    plies: tuple[str, ...] = ()
    share: float | None = None
    reversible: tuple[bool, ...] = ()


@dataclass(slots=True)
class Patience:
    """Seconds that a bot is given: to end by itself, and for what it started to end after it.

    Who has used them up once is not waited for again.
    """

    end: float = QUIT_GRACE
    rest: float = QUIT_GRACE


class Sitting:
    """A bot at its seat; ``what`` is tried, in words.

    ``strays`` are lines of a CodeCup bot that are no plies; ``early`` is the number of the first ply that
    it wrote before its turn came, 0 when there is none; ``ended_after`` is None when it did not end by
    itself when it was given the time, and ``ended_at_last`` whether it did when its input was closed.
    ``left_running`` are processes that it started and that went on then, whether it had ended or not,
    and ``threads`` its own if it had not. ``peak`` is the most memory held past the usual limit, in bytes.
    ``zombies`` counts children that had ended before, and that it never waited for.
    """

    def __init__(self, seat: SpokenSeat, bell: Bell, what: str, patience: Patience) -> None:
        self.seat = seat
        self.what = what
        self.slip: Slip | None = None
        self.position = seat.setup.start
        self.plies: list[str] = []
        self.strays: list[str] = []
        self.early = 0
        self.ended_after: float | None = None
        self.ended_at_last = False
        self.left_running: tuple[str, ...] = ()
        self.threads = 1
        self.zombies = 0
        self.peak = 0
        self._heartbeat = Heartbeat(bell)
        self._reversible: list[bool] = []
        self._patience = patience
        self.bell = bell

    # Beginning

    def spawn(self, nursery: trio.Nursery) -> None:
        try:
            self.seat.spawn(nursery)
        except StartError as error:
            self.slip = Slip(Termination.START, str(error), "the start")
        else:
            nursery.start_soon(self._heartbeat.run)
            nursery.start_soon(self._watch_memory)

    async def _watch_memory(self) -> None:
        """Note what its processes hold past the usual limit, a page that several share counted once."""
        while True:
            pids = self.seat.process.living()
            memory = measure(pids).memory
            if memory > max(self.peak, USUAL.memory or 0):  # slow to read, so only where it decides
                self.peak = max(self.peak, proportional(pids) or memory)
            await trio.sleep(_WATCH_PAUSE)

    async def get_ready(self) -> bool:
        """Go through everything before the first ply; False when that went wrong."""
        if self.slip is None:
            return self.goes_on(await self.seat.get_ready(), "the start")
        return False

    def goes_on(self, failure: Failure | None, asked: str) -> bool:
        """Note a failure in what was asked, if there is one; whether there is none."""
        if failure is not None:
            share = self._share_since_start() if self.seat.is_running else None
            self.slip = Slip(failure.termination, failure.detail, asked, lines=tuple(self.heard), share=share)
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
            termination, detail = forfeit.failure
            self.slip = Slip(
                termination,
                detail,
                f"ply {number}",
                number,
                position,
                forfeit.answer,
                self.seat.news() if isinstance(self.seat, SpokenDvpSeat) else (),
                tuple(self.plies),
                self._share_computed() if termination is Termination.TIMEOUT else None,
                tuple(self._reversible),
            )
            return None
        if position.phase is Phase.MOVEMENT and not ply.is_pass:
            way_back = parse_ply(ply.text[2:] + ply.text[:2])
            self._reversible.append(position.check(way_back) is None)
        return ply

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
        if self.position.is_over:
            result = won_by(self.position.winner)
            self.seat.say_end(result, self.position.score, Termination.NORMAL, None)
        else:
            self.seat.say_end("*", Score(0, 0), Termination.VOID, None)

    async def part(self) -> None:
        """Close the input of a program that was told to quit, and give it the time to end by itself."""
        self.zombies = sum(map(_is_zombie, proc.children(self.seat.process.pid)))
        self.seat.process.close_input()
        if not await self.ends_within(self._patience.end):
            self._patience.end = _NO_PATIENCE

    async def ends_within(self, seconds: float) -> bool:
        """Whether the program ends by itself; sees what it leaves running then."""
        began = time.monotonic()
        if not await self.seat.process.wait_exit(seconds):
            self.left_running = tuple(map(_command, self._children()))
            with contextlib.suppress(OSError):
                self.threads = int(proc.stat(self.seat.process.pid)[proc.THREADS])
            return False
        self.ended_after = time.monotonic() - began
        await self._see_what_stays(began + self._patience.rest)
        return True

    async def _see_what_stays(self, deadline: float) -> None:
        while (pids := self._children()) and time.monotonic() < deadline:  # noqa: ASYNC110 (no event tells)
            await trio.sleep(_LOOK_PAUSE)
        self.left_running = tuple(map(_command, pids))
        if pids:
            self._patience.rest = _NO_PATIENCE

    def _children(self) -> list[int]:
        """What the program started and is alive; a jail is not looked into, and leaves none."""
        process = self.seat.process
        if process.applied.level is Level.JAIL:
            return []
        return [pid for pid in process.living() if pid != process.pid]

    async def leave(self) -> None:
        """End whatever is left of it, at once."""
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


def _is_zombie(pid: int) -> bool:
    try:
        return proc.stat(pid)[proc.STATE] == b"Z"
    except OSError:
        return False


def _command(pid: int) -> str:
    """What a process was started as."""
    words = ""
    with contextlib.suppress(OSError):
        words = proc.read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode(errors="replace").strip()
    return f"{words[:80] or 'a process'} (pid {pid})"
