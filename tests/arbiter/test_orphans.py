"""Whose orphans are, what they used and how much is looked at, by the numbers of a kernel that is a table."""

import subprocess
import sys
from itertools import pairwise
from types import SimpleNamespace

import pytest

from arbiter.isolation import mark, orphans
from arbiter.isolation.orphans import Orphaned, Orphans

ONE, OTHER = 10, 20
"""Roots of trees."""
SECOND = 1_000_000_000
needs_marks = pytest.mark.skipif(sys.platform != "linux", reason="needs limits that are set from outside")


class Kernel:
    """Our children: each with its owner and, when it has ended, with what it used in seconds."""

    def __init__(self) -> None:
        self.owners: dict[int, int | None] = {}
        self.ended: dict[int, float] = {}
        self.asked: list[int] = []
        self.waited_for: list[int] = []

    def listed(self) -> bytes:
        return b"".join(b"%d " % pid for pid in (ONE, OTHER, *self.owners))

    def owner_of(self, pid: int) -> int | None:
        self.asked.append(pid)
        return self.owners[pid]

    def wait4(self, pid: int, options: int) -> tuple[int, int, SimpleNamespace]:
        if pid not in self.owners:
            raise ChildProcessError
        if pid not in self.ended:
            return 0, 0, SimpleNamespace()
        self.waited_for.append(pid)
        del self.owners[pid]
        return pid, 0, SimpleNamespace(ru_utime=self.ended[pid], ru_stime=0.5)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    kernel = Kernel()
    monkeypatch.setattr(Orphans, "_read_list", lambda self: kernel.listed())
    monkeypatch.setattr(orphans, "os", SimpleNamespace(wait4=kernel.wait4, WNOHANG=1, close=None))
    return kernel


@pytest.fixture
def ours(kernel: Kernel) -> Orphans:
    return Orphans(lambda pid: pid in (ONE, OTHER), kernel.owner_of)


def test_each_tree_has_its_own(kernel: Kernel, ours: Orphans) -> None:
    kernel.owners = {101: ONE, 102: OTHER, 103: None, 104: 0, 105: ONE}
    assert ours.of(ONE) == Orphaned([101, 105])
    assert ours.of(OTHER) == Orphaned([102])


def test_one_that_ends_is_waited_for_and_counts(kernel: Kernel, ours: Orphans) -> None:
    kernel.owners = {101: ONE, 102: OTHER}
    assert ours.of(ONE) == Orphaned([101])
    kernel.ended[101] = 2
    assert ours.of(ONE) == ours.of(ONE) == Orphaned([], 2 * SECOND + SECOND // 2)
    assert ours.of(OTHER) == Orphaned([102])
    assert ours.owner(101) is None


def test_also_one_that_nobody_saw_alive(kernel: Kernel, ours: Orphans) -> None:
    kernel.owners, kernel.ended = {101: ONE}, {101: 0.5}
    assert ours.of(OTHER) == Orphaned([])
    assert ours.of(ONE) == Orphaned([], SECOND)
    assert kernel.waited_for == [101]


def test_what_may_be_somebody_elses_is_left_alone(kernel: Kernel, ours: Orphans) -> None:
    kernel.owners, kernel.ended = {103: None, 104: 0}, {103: 1, 104: 1, ONE: 1}
    assert ours.of(ONE) == ours.of(OTHER) == Orphaned([])
    assert kernel.waited_for == []


def test_nobody_is_asked_twice(kernel: Kernel, ours: Orphans) -> None:
    kernel.owners = {101: ONE, 103: None}
    for number in (200, 201, 202):
        ours.of(ONE)
        kernel.owners[number] = OTHER
    ours.of(OTHER)
    assert kernel.asked == [101, 103, 200, 201, 202]


def test_a_number_that_was_given_again_is_somebody_new(kernel: Kernel, ours: Orphans) -> None:
    kernel.owners, kernel.ended = {101: ONE}, {101: 1}
    ours.of(ONE)
    kernel.owners, kernel.ended = {101: OTHER}, {}
    assert ours.of(OTHER).living == [101]
    kernel.owners = {}
    ours.look()
    kernel.owners = {101: ONE}
    assert ours.of(ONE).living == [101]


def test_a_look_takes_so_many_and_no_more(kernel: Kernel, ours: Orphans) -> None:
    most = orphans._MOST
    kernel.owners = dict.fromkeys(range(1_000, 1_000 + 2 * most + 1), ONE)
    kernel.ended = dict.fromkeys(range(1_000, 1_000 + most), 0.5)
    assert ours.of(ONE) == Orphaned([], most * SECOND, is_complete=False)
    assert ours.of(ONE) == Orphaned(list(range(1_000 + most, 1_000 + 2 * most)), most * SECOND, False)
    assert len(kernel.asked) == 2 * most
    assert ours.of(ONE).is_complete
    assert len(kernel.asked) == 2 * most + 1


def test_a_tree_that_is_forgotten_leaves_nothing(kernel: Kernel, ours: Orphans) -> None:
    kernel.owners, kernel.ended = {101: ONE, 102: ONE}, {101: 1}
    ours.of(ONE)
    ours.disown(ONE)
    assert (ours.of(ONE), ours.owner(102)) == (Orphaned([]), None)


# Marks.


@needs_marks
def test_of_two_marks_each_is_lower_in_one_limit() -> None:
    """So none can be lowered to the other; a child bears that of its parent, and the arbiter's own none."""
    marks = []
    for _ in range(3):
        mark.prepare()
        with subprocess.Popen(["sleep", "60"]) as program:
            marks.append(mark.complete(program.pid))
            assert mark.of(program.pid) == marks[-1]
            program.kill()
    with subprocess.Popen(["sleep", "60"]) as other:
        limits = mark.of(other.pid)
        other.kill()
    found = [each for each in marks if each is not None]
    assert limits is not None
    assert [each.is_borne_by(limits) for each in found] == [False] * 3
    for earlier, later in pairwise(found):
        assert later.resident < earlier.resident
        assert later.locks > earlier.locks


def test_who_is_not_prepared_for_has_no_mark() -> None:
    with subprocess.Popen(["sleep", "60"]) as program:
        assert mark.complete(program.pid) is None
        program.kill()
