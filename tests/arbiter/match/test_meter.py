"""What a bot used and waited for, by the numbers of a kernel that is a table; and of one real process."""

import errno
import os
import subprocess
import sys
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from arbiter.match import meter as module
from arbiter.match.meter import Counters, Meter, Standing, is_available

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
    """Processes with their threads, and the time."""

    def __init__(self) -> None:
        self.now = 50_000 * MS
        self.threads: dict[int, dict[int, Thread]] = {ROOT: {ROOT: Thread()}}
        self.cpu: dict[int, int] = {ROOT: 0}
        self.orphans: list[int] = []

    def add(self, process: int, parent: int = ROOT) -> Thread:
        self.threads[process] = {process: Thread()}
        self.cpu[process] = 0
        self.threads[parent][parent].children.append(process)
        return self.threads[process][process]

    def add_thread(self, number: int) -> Thread:
        self.threads[ROOT][number] = Thread()
        return self.threads[ROOT][number]

    def remove(self, process: int, parent: int = ROOT) -> None:
        del self.threads[process]
        self.threads[parent][parent].children.remove(process)

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
        thread = self._process(int(process))[int(number)]
        if name == "schedstat":
            return f"{thread.ran} {thread.waited} 1\n".encode()
        if name == "stat":
            return f"{number} (a) b) {thread.state} 1 2 3".encode()
        return " ".join(map(str, thread.children)).encode()

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

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    kernel = Kernel()
    monkeypatch.setattr(module, "is_available", lambda: True)
    monkeypatch.setattr(module, "proc", SimpleNamespace(read=kernel.read, whole=kernel.read))
    monkeypatch.setattr(module, "os", SimpleNamespace(listdir=kernel.listdir))
    monkeypatch.setattr(module, "time", kernel)
    monkeypatch.setattr(module._Files, "open", lambda process: kernel)
    monkeypatch.setattr(Standing, "at_start", lambda cores: USUAL)
    monkeypatch.setattr(Standing, "of", kernel.standing)
    return kernel


def meter_of(kernel: Kernel) -> Meter:
    meter = Meter(ROOT, (), lambda: kernel.orphans)
    meter.read()
    return meter


def overdue(meter: Meter) -> int:
    return meter.read(is_overdue=True).wait // MS


def test_one_thread(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.cpu[ROOT], kernel.root.waited = 70 * MS, 30 * MS
    assert meter.read() == Counters(70 * MS, 30 * MS)


def test_a_tree(kernel: Kernel) -> None:
    """Children, children of children, threads, and orphans."""
    meter = meter_of(kernel)
    child, grandchild = kernel.add(101), kernel.add(102, 101)
    kernel.add_thread(103).waited = 1 * MS
    child.waited, grandchild.waited = 10 * MS, 100 * MS
    kernel.threads[200], kernel.cpu[200], kernel.orphans = {200: Thread(waited=1_000 * MS)}, 5 * MS, [200]
    kernel.cpu |= {ROOT: 1 * MS, 101: 20 * MS, 102: 300 * MS}
    assert meter.read() == Counters(326 * MS, 1_111 * MS)


def test_the_dead_keep_their_sums(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.add(101).waited = 10 * MS
    kernel.cpu[101] = 20 * MS
    thread = kernel.add_thread(102)
    thread.waited = 1 * MS
    before = meter.read()
    kernel.remove(101)
    del kernel.threads[ROOT][102]
    assert meter.read() == before == Counters(20 * MS, 11 * MS)
    kernel.root.waited, kernel.cpu[ROOT] = 5 * MS, 7 * MS
    assert meter.read() == Counters(27 * MS, 16 * MS)


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
    kernel.threads[ROOT][102] = Thread(waited=20 * MS)
    assert meter.read().wait == 70 * MS


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
    meter = meter_of(kernel)
    kernel.root.state = "R"
    for ms in (20, 40, 60):
        kernel.now += 20 * MS
        assert overdue(meter) == ms
        assert meter.read().wait == 0, "the kernel has not counted it"


def test_other_looks_take_nothing_from_a_wait_that_lasts(kernel: Kernel) -> None:
    """Somebody else may look at the counters in between: at each answer, say."""
    meter = meter_of(kernel)
    kernel.root.state = "R"
    kernel.now += 5 * MS
    assert overdue(meter) == 5
    for _ in range(4):
        kernel.now += 5 * MS
        meter.read()
    kernel.now += 5 * MS
    assert overdue(meter) == 30


def test_and_only_once_when_it_ends(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.root.state = "R"
    kernel.now += 20 * MS
    assert overdue(meter) == 20
    kernel.now += 5 * MS
    kernel.root.waited, kernel.root.ran = 25 * MS, 1 * MS
    assert overdue(meter) == 25
    kernel.now += 5 * MS
    assert overdue(meter) == 30, "a new one"


def test_who_runs_does_not_wait(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.root.state = "R"
    for _ in range(5):
        kernel.now += 20 * MS
        kernel.cpu[ROOT] = kernel.root.ran = kernel.root.ran + 20 * MS
        assert overdue(meter) == 0


def test_who_sleeps_does_not_wait(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.now += 20 * MS
    assert overdue(meter) == 0


def test_who_changed_its_standing_has_no_wait_that_lasts(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    kernel.root.state = "R"
    kernel.now += 20 * MS
    assert overdue(meter) == 20
    kernel.root.standing = NICE
    kernel.now += 20 * MS
    assert overdue(meter) == 0


def test_threads_wait_each_for_itself(kernel: Kernel) -> None:
    meter = meter_of(kernel)
    one, two = kernel.add_thread(102), kernel.add_thread(103)
    meter.read()
    one.state = two.state = "R"
    kernel.now += 20 * MS
    assert overdue(meter) == 40


def test_a_wait_that_lasts_ends_with_its_thread(kernel: Kernel) -> None:
    """Also where the bot has a single thread from then on."""
    meter = meter_of(kernel)
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
