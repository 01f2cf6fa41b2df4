"""What a bot used and waited for, by the numbers of a kernel that is a table; and of one real process."""

import errno
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from arbiter.isolation import proc
from arbiter.isolation.orphans import Orphaned
from arbiter.match import meter as module
from arbiter.match.ledger import TICK
from arbiter.match.meter import Counters, Meter, is_available
from arbiter.match.standing import Standing

MS = 1_000_000
ROOT = 100
USUAL = Standing(0, 0, frozenset((0, 1)), 0)
NICE = USUAL._replace(nice=-5)


@dataclass
class Thread:
    ran: int = 0
    waited: int = 0
    state: str = "S"
    standing: Standing = USUAL
    children: list[int] = field(default_factory=list)


class Kernel:
    """Processes with their threads, and the time.

    ``started`` is the number of what was started last, or -1 where nobody knows it, and ``hidden`` what the
    kernel counted that nothing else shows, None where it does not count; ``looks`` counts how often somebody
    asked for children, and ``meanwhile`` happens right after that.
    """

    def __init__(self) -> None:
        self.now = 50_000 * MS
        self.threads: dict[int, dict[int, Thread]] = {ROOT: {ROOT: Thread()}}
        self.cpu: dict[int, int] = {ROOT: 0}
        self.began: defaultdict[int, int] = defaultdict(int)
        self.waited_for: defaultdict[int, int] = defaultdict(int)
        self.orphans: list[int] = []
        self.collected = 0
        self.is_complete = True
        self.started = ROOT
        self.looks = 0
        self.hidden: int | None = None
        self.meanwhile: Callable[[], None] | None = None

    def add(self, process: int, parent: int = ROOT) -> Thread:
        self.started = process
        self.threads[process] = {process: Thread()}
        self.cpu[process] = 0
        self.threads[parent][parent].children.append(process)
        return self.threads[process][process]

    def add_orphan(self, process: int, cpu: int, waited: int = 0) -> None:
        self.started = process
        self.threads[process], self.cpu[process] = {process: Thread(waited=waited)}, cpu
        self.orphans.append(process)

    def add_thread(self, number: int) -> Thread:
        self.started = number
        self.threads[ROOT][number] = Thread()
        return self.threads[ROOT][number]

    def remove(self, process: int, parent: int = ROOT, *, is_waited_for: bool = False) -> None:
        del self.threads[process]
        self.threads[parent][parent].children.remove(process)
        if is_waited_for:
            self.waited_for[parent] += self.cpu[process] + self.waited_for[process]

    def collect(self, orphan: int) -> None:
        """Let the arbiter wait for an orphan that has ended."""
        del self.threads[orphan]
        self.orphans.remove(orphan)
        self.collected += self.cpu[orphan] + self.waited_for[orphan]

    @property
    def root(self) -> Thread:
        return self.threads[ROOT][ROOT]

    def standing(self, number: int) -> Standing:
        return next(threads[number].standing for threads in self.threads.values() if number in threads)

    def _process(self, number: int) -> dict[int, Thread]:
        if number not in self.threads:
            raise OSError(errno.ESRCH, "gone")
        return self.threads[number]

    # What the meter asks.

    def read(self, path: str) -> bytes:
        _, _, process, _, number, name = path.split("/")
        thread = self._process(int(process)).get(int(number))
        if thread is None:
            raise OSError(errno.ENOENT, "gone")
        if name == "schedstat":
            return f"{thread.ran} {thread.waited} 1\n".encode()
        if name == "stat":
            return f"{number} (a) b) {thread.state} 1 2 3".encode()
        self.looks += 1
        children = " ".join(map(str, thread.children)).encode()
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            meanwhile()
        return children

    def stat(self, process: int) -> list[bytes]:
        fields = ["0"] * 40
        fields[proc.THREADS] = str(len(self._process(process)))
        fields[proc.BEGAN] = str(self.began[process])
        fields[proc.CHILDREN_USER] = str(self.waited_for[process] // TICK)
        return [field.encode() for field in fields]

    def listdir(self, path: str) -> list[str]:
        return [str(number) for number in self._process(int(path.split("/")[2]))]

    def clock_gettime_ns(self, clock: int) -> int:
        process = ~(clock >> 3)
        if process not in self.threads:
            raise OSError(errno.EINVAL, "gone")
        return self.cpu[process]

    def monotonic_ns(self) -> int:
        return self.now

    def is_single(self) -> bool:
        return len(self._process(ROOT)) == 1 and not self.root.children

    def waited(self) -> int:
        return self._process(ROOT)[ROOT].waited

    def newest(self) -> bytes:
        return str(self.started).encode() if self.started >= 0 else b""

    def count(self) -> int | None:
        return None if self.hidden is None else 5_000 * MS + sum(self.cpu.values()) + self.hidden

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    kernel = Kernel()
    files = SimpleNamespace(**{**vars(proc), "read": kernel.read, "whole": kernel.read, "stat": kernel.stat})
    count = SimpleNamespace(read=kernel.count, close=kernel.close)
    monkeypatch.setattr(module, "is_available", lambda: True)
    monkeypatch.setattr(module, "proc", files)
    monkeypatch.setattr(module, "Count", lambda threads: count)
    monkeypatch.setattr(module, "os", SimpleNamespace(listdir=kernel.listdir))
    monkeypatch.setattr(module, "time", kernel)
    monkeypatch.setattr(module._Files, "open", lambda process: kernel)
    monkeypatch.setattr(Standing, "at_start", lambda cores: USUAL)
    monkeypatch.setattr(Standing, "of", kernel.standing)
    return kernel


def meter_of(kernel: Kernel) -> Meter:
    """One that has found the root asleep, two seconds ago."""
    meter = Meter(ROOT, (), lambda: Orphaned(list(kernel.orphans), kernel.collected, kernel.is_complete))
    meter.read(is_overdue=True)
    kernel.now += 2_000 * MS
    return meter


def asleep(kernel: Kernel) -> Meter:
    """One that has found the root asleep just now."""
    meter = meter_of(kernel)
    meter.read(is_overdue=True)
    return meter


def overdue(meter: Meter) -> int:
    """What the machine keeps from a bot that is late, in ms."""
    return meter.read(is_overdue=True).wait // MS


def test_one_thread(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.cpu[ROOT], kernel.root.waited = 70 * MS, 30 * MS
    assert meter.read() == Counters(70 * MS, 30 * MS)


def test_a_tree(kernel: Kernel) -> None:
    """Children, children of children, threads, and orphans: who waits longest tells for how long others ran
    beside it.
    """
    meter = meter_of(kernel)
    child, grandchild = kernel.add(101), kernel.add(102, 101)
    kernel.add_thread(103).waited = 1 * MS
    child.waited, grandchild.waited = 10 * MS, 100 * MS
    kernel.add_orphan(200, 5 * MS, waited=1_000 * MS)
    kernel.cpu |= {ROOT: 1 * MS, 101: 20 * MS, 102: 300 * MS}
    assert meter.read() == Counters(326 * MS, (1_000 - 326) * MS)


def test_the_dead_keep_their_sums(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    child = kernel.add(101)
    child.waited, child.ran, kernel.cpu[101] = 10 * MS, 20 * MS, 20 * MS
    kernel.add_thread(102).waited = 1 * MS
    before = meter.read()
    kernel.remove(101)
    del kernel.threads[ROOT][102]
    assert meter.read() == before == Counters(20 * MS, 10 * MS)
    kernel.now += 100 * MS
    kernel.root.waited, kernel.cpu[ROOT] = 5 * MS, 7 * MS
    assert meter.read() == Counters(27 * MS, 15 * MS)


def test_a_root_that_is_gone_keeps_its_sums(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.root.waited, kernel.cpu[ROOT] = 5 * MS, 7 * MS
    before = meter.read()
    del kernel.threads[ROOT]
    assert meter.read() == before
    meter.close()
    assert meter.read(is_overdue=True) == before


def test_a_number_that_has_a_new_owner(kernel: Kernel) -> None:
    """A counter that is lower than before is another thread's, and counts from nothing."""
    meter = meter_of(kernel)
    thread = kernel.add_thread(102)
    thread.waited = 50 * MS
    meter.read()
    kernel.now += 100 * MS
    kernel.add_thread(102).waited = 20 * MS
    kernel.started += 1
    assert meter.read().wait == 70 * MS


# Whom the parents have waited for.


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_a_child_that_nobody_saw_counts_when_its_parent_waited_for_it(
    kernel: Kernel, is_waited_for: bool
) -> None:
    meter = meter_of(kernel)
    for number in range(101, 111):
        kernel.add(number)
        kernel.cpu[number] = 5 * MS
        kernel.remove(number, is_waited_for=is_waited_for)
    assert meter.read().cpu == (50 * MS if is_waited_for else 0)
    kernel.cpu[ROOT] = 1 * MS
    assert meter.read().cpu == (51 * MS if is_waited_for else 1 * MS)


def test_a_child_that_was_seen_counts_once(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.add(101)
    kernel.cpu[101] = 30 * MS
    assert meter.read().cpu == 30 * MS
    kernel.cpu[101] = 50 * MS
    kernel.remove(101, is_waited_for=True)
    assert meter.read().cpu == 50 * MS
    assert meter.read().cpu == 50 * MS


def test_what_a_child_had_waited_for_counts_once(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.add(101)
    kernel.add(102, 101)
    kernel.cpu |= {101: 10 * MS, 102: 200 * MS}
    assert meter.read().cpu == 210 * MS
    kernel.remove(102, 101, is_waited_for=True)
    assert meter.read().cpu == 210 * MS
    kernel.remove(101, is_waited_for=True)
    assert meter.read().cpu == 210 * MS


def test_orphans_that_have_ended(kernel: Kernel) -> None:
    """One was seen alive, the other never."""
    meter = meter_of(kernel)
    kernel.add_orphan(200, 10 * MS)
    assert meter.read().cpu == 10 * MS
    kernel.cpu[200] = 12 * MS
    kernel.collect(200)
    assert meter.read().cpu == 12 * MS
    kernel.add_orphan(201, 7 * MS)
    kernel.collect(201)
    assert meter.read().cpu == 19 * MS


def test_an_orphan_is_known_by_having_been_in_the_tree(kernel: Kernel) -> None:
    """Its parent ends; nothing else shows whose it is."""
    meter = meter_of(kernel)
    kernel.add(101)
    kernel.add(102, 101)
    meter.read()
    kernel.remove(101, is_waited_for=True)
    kernel.cpu[102] = 40 * MS
    assert meter.read().cpu == 40 * MS


def test_a_process_that_got_the_number_of_a_member_is_none(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.add(101)
    kernel.add_thread(102)
    kernel.cpu[101] = 10 * MS
    meter.read()
    kernel.remove(101)
    kernel.started, kernel.began[101], kernel.cpu[101] = 101, 9, 500 * MS
    kernel.threads[101] = {101: Thread(waited=500 * MS)}
    assert meter.read() == Counters(10 * MS, 0)


# What happens while a look is taken.


def test_a_child_that_is_waited_for_during_the_look_counts_once(kernel: Kernel) -> None:
    """Its parent was looked at before that, and shows only at the next look that it waited."""
    meter = meter_of(kernel)
    kernel.add(101)
    kernel.cpu[101] = 5_000 * MS
    assert meter.read().cpu == 5_000 * MS
    kernel.started += 1
    kernel.meanwhile = lambda: kernel.remove(101, is_waited_for=True)
    assert meter.read().cpu == 5_000 * MS
    assert 101 not in kernel.threads
    kernel.started += 1
    assert meter.read().cpu == 5_000 * MS


def test_an_orphan_that_no_list_had_is_looked_for_again(kernel: Kernel) -> None:
    """Its parent ended after the orphans had been looked at, and before it was looked at itself."""
    meter = meter_of(kernel)
    kernel.add(101)
    kernel.add(102, 101)
    kernel.cpu[102] = 40 * MS

    def end() -> None:
        kernel.remove(101, is_waited_for=True)
        kernel.orphans.append(102)

    kernel.meanwhile = end
    assert meter.read().cpu == 0
    assert meter.read().cpu == 40 * MS


# How much a reading looks at.


def test_nothing_is_looked_for_where_nobody_has_started_anything(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.add(101)
    kernel.add_thread(102)
    meter.read()
    looks = kernel.looks
    kernel.now += 100 * MS
    kernel.cpu[101], kernel.threads[101][101].waited, kernel.threads[ROOT][102].waited = (
        5 * MS,
        2 * MS,
        3 * MS,
    )
    assert meter.read() == Counters(5 * MS, 3 * MS)
    assert kernel.looks == looks
    kernel.started += 1
    meter.read()
    assert kernel.looks == looks + 3


def test_it_is_where_nobody_knows(kernel: Kernel) -> None:
    kernel.started = -1
    meter = meter_of(kernel)
    kernel.add(101)
    kernel.started = -1
    assert meter.read().cpu == 0
    kernel.add(102)
    kernel.cpu[102], kernel.started = 5 * MS, -1
    assert meter.read().cpu == 5 * MS


def test_it_is_until_all_orphans_have_been_looked_at(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.is_complete, kernel.started = False, 199
    meter.read()
    kernel.add_orphan(200, 5 * MS)
    kernel.started = 199
    assert meter.read().cpu == 5 * MS


def test_a_root_alone_is_not_walked_though_others_start_programs(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    looks = kernel.looks
    kernel.started += 1
    kernel.cpu[ROOT], kernel.root.waited = 5 * MS, 2 * MS
    assert meter.read() == Counters(5 * MS, 2 * MS)
    assert kernel.looks == looks


def test_what_the_kernel_counted_beyond_all_that_was_found(kernel: Kernel) -> None:
    """And no sum falls when it is said to be less."""
    kernel.hidden = 0
    meter = meter_of(kernel)
    kernel.cpu[ROOT], kernel.hidden = 5 * MS, 20 * MS
    assert meter.read().cpu == 25 * MS
    kernel.hidden = 0
    assert meter.read().cpu == 25 * MS


def test_a_little_more_tells_nothing(kernel: Kernel) -> None:
    """The machine may have taken the core away while a thread ran."""
    kernel.hidden = 0
    meter = meter_of(kernel)
    kernel.cpu[ROOT], kernel.hidden = 1_000 * MS, 20 * MS
    assert meter.read().cpu == 1_000 * MS
    kernel.hidden = 30 * MS
    assert meter.read().cpu == 1_030 * MS


def test_what_a_resting_bot_has_started_counts_from_the_next_look_on(kernel: Kernel) -> None:
    """What its first thread ran and waited counts at once."""
    meter = meter_of(kernel)
    kernel.add(101)
    kernel.cpu |= {ROOT: 5 * MS, 101: 30 * MS}
    kernel.root.waited = 50_000
    assert meter.read_resting() == Counters(5 * MS, 50_000)
    assert meter.read().cpu == 35 * MS
    assert meter.read_resting().cpu == 35 * MS, "it has been looked around by then"


# Trust.


@pytest.mark.parametrize(
    "standing",
    [
        USUAL._replace(policy=5),
        NICE,
        USUAL._replace(cores=frozenset((0,))),
        USUAL._replace(session=10),
    ],
)
def test_who_changed_its_standing_waits_by_its_own_doing(kernel: Kernel, standing: Standing) -> None:
    meter = meter_of(kernel)
    kernel.root.waited = 10 * MS
    assert meter.read().wait == 10 * MS
    kernel.root.standing = standing
    kernel.root.waited = 500 * MS
    assert meter.read().wait == 10 * MS, "what it waited before counts"
    kernel.root.standing = USUAL
    kernel.root.waited = 900 * MS
    assert meter.read().wait == 10 * MS, "for good"


def test_other_threads_are_still_trusted(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    other = kernel.add_thread(102)
    kernel.root.standing = NICE
    kernel.root.waited = other.waited = 10 * MS
    assert meter.read().wait == 10 * MS


def test_a_little_waiting_is_not_worth_a_look(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.root.standing = NICE
    kernel.root.waited = 100_000
    assert meter.read().wait == 100_000
    kernel.root.waited = 200_001
    assert meter.read().wait == 100_000


# A wait that lasts.


def test_a_wait_that_lasts_counts_when_a_bot_is_overdue(kernel: Kernel) -> None:
    meter = asleep(kernel)
    kernel.root.state = "R"
    for ms in (20, 40, 60):
        kernel.now += 20 * MS
        assert overdue(meter) == ms
        assert meter.read().wait == 0, "the kernel has not counted it"


def test_other_looks_take_nothing_from_a_wait_that_lasts(kernel: Kernel) -> None:
    """Somebody else may look at the counters in between: at each answer, say."""
    meter = asleep(kernel)
    kernel.root.state = "R"
    kernel.now += 5 * MS
    assert overdue(meter) == 5
    for _ in range(4):
        kernel.now += 5 * MS
        meter.read()
    kernel.now += 5 * MS
    assert overdue(meter) == 30


def test_and_only_once_when_it_ends(kernel: Kernel) -> None:
    meter = asleep(kernel)
    kernel.root.state = "R"
    kernel.now += 20 * MS
    assert overdue(meter) == 20
    kernel.now += 5 * MS
    kernel.root.waited, kernel.root.ran = 25 * MS, 1 * MS
    assert overdue(meter) == 25
    kernel.now += 5 * MS
    assert overdue(meter) == 30, "a new one"


def test_who_runs_does_not_wait(kernel: Kernel) -> None:
    meter = asleep(kernel)
    kernel.root.state = "R"
    for _ in range(5):
        kernel.now += 20 * MS
        kernel.cpu[ROOT] = kernel.root.ran = kernel.root.ran + 20 * MS
        assert overdue(meter) == 0


def test_who_sleeps_does_not_wait(kernel: Kernel) -> None:
    meter = asleep(kernel)
    kernel.now += 20 * MS
    assert overdue(meter) == 0


def test_who_changed_its_standing_has_no_wait_that_lasts(kernel: Kernel) -> None:
    meter = asleep(kernel)
    kernel.root.state = "R"
    kernel.now += 20 * MS
    assert overdue(meter) == 20
    kernel.root.standing = NICE
    kernel.now += 20 * MS
    assert overdue(meter) == 0


def test_threads_that_wait_at_once_lose_the_same_time(kernel: Kernel) -> None:
    meter = asleep(kernel)
    one, two = kernel.add_thread(102), kernel.add_thread(103)
    meter.read()
    one.state = two.state = "R"
    kernel.now += 20 * MS
    assert overdue(meter) == 20
    one.waited, one.ran = 25 * MS, 1 * MS
    kernel.now += 20 * MS
    assert overdue(meter) == 25 + 39, "one ran while the other waited"


def test_threads_that_wait_for_each_other_lose_nothing(kernel: Kernel) -> None:
    meter = asleep(kernel)
    one, two = kernel.add_thread(102), kernel.add_thread(103)
    meter.read()
    one.state = two.state = "R"
    for _ in range(10):
        kernel.now += 20 * MS
        one.ran += 20 * MS
        kernel.cpu[ROOT] += 20 * MS
        counters = meter.read(is_overdue=True)
        assert (counters.wait, counters.ready_since) == (0, kernel.now)
        two.waited += 20 * MS
        one, two = two, one


def test_since_when_a_thread_is_ready(kernel: Kernel) -> None:
    meter = asleep(kernel)
    assert meter.read(is_overdue=True).ready_since is None, "it sleeps"
    kernel.root.state, kernel.cpu[ROOT] = "R", 1 * MS
    began = kernel.now = kernel.now + 5 * MS
    assert meter.read(is_overdue=True).ready_since == began, "it runs or waits"
    kernel.now += 5 * MS
    assert meter.read(is_overdue=True).ready_since == began, "it has not run since"
    kernel.now, kernel.cpu[ROOT] = kernel.now + 5 * MS, 2 * MS
    assert meter.read(is_overdue=True).ready_since == kernel.now
    assert meter.read().ready_since is None, "nobody asked"


def test_a_wait_that_lasts_ends_with_its_thread(kernel: Kernel) -> None:
    """Also where the bot has a single thread from then on."""
    meter = asleep(kernel)
    kernel.add_thread(102).state = "R"
    meter.read()
    kernel.now += 20 * MS
    assert overdue(meter) == 20
    del kernel.threads[ROOT][102]
    kernel.now += 20 * MS
    assert overdue(meter) == 0


def test_no_counters_where_the_system_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "is_available", lambda: False)
    meter = Meter(ROOT)
    assert meter.read(is_overdue=True) == Counters()
    meter.close()


needs_counters = pytest.mark.skipif(not is_available(), reason="not on this system: /proc/PID/schedstat")


@needs_counters
def test_a_real_process_and_its_child() -> None:
    script = """
import os, sys
def burn():
    while os.times().user + os.times().system < 0.05: pass
burn()
print(flush=True); sys.stdin.readline()
child = os.fork()
if child == 0:
    burn(); os._exit(0)
os.waitpid(child, 0)
print(flush=True); sys.stdin.readline()
"""
    with subprocess.Popen(
        (sys.executable, "-c", script), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        meter = Meter(process.pid)
        process.stdout.readline()
        first = meter.read()
        assert first.cpu >= 50 * MS
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        assert meter.read().cpu >= first.cpu
        process.stdin.close()
        process.wait()
        before = meter.read()
        assert before.cpu >= first.cpu
        meter.close()
        assert meter.read() == before


@needs_counters
def test_standings() -> None:
    own = Standing.of(os.getpid())
    assert own.cores == frozenset(os.sched_getaffinity(0))
    assert Standing.at_start(()) == own._replace(session=0)
    assert Standing.at_start((0,)).cores == frozenset((0,))
