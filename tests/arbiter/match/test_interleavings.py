"""Whatever comes in whatever pieces and order: the same record, and always a verdict."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, ClockKind, TimeControl
from arbiter.match.game import GameResult, GameSetup
from arbiter.match.seat import Guest
from protocol.rules import Position, Side
from tests.arbiter.match.harness import (
    CODECUP,
    DVP,
    LATE_BOARD,
    Harness,
    begun,
    competitor,
    nearly_full,
    setup_of,
)
from tests.arbiter.match.simulation import Script, Simulation, Took, codecup_bot, dvp_bot

WHITE, BLACK = Side.WHITE, Side.BLACK

# The same bytes in other pieces.

BEFORE = [
    "",
    "info depth 3 score 0.5\n",
    "info string thinking\n\n\r\n",
    "A1B2\nMOVE A1\n",
    "\xff\x00 rubbish\n",
    "move A1 ply 99\nresign maybe\n",
    "info pv A1 A2\ninfo depth 9 pv A3\n",
]
BEHIND = ["", "info string afterthought\n", "rubbish\n", "move A1 ply 99\n", "info depth 4\n"]
ENDING = nearly_full()
"""The last plies of a game."""
for _ in range(30):
    ENDING = ENDING.play(min(ENDING.legal_plies(), key=lambda ply: ply.text))


Sizes = list[int]
SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=8)
"""Of the pieces in which bytes are read, over and over."""
WHOLE = [1_000_000]


def outcome(setup: GameSetup, scripts: dict[Side, Script], sizes: Sizes) -> GameResult:
    return Simulation(setup, scripts, itertools.cycle(sizes)).run().result()


@given(st.sampled_from(BEFORE), st.sampled_from(BEHIND), SIZES)
@settings(max_examples=12)
def test_pieces_do_not_matter_to_a_dvp_game(before: str, behind: str, sizes: Sizes) -> None:
    """The record, the notes and the way in which it ended."""

    def scripts() -> dict[Side, Script]:
        greeting = f"id name x\n{before}dvpok\n"
        chatty = dvp_bot(Took(3 * MS, MS, MS), around=(before, behind), greeting=greeting)
        return {WHITE: chatty, BLACK: dvp_bot(around=(before, behind))}

    for start in (LATE_BOARD, nearly_full(), ENDING):
        setup = setup_of(start=start)
        assert outcome(setup, scripts(), sizes) == outcome(setup, scripts(), WHOLE)


@given(SIZES)
@settings(max_examples=15)
def test_pieces_do_not_matter_to_a_codecup_game(sizes: Sizes) -> None:
    setup = setup_of(competitor("one", dialect=CODECUP), competitor("two", dialect=CODECUP))
    scripts = [{side: codecup_bot(side) for side in Side} for _ in range(2)]
    assert outcome(setup, scripts[0], sizes) == outcome(setup, scripts[1], WHOLE)


# Anything at all.

LINES = {
    DVP: [
        *("dvpok", "readyok", "feature ready", "feature noboard nolegal", "error broken", "resign"),
        *("info depth 1", "move A1", "move A1 ply 99", "move ?", "option Seed spin 0 0 9", "rubbish"),
    ],
    CODECUP: ["A1", "PASS", "?", "hello there"],
}
DVP_LEGAL, CODECUP_LEGAL = "move {}", "{}"

EVENTS = st.one_of(
    st.tuples(st.just("legal"), st.sampled_from(Side)),
    st.tuples(st.just("line"), st.sampled_from(Side), st.integers(0, 50)),
    st.tuples(st.just("read"), st.sampled_from(Side), st.integers(1, 40)),
    st.tuples(st.just("flood"), st.sampled_from(Side)),
    st.tuples(st.just("close"), st.sampled_from(Side)),
    st.tuples(st.just("exit"), st.sampled_from(Side)),
    st.tuples(st.just("notice"), st.sampled_from(Side)),
    st.tuples(st.just("time"), st.sampled_from([1, 40, 300, 2_000])),
    st.tuples(st.just("oversleep"), st.sampled_from([1, 40, 300, 2_000])),
    st.tuples(st.just("compute"), st.sampled_from(Side), st.sampled_from([1, 300, 5_000])),
    st.tuples(st.just("wait"), st.sampled_from(Side), st.sampled_from([1, 300, 12_000])),
    st.tuples(st.just("stall"), st.sampled_from([10, 6_000]), st.booleans()),
    st.tuples(st.just("drain")),
    st.tuples(st.just("hold"), st.booleans()),
)
Event = tuple[object, ...]


class Chaos(Harness):
    """Lets anything happen that can, and looks after each event whether something is still waited for."""

    def happen(self, event: Event) -> None:
        name, *values = event
        if self.referee.is_over:
            return
        getattr(self, f"_{name}_happens")(*values)
        self.check()

    def check(self) -> None:
        """No deadlock: as long as the game is not over, something will bring it on."""
        referee = self.referee
        assert not referee.actions, "all was done at once"
        if referee.is_over:
            assert referee.wake_at is None
            result, termination = referee.verdict()
            assert result in ("1-0", "0-1", "1/2-1/2", "*")
            assert (result == "*") == (termination == "void")
            return
        if self.held is not None or referee.reply is not None:
            return
        assert any(seat.wanted or not seat.is_ready for seat in referee.seats.values())
        assert referee.wake_at is not None
        assert referee.wake_at >= referee.seats[WHITE].spawned_at

    def _legal_happens(self, side: Side) -> None:
        plies = sorted(ply.text for ply in self.referee.position.legal_plies())
        form = "move {}" if self._dialect(side) is DVP else "{}"
        if plies and not self.bots[side].is_output_closed:
            self.say(side, form.format(plies[0]))

    def _line_happens(self, side: Side, number: int) -> None:
        lines = LINES[self._dialect(side)]
        if not self.bots[side].is_output_closed:
            self.write(side, lines[number % len(lines)])

    def _dialect(self, side: Side) -> Dialect:
        return self.referee.setup.competitor(side).bot.dialect

    def _read_happens(self, side: Side, most: int) -> None:
        self.read(side, most=most)

    def _flood_happens(self, side: Side) -> None:
        if not self.bots[side].is_output_closed:
            self.write(side, b"x" * 65_540)

    def _close_happens(self, side: Side) -> None:
        self.close(side)

    def _exit_happens(self, side: Side) -> None:
        self.exit(side, 1)

    def _notice_happens(self, side: Side) -> None:
        if self.bots[side].is_output_closed:
            self.notice_end(side)

    def _time_happens(self, ms: int) -> None:
        if self.held is None:
            self.sleep(ms * MS)
        else:
            self.now += ms * MS

    def _oversleep_happens(self, ms: int) -> None:
        """The arbiter is late: it looks only after the time has passed."""
        self.now += ms * MS
        self.wake()

    def _compute_happens(self, side: Side, ms: int) -> None:
        self.bots[side].cpu += ms * MS

    def _wait_happens(self, side: Side, ms: int) -> None:
        self.bots[side].wait += ms * MS

    def _stall_happens(self, ms: int, has_computed: bool) -> None:
        self.stall(ms * MS, dict.fromkeys(Side, ms * MS if has_computed else 0))

    def _drain_happens(self) -> None:
        self.drain()

    def _hold_happens(self, holds: bool) -> None:
        self.holds_drains = holds

    def end(self) -> None:
        """Nobody says anything any more; a verdict comes nevertheless."""
        self.holds_drains = False
        self.drain()
        for _ in range(300):
            if self.referee.is_over:
                break
            self.sleep(1_000 * MS)
            self.check()
        assert self.referee.is_over
        self.check()
        self.result()


SETUPS = st.tuples(
    st.sampled_from(Dialect),
    st.sampled_from(Dialect),
    st.booleans(),
    st.booleans(),
    st.sampled_from([ClockKind.WALL, ClockKind.CPU, ClockKind.FAIR]),
    st.sampled_from(["empty", "nearly full", "late"]),
)
STARTS = {"empty": Position.start(), "nearly full": nearly_full(), "late": LATE_BOARD}


@given(SETUPS, st.booleans(), st.lists(EVENTS, max_size=40))
@settings(max_examples=200)
def test_anything_may_happen(
    chosen: tuple[Dialect, Dialect, bool, bool, ClockKind, str], is_begun: bool, events: list[Event]
) -> None:
    """It never raises, and it never waits for nothing."""
    white, black, substitute, charge_start, kind, start = chosen
    control = TimeControl(game=500, increment=20, grace=30, start=400, clock=kind)
    is_dvp = white is black is DVP
    setup = setup_of(
        competitor("one", control, white),
        competitor("two", control, black),
        STARTS[start] if is_dvp else None,
        substitute=substitute,
        charge_start=charge_start,
    )
    harness = Chaos(setup)
    if is_begun:
        begun(harness)
    else:
        harness.spawn()
    harness.check()
    for event in events:
        harness.happen(event)
    harness.end()


@given(st.sampled_from(Dialect), st.lists(EVENTS, max_size=25))
@settings(max_examples=80)
def test_anything_may_happen_to_a_bot_alone(dialect: Dialect, events: list[Event]) -> None:
    """An owner that asks again after each reply always gets another one, until the bot has failed."""
    control = TimeControl(game=500, increment=20, grace=30, start=400)
    one = competitor("one", control, dialect)
    harness = Chaos(setup_of(one, one), {BLACK: Guest}, leads=False)
    harness.spawn(WHITE)
    if dialect is DVP:
        harness.say(WHITE, "dvpok")
    for event in events:
        if harness.asked is None and harness.held is None:
            _play_on(harness)
        if BLACK not in event:
            harness.happen(event)
    harness.holds_drains = False
    harness.drain()
    for _ in range(300):
        if harness.referee.reply is None:
            harness.sleep(1_000 * MS)
    assert harness.referee.reply is not None or not events


def _play_on(harness: Harness) -> None:
    """Play what the bot answered and something for its guest, and ask it again."""
    referee = harness.referee
    if referee.reply is not None and referee.reply.ply is not None:
        referee.play(referee.reply.ply)
        if referee.position.to_move is BLACK:
            referee.play(min(referee.position.legal_plies(), key=lambda ply: ply.text))
    else:
        assert referee.reply is None or referee.is_over
    referee.ask()
    harness.perform()


@given(st.permutations(["read", "read", "read", "drain", "drain", "wake"]), st.integers(1, 30))
@settings(max_examples=40)
def test_the_order_of_looks_does_not_matter(order: list[str], size: int) -> None:
    """All has been written and the time has passed; who looks first, and at how much, is chance."""
    harness = begun(Harness(setup_of()))
    harness.holds_drains = True
    harness.now += 1_000 * MS
    harness.write(WHITE, "info depth 1\nrubbish\nmove D1")
    harness.write(BLACK, "info string x\nmove A1\n")
    harness.exit(BLACK, 3)
    for what in order:
        if what == "read":
            harness.read(WHITE, most=size)
            harness.read(BLACK, most=size)
        elif what == "drain":
            harness.drain()
        else:
            harness.wake()
    harness.holds_drains = False
    harness.notice_end(BLACK)
    harness.read(WHITE)
    harness.drain()
    assert harness.plies == ["D1"]
    assert harness.outcome == ("1-0", "crash")


@pytest.mark.parametrize("dialect", Dialect)
def test_what_comes_after_the_end(dialect: Dialect) -> None:
    """The game is decided; bots write on, end, and deadlines pass."""
    harness = begun(Harness(setup_of(competitor("one", dialect=dialect))))
    harness.say(BLACK, b"x" * 65_540)
    before = harness.result()
    harness.say(WHITE, "move D1" if dialect is DVP else "D1")
    harness.crash(WHITE)
    harness.crash(BLACK)
    harness.sleep(10_000 * MS)
    harness.wake()
    harness.drain()
    assert harness.result() == before
