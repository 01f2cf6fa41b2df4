"""What it costs to start a bot at each isolation level: medians, and ratios to starting Python alone.

    sh .ci/venv --dev python -m benchmarks.start [--rounds N]

The floor is ``sys.executable -ISB -c pass``. The kinds take turns, so that a change of the
machine's mood meets all alike.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from arbiter.isolation import tree
from arbiter.isolation.launch import launch
from arbiter.isolation.levels import look_at
from arbiter.isolation.sandbox import Level, Sandbox

WANTED = {Level.LIMITS: 2.0, Level.JAIL: 4.0}


def start_python() -> None:
    subprocess.run([sys.executable, "-ISB", "-c", "pass"], check=True, stdin=subprocess.DEVNULL)


def start_program(level: Level) -> None:
    """From the order to start until the program has run and ended; taking its sandbox away is not counted."""
    program = launch(["true"], Path("/usr"), {}, Sandbox(level), stdin=subprocess.DEVNULL)
    status = program.process.wait()
    assert status == 0, program.trouble()
    _clearing.append(program.abandon)
    for pipe in (program.process.stdout, program.process.stderr):
        assert pipe is not None
        pipe.close()


_clearing: list[Callable[[], None]] = []


def measure(rounds: int) -> dict[str, float]:
    """Median milliseconds of each kind."""
    kinds: dict[str, Callable[[], None]] = {"python": start_python}
    for level in Level:
        if look_at(level).works:
            kinds[str(level)] = lambda level=level: start_program(level)  # type: ignore[misc]
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, start in kinds.items():
            began = time.perf_counter()
            start()
            taken[name].append((time.perf_counter() - began) * 1000)
            while _clearing:
                _clearing.pop()()
    return {name: statistics.median(times) for name, times in taken.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=40)
    tree.become_subreaper()
    medians = measure(parser.parse_args().rounds)
    floor = medians["python"]
    slow = False
    for name, median in medians.items():
        limit = WANTED.get(Level(name)) if name in set(Level) else None
        slow |= limit is not None and median > limit * floor
        wanted = f", wanted at most {limit:.0f}" if limit else ""
        print(f"{name:>7}  {median:6.1f} ms  {median / floor:5.2f} x{wanted}")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return int(slow)


if __name__ == "__main__":
    raise SystemExit(main())
