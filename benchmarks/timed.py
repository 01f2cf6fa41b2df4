"""Short games between bots in C that keep a clock of their own; what `clocks` and `cheats` share.

The bots include ``tests/bots/dvp.h``: they play first legal plies from a full board, resign after as many
as they are told to, and report at the end what each ply took them.
"""

import ctypes
import math
import os
import random
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import trio

from arbiter.isolation.sandbox import Level, Sandbox
from arbiter.isolation.tree import become_subreaper
from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl
from arbiter.match.game import Competitor, GameResult, GameSetup
from protocol.rules import Position, Side

MS = 1_000_000
_PR_SET_PDEATHSIG = 1
ROOT = Path(__file__).parent.parent
_DRIVER = "driver" if find_spec("arbiter.match.driver") else "referee"
play_game: Callable[..., Any] = import_module(f"arbiter.match.{_DRIVER}").play_game


def compiled(source: Path, directory: Path) -> str:
    """The program made of a C file, where bots of other users can read it, too."""
    directory.chmod(0o755)
    program = directory / source.stem
    subprocess.run(["cc", "-O2", "-Wall", "-pthread", "-o", program, source, "-lm"], check=True)
    return str(program)


@cache
def full_board(seed: int) -> Position:
    """A board on which all pieces are placed, so that a game is short."""
    chance, position = random.Random(seed), Position.start()
    for _ in range(49):
        position = position.play(chance.choice(position.legal_plies()))
    return position


def bot(*argv: str, level: Level = Level.NONE) -> Bot:
    return Bot(argv[1], argv, Path(argv[0]).parent, sandbox=Sandbox(level))


def setup(white: Bot, black: Bot, time: TimeControl, seed: int = 1, cores: Sequence[int] = ()) -> GameSetup:
    return GameSetup(
        Competitor(white, time), Competitor(black, time), full_board(seed), cores=tuple(cores), quit_grace=1.0
    )


@dataclass(frozen=True)
class Ply:
    """What a ply was charged and what it took by the bot's own clocks, in ns."""

    side: Side
    charge: int
    elapsed: int
    cpu: int


@dataclass(frozen=True)
class Game:
    """One game as far as it matters here; without plies of a bot that was killed before it could report."""

    termination: str
    offender: Side | None
    detail: str
    plies: tuple[Ply, ...]
    charges: tuple[int, ...]
    was_refused: bool = False
    """Whether a bot said that the system did not let it do something."""


@dataclass(frozen=True)
class Batch:
    """Games played, CPU seconds of the arbiter for them, and how many cores were busy with anything else."""

    games: list[Game]
    arbiter_cpu: float
    others: float = 0.0

    @property
    def plies(self) -> list[Ply]:
        return [ply for game in self.games for ply in game.plies]

    @property
    def cost(self) -> float:
        """Milliseconds of CPU time that the arbiter took for a ply, starting and ending games included."""
        return self.arbiter_cpu * 1000 / max(1, sum(len(game.charges) for game in self.games))


def condensed(result: GameResult) -> Game:
    own = {Side.WHITE: owns(result.white.stderr), Side.BLACK: owns(result.black.stderr)}
    plies = []
    for index, record in enumerate(result.plies):
        side = list(Side)[index % 2]
        told, at_once = own[side], record.info
        if "x-took" in at_once:
            plies.append(Ply(side, record.used, int(at_once["x-took"]), int(at_once["x-cpu"])))
        elif index // 2 < len(told):
            plies.append(Ply(side, record.used, *told[index // 2]))
    charges = tuple(record.used for record in result.plies)
    was_refused = any("x-refused" in record.info for record in result.plies)
    return Game(str(result.termination), result.offender, result.detail, tuple(plies), charges, was_refused)


def owns(stderr: str) -> list[tuple[int, int]]:
    """Elapsed and CPU ns of each ply, as a bot reports them."""
    lines = [line.split() for line in stderr.splitlines() if line.startswith("own ")]
    return [(int(elapsed), int(cpu)) for _, elapsed, cpu in lines]


def play(setups: Sequence[GameSetup], concurrency: int) -> Batch:
    """Play all games, so many at a time; to be called in a process of its own."""
    become_subreaper()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
    games: list[Game] = []
    began = time.process_time()

    async def play_all() -> None:
        waiting = iter(setups)
        async with trio.open_nursery() as nursery:
            for _ in range(concurrency):
                nursery.start_soon(play_next, waiting)

    async def play_next(waiting: Iterator[GameSetup]) -> None:
        for each in waiting:
            games.append(condensed(await play_game(each, None, None)))

    trio.run(play_all)
    return Batch(games, time.process_time() - began)


def measure(
    setups: Sequence[GameSetup],
    concurrency: int = 1,
    meanwhile: Callable[[int, "Future[Batch]"], None] | None = None,
) -> Batch:
    """Play in a process of its own; ``meanwhile`` is called with its number and the batch to come."""
    began, busy, own = time.monotonic(), _busy(), _own()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        arbiter = pool.submit(os.getpid).result()
        future = pool.submit(play, setups, concurrency)
        if meanwhile is not None:
            meanwhile(arbiter, future)
        batch = future.result()
    others = (_busy() - busy - (_own() - own)) / (time.monotonic() - began)
    return Batch(batch.games, batch.arbiter_cpu, max(0.0, others))


def _own() -> float:
    """CPU seconds of this process, of all that it has seen end, and of the load that it makes."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    burnt = sum(int(Path(f"/proc/{burner.pid}/schedstat").read_text().split()[0]) for burner in _burners)
    return sum(usage.ru_utime + usage.ru_stime for usage in usages) + burnt / 1e9


def _busy() -> float:
    """CPU seconds that the whole machine was busy; with what its host took from it."""
    fields = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    idle = fields[3] + fields[4]
    return (sum(fields[:8]) - idle) / os.sysconf("SC_CLK_TCK")


@contextmanager
def load(program: str, count: int, cores: Sequence[int] = ()) -> Iterator[None]:
    """Processes that never rest, each in a session of its own, since a scheduler may share by session."""
    try:
        for _ in range(count):
            _burners.append(subprocess.Popen([program, "burn"], start_new_session=True))
            if cores:
                os.sched_setaffinity(_burners[-1].pid, cores)
        time.sleep(0.2)
        yield
    finally:
        while _burners:
            with _burners.pop() as burner:
                burner.kill()


_burners: list[subprocess.Popen[bytes]] = []


def percentile(values: Sequence[float], share: float) -> float:
    """The least value that at most this share of all are above; nan of none."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))] if ranked else math.nan


def machine() -> str:
    """Where and on what this was measured."""
    model = next(
        (
            line.partition(": ")[2]
            for line in Path("/proc/cpuinfo").read_text().split("\n")
            if "model name" in line
        ),
        "unknown processor",
    )
    load_now = " ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} cores of {model}, {os.uname().release}, load {load_now}"
