"""One process of the bot under examination, from its start to its end: asked, spoken to, watched.

Nothing here judges whether a step is passed. What goes wrong first is kept as a ``Slip``.
"""

import contextlib
import time
from dataclasses import dataclass, replace

import trio

from arbiter.check.conformance import Dialogue, Exchange
from arbiter.check.opponent import Opponent
from arbiter.check.seats import SpokenCodecupSeat, SpokenDvpSeat, SpokenSeat
from arbiter.isolation import proc
from arbiter.isolation.launch import StartError
from arbiter.match.bell import Bell
from arbiter.match.clock import MS, Clock
from arbiter.match.game import won_by
from arbiter.match.seat import Turn
from arbiter.match.termination import Termination
from arbiter.match.verdict import Failure, ForfeitError, NobodysFaultError, judge_answer, judge_time
from protocol import dvp
from protocol.errors import PlySyntaxError
from protocol.rules import Ply, Position, Rules, Score, parse_dpos, parse_ply

QUIT_GRACE = 2.0
_LONGEST_CONTEST = 1_000 * MS
_LISTEN = 200
_LIMIT = 10_000
_STRAYS = 200
_LOOK_PAUSE = 0.02
_LAST_CHANCE = 1.0
_NO_PATIENCE = 0.05
_LISTENED_TO = 3
"""First plies of a game after which is listened whether a second answer comes, and how many seconds."""
_SECOND_ANSWER = 0.02


@dataclass(frozen=True, slots=True)
class Slip:
    """The first thing that went wrong in a sitting.

    ``asked`` says in words what the bot had been asked; ``number`` and ``position`` are those of
    the ply asked for, if it was one, ``answer`` what it said. No ``termination`` stands for a slip
    that does not end a game.
    """

    termination: Termination | None
    detail: str
    asked: str
    number: int = 0
    position: Position | None = None
    answer: str | None = None


@dataclass(slots=True)
class Patience:
    """Seconds that a bot is given: to end by itself, and for what it started to end after it.

    Who has used them up once is not waited for again.
    """

    end: float = QUIT_GRACE
    rest: float = QUIT_GRACE


class Sitting:
    """A bot at its seat; ``what`` is tried, in words.

    ``strays`` are lines of a CodeCup bot that are no plies; ``was_early`` tells whether its last
    answer had been written before its turn came; ``ended_after`` is None when it did not end by
    itself when it was given the time, and ``ended_at_last`` whether it did when its input was closed.
    """

    def __init__(self, seat: SpokenSeat, bell: Bell, what: str, patience: "Patience") -> None:
        self.seat = seat
        self.what = what
        self.slip: Slip | None = None
        self.position = seat.setup.start
        self.plies: list[str] = []
        self.strays: list[str] = []
        self.was_early = False
        self.was_parted = False
        self.ended_after: float | None = None
        self.ended_at_last = False
        self.left_running: tuple[str, ...] = ()
        self._rules = Rules.STANDARD
        self._number = 1
        self._limit = _LIMIT
        self._patience = patience
        self._bell = bell

    # Beginning

    def spawn(self, nursery: trio.Nursery) -> None:
        try:
            self.seat.spawn(nursery)
        except StartError as error:
            self.slip = Slip(Termination.START, str(error), "the start")

    async def get_ready(self) -> bool:
        """Go through everything before the first ply; False when that went wrong."""
        if self.slip is None:
            return self.goes_on(await self.seat.get_ready(), "the start")
        return False

    def goes_on(self, failure: Failure | None, asked: str) -> bool:
        """Note a failure in what was asked, if there is one; whether there is none."""
        if failure is not None:
            self.slip = Slip(failure.termination, failure.detail, asked)
        return failure is None

    async def stays_silent_and_alive(self, seconds: float) -> bool:
        """Whether the program is still there after a while."""
        await self._bell.wait(lambda: self.seat.process.output_ended, _after(seconds * 1_000))
        if self.seat.process.output_ended:
            return self.goes_on(await self.seat.fault(), "the start")
        return True

    async def is_holding_back(self) -> bool:
        """Close the input of a silent bot; whether that brought to light what it had kept in a buffer."""
        process = self.seat.process
        before = process.bytes_read
        process.close_input()
        await self._bell.wait(lambda: process.output_ended, _after(_LAST_CHANCE * 1_000))
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
                    await trio.sleep(_SECOND_ANSWER)
            else:
                ply = opponent.choose(before)
            self.position = before.play(ply)
            self.plies.append(ply.text)
            if before.to_move is not seat.side and not self.position.is_over:
                seat.tell(ply.text)
        return True

    async def ask(self, opponent_clock: Clock) -> Ply | None:
        """The bot's ply in the position reached; None at a slip."""
        number = len(self.plies) + 1
        await self.seat.process.drain()
        self.seat.ask(Turn(number, self.position, tuple(self.plies), opponent_clock))
        return await self._ply(f"ply {number}", number, self.position)

    async def _ply(self, asked: str, number: int, position: Position) -> Ply | None:
        text: str | None = None
        try:
            text = await self._answer()
            return judge_answer(text, position)
        except ForfeitError as forfeit:
            termination, detail = forfeit.failure
            self.slip = Slip(termination, detail, asked, number, position, forfeit.answer)
            return None

    async def _answer(self) -> str | None:
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
        self.was_early = answer.reading.wall < stopwatch.started_at
        spent = stopwatch.answered(answer.reading)
        with contextlib.suppress(NobodysFaultError):
            judge_time(self.seat.clock, spent, self.seat.side, min(_LONGEST_CONTEST, spent.wait))
        return answer.text

    async def _wait_for_answer(self) -> None:
        seat = self.seat

        def is_decided() -> bool:
            return seat.has_answer or seat.has_fault(on_turn=True)

        deadline = seat.stopwatch.started_at + seat.clock.limit
        await self._bell.wait(is_decided, deadline)
        if not is_decided():
            waited = seat.stopwatch.spent(seat.stopwatch.read(time.monotonic_ns())).wait
            await self._bell.wait(is_decided, deadline + min(_LONGEST_CONTEST, waited))
        await seat.process.drain()
        if not seat.has_answer:
            fault = await seat.fault() if seat.has_fault(on_turn=True) else seat.overdue()
            raise ForfeitError(seat.side, fault)

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

    # Dialogues

    async def converse(self, dialogue: Dialogue, *, ends_by_itself: bool) -> bool:
        """Go through a dialogue; False at a slip. ``ends_by_itself``: its end is a part of it."""
        for exchange in dialogue.turns:
            if exchange.needs and exchange.needs not in self._features:
                continue
            if exchange.say == ("stop",) and self.seat.has_answer:
                exchange = replace(exchange, say=())  # it has met its answer on the way
            self._say(exchange)
            if exchange.hear == "end" and not ends_by_itself:
                break
            await self._hear(exchange)
            if self.slip is not None:
                return False
        return True

    @property
    def _features(self) -> frozenset[str]:
        return self.seat.features if isinstance(self.seat, SpokenDvpSeat) else frozenset()

    def _say(self, exchange: Exchange) -> None:
        self._limit = exchange.within or _LIMIT
        for line in exchange.say:
            self.seat.say(line)
            if isinstance(self.seat, SpokenCodecupSeat):
                self._follow_codecup(line)
            else:
                self._follow(line, exchange)
        if exchange.close:
            self.seat.process.close_input()

    def _follow(self, line: str, exchange: Exchange) -> None:
        """Keep up with what the bot was told: rules, position, the ply asked for and its limit."""
        match dvp.parse(line.encode(), dvp.Role.ARBITER):
            case dvp.NewGame(_, values):
                self._rules = Rules(values.get("rules", Rules.STANDARD))
            case dvp.Setup(start, plies):
                is_plain = start == "start"
                position = Position.start(self._rules) if is_plain else parse_dpos(start, self._rules)
                for ply in plies:
                    position = position.play(parse_ply(ply))
                self.position = position
            case dvp.Go(values):
                self._number = values.get("ply", 1)
                self._limit = exchange.within or values.get("movetime") or values.get("time") or _LIMIT

    def _follow_codecup(self, line: str) -> None:
        if line == "Start":
            self.position, self._number = Position.start(), 1
        elif line != "Quit":
            self.position, self._number = self.position.play(parse_ply(line)), self._number + 1

    async def _hear(self, exchange: Exchange) -> None:
        match exchange.hear:
            case "dvpok" | "readyok":
                await self._hear_word(exchange.hear)
            case "move" | "ply":
                await self._hear_ply(exchange)
            case "nothing":
                await self._hear_nothing(exchange)
            case "end":
                await self._see_end(exchange)

    async def _hear_word(self, word: str) -> None:
        seat = self.seat
        assert isinstance(seat, SpokenDvpSeat)
        limit = seat.clock.control.start
        await self._bell.wait(lambda: not seat.is_owed or seat.has_fault(on_turn=True), _after(limit))
        if seat.has_fault(on_turn=True):
            self.goes_on(await seat.fault(), f"`{word}`")
        elif seat.is_owed:
            self.slip = Slip(Termination.START, f"no `{word}` within {limit} ms", f"`{word}`")
        elif seat.refusal:
            self.slip = Slip(Termination.START, f"the bot cannot play: {seat.refusal}", f"`{word}`")

    async def _hear_ply(self, exchange: Exchange) -> None:
        seat, number = self.seat, self._number
        seat.clock = Clock(replace(seat.clock.control, game=self._limit, increment=0, move=None))
        ply = await self._ply(f"ply {number}", number, self.position)
        if isinstance(seat, SpokenDvpSeat):
            await trio.sleep(_SECOND_ANSWER)
        elif ply is not None:
            self.position = self.position.play(ply)

    async def _hear_nothing(self, exchange: Exchange) -> None:
        seat = self.seat
        assert isinstance(seat, SpokenDvpSeat)
        before, asked = len(seat.uncalled), _last_line(exchange)

        def is_broken() -> bool:
            answered = seat.owes and seat.has_answer
            return answered or len(seat.uncalled) > before or seat.has_fault(on_turn=True)

        await self._bell.wait(is_broken, _after(exchange.within or _LISTEN))
        if len(seat.uncalled) > before:
            self.slip = Slip(None, f"it wrote {seat.uncalled[-1]}", asked)
        elif seat.has_fault(on_turn=True):
            self.goes_on(await seat.fault(), asked)
        elif is_broken():
            self.slip = Slip(None, "it answered by itself, before `stop`", asked)

    async def _see_end(self, exchange: Exchange) -> None:
        await self.part(close=exchange.close)
        if self.ended_after is not None:
            return
        what = "the end of its input" if exchange.close else f"`{exchange.say[-1]}`"
        detail = f"it was still running {QUIT_GRACE:.0f} s after {what}"
        if not exchange.close:
            self.seat.process.close_input()
            self.ended_at_last = await self.seat.process.wait_exit(_LAST_CHANCE)
            how = "it ended when" if self.ended_at_last else "it did not even end when"
            detail += f"; {how} its input was closed"
        self.slip = Slip(None, detail, what)

    # Ending

    def say_end(self) -> None:
        """Tell the bot that the game is over, with the result that the board shows."""
        if self.position.is_over:
            result = won_by(self.position.winner)
            self.seat.say_end(result, self.position.score, Termination.NORMAL, None)
        else:
            self.seat.say_end("*", Score(0, 0), Termination.VOID, None)

    async def part(self, *, close: bool = True) -> None:
        """Give the program time to end by itself, and see what it leaves running."""
        process = self.seat.process
        began = time.monotonic()
        if close:
            process.close_input()
        self.was_parted = True
        if await process.wait_exit(self._patience.end if close else QUIT_GRACE):
            self.ended_after = time.monotonic() - began
            await self._see_what_stays(began + self._patience.rest)
        elif close:
            self._patience.end = _NO_PATIENCE

    async def _see_what_stays(self, deadline: float) -> None:
        process = self.seat.process
        while (pids := process.living()) and time.monotonic() < deadline:  # noqa: ASYNC110 (no event tells)
            await trio.sleep(_LOOK_PAUSE)
        self.left_running = tuple(map(_command, pids))
        if pids:
            self._patience.rest = _NO_PATIENCE

    async def leave(self) -> None:
        """End whatever is left of it, at once."""
        await self.seat.leave(Failure(Termination.VOID, "the sitting is over"))

    @property
    def uncalled(self) -> list[str]:
        """Answers that nobody had asked for, in words."""
        return self.seat.uncalled if isinstance(self.seat, SpokenDvpSeat) else []

    @property
    def transcript(self) -> str:
        return self.seat.process.transcript.text() if self.seat.is_running else ""


def _after(ms: float) -> int:
    return time.monotonic_ns() + round(ms * MS)


def _last_line(exchange: Exchange) -> str:
    return f"`{exchange.say[-1]}`" if exchange.say else "an answer"


def _command(pid: int) -> str:
    """What a process was started as."""
    words = ""
    with contextlib.suppress(OSError):
        words = proc.read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode(errors="replace").strip()
    return f"{words[:80] or 'a process'} (pid {pid})"
