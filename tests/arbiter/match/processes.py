"""Programs that are none, for the driver: a test writes for them, ends them, and sees what became of them.

The time is that of trio's mock clock, so nothing here takes any.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from types import SimpleNamespace

import pytest
import trio

from arbiter.isolation.launch import StartError
from arbiter.match import driver
from arbiter.match.actions import End
from arbiter.match.bot import Bot
from arbiter.match.driver import Table
from arbiter.match.game import GameSetup
from arbiter.match.headtail import HeadTail
from arbiter.match.meter import Counters
from arbiter.match.process import exit_fault
from arbiter.match.referee import Referee
from arbiter.match.ticker import Ticked
from arbiter.match.transcript import Transcript
from protocol.rules import Side

MS = 1_000_000
BITE = 4_096


def now() -> int:
    return round(trio.current_time() * 1e9)


class FakeProcess:
    """Stands for a `BotProcess`; a class of its own for each test, which has those that were started."""

    started: dict[str, "FakeProcess"]
    missing: set[str]

    def __init__(self, bot: Bot, cores: Sequence[int] = (), overhear: object = None) -> None:
        if bot.name in self.missing:
            raise StartError(f"{bot.name}: no such file")
        self.started[bot.name] = self
        self.spawned_at = now()
        self.meter = self
        self.counters = Counters()
        self.looks: list[bool] = []
        self.takes = 0
        self.ticks: list[bool] = []
        self.transcript = Transcript(now())
        self.stderr = HeadTail()
        self.turn_stderr_bytes = 0
        self.applied = SimpleNamespace(means=())
        self.output_ended = self.has_unsent = self.is_dry = False
        self.heard = b""
        self.pipe = b""
        self.is_pipe_closed = False
        self.status: int | None = None
        self.reaped: int | None = None
        self.is_input_closed = self.is_killed = False
        self.is_open = True
        self.output = len(self.started)
        self.signals: list[str] = []
        self.when_empty: Callable[[], None] = lambda: None
        """What happens right after it was found that there is nothing to read."""
        self._changed = trio.Event()

    # What a test does.

    def says(self, text: str | bytes) -> None:
        self.pipe += text.encode() + b"\n" if isinstance(text, str) else text
        self._change()

    def closes(self) -> None:
        self.is_pipe_closed = True
        self._change()

    def exits(self, status: int = 0, *, holds_pipe: bool = False) -> None:
        """It ends; a child of its own may hold its output open."""
        self.status = status
        self.is_pipe_closed = not holds_pipe
        self._change()

    def _change(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    @property
    def lines(self) -> list[str]:
        return self.heard.decode().splitlines()

    # What the driver does.

    def read(self, *, is_overdue: bool = False) -> Counters:
        self.looks.append(is_overdue)
        return self.counters

    def read_resting(self) -> Counters:
        return self.read()

    def tick(self, *, is_thinking: bool) -> int:
        self.ticks.append(is_thinking)
        return self.counters.cpu

    def write(self, data: bytes) -> int:
        self.heard += data
        return now()

    async def send_rest(self) -> None:
        raise AssertionError("all was sent")

    async def wait_readable(self) -> None:
        await trio.lowlevel.checkpoint()
        while not (self.pipe or self.is_pipe_closed):
            if not self.is_open:
                raise trio.ClosedResourceError
            await self._changed.wait()

    def take(self) -> tuple[bytes, int] | None:
        self.takes += 1
        if self.output_ended:
            return None
        data, self.pipe = self.pipe[:BITE], self.pipe[BITE:]
        if data:
            return data, now()
        if self.is_pipe_closed:
            self.output_ended = True
        else:
            self.when_empty()
        return None

    async def read_stderr(self) -> None:
        """It has none."""

    async def wait(self) -> None:
        while self.status is None:
            await self._changed.wait()
        self.reaped = self.status

    async def watch_limits(self) -> None:
        await trio.sleep_forever()

    def look_for_exit(self) -> bool:
        self.reaped = self.status
        return self.reaped is not None

    def end(self) -> End | None:
        if self.reaped is None and not self.output_ended:
            return None
        return End(exit_fault(self.reaped), has_exited=self.reaped is not None)

    def suspend(self) -> None:
        self.signals.append("stop")

    def resume(self) -> None:
        self.signals.append("continue")

    def close_input(self) -> None:
        self.is_input_closed = True

    async def wait_exit(self, seconds: float) -> bool:
        with trio.move_on_after(seconds):
            await self.wait()
        return self.status is not None

    async def kill(self) -> None:
        self.status = -9 if self.status is None else self.status
        self.is_killed = True
        self._change()

    def close(self) -> None:
        assert self.is_killed
        self.is_open = False
        self.output_ended = True
        self._change()


class FakeTicker:
    """Measures nothing; a test ticks."""

    def __init__(self) -> None:
        self.stall = 0
        self.watched: list[int] = []
        self.known_empty: set[int] = set()

    def watch(self, descriptor: int) -> None:
        self.watched.append(descriptor)

    def unwatch(self, descriptor: int) -> None:
        self.watched.remove(descriptor)

    def look(self) -> None:
        """Nothing has arrived."""

    def may_hold(self, descriptor: int) -> bool:
        """It does not know, unless the test does."""
        return descriptor not in self.known_empty

    def found_empty(self, descriptor: int) -> None:
        """Nor does it keep that."""

    def lag(self, descriptor: int, stamp: int) -> int:
        assert descriptor in self.watched
        return 0

    def stalled(self) -> int:
        return self.stall


class World:
    """Fake programs, and tables for them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        class Process(FakeProcess):
            started: dict[str, FakeProcess] = {}  # noqa: RUF012 (one class for each test)
            missing: set[str] = set()  # noqa: RUF012

        self.processes = Process
        self.ticker = FakeTicker()
        patch.setattr(driver, "BotProcess", Process)
        patch.setattr(driver, "time", SimpleNamespace(monotonic_ns=now, monotonic=trio.current_time))
        patch.setattr(driver, "ticking", self._ticking)

    @contextmanager
    def _ticking(self, listener: Ticked, nursery: trio.Nursery) -> Iterator[FakeTicker]:
        yield self.ticker

    def __getitem__(self, name: str) -> FakeProcess:
        return self.processes.started[name]

    @asynccontextmanager
    async def game(self, setup: GameSetup, *, is_begun: bool = True) -> AsyncIterator[Table]:
        """A game whose bots were started and, if wanted, are ready."""
        table = Table(Referee(setup))
        with trio.fail_after(600):
            async with table.open():
                for side in Side:
                    table.spawn(side)
                if is_begun:
                    for process in self.processes.started.values():
                        process.says("dvpok")
                    await table.until(lambda: table.referee.has_begun)
                yield table


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)
