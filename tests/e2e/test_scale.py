"""Tournaments that are longer than anybody will wait for start as quickly as others, and stay small."""

import importlib
import importlib.util
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from arbiter.store import League
from tests.e2e.commands import quick, start, write_cup
from tests.sample_bots.referee import ran

SOURCE = Path(__file__).parents[2] / "benchmarks" / "store.py"
MILLION = 1_000_000


def benchmark() -> ModuleType:
    name = "store_benchmark"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, SOURCE)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def start_of(directory: Path, bots: int, rounds: int, *lines: str) -> tuple[float, int]:
    """The arbiter's seconds of processor time up to the first game, and its bytes of memory by its end."""
    entries = [quick(f"b{number}", "last" if number % 2 else "first") for number in range(bots)]
    write_cup(directory, "round-robin", entries, f"rounds: {rounds}", *lines)
    running = start(directory, "run", "cup.yaml", "--results", f"{bots}-{rounds}")
    with running:
        assert running.stdout is not None
        next(line for line in running.stdout if line.startswith("game 1 starts"))
        taken = ran(running.pid)
        next(line for line in running.stdout if " ends: " in line)
        status = Path(f"/proc/{running.pid}/status").read_text()
        running.kill()
    return taken, 1024 * int(re.search(r"VmHWM:\s*(\d+) kB", status)[1])  # type: ignore[index]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("bots", [2, 20])
def test_a_million_rounds_start_like_fifty(tmp_path: Path, bots: int) -> None:
    few, _ = start_of(tmp_path, bots, 50)
    many, memory = start_of(tmp_path, bots, MILLION)
    assert many < 1.5 * few + 0.5
    assert memory < 200 * 2**20


def test_a_million_rounds_are_gone_on_with_like_one(tmp_path: Path) -> None:
    start_of(tmp_path, 5, MILLION)
    write_cup(
        tmp_path, "round-robin", [quick(f"b{n}", "last" if n % 2 else "first") for n in range(6)],
        f"rounds: {2 * MILLION}",
    )  # fmt: skip
    running = start(tmp_path, "run", "cup.yaml", "--results", f"5-{MILLION}")
    with running:
        assert running.stdout is not None
        said = next(line for line in running.stdout if "were played before" in line)
        first = next(line for line in running.stdout if " starts: " in line)
        running.kill()
    assert re.match(rf"\d+ of {60 * MILLION:,} games were played before", said)
    assert f" of {60 * MILLION:,})" in first
    with League.open_for_reading(tmp_path / f"5-{MILLION}") as league:
        assert len(json.dumps(league.get("stages"))) < 2000


def test_many_games_keep_their_pace(tmp_path: Path) -> None:
    """A short run of benchmarks/store.py, with room for what else this machine does; again if that was much.

    What grew with the games played before would have grown five times and more.
    """
    store = benchmark()
    for attempt in range(3):
        # One at a time, since games that end together are stored together.
        tournament = replace(store.described(tmp_path / str(attempt), 8, 1000), concurrency=1)
        pace = store.Pace()
        store.play(tournament, 1000, pace.watch)
        assert len(pace.cpu) == 1000
        assert store.resident() - pace.memory[0] < 20 * 2**20
        assert store.resume(tournament) < 5
        batches = [pace.cost(pace.cpu, first) for first in range(0, 1000, store.BATCH)]
        if min(batches[-2:]) < 2 * min(batches[:2]):
            return
    pytest.fail(f"the last games cost more than the first ones: {batches}")
