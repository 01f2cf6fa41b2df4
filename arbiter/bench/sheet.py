"""The score sheet of a game between a person and a bot: what was played, and how it ended."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from arbiter.match.game import BotReport, GameResult, GameSetup, PlyRecord, Result, won_by
from arbiter.match.termination import Termination
from arbiter.match.verdict import Failure
from arbiter.store import PlayedGame
from arbiter.store.drec import game_record
from protocol.records import Record
from protocol.rules import Ply, Position, Side, parse_ply


def _now() -> str:
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")


@dataclass(slots=True)
class Sheet:
    """A game under way, from ``setup.start`` on.

    ``offender`` is the side that lost by ``failure``, and ``answer`` what it said when that was no legal
    ply.
    """

    setup: GameSetup
    plies: list[PlyRecord] = field(default_factory=list)
    offender: Side | None = None
    failure: Failure | None = None
    answer: str | None = None
    started_at: str = field(default_factory=_now)
    _positions: list[Position] = field(init=False)

    def __post_init__(self) -> None:
        self._positions = [self.setup.start]

    @property
    def position(self) -> Position:
        """The position now."""
        return self._positions[-1]

    def position_after(self, count: int) -> Position:
        """The position after so many plies."""
        return self._positions[count]

    @property
    def texts(self) -> list[str]:
        """The plies so far."""
        return [record.ply for record in self.plies]

    @property
    def last(self) -> tuple[Ply, Position] | None:
        """The last ply and the position it was played in."""
        return (parse_ply(self.plies[-1].ply), self._positions[-2]) if self.plies else None

    @property
    def has_begun(self) -> bool:
        """Whether there is anything to be kept: a ply, or a failure in place of the first."""
        return bool(self.plies) or self.failure is not None

    @property
    def is_over(self) -> bool:
        """Whether the board or a failure has ended the game."""
        return self.failure is not None or self.position.is_over

    def play(self, record: PlyRecord) -> None:
        """Enter a legal ply."""
        self._positions.append(self.position.play(parse_ply(record.ply)))
        self.plies.append(record)

    def lose(self, side: Side, failure: Failure, answer: str | None = None) -> None:
        """Enter that a side has lost otherwise than on the board."""
        self.offender, self.failure, self.answer = side, failure, answer

    def choices(self, side: Side) -> list[int]:
        """How many plies there were each time this side had more than one to choose from."""
        positions = enumerate(self._positions[:-1])
        return [number for number, each in positions if each.to_move is side and len(each.legal_plies()) > 1]

    def take_back_to(self, count: int) -> None:
        """Keep so many plies."""
        del self.plies[count:], self._positions[count + 1 :]

    @property
    def result(self) -> Result:
        """Who won; ``*`` as long as nobody has."""
        if self.offender is not None:
            return won_by(self.offender.other)
        return won_by(self.position.winner) if self.position.is_over else "*"

    def record(self, number: int, seed: int, opening: str | None) -> Record:
        """As a game record; of a game that was broken off with neither a winner nor a termination."""
        game = PlayedGame(
            number=number,
            attempt=1,
            round=1,
            game=1,
            pair=1,
            white=self.setup.white.bot.name,
            black=self.setup.black.bot.name,
            white_time=self.setup.white.time.header,
            black_time=self.setup.black.time.header,
            white_hash="",
            black_hash="",
            clock="",
            rules=str(self.setup.start.rules),
            start=self._start,
            seed=seed,
            outcome=self._outcome(),
            opening=opening,
        )
        record = game_record(game, "arbiter play")
        if self.is_over:
            return record
        headers = {name: value for name, value in record.headers.items() if name != "Termination"}
        return replace(record, headers=headers)

    @property
    def _start(self) -> str | None:
        start = self.setup.start
        return None if start == Position.start(start.rules) else start.dpos

    def _outcome(self) -> GameResult:
        nothing = BotReport(identity={}, stderr="", notes=())
        ended = Termination.NORMAL if self.position.is_over else Termination.VOID
        return GameResult(
            result=self.result,
            termination=ended if self.failure is None else self.failure.termination,
            detail="" if self.failure is None else self.failure.detail,
            offender=self.offender,
            plies=tuple(self.plies),
            answer=self.answer,
            score=self.position.score,
            final=self.position.dpos,
            white=nothing,
            black=nothing,
            started_at=self.started_at,
            seconds=0.0,
        )
