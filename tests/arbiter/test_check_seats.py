"""The seats of the check under a referee that is fed by hand: no process, no clock, no waiting."""

from pathlib import Path

import pytest

from arbiter.check.seats import SpokenCodecupSeat, SpokenDvpSeat, spoken_kind
from arbiter.match.actions import Drain, End, Write
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import MS, Reading, TimeControl
from arbiter.match.fault import Code, Fault
from arbiter.match.game import Competitor, GameSetup
from arbiter.match.referee import Look, Referee
from arbiter.match.seat import Guest, Seat, Turn
from protocol.rules import Position, Side, parse_ply

WHITE, BLACK = Side
CONTROL = TimeControl(game=1_000, start=500)


class Desk:
    """A bot as White and a guest as Black; every event takes a millisecond."""

    def __init__(self, dialect: Dialect, *, greets: bool = True) -> None:
        bot = Bot("mine", ("-",), Path(), dialect)
        setup = GameSetup(Competitor(bot, CONTROL), Competitor(bot, CONTROL), Position.start())
        kinds: dict[Side, type[Seat]] = {WHITE: spoken_kind(bot), BLACK: Guest}
        self.referee = Referee(setup, kinds, leads=False)
        self.written = ""
        self.now = 10_000 * MS
        self.end: End | None = None
        self.do(self.referee.spawned, WHITE, self.now)
        if greets:
            self.greet()

    @property
    def dvp(self) -> SpokenDvpSeat:
        seat = self.referee.seats[WHITE]
        assert isinstance(seat, SpokenDvpSeat)
        return seat

    @property
    def cup(self) -> SpokenCodecupSeat:
        seat = self.referee.seats[WHITE]
        assert isinstance(seat, SpokenCodecupSeat)
        return seat

    def greet(self) -> None:
        self.do(self.referee.seats[WHITE].greet)  # type: ignore[attr-defined]
        if isinstance(self.referee.seats[WHITE], SpokenDvpSeat):
            self.hear("dvpok")
            self.do(self.dvp.announce)

    def hear(self, *lines: str) -> None:
        data = "".join(f"{line}\n" for line in lines).encode()
        self.do(self.referee.received, WHITE, data, self.reading())

    def reading(self) -> Reading:
        self.now += MS
        return Reading(self.now)

    def wait(self, ms: int) -> None:
        self.now += ms * MS
        self.do(self.referee.woke, self.now)

    def die(self, fault: Fault) -> None:
        self.end = End(fault, has_exited=True)
        self.do(self.referee.ended, WHITE, self.now)

    def do(self, event: object, *arguments: object) -> None:
        assert callable(event)
        event(*arguments)
        while self.referee.actions:
            match self.referee.actions.popleft():
                case Write(side, data, starts_clock):
                    self.written += data.decode()
                    if starts_clock:
                        self.referee.asked(side, self.reading())
                case Drain(ticket):
                    ends = {WHITE: self.end, BLACK: None}
                    self.referee.drained(ticket, {side: Look(Reading(self.now), ends[side]) for side in Side})

    def outcome(self) -> tuple[str | None, Code | None]:
        """The ply of the reply and the code of its fault."""
        reply = self.referee.reply
        assert reply is not None
        return reply.ply.text if reply.ply else None, reply.fault.code if reply.fault else None


# --- DVP


def test_a_bot_is_greeted_and_told_of_the_game_in_steps() -> None:
    desk = Desk(Dialect.DVP, greets=False)
    assert desk.written == ""
    desk.do(desk.dvp.greet)
    desk.hear("feature ready", "dvpok")
    assert desk.dvp.introduced_at == desk.now
    assert desk.written == "dvp 1\n"
    desk.do(desk.dvp.announce)
    assert desk.written.startswith("dvp 1\nnewgame white time 1000")
    assert not desk.dvp.is_ready
    desk.hear("readyok")
    assert desk.dvp.is_ready


@pytest.mark.parametrize("has_greeted", [False, True])
def test_an_end_before_a_greeting_is_an_end_and_after_it_one_before_its_answer(has_greeted: bool) -> None:
    desk = Desk(Dialect.DVP, greets=False)
    if has_greeted:
        desk.do(desk.dvp.greet)
    desk.die(Fault(Code.EXITED, {"status": 3}))
    fault = desk.referee.faults[WHITE]
    assert fault.code is (Code.ENDED_BEFORE if has_greeted else Code.EXITED)
    assert fault.text("wanted") == ("dvpok" if has_greeted else "")


def test_lines_can_be_said_in_the_place_of_a_request_and_their_answer_is_judged() -> None:
    desk = Desk(Dialect.DVP)
    desk.dvp.script = ("position start", "strange words", "go ply 1")
    desk.written = ""
    desk.do(desk.referee.ask)
    assert desk.written == "position start\nstrange words\ngo ply 1\n"
    desk.hear("move A9")
    assert desk.outcome() == (None, Code.NOT_A_PLY)


def test_a_bot_can_be_asked_for_the_ply_of_the_other_side() -> None:
    desk = Desk(Dialect.DVP)
    position = Position.start().play(parse_ply("A1"))
    clock = desk.referee.seats[BLACK].clock
    desk.do(desk.referee.ask, Turn(2, position, ["A1"], clock, side=WHITE))
    desk.hear("move A2")
    assert desk.outcome() == ("A2", None)


def test_answers_that_nobody_asked_for_are_no_flood() -> None:
    desk = Desk(Dialect.DVP)
    desk.hear(*["move A1"] * 20)
    assert len(desk.dvp.uncalled) == 20
    assert not desk.referee.is_over
    desk.do(desk.referee.ask)
    desk.hear("move A2")
    assert desk.outcome() == ("A2", None)


def test_the_clock_runs_from_the_last_line_that_was_said() -> None:
    desk = Desk(Dialect.DVP)
    desk.do(desk.referee.ask)
    desk.wait(900)
    desk.do(desk.dvp.say, "hurry")
    desk.wait(900)
    desk.hear("move A2")
    assert desk.outcome() == ("A2", None)


def test_a_failed_bot_is_not_told_of_its_end_and_another_only_where_that_is_wanted() -> None:
    desk = Desk(Dialect.DVP)
    desk.do(desk.referee.ask)
    desk.hear("move A9")
    assert desk.written.endswith("go ply 1 time 1000 opptime 1000\n")
    desk = Desk(Dialect.DVP)
    desk.dvp.has_left = False
    desk.do(desk.referee.finish)
    assert desk.written.endswith("result * white 0 black 0 reason void\nquit\n")


def test_strays_are_told_in_words() -> None:
    desk = Desk(Dialect.DVP)
    desk.hear("hello", "error no book", "hello")
    assert desk.dvp.strays == ["ignored: 'hello'", "it reported an error: no book"]


# --- CodeCup


def test_a_ply_is_waited_for_through_lines_that_are_none() -> None:
    desk = Desk(Dialect.CODECUP)
    desk.do(desk.referee.ask)
    desk.hear("thinking", "A1", "done")
    assert desk.outcome() == ("A1", None)
    assert desk.cup.strays == ["thinking", "done"]


@pytest.mark.parametrize(("lines", "code"), [(["A1-A2"], Code.NOT_A_PLY), ([], Code.NO_ANSWER)])
def test_where_nothing_else_comes_such_a_line_was_the_answer(lines: list[str], code: Code) -> None:
    desk = Desk(Dialect.CODECUP)
    desk.do(desk.referee.ask)
    desk.hear("thinking", "A1", *lines)
    desk.do(desk.referee.play, parse_ply("A1"))
    desk.do(desk.referee.play, parse_ply("B1"))
    desk.do(desk.referee.ask)
    desk.wait(1_100)
    assert desk.outcome() == (None, code)
    reply = desk.referee.reply
    assert reply is not None
    assert reply.fault is not None
    assert reply.fault.text("answer") == "".join(lines)


def test_a_first_ply_before_start_counts_from_start_on_and_was_early() -> None:
    desk = Desk(Dialect.CODECUP)
    desk.hear("A1")
    assert desk.cup.early
    desk.do(desk.referee.ask)
    assert desk.outcome() == ("A1", None)
    assert desk.cup.early_ply == 1
    assert desk.referee.reply is not None
    assert desk.referee.reply.spent.wall == 0


# --- what the machine does


def test_a_question_that_a_stall_spoils_is_answered_by_that() -> None:
    desk = Desk(Dialect.DVP)
    desk.do(desk.referee.ask)
    desk.do(desk.referee.stalled, 9_000 * MS, {WHITE: 8_000 * MS})
    assert desk.outcome() == (None, Code.STALLED)


def test_who_is_asked_after_the_end_answers_with_what_ended_it() -> None:
    desk = Desk(Dialect.DVP)
    desk.die(Fault(Code.EXITED, {"status": 3}))
    desk.do(desk.referee.ask)
    assert desk.outcome() == (None, Code.EXITED)
