"""A live view in a terminal: progress, time left, current games, standings.

Drawing costs milliseconds that the clocks of running games would feel, so it happens only a few
times a second, whatever the number of events.
"""

import time
from collections import deque

import trio
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arbiter.live.plain import describe
from arbiter.match.clock import MS
from arbiter.match.game import PlyRecord
from arbiter.match.termination import Termination
from arbiter.rating.table import Row, table_of
from arbiter.rating.tally import Tally
from arbiter.tournament.events import (
    Event,
    GameFinished,
    GameStarted,
    PlayBegins,
    PlyPlayed,
)
from arbiter.tournament.schedule import Fixture
from arbiter.tournament.standings import outcome_of_game
from protocol.rules import Position

_PERIOD = 0.5
_NEWS = 4
_ROWS = 20


class TerminalView:
    """Collects events and draws what they add up to."""

    def __init__(self, console: Console, tally: Tally) -> None:
        """``tally`` holds the games of earlier runs; it is added to."""
        self._console = console
        self._tally = tally
        self._total = 0
        self._done = 0
        self._done_before = 0
        self._began = time.monotonic()
        self._games: dict[Fixture, tuple[PlyRecord, Position] | None] = {}
        self._news: deque[Text] = deque(maxlen=_NEWS)
        self._rows: tuple[Row, ...] = ()
        self._rated_games = -1

    def watch(self, event: Event) -> None:
        match event:
            case PlayBegins(total, done):
                self._total, self._done, self._done_before = total, done, done
                self._began = time.monotonic()
            case GameStarted(fixture, _):
                self._games[fixture] = None
            case PlyPlayed(fixture, record, position):
                self._games[fixture] = (record, position)
            case GameFinished(game, replayed):
                self._games = {f: state for f, state in self._games.items() if f.number != game.number}
                if not replayed:
                    self._done += 1
                    self._tally.add(outcome_of_game(game))
        self._report(event)

    def _report(self, event: Event) -> None:
        """Games that ended well scroll by; what somebody should know stays on the screen."""
        if isinstance(event, GameStarted | PlyPlayed | PlayBegins):
            return
        line = Text(describe(event, self._total))
        ended_well = isinstance(event, GameFinished) and event.game.outcome.termination is Termination.NORMAL
        if ended_well:
            self._news.append(line)
        else:
            self._console.print(line, soft_wrap=True)

    async def show(self, task_status: trio.TaskStatus[None]) -> None:
        """Draw until cancelled."""
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            task_status.started()
            while True:
                live.update(self.render(), refresh=True)
                await trio.sleep(_PERIOD)

    def render(self) -> RenderableType:
        """All that is on the screen now."""
        parts: list[RenderableType] = [self._progress()]
        if self._games:
            parts.append(self._current_games())
        if self._tally.games:
            parts.append(self._standings())
        for line in self._news:
            line.truncate(self._console.width, overflow="ellipsis")
        parts.append(Group(*self._news))
        return Group(*(part for each in parts for part in (each, "")))

    def _progress(self) -> RenderableType:
        grid = Table.grid(padding=(0, 2))
        bar = ProgressBar(total=max(self._total, 1), completed=self._done, width=40)
        grid.add_row(bar, f"{self._done} of {self._total} games", self._time_left())
        return grid

    def _time_left(self) -> str:
        played = self._done - self._done_before
        if not played:
            return ""
        seconds = (time.monotonic() - self._began) / played * (self._total - self._done)
        minutes, seconds = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"about {hours}:{minutes:02}:{seconds:02} left"

    def _current_games(self) -> RenderableType:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for heading in ("game", "white", "black", "ply", "last", "score", "clock"):
            table.add_column(heading, justify="right" if heading in ("game", "ply") else "left")
        for fixture, state in self._games.items():
            table.add_row(
                str(fixture.number), escape(fixture.white), escape(fixture.black), *_state_cells(state)
            )
        return table

    def _standings(self) -> RenderableType:
        if self._rated_games != self._tally.games:
            self._rows = table_of(self._tally).rows
            self._rated_games = self._tally.games
        table = Table(box=None, padding=(0, 2, 0, 0))
        for heading in ("rank", "bot", "games", "points", "Elo", "margin", "forfeits"):
            table.add_column(heading, justify="left" if heading == "bot" else "right")
        for row in self._rows[:_ROWS]:
            table.add_row(*_standing_cells(row))
        return table


def _state_cells(state: tuple[PlyRecord, Position] | None) -> tuple[str, ...]:
    if state is None:
        return ("", "starting", "", "")
    record, position = state
    score = position.score
    left = "" if record.left is None else f"{record.left // MS / 1000:.1f} s"
    return ("", record.ply, f"{score.white}:{score.black}", left)


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
