"""One game through the referee, in numbers: the course of a game, its questions and answers, its verdicts."""

import itertools

import pytest

from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, TimeControl
from arbiter.match.fault import Code, Fault
from arbiter.match.termination import Termination
from protocol.rules import Side, parse_dpos
from tests.arbiter.match.harness import (
    CODECUP,
    DVP,
    LATE_BOARD,
    TIME,
    Harness,
    begun,
    competitor,
    nearly_full,
    setup_of,
)
from tests.arbiter.match.simulation import Script, Simulation, Took, codecup_bot, dvp_bot

WHITE, BLACK = Side.WHITE, Side.BLACK
ONE_PLY = parse_dpos("........./........../....rw...../.....b..../......... w m")
"""White has one ply, with which the game ends."""


def game(white: Dialect = DVP, black: Dialect = DVP, *, substitute: bool = False) -> Harness:
    """A game that has begun and in which White was asked."""
    one, two = competitor("one", dialect=white), competitor("two", dialect=black)
    setup = setup_of(one, two, substitute=substitute)
    harness = begun(Harness(setup))
    assert harness.asked is WHITE
    return harness


def bot_of(dialect: Dialect, side: Side, took: Took) -> Script:
    return dvp_bot(took) if dialect is DVP else codecup_bot(side, took)


# The course of a game.


@pytest.mark.parametrize("white, black", list(itertools.product(Dialect, repeat=2)))
def test_a_whole_game(white: Dialect, black: Dialect) -> None:
    """Both dialects, alone and mixed, from the first placement through the double turn to the end."""
    setup = setup_of(competitor("one", dialect=white), competitor("two", dialect=black))
    scripts = {WHITE: bot_of(white, WHITE, Took(3 * MS)), BLACK: bot_of(black, BLACK, Took(7 * MS))}
    played = Simulation(setup, scripts).run()
    assert played.outcome == ("1-0", "normal")
    assert played.referee.fault is None
    assert played.plies[:3] == ["A1", "A2", "A3"]
    assert len(played.plies) == 86
    assert played.played == played.plies
    own = [record.used for number, record in enumerate(played.referee.records) if number in (0, 48, 49)]
    assert own == [3 * MS] * 3, "White's double turn is two plies of White's"
    assert played.referee.records[1].used == 7 * MS
    assert played.referee.position.is_over
    assert played.referee.seats[WHITE].clock_use().plies == 44


def test_what_a_dvp_bot_is_told() -> None:
    harness = Harness(setup_of(start=LATE_BOARD))
    harness.spawn()
    assert harness.heard(WHITE) == ["dvp 1"]
    harness.say(WHITE, "dvpok")
    assert harness.heard(WHITE) == [
        "newgame white time 1000 inc 100 grace 50 clock wall ponder off rules standard game 1 opponent two"
    ]
    harness.say(BLACK, "dvpok")
    assert harness.heard(WHITE) == [
        f"position {LATE_BOARD.dpos}",
        f"board {LATE_BOARD.dpos}",
        "legal D3C3 D3E3 F3E3 F3F2",
        "go ply 1 time 1000 opptime 1000 inc 100",
    ]
    harness.now += 300 * MS
    harness.say(WHITE, "move d3c3")
    assert harness.heard(WHITE) == []
    assert harness.heard(BLACK)[2:] == [
        f"position {LATE_BOARD.dpos} moves D3C3",
        "board ........./........../....rw...../.....b..../......... b m",
        "legal F2F3",
        "go ply 2 time 1000 opptime 800 inc 100",
    ]
    harness.say(BLACK, "move F2F3 ply 2")
    end = "result 0-1 white 0 black 2 reason normal"
    assert harness.heard(WHITE) == [end, "quit"]
    assert harness.heard(BLACK) == [end, "quit"]
    assert harness.outcome == ("0-1", "normal")


def test_what_codecup_bots_are_told() -> None:
    harness = game(CODECUP, CODECUP)
    assert (harness.heard(WHITE), harness.heard(BLACK)) == (["Start"], [])
    harness.say(WHITE, "D1")
    assert (harness.heard(WHITE), harness.heard(BLACK)) == ([], ["D1"])
    harness.say(BLACK, "E1")
    assert (harness.heard(WHITE), harness.heard(BLACK)) == (["E1"], [])
    harness.referee.finish()
    harness.perform()
    assert (harness.heard(WHITE), harness.heard(BLACK)) == (["Quit"], ["Quit"])


@pytest.mark.parametrize("dialect", Dialect)
def test_the_ply_that_ends_the_game_is_not_passed_on(dialect: Dialect) -> None:
    """Black is asked for nothing; the end is all that it hears."""
    setup = setup_of(start=ONE_PLY, black=competitor("two", dialect=dialect))
    harness = begun(Harness(setup))
    harness.heard(BLACK)
    harness.say(WHITE, "move F3E3")
    assert harness.referee.is_over
    assert harness.outcome[1] == "normal"
    assert harness.heard(BLACK)[-1].lower() == "quit"
    assert not any("F3E3" in line for line in harness.heard(BLACK))


# The answer.


@pytest.mark.parametrize(
    "answer, code, kept",
    [
        ("move A9", Code.NOT_A_PLY, "A9"),
        ("move D3A3", Code.ILLEGAL, "D3A3"),
        ("resign", Code.RESIGNED, None),
    ],
)
def test_an_answer_that_loses(answer: str, code: Code, kept: str | None) -> None:
    harness = begun(Harness(setup_of(start=LATE_BOARD)))
    harness.say(WHITE, answer)
    assert harness.codes == {WHITE: code}
    assert harness.referee.answer == kept
    assert harness.outcome[0] == "0-1"
    assert harness.result().offender is WHITE


@pytest.mark.parametrize("answer", ["move A9", "move A1A9", "resign", "move D1"])
def test_time_comes_first(answer: str) -> None:
    """SPEC, how answers are judged: within the limit, a ply, legal; in this order."""
    harness = game()
    harness.now += 1_051 * MS
    harness.say(WHITE, answer)
    assert harness.codes == {WHITE: Code.LATE}
    assert harness.fault.facts == {"used": 1_051 * MS, "over": MS, "limit": 1_050 * MS}
    assert harness.referee.answer is None
    assert harness.plies == []


def test_an_answer_at_the_very_limit_is_in_time() -> None:
    harness = game()
    harness.now += 1_050 * MS
    harness.say(WHITE, "move D1")
    assert harness.plies == ["D1"]
    record = harness.referee.records[0]
    assert (record.used, record.left) == (1_050 * MS, 100 * MS)


@pytest.mark.parametrize("lag, is_late", [(0, True), (19, True), (20, False), (500, False)])
def test_lateness_is_a_matter_of_the_stamp(lag: int, is_late: bool) -> None:
    """The deadline has passed and was looked at; the answer is judged by when it had come."""
    setup = setup_of()
    harness = begun(Harness(setup))
    harness.holds_drains = True
    harness.now += 1_070 * MS
    harness.wake()
    assert not harness.referee.is_over, "all that was written is read first"
    harness.say(WHITE, "move D1", lag * MS)
    assert (harness.codes == {WHITE: Code.LATE}) == is_late
    assert (harness.plies == ["D1"]) != is_late


def test_a_bot_that_says_nothing() -> None:
    harness = game()
    harness.sleep(1_050 * MS)
    assert not harness.referee.is_over
    harness.sleep(1 * MS)
    assert harness.codes == {WHITE: Code.NO_ANSWER}
    assert harness.outcome == ("0-1", "timeout")
    assert harness.heard(WHITE)[-3].startswith("error timeout no answer within 1050 ms")


def test_a_stall_is_never_charged() -> None:
    harness = game()
    harness.now += 900 * MS
    harness.stall(20_000 * MS)
    harness.wake()
    assert not harness.referee.is_over
    harness.now += 100 * MS
    harness.say(WHITE, "move D1")
    assert harness.referee.records[0].used == 1_000 * MS


def test_answers_with_another_number_are_none() -> None:
    harness = game()
    harness.heard(WHITE)
    harness.say(WHITE, "move D1 ply 2")
    assert harness.heard(WHITE) == ["error unexpected `move` is not the answer to an open request"]
    assert harness.asked is WHITE
    assert harness.plies == []
    harness.say(WHITE, "move D1 ply 1")
    assert harness.plies == ["D1"]


@pytest.mark.parametrize("unasked", [WHITE, BLACK])
def test_ten_answers_that_nobody_asked_for_lose(unasked: Side) -> None:
    harness = game()
    line = "move D1 ply 99"
    for _ in range(9):
        harness.say(unasked, line)
    assert not harness.referee.is_over
    harness.say(unasked, line)
    assert harness.codes == {unasked: Code.UNASKED}
    assert harness.outcome[1] == "flood"


@pytest.mark.parametrize("behind", ["flood", "ten unasked"])
@pytest.mark.parametrize("opponent", [DVP, CODECUP])
def test_what_is_written_behind_an_answer_is_judged_before_the_next_question(
    opponent: Dialect, behind: str
) -> None:
    """However quick the opponent is: else the one that has lost would be asked once more."""
    harness = game(black=opponent)
    harness.write(BLACK, "A2" if opponent is CODECUP else "move A2")
    rest = b"x" * 65_537 if behind == "flood" else b"resign\n" * 10
    harness.say(WHITE, b"move D1\n" + rest)
    assert harness.referee.is_over
    assert harness.referee.verdict() == ("0-1", Termination.FLOOD)
    assert harness.plies == ["D1"]
    assert not any(line.startswith("go ply 3") for line in harness.heard(WHITE))
    assert not any(line.startswith("go ply 2") for line in harness.heard(BLACK))


def test_unasked_answers_count_over_the_whole_game() -> None:
    harness = game()
    for number in range(5):
        harness.say(BLACK, "resign")
        harness.say(WHITE, f"move {'ABCDE'[number]}1")
        harness.say(WHITE, "resign")
        assert harness.asked is BLACK
        harness.say(BLACK, f"move {'ABCDE'[number]}2")
    assert harness.asked is WHITE
    assert len(harness.plies) == 10
    for _ in range(5):
        harness.say(BLACK, "resign")
    assert harness.codes == {BLACK: Code.UNASKED}


def test_an_answer_from_before_its_question_is_none() -> None:
    """White's second ply of its double turn: what was written before the question is read before it."""
    harness = begun(Harness(setup_of(start=nearly_full())))
    harness.write(WHITE, "move K5")
    harness.write(WHITE, "move K5J5")
    harness.read(WHITE, most=len("move K5\n"))
    assert harness.plies == ["K5"]
    assert harness.asked is WHITE
    assert harness.notes[-1] == (WHITE, "unexpected: `move` is not the answer to an open request")


def test_what_is_said_with_an_answer_is_kept() -> None:
    harness = game()
    harness.say(WHITE, "info depth 3 score 1.5 pv D1 E1\ninfo depth 4\nmove D1")
    assert harness.referee.records[0].info == {"depth": "4", "score": "1.5", "pv": "D1,E1"}


def test_options_and_the_seed() -> None:
    setup = setup_of(competitor("one", Hash="64", Ghost="1"))
    harness = Harness(setup)
    harness.spawn()
    harness.say(WHITE, "option Hash spin 16 1 1024\noption Seed spin 0 0 4\ndvpok")
    assert harness.heard(WHITE)[1:3] == ["setoption Hash 64", "setoption Seed 2"]
    assert harness.notes == [(WHITE, "option Ghost was never announced; announced: Hash, Seed")]


# What else a bot may do.


def test_an_answer_counts_though_the_program_is_gone() -> None:
    harness = game()
    harness.write(WHITE, "move D1")
    harness.exit(WHITE)
    harness.notice_end(WHITE)
    assert harness.plies == ["D1"]
    assert harness.codes == {WHITE: Code.EXITED}
    assert harness.outcome == ("0-1", "crash")


def test_a_codecup_bot_may_be_gone_in_its_opponents_turn() -> None:
    harness = game(CODECUP, CODECUP)
    harness.write(WHITE, "D1")
    harness.crash(WHITE)
    assert harness.plies == ["D1"]
    assert harness.asked is BLACK
    harness.say(BLACK, "E1")
    assert harness.codes == {WHITE: Code.EXITED}
    assert harness.plies == ["D1", "E1"]


def test_early_lines_count_in_their_turn() -> None:
    harness = game(CODECUP, CODECUP)
    harness.say(WHITE, "D1\nE1\nF1")
    assert harness.plies == ["D1"]
    harness.crash(WHITE)
    harness.now += 10 * MS
    harness.say(BLACK, "D2")
    harness.say(BLACK, "E2")
    assert harness.plies == ["D1", "D2", "E1", "E2", "F1"]
    assert [record.used for record in harness.referee.records] == [0, 10 * MS, 0, 0, 0]


def test_the_double_turn_of_a_codecup_bot_costs_from_its_own_placement_on() -> None:
    scripts = {
        WHITE: codecup_bot(WHITE, Took(20 * MS, cpu=5 * MS)),
        BLACK: codecup_bot(BLACK, Took(30 * MS)),
    }
    setup = setup_of(competitor("one", dialect=CODECUP), competitor("two", dialect=CODECUP))
    played = Simulation(setup, scripts).run()
    records = played.referee.records
    assert [records[number].used for number in (47, 48, 49, 50)] == [30 * MS, 20 * MS, 20 * MS, 30 * MS]
    assert records[49].spent.cpu == 5 * MS


def test_every_line_of_a_codecup_bot_is_an_answer() -> None:
    harness = game(CODECUP)
    harness.say(WHITE, "hello there")
    assert harness.codes == {WHITE: Code.NOT_A_PLY}
    assert harness.referee.answer == "hello there"


def test_a_codecup_bot_pays_for_its_start_where_that_is_wanted() -> None:
    setup = setup_of(
        competitor("one", dialect=CODECUP), competitor("two", dialect=CODECUP), charge_start=True
    )
    harness = Harness(setup)
    harness.spawn(WHITE)
    harness.now += 400 * MS
    harness.spawn(BLACK)
    harness.now += 30 * MS
    harness.say(WHITE, "D1")
    assert harness.referee.records[0].used == 430 * MS
    harness.now += 50 * MS
    harness.say(BLACK, "E1")
    assert harness.referee.records[1].used == 50 * MS
    harness.now += 20 * MS
    harness.say(WHITE, "F1")
    assert harness.referee.records[2].used == 20 * MS, "once"


def test_rests() -> None:
    """Both rest before the first ply, and each in its opponent's turn, where they are to be stopped."""
    harness = begun(Harness(setup_of(suspend_idle=True)))
    assert (harness.bots[WHITE].rests, harness.bots[BLACK].rests) == ([False, True], [False])
    harness.say(WHITE, "move D1")
    assert (harness.bots[WHITE].rests, harness.bots[BLACK].rests) == ([False, True, False], [False, True])


# Substitution.


def test_the_other_side_plays_on_against_substituted_plies() -> None:
    setup = setup_of(start=LATE_BOARD, substitute=True)
    harness = begun(Harness(setup))
    harness.say(WHITE, "move A1")
    assert harness.bots[WHITE].is_dismissed
    farewell = harness.heard(WHITE)[-3:]
    assert farewell[0].startswith("error illegal A1: ")
    assert farewell[1:] == ["result 0-1 white 2 black 2 reason illegal", "quit"]
    assert harness.plies == ["D3C3"]
    assert harness.referee.records[0].info == {"substitute": "1"}
    assert harness.asked is BLACK
    harness.say(BLACK, "move F2F3")
    assert harness.outcome == ("0-1", "illegal")
    assert harness.referee.position.is_over
    assert harness.codes == {WHITE: Code.ILLEGAL}


def test_a_bot_that_fails_while_its_opponent_thinks_is_substituted() -> None:
    harness = game(substitute=True)
    harness.crash(BLACK)
    assert harness.codes == {BLACK: Code.EXITED}
    assert harness.asked is WHITE
    assert harness.plies == []
    harness.say(WHITE, "move D1")
    assert harness.plies == ["D1", "A1"]
    assert harness.asked is WHITE


def test_both_fail_one_after_the_other() -> None:
    """The first one decides; nothing is left to be played then."""
    harness = game(substitute=True)
    harness.crash(BLACK)
    harness.say(WHITE, "move A9")
    assert harness.referee.is_over
    assert harness.codes == {BLACK: Code.EXITED, WHITE: Code.NOT_A_PLY}
    assert harness.outcome == ("1-0", "crash")
    assert harness.fault.code is Code.BOTH
    assert harness.result().offender is BLACK
    assert harness.referee.answer is None


def test_a_void_does_not_undo_a_forfeit() -> None:
    harness = game(substitute=True)
    harness.crash(BLACK)
    harness.now += 1_100 * MS
    harness.bots[WHITE].wait += 1_000 * MS
    harness.say(WHITE, "move D1")
    assert harness.referee.is_over
    assert harness.outcome == ("1-0", "crash")


def test_a_resignation_is_not_substituted() -> None:
    harness = game(substitute=True)
    harness.say(WHITE, "resign")
    assert harness.referee.is_over
    assert harness.outcome == ("0-1", "resign")


def test_a_side_can_be_made_to_lose() -> None:
    harness = game()
    harness.referee.lose(BLACK, Fault(Code.RESIGNED))
    harness.perform()
    assert harness.outcome == ("1-0", "resign")
    assert harness.heard(WHITE)[-1] == "quit"


def test_no_clock_at_all() -> None:
    """A game without a clock is bounded by the time that a bot may be silent."""
    control = TimeControl(game=None, stall=60_000, grace=0)
    harness = begun(Harness(setup_of(competitor("one", control), competitor("two", control))))
    assert harness.heard(WHITE)[-1] == "go ply 1"
    harness.sleep(60_000 * MS)
    assert not harness.referee.is_over
    harness.sleep(MS)
    assert harness.codes == {WHITE: Code.NO_ANSWER}


def test_clocks_of_their_own() -> None:
    setup = setup_of(competitor("one", TIME), competitor("two", TimeControl(game=None, move=40, grace=3)))
    harness = begun(Harness(setup))
    assert harness.heard(WHITE)[-1] == "go ply 1 time 1000 inc 100 oppinc 0"
    harness.say(WHITE, "move D1")
    assert harness.heard(BLACK)[-1] == "go ply 2 opptime 1100 oppinc 100 movetime 40"
    harness.sleep(43 * MS + 1)
    assert harness.codes == {BLACK: Code.NO_ANSWER}
