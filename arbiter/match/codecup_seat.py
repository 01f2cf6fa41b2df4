"""A bot that speaks the CodeCup dialect: plies and nothing else, and it knows when it is its turn."""

from collections import deque

from arbiter.match.actions import Action
from arbiter.match.clock import Reading, Spent
from arbiter.match.fault import Fault
from arbiter.match.game import GameSetup, Result
from arbiter.match.seat import PLY, Answer, Seat, Turn, flood_of
from arbiter.match.termination import Termination
from protocol import codecup
from protocol.rules import PASS, Score, Side


class CodecupSeat(Seat):
    """Nothing is asked in this dialect, so a request is only the moment from which the clock runs.

    That moment is when the opponent's ply was passed on; for White's double turn it is when
    White's own placement was read.
    """

    dies_at_once = False

    def __init__(self, side: Side, setup: GameSetup, actions: deque[Action]) -> None:
        super().__init__(side, setup, actions)
        self._talk = codecup.Connection(side)
        self._answers: deque[Answer] = deque()
        self._was_told = False
        self._awaits_double_turn = False
        self._must_pass = False

    def begin(self) -> None:
        self.is_ready = True

    def request(self, turn: Turn) -> None:
        self._must_pass = turn.position.legal_plies() == [PASS]
        if turn.number == 1:
            self._tell(self._talk.start())
            return
        self._awaits_double_turn = not self._was_told
        if self._awaits_double_turn and self._answered is not None:
            self.question, self._answered = self._answered, None
        self._was_told = False
        self._charge_start(turn.number)
        self.start_waiting()

    def asked(self, reading: Reading) -> None:
        super().asked(reading)
        if self.wanted == PLY:  # `Start`: the turn has begun
            self._was_told = False
            self._charge_start(1)
            self.start_waiting()

    def _charge_start(self, number: int) -> None:
        """Let the first turn have begun with the program, where its start is to be paid for."""
        if number <= 2 and self.setup.charge_start:
            started = self.ready_at - self.spawned_at
            self.question = self.question._replace(stamp=self.question.stamp - started)

    def _tell(self, data: bytes) -> None:
        self.wake()
        self.write(data, starts_clock=True)
        self._was_told = True

    @property
    def has_answer(self) -> bool:
        """The first line whose turn has come; `Start` has to be written before any line's."""
        return bool(self._answers) and self.wanted == PLY and self._is_waiting

    def pop_answer(self) -> Answer:
        return self._answers.popleft()

    def tell(self, ply: str) -> None:
        """Pass a ply on; after the last placement White moves again, and the bot rests on."""
        data = self._talk.ply(ply)
        if self._talk.state is codecup.Turn.OWN:
            self._tell(data)
        else:
            self.write(data)

    def say_end(self, result: Result, score: Score, termination: Termination, failed: Fault | None) -> None:
        self.write(self._talk.quit())

    def flood(self) -> Fault | None:
        return flood_of(self._talk.flood)

    def overdue(self, spent: Spent) -> Fault:
        fault = super().overdue(spent)
        return fault.with_facts(must_pass=self._must_pass, double_turn=self._awaits_double_turn)

    @property
    def unfinished(self) -> str:
        return self._talk.unfinished

    def read(self, data: bytes, reading: Reading) -> None:
        for text in self._talk.receive(data):
            self._answers.append(Answer(text, reading))
