"""A live view in a terminal: progress, time left, current games, standings.

Events are only collected on the task that runs the games. What they add up to is computed and
drawn on another thread, twice a second, whatever the number of events: it costs milliseconds, and
the clocks of running games would feel them.
"""

import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

import trio
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arbiter.live.plain import Progress, describe
from arbiter.match.clock import MS
from arbiter.match.game import PlyRecord
from arbiter.match.termination import Termination
from arbiter.rating.outcome import Outcome
from arbiter.rating.table import Row, table_of
from arbiter.rating.tally import Tally
from arbiter.tournament.course import interim_ranking
from arbiter.tournament.events import (
    Event,
    GameFinished,
    GameStarted,
    PlayBegins,
    PlyPlayed,
    SprtAdvanced,
    StageDrawn,
)
from arbiter.tournament.outcomes import outcome_of_game
from arbiter.tournament.schedule import Fixture, Stage
from protocol.rules import Position

_PERIOD = 0.5
_NEWS = 4
_ROWS = 20

State = tuple[PlyRecord, Position] | None
"""The last ply of a running game; None before the first one."""


class Frame(NamedTuple):
    """What is to be drawn: a snapshot that no event changes any more."""

    done: int
    total: int | None
    of: str
    may_grow: bool
    seconds_left: float | None
    games: list[tuple[Fixture, State]]
    lines: list[str]
    news: list[str]
    outcomes: list[Outcome]
    test: str = ""
    stages: tuple[Stage, ...] = ()


class TerminalView:
    """Collects events and draws what they add up to."""

    def __init__(
        self, console: Console, tally: Tally, form: str = "round-robin", stages: Iterable[Stage] = ()
    ) -> None:
        """``tally`` and ``stages`` hold what earlier runs of a tournament in the format ``form`` played and
        drew; both are added to.
        """
        self._stages = tuple(stages)
        self.screen = Screen(console, tally, form)
        self._progress = Progress()
        self._done_before = 0
        self._began = time.monotonic()
        self._games: dict[Fixture, State] = {}
        self._lines: list[str] = []
        self._news: deque[str] = deque(maxlen=_NEWS)
        self._outcomes: list[Outcome] = []
        self._test = ""

    def watch(self, event: Event) -> None:
        self._progress.note(event)
        match event:
            case PlayBegins(done=done):
                self._done_before = done
                self._began = time.monotonic()
            case GameStarted(fixture, _):
                self._games[fixture] = None
            case PlyPlayed(fixture, record, position):
                self._games[fixture] = (record, position)
            case GameFinished(game, replayed, _):
                self._games = {f: state for f, state in self._games.items() if f.number != game.number}
                if not replayed:
                    self._outcomes.append(outcome_of_game(game))
            case SprtAdvanced(test):
                self._test = test.line
            case StageDrawn(stage):
                self._stages += (stage,)
        self._report(event)

    def _report(self, event: Event) -> None:
        """Games that ended well scroll by; what somebody should know stays on the screen."""
        if isinstance(event, GameStarted | PlyPlayed | PlayBegins | SprtAdvanced):
            return
        ended_well = isinstance(event, GameFinished) and event.game.outcome.termination is Termination.NORMAL
        (self._news if ended_well else self._lines).append(describe(event, self._progress))

    async def show(self, task_status: trio.TaskStatus[None]) -> None:
        """Draw until cancelled. The first drawing, which is slow, comes before anything is played."""
        # A terminal that goes away takes nothing with it but the view.
        with suppress(OSError), self.screen.live:
            await self._draw()
            task_status.started()
            try:
                while True:
                    await trio.sleep(_PERIOD)
                    await self._draw()
            finally:
                with trio.CancelScope(shield=True):
                    await self._draw()
        await trio.sleep_forever()

    async def _draw(self) -> None:
        await trio.to_thread.run_sync(self.screen.draw, self.frame())

    def frame(self) -> Frame:
        """What there is to draw; lines and outcomes are handed over once."""
        lines, self._lines = self._lines, []
        outcomes, self._outcomes = self._outcomes, []
        games = list(self._games.items())
        progress = self._progress
        return Frame(
            progress.done,
            progress.total,
            progress.of,
            progress.may_grow,
            self._seconds_left(),
            games,
            lines,
            list(self._news),
            outcomes,
            self._test,
            self._stages,
        )

    def _seconds_left(self) -> float | None:
        played = self._progress.done - self._done_before
        total = self._progress.total
        if not played or total is None:
            return None
        open_games = total - self._progress.done
        return (time.monotonic() - self._began) / played * open_games


class Screen:
    """Draws frames; used by one thread at a time."""

    def __init__(self, console: Console, tally: Tally, form: str) -> None:
        self._console = console
        self._tally = tally
        self._form = form
        self._rows: tuple[Row, ...] | None = None
        self.live = Live(console=console, auto_refresh=False, transient=True)

    def draw(self, frame: Frame) -> None:
        for line in frame.lines:
            self._console.print(Text(line), soft_wrap=True)
        self.live.update(self.render(frame), refresh=True)

    def render(self, frame: Frame) -> RenderableType:
        """All that a frame shows, from top to bottom."""
        for outcome in frame.outcomes:
            self._tally.add(outcome)
        if frame.outcomes or self._rows is None:
            ranking = interim_ranking(self._form, frame.stages)
            self._rows = table_of(self._tally, ranking=ranking).rows
        parts = [_progress(frame)]
        if frame.test:
            parts.append(Text(frame.test))
        if frame.games:
            parts.append(_current_games(frame.games))
        if self._tally.games:
            parts.append(_standings(self._rows))
        news = [Text(line) for line in frame.news]
        for text in news:
            text.truncate(self._console.width, overflow="ellipsis")
        parts.append(Group(*news))
        return Group(*(part for each in parts for part in (each, "")))


def _progress(frame: Frame) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    if frame.total is None:
        return Text(f"{frame.done} games")
    bar = ProgressBar(total=max(frame.total, 1), completed=frame.done, width=40)
    grid.add_row(bar, f"{frame.done:,}{frame.of} games", _time_left(frame))
    return grid


def _time_left(frame: Frame) -> str:
    if frame.seconds_left is None:
        return ""
    minutes, rest = divmod(round(frame.seconds_left), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{'at least' if frame.may_grow else 'about'} {hours}:{minutes:02}:{rest:02} left"


def _current_games(games: Iterable[tuple[Fixture, State]]) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("game", "white", "black", "ply", "score", "clock"):
        table.add_column(heading, justify="right" if heading == "game" else "left")
    for fixture, state in games:
        table.add_row(str(fixture.number), escape(fixture.white), escape(fixture.black), *_state_cells(state))
    return table


def _state_cells(state: State) -> tuple[str, ...]:
    if state is None:
        return ("starting", "", "")
    record, position = state
    score = position.score
    left = "" if record.left is None else f"{record.left // MS / 1000:.1f} s"
    return (record.ply, f"{score.white}:{score.black}", left)


def _standings(rows: Iterable[Row]) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("rank", "bot", "games", "points", "Elo", "margin", "forfeits"):
        table.add_column(heading, justify="left" if heading == "bot" else "right")
    for row in list(rows)[:_ROWS]:
        table.add_row(*_standing_cells(row))
    return table


def _standing_cells(row: Row) -> tuple[str, ...]:
    forfeits = sum(row.forfeits.values())
    return (
        str(row.rank),
        escape(row.bot),
        str(row.games),
        f"{row.points:g}",
        "-" if row.elo is None else f"{row.elo:+.0f}",
        "-" if row.mean_margin is None else f"{row.mean_margin:+.1f}",
        str(forfeits or ""),
    )
