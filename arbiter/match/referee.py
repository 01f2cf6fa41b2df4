"""The referee of one game: a state machine without I/O, processes or a clock of its own.

Events come in: bytes of a bot with a reading of its counters, the end of its output or of its program, a
clock that was started, a moment that somebody asked to be woken at, a time in which the arbiter stalled.
Actions go out: bytes to write, pipes to drain, a program to end, a ply that was played. Everything that
refereeing decides is decided here, by numbers alone.

An answer is judged as it comes in, and the next bot is asked in the same step. Whatever speaks against a bot
(the end of its program, too much output, a deadline) only raises a doubt: all that was written is read
first, then the doubt is settled in a fixed order, the side to move first: answer, flood, end of the program,
deadline. So it does not matter in which order the news arrived.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from arbiter.match.actions import Action, Dismiss, Drain, End, Played
from arbiter.match.bot import Dialect
from arbiter.match.clock import MOST_WAITING, MS, Reading, Spent
from arbiter.match.codecup_seat import CodecupSeat
from arbiter.match.dvp_seat import DvpSeat
from arbiter.match.fault import Code, Fact, Fault
from arbiter.match.game import BotReport, GameResult, GameSetup, PlyRecord, Result, won_by
from arbiter.match.judging import IDLE_SHARE, Reply, judge_answer, judge_time, name_culprit
from arbiter.match.seat import PLY, Answer, Guest, Seat, Turn
from arbiter.match.termination import Termination
from protocol.rules import Ply, Position, Side, parse_ply

EXIT_NEWS = 250 * MS
"""How long the exit status of a program is waited for whose output has ended."""
_STALL = 5_000 * MS
"""A stall from which on a game is void in which a bot went on computing."""
_IS_SUSPECT = attrgetter("is_suspect")


@dataclass(frozen=True, slots=True)
class Look:
    """What is known of a bot after all that it wrote was read: its counters, and its end if it ended."""

    reading: Reading
    end: End | None = None


class _Contested(NamedTuple):
    """An answer that came late, by no more than the machine may have taken."""

    seat: Seat
    fault: Fault
    spent: Spent


class Referee:
    """Leads one game from ``setup``.

    With ``leads`` it asks whoever is to move until the game is over. Without, its owner asks (``ask``) and
    plays (``play``), and hears the answers as ``reply``: for one bot that is tried, repeated or played
    against.
    """

    def __init__(
        self, setup: GameSetup, seats: Mapping[Side, type[Seat]] | None = None, *, leads: bool = True
    ) -> None:
        self.setup = setup
        self.actions: deque[Action] = deque()
        """What is to be done now, in this order; whoever does it takes it away."""
        kinds = {side: seat_kind(setup, side) for side in Side} | dict(seats or {})
        self.seats: dict[Side, Seat] = {side: kinds[side](side, setup, self.actions) for side in Side}
        self.start = self.position = setup.start
        self.records: list[PlyRecord] = []
        self.texts: list[str] = []
        self.faults: dict[Side, Fault] = {}
        """By side, in the order in which they happened: the first one decides the game."""
        self.void: Fault | None = None
        self.answer: str | None = None
        self.reply: Reply | None = None
        """The answer to the last question, once there is one; only without ``leads``."""
        self.has_begun = self.is_over = False
        self._leads = leads
        self._ticket = 0
        self._is_asking = False
        self._turn: Turn | None = None
        self._exit_by: dict[Side, int] = {}
        self._contested: _Contested | None = None
        self._now = 0

    # --- what may happen ---------------------------------------------------------------------------------

    @property
    def wake_at(self) -> int | None:
        """The moment (monotonic ns) at which ``woke`` is to be called, unless something else happens.

        While something is drained there is none: whatever is due is judged with what is read.
        """
        if self.is_over or self._ticket > 0:
            return None
        moments = [seat.wake_at for seat in self.seats.values() if seat.wake_at is not None]
        if self._exit_by:
            moments += self._exit_by.values()
        return min(moments, default=None)

    def spawned(self, side: Side, stamp: int) -> None:
        """A bot's program was started."""
        self.seats[side].spawned(stamp)
        self._look(stamp)

    def not_spawned(self, side: Side, fault: Fault) -> None:
        """A bot's program could not be started."""
        self._fail(self.seats[side], fault)

    def asked(self, side: Side, reading: Reading) -> None:
        """What starts a clock was written; the counters are from right before, the stamp from right after."""
        self.seats[side].asked(reading)
        self._look(reading.stamp)

    def received(self, side: Side, data: bytes, reading: Reading) -> None:
        """A bot wrote something."""
        self.seats[side].received(data, reading)
        self._look(reading.stamp)

    def answered(self, side: Side, text: str | None, reading: Reading) -> None:
        """A guest played this, or gave up."""
        seat = self.seats[side]
        assert isinstance(seat, Guest)
        seat.answer(text, reading)
        self._look(reading.stamp)

    def ended(self, side: Side, stamp: int) -> None:
        """A bot's output has ended, or its program."""
        self.seats[side].end()
        if side in self._exit_by and not self.is_over:
            self._doubt()
        else:
            self._look(stamp)

    def woke(self, stamp: int) -> None:
        """The moment of ``wake_at`` has come."""
        if _is_due(self.wake_at, stamp):
            self._doubt()

    def drained(self, ticket: int, looks: Mapping[Side, Look]) -> None:
        """All that was to be drained for this ticket has been read and handed in."""
        for side, look in looks.items():
            if look.end is not None:
                self.seats[side].end()
        if ticket != self._ticket or self.is_over:
            return
        self._ticket = -ticket
        if self._is_asking:
            self._is_asking = False
            if self._has_doubt():
                self._doubt()
            else:
                self._put_question()
        elif self._contested is not None:
            self._settle_contested(self._contested, looks)
        else:
            self._settle(looks)

    def stalled(self, ns: int, ran: Mapping[Side, int]) -> None:
        """Neither the arbiter nor, maybe, the machine ran for so long; the bots had so much CPU time
        meanwhile.

        A stall is never charged. Who computed through a long one had time for nothing, though.
        """
        has_computed = max(ran.values(), default=0) > ns * IDLE_SHARE // 100
        if self.has_begun and not self.is_over and ns > _STALL and has_computed:
            self._fail_or_void(self._mover, Fault(Code.STALLED, {"time": ns}), None, Spent())

    # --- the owner's own moves ---------------------------------------------------------------------------

    def ask(self, turn: Turn | None = None) -> None:
        """Ask the side to move for a ply, or what ``turn`` says; ``reply`` will be the answer.

        Once the game is over the reply is why.
        """
        self._turn = turn
        self.reply = Reply(None, None, self.fault) if self.is_over else None
        if not self.is_over:
            self._ask()

    def play(self, ply: Ply, record: PlyRecord | None = None) -> None:
        """Play a ply for the side to move, and let the opponent know it."""
        side = self.position.to_move
        record = record or PlyRecord(ply.text, 0, self.seats[side].clock.left)
        self.position = self.position.play(ply)
        self.records.append(record)
        self.texts.append(ply.text)
        if not self.position.is_over and side.other not in self.faults:
            self.seats[side.other].tell(ply.text)
        self.actions.append(Played(record, self.position))

    def set_up(self, start: Position, plies: Iterable[str] = ()) -> None:
        """Go to another position, that after ``plies`` from ``start``; nobody is told before the next
        question.
        """
        self.start = self.position = start
        self.records, self.texts = [], []
        for text in plies:
            self.position = self.position.play(parse_ply(text))
            self.records.append(PlyRecord(text, 0, None))
            self.texts.append(text)

    def take_back(self, count: int) -> None:
        """Go back to where the game stood after so many plies; the clocks stay as they are, and a question
        that is open stays open.
        """
        records = self.records[:count]
        self.set_up(self.start, [record.ply for record in records])
        self.records = records

    def lose(self, side: Side, fault: Fault, answer: str | None = None) -> None:
        """Let a side lose: a person who gives up."""
        self._fail(self.seats[side], fault, answer)

    def finish(self) -> None:
        """The game is over, or nothing more is wanted of it: both bots are told."""
        if not self.is_over:
            self.is_over = True
            for seat in self.seats.values():
                if seat.is_spawned and not seat.has_left:
                    self._say_end(seat)

    # --- the course of a game ----------------------------------------------------------------------------

    @property
    def _mover(self) -> Seat:
        turn = self._turn
        if turn is None:
            return self.seats[self.position.to_move]
        return self.seats[turn.position.to_move if turn.side is None else turn.side]

    def _look(self, stamp: int) -> None:
        """See what follows from the last event."""
        self._now = stamp
        if self.is_over:
            return
        if not self.has_begun:
            self._look_at_start()
            return
        mover = self._mover
        if mover.wanted == PLY and mover.has_answer:
            self._take_answer(mover)
        elif self._has_doubt() and self._ticket <= 0:
            self._doubt()

    def _look_at_start(self) -> None:
        """Begin once both bots are ready, or could not get ready."""
        waiting = [side for side, seat in self.seats.items() if not (seat.is_ready or side in self.faults)]
        if not waiting:
            self._begin()
        elif self._ticket <= 0 and any(self._has_start_doubt(self.seats[side]) for side in waiting):
            self._doubt()

    def _has_start_doubt(self, seat: Seat) -> bool:
        has_ended = seat.is_in_doubt(on_turn=True) and seat.side not in self._exit_by
        return has_ended or seat.refusal is not None

    def _begin(self) -> None:
        self.has_begun = True
        for seat in self.seats.values():
            seat.ready_at = self._now
        if len(self.faults) == 2 and self._leads:
            both: dict[str, Fact] = {side.word: fault for side, fault in self.faults.items()}
            self._call_off(Fault(Code.BOTH, both))
        elif self.faults:
            self._stop()
        elif self._leads:
            for seat in self.seats.values():
                if seat.is_spawned:
                    seat.rest()
            self._advance()

    def _advance(self) -> None:
        """Ask the side to move, if there is one, or play for it."""
        while not self.position.is_over and self.position.to_move in self.faults:
            self._substitute()
        if self.position.is_over:
            self.finish()
        else:
            self._ask()

    def _ask(self) -> None:
        """Ask once nothing is left unread: an answer that came before its question is none to it.

        What speaks against a bot by then is judged first, or one that has lost would be asked once more.
        """
        self._is_asking = True
        self._drain((self._mover.side,), thorough=False)

    def _put_question(self) -> None:
        mover = self._mover
        turn = self._turn or Turn(
            len(self.texts) + 1, self.position, self.texts, self.seats[mover.side.other].clock, self.start
        )
        mover.ask(turn)
        self._look(self._now)

    def _substitute(self) -> None:
        """Play the first legal ply by its text, in place of a bot that failed."""
        ply = min(self.position.legal_plies(), key=lambda each: each.text)
        left = self._mover.clock.left
        self.play(ply, PlyRecord(ply.text, 0, left, Spent(), {"substitute": "1"}))

    # --- judging -----------------------------------------------------------------------------------------

    def _take_answer(self, seat: Seat) -> None:
        """Judge an answer: time first, then form, then rules."""
        self._ticket = -abs(self._ticket)
        self._exit_by.clear()
        answer = seat.take_answer()
        spent = seat.spent(answer.reading)
        late = judge_time(seat.clock, spent, seat.side)
        if late is not None and late.is_void and self._leads:
            self._contested = _Contested(seat, late, spent)
            self._doubt()
            return
        if late is not None and not late.is_void:
            self._fail_or_void(seat, late, None, spent)
            return
        ply = self._judge_answer(seat, answer, spent)
        if ply is None:
            return
        if not self._leads:
            self.reply = Reply(ply, answer.text, late, spent, dict(seat.info))
            return
        self.play(ply, PlyRecord(ply.text, seat.clock.last_charge, seat.clock.left, spent, dict(seat.info)))
        self._advance()

    def _judge_answer(self, seat: Seat, answer: Answer, spent: Spent) -> Ply | None:
        """The ply that an answer means; None for another answer, which loses."""
        position = self._turn.position if self._turn is not None else self.position
        ply, fault = judge_answer(answer.text, position)
        if fault is not None:
            said = None if fault.code is Code.RESIGNED else answer.text
            self._fail_or_void(seat, fault, said, spent)
        return ply

    def _fail_or_void(self, seat: Seat, fault: Fault, answer: str | None, spent: Spent) -> None:
        if not self._leads and self.reply is None:  # else it happened after the answer
            self.reply = Reply(None, answer, fault, spent, dict(seat.info))
        if fault.is_void:
            self._call_off(fault)
        else:
            self._fail(seat, fault, answer)

    # --- doubts ------------------------------------------------------------------------------------------

    def _has_doubt(self) -> bool:
        """Whether one of the bots did something that may lose the game, and it is not known yet how."""
        if not any(map(_IS_SUSPECT, self.seats.values())):
            return False
        mover = self._mover
        return any(
            seat.is_in_doubt(on_turn=seat is mover and seat.wanted == PLY)
            for side, seat in self.seats.items()
            if side not in self.faults and side not in self._exit_by and seat.is_spawned
        )

    def _doubt(self) -> None:
        """Have everything read before anybody is judged."""
        self._is_asking = False
        first = self._mover.side
        self._drain((first, first.other), thorough=True)

    def _drain(self, sides: tuple[Side, ...], *, thorough: bool) -> None:
        self._ticket = abs(self._ticket) + 1
        self.actions.append(Drain(self._ticket, sides, thorough))

    def _settle(self, looks: Mapping[Side, Look]) -> None:
        """Judge what was in doubt, the side to move first."""
        first = self._mover.side
        for side in (first, first.other):
            if self._is_in_play(self.seats[side]):
                self._settle_one(self.seats[side], looks[side], looks)
            if side in self._exit_by and self.has_begun:
                return  # it has lost, only how is not known yet

    def _is_in_play(self, seat: Seat) -> bool:
        """Whether a bot can still fail: before the first ply only one that is not ready."""
        return not self.is_over and seat.side not in self.faults and (self.has_begun or not seat.is_ready)

    def _settle_one(self, seat: Seat, look: Look, looks: Mapping[Side, Look]) -> None:
        on_turn = bool(seat.wanted) or not self.has_begun
        if flood := seat.flood():
            self._accuse(seat, flood, look, looks)
        elif refusal := seat.refusal:
            self._accuse(seat, refusal, look, looks)
        elif seat.has_ended and (on_turn or seat.dies_at_once):
            self._settle_end(seat, look, looks)
        elif on_turn and _is_due(seat.wake_at, look.reading.stamp):
            self._settle_deadline(seat, look, looks)

    def _settle_end(self, seat: Seat, look: Look, looks: Mapping[Side, Look]) -> None:
        """Judge the end of a program, once it is known how it ended, or does not become known."""
        now = look.reading.stamp
        patience = self._exit_by.setdefault(seat.side, now + EXIT_NEWS)
        seat.wake_at = None
        if look.end is None or not (look.end.has_exited or now >= patience):
            return
        del self._exit_by[seat.side]
        self._accuse(seat, look.end.fault, look, looks)

    def _settle_deadline(self, seat: Seat, look: Look, looks: Mapping[Side, Look]) -> None:
        """Judge a bot that has not answered: late, or kept waiting by the machine for as long as that may
        be it.
        """
        spent = seat.spent(look.reading)
        over = seat.waiting_clock.overrun(spent)
        if spent.wait > MOST_WAITING:
            starved = Fault(Code.STARVED, {"machine": spent.wait})
            self._accuse(seat, starved, look, looks)
        elif not over.is_late or over.is_machines:
            seat.wake_at = look.reading.stamp + seat.waiting_clock.patience(spent)
        elif over.may_be_machines and (pause := seat.doubtful_for(look.reading)):
            seat.wake_at = look.reading.stamp + pause
        else:
            self._accuse(seat, seat.overdue(spent), look, looks)

    def _settle_contested(self, contested: "_Contested", looks: Mapping[Side, Look]) -> None:
        """Call the game off over an answer that the machine may have made late."""
        fault = self._with_culprit(contested.seat, contested.fault, looks, contested.spent)
        self._fail_or_void(contested.seat, fault, None, contested.spent)

    def _accuse(self, seat: Seat, fault: Fault, look: Look, looks: Mapping[Side, Look]) -> None:
        fault = seat.before_ready(fault)
        spent = seat.spent(look.reading) if seat.wanted == PLY else Spent()
        if fault.is_void:
            fault = self._with_culprit(seat, fault.with_facts(side=seat.side.word), looks, spent)
        self._fail_or_void(seat, fault, None, spent)

    def _with_culprit(self, seat: Seat, fault: Fault, looks: Mapping[Side, Look], spent: Spent) -> Fault:
        """A void that the resting opponent may have brought about."""
        other = self.seats[seat.side.other]
        return name_culprit(fault, other.side, other.idle_cpu_until(looks[other.side].reading), spent)

    # --- the end -----------------------------------------------------------------------------------------

    def _fail(self, seat: Seat, fault: Fault, answer: str | None = None) -> None:
        """A bot has lost, or could not begin."""
        is_first = not self.faults
        self.faults[seat.side] = fault
        seat.wanted, seat.wake_at = "", None
        self._exit_by.pop(seat.side, None)
        if is_first:
            self.answer = answer
        if not self.has_begun:
            self._look_at_start()
        elif is_first and self._leads and self.setup.substitute and fault.termination.is_forfeit:
            self._go_on_without(seat)
        else:
            self._stop()

    def _go_on_without(self, seat: Seat) -> None:
        """Let the other side play on against substituted plies."""
        self._say_end(seat)
        seat.has_left = True
        self.actions.append(Dismiss(seat.side))
        if self.seats[seat.side.other].wanted != PLY:
            self._advance()

    def _call_off(self, fault: Fault) -> None:
        """The game cannot be judged fairly; one that a forfeit has decided before stays decided."""
        if not self.faults or fault.code is Code.BOTH:
            self.void = fault
        if not self._leads and self.reply is None:
            self.reply = Reply(None, None, fault)
        self._stop()

    def _stop(self) -> None:
        """Nothing more is asked."""
        for seat in self.seats.values():
            seat.wake_at = None
        if self.reply is None and not self._leads:
            self.reply = Reply(None, None, self.fault)
        self.finish()

    def _say_end(self, seat: Seat) -> None:
        result, termination = self.verdict()
        seat.say_end(result, self.position.score, termination, self.faults.get(seat.side))

    def verdict(self) -> tuple[Result, Termination]:
        """The result as it stands, and how it came about."""
        if self.void is not None:
            return "*", Termination.VOID
        for side, fault in self.faults.items():
            return won_by(side.other), fault.termination
        if not self.position.is_over:
            return "*", Termination.VOID
        return won_by(self.position.winner), Termination.NORMAL

    @property
    def fault(self) -> Fault | None:
        """What decided the game, if the board did not."""
        if self.void is None and len(self.faults) == 2:
            return Fault(Code.BOTH, {side.word: self.faults[side] for side in Side})
        return self.void or next(iter(self.faults.values()), None)

    def result(
        self, reports: Mapping[Side, BotReport], started_at: str, seconds: float, lag: int
    ) -> GameResult:
        """The game as it is kept, with what is known about both programs."""
        result, termination = self.verdict()
        return GameResult(
            result=result,
            termination=termination,
            fault=self.fault,
            offender=None if termination is Termination.VOID else next(iter(self.faults), None),
            plies=tuple(self.records),
            answer=self.answer,
            score=self.position.score,
            final=self.position.dpos,
            white=reports[Side.WHITE],
            black=reports[Side.BLACK],
            started_at=started_at,
            seconds=seconds,
            both_failed=self.void is not None and self.void.code is Code.BOTH,
            lag=lag,
        )


def seat_kind(setup: GameSetup, side: Side) -> type[Seat]:
    """The kind of seat for the dialect that a bot speaks."""
    return CodecupSeat if setup.competitor(side).bot.dialect is Dialect.CODECUP else DvpSeat


def _is_due(moment: int | None, now: int) -> bool:
    return moment is not None and now >= moment
