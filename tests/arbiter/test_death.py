"""Who was to blame when the kernel ran out of memory: decided by numbers, read from a file made for it."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from arbiter.isolation import program as programs
from arbiter.isolation.death import SHORTLY, Cause, Death, OomKills, judge, own_size
from arbiter.isolation.launch import launch
from arbiter.isolation.program import Program
from arbiter.isolation.sandbox import MIB


@pytest.mark.parametrize(
    ("status", "kills", "held", "others", "arbiter", "cause"),
    [
        (-9, 1, 900, [100, 800], 50, Cause.MEMORY),
        (-9, 3, 900, [], 50, Cause.MEMORY),
        (137, 1, 900, [100], 50, Cause.MEMORY),
        (-9, 1, 900, [100, 901], 50, Cause.MACHINE),
        (-9, 1, 900, [900], 50, Cause.MACHINE),
        (-9, 1, 900, [100], 901, Cause.MACHINE),
        (-9, 1, 0, [], 50, Cause.MACHINE),
        (137, 1, 10, [100], 50, Cause.MACHINE),
        (-9, 0, 900, [100], 50, Cause.OTHER),
        (-15, 1, 900, [100], 50, Cause.OTHER),
        (-11, 1, 10, [100], 50, Cause.OTHER),
        (1, 1, 10, [100], 50, Cause.OTHER),
        (None, 1, 10, [100], 50, Cause.OTHER),
    ],
)
def test_who_is_to_blame(
    status: int | None, kills: int, held: int, others: list[int], arbiter: int, cause: Cause
) -> None:
    assert judge(status, kills, held, others, arbiter) == Death(
        cause, kills, held, max(others, default=0), arbiter
    )


class Machine:
    """A kernel's counters in a file, and a clock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now = 1_000.0
        self.count(7)
        self.kills = OomKills(str(path), lambda: self.now)

    def count(self, number: int) -> None:
        filler = "x 1\n" * 2_000  # longer than one reading
        self.path.write_text(f"pgfault 12\n{filler}oom_kill {number}\nnr_unstable 0\n")

    def after(self, seconds: float, number: int | None = None) -> None:
        """Let time pass, and have the program that is watched looked at."""
        self.now += seconds
        if number is not None:
            self.count(number)
        self.kills.look()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "vmstat")


def test_only_what_was_killed_shortly_before_counts(machine: Machine) -> None:
    machine.kills.look()
    assert machine.kills.since(machine.now) == 0
    machine.after(100, 9)
    assert machine.kills.since(machine.now - SHORTLY) == 2
    machine.after(1)
    machine.after(1, 10)
    assert machine.kills.since(machine.now - SHORTLY) == 3
    assert machine.kills.since(machine.now - 1.5) == 1
    machine.after(SHORTLY)
    machine.after(1)
    assert machine.kills.since(machine.now - SHORTLY) == 0


def test_a_kill_between_the_last_look_and_the_question_counts(machine: Machine) -> None:
    machine.kills.look()
    machine.now += 0.01
    machine.count(8)
    machine.kills.look()
    assert machine.kills.since(machine.now - SHORTLY) == 1


def test_kills_before_the_first_look_do_not_count(machine: Machine) -> None:
    assert machine.kills.since(machine.now - SHORTLY) == 0


@pytest.mark.parametrize("text", [None, "", "oom_kill", "oom_kill x", "pgfault 1\n"])
def test_a_kernel_that_keeps_no_count(machine: Machine, text: str | None) -> None:
    if text is None:
        machine.path.unlink()
    else:
        machine.path.write_text(text)
    machine.after(1)
    assert machine.kills.since(0) == 0


# Programs


@pytest.fixture
def kernel(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The machine, as programs look at it."""
    machine.kills = OomKills(str(machine.path))
    monkeypatch.setattr(programs, "_oom_kills", machine.kills)
    return machine


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Program]]:
    """Two programs, and one that is larger than the arbiter with them."""
    held = [1, 1, 2 * own_size() // MIB]
    code = "import sys; x = b'x' * (int(sys.argv[1]) << 20); print(len(x), flush=True); sys.stdin.read()"
    found = [launch([sys.executable, "-c", code, str(size)], tmp_path, {}) for size in held]
    for program in found:
        assert program.process.stdout is not None
        program.process.stdout.readline()
    yield found
    for program in found:
        program.abandon()
        for pipe in (program.process.stdin, program.process.stdout, program.process.stderr):
            assert pipe is not None
            pipe.close()


def killed(program: Program, others: list[Program], number: int = signal.SIGKILL) -> Death:
    """What is found when somebody kills a program that is watched, as the others are."""

    async def main() -> Death:
        async with trio.open_nursery() as nursery:
            for each in (program, *others):
                nursery.start_soon(each.watch)
            while not all(each.held for each in (program, *others)):  # noqa: ASYNC110 (looked at by tasks)
                await trio.sleep(0.01)
            os.kill(program.pid, number)
            await program.wait()
            nursery.cancel_scope.cancel()
        return program.cause_of_death()

    return trio.run(main)


def test_the_largest_program_is_to_blame_for_its_end(kernel: Machine, started: list[Program]) -> None:
    *others, large = started
    kernel.count(8)
    death = killed(large, others)
    assert (death.cause, death.oom_kills) == (Cause.MEMORY, 1)
    assert death.held > death.arbiter > death.largest_other > MIB


def test_a_small_one_is_not(kernel: Machine, started: list[Program]) -> None:
    small, *others = started
    kernel.count(8)
    death = killed(small, others)
    assert (death.cause, death.oom_kills) == (Cause.MACHINE, 1)
    assert death.held < death.largest_other


def test_without_a_kill_by_the_kernel_it_was_somebody_else(kernel: Machine, started: list[Program]) -> None:
    *others, large = started
    assert killed(large, others).cause is Cause.OTHER


def test_other_signals_are_not_the_kernels(kernel: Machine, started: list[Program]) -> None:
    *others, large = started
    kernel.count(8)
    assert killed(large, others, signal.SIGTERM).cause is Cause.OTHER


def test_what_the_arbiter_killed_died_of_that(kernel: Machine, started: list[Program]) -> None:
    program = started[0]
    kernel.count(8)
    trio.run(program.kill)
    assert program.poll() == -signal.SIGKILL
    assert program.cause_of_death().cause is Cause.OTHER


def test_a_program_that_was_torn_down_is_no_user_any_more(kernel: Machine, started: list[Program]) -> None:
    small, other, large = started
    large.held = 2**40
    trio.run(large.kill)
    kernel.count(8)
    assert killed(small, [other]).largest_other < 2**40
