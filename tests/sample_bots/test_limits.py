"""How long the bots that search think: by exact limits, and by clocks that are no real ones."""

from math import inf
from random import Random
from threading import Event
from typing import Any

import pytest

from arbiter.tournament.openings import set_up_board
from protocol.bot import Bot, Clock
from protocol.rules import Ply, Position, Side
from sample_bots.limits import WITHOUT_LIMITS, Limits
from tests.sample_bots.ladder import RUNGS, ask, player


class SlowClock(Clock):
    """A clock on which time passes only when a search asks whether to stop, so that a test knows how much."""

    tick = 1.0
    now = 0.0

    @property
    def elapsed(self) -> float:
        return self.now

    @property
    def stopped(self) -> bool:
        self.now += self.tick
        return False


def steps(limits: Limits) -> int:
    """After how many positions a search has to end."""
    return next(nodes for nodes in range(1_000_000) if limits.are_spent(nodes))


def slow(tick: float, **keys: Any) -> SlowClock:
    clock = SlowClock(Position.start(), **keys)
    clock.tick = tick
    return clock


def test_nodes_are_exact_and_time_plays_no_part() -> None:
    assert steps(Limits(slow(1, nodes=777))) == 777
    assert steps(Limits(slow(1, nodes=777, time=1000))) == 777
    assert steps(Limits(slow(1, nodes=777, time=1000), most=100)) == 100
    assert steps(Limits(slow(1, nodes=0))) == 0


def test_even_an_exact_search_does_not_outlive_the_clock() -> None:
    assert steps(Limits(slow(100, nodes=100_000, time=1010))) <= 10 * 40
    assert steps(Limits(slow(100, depth=50, time=1010))) <= 10 * 40


def test_depth_is_told_and_time_plays_no_part() -> None:
    assert Limits(slow(1)).depth == inf
    limits = Limits(slow(1, depth=3, time=10_000))
    assert limits.depth == 3
    assert not limits.are_spent(100_000)


def test_without_any_limit_there_is_an_end() -> None:
    assert steps(Limits(slow(1))) == WITHOUT_LIMITS
    assert not Limits(slow(1, infinite=True)).are_spent(10 * WITHOUT_LIMITS)


def test_the_budget_ends_a_search() -> None:
    clock = slow(1, movetime=200)
    assert steps(Limits(clock)) < 200 * 40
    assert clock.budget is not None
    assert clock.budget <= clock.now < clock.budget + 2


def test_never_more_than_half_of_what_is_left() -> None:
    for left in (5, 20, 50, 200, 1000, 60_000):
        clock = slow(0.01 * left, time=left, increment=1000)
        steps(Limits(clock))
        assert clock.now <= max(left / 2 + clock.tick, 2 * clock.tick)


def test_stop_ends_a_search_at_the_next_look() -> None:
    stop = Event()
    clock = Clock.of_turn({"infinite": 1}, Position.start(), 0.0, stop)
    limits = Limits(clock)
    assert not limits.are_spent(0)
    stop.set()
    assert not limits.are_spent(1)
    assert limits.are_spent(100)
    limits.hold()


def choose(bot: Bot, position: Position, clock: Clock) -> Ply:
    answer = bot.choose(position, clock)
    assert isinstance(answer, Ply)
    return answer


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("tick", [0.9, 4.0])
def test_a_whole_game_stays_within_its_clock(rung: type, tick: float) -> None:
    """At 1 s + 10 ms, on a machine so slow that each look at the clock finds milliseconds gone."""
    position, left, opponent = set_up_board("balanced", 5, 0), 1000.0, Random(5)
    bot = player(rung)
    while not position.is_over:
        plies = position.legal_plies()
        if position.to_move is Side.BLACK or plies[0].is_pass:
            position = position.play(opponent.choice(plies))
            continue
        clock = SlowClock(position, time=int(left), increment=10)
        clock.tick = tick
        position = position.play(choose(bot, position, clock))
        left -= clock.now
        assert left > 0
        left += 10


@pytest.mark.parametrize("rung", RUNGS)
def test_a_clock_that_is_run_down_still_gets_an_answer(rung: type) -> None:
    position = set_up_board("balanced", 6, 0)
    for keys in ({"time": 0}, {"time": 11}, {"movetime": 1}, {"nodes": 0}, {"nodes": 1}, {"depth": 0}):
        assert ask(player(rung), position, **keys)[0] in position.legal_plies()
