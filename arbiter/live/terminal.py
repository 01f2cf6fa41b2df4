"""A live view in a terminal: progress, time left, current games, standings.

It is drawn twice a second, whatever the number of events: that costs milliseconds.
"""

import time
from collections import deque
from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arbiter.live.output import Output, dropped_line
from arbiter.live.plain import Progress, describe
from arbiter.live.writer import Heard, View
from arbiter.match.clock import MS
from arbiter.match.game import PlyRecord
from arbiter.match.termination import Termination
from arbiter.rating.table import Row, table_of
from arbiter.rating.tally import Tally
from arbiter.tournament.course import interim_ranking
from arbiter.tournament.events import (
    Event,
    GameFinished,
    GameStarted,
    Overheard,
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
_LINES = 10_000
"""Lines that wait for a terminal that takes nothing; beyond them, the oldest are dropped."""

State = tuple[PlyRecord, Position] | None
"""The last ply of a running game; None before the first one."""


class TerminalView(View):
    """Collects events and draws what they add up to."""

    wants_bulk = True

    def __init__(
        self,
        output: Output,
        console: Console,
        tally: Tally,
        form: str = "round-robin",
        stages: Iterable[Stage] = (),
    ) -> None:
        """``console`` writes to ``output``. ``tally`` and ``stages`` hold what earlier runs of a tournament
        in the format ``form`` played and drew; both are added to.
        """
        self._output = output
        self._console = console
        # Nothing is printed beside the view, so there is nothing to be redirected.
        self._live = Live(
            console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._tally = tally
        self._form = form
        self._stages = list(stages)
        self._rows: tuple[Row, ...] | None = None
        self._progress = Progress()
        self._done_before = 0
        self._began = self._drawn = time.monotonic()
        self._games: dict[Fixture, State] = {}
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._dropped = 0
        self._news: deque[str] = deque(maxlen=_NEWS)
        self._test = ""

    def open(self) -> None:
        """Draw for the first time, which is slow, before anything is played."""
        self._live.start()
        self._draw()

    def hear(self, heard: Heard) -> None:
        event = heard.event
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
                    self._tally.add(outcome_of_game(game))
                    self._rows = None
            case SprtAdvanced(test):
                self._test = test.line
            case StageDrawn(stage):
                self._stages.append(stage)
                self._rows = None
        self._report(event)

    def _report(self, event: Event) -> None:
        """Games that ended well scroll by; what somebody should know stays on the screen."""
        if isinstance(event, GameStarted | PlyPlayed | PlayBegins | SprtAdvanced | Overheard):
            return
        text = describe(event, self._progress)
        if isinstance(event, GameFinished) and event.game.outcome.termination is Termination.NORMAL:
            self._news.append(text)
            return
        self._dropped += len(self._lines) == _LINES
        self._lines.append(text)

    def refresh(self) -> None:
        """Draw when it is time, and when the terminal has taken the last drawing."""
        if time.monotonic() - self._drawn >= _PERIOD and not self._output.is_waiting:
            self._draw()

    def close(self) -> None:
        self._draw()
        self._live.stop()

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        for line in self.take_lines():
            self._console.print(Text(line), soft_wrap=True)
        self._live.update(self.render(), refresh=True)

    def take_lines(self) -> list[str]:
        """What is to stay on the screen and was not yet shown."""
        lines = [dropped_line(self._dropped)] if self._dropped else []
        lines += self._lines
        self._lines.clear()
        self._dropped = 0
        return lines

    def render(self) -> RenderableType:
        """All that is drawn, from top to bottom."""
        if self._rows is None:
            ranking = interim_ranking(self._form, self._stages)
            self._rows = table_of(self._tally, ranking=ranking).rows
        parts = [self._progress_bar()]
        if self._test:
            parts.append(Text(self._test))
        if self._games:
            parts.append(_current_games(self._games.items()))
        if self._tally.games:
            parts.append(_standings(self._rows))
        news = [Text(line) for line in self._news]
        for text in news:
            text.truncate(self._console.width, overflow="ellipsis")
        parts.append(Group(*news))
        return Group(*(part for each in parts for part in (each, "")))

    def _progress_bar(self) -> RenderableType:
        progress = self._progress
        if progress.total is None:
            return Text(f"{progress.done} games")
        grid = Table.grid(padding=(0, 2))
        bar = ProgressBar(total=max(progress.total, 1), completed=progress.done, width=40)
        grid.add_row(bar, f"{progress.done:,}{progress.of} games", self._time_left())
        return grid

    def _time_left(self) -> str:
        progress = self._progress
        played = progress.done - self._done_before
        if not played or progress.total is None:
            return ""
        seconds = (time.monotonic() - self._began) / played * (progress.total - progress.done)
        minutes, rest = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{'at least' if progress.may_grow else 'about'} {hours}:{minutes:02}:{rest:02} left"


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
