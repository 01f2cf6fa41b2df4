"""What a game is before it is played and after: plain values, the same for store, tables and records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from arbiter.match.bot import Bot
from arbiter.match.clock import ClockUse, Spent, TimeControl
from arbiter.match.fault import Fault
from arbiter.match.termination import Termination
from arbiter.match.wording import describe
from protocol.rules import Position, Score, Side

Result = Literal["1-0", "0-1", "1/2-1/2", "*"]


@dataclass(frozen=True, slots=True)
class Competitor:
    """A bot in one game: with its clock and the value for its ``Seed`` option, if it has one."""

    bot: Bot
    time: TimeControl
    seed: int = 0


@dataclass(frozen=True, slots=True)
class GameSetup:
    """Everything that decides how a game is played.

    ``label`` is sent to the bots as ``game``; ``depth`` and ``nodes`` limit bots that search;
    ``charge_start`` makes a CodeCup bot pay for its start-up with its first ply; ``substitute``
    lets the game go on for the other side when a bot failed in it; ``suspend_idle``
    stops a bot's processes in its opponent's turns; ``cores`` are those that both may use, if not all.
    """

    white: Competitor
    black: Competitor
    start: Position
    label: str = "1"
    depth: int | None = None
    nodes: int | None = None
    charge_start: bool = False
    substitute: bool = False
    suspend_idle: bool = False
    cores: tuple[int, ...] = ()
    quit_grace: float = 2.0

    def competitor(self, side: Side) -> Competitor:
        return self.white if side is Side.WHITE else self.black


@dataclass(frozen=True, slots=True)
class PlyRecord:
    """One ply as it was played: what it cost and what the bot said about it.

    In nanoseconds: ``used`` is the charge, ``left`` the clock after the ply and its increment (None
    without a game clock), ``spent`` what was measured. ``info`` holds the last value the bot gave
    for each key, ``pv`` included.
    """

    ply: str
    used: int
    left: int | None
    spent: Spent = field(default_factory=Spent)
    info: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BotReport:
    """What is known about a bot after a game: its names for itself, stderr, odd things it did, its time.

    ``transcript`` is what was said, of a game that ended in a failure; it is not stored with the game.
    ``isolation`` is what really held it back, such as ``limits (no landlock)``, and ``means`` how.
    """

    identity: Mapping[str, str]
    stderr: str
    notes: tuple[str, ...]
    clock: ClockUse = field(default_factory=ClockUse)
    transcript: str = ""
    isolation: str = ""
    means: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game played to its end, whatever the end was.

    ``score`` and ``final`` (a DPOS) are the board's; ``offender`` is the side that forfeited or resigned;
    ``answer`` is what it said when that was no legal ply. ``both_failed`` tells such a void game from one
    that is nobody's fault. ``lag`` is the worst delay of the arbiter itself, in ns. ``fault`` says why the
    game ended when the board did not end it; of games from older databases only the ``words`` are known.
    """

    result: Result
    termination: Termination
    offender: Side | None
    plies: tuple[PlyRecord, ...]
    answer: str | None
    score: Score
    final: str
    white: BotReport
    black: BotReport
    started_at: str
    seconds: float
    both_failed: bool = False
    lag: int = 0
    fault: Fault | None = None
    words: str = ""

    @property
    def detail(self) -> str:
        """Why the game ended, in words."""
        return describe(self.fault) if self.fault is not None else self.words


Observer = Callable[[PlyRecord, Position], None]
"""Called after each ply with the ply and the position it led to; must be quick."""


def check_end(result: str, termination: Termination, offender: str | None) -> None:
    """Look whether a result, how it came about and the word for the side that forfeited fit together.

    Raises ValueError for an unknown result and a forfeit that is not the offender's loss.
    """
    if result == "*" or termination is Termination.VOID:
        return
    if result not in get_args(Result):
        raise ValueError(f"unknown result {result!r}")
    loser = {"1-0": "black", "0-1": "white"}.get(result)
    if termination.is_forfeit and offender != loser:
        raise ValueError(
            f"{termination} is a loss for the side that forfeits, but the result is {result} "
            f"and the offender {offender}"
        )


def won_by(side: Side | None) -> Result:
    """The result of a game that ``side`` won; None is a draw."""
    if side is None:
        return "1/2-1/2"
    return "1-0" if side is Side.WHITE else "0-1"
