"""What a ply costs: two bots in C that answer at once, on one core, beside loops that do nothing but pass on.

    sh .ci/venv --dev python -m benchmarks.ply [--rounds N] [--profile]

The kinds take turns in each round, and ratios are made within a round, so that a change of the machine's mood
meets all alike; shown are medians. All is on one core, so the time is that of everything that is done.

- pipes: two programs in C that send a line to and fro; a ply is one there and back;
- trio: the least that a referee can do. A task for each bot reads its line and writes it on to the other;
- lean: games of bots that want neither legal plies nor boards, with rules, records and the database;
- full: the same with legal plies and boards sent to the bots.
"""

import argparse
import cProfile
import os
import pstats
import random
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from statistics import median

import trio
from tabulate import tabulate

from arbiter.isolation.affinity import usable_cores
from arbiter.isolation.tree import become_subreaper
from arbiter.match.clock import TimeControl
from arbiter.match.game import Competitor, GameSetup, PlyRecord
from benchmarks.timed import bot, compiled, machine, play_game
from protocol.rules import Position

HOPS = 2_000
GAMES = 10
WANTED = {"lean": 3.5, "full": 5.0}
FEATURES = {"lean": "nolegal noboard", "full": ""}


@cache
def script(seed: int) -> tuple[str, ...]:
    """A game by chance, from the empty board to the end."""
    chance, position, plies = random.Random(seed), Position.start(), []
    while not position.is_over:
        plies.append(chance.choice(position.legal_plies()))
        position = position.play(plies[-1])
    return tuple(ply.text for ply in plies)


def pipes(program: str) -> float:
    """Microseconds of a line there and back between two programs, without anything between them."""
    there, back = os.pipe(), os.pipe()
    with (
        subprocess.Popen([program, "relay"], stdin=there[0], stdout=back[1]),
        subprocess.Popen(
            [program, "first", f"{HOPS}"], stdin=back[0], stdout=there[1], stderr=subprocess.PIPE
        ) as first,
    ):
        for descriptor in (*there, *back):
            os.close(descriptor)
        assert first.stderr is not None
        return int(first.stderr.read()) / 1_000 / HOPS


def bare_loop(program: str) -> float:
    """Microseconds of a ply where nothing is judged."""
    return trio.run(_bare_loop, program)


def _relay(program: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([program, "relay"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


async def _bare_loop(program: str) -> float:
    bots = [_relay(program) for _ in range(2)]
    pipes = []
    for process in bots:
        assert process.stdin is not None
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        pipes.append((process.stdin.fileno(), process.stdout.fileno()))
    left = HOPS

    async def pass_on(source: int, target: int, scope: trio.CancelScope) -> None:
        nonlocal left
        while left > 0:
            await trio.lowlevel.wait_readable(source)
            data = os.read(source, 4_096)
            left -= 1
            os.write(target, data)
        scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pass_on, pipes[0][1], pipes[1][0], nursery.cancel_scope)
        nursery.start_soon(pass_on, pipes[1][1], pipes[0][0], nursery.cancel_scope)
        began = time.perf_counter()
        os.write(pipes[0][0], b"move A1B1\n")
    taken = time.perf_counter() - began
    for process in bots:
        process.communicate()
    return taken * 1e6 / HOPS


def games(program: str, features: str, profile: cProfile.Profile | None = None) -> float:
    """Microseconds of a ply in games, from the first to the last ply."""
    return trio.run(_games, program, features, profile)


async def _games(program: str, features: str, profile: cProfile.Profile | None) -> float:
    taken, count = 0.0, 0
    for seed in range(GAMES):
        plies = script(seed)
        stamps: list[float] = []
        await play_game(setup(program, plies, features), partial(_note, stamps, profile, len(plies)), None)
        assert len(stamps) == len(plies)
        taken += stamps[-1] - stamps[0]
        count += len(stamps) - 1
    return taken * 1e6 / count


def _note(
    stamps: list[float], profile: cProfile.Profile | None, count: int, record: PlyRecord, position: Position
) -> None:
    stamps.append(time.perf_counter())
    if profile is not None and len(stamps) == 1:
        profile.enable()
    if profile is not None and len(stamps) == count:
        profile.disable()


def setup(program: str, plies: tuple[str, ...], features: str) -> GameSetup:
    player = bot(program, "script", " ".join(f"{ply:<4}" for ply in plies), features)
    competitor = Competitor(player, TimeControl(game=600_000))
    return GameSetup(competitor, competitor, Position.start(), quit_grace=1.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=7, help="of which medians are shown (default: 7)")
    parser.add_argument("--profile", choices=tuple(WANTED), help="show where the time goes instead")
    options = parser.parse_args()
    become_subreaper()
    os.sched_setaffinity(0, usable_cores()[-1:])
    with tempfile.TemporaryDirectory() as directory:
        program = compiled(Path(__file__).with_suffix(".c"), Path(directory))
        kinds: dict[str, Callable[[], float]] = {
            "pipes": partial(pipes, program),
            "trio": partial(bare_loop, program),
            **{name: partial(games, program, features) for name, features in FEATURES.items()},
        }
        if options.profile:
            return show_profile(program, FEATURES[options.profile])
        return compare(kinds, options.rounds)


def show_profile(program: str, features: str) -> int:
    games(program, features)
    profile = cProfile.Profile()
    games(program, features, profile)
    pstats.Stats(profile).sort_stats("tottime").print_stats(45)
    return 0


def compare(kinds: dict[str, Callable[[], float]], rounds: int) -> int:
    print(f"{machine()}\n")
    for measure in kinds.values():
        measure()
    taken = [{name: measure() for name, measure in kinds.items()} for _ in range(rounds)]
    rows, is_slow = [], False
    for name in kinds:
        ratio = median(each[name] / each["trio"] for each in taken)
        wanted = WANTED.get(name)
        is_slow |= wanted is not None and ratio > wanted
        rows.append([name, median(each[name] for each in taken), ratio, wanted])
    headers = ("", "µs a ply", "x trio", "wanted at most")
    print(tabulate(rows, headers=headers, floatfmt=("", ".1f", ".2f", ".1f"), missingval=""))
    return int(is_slow)


if __name__ == "__main__":
    raise SystemExit(main())
