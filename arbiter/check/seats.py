"""Seats at which a bot can be spoken to line by line, besides being asked as in a game."""

from abc import abstractmethod
from collections import deque
from collections.abc import Sequence

from arbiter.check.excerpt import kind_of
from arbiter.match.actions import Action
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import Reading, Spent
from arbiter.match.codecup_seat import CodecupSeat
from arbiter.match.dvp_seat import DvpSeat, about_ignored
from arbiter.match.fault import Fault
from arbiter.match.game import GameSetup
from arbiter.match.judging import judge_answer
from arbiter.match.seat import PLY, Answer, Seat, Turn
from protocol import dvp
from protocol.dvp import Role, State
from protocol.errors import PlySyntaxError
from protocol.lines import LineBuffer
from protocol.rules import Side, parse_ply
from protocol.text import readable

_UNCALLED_IN: dict[State, str] = {
    State.IDLE: "before the game began",
    State.GAME: "when no `go` was open: the one before had been answered",
    State.SETUP: "before `go`",
    State.SYNC: "instead of `readyok`",
    State.THINKING: "with the number of another ply than the one asked for",
    State.OVER: "after the game was over",
}

_HEARD, _LONGEST, _STRAYS = 1_000, 1_000, 200
"""Lines that are kept, how much of each, and how many of those that are no answers."""


class SpokenSeat(Seat):
    """Nothing is said here before it is wanted, not even how the game ended, so it ``has_left`` till then.

    ``script`` are lines to say to a DVP bot in the place of the next request. ``strays`` are lines that are
    no answers; of a DVP bot only those without effect and errors that it reports, in words. Of such a bot
    ``heard`` are the first lines, however they were cut into pieces on their way, and ``uncalled`` the
    answers that nobody had asked for. ``introduced_at`` is when its introduction ended (monotonic ns), 0
    before. ``early_ply`` is the number of the first ply that a CodeCup bot wrote before its turn came, 0 when
    there is none.
    """

    def __init__(self, side: Side, setup: GameSetup, actions: deque[Action]) -> None:
        super().__init__(side, setup, actions)
        self.has_left = True
        self.script: Sequence[str] = ()
        self.strays: list[str] = []
        self.heard: list[str] = []
        self.uncalled: list[str] = []
        self.introduced_at = self.early_ply = 0

    def begin(self) -> None:
        """Wait for ``greet``, or for a line to say."""

    @abstractmethod
    def greet(self) -> None:
        """Ask the bot to introduce itself, where the dialect has that."""

    def announce(self) -> None:
        """Set the options and announce the game, where the dialect has that."""

    @abstractmethod
    def say(self, line: str) -> None:
        """Write a line as it is."""

    @property
    def early(self) -> bool:
        """Whether it has written a ply though it is not its turn."""
        return False

    def news(self) -> tuple[str, ...]:
        """The lines since the last ``go`` of a kind that was not heard before."""
        return ()

    def _keep_stray(self, words: str) -> None:
        self.strays = [*self.strays, words][:_STRAYS]


class SpokenDvpSeat(SpokenSeat, DvpSeat):
    """Any line can be said, known or not."""

    def __init__(self, side: Side, setup: GameSetup, actions: deque[Action]) -> None:
        super().__init__(side, setup, actions)
        self._pieces = LineBuffer()
        self._heard_before = 0

    # What is said

    def greet(self) -> None:
        DvpSeat.begin(self)

    def greeted(self) -> None:
        """Wait for ``announce``."""

    def announce(self) -> None:
        DvpSeat.greeted(self)

    def request(self, turn: Turn) -> None:
        self._heard_before = len(self.heard)
        script, self.script = self.script, ()
        for line in script:
            self.say(line)
        if not script:
            super().request(turn)

    def say(self, line: str) -> None:
        """Write a line as it is, unless the bot wants none of its kind; its clock runs from the last one.

        One that is a message has to be allowed by the protocol now.
        """
        message = dvp.parse(line.encode(), Role.ARBITER)
        if not isinstance(message, dvp.Unknown):
            if f"no{message.word}" in self.features:
                return
            self._talk.send(message)  # for the state only: the words are to go out as they are
        data = f"{line}\n".encode()
        match message:
            case dvp.Hello():
                self.expect("dvpok", data)
            case dvp.IsReady():
                self.expect("readyok", data)
            case _:
                if isinstance(message, dvp.NewGame) and "ready" not in self.features:
                    self.is_ready = True
                self.write(data, starts_clock=True)

    # What is heard

    def read(self, data: bytes, reading: Reading) -> None:
        if len(self.heard) < _HEARD:
            self._pieces.reset()
            self.heard += [readable(line)[:_LONGEST] for line in self._pieces.feed(data)]
        super().read(data, reading)

    def take(self, event: dvp.Event, reading: Reading) -> None:
        match event:
            case dvp.HelloOk():
                self.introduced_at = reading.stamp
            case dvp.Ignored(first=True):
                self._keep_stray(about_ignored(event))
            case dvp.BotError(text):
                self._keep_stray(f"it reported an error: {text}")
            case _:
                pass
        super().take(event, reading)

    def complain(self, message: dvp.Message) -> None:
        self.uncalled.append(f"`{_said(message)}` {_UNCALLED_IN.get(self._talk.state, 'unasked')}")
        super().complain(message)
        self._unasked = 0  # in a game ten of them lose; here the rest of it is to be seen, too

    def news(self) -> tuple[str, ...]:
        known = set(map(kind_of, self.heard[: self._heard_before]))
        return tuple(line for line in self.heard[self._heard_before :] if kind_of(line) not in known)


class SpokenCodecupSeat(SpokenSeat, CodecupSeat):
    """A ply is waited for through lines that are none."""

    _strays_before = 0
    """How many there were when the last ply was taken."""

    def greet(self) -> None:
        CodecupSeat.begin(self)

    def say(self, line: str) -> None:
        self.write(f"{line}\n".encode())

    @property
    def early(self) -> bool:
        return bool(self._answers) and self.wanted != PLY

    def request(self, turn: Turn) -> None:
        had_answer = bool(self._answers)
        super().request(turn)
        if had_answer and not (self.early_ply or self._awaits_double_turn):
            self.early_ply = turn.number

    def read(self, data: bytes, reading: Reading) -> None:
        super().read(data, reading)
        self._skip_strays()

    def pop_answer(self) -> Answer:
        answer = super().pop_answer()
        self._strays_before = len(self.strays)
        self._skip_strays()
        return answer

    def _skip_strays(self) -> None:
        """Let the next answer be a ply."""
        while self._answers and not _is_ply(text := self._answers[0].text or ""):
            self._answers.popleft()
            self._keep_stray(text)

    def overdue(self, spent: Spent) -> Fault:
        """Where lines that are no plies are all that came, the first of them was the answer."""
        strays = self.strays[self._strays_before :]
        fault = judge_answer(strays[0], self.setup.start)[1] if strays else None
        return fault or super().overdue(spent)


def spoken_kind(bot: Bot) -> type[SpokenSeat]:
    """The kind of seat for the dialect that a bot speaks."""
    return SpokenCodecupSeat if bot.dialect is Dialect.CODECUP else SpokenDvpSeat


def _is_ply(text: str) -> bool:
    try:
        parse_ply(text)
    except PlySyntaxError:
        return False
    return True


def _said(message: dvp.Message) -> str:
    if isinstance(message, dvp.Move):
        number = f" ply {message.values['ply']}" if "ply" in message.values else ""
        return f"move {message.ply_text}{number}"
    return message.word
