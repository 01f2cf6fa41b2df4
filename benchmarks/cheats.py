"""What bots gain that cheat their clock: time that is forgiven beside an honest bot, and games that are void.

    sh .ci/venv --dev python -m benchmarks.cheats [--games N] [--attacks NAME,...] [--clocks wall,...]
        [--levels none,...] [--concurrency 1,2] [--over MS]

The attacks are those of ``tests/bots/timecheat.c``. White attacks: it thinks 20 ms in each of five turns, in
the sixth longer than its limit, and resigns. Black is honest and thinks 5 ms. In each game the columns show:

- forgiven: what White's plies took by its own account less what they were charged, in ms a game: elapsed
  time, on the clock ``cpu`` the CPU time of all that worked for it. Beside it that of the honest bot;
- too long: what became of White's last ply;
- Black: what its plies were charged past the CPU time that it took for them, the median in ms, and in how
  many games it failed.

``refused`` marks an attack, or a part of it, that the isolation level does not let happen.
"""

import argparse
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median

from tabulate import tabulate

from arbiter.isolation.levels import look_at
from arbiter.isolation.sandbox import Level
from arbiter.match.clock import CHARGING, ClockKind, TimeControl
from benchmarks.timed import MS, ROOT, Batch, Ply, bot, compiled, machine, measure, setup
from protocol.rules import Side

SOURCE = ROOT / "tests" / "bots" / "timecheat.c"
HONEST = "honest"
THINK, PLIES = 20, 6
MOVE, GRACE = 60, 20
HEADERS = (
    "attack", "clock", "level", "at a time", "forgiven", "honest", "in time", "void", "timeout", "other",
    "Black ms", "failed", "others", "",
)  # fmt: skip


@dataclass(frozen=True)
class Where:
    """One setting in which an attack is tried."""

    level: Level
    concurrency: int
    clock: ClockKind


def attacks_of(program: str) -> list[str]:
    """Their names, as the program itself lists them."""
    return subprocess.run([program], capture_output=True, text=True, check=False).stdout.split()


def tried(program: str, attack: str, where: Where, games: int, over: int) -> Batch:
    control = TimeControl(game=None, move=MOVE, grace=GRACE, clock=where.clock)
    late = MOVE + GRACE + over
    white = bot(program, attack, f"{THINK}", f"{PLIES}", f"{late}", level=where.level)
    black = bot(program, HONEST, "5", "64", "5", level=where.level)
    return measure([setup(white, black, control, seed) for seed in range(games)], where.concurrency)


def forgiven(batch: Batch, clock: ClockKind) -> float:
    """Milliseconds a game that White was not charged."""
    plies = [ply for ply in batch.plies if ply.side is Side.WHITE]
    return sum(took(ply, clock) - ply.charge for ply in plies) / MS / len(batch.games)


def took(ply: Ply, clock: ClockKind) -> int:
    return ply.cpu if clock is ClockKind.CPU else ply.elapsed


def row(attack: str, where: Where, batch: Batch, honest: float) -> list[str]:
    failures = [game for game in batch.games if game.offender is Side.BLACK and game.termination != "resign"]
    ends = Counter(game.termination for game in batch.games if game not in failures)
    in_time = ends["resign"] + ends["normal"]
    other = ends.total() - in_time - ends["void"] - ends["timeout"]
    extra = [(ply.charge - ply.cpu) / MS for ply in batch.plies if ply.side is Side.BLACK]
    counts = (in_time, ends["void"], ends["timeout"], other)
    return [
        attack, f"{where.clock}", f"{where.level}", f"{where.concurrency}",
        f"{forgiven(batch, where.clock):.1f}", f"{honest:.1f}", *map(str, counts),
        f"{median(extra):.2f}" if extra else "-", f"{len(failures)}", f"{batch.others:.2f}",
        "refused" if any(game.was_refused for game in batch.games) else "",
    ]  # fmt: skip


def rows(program: str, attacks: Sequence[str], where: Where, games: int, over: int) -> Iterator[list[str]]:
    """The honest bot and then every attack, in one setting."""
    batch = tried(program, HONEST, where, games, over)
    honest = forgiven(batch, where.clock)
    yield row(HONEST, where, batch, honest)
    for attack in attacks:
        yield row(attack, where, tried(program, attack, where, games, over), honest)


def main() -> None:
    levels = [level for level in Level if look_at(level).works]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=10, help="of each attack (default: 10)")
    parser.add_argument("--attacks", help="some of them (default: all)")
    parser.add_argument("--clocks", default=",".join(CHARGING))
    parser.add_argument("--levels", default=",".join(levels))
    parser.add_argument("--concurrency", default="1,2")
    parser.add_argument("--over", type=int, default=300, help="ms past the limit, last (default: 300)")
    options = parser.parse_args()
    print(f"{machine()}\n", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        program = compiled(SOURCE, Path(directory))
        known = [attack for attack in attacks_of(program) if attack != HONEST]
        attacks = options.attacks.split(",") if options.attacks else known
        if unknown := set(attacks) - set(known):
            parser.error(f"no attack: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
        wanted = product(options.levels.split(","), options.concurrency.split(","), options.clocks.split(","))
        for level, concurrency, clock in wanted:
            where = Where(Level(level), int(concurrency), ClockKind(clock))
            table = list(rows(program, attacks, where, options.games, options.over))
            print(f"{tabulate(table, headers=HEADERS, disable_numparse=True)}\n", flush=True)


if __name__ == "__main__":
    main()
