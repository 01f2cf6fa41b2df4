"""One game between real processes: every way it can end, what is recorded, and that nothing stays behind."""

import re
import resource
import sys
import time
from pathlib import Path

import pytest
import trio

from arbiter.isolation.tree import become_subreaper
from arbiter.match.clock import MS, Clock, ClockKind, TimeControl
from arbiter.match.driver import play_game
from arbiter.match.game import Competitor, GameSetup
from arbiter.match.startcheck import StartCheck, check_start
from arbiter.match.termination import Termination
from protocol.rules import Position, Side, parse_dpos
from tests.e2e.table import AMPLE, BOTS, Table

QUICK = TimeControl(game=500)
"""For bots that will be late, best at their first turn: before that they may be kept from answering."""
AGES = "9"
"""Seconds: past any limit here by more than the machine can be blamed for."""


def test_a_whole_game_is_played_by_the_rules(table: Table) -> None:
    result = table.play(table.fair())
    assert (result.termination, result.offender, result.answer) == (Termination.NORMAL, None, None)
    position = Position.start()
    for record in result.plies:
        assert record.ply == sorted(ply.text for ply in position.legal_plies())[0]
        position = position.play(next(p for p in position.legal_plies() if p.text == record.ply))
    assert position.is_over
    assert (result.final, result.score) == (position.dpos, position.score)
    assert result.result == {Side.WHITE: "1-0", Side.BLACK: "0-1", None: "1/2-1/2"}[position.winner]


def test_the_clock_pays_for_each_ply_and_gains_its_increment(table: Table) -> None:
    result = table.play(table.odd("late", "0.2"), time=TimeControl(game=9_000, increment=30))
    white = result.plies[:49:2]
    left = 9_000 * MS
    for record in white:
        left += 30 * MS - record.used
        assert record.left == left
    assert 100 * MS < white[2].used < 3_000 * MS
    others = sorted(record.used for record in (*white[:2], *white[3:]))
    assert others[len(others) // 2] < 90 * MS


ENDINGS = [
    (("silent", "--at", "1"), "timeout", "no answer within"),
    (("exit", "0"), "crash", "exited with status 0"),
    (("exit", "3"), "crash", "exited with status 3"),
    (("exit", "139"), "crash", "exited with status 139 (128 + SIGSEGV, if a shell started it)"),
    (("signal", "SIGSEGV"), "crash", "killed by SIGSEGV"),
    (("signal", "SIGKILL"), "killed", "killed from outside by SIGKILL"),
    (("signal", "SIGTERM"), "killed", "killed from outside by SIGTERM"),
    (("close",), "crash", "closed its standard output"),
    (("child",), "crash", "exited with status 0"),
    (("stop", "--at", "1"), "timeout", "no answer within"),
    (("late", AGES, "--at", "1"), "timeout", "no answer within"),
    (("say", r"move H9\n"), "syntax", "'H9' is not a ply"),
    (("say", r"move\n"), "syntax", "'' is not a ply"),
    (("say", r"move A1\n"), "illegal", "A1: "),
    (("say", r"move A1A2\n"), "illegal", "A1A2: "),
    (("say", r"move PASS\n"), "illegal", "PASS: "),
    (("say", r"resign\n"), "resign", ""),
    (("blob",), "flood", "a line of more than 65,536 bytes"),
    (("noise",), "flood", "more than 10,000 lines in one turn"),
    (("after", r"move A1\nmove A1\nmove A1\nmove A1\nmove A1\n", "--always"), "flood", "10 answers"),
]


@pytest.mark.parametrize("side", list(Side), ids=["white", "black"])
@pytest.mark.parametrize(("oddity", "termination", "detail"), ENDINGS, ids=[" ".join(e[0]) for e in ENDINGS])
def test_the_guilty_bot_loses(
    table: Table, oddity: tuple[str, ...], termination: str, detail: str, side: Side
) -> None:
    odd, fair = table.odd(*oddity), table.fair()
    time = QUICK if termination == "timeout" else AMPLE
    if side is Side.WHITE:
        result = table.play(odd, fair, time=time, black_time=AMPLE)
    else:
        result = table.play(fair, odd, black_time=time)
    assert (result.termination, result.offender) == (termination, side)
    assert result.result == ("0-1" if side is Side.WHITE else "1-0")
    assert detail in result.detail
    turn = int(oddity[-1]) if "--at" in oddity else 3
    assert len(result.plies) >= 2 * (turn - 1) - (oddity[0] == "after")


def test_a_shell_that_flushes_for_the_bot_hides_nothing(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    unflushed = table.bot(sys.executable, str(BOTS / "faulty.py"), "unflushed")
    result = table.play(unflushed, time=TimeControl(start=1_000), black_time=AMPLE)
    assert (result.termination, result.offender) == (Termination.START, Side.WHITE)
    hint = "does the bot flush its standard output? (PYTHONUNBUFFERED: not passed on to bots)"
    assert result.detail.endswith(hint)


def test_a_verdict_on_time_comes_within_50_ms(table: Table) -> None:
    """Measured from the ply before the silence to the return, the end of the opponent included."""
    moments: list[int] = []
    silent = Competitor(table.odd("silent", "--at", "1"), QUICK)
    setup = GameSetup(Competitor(table.fair(), AMPLE), silent, Position.start())

    async def play() -> int:
        result = await play_game(setup, lambda *_: moments.append(time.monotonic_ns()))
        moments.append(time.monotonic_ns())
        assert result.termination is Termination.TIMEOUT
        return result.lag

    lag = trio.run(play)
    limit = Clock(QUICK).limit
    asked, ended = moments
    assert ended - asked > limit
    # What the arbiter was late, the bot is given; and it may have been late again, at the end.
    assert ended - asked < limit + 50 * MS + 200 * MS + 3 * lag


def test_illegal_answer_is_recorded_with_rule_and_choice(table: Table) -> None:
    result = table.play(table.odd("say", r"move A1B1\n", "--at", "26"))
    assert (result.termination, result.answer, len(result.plies)) == (Termination.ILLEGAL, "A1B1", 49)
    legal = parse_dpos(result.final).legal_plies()
    assert "legal: " + " ".join(sorted(ply.text for ply in legal)) in result.detail


def test_the_last_move_counts_even_when_its_author_is_gone(table: Table) -> None:
    result = table.play(table.odd("move-then-exit", "--at", "2"))
    assert (result.termination, result.offender) == (Termination.CRASH, Side.WHITE)
    assert len(result.plies) in (3, 4)  # Black may have answered before the exit was seen


@pytest.mark.parametrize(
    "oddity",
    [
        ("drip",),
        ("crlf",),
        ("before", r"debug A1B2 looks good\n"),
        ("before", r"A1\n"),
        ("before", r"\n \t\n"),
        ("before", r"info string hello\ninfo depth x score 1\n"),
        ("raw-before", "ff00fe0a"),
        ("long-line", "65536"),
        ("stderr", "1000000", "--always"),
        ("after", r"move A1\n"),
        ("say", r"move a1\nmove a2\n"),
    ],
    ids=lambda o: " ".join(o)[:30],
)
def test_oddities_that_cost_nothing(table: Table, oddity: tuple[str, ...]) -> None:
    if oddity[0] == "say":
        oddity = (*oddity, "--at", "1")
    result = table.play(table.odd(*oddity), time=TimeControl(game=20_000))
    assert result.termination is Termination.NORMAL, result.detail


def test_odd_lines_are_noted_once_each_with_a_hint(table: Table) -> None:
    result = table.play(table.odd("before", r"A1B2\ndebug x\n", "--always"))
    notes = "\n".join(result.white.notes)
    assert notes.count("A1B2") == 2  # the line itself, and the hint
    assert "did you mean `move A1B2`?" in notes
    assert notes.count("debug") == 1


def test_a_ply_echoed_with_another_number_is_no_answer(table: Table) -> None:
    assert table.play(table.odd("none", "--echo")).termination is Termination.NORMAL
    result = table.play(table.odd("before", r"move K5 ply 77\n"))
    assert result.termination is Termination.NORMAL
    assert any("unexpected" in note for note in result.white.notes)


def test_stderr_is_kept_at_both_ends(table: Table) -> None:
    result = table.play(table.odd("stderr", "100000"))
    assert "bytes left out" in result.white.stderr
    assert result.white.stderr.startswith("yyy")
    assert result.white.stderr.rstrip().endswith("reason normal")
    assert len(result.white.stderr) < 20_000


def test_the_other_bot_hears_how_it_ended(table: Table) -> None:
    result = table.play(table.odd("say", r"move A1A2\n"))
    assert result.black.stderr == "heard: result 0-1 white 0 black 1 reason illegal\n"


def test_info_goes_into_the_record(table: Table) -> None:
    said = r"info depth 3 score 1.5 x-heat 7 pv A1 B1\ninfo depth 4\n"
    result = table.play(table.odd("before", said))
    assert result.plies[4].info == {"depth": "4", "score": "1.5", "x-heat": "7", "pv": "A1,B1"}
    assert result.plies[3].info == {}


def test_grace_is_one_budget_for_the_whole_game(table: Table) -> None:
    """By the clock that charges CPU time, so that what else the machine does is nobody's overrun."""
    control = TimeControl(game=None, move=400, grace=250, clock=ClockKind.CPU)
    once = table.play(table.odd("burn", "0.5", "--at", "2"), time=control)
    assert once.termination is Termination.NORMAL, once.detail
    overruns = [record.used - 400 * MS for record in once.plies[:49:2] if record.used > 400 * MS]
    assert len(overruns) == 1
    assert 95 * MS < once.white.clock.grace == overruns[0] < 125 * MS
    always = table.play(table.odd("burn", "0.5", "--at", "2", "--always"), time=control)
    assert len(always.plies) == 6  # the third overrun is the one for which too little is left
    # By 50 ms: where the arbiter was late by as much, nobody can tell whose they are.
    lost, void = (Termination.TIMEOUT, Side.WHITE), (Termination.VOID, None)
    assert (always.termination, always.offender) in ((lost, void) if always.lag > 40 * MS else (lost,))


def test_a_forced_pass_is_asked_for(table: Table) -> None:
    # White's only stack cannot reach anything; Black's two can.
    start = parse_dpos("........./........../..w3*bb....../........../......... w m")
    assert [ply.text for ply in start.legal_plies()] == ["PASS"]
    result = table.play(table.fair(), start=start)
    assert result.plies[0].ply == "PASS"
    assert result.termination is Termination.NORMAL


def test_an_arbiter_that_is_cancelled_leaves_no_process(table: Table) -> None:
    setup = GameSetup(
        Competitor(table.odd("silent"), TimeControl(game=60_000)),
        Competitor(table.fair(), TimeControl(game=60_000)),
        Position.start(),
    )

    async def cancel_soon() -> bool:
        with trio.move_on_after(1) as scope:
            await play_game(setup)
        return scope.cancelled_caught

    assert trio.run(cancel_soon)
    assert table.left_behind() == []


def test_daemons_are_found(table: Table) -> None:
    result = table.play(table.odd("daemon"))
    assert result.termination is Termination.NORMAL
    assert table.left_behind() == []


def test_children_behind_a_shell_are_found(table: Table) -> None:
    script = table.directory / "run.sh"
    script.write_text(f"{sys.executable} {table.odd('silent').argv[1]} silent --at 1\nexit 0\n")
    result = table.play(table.bot("sh", str(script)), time=QUICK, black_time=AMPLE)
    assert (result.termination, result.offender) == (Termination.TIMEOUT, Side.WHITE)
    assert table.left_behind() == []


def test_a_bot_may_finish_its_files_after_quit(table: Table) -> None:
    table.play(table.odd("none", "--on-quit", "0.3"), quit_grace=30)
    assert (table.directory / "farewell.txt").read_text() == "x" * 1000


def test_a_bot_that_ignores_quit_is_killed_after_the_grace(table: Table) -> None:
    began = time.monotonic()
    result = table.play(table.odd("none", "--ignore-quit", "--ignore-sigterm"), quit_grace=0.5)
    assert result.termination is Termination.NORMAL
    assert 0.5 < result.seconds < time.monotonic() - began < 30  # it would stay for ever


def test_a_deaf_bot_pays_for_its_full_pipe(table: Table) -> None:
    result = table.play(table.odd("deaf", "--at", "1"), time=QUICK)
    assert (result.termination, result.offender) == (Termination.TIMEOUT, Side.WHITE)
    assert result.plies == ()


def test_a_talkative_opponent_costs_nothing(table: Table) -> None:
    result = table.play(table.odd("chatter", "3000", "--at", "1", "--always"), time=TimeControl(game=20_000))
    assert result.termination in (Termination.NORMAL, Termination.FLOOD), result.detail
    assert result.offender is not Side.BLACK
    charges = sorted(record.used for record in result.plies[1:49:2])
    assert len(charges) > 2
    assert charges[len(charges) // 2] < 15 * MS


def test_a_flood_on_stderr_at_the_end_changes_nothing(table: Table) -> None:
    result = table.play(table.odd("none", "--loud-end"), quit_grace=0.5)
    assert result.termination is Termination.NORMAL
    lost = table.play(
        table.odd("say", r"move A1A2\n", "--loud-end"), table.odd("none", "--loud-end"), quit_grace=0.5
    )
    assert (lost.termination, lost.offender) == (Termination.ILLEGAL, Side.WHITE)


def test_the_last_words_of_a_crash_are_told(table: Table) -> None:
    script = table.directory / "bot.py"
    script.write_text(
        "input(); print('dvpok', flush=True)\nfor _ in range(5): input()\nraise KeyError('weights')\n"
    )
    result = table.play(table.bot(sys.executable, str(script)))
    assert result.detail == "exited with status 1; its last words: KeyError: 'weights'"


HINTS = [
    (("say", "move A2"), "'move A2' was written without a line end"),
    (("say", r"A2\n"), "did you mean `move A2`?"),
    (("silent",), "nothing was written in this turn: is every answer flushed?"),
]


@pytest.mark.parametrize(("oddity", "hint"), HINTS, ids=[" ".join(h[0]) for h in HINTS])
def test_silence_is_explained_where_it_can_be(table: Table, oddity: tuple[str, ...], hint: str) -> None:
    result = table.play(table.odd(*oddity, "--at", "1"), time=QUICK)
    assert result.termination is Termination.TIMEOUT
    assert hint in result.detail


def test_a_bot_that_has_used_its_time_up_is_not_suspected_of_not_flushing(table: Table) -> None:
    time = TimeControl(game=1_000, grace=0)
    for at, plies in ((2, "1 ply"), (3, "2 plies")):
        result = table.play(table.odd("late", AGES, "--at", str(at)), time=time, black_time=AMPLE)
        assert result.termination is Termination.TIMEOUT
        told = re.fullmatch(r"no answer within (\d+) ms, after (\d+) ms for (.*)", result.detail)
        assert told is not None, result.detail
        assert 999 <= int(told[1]) + int(told[2]) <= 1_000
        assert told[3] == plies
    # A limit for each ply leaves no less for the next.
    time = TimeControl(game=None, move=1_000, grace=0)
    result = table.play(table.odd("late", AGES, "--at", "2"), time=time, black_time=AMPLE)
    assert result.detail == "no answer within 1000 ms"


def test_no_descriptor_outlives_a_game(table: Table) -> None:
    table.play(table.fair())
    before = len(list(Path("/proc/self/fd").iterdir()))
    table.play(table.odd("exit", "1"))
    table.play(table.fair())
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_failed_start_loses_and_two_of_them_are_void(table: Table) -> None:
    odd, fair = table.odd("none", "--hello", r"error no licence\n"), table.fair()
    result = table.play(fair, odd)
    assert (result.termination, result.offender, result.result) == (Termination.START, Side.BLACK, "1-0")
    assert "the bot cannot play: no licence" in result.detail
    assert result.plies == ()
    both = table.play(odd, table.bot("no-such-program"))
    assert (both.termination, both.offender, both.result) == (Termination.VOID, None, "*")
    assert both.both_failed
    assert both.detail.startswith("white: the bot cannot play: no licence; black: no-such-program: ")


def test_starting_up_is_not_charged(table: Table) -> None:
    result = table.play(table.odd("none", "--sleep", "1"))
    assert result.termination is Termination.NORMAL, result.detail
    assert result.plies[0].used < 1_000 * MS
    slow = table.odd("none", "--sleep", AGES)
    refused = table.play(slow, time=TimeControl(game=5_000, start=300), black_time=AMPLE)
    assert (refused.termination, refused.offender) == (Termination.START, Side.WHITE)
    assert "no `dvpok` within 300 ms" in refused.detail


def test_a_start_in_time_is_seen_however_late_the_arbiter_looks(table: Table) -> None:
    """The limit is over when it looks, and the answer stands there; four times, for chance has a say."""
    answers = "read -r hello; echo dvpok; : > answered; while read -r line; do :; done"
    bot, answered = table.bot("sh", "-c", answers), table.directory / "answered"

    async def keep_the_arbiter_busy() -> None:
        await trio.lowlevel.checkpoint()
        end = time.monotonic() + 30
        time.sleep(0.25)  # noqa: ASYNC251 (that is the point)
        while not answered.exists() and time.monotonic() < end:
            time.sleep(0.01)  # noqa: ASYNC251

    async def start() -> StartCheck:
        answered.unlink(missing_ok=True)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(keep_the_arbiter_busy)
            return await check_start(Competitor(bot, TimeControl(start=200)))

    become_subreaper()
    assert [trio.run(start).problem for _ in range(4)] == [None] * 4


def test_what_bots_leave_behind_does_not_add_up(table: Table) -> None:
    """Twenty games, each of which leaves a child of 30 MB."""
    odd, fair = table.odd("fat-child"), table.fair()
    setup = GameSetup(Competitor(odd, AMPLE), Competitor(fair, AMPLE), Position.start())

    async def play() -> None:
        for _ in range(20):
            assert (await play_game(setup)).termination is Termination.NORMAL
            assert table.left_behind() == []

    table.play(odd)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    trio.run(play)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10_000
