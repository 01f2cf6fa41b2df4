"""Seats at which a bot can be spoken to line by line, besides being asked like in a game."""

from arbiter.check.excerpt import kind_of
from arbiter.match.bell import Bell
from arbiter.match.bot import Dialect
from arbiter.match.codecup_seat import CodecupSeat
from arbiter.match.dvp_seat import DvpSeat
from arbiter.match.game import GameSetup
from arbiter.match.seat import Turn
from protocol import dvp
from protocol.dvp import Role, State
from protocol.lines import LineBuffer
from protocol.rules import Side
from protocol.text import readable

_UNCALLED_IN: dict[State, str] = {
    State.IDLE: "before the game began",
    State.GAME: "when no `go` was open: the one before had been answered",
    State.SETUP: "before `go`",
    State.SYNC: "instead of `readyok`",
    State.THINKING: "with the number of another ply than the one asked for",
    State.OVER: "after the game was over",
}

_HEARD, _LONGEST = 1_000, 1_000
"""Lines that are kept, and how much of each."""


class SpokenDvpSeat(DvpSeat):
    """Any line can be said, known or not; remembers the answers that nobody had asked for.

    ``heard`` are the first lines of the bot, however they were cut into pieces on their way.
    ``introduced_at`` is the time of the end of its
    introduction (monotonic ns), 0 before.
    """

    def __init__(self, side: Side, setup: GameSetup, bell: Bell) -> None:
        super().__init__(side, setup, bell)
        self.uncalled: list[str] = []
        self.heard: list[str] = []
        self._pieces = LineBuffer()
        self._heard_before = 0
        self.introduced_at = 0

    def news(self) -> tuple[str, ...]:
        """The lines since the last ``go`` of a kind that was not heard before."""
        known = set(map(kind_of, self.heard[: self._heard_before]))
        return tuple(line for line in self.heard[self._heard_before :] if kind_of(line) not in known)

    def _request(self, turn: Turn) -> None:
        self._heard_before = len(self.heard)
        super()._request(turn)

    def received(self, data: bytes, stamp: int) -> None:
        if len(self.heard) < _HEARD:
            self._pieces.reset()
            self.heard += [readable(line)[:_LONGEST] for line in self._pieces.feed(data)]
        super().received(data, stamp)
        if not self.introduced_at and self._talk.state is State.IDLE:
            self.introduced_at = stamp

    def say(self, line: str) -> None:
        """Write a line as it is, unless the bot wants none of its kind.

        One that is a message has to be allowed by the protocol now.
        """
        data = f"{line}\n".encode()
        message = dvp.parse(line.encode(), Role.ARBITER)
        if isinstance(message, dvp.Unknown):
            self.process.write(data)
            return
        if f"no{message.word}" in self.features:
            return
        self._talk.send(message)  # for the state only: the words are to go out as they are
        if not isinstance(message, dvp.Go):
            self.process.write(data)
            return
        self._answer = None
        self._heard_before = len(self.heard)
        self.owes = True
        self.process.begin_turn()
        self.stopwatch.prepare()
        self.stopwatch.start(self.process.write(data))

    @property
    def is_owed(self) -> bool:
        """Whether an introduction or ``readyok`` is still owed."""
        return self._talk.state in (State.HANDSHAKE, State.SYNC)

    @property
    def refusal(self) -> str:
        """Why the bot said that it cannot play, if it did."""
        return self._refusal if self._talk.state is State.REFUSED else ""

    def _complain(self, message: dvp.Message) -> None:
        self.uncalled.append(f"`{_said(message)}` {_UNCALLED_IN.get(self._talk.state, 'unasked')}")
        super()._complain(message)
        self._unexpected = 0  # in a game ten of them lose; here the rest of it is to be seen, too


class SpokenCodecupSeat(CodecupSeat):
    """Takes the lines of a dialogue, too."""

    def say(self, line: str) -> None:
        """Tell the bot ``Start``, a ply of its opponent, or ``Quit``."""
        if line == "Quit":
            self.process.write(self._talk.quit())
            return
        self.owes = True
        self.process.begin_turn()
        self._tell(self._talk.start() if line == "Start" else self._talk.ply(line))


SpokenSeat = SpokenDvpSeat | SpokenCodecupSeat


def spoken_seat(side: Side, setup: GameSetup, bell: Bell) -> SpokenSeat:
    """The seat for the dialect that the bot speaks."""
    dialect = setup.competitor(side).bot.dialect
    seat = SpokenCodecupSeat if dialect is Dialect.CODECUP else SpokenDvpSeat
    return seat(side, setup, bell)


def _said(message: dvp.Message) -> str:
    if isinstance(message, dvp.Move):
        number = f" ply {message.values['ply']}" if "ply" in message.values else ""
        return f"move {message.ply_text}{number}"
    return message.word
