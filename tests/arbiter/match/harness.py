"""A driver without I/O: does what a referee wants with bots that are numbers and bytes, at a time of its own.

A bot here is what it has written and nobody has read, its counters, and its end. The test decides what is
written, when it is read, in which order the news of it come, and when a drain is through.
"""

from collections.abc import Mapping
from pathlib import Path

from arbiter.match.actions import Dismiss, Drain, End, Note, Played, Rest, Write
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import MS, Reading, TimeControl
from arbiter.match.fault import Code, Fault
from arbiter.match.game import BotReport, Competitor, GameResult, GameSetup
from arbiter.match.process import exit_fault
from arbiter.match.referee import Look, Referee
from arbiter.match.seat import Guest, Seat
from protocol.rules import Position, Side, parse_dpos

BEGIN = 1_000_000 * MS
"""The time at which everything begins: any but 0, which no machine shows."""
SECOND = 1_000 * MS
RUNNING = -1
TIME = TimeControl(game=1_000, increment=100, grace=50, start=2_000)
LATE_BOARD = parse_dpos("........./........../..bwrw...../.....b..../......... w m")
"""A position with a few plies left."""
DVP, CODECUP = Dialect.DVP, Dialect.CODECUP


def competitor(name: str, time: TimeControl = TIME, dialect: Dialect = DVP, **options: str) -> Competitor:
    """A bot that is never started."""
    return Competitor(Bot(name, (name,), Path("/"), dialect, options=options), time, seed=7)


def setup_of(
    white: Competitor | None = None,
    black: Competitor | None = None,
    start: Position | None = None,
    *,
    substitute: bool = False,
    charge_start: bool = False,
    suspend_idle: bool = False,
) -> GameSetup:
    """A game, by default between two DVP bots from the empty board."""
    white, black = white or competitor("one"), black or competitor("two")
    begin = start or Position.start()
    return GameSetup(
        white, black, begin, substitute=substitute, charge_start=charge_start, suspend_idle=suspend_idle
    )


def nearly_full() -> Position:
    """The empty board after 48 placements: White's double turn begins."""
    position = Position.start()
    for _ in range(48):
        position = position.play(min(position.legal_plies(), key=lambda ply: ply.text))
    return position


class FakeBot:
    """What there is to know of a bot's program."""

    def __init__(self) -> None:
        self.heard = b""
        """All that was written to it."""
        self.unread = b""
        self.cpu = self.wait = 0
        self.ready_since: int | None = None
        """As a look finds it; ``RUNNING`` is a thread that runs at every look."""
        self.is_output_closed = self.is_end_noticed = False
        self.status: int | None = None
        self.is_dismissed = False
        self.rests: list[bool] = []
        """The ``Rest`` actions: whether each ended a rest."""

    @property
    def end(self) -> End | None:
        if self.status is None and not self.is_output_closed:
            return None
        return End(exit_fault(self.status), has_exited=self.status is not None)


class Harness:
    """A referee, its bots and the time; ``holds_drains`` leaves it to the test to finish them."""

    def __init__(
        self,
        setup: GameSetup,
        seats: Mapping[Side, type[Seat]] | None = None,
        *,
        leads: bool = True,
        holds_drains: bool = False,
        referee: type[Referee] = Referee,
    ) -> None:
        self.referee = referee(setup, seats, leads=leads)
        self.bots = {side: FakeBot() for side in Side}
        self.now = BEGIN
        self.stalled = 0
        self.holds_drains = holds_drains
        self.held: Drain | None = None
        self.wrote: list[tuple[Side, bytes]] = []
        self.played: list[str] = []
        self.notes: list[tuple[Side, str]] = []

    # --- what happens --------------------------------------------------------------------------------

    def spawn(self, *sides: Side) -> None:
        for side in sides or tuple(Side):
            if not isinstance(self.referee.seats[side], Guest):
                self.referee.spawned(side, self.now)
                self.perform()

    def reading(self, side: Side, lag: int = 0) -> Reading:
        bot = self.bots[side]
        return Reading(self.now, bot.cpu, bot.wait, lag, self.stalled)

    def say(self, side: Side, text: str | bytes, lag: int = 0) -> None:
        """A bot writes lines, and they are read at once."""
        self.write(side, text)
        self.read(side, lag)

    def write(self, side: Side, text: str | bytes) -> None:
        """A bot writes; nobody has read it yet."""
        self.bots[side].unread += text.encode() + b"\n" if isinstance(text, str) else text

    def read(self, side: Side, lag: int = 0, most: int | None = None) -> None:
        """What a bot has written is read, or its first bytes; or the end of its output, if that has come."""
        bot = self.bots[side]
        data, bot.unread = (bot.unread, b"") if most is None else (bot.unread[:most], bot.unread[most:])
        if data:
            self.referee.received(side, data, self.reading(side, lag))
        elif bot.is_output_closed and not bot.is_end_noticed:
            bot.is_end_noticed = True
            self.referee.ended(side, self.now)
        self.perform()

    def close(self, side: Side) -> None:
        """A bot closes its output; nobody has noticed."""
        self.bots[side].is_output_closed = True

    def exit(self, side: Side, status: int = 0) -> None:
        """A bot ends; nobody has noticed."""
        self.close(side)
        self.bots[side].status = status

    def notice_end(self, side: Side) -> None:
        """The end of a bot is noticed, after all of its output was read, as the driver sees to."""
        while self.bots[side].unread:
            self.read(side)
        self.bots[side].is_output_closed = self.bots[side].is_end_noticed = True
        self.referee.ended(side, self.now)
        self.perform()

    def crash(self, side: Side, status: int = 1) -> None:
        """A bot ends, and that is noticed at once."""
        self.exit(side, status)
        self.notice_end(side)

    def play(self, side: Side, text: str | None) -> None:
        """A guest plays."""
        self.referee.answered(side, text, Reading(self.now, stalled=self.stalled))
        self.perform()

    def stall(self, ns: int, ran: Mapping[Side, int] | None = None) -> None:
        """Nothing runs for a while, and a tick notices it."""
        self.now += ns
        self.stalled += ns
        self.referee.stalled(ns, ran or {})
        self.perform()

    def sleep(self, ns: int) -> None:
        """Let time pass and wake the referee whenever it wants to be woken."""
        until = self.now + ns
        for _ in range(5_000):
            moment = self.referee.wake_at
            if moment is None or moment > until:
                self.now = until
                return
            self.now = max(self.now, moment)
            self.wake()
        raise AssertionError("it wants to be woken again and again")

    def wake(self) -> None:
        self.referee.woke(self.now)
        self.perform()

    # --- what is wanted ------------------------------------------------------------------------------

    def perform(self) -> None:
        while self.referee.actions:
            match self.referee.actions.popleft():
                case Write(side, data, starts_clock):
                    self._write(side, data, starts_clock=starts_clock)
                case Drain() as drain:
                    self.held = drain
                    if not self.holds_drains:
                        self.drain()
                case Rest(side, is_over):
                    self.bots[side].rests.append(is_over)
                case Dismiss(side):
                    self.bots[side].is_dismissed = True
                case Note(side, text):
                    self.notes.append((side, text))
                case Played(record, _):
                    self.played.append(record.ply)

    def _write(self, side: Side, data: bytes, *, starts_clock: bool) -> None:
        self.wrote.append((side, data))
        self.bots[side].heard += data
        if starts_clock:
            self.referee.asked(side, self.reading(side))

    def drain(self) -> None:
        """Finish the drain that is outstanding."""
        drain, self.held = self.held, None
        if drain is None:
            return
        for side in drain.sides:
            while self.bots[side].unread:
                self.read(side)
            self.read(side)
        looks = {side: self._look(side) for side in Side} if drain.thorough else {}
        self.referee.drained(drain.ticket, looks)
        self.perform()

    def _look(self, side: Side) -> Look:
        bot = self.bots[side]
        if bot.status is not None:
            bot.is_end_noticed = True
        since = self.now if bot.ready_since == RUNNING else bot.ready_since
        return Look(self.reading(side)._replace(ready_since=since), bot.end)

    # --- what came of it -----------------------------------------------------------------------------

    def heard(self, side: Side) -> list[str]:
        """The lines that were written to a bot since this was asked last."""
        lines = self.bots[side].heard.decode().splitlines()
        self.bots[side].heard = b""
        return lines

    @property
    def plies(self) -> list[str]:
        return [record.ply for record in self.referee.records]

    @property
    def fault(self) -> Fault:
        fault = self.referee.fault
        assert fault is not None
        return fault

    @property
    def codes(self) -> dict[Side, Code]:
        return {side: fault.code for side, fault in self.referee.faults.items()}

    @property
    def outcome(self) -> tuple[str, str]:
        """The result and its termination."""
        result, termination = self.referee.verdict()
        return result, str(termination)

    def result(self) -> GameResult:
        reports = {side: BotReport({}, "", (), seat.clock_use()) for side, seat in self.referee.seats.items()}
        return self.referee.result(reports, "2026-01-01T00:00:00+00:00", 1.0, 0)

    @property
    def asked(self) -> Side | None:
        """Who owes a ply."""
        return next((side for side, seat in self.referee.seats.items() if seat.wanted == "ply"), None)


def begun(harness: Harness) -> Harness:
    """The same with its bots started and ready, and the first question put; nobody has spent any time."""
    harness.spawn()
    for side in Side:
        if harness.referee.seats[side].wanted == "dvpok":
            harness.say(side, "dvpok")
    assert harness.referee.has_begun
    return harness
