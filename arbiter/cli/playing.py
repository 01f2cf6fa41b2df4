"""What ``run`` and ``match`` share: playing with a view, stopping cleanly, ending with the table."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from typing import TextIO, cast

import trio

from arbiter.cli.errors import INTERRUPTED, UsageError
from arbiter.cli.failures import faults_kept_in, require_room, say_lack
from arbiter.cli.interruptible import minded_signals
from arbiter.cli.result_line import result_line
from arbiter.cli.table import render
from arbiter.isolation.levels import UnavailableError
from arbiter.isolation.resources import LACKS, ResourceError, lack_behind
from arbiter.isolation.tree import kill_everything_once
from arbiter.live.output import Output
from arbiter.live.plain import LineView, PlainLines, warning_lines
from arbiter.live.trace import Trace
from arbiter.live.writer import View, writing
from arbiter.match.groups import unwrapped
from arbiter.store import FILE_NAME, League, StoreError
from arbiter.tournament.config import Tournament
from arbiter.tournament.openings import OpeningsError
from arbiter.tournament.outcomes import outcomes
from arbiter.tournament.play import (
    BotsNotReadyError,
    ChangedTournamentError,
    Plan,
    UnfitMachineError,
    foresee,
    play_tournament,
    settle,
)
from arbiter.tournament.prepare import STARTS
from arbiter.tournament.problems import option
from arbiter.tournament.sandboxes import chosen_levels
from arbiter.tournament.schedule import Stage
from arbiter.tournament.standings import standings_of
from arbiter.tournament.versions import ChangedProgramError
from arbiter.tournament.withdrawals import ways_back
from protocol.rules import Position

_SWITCH_INTERVAL = 0.0005
_PATIENCE = 0.5
"""Seconds that the last line of a run that was interrupted waits for its reader."""
_NO_DIALOGUE = "no game was begun, so there is no dialogue of one; arbiter check BOT shows how a bot starts"


class Session:
    """One run of a tournament from a command line: plays, prints the table."""

    def __init__(
        self,
        plan: Plan,
        league: League,
        *,
        form: str,
        quiet: bool,
        again: str,
        hint: str,
        games: int | None = None,
        new_versions: Sequence[str] | None = None,
        readmitted: Sequence[str] = (),
        budget: float | None = None,
        trace: Trace | None = None,
        log: View | None = None,
    ) -> None:
        """``form`` is the table's format; ``again`` the command that goes on after an interruption;
        ``hint`` a line to end with; ``games``, ``new_versions`` and ``readmitted`` are as in
        ``play_tournament``; ``budget`` is the time after which play stops, in seconds. ``trace`` takes the
        place of the view and ``log`` comes on top of it; both hear all that is said.
        """
        self._plan = plan
        self._league = league
        self._form = form
        self._quiet = quiet
        self._games = games
        self._new_versions = new_versions
        self._readmitted = readmitted
        self._readmissions = len(league.readmissions())
        self._again = again
        self._hint = hint
        self._budget = inf if budget is None else budget
        self._out, self._err = Output(sys.stdout), Output(sys.stderr)
        # A format for programs has the standard output for itself.
        self._screen = self._out if form == "text" else self._err
        self._trace = trace
        self._log = log
        self._interrupted = False

    def run(self) -> int:
        """Play what is left to play; the exit status."""
        with closing(self._out), closing(self._err):
            return self._run()

    def _run(self) -> int:
        try:
            # Other threads store and show; while they compute, the clocks must be kept all the same.
            sys.setswitchinterval(_SWITCH_INTERVAL)
            with unwrapped(BotsNotReadyError, ChangedProgramError, StoreError, ResourceError, *LACKS):
                trio.run(self._play)
                self._league.require_in_place()
        except BotsNotReadyError as error:
            for problem in error.problems:
                print(f"arbiter: {problem}", file=sys.stderr)
            if self._trace is not None or self._log is not None:
                print(_NO_DIALOGUE, file=sys.stderr)
            if not self._league.sessions():
                self._league.discard()
            return 1
        except ChangedProgramError as error:
            raise UsageError(str(error)) from None
        except StoreError as error:
            raise UsageError(str(error), error.remedy) from None
        except (ResourceError, *LACKS) as error:
            if (lack := lack_behind(error)) is None:
                raise
            return self._stop_for(lack)
        if self._interrupted:
            self._err.write(f"interrupted; {self._kept}. Go on with: {self._go_on()}\n")
            self._err.drain(_PATIENCE)
            return INTERRUPTED
        self._print_end()
        return 1 if any(row["withdrawn"] for row in self._league.bots()) else 0

    def _stop_for(self, lack: ResourceError) -> int:
        """End a run for which the machine had not enough. Games that were under way count as not played."""
        status = say_lack(lack, f"; {self._kept}. Go on with: {self._go_on()}")
        if not self._league.sessions():
            self._league.discard()
        return status

    @property
    def _kept(self) -> str:
        return "all finished games are stored" if self._league.has_games() else "no game was played yet"

    def say(self, line: str) -> None:
        """Print a line before those of the games, unless all is to be quiet."""
        if not self._quiet:
            self._screen.write(f"{line}\n")

    def _print_end(self) -> None:
        standings = standings_of([self._league])
        self._out.say(render(standings.table, self._form))
        if self._form == "text":
            hints = [] if self._quiet else ["", *self._ways_back(), self._hint]
            self._out.say("\n".join([*hints, result_line(self._league, standings)]) + "\n")

    def _go_on(self) -> str:
        """The command that goes on; whoever was to come back and did not yet is to come back then."""
        if len(self._league.readmissions()) > self._readmissions:
            return self._again
        return " ".join([self._again, *(option("--readmit", name) for name in self._readmitted)])

    def _ways_back(self) -> list[str]:
        """What lets a bot play on that was withdrawn through no fault of its own."""
        ways = ways_back(self._plan.tournament, self._league)
        return [f"let {name} play again: {self._again} {way}" for name, way in ways.items()]

    async def _play(self) -> None:
        async with trio.open_nursery() as nursery:
            scope = trio.CancelScope(relative_deadline=self._budget)
            await nursery.start(self._mind_signals, scope)
            with scope:
                async with writing(self._views(), (self._out, self._err)) as watch:
                    await play_tournament(
                        self._plan,
                        self._league,
                        watch,
                        self._games,
                        self._new_versions,
                        self._readmitted,
                        overhear=self._trace is not None or self._log is not None,
                    )
            nursery.cancel_scope.cancel()

    async def _mind_signals(
        self, scope: trio.CancelScope, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """The first signal stops in order, a second one at once."""
        with trio.open_signal_receiver(*minded_signals()) as signals:
            task_status.started()
            async for _ in signals:
                if self._interrupted:
                    kill_everything_once()
                    os._exit(INTERRUPTED)
                self._interrupted = True
                scope.cancel()

    def _views(self) -> list[View]:
        views: list[View] = [] if self._log is None else [self._log]
        if self._trace is not None:
            return [*views, LineView(self._trace.lines, self._screen, wants_bulk=True)]
        if self._quiet:
            return [*views, LineView(warning_lines, self._err)]
        if self._screen.isatty() and os.environ.get("TERM", "dumb") != "dumb":
            return [*views, self._terminal_view()]
        return [*views, LineView(PlainLines().lines, self._screen)]

    def _terminal_view(self) -> View:
        # Heavy imports, for those who see something of it.
        from rich.console import Console

        from arbiter.live.terminal import TerminalView
        from arbiter.rating.tally import Tally

        return TerminalView(
            self._screen,
            Console(file=cast(TextIO, self._screen)),
            Tally((), outcomes([self._league])),
            self._plan.tournament.format,
            map(Stage.from_json, self._league.get("stages") or ()),
        )


@contextmanager
def open_results(directory: Path) -> Iterator[League]:
    """The league in a results directory, which is made when it is missing; and is not there afterwards
    if nothing came of it.

    Raises:
        UsageError: when it cannot be written, then or later, or another run is using it.
    """
    is_new = not (directory / FILE_NAME).exists()
    try:
        with faults_kept_in(directory), League.open_for_writing(directory) as league:
            try:
                yield league
            except UsageError:
                if is_new and not league.sessions():
                    league.discard()
                raise
    except StoreError as error:
        raise UsageError(str(error), error.remedy) from None


def settle_plan(
    tournament: Tournament, seed: int | None, league: League, start: Position | None = None
) -> Plan:
    """The plan of a run, stored.

    Raises:
        UsageError: as ``foreseen_plan``.
    """
    return _plan(tournament, lambda: settle(tournament, seed, league, start))


def foreseen_plan(tournament: Tournament, seed: int | None, league: League | None) -> Plan:
    """The plan of a run, only to be looked at; ``league`` is None where no game was played.

    Raises:
        UsageError: when the games in the results directory belong to another tournament, an isolation
            level does not work here, or the machine has no room for so many games in parallel.
    """
    return _plan(tournament, lambda: foresee(tournament, seed, league))


def _plan(tournament: Tournament, make: Callable[[], Plan]) -> Plan:
    games = tournament.concurrency
    require_room(max(2 * games, min(len(tournament.bots), STARTS)), games)
    try:
        chosen_levels(tournament)
        return make()
    except (ChangedTournamentError, OpeningsError, UnfitMachineError) as error:
        raise UsageError(str(error)) from None
    except UnavailableError as error:
        raise UsageError(str(error), error.remedy or "see `arbiter doctor`") from None
