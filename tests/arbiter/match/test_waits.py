"""Whose doing it is that threads wait, by a scheduler in numbers: so many cores, a bot's threads, others'."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.match.waits import Thread, Waits

MS = 1_000_000


@dataclass
class Task:
    """A thread: in which milliseconds it wants to run."""

    wishes: list[bool]
    ran: int = 0
    waited: int = 0
    waiting: int = 0
    is_ready: bool = False

    @property
    def lost(self) -> int:
        return self.waited + self.waiting


@dataclass
class Machine:
    """A round-robin scheduler with time slices of 1 ms; a wait is added to a thread's count when it ends."""

    cores: int
    bot: list[Task]
    others: list[Task] = field(default_factory=list)
    now: int = 0
    first: int = 0

    def run(self, ms: int) -> None:
        tasks = [*self.bot, *self.others]
        for _ in range(ms):
            ready = []
            for number, task in enumerate(tasks):
                wants = task.wishes[self.now % len(task.wishes)] if not task.waiting else True
                task.is_ready = wants
                if wants:
                    ready.append((number - self.first) % len(tasks))
            chosen = sorted(ready)[: self.cores]
            for place in sorted(ready):
                task = tasks[(place + self.first) % len(tasks)]
                if place in chosen:
                    task.ran += 1
                    task.waited += task.waiting
                    task.waiting = 0
                else:
                    task.waiting += 1
            self.first = (self.first + self.cores) % len(tasks)
            self.now += 1

    def waits(self) -> Waits:
        return Waits(lambda number: True, lambda process, number: self.bot[number].is_ready)

    def look(self, waits: Waits, *, is_same: bool = True, is_thorough: bool = True) -> None:
        threads = [Thread(1, number, task.ran * MS, task.waited * MS) for number, task in enumerate(self.bot)]
        used = sum(task.ran for task in self.bot) * MS
        waits.look(threads, used, (1_000 + self.now) * MS, is_same=is_same, is_thorough=is_thorough)


def tasks(*wishes: str) -> list[Task]:
    """Threads whose wishes are marked by ``x``."""
    return [Task([letter == "x" for letter in each]) for each in wishes]


WISHES = st.lists(st.booleans(), min_size=1, max_size=12)
PAUSES = st.lists(st.integers(1, 40), min_size=1, max_size=12)


@given(st.integers(1, 4), st.lists(WISHES, min_size=1, max_size=12), PAUSES)
def test_a_bot_alone_on_a_machine_loses_nothing(
    cores: int, wishes: list[list[bool]], pauses: list[int]
) -> None:
    """However many threads it has, and whenever somebody looks: they wait for each other."""
    machine = Machine(cores, [Task(each) for each in wishes])
    waits = machine.waits()
    machine.look(waits, is_same=False)
    for pause in pauses:
        machine.run(pause)
        machine.look(waits)
        assert (waits.lost, waits.lasting) == (0, 0)


@given(st.integers(1, 3), WISHES, st.lists(WISHES, max_size=9), PAUSES, st.booleans())
def test_a_single_thread_loses_what_it_waits(
    cores: int, wishes: list[bool], others: list[list[bool]], pauses: list[int], is_thorough: bool
) -> None:
    """What is over at each look, and at a thorough one what lasts, from the look before it on at least."""
    machine = Machine(cores, [Task(wishes)], [Task(each) for each in others])
    waits = machine.waits()
    machine.look(waits, is_same=False)
    for pause in pauses:
        machine.run(pause)
        machine.look(waits, is_thorough=is_thorough)
        assert waits.lost == machine.bot[0].waited * MS
        assert waits.lost + waits.lasting <= machine.bot[0].lost * MS


@pytest.mark.parametrize("count", [2, 3, 8])
def test_threads_that_all_compute_lose_what_others_took(count: int) -> None:
    """On two cores, beside four that always compute."""
    machine = Machine(2, tasks(*["x"] * count), tasks("x", "x", "x", "x"))
    waits = machine.waits()
    machine.look(waits, is_same=False)
    for _ in range(100):
        machine.run(20)
        machine.look(waits)
    share = 2 * 2_000 * count // (count + 4)
    assert waits.lost / MS == pytest.approx(max(0, 2_000 - share), abs=100)


def test_threads_that_hand_work_to_each_other() -> None:
    """One works for 100 ms, then the other; each gets every third millisecond of its core."""
    machine = Machine(1, tasks("x" * 100 + "." * 100, "." * 100 + "x" * 100), tasks("x", "x"))
    waits = machine.waits()
    machine.look(waits, is_same=False)
    for _ in range(100):
        machine.run(20)
        machine.look(waits)
    ran = sum(task.ran for task in machine.bot)
    assert ran == pytest.approx(2_000 / 3, rel=0.2)
    assert waits.lost / MS == pytest.approx(2_000 - ran, rel=0.1)


def test_what_threads_ran_that_are_gone_was_for_none_of_the_machines_doing() -> None:
    """One waits, a crowd runs and is gone before the next look."""
    waits = Waits(lambda number: True, lambda process, number: False)
    waits.look([Thread(1, 1, 0, 0)], 0, 1_000 * MS, is_same=False, is_thorough=True)
    waits.look([Thread(1, 1, 1 * MS, 19 * MS)], 40 * MS, 1_020 * MS, is_same=False, is_thorough=True)
    assert waits.lost == 0


def test_a_wait_that_began_before_a_look_at_which_its_thread_had_just_run() -> None:
    """It may have been running as well: nobody knew. When the wait is over all of it counts."""
    waits = Waits(lambda number: True, lambda process, number: True)
    waits.look([Thread(1, 1, 0, 0)], 0, 1_000 * MS, is_same=False, is_thorough=True)
    waits.look([Thread(1, 1, 4 * MS, 2 * MS)], 4 * MS, 1_020 * MS, is_same=True, is_thorough=True)
    assert (waits.lost, waits.lasting, waits.ready_since) == (2 * MS, 0, 1_020 * MS)
    waits.look([Thread(1, 1, 5 * MS, 18 * MS)], 5 * MS, 1_022 * MS, is_same=True, is_thorough=True)
    assert waits.lost == 18 * MS
