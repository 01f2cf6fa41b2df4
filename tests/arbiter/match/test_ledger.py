"""The books of a tree of processes against a kernel that is a table: whatever ends whenever, nothing counts
twice and no sum falls.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import example, given, settings
from hypothesis import strategies as st

from arbiter.match.ledger import TICK, Ledger, Usage

MS = 1_000_000
ARBITER, ROOT = 0, 1


@dataclass
class Process:
    parent: int
    own: int = 0
    waited_for: int = 0
    has_ended: bool = False
    ignores_children: bool = False
    is_subreaper: bool = False


class Kernel:
    """Processes by number; numbers are not given twice."""

    def __init__(self) -> None:
        self.here = {ROOT: Process(ARBITER)}
        self.forgotten = 0
        self.collected = 0
        self.truth = 0
        self.ignored = 0
        self._newest = ROOT

    def do(self, operation: str, which: int, amount: int) -> None:
        alive = [number for number, process in self.here.items() if not process.has_ended]
        number = alive[which % len(alive)]
        process = self.here[number]
        if operation == "run":
            process.own += amount
            self.truth += amount
        elif operation == "fork":
            self._newest += 1
            self.here[self._newest] = Process(number)
        elif operation == "exit" and number != ROOT:
            self._end(number)
        elif operation == "wait":
            for child in self._children(number):
                if self.here[child].has_ended:
                    ended = self.here.pop(child)
                    process.waited_for += ended.own + ended.waited_for
        elif operation == "ignore":
            process.ignores_children = not process.ignores_children
        elif operation == "adopt":
            process.is_subreaper = True

    def _children(self, number: int) -> list[int]:
        return [child for child, process in self.here.items() if process.parent == number]

    def _end(self, number: int) -> None:
        process = self.here[number]
        heir = process.parent
        while heir != ARBITER and not self.here[heir].is_subreaper:
            heir = self.here[heir].parent
        process.has_ended = True
        for child in self._children(number):
            self.here[child].parent = heir
            if self.here[child].has_ended:
                self._forget_if_ignored(child)
        self._forget_if_ignored(number)

    def _forget_if_ignored(self, number: int) -> None:
        parent = self.here[number].parent
        if parent != ARBITER and self.here[parent].ignores_children:
            gone = self.here.pop(number)
            self.ignored += gone.own + gone.waited_for

    def collect(self) -> None:
        """What the arbiter does with its dead children."""
        for number in self._children(ARBITER):
            if self.here[number].has_ended:
                gone = self.here.pop(number)
                self.collected += gone.own + gone.waited_for


Operation = tuple[str, int, int]
operations = st.tuples(
    st.sampled_from(("run", "run", "run", "fork", "fork", "exit", "wait", "ignore", "adopt")),
    st.integers(0, 7),
    st.sampled_from((1, 3 * MS, 9 * MS, 15 * MS, 500 * MS)),
)


def in_ticks(used: int) -> int:
    """As the kernel shows it: the time as a user and that of the system, each rounded down."""
    return used * 2 // 3 // TICK * TICK + (used - used * 2 // 3) // TICK * TICK


def look(kernel: Kernel, ledger: Ledger, meanwhile: Iterator[Operation]) -> None:
    """As a meter looks, while the processes go on."""

    def go_on() -> None:
        if (operation := next(meanwhile, None)) is not None:
            kernel.do(*operation)

    kernel.collect()
    collected = kernel.collected
    here = {process for process in ledger.living if process[0] in kernel.here}
    waited_for = {}
    go_on()
    for number in list(kernel.here):
        if number in kernel.here:
            waited_for[number] = in_ticks(kernel.here[number].waited_for)
            go_on()
    living = {}
    for number, waited in waited_for.items():
        if number in kernel.here:
            living[number, 0] = Usage(kernel.here[number].own, waited)
            go_on()
    ledger.look(living, collected, is_settled=here <= living.keys())


@given(st.lists(st.tuples(st.lists(operations, max_size=8), st.lists(operations, max_size=6)), max_size=12))
@example(  # it ends between the look at its parent and that at itself, having worked for long
    [
        ([("fork", 0, 0), ("run", 1, 500 * MS)], []),
        ([("exit", 1, 0)], [("run", 0, 1), ("wait", 0, 0)]),
        ([], []),
    ]
)
@settings(max_examples=500)
def test_nothing_counts_twice_and_no_sum_falls(turns: list[tuple[list[Operation], list[Operation]]]) -> None:
    kernel, ledger = Kernel(), Ledger()
    for before, meanwhile in turns:
        for operation in before:
            kernel.do(*operation)
        total, truth, alive = ledger.total, kernel.truth, len(kernel.here)
        look(kernel, ledger, iter(meanwhile))
        assert total <= ledger.total <= kernel.truth
        if not any(process.ignores_children for process in kernel.here.values()) and not kernel.ignored:
            assert ledger.total > truth - 2 * TICK * alive - hidden(meanwhile)


def hidden(meanwhile: list[Operation]) -> int:
    """What may be missing since it changed hands while the look was taken."""
    return 10_000 * MS if any(operation[0] in ("exit", "wait") for operation in meanwhile) else 0


def story(*acts: list[Operation]) -> tuple[int, int]:
    """What the books say, and what is true, after a look at the end of each act."""
    kernel, ledger = Kernel(), Ledger()
    for act in acts:
        for operation in act:
            kernel.do(*operation)
        look(kernel, ledger, iter(()))
    return ledger.total, kernel.truth


FORK, EXIT, WAIT, IGNORE = ("fork", 0, 0), ("exit", 1, 0), ("wait", 0, 0), ("ignore", 0, 0)


def run(ms: int, which: int = 1) -> Operation:
    return "run", which, ms * MS


def test_a_chain_of_children_that_nobody_sees() -> None:
    for length in range(1, 41):
        total, truth = story([FORK, run(5), EXIT, WAIT] * length)
        assert truth - 2 * TICK < total <= truth == length * 5 * MS


def test_children_that_are_ignored_count_as_they_were_last_seen() -> None:
    turns = 10 * [[FORK, run(100)], [run(5), EXIT]]
    assert story([IGNORE], *turns) == (1_000 * MS, 1_050 * MS)


def test_who_ignores_no_longer_is_charged_for_whom_it_waits_for() -> None:
    total, truth = story([IGNORE, FORK, run(100)], [EXIT], [IGNORE, FORK, run(100), EXIT, WAIT])
    assert truth - 4 * TICK <= total <= truth


def test_what_a_child_had_waited_for_counts_once() -> None:
    grandchild: list[Operation] = [FORK, ("fork", 1, 0), run(500, 2), ("exit", 2, 0), ("wait", 1, 0)]
    total, truth = story(grandchild, [EXIT, WAIT])
    assert truth - 2 * TICK <= total <= truth


def test_what_was_seen_is_not_counted_again_when_a_tick_is_full() -> None:
    total, truth = story([FORK, run(14)], [EXIT, WAIT], [FORK, run(2), EXIT, WAIT])
    assert truth == 16 * MS
    assert 14 * MS <= total <= truth
