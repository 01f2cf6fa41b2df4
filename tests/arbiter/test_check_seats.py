"""The seats of the check under a referee that is fed by hand: no process, no clock, no waiting."""

import pytest

from arbiter.check.seats import SpokenCodecupSeat, SpokenDvpSeat, SpokenSeat
from arbiter.match.clock import MS
from arbiter.match.fault import Code
from arbiter.match.judging import Reply
from arbiter.match.seat import Guest, Turn
from protocol.rules import Position, Side, parse_ply
from tests.arbiter.match.harness import CODECUP, DVP, SECOND, Harness, competitor, setup_of

WHITE, BLACK = Side


class Desk(Harness):
    """A bot as White and a guest as Black."""

    def __init__(self, kind: type[SpokenSeat]) -> None:
        bot = competitor("mine", dialect=DVP if kind is SpokenDvpSeat else CODECUP)
        super().__init__(setup_of(bot), {WHITE: kind, BLACK: Guest}, leads=False)
        self.spawn(WHITE)

    @property
    def seat(self) -> SpokenSeat:
        seat = self.referee.seats[WHITE]
        assert isinstance(seat, SpokenSeat)
        return seat

    def ready(self) -> "Desk":
        """The same with its bot ready for the game."""
        self.seat.greet()
        self.perform()
        if isinstance(self.seat, SpokenDvpSeat):
            self.say(WHITE, "dvpok")
            self.seat.announce()
            self.perform()
        self.heard(WHITE)
        return self

    def ask(self, *lines: str, turn: Turn | None = None) -> None:
        """Ask for a ply, in these lines if there are any."""
        self.seat.script = lines
        self.referee.ask(turn)
        self.perform()

    def answer(self, *lines: str) -> Reply:
        """The reply to the open question after these lines."""
        for line in lines:
            self.say(WHITE, line)
        assert self.referee.reply is not None
        return self.referee.reply


def dvp() -> Desk:
    return Desk(SpokenDvpSeat).ready()


def codecup() -> Desk:
    return Desk(SpokenCodecupSeat).ready()


def code(reply: Reply) -> Code | None:
    return reply.fault.code if reply.fault else None


# --- DVP


def test_a_bot_is_greeted_and_told_of_the_game_in_steps() -> None:
    desk = Desk(SpokenDvpSeat)
    assert desk.heard(WHITE) == []
    desk.seat.greet()
    desk.perform()
    desk.say(WHITE, "feature ready")
    desk.say(WHITE, "dvpok")
    assert (desk.heard(WHITE), desk.seat.introduced_at) == (["dvp 1"], desk.now)
    desk.seat.announce()
    desk.perform()
    assert [line.split()[0] for line in desk.heard(WHITE)] == ["newgame", "isready"]
    assert not desk.seat.is_ready
    desk.say(WHITE, "readyok")
    assert desk.seat.is_ready


@pytest.mark.parametrize(("is_greeted", "code"), [(False, Code.EXITED), (True, Code.ENDED_BEFORE)])
def test_an_end_before_the_greeting_is_not_before_an_answer(is_greeted: bool, code: Code) -> None:
    desk = Desk(SpokenDvpSeat)
    if is_greeted:
        desk.seat.greet()
        desk.perform()
    desk.crash(WHITE)
    assert desk.codes == {WHITE: code}


def test_lines_are_said_in_the_place_of_a_request_and_their_answer_is_judged() -> None:
    desk = dvp()
    desk.ask("position start", "strange words", "go ply 1")
    assert desk.heard(WHITE) == ["position start", "strange words", "go ply 1"]
    assert code(desk.answer("move A9")) is Code.NOT_A_PLY


def test_the_clock_runs_from_the_last_line_that_was_said() -> None:
    desk = dvp()
    desk.ask()
    desk.sleep(SECOND)
    assert isinstance(desk.seat, SpokenDvpSeat)
    desk.seat.say("hurry")
    desk.perform()
    desk.sleep(SECOND)
    assert desk.answer("move A2").ply == parse_ply("A2")


def test_a_bot_can_be_asked_for_a_ply_of_the_other_side() -> None:
    desk = dvp()
    position, clock = Position.start().play(parse_ply("A1")), desk.referee.seats[BLACK].clock
    desk.ask(turn=Turn(2, position, ["A1"], clock, side=WHITE))
    assert desk.answer("move A2").ply == parse_ply("A2")


def test_answers_that_nobody_asked_for_are_no_flood() -> None:
    desk = dvp()
    for _ in range(20):
        desk.say(WHITE, "move A1")
    assert (len(desk.seat.uncalled), desk.referee.is_over) == (20, False)


def test_a_bot_is_told_how_the_game_ended_only_where_that_is_wanted() -> None:
    desk = dvp()
    desk.ask()
    desk.answer("move A9")
    assert desk.referee.is_over
    assert desk.heard(WHITE)[-1].startswith("go ")
    desk = dvp()
    desk.seat.has_left = False
    desk.referee.finish()
    desk.perform()
    assert desk.heard(WHITE) == ["result * white 0 black 0 reason void", "quit"]


def test_lines_without_effect_and_errors_are_kept_in_words() -> None:
    desk = dvp()
    for line in ("hello", "error no book", "hello"):
        desk.say(WHITE, line)
    assert desk.seat.strays == ["ignored: 'hello'", "it reported an error: no book"]


# --- CodeCup


def test_a_ply_is_waited_for_through_lines_that_are_none() -> None:
    desk = codecup()
    desk.ask()
    assert desk.answer("thinking", "A1", "done").ply == parse_ply("A1")
    assert desk.seat.strays == ["thinking", "done"]


@pytest.mark.parametrize(("line", "expected"), [("A1-A2", Code.NOT_A_PLY), ("", Code.NO_ANSWER)])
def test_where_nothing_else_comes_such_a_line_was_the_answer(line: str, expected: Code) -> None:
    desk = codecup()
    desk.ask()
    desk.answer("thinking", "A1", line)
    for ply in ("A1", "B1"):
        desk.referee.play(parse_ply(ply))
        desk.perform()
    desk.ask()
    desk.sleep(2 * SECOND)
    reply = desk.answer()
    assert code(reply) is expected
    assert reply.fault is not None
    assert reply.fault.text("answer") == line


def test_a_first_ply_before_start_counts_from_start_on_and_was_early() -> None:
    desk = codecup()
    desk.say(WHITE, "A1")
    assert desk.seat.early
    desk.sleep(SECOND)
    desk.ask()
    reply = desk.answer()
    assert (reply.ply, reply.fault, reply.spent.wall) == (parse_ply("A1"), None, 0)
    assert desk.seat.early_ply == 1


# --- what ends a question


def test_a_question_that_a_stall_spoils_is_answered_by_that() -> None:
    desk = dvp()
    desk.ask()
    desk.stall(9 * SECOND, {WHITE: 8 * SECOND})
    assert code(desk.answer()) is Code.STALLED


def test_a_question_after_the_end_is_answered_by_what_ended_it() -> None:
    desk = dvp()
    desk.crash(WHITE)
    desk.sleep(MS)
    desk.ask()
    assert code(desk.answer()) is Code.EXITED
