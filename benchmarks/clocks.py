"""How exactly the clocks are kept: what plies are charged beside what they took by the bots' own clocks.

    sh .ci/venv --dev python -m benchmarks.clocks [--quick] [--rounds N] [--only PART,...]

The bot is ``clocks.c``. Its own clock runs from the return of the read() that brought ``go`` to the write()
of ``move``. What has to be charged is that time on the clock ``wall``; on ``fair`` and ``cpu`` it is the
processor time of a bot that only computes.

A busy machine makes all of this worse, so each row says how many cores were busy with something else
meanwhile; above 0.1 the row means little. With several rounds the median of each figure is shown. Exit
status 1 if a figure is not what is wanted.
"""

import argparse
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tabulate import tabulate

from arbiter.isolation.affinity import pinned, usable_cores
from arbiter.match.clock import CHARGING, ClockKind, TimeControl
from benchmarks.timed import MS, Batch, Ply, bot, compiled, load, machine, measure, percentile, setup
from protocol.rules import Side

AMPLE = 600_000
PLIES = 30
MOVE, GRACE = 50, 20
BURNERS = 4


@dataclass(frozen=True)
class Bench:
    """What all parts need: the bot, how much to play, and what was not as wanted."""

    program: str
    quick: bool
    rounds: int
    missed: list[str]

    def games(self, count: int) -> int:
        return max(1, count // 8) if self.quick else count

    def repeat(self, work: Callable[[], Sequence[float]]) -> list[float]:
        """The median of each figure over all rounds."""
        return [median(figures) for figures in zip(*(work() for _ in range(self.rounds)), strict=True)]

    def show(self, title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        print(f"{title}\n\n{tabulate(rows, headers=headers, disable_numparse=True)}\n", flush=True)

    def judge(self, what: str, *figures: tuple[float, float]) -> str:
        """Whether each figure is at most what is wanted."""
        if all(figure <= limit for figure, limit in figures):
            return "yes"
        self.missed.append(what)
        return "NO"


# Charges and own clocks


@dataclass(frozen=True)
class Scene:
    """Bots of one kind playing each other, so many games of so many at a time."""

    mode: str
    games: int
    concurrency: int
    clock: ClockKind
    burners: int
    p50: float
    p99: float
    """The most that is wanted, in microseconds."""

    @property
    def words(self) -> str:
        beside = f", {self.burners} busy loops" if self.burners else ""
        return f"{self.concurrency} at a time, {self.mode} 10 ms{beside}"


ANY = float("inf")
SCENES = (
    Scene("sleep", 32, 8, ClockKind.WALL, 0, 60, 1_000),
    Scene("sleep", 96, 32, ClockKind.WALL, 0, ANY, 3_000),
    *(
        Scene("spin", 6, concurrency, clock, BURNERS, ANY, p99)
        for concurrency in (1, 2)
        for clock, p99 in ((ClockKind.WALL, ANY), (ClockKind.FAIR, 1_000), (ClockKind.CPU, 200))
    ),
)


def charges(bench: Bench) -> None:
    """Parts 1 to 3: how far charges are from own clocks."""
    rows = []
    for scene in SCENES:
        plies, p50, p99, worst, cost, others = bench.repeat(lambda scene=scene: errors(bench, scene))  # type: ignore[misc]
        good = bench.judge(scene.words, (p50, scene.p50), (p99, scene.p99))
        wanted = "/".join("any" if limit == ANY else f"{limit:.0f}" for limit in (scene.p50, scene.p99))
        figures = [f"{figure:.0f}" for figure in (plies, p50, p99, worst)]
        rows.append([scene.words, str(scene.clock), *figures, wanted, good, f"{cost:.2f}", f"{others:.2f}"])
    headers = ("games", "clock", "plies", "p50 µs", "p99 µs", "max µs", "wanted", "", "CPU ms/ply", "others")
    bench.show("|charge - own clock|", headers, rows)


def errors(bench: Bench, scene: Scene) -> tuple[float, ...]:
    player = bot(bench.program, scene.mode, "10", f"{PLIES}")
    control = TimeControl(game=AMPLE, clock=scene.clock)
    count = max(scene.concurrency, bench.games(scene.games))
    setups = [setup(player, player, control, seed) for seed in range(count)]
    with load(bench.program, scene.burners):
        batch = measure(setups, scene.concurrency)
    off = [abs(ply.charge - owed(ply, scene.clock)) / 1_000 for ply in batch.plies]
    return len(off), median(off), percentile(off, 0.99), max(off), batch.cost, batch.others


def owed(ply: Ply, clock: ClockKind) -> int:
    return ply.elapsed if clock is ClockKind.WALL else ply.cpu


# Around the limit


def edge(bench: Bench) -> None:
    """Part 4: bots that answer at their limit and a little later."""
    rows = []
    limit = MOVE + GRACE
    for clock in (ClockKind.WALL, ClockKind.FAIR):
        control = TimeControl(game=None, move=MOVE, grace=GRACE, clock=clock)
        for late in (-1.0, 0.0, 0.1, 0.2, 0.3):
            white = bot(bench.program, "hit", f"{limit + late}", "1")
            black = bot(bench.program, "sleep", "0", "0")
            batch = measure([setup(white, black, control)] * bench.games(12 * bench.rounds))
            counts, others = ended(batch), f"{batch.others:.2f}"
            share = counts["timeout"] / counts.total()
            good = share <= 0 if late < 0 else late < 0.1 or share >= 0.95
            if not good:
                bench.missed.append(f"edge {clock} {late:+.1f} ms")
            words = [f"{counts[word]}" for word in ("in time", "timeout", "void")]
            rows.append([f"{late:+.1f} ms", str(clock), *words, "yes" if good else "NO", others])
    headers = ("answer", "clock", "in time", "timeout", "void", "", "others")
    title = f"Answers around the limit of {MOVE} + {GRACE} ms: from 0.1 ms on 95 % timeout, none before it"
    bench.show(title, headers, rows)


def ended(batch: Batch) -> Counter[str]:
    """How the games ended; one that went on until a bot resigned as planned was in time."""
    over = {"resign": "in time", "normal": "in time"}
    return Counter(over.get(game.termination, game.termination) for game in batch.games)


def starved(bench: Bench) -> None:
    """Part 5: a bot that needs a quarter of its limit, beside busy loops on its core."""
    rows = []
    core = usable_cores()[-1:]
    for where, arbiter in (("elsewhere", ()), ("there too", core)):
        for clock in CHARGING:
            control = TimeControl(game=None, move=20, grace=0, clock=clock)
            player = bot(bench.program, "spin", "5", "12")
            setups = [setup(player, player, control, cores=core)] * bench.games(5 * bench.rounds)
            with load(bench.program, BURNERS, core), pinned(arbiter):
                counts = ended(measure(setups))
            voids = 0 if clock is ClockKind.WALL else counts["void"]
            good = bench.judge(f"starved {clock}, arbiter {where}", (counts["timeout"] + voids, 0))
            words = [f"{counts[word]}" for word in ("in time", "timeout", "void")]
            rows.append([where, str(clock), *words, good])
    title = (
        f"Bots that compute 5 ms at move 20 ms, with {BURNERS} busy loops on the same core: no timeout,"
        " and no void game where waiting is not charged"
    )
    bench.show(title, ("arbiter", "clock", "in time", "timeout", "void", ""), rows)


# Output


def pouring(bench: Bench) -> None:
    """Part 6: how long it takes to write 7.9 MiB in one's own turn."""
    rows = []
    pourer, other = bot(bench.program, "pour", "0", "1"), bot(bench.program, "sleep", "0", "0")
    game = setup(pourer, other, TimeControl(game=AMPLE))
    for burners in (0, BURNERS):
        with load(bench.program, burners):
            batches = [measure([game]) for _ in range(bench.rounds)]
        seconds = [ply.elapsed / 1e9 for batch in batches for ply in batch.plies]
        endings = ", ".join({game.detail or game.termination for batch in batches for game in batch.games})
        shown = f"{median(seconds):.2f} s" if seconds else "-"
        others = median(batch.others for batch in batches)
        rows.append([f"{burners} busy loops", shown, endings, f"{others:.2f}"])
    bench.show("7.9 MiB of long info lines before an answer", ("beside", "takes", "ended", "others"), rows)


def chatter(bench: Bench) -> None:
    """Part 6: what a bot's many lines cost its opponent, when they come right before its answer."""
    quiet, *_ = bench.repeat(lambda: late_reading(bench, bot(bench.program, "sleep", "0", f"{PLIES}")))
    rows = [["nothing", f"{quiet:.0f}", "", "", "", ""]]
    for ms in (28, 29, 30):
        talker = bot(bench.program, "chatter", f"{ms}", f"{PLIES}")
        p50, worst, others = bench.repeat(lambda talker=talker: late_reading(bench, talker))  # type: ignore[misc]
        extra = p50 - quiet
        good = bench.judge(f"chatter {ms}", (extra, 200))
        figures = [f"{figure:.0f}" for figure in (p50, worst, extra)]
        rows.append([f"4,000 lines after {ms} ms", *figures, good, f"{others:.2f}"])
    headers = ("opponent writes", "p50 µs", "max µs", "extra µs", "", "others")
    bench.show("charge - own clock of a bot that sleeps 30 ms: at most 200 µs extra", headers, rows)


def late_reading(bench: Bench, talker: object) -> tuple[float, ...]:
    sleeper = bot(bench.program, "sleep", "30", f"{PLIES}")
    setups = [
        setup(talker, sleeper, TimeControl(game=AMPLE), seed)  # type: ignore[arg-type]
        for seed in range(bench.games(4))
    ]
    batch = measure(setups)
    off = [(ply.charge - ply.elapsed) / 1_000 for ply in batch.plies if ply.side is Side.BLACK]
    return (median(off), max(off), batch.others) if off else (float("nan"),) * 3


# A machine that sleeps


def asleep(bench: Bench) -> None:
    """Part 7: arbiter and bots are stopped for a while and do not know it."""
    rows = []
    sleeper = bot(bench.program, "sleep", "10", f"{PLIES}")
    control = TimeControl(game=10_000, move=1_000)
    setups = [setup(sleeper, sleeper, control, seed) for seed in range(32)]
    for seconds in (0.0, 0.7, 3.0):
        batch = measure(setups, 8, lambda pid, _, seconds=seconds: stop(pid, seconds))  # type: ignore[misc]
        counts = ended(batch)
        worst = max(charge for game in batch.games for charge in game.charges) / MS
        good = bench.judge(f"asleep {seconds}", (worst, 100), (counts["timeout"], 0))
        words = [f"{counts[word]}" for word in ("in time", "timeout", "void")]
        rows.append([f"{seconds} s", *words, f"{worst:.1f}", good, f"{batch.others:.2f}"])
    headers = ("stopped for", "in time", "timeout", "void", "worst charge ms", "", "others")
    title = "Everything is stopped once, 8 games at a time, bots that sleep 10 ms: nothing may be charged"
    bench.show(title, headers, rows)


def stop(arbiter: int, seconds: float) -> None:
    """Stop the arbiter and its bots in the middle of their games, the arbiter first each time."""
    time.sleep(1.2)
    if not seconds:
        return
    pids = list(family(arbiter))
    for pause, number in ((seconds, signal.SIGSTOP), (0.0, signal.SIGCONT)):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        time.sleep(pause)


def family(pid: int) -> Iterator[int]:
    """A process and all its descendants."""
    yield pid
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in listing.read_text().split():
                yield from family(int(child))


PARTS: dict[str, Callable[[Bench], None]] = {
    "charges": charges,
    "edge": edge,
    "starved": starved,
    "pouring": pouring,
    "chatter": chatter,
    "asleep": asleep,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="only see that it works")
    parser.add_argument("--rounds", type=int, default=1, help="of which medians are shown (default: 1)")
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}")
    options = parser.parse_args()
    print(f"{machine()}\n")
    with tempfile.TemporaryDirectory() as directory:
        program = compiled(Path(__file__).with_suffix(".c"), Path(directory))
        bench = Bench(program, options.quick, options.rounds, [])
        for name in options.only.split(","):
            PARTS[name](bench)
    print(f"not as wanted: {'; '.join(bench.missed) or 'nothing'}")
    return bool(bench.missed)


if __name__ == "__main__":
    raise SystemExit(main())
