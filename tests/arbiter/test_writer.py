"""The thread that shows events: whoever keeps the clocks never waits for it."""

import io
import threading
import time
import traceback
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import trio

from arbiter.live import writer
from arbiter.live.output import Output
from arbiter.live.plain import LineView, PlainLines, warning_lines
from arbiter.live.writer import Heard, View, writing
from arbiter.match.dialogue import Said, Voice
from arbiter.match.game import PlyRecord
from arbiter.match.groups import leaves
from arbiter.match.termination import Termination
from arbiter.tournament.events import Event, GameFinished, GameStarted, Notice, Overheard, PlyPlayed
from protocol.rules import Position, Side
from tests.arbiter.test_live import FIXTURE
from tests.arbiter.test_output import Pipe
from tests.arbiter.test_store import game

PLY = PlyPlayed(FIXTURE, PlyRecord("A1", 1, 2), Position.start())
SAID = Overheard(FIXTURE, Said(Side.WHITE, Voice.STDERR, 1, b"hello\n"))


class Notes(View):
    """Keeps what it hears, while it may go on."""

    def __init__(self, *, wants_bulk: bool = False) -> None:
        self.wants_bulk = wants_bulk
        self.heard: list[Event] = []
        self.calls: list[str] = []
        self.is_hearing, self.may_go_on = threading.Event(), threading.Event()
        self.may_go_on.set()

    def open(self) -> None:
        self.calls.append("open")

    def hear(self, heard: Heard) -> None:
        self.is_hearing.set()
        assert self.may_go_on.wait(20), "whoever watches waits for the view"
        self.heard.append(heard.event)

    def close(self) -> None:
        self.calls.append("close")


def notices(count: int) -> list[Event]:
    return [Notice(str(number)) for number in range(count)]


def test_views_hear_all_events_in_order_and_are_closed() -> None:
    one, other = Notes(), Notes(wants_bulk=True)
    events = [*notices(50), PLY, SAID, *notices(3)]

    async def play() -> None:
        async with writing([one, other], []) as watch:
            assert one.calls == other.calls == ["open"]
            for number, event in enumerate(events):
                watch(event)
                if number % 10 == 0:
                    await trio.sleep(0.01)

    trio.run(play)
    assert one.heard == other.heard == events
    assert one.calls == other.calls == ["open", "close"]


def test_plies_are_for_those_who_want_them() -> None:
    """A queue full of what nobody shows would lead to losses."""
    view = Notes()

    async def play() -> None:
        async with writing([view], []) as watch:
            for event in (PLY, Notice("one"), SAID):
                watch(event)

    trio.run(play)
    assert view.heard == [Notice("one")]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """How many events may wait for the thread."""
    monkeypatch.setattr(writer, "_MANY", 20)
    return 20


def test_a_view_that_is_stuck_holds_nobody_up(few: int) -> None:
    """Plies and dialogue are dropped first, and counted."""
    view = Notes(wants_bulk=True)
    view.may_go_on.clear()

    async def play() -> None:
        async with writing([view], []) as watch:
            watch(Notice("first"))
            await trio.to_thread.run_sync(view.is_hearing.wait)
            for event in [*[PLY] * 100, *notices(few), *[SAID] * 100, Notice("lost")]:
                watch(event)
            view.may_go_on.set()

    trio.run(play)
    assert view.heard == [
        Notice("first"),
        *[PLY] * few,
        *notices(few),
        Notice("181 events are not shown: they came too fast", is_warning=True),
    ]


def test_a_gap_is_told_as_soon_as_there_is_room(few: int) -> None:
    view = Notes(wants_bulk=True)
    view.may_go_on.clear()

    async def play() -> None:
        async with writing([view], []) as watch:
            watch(Notice("first"))
            await trio.to_thread.run_sync(view.is_hearing.wait)
            for _ in range(100):
                watch(PLY)
            view.may_go_on.set()
            while len(view.heard) < few:  # noqa: ASYNC110  # heard on another thread
                await trio.sleep(0.01)
            watch(Notice("last"))

    trio.run(play)
    assert [type(event) for event in view.heard[-3:]] == [PlyPlayed, Notice, Notice]
    assert view.heard[-1] == Notice("last")


class Broken(View):
    def hear(self, heard: Heard) -> None:
        raise KeyError(heard.event)


async def failing(*views: View, outputs: tuple[Output, ...] = ()) -> None:
    """Games that would go on for long."""
    async with writing(views, outputs) as watch:
        watch(Notice("one"))
        await trio.sleep(20)


def test_a_fault_in_a_view_ends_everything_with_its_traceback() -> None:
    """At once, although nothing else happens; the other views are closed."""
    one, other = Notes(), Notes()
    with pytest.raises(BaseExceptionGroup) as raised:
        trio.run(failing, one, Broken(), other)
    errors = list(leaves(raised.value))
    assert [(type(error), error.args) for error in errors] == [(KeyError, (Notice("one"),))]
    assert "raise KeyError(heard.event)" in "".join(traceback.format_exception(errors[0]))
    assert one.calls == other.calls == ["open", "close"]


def test_what_came_before_a_fault_is_still_shown(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as stream:
        output = Output(stream)
        with pytest.raises(BaseExceptionGroup):
            trio.run(partial(failing, LineView(PlainLines().lines, output), Broken(), outputs=(output,)))
    assert (tmp_path / "out").read_text() == "one\n"


class BrokenAtTheEnd(Notes):
    def close(self) -> None:
        raise ValueError("cannot be closed")


def test_a_fault_at_the_end_is_one_as_well() -> None:
    other = Notes()

    async def play() -> None:
        async with writing([other, BrokenAtTheEnd()], []):
            pass

    with pytest.raises(BaseExceptionGroup) as raised:
        trio.run(play)
    assert [str(error) for error in leaves(raised.value)] == ["cannot be closed"]
    assert other.calls == ["open", "close"]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


def test_a_reader_that_leaves_ends_everything(pipe: Pipe) -> None:
    pipe.leave()
    with pytest.raises(BaseExceptionGroup) as raised:
        trio.run(partial(failing, LineView(PlainLines().lines, pipe.output), outputs=(pipe.output,)))
    assert [type(error) for error in leaves(raised.value)] == [BrokenPipeError]


def test_the_end_waits_for_the_reader(pipe: Pipe) -> None:
    lines: list[str] = []

    async def play() -> None:
        async with writing([LineView(PlainLines().lines, pipe.output)], [pipe.output]) as watch:
            for event in notices(1000):
                watch(event)

    def read() -> None:
        time.sleep(0.2)
        data = b""
        while not data.endswith(b"\n999\n"):
            data += pipe.read()
        lines.extend(data.decode().splitlines())

    reading = threading.Thread(target=read)
    reading.start()
    trio.run(play)
    reading.join()
    assert lines == [str(number) for number in range(1000)]


@pytest.mark.parametrize("is_over", [False, True])
def test_whoever_stops_it_does_not_wait_for_the_reader(pipe: Pipe, is_over: bool) -> None:
    """Neither among the games nor at the end; what was shown elsewhere is complete."""
    view = Notes()

    async def play() -> float:
        with trio.CancelScope() as scope:
            async with writing([LineView(PlainLines().lines, pipe.output), view], [pipe.output]) as watch:
                watch(Notice("one"))
                trio.lowlevel.spawn_system_task(stop, scope)
                if not is_over:
                    await trio.sleep_forever()
        return trio.current_time() - stopped[0]

    stopped: list[float] = []

    async def stop(scope: trio.CancelScope) -> None:
        await trio.sleep(0.2)
        stopped.append(trio.current_time())
        scope.cancel()

    assert trio.run(play) < 10  # half a second, and what the machine is busy with
    assert view.heard == [Notice("one")]
    assert view.calls == ["open", "close"]
    assert "writer" not in {thread.name for thread in threading.enumerate()}
    assert pipe.output.is_waiting


def test_progress_is_what_a_stalled_reader_may_miss() -> None:
    """A game that starts; not one that ends."""
    most: list[float] = []

    class Recorder(Output):
        def write(self, text: str, limit: float = 0) -> int:
            most.append(limit)
            return len(text)

    view = LineView(PlainLines().lines, Recorder(io.StringIO()))
    finished = GameFinished(game(termination=Termination.NORMAL, offender=None), replayed=False)
    for event in (GameStarted(FIXTURE, 1), finished, Notice("x")):
        view.hear(Heard(0, event))
    assert most[0] < most[1] == most[2]


def test_the_quiet_read_warnings_only(pipe: Pipe) -> None:
    view = LineView(warning_lines, pipe.output)
    for event in (Notice("no"), GameStarted(FIXTURE, 1), Notice("yes", is_warning=True)):
        view.hear(Heard(0, event))
    assert pipe.lines() == ["yes"]
