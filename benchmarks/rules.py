"""How fast the rules core is: ``python -m benchmarks.rules`` from the root of the repository.

Processor time, median of several runs. A busy machine is slower at everything, so each figure also stands
beside a small loop of integer work (the floor), measured just before and after: the ratio travels, the figure
does not.
Nothing here passes or fails.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

from tabulate import tabulate

from protocol.rules import PASS, Position, parse_dpos, parse_ply, perft

DATA = Path(__file__).parent.parent / "tests" / "data" / "perft.jsonl"
RUNS = 7
FLOOR_STEPS = 200_000
MIDDLE = range(50, 71)
"""Plies played in what counts as mid-game: the first twenty stack moves or so."""


def floor() -> float:
    """Nanoseconds of one step of plain integer work on masks as large as a board."""
    started, mask = process_time(), 1
    for step in range(FLOOR_STEPS):
        mask = (mask << 1 ^ mask >> 13 ^ step) & 0xFFF_FFFF_FFFF_FFFF
    return (process_time() - started) / FLOOR_STEPS * 1e9


def measured(work: Callable[[], int]) -> tuple[float, float]:
    """Median nanoseconds of one unit of work, also in floor steps; ``work`` returns the units it did."""
    figures, ratios = [], []
    for _ in range(RUNS):
        before, started = floor(), process_time()
        units = work()
        figure = (process_time() - started) / units * 1e9
        figures.append(figure)
        ratios.append(2 * figure / (before + floor()))
    return median(figures), median(ratios)


def positions() -> list[tuple[Position, int]]:
    """The positions of the perft data that are not over, with the number of plies played."""
    found = []
    for line in DATA.read_text().splitlines():
        plies = json.loads(line)["moves"]
        position = Position.start()
        for text in plies:
            position = position.play(parse_ply(text))
        if not position.is_over:
            found.append((position, len(plies)))
    return found


def counting(position: Position, depth: int) -> Callable[[], int]:
    return lambda: perft(position, depth)


def listing(group: list[Position]) -> int:
    for position in group * 40:
        position.legal_plies()
    return 40 * len(group)


def playing(group: list[Position]) -> int:
    pairs = [(position, ply) for position in group for ply in position.legal_plies() if ply is not PASS]
    for position, ply in pairs * 4:
        position.play(ply)
    return 4 * len(pairs)


def reading(group: list[Position]) -> int:
    for position in group * 4:
        parse_dpos(position.dpos)
    return 4 * len(group)


def importing() -> int:
    """Milliseconds of importing the rules in a fresh interpreter, the interpreter's own start left out."""
    code = "from time import process_time as t; s = t(); import protocol.rules; print(t() - s)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True) for _ in range(RUNS)
    ]
    return round(median(float(run.stdout) for run in runs) * 1000)


def speed_row(name: str, work: Callable[[], int], target: str) -> list[str]:
    nanoseconds, ratio = measured(work)
    return [name, f"{1000 / nanoseconds:.2f} M nodes/s", target, f"{ratio:.1f}"]


def time_row(name: str, work: Callable[[], int], target: str) -> list[str]:
    nanoseconds, ratio = measured(work)
    return [name, f"{nanoseconds / 1000:.2f} µs", target, f"{ratio:.1f}"]


def main() -> None:
    """Print the table."""
    known = positions()
    full = [position for position, plies in known if plies == 49]
    middle = [(position, plies) for position, plies in known if plies in MIDDLE]
    boards = [position for position, _ in middle]
    rows = [speed_row(f"perft 3, full board {n}", counting(p, 3), ">= 1.5 M") for n, p in enumerate(full, 1)]
    rows += [
        speed_row(f"perft 3, ply {plies + 1} ({len(p.legal_plies())} legal)", counting(p, 3), ">= 1 M")
        for p, plies in middle
    ]
    rows += [
        time_row("legal_plies, full board", lambda: listing(full), "<= 6 µs"),
        time_row("legal_plies, mid-game", lambda: listing(boards), "<= 6 µs"),
        time_row("play, full board", lambda: playing(full), "<= 2 µs"),
        time_row("play, mid-game", lambda: playing(boards), "<= 2 µs"),
        time_row("dpos and back", lambda: reading(boards), ""),
        ["import protocol.rules", f"{importing()} ms", "< 50 ms", ""],
    ]
    print(tabulate(rows, headers=["what", "median", "target", "x floor"], disable_numparse=True))
    print(f"floor: {floor():.0f} ns a step; Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
