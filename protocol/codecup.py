"""The dialect of the CodeCup contest of 2011: plies, `Start` and `Quit`, nothing else.

There is no request in this dialect: a bot answers when it knows that it is its turn. A line that
comes before its turn is a ply written early and counts as soon as the turn is reached.
"""

from collections import deque
from collections.abc import Iterable

from protocol.errors import LocalProtocolError
from protocol.lines import LineBuffer, Overflow
from protocol.rules import Side
from protocol.states import CODECUP, FIRST_TURN, TURN_MEANING, Role, Turn
from protocol.text import readable

LAST_PLACEMENT = 49
_PLY, _PLY_49 = "ply", "ply 49"

__all__ = ["LAST_PLACEMENT", "Connection", "Role", "Turn"]


class Connection:
    r"""One end of the conversation between the arbiter and the bot that plays ``side``.

    Knows whose turn it is by counting plies, nothing about rules or time. What is sent is checked
    against the table; what the other end writes early is counted and taken when its turn comes.

    >>> arbiter = Connection(Side.WHITE)
    >>> arbiter.start()
    b'Start\n'
    >>> arbiter.receive(b"D1\n")
    ['D1']
    >>> arbiter.ply("F4"), arbiter.state
    (b'F4\n', <Turn.OWN: 'own'>)
    """

    def __init__(self, side: Side, role: Role = Role.ARBITER) -> None:
        self._role = role
        self._lines = LineBuffer()
        self._state = FIRST_TURN[side.word]
        self._plies = 0
        self._early: deque[str] = deque()

    @property
    def state(self) -> Turn:
        return self._state

    @property
    def plies(self) -> int:
        """How many plies have passed in either direction, early ones not counted."""
        return self._plies

    @property
    def early(self) -> int:
        """How many lines have been received ahead of their turn."""
        return len(self._early)

    @property
    def flood(self) -> Overflow | None:
        """The limit that the other end has passed."""
        return self._lines.overflow

    @property
    def bytes_received(self) -> int:
        return self._lines.bytes_total

    @property
    def unfinished(self) -> str:
        """What stands in the pipe without a line end, made readable."""
        return readable(self._lines.unfinished)

    def start(self) -> bytes:
        """Tell White's bot to begin."""
        return self._send("Start", "Start")

    def ply(self, text: str) -> bytes:
        """Pass a ply on: from the arbiter the opponent's, from the bot its own."""
        if not (text.isascii() and text.isalnum()):
            raise LocalProtocolError(f"not a ply: {text!r}")
        return self._send(text, _PLY)

    def quit(self) -> bytes:
        """End the conversation."""
        return self._send("Quit", "Quit")

    def receive(self, data: bytes) -> list[str]:
        """The lines that ``data`` completes, each once and in order, early ones too.

        Undecodable bytes and control characters come escaped, so that such a line is no ply.
        """
        received: list[str] = []
        for piece in self._pieces(data):
            for line in self._lines.feed(piece):
                text = readable(line).strip(" ")
                received.append(text)
                self._early.append(text)
                self._take_due()
        return received

    def _pieces(self, data: bytes) -> Iterable[bytes]:
        """``data`` line by line: the counting period ends with the very line that is the other end's ply."""
        is_whole = data.find(b"\n") in (-1, len(data) - 1)
        return (data,) if is_whole or self.flood else data.splitlines(keepends=True)

    def _send(self, text: str, word: str) -> bytes:
        if not self._advance(self._role, word):
            raise LocalProtocolError(f"the {self._role} may not send {text!r}: {TURN_MEANING[self._state]}")
        self._take_due()
        return text.encode() + b"\n"

    def _take_due(self) -> None:
        """Let the received lines whose turn has come pass through the table.

        The counting period ends with such a line, unless more wait behind it: what waits stays
        counted, or a backlog could grow from ply to ply.
        """
        sender = self._role.other
        while self._early and self._advance(sender, _word(sender, self._early[0])):
            self._early.popleft()
            if not self._early:
                self._lines.reset()

    def _advance(self, sender: Role, word: str) -> bool:
        """Take one step in the table, if it has it."""
        is_ply = word == _PLY
        if is_ply and self._plies + 1 == LAST_PLACEMENT:
            word = _PLY_49
        following = CODECUP[self._state][sender].get(word)
        if following is None:
            return False
        self._plies += is_ply
        self._state = following
        return True


def _word(sender: Role, text: str) -> str:
    """The word of the table that a received line stands for."""
    return text if sender is Role.ARBITER and text in ("Start", "Quit") else _PLY
