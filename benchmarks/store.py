"""Whether a tournament keeps its pace: many games that cost nothing themselves, and what is made of them.

    sh .ci/venv --dev python -m benchmarks.store [--games N] [--bots N]

The games are drawn up instead of played; everything else is as in a real run: the schedule, openings
made by chance, the database, the events. "CPU" is the time of this process on processors, its threads
included, since the time on the wall depends on the disk. Exit status 1 if the last hundred games cost
more than 1.5 times the first hundred, if memory grows by more than 1 kB a game, or if resuming takes
longer than a second.
"""

import argparse
import gc
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import trio

from arbiter.cli.result_line import result_line
from arbiter.match.bot import Bot
from arbiter.match.clock import ClockUse, Spent
from arbiter.match.game import BotReport, GameResult, GameSetup, Observer, PlyRecord, won_by
from arbiter.match.termination import Termination
from arbiter.rating.tally import Tally
from arbiter.store import League
from arbiter.store.drec import records
from arbiter.tournament import runner
from arbiter.tournament.agenda import Agenda
from arbiter.tournament.config import Tournament
from arbiter.tournament.events import Event, GameFinished
from arbiter.tournament.openings import OpeningsSpec, open_openings
from arbiter.tournament.outcomes import outcomes
from arbiter.tournament.play import settle
from arbiter.tournament.runner import Entry, Runner
from arbiter.tournament.standings import standings_of
from protocol.records import format_record
from protocol.rules import Score, Side

BATCH = 100
SLOWER = 1.5
GROWTH = 1024.0
RESUME = 1.0
_PLIES = ("A1B2", "C3D3", "E1E2", "H3H4", "K5K4", "B1B2", "D2E2", "F3G3", "G2G1", "J4J5")


class Stub:
    """Draws games up: some eighty plies that no other game has, with clocks and words of the bots."""

    def __init__(self) -> None:
        self._chance = random.Random(1)

    async def play(self, setup: GameSetup, observer: Observer | None = None, *_: object) -> GameResult:
        await trio.lowlevel.checkpoint()
        chance = self._chance
        plies = tuple(
            PlyRecord(chance.choice(_PLIES), 1_234_567, 4_000_000_000, Spent(1_234_567, 1_000_000, 5_400))
            for _ in range(84)
        )
        lead = chance.randrange(-20, 21)
        report = BotReport({"name": "stub"}, "", (), ClockUse(42, 50_000_000, 9_000_000, 0, 1_000))
        return GameResult(
            result=won_by(None if lead == 0 else Side.WHITE if lead > 0 else Side.BLACK),
            termination=Termination.NORMAL,
            offender=None,
            plies=plies,
            answer=None,
            score=Score(20 + max(lead, 0), 20 + max(-lead, 0)),
            final=setup.start.dpos,
            white=report,
            black=report,
            started_at="2026-11-29T21:10:03+00:00",
            seconds=1.0,
        )


class Pace:
    """Notes when games are over, and how much memory there is then."""

    def __init__(self) -> None:
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.memory: list[int] = []

    def watch(self, event: Event) -> None:
        if isinstance(event, GameFinished):
            self.cpu.append(time.process_time())
            self.wall.append(time.monotonic())
            if len(self.cpu) % 1000 == BATCH:
                self.memory.append(resident())

    def cost(self, times: list[float], first: int) -> float:
        """Milliseconds a game, over a batch from a game on."""
        return (times[first + BATCH - 1] - times[first]) * 1000 / (BATCH - 1)


def resident() -> int:
    """Bytes of memory in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def described(directory: Path, bots: int, games: int) -> Tournament:
    names = [f"bot{number}" for number in range(bots)]
    return Tournament(
        name="stub",
        path=directory / "stub.yaml",
        bots=tuple(Bot(name, ("true",), directory) for name in names),
        given=({},) * bots,
        rounds=-(-games // (bots * (bots - 1))),
        openings=OpeningsSpec("balanced"),
        concurrency=4,
    )


def play(tournament: Tournament, games: int, watch: Callable[[Event], None]) -> None:
    """All games, on the tournament's directory."""
    entries = {bot.name: Entry(bot, "hash") for bot in tournament.bots}
    with League.open_for_writing(tournament.path.parent) as league:
        plan = settle(tournament, 1, league)
        league.set_bots((bot.name, "hash", "true", None) for bot in tournament.bots)
        league.start_session("2026-11-29T21:10:03+00:00", "machine", "{}")
        playing = Runner(tournament, 1, plan.openings, entries, league, watch, games)
        with mock.patch.object(runner, "play_game", Stub().play):
            trio.run(playing.run)


@contextmanager
def timed(what: str) -> Iterator[list[float]]:
    """Print how long the block took, and give it to whoever asks."""
    gc.collect()
    began = time.perf_counter()
    taken: list[float] = []
    yield taken
    taken.append(time.perf_counter() - began)
    print(f"{what:<34}{taken[0]:8.2f} s", flush=True)


def resume(tournament: Tournament) -> float:
    """The seconds until a run would go on."""
    names = {bot.name for bot in tournament.bots}
    with (
        timed("resume: what is left to play") as taken,
        League.open_for_writing(tournament.path.parent) as league,
    ):
        settle(tournament, None, league)
        Agenda(tournament, names, league).next()
    return taken[0]


def make_use_of(tournament: Tournament) -> None:
    """What commands do with the games."""
    directory = tournament.path.parent
    with League.open_for_reading(directory) as league:
        with timed("resume: the view's standings"):
            Tally((), outcomes([league]))
        with timed("table and last line"):
            result_line(league, standings_of([league]))
        with timed("export as game records"):
            for record in records(league):
                format_record(record)
    with timed("the 1000th board by chance"):
        _ = open_openings(OpeningsSpec("balanced"), 1)[999]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=20_000, help="how many (default: 20,000)")
    parser.add_argument("--bots", type=int, default=20, help="of how many bots (default: 20)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        tournament = described(Path(place), options.bots, options.games)
        pace = Pace()
        play(tournament, options.games, pace.watch)
        last = len(pace.cpu) - BATCH
        print(f"{'ms a game':<20}{'CPU':>8}{'wall':>8}")
        for name, first in (("first hundred", 0), ("in the middle", last // 2), ("last hundred", last)):
            print(f"{name:<20}{pace.cost(pace.cpu, first):8.3f}{pace.cost(pace.wall, first):8.3f}")
        ratio = pace.cost(pace.cpu, last) / pace.cost(pace.cpu, 0)
        growth = (pace.memory[-1] - pace.memory[0]) / len(pace.cpu)
        print(f"last to first {ratio:.2f}, wanted at most {SLOWER}")
        print(f"memory {pace.memory[-1] >> 20} MB, {growth:.0f} bytes a game, wanted at most {GROWTH:.0f}")
        print(f"database {(Path(place) / 'league.db').stat().st_size / 2**20:.0f} MB\n")
        slow = resume(tournament) > RESUME
        make_use_of(tournament)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return int(ratio > SLOWER or growth > GROWTH or slow)


if __name__ == "__main__":
    sys.exit(main())
