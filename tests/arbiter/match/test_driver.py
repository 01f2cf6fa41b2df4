"""The driver with programs that are none: in which order it reads, looks, and gives up."""

import pytest
import trio
import trio.testing

from arbiter.match.driver import Table
from arbiter.match.fault import Code
from arbiter.match.meter import Counters
from arbiter.match.session import NotReadyError, open_session
from protocol.rules import Side
from tests.arbiter.match.harness import competitor, setup_of
from tests.arbiter.match.processes import MS, World, world

__all__ = ["world"]

WHITE, BLACK = Side.WHITE, Side.BLACK
pytestmark = pytest.mark.trio


def codes(table: Table) -> dict[Side, Code]:
    return {side: fault.code for side, fault in table.referee.faults.items()}


async def is_over(table: Table) -> None:
    assert await table.until(lambda: table.referee.is_over, 30)


async def settled() -> None:
    await trio.testing.wait_all_tasks_blocked()


async def test_an_answer_is_judged_and_the_next_bot_asked(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    async with world.game(setup_of()) as table:
        await trio.sleep(0.3)
        world["one"].says("move D1")
        await settled()
        assert table.referee.records[0].used == 300 * MS
        assert world["two"].lines[-1] == "go ply 2 time 1000 opptime 800 inc 100"
        assert not world["two"].looks[-1], "an answer is no occasion to look for waits that last"


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_pipe_that_is_known_to_be_empty_is_not_read_before_a_question(
    world: World, autojump_clock: trio.testing.MockClock, is_known: bool
) -> None:
    async with world.game(setup_of()):
        two = world["two"]
        two.is_dry = True
        if is_known:
            world.ticker.known_empty.add(two.output)
        takes = two.takes
        world["one"].says("move D1")
        await settled()
        assert two.lines[-1].startswith("go ply 2")
        assert (two.takes == takes) is is_known


async def test_a_bot_that_says_nothing(world: World, autojump_clock: trio.testing.MockClock) -> None:
    async with world.game(setup_of()) as table:
        await is_over(table)
        assert trio.current_time() == pytest.approx(1.05, abs=0.03)
        assert codes(table) == {WHITE: Code.NO_ANSWER}


async def test_an_answer_in_the_very_moment_of_the_end(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    """The bot writes and exits after it was read, and before it was looked whether it has ended."""
    async with world.game(setup_of()) as table:

        def answer_and_exit() -> None:
            world["one"].when_empty = lambda: None
            world["one"].says("move D1")
            world["one"].exits()

        world["one"].when_empty = answer_and_exit
        world["two"].says(b"x" * 65_600)  # brings about a look at both
        await is_over(table)
        assert table.referee.texts == ["D1"]


@pytest.mark.parametrize("holds_pipe", [True, False])
async def test_an_answer_before_the_end(
    world: World, autojump_clock: trio.testing.MockClock, holds_pipe: bool
) -> None:
    """Whether the end of the output or the end of the program is seen first."""
    async with world.game(setup_of()) as table:
        world["one"].says("move D1")
        world["one"].exits(3, holds_pipe=holds_pipe)
        await is_over(table)
        assert table.referee.texts == ["D1"]
        assert codes(table) == {WHITE: Code.EXITED}


async def test_what_a_child_writes_after_the_end_does_not_count(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    async with world.game(setup_of()) as table:
        world["one"].exits(3, holds_pipe=True)
        await is_over(table)
        world["one"].says("move D1")
        await settled()
        assert table.referee.texts == []


async def test_output_that_ends_before_the_program(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    async with world.game(setup_of()) as table:
        world["one"].closes()
        await trio.sleep(0.1)
        assert not table.referee.is_over
        world["one"].exits(5)
        await is_over(table)
        fault = table.referee.faults[WHITE]
        assert fault.number("status") == 5


async def test_output_that_ends_without_the_program(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    async with world.game(setup_of()) as table:
        world["one"].closes()
        await is_over(table)
        assert trio.current_time() == pytest.approx(0.25, abs=0.01)
        assert codes(table) == {WHITE: Code.OUTPUT_CLOSED}


async def test_a_deadline_while_the_opponent_floods(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    """The other bot is read to a bound, once, and then the side to move is judged; nobody spins."""
    async with world.game(setup_of()) as table:
        woken = 0
        woke = table.referee.woke

        def count(stamp: int) -> None:
            nonlocal woken
            woken += 1
            woke(stamp)

        table.referee.woke = count  # type: ignore[method-assign]
        await trio.sleep(1)
        world["two"].says((b"info string " + b"x" * 60_000 + b"\n") * 60)
        await is_over(table)
        assert codes(table) == {WHITE: Code.NO_ANSWER}
        assert woken <= 3


async def test_finishing_while_much_is_read(world: World, autojump_clock: trio.testing.MockClock) -> None:
    async with world.game(setup_of()) as table:
        world["one"].says("move D1")
        world["one"].says(b"info string x\n" * 9_000)
        world["two"].exits(1)
        table.perform(table.referee.finish)
        await settled()
        assert table.referee.verdict()[0] == "*"
    assert not world["one"].is_open
    assert not world["two"].is_open
    assert world.ticker.watched == []


async def test_a_dismissed_bot_goes_on_writing(world: World, autojump_clock: trio.testing.MockClock) -> None:
    async with world.game(setup_of(substitute=True)) as table:
        world["one"].says("move A9")
        await table.until(lambda: not world["one"].is_open)
        assert table.referee.texts == ["A1"]
        assert not table.referee.is_over
        world["one"].says("move B1")
        world["one"].says(b"x" * 70_000)
        world["two"].says("move D1")
        await settled()
        assert table.referee.texts == ["A1", "D1", "A2"]
        assert codes(table) == {WHITE: Code.NOT_A_PLY}


# The start.


@pytest.mark.parametrize("missing", Side)
async def test_one_program_cannot_be_started(
    world: World, autojump_clock: trio.testing.MockClock, missing: Side
) -> None:
    """The other one is in its handshake, which is awaited."""
    names = {WHITE: "one", BLACK: "two"}
    world.processes.missing.add(names[missing])
    async with world.game(setup_of(), is_begun=False) as table:
        await trio.sleep(0.5)
        assert not table.referee.is_over
        world[names[missing.other]].says("dvpok")
        await is_over(table)
        assert codes(table) == {missing: Code.CANNOT_START}
        assert world[names[missing.other]].lines[-1] == "quit"


async def test_one_program_cannot_be_started_and_the_other_says_nothing(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    world.processes.missing.add("one")
    async with world.game(setup_of(), is_begun=False) as table:
        await is_over(table)
        assert table.referee.fault is not None
        assert table.referee.fault.code is Code.BOTH


async def test_no_program_can_be_started(world: World, autojump_clock: trio.testing.MockClock) -> None:
    world.processes.missing |= {"one", "two"}
    async with world.game(setup_of(), is_begun=False) as table:
        assert table.referee.is_over
        assert table.referee.verdict()[0] == "*"


async def test_a_session_whose_program_cannot_be_started(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    world.processes.missing.add("one")
    with pytest.raises(NotReadyError) as caught:
        async with open_session(WHITE, setup_of()):
            raise AssertionError("it is not ready")
    assert caught.value.fault.code is Code.CANNOT_START


async def test_a_session_whose_program_the_machine_starves(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    async def starve() -> None:
        while True:
            await trio.sleep(0.01)
            counters = world["one"].counters
            world["one"].counters = Counters(counters.cpu, counters.wait + 10 * MS)

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(starve)
            with pytest.raises(NotReadyError) as caught:
                async with open_session(WHITE, setup_of()):
                    raise AssertionError("it is not ready")
            nursery.cancel_scope.cancel()
    assert caught.value.fault.code is Code.STARVED


async def test_a_session_is_asked_after_its_bot_has_failed(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    one = competitor("one")
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_greet, world)
            async with open_session(WHITE, setup_of(one, one)) as session:
                world["one"].exits(4)
                await settled()
                assert (await session.ask()).fault == session.fault


async def _greet(world: World) -> None:
    await settled()
    world["one"].says("dvpok")


# The end.


async def test_whatever_was_started_is_ended_when_a_game_is_cancelled(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    with trio.move_on_after(0.5):
        async with world.game(setup_of()):
            await trio.sleep_forever()
    assert not world["one"].is_open
    assert not world["two"].is_open
    assert world.ticker.watched == []


async def test_bots_have_their_time_to_quit(world: World, autojump_clock: trio.testing.MockClock) -> None:
    async with world.game(setup_of()):
        began = trio.current_time()
    assert trio.current_time() - began == pytest.approx(2)
    assert world["one"].lines[-1] == "quit"
    assert world["one"].is_input_closed


async def test_a_bot_that_failed_has_none(world: World, autojump_clock: trio.testing.MockClock) -> None:
    async with world.game(setup_of()) as table:
        world["one"].says("move A9")
        world["two"].exits()
        await is_over(table)
        began = trio.current_time()
    assert trio.current_time() == began


# Ticks.


async def test_a_stall_is_void_for_who_computed_through_it(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    async with world.game(setup_of(), is_begun=False) as table:
        table.tick(0, 0)
        for name in ("one", "two"):
            world[name].says("dvpok")
        await settled()
        world["one"].counters = Counters(cpu=6_000 * MS)
        table.tick(6_000 * MS, 6_000 * MS)
        assert table.referee.void is not None
        assert table.referee.void.code is Code.STALLED


async def test_what_a_bot_computed_before_a_stall_is_none_of_it(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    """It thought, and in its opponent's turn it went on; then it was asked, and all stood still."""
    async with world.game(setup_of()) as table:
        table.tick(0, 0)
        world["one"].says("move D1")
        await settled()
        world["one"].counters = Counters(cpu=3_000 * MS)
        table.tick(0, 0)
        world["two"].says("move E1")
        await settled()
        table.tick(6_000 * MS, 6_000 * MS)
        assert table.referee.void is None


async def test_ticks_look_at_the_counters_of_both(
    world: World, autojump_clock: trio.testing.MockClock
) -> None:
    async with world.game(setup_of()) as table:
        table.tick(0, 0)
        assert (world["one"].ticks, world["two"].ticks) == ([True], [False])
        assert table.worst_lag == 0
