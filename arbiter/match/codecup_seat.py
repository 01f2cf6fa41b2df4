"""A bot that speaks the CodeCup dialect: plies and nothing else, and it knows when it is its turn."""

from collections import deque

from arbiter.match.bell import Bell
from arbiter.match.game import GameSetup, Result
from arbiter.match.seat import Answer, Seat, Turn
from arbiter.match.termination import Termination
from arbiter.match.verdict import Failure
from protocol import codecup
from protocol.rules import PASS, Score, Side


class CodecupSeat(Seat):
    """Nothing is asked in this dialect, so a request is only the moment from which the clock runs.

    That moment is when the opponent's ply was passed on; for White's double turn it is when
    White's own placement was read.
    """

    dies_at_once = False

    def __init__(self, side: Side, setup: GameSetup, bell: Bell) -> None:
        super().__init__(side, setup, bell)
        self._talk = codecup.Connection(side)
        self._answers: deque[Answer] = deque()
        self._was_told = False
        self._awaits_double_turn = False
        self._must_pass = False

    async def get_ready(self) -> Failure | None:
        return None

    def _request(self, turn: Turn) -> None:
        self._must_pass = turn.position.legal_plies() == [PASS]
        if turn.number == 1:
            self._tell(self._talk.start())
        self._awaits_double_turn = not self._was_told
        if self._awaits_double_turn:
            self.wake()
            self.stopwatch.go_on()
        if turn.number <= 2 and self.setup.charge_start:
            self.stopwatch.start_earlier(self.ready_at - self.process.spawned_at)
        self._was_told = False

    def _tell(self, data: bytes) -> None:
        self.wake()
        self.stopwatch.prepare()
        self.stopwatch.start(self.process.write(data))
        self._was_told = True

    @property
    def has_answer(self) -> bool:
        return bool(self._answers)

    def _take_answer(self) -> Answer:
        return self._answers.popleft()

    def tell(self, ply: str) -> None:
        self._tell(self._talk.ply(ply))

    def say_end(self, result: Result, score: Score, termination: Termination, failed: Failure | None) -> None:
        self.process.write(self._talk.quit())

    def flood(self) -> str | None:
        return self._talk.flood

    def overdue(self) -> Failure:
        failure = super().overdue()
        if self._must_pass:
            return failure._replace(detail=f"{failure.detail}; PASS was the only legal ply")
        if not self._awaits_double_turn:
            return failure
        hint = "after placement 49 White moves again without reading anything (the double turn)"
        return failure._replace(detail=f"{failure.detail}; {hint}")

    @property
    def unfinished(self) -> str:
        return self._talk.unfinished

    def received(self, data: bytes, stamp: int) -> None:
        for text in self._talk.receive(data):
            self._answers.append(Answer(text, self.stopwatch.read(stamp)))
        self._bell.ring()
