"""What is charged to whom: the three clocks, losses that can be contested, idle bots, cores."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from arbiter.isolation.affinity import share, usable_cores
from arbiter.match import inherited
from arbiter.match.clock import MS, ClockKind, TimeControl
from arbiter.match.fault import Code
from arbiter.match.game import PlyRecord
from arbiter.match.termination import Termination
from protocol.rules import Side
from tests.e2e.commands import ODD, arbiter, start
from tests.e2e.table import BOTS, Table

BUSY = "import time\nend = time.monotonic() + 60\nprint(flush=True)\nwhile time.monotonic() < end: pass"
AGES = "9"
"""Seconds: past any limit here by more than the machine can be blamed for."""


def control(kind: ClockKind, game: int = 500) -> TimeControl:
    return TimeControl(game=game, start=10_000, clock=kind)


@pytest.fixture
def busy_core() -> Iterator[tuple[int]]:
    """One core on which another program always runs; a bot that is kept there gets about half of it."""
    core = usable_cores()[-1]
    # In a session of its own, for a scheduler may share the cores out among sessions.
    burner = subprocess.Popen([sys.executable, "-c", BUSY], start_new_session=True, stdout=subprocess.PIPE)
    with burner:
        os.sched_setaffinity(burner.pid, [core])
        assert burner.stdout is not None
        assert burner.stdout.readline() == b"\n"
        yield (core,)
        burner.kill()


def test_every_ply_is_measured(table: Table) -> None:
    before = own_waiting()
    result = table.play(table.odd("burn", "0.2"), time=control(ClockKind.WALL, 5_000))
    waited = round((own_waiting() - before) * MS)
    spent = result.plies[4].spent
    assert spent.wall == result.plies[4].used
    assert 195 * MS < spent.cpu < 300 * MS
    # It is read right after the answer. The clock starts when the question was sent: where one core alone is
    # free, the bot may run at once, before we do.
    assert spent.cpu <= spent.wall + 2 * MS + waited
    assert all(record.spent.cpu < 100 * MS for record in (*result.plies[:4], *result.plies[5:]))
    assert result.white.clock.plies == len(_whites(result.plies))
    assert result.white.clock.worst == max(record.used for record in _whites(result.plies))


def _whites(plies: Sequence[PlyRecord]) -> list[PlyRecord]:
    """White's plies: every other one, but two in a row at the end of the placements."""
    return [*plies[:49:2], *plies[49::2]]


def test_cpu_time_alone_is_charged_by_the_clock_cpu(table: Table) -> None:
    asleep = table.play(table.odd("late", "1"), time=control(ClockKind.CPU, 2_000))
    assert asleep.termination is Termination.NORMAL, asleep.detail
    assert asleep.plies[4].used < 100 * MS
    assert asleep.plies[4].spent.wall > 900 * MS
    awake = table.play(table.odd("burn", AGES), time=control(ClockKind.CPU))
    assert (awake.termination, awake.offender) == (Termination.TIMEOUT, Side.WHITE)


def test_children_are_charged_to_their_parent(table: Table) -> None:
    result = table.play(table.odd("burn-and-stay", "2x0.2"), time=control(ClockKind.CPU, 5_000))
    assert 400 * MS <= result.plies[4].used < 600 * MS


HIDDEN_WAYS = ("orphan", "orphans", "children", "reaper")
"""Of what is hidden so something is found in any case."""


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that computes in hiding."""
    program = tmp_path_factory.mktemp("hidden") / "hidden"
    subprocess.run(["cc", "-O1", "-o", program, BOTS / "hidden.c"], check=True)
    return program


def charge_for(table: Table, hidden: Path, way: str) -> float:
    """What a bot is charged that lets this program compute for 400 ms, in ms."""
    odd = table.odd("call", f"{hidden} {way} 400")
    result = table.play(odd, time=control(ClockKind.CPU, 10_000))
    assert result.termination is Termination.NORMAL, result.detail
    return result.plies[4].used / MS


@pytest.mark.needs("cc")
@pytest.mark.parametrize("way", HIDDEN_WAYS)
def test_what_is_hidden_is_charged(
    table: Table, hidden: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the system does not let the arbiter count."""
    monkeypatch.setattr(inherited, "start", lambda process: -1)
    assert 380 < charge_for(table, hidden, way) < 600


@pytest.mark.needs("cc")
@pytest.mark.parametrize("way", [*HIDDEN_WAYS, "shed", "ignored"])
def test_what_the_kernel_counts_is_charged_however_it_is_hidden(table: Table, hidden: Path, way: str) -> None:
    if (descriptor := inherited.start(os.getpid())) < 0:
        pytest.skip("this system does not let the arbiter count")
    os.close(descriptor)
    assert 380 < charge_for(table, hidden, way) < 600


def test_sleeping_for_ever_ends_at_the_backstop(table: Table) -> None:
    began = time.monotonic()
    result = table.play(table.odd("silent"), time=control(ClockKind.CPU, 200))
    assert (result.termination, result.offender) == (Termination.TIMEOUT, Side.WHITE)
    assert 1.4 < time.monotonic() - began < 30  # it would sleep for a minute


def test_the_fair_clock_does_not_charge_for_waiting(table: Table, busy_core: tuple[int]) -> None:
    fair = table.play(table.odd("burn", "0.3"), time=control(ClockKind.FAIR, 3_000), cores=busy_core)
    spent = fair.plies[4].spent
    assert fair.termination is Termination.NORMAL, fair.detail
    assert spent.wait > 60 * MS
    assert spent.cpu > 290 * MS
    assert fair.plies[4].used == max(spent.wall - spent.wait, spent.cpu) < spent.wall - 60 * MS


def test_many_threads_never_cost_more_than_the_time_that_passed(table: Table) -> None:
    result = table.play(table.odd("burn-apart", "4x0.1"), time=control(ClockKind.FAIR, 5_000))
    record = result.plies[4]
    assert record.used <= record.spent.wall


def test_a_loss_that_the_machine_may_have_caused_is_no_loss(table: Table, busy_core: tuple[int]) -> None:
    """The bot needs less than its limit, but the load keeps it waiting beyond."""
    odd = table.odd("burn", "0.04", "--at", "1")
    result = table.play(odd, time=TimeControl(game=30, grace=20, start=20_000), cores=busy_core)
    assert (result.termination, result.result, result.offender) == (Termination.VOID, "*", None)
    assert result.fault is not None
    assert result.fault.code is Code.MACHINE_LATE
    assert 0 < result.fault.number("over") <= result.fault.number("machine")
    assert not result.both_failed


def test_silence_is_a_loss_however_busy_the_machine_is(table: Table, busy_core: tuple[int]) -> None:
    result = table.play(table.odd("silent"), time=control(ClockKind.WALL, 2_000), cores=busy_core)
    assert (result.termination, result.offender) == (Termination.TIMEOUT, Side.WHITE)


def test_late_on_a_quiet_machine_is_late(table: Table) -> None:
    result = table.play(table.odd("late", AGES, "--at", "1"), time=control(ClockKind.WALL))
    assert (result.termination, result.offender) == (Termination.TIMEOUT, Side.WHITE)


def test_an_idle_bot_stands_still_when_asked_for(table: Table) -> None:
    """Its opponent watches it: for half a second, or until it has run for 400 ms, however long that takes."""
    beats, idle = {}, {}
    for suspend, watch in ((True, "40x0.5"), (False, "40x50")):
        result = table.play(
            table.odd("count", "--at", "1"),
            table.odd("await-beats", watch, "--at", "2"),
            time=control(ClockKind.WALL, 60_000),
            suspend_idle=suspend,
        )
        assert result.termination is Termination.NORMAL, result.detail
        assert "beat\n" in result.white.stderr
        (told,) = re.findall(r"^beats (\d+)$", result.black.stderr, re.MULTILINE)
        beats[suspend], idle[suspend] = int(told), result.white.clock.idle_cpu
    assert beats[False] >= 40
    assert beats[True] <= 1  # one may have been on its way
    assert idle[False] > 380 * MS
    assert idle[True] < idle[False]


def test_games_keep_to_their_cores(table: Table) -> None:
    core = usable_cores()[-1]
    result = table.play(table.odd("tell-cores"), table.odd("tell-cores"), cores=(core,))
    for report in (result.white, result.black):
        assert f"cores [{core}]" in report.stderr
    assert sorted(os.sched_getaffinity(0)) == usable_cores()


def test_cores_are_shared_out() -> None:
    assert share([0, 1, 2, 3, 4], 2) == [(0, 1), (2, 3)]
    assert share([3, 5], 2) == [(3,), (5,)]
    assert share([0, 1], 3) == []


def test_a_tournament_with_all_of_it(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(
        "tournament: t\ntime: {game: 5s, clock: fair}\nsuspend_idle: true\naffinity: true\nconcurrency: 2\n"
        f'bots:\n  - {{name: a, run: "{ODD} tell-cores"}}\n  - {{name: b, run: "{ODD} none"}}\n'
    )
    done = arbiter(tmp_path, "run", "t.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert '[Clock "fair"]' in arbiter(tmp_path, "export", "results/t").stdout


def test_more_games_than_cores_is_warned_about(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(
        f"tournament: t\nconcurrency: 99\naffinity: true\nbots: [sample:random, '{ODD} none']\n"
    )
    done = arbiter(tmp_path, "run", "t.yaml")
    assert "bots will take time from each other" in done.stdout
    assert "`affinity` needs a core for each and does nothing" in done.stdout


@pytest.mark.parametrize("kind", ["", "busy"], ids=["idle", "busy"])
def test_an_arbiter_that_stalled_charges_nobody(tmp_path: Path, kind: str) -> None:
    """As after the machine slept, unless a bot went on computing: that had time for nothing."""
    run = start(tmp_path, "match", f"{ODD} hold {kind}", f"{ODD} none", "--time", "4s", "--games", "1")
    while not (tmp_path / "asked").exists():
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(signal.SIGSTOP)
    time.sleep(5.5)
    (tmp_path / "go-on").touch()
    run.send_signal(signal.SIGCONT)
    output, _ = run.communicate(timeout=60)
    attempt = "game 1 starts: odd - odd-2 (round 1, 1 of 1, attempt 2)"
    assert (run.returncode, attempt in output) == (0, kind == "busy"), output
    assert ("(void: arbiter stalled for " in output) == (kind == "busy")
    assert " forfeits=0 " in output


def own_waiting() -> float:
    """Milliseconds that we were ready to run and got no core."""
    return int(Path("/proc/self/schedstat").read_text().split()[1]) / MS


def test_what_is_charged_is_what_a_bot_takes(table: Table) -> None:
    """A bot that thinks for 10 ms each time is charged that, and hardly more.

    What the machine kept bot and arbiter waiting is known; a standstill only adds: the best of three counts.
    """
    extra = []
    for _ in range(3):
        before = own_waiting()
        result = table.play(table.odd("late-by-own-account", "0.01", "--at", "1", "--always"))
        placements = result.plies[:49:2]
        took = [int(record.info["x-took"]) / 1_000 for record in placements]
        assert min(took) > 9
        assert sorted(record.used for record in placements)[len(placements) // 2] > 5 * MS
        waited = own_waiting() - before + sum(record.spent.wait for record in placements) / MS
        extra.append((sum(record.used for record in placements) / MS - sum(took) - waited) / len(placements))
    assert min(extra) < 3


def test_a_bot_that_stops_in_time_is_safe_on_a_busy_machine(table: Table, busy_core: tuple[int]) -> None:
    """It stops 30 ms before its limit, and the grace takes what the load adds; overruns are on record."""
    limits = TimeControl(game=None, move=200, grace=50, start=10_000)
    result = table.play(table.odd("late", "0.17", "--at", "2", "--always"), time=limits, cores=busy_core)
    assert result.termination in (Termination.NORMAL, Termination.VOID), result.detail
    white = _whites(result.plies)
    assert max((record.used for record in white[1:]), default=200 * MS) > 165 * MS
    assert result.white.clock.worst == max((record.used for record in white), default=0)
