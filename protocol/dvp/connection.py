"""One end of a DVP conversation: what may be said now, and what the other end said.

No I/O and no time: the owner moves the bytes. Whose fault an offence is shows in how it is told: our
own is a `LocalProtocolError`, the other end's is an event.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from protocol.dvp.formatting import format
from protocol.dvp.messages import (
    FEATURES,
    GO_KEYS,
    VERSION,
    Board,
    Feature,
    Go,
    Hello,
    HelloOk,
    Id,
    Legal,
    Message,
    Move,
    Option,
    Setup,
    Unknown,
)
from protocol.dvp.parsing import parse
from protocol.errors import LocalProtocolError
from protocol.lines import LineBuffer, Overflow
from protocol.states import (
    ANSWERS,
    CROSSING,
    DVP,
    MEANING,
    NEEDED_FEATURE,
    UNWANTED_BY_FEATURE,
    Role,
    State,
)
from protocol.text import readable

MAX_KINDS = 100
"""How many kinds of ignored lines are told apart; further ones are never the first of their kind."""

_USUAL_GO = GO_KEYS - {"infinite"}
_INTRODUCTIONS = (State.START, State.HANDSHAKE)


@dataclass(frozen=True, slots=True)
class Ignored:
    """A line without effect. ``first`` is true for the first of its kind in the conversation."""

    text: str
    hint: str
    first: bool


@dataclass(frozen=True, slots=True)
class Unexpected:
    """A message the other end may not send now: an answer nobody asked for, or an arbiter out of step."""

    message: Message


Event = Message | Ignored | Unexpected


class Connection:
    r"""One end of the conversation; ``role`` says which one.

    >>> arbiter = Connection(Role.ARBITER)
    >>> arbiter.send(Hello())
    b'dvp 1\n'
    >>> arbiter.receive(b"hello?\ndvp")
    [Ignored(text='hello?', hint='', first=True)]
    >>> arbiter.receive(b"ok\n")
    [HelloOk(version=1)]
    """

    def __init__(self, role: Role) -> None:
        self._role = role
        self._lines = LineBuffer()
        self._state: State = State.START
        self._features: frozenset[str] = frozenset()
        self._options: dict[str, Option] = {}
        self._ids: dict[str, str] = {}
        self._version = VERSION
        self._asked: int | None = None
        self._kinds: set[str] = set()

    @property
    def state(self) -> State:
        return self._state

    @property
    def features(self) -> frozenset[str]:
        """Those of ``FEATURES`` that the bot announced."""
        return self._features

    @property
    def options(self) -> Mapping[str, Option]:
        """The options that the bot announced, by name."""
        return MappingProxyType(self._options)

    @property
    def ids(self) -> Mapping[str, str]:
        """``name``, ``author`` and ``version`` as far as the bot announced them."""
        return MappingProxyType(self._ids)

    @property
    def version(self) -> int:
        """The version agreed on; before that the highest one offered."""
        return self._version

    @property
    def flood(self) -> Overflow | None:
        """The limit that the other end has passed; nothing is received any more then."""
        return self._lines.overflow

    @property
    def bytes_received(self) -> int:
        """Bytes from the other end since the beginning."""
        return self._lines.bytes_total

    @property
    def unfinished(self) -> str:
        """What the other end wrote without a line end so far, made readable."""
        return readable(self._lines.unfinished)

    def allows(self, kind: type[Message]) -> bool:
        """Whether our side may send a message of this kind now.

        >>> Connection(Role.ARBITER).allows(Hello), Connection(Role.ARBITER).allows(Go)
        (True, False)
        """
        return self._fault(self._state, self._role, kind.word) is None

    def send(self, *messages: Message) -> bytes:
        """The bytes that say ``messages``, one line each.

        >>> Connection(Role.BOT).send(HelloOk())
        Traceback (most recent call last):
        ...
        protocol.errors.LocalProtocolError: the bot may not say `dvpok`: ...

        Raises `LocalProtocolError`, with nothing changed, when one of them cannot be said now.
        """
        state = self._state
        lines = []
        for message in messages:
            fault = self._fault(state, self._role, message.word) or self._fault_inside(message)
            if fault is not None:
                raise LocalProtocolError(f"the {self._role} may not say `{message.word}`: {fault}")
            state = DVP[state][self._role][message.word]
            lines.append(format(message) + "\n")
        for message in messages:
            self._take(message, self._role)
        return "".join(lines).encode()

    def request(
        self,
        start: str,
        plies: Sequence[str],
        go: Mapping[str, int],
        board: str | None = None,
        legal: Sequence[str] | None = None,
    ) -> bytes:
        r"""The bytes that ask for a ply: the same as `send` makes, in less time.

        >>> arbiter = Connection(Role.ARBITER)
        >>> _ = arbiter.send(Hello()), arbiter.receive(b"dvpok\n")
        >>> _ = arbiter.send(parse(b"newgame white", Role.ARBITER))
        >>> arbiter.request("start", ["D1"], {"ply": 2})
        b'position start moves D1\ngo ply 2\n'

        Raises `LocalProtocolError`, with nothing changed, when that cannot be said now.
        """
        is_usual = self._state is State.GAME and self._role is Role.ARBITER and go.keys() <= _USUAL_GO
        is_spared = (board and "noboard" in self._features) or (legal and "nolegal" in self._features)
        if not (is_usual and go) or is_spared or legal == []:
            return self.send(*_request(start, plies, go, board, legal))
        lines = [f"position {start} moves {' '.join(plies)}" if plies else f"position {start}"]
        if board is not None:
            lines.append(f"board {board}")
        if legal is not None:
            lines.append(f"legal {' '.join(legal)}")
        lines.append(f"go {' '.join([f'{key} {value}' for key, value in go.items()])}\n")
        self._asked = go.get("ply")
        self._lines.reset()
        self._state = State.THINKING
        return "\n".join(lines).encode()

    def receive(self, data: bytes) -> list[Event]:
        r"""What the lines that ``data`` completes mean, in order.

        >>> Connection(Role.ARBITER).receive(b"info string awake\nmove A1\n")
        [InfoString(text='awake'), Unexpected(message=Move(ply_text='A1', values={}))]
        """
        return [self._event(line) for line in self._lines.feed(data)]

    def _event(self, line: bytes) -> Event:
        sender = self._role.other
        if self._state is State.THINKING and line.startswith(b"move ") and line[5:].isalnum():
            # What nearly every line is that matters; without the way round by `parse`.
            self._state = State.GAME
            return Move(line[5:].decode())
        message = parse(line, sender)
        if isinstance(message, Unknown):
            return self._ignored(message.text, message.hint, message.kind)
        word = message.word
        fault = self._fault(self._state, sender, word) or self._fault_inside(message)
        if fault is None:
            self._take(message, sender)
            return message
        crossed = (self._state, word) in CROSSING
        if word in ANSWERS or (sender is Role.ARBITER and not crossed):
            return Unexpected(message)
        return self._ignored(readable(line), f"no meaning here: {fault}", f"{self._state} {word}")

    def _ignored(self, text: str, hint: str, kind: str) -> Ignored:
        first = kind not in self._kinds and len(self._kinds) < MAX_KINDS
        if first:
            self._kinds.add(kind)
        return Ignored(text, hint, first)

    def _fault(self, state: State, sender: Role, word: str) -> str | None:
        """Why ``sender`` may not say ``word`` in ``state``; None when it may."""
        if word not in DVP[state][sender]:
            return MEANING[state]
        needed = NEEDED_FEATURE.get((state, word))
        if needed is not None and needed not in self._features:
            return f"the bot has no feature {needed}"
        unwanted = UNWANTED_BY_FEATURE.get(word)
        if unwanted in self._features:
            return f"the bot has the feature {unwanted}"
        return None

    def _fault_inside(self, message: Message) -> str | None:
        """What the content of ``message`` has against it."""
        if isinstance(message, HelloOk) and not 1 <= message.version <= self._version:
            which = "only version 1" if self._version == 1 else f"versions from 1 to {self._version}"
            return f"{which} can be chosen"
        if isinstance(message, Move) and self._asked is not None:
            answered = message.values.get("ply", self._asked)
            return None if answered == self._asked else f"ply {self._asked} is asked for, not ply {answered}"
        if isinstance(message, Go) and "infinite" in message.values and "stop" not in self._features:
            return "an infinite search needs the feature stop"
        return None

    def _take(self, message: Message, sender: Role) -> None:
        """Book a message that was said."""
        if self._state in _INTRODUCTIONS:
            self._introduce(message)
        elif isinstance(message, Go):
            self._asked = message.values.get("ply")
            self._lines.reset()
        self._state = DVP[self._state][sender][message.word]

    def _introduce(self, message: Message) -> None:
        match message:
            case Hello(version):
                self._version = min(version, VERSION)
            case HelloOk(version):
                self._version = version
            case Feature(names):
                self._features |= frozenset(names) & FEATURES
            case Option(name):
                self._options[name] = message
            case Id(kind, text):
                self._ids[kind] = text


def _request(
    start: str, plies: Sequence[str], go: Mapping[str, int], board: str | None, legal: Sequence[str] | None
) -> list[Message]:
    """The messages that ask for a ply."""
    messages: list[Message] = [Setup(start, tuple(plies))]
    if board is not None:
        messages.append(Board(board))
    if legal is not None:
        messages.append(Legal(tuple(legal)))
    return [*messages, Go(go)]
