"""Games as conversations: what was said, with times from their beginning, and what it cost."""

from collections.abc import Iterator
from typing import NamedTuple

from arbiter.live.lines import Line, Lines
from arbiter.live.writer import Heard
from arbiter.match.clock import MS
from arbiter.match.dialogue import Voice
from arbiter.match.game import PlyRecord
from arbiter.tournament.events import Event, GameFinished, GameStarted, Overheard, PlyPlayed
from protocol.rules import Phase, Position, Side


class Entry(NamedTuple):
    """A line with its times in ns: since the game's start, and of an answer also since its request."""

    since_start: int
    since_request: int | None
    side: Side
    voice: Voice
    text: str


class Conversation:
    """One game's events as entries."""

    def __init__(self, began: int) -> None:
        """``began`` is when the game started (monotonic ns)."""
        self._began = began
        self._lines = Lines()
        self._requests: dict[Side, int] = {}

    def hear(self, heard: Heard) -> Iterator[Entry]:
        """The entries that an event gives."""
        match heard.event:
            case Overheard(_, said):
                for line in self._lines.feed(said):
                    yield self._entry(line)
            case PlyPlayed(_, record, position):
                side = _mover(record, position)
                yield self._entry(Line(heard.stamp, side, Voice.NOTE, _cost(record)))
            case GameFinished():
                for line in self._lines.rest():
                    yield self._entry(line)

    def _entry(self, line: Line) -> Entry:
        if line.voice is Voice.TO_BOT:
            self._requests[line.side] = line.stamp
        asked = self._requests.get(line.side) if line.voice is Voice.FROM_BOT else None
        since_request = None if asked is None else max(0, line.stamp - asked)
        return Entry(max(0, line.stamp - self._began), since_request, line.side, line.voice, line.text)


def game_of(event: Event) -> int | None:
    """The number of the game that an event is about; None when it is about none."""
    match event:
        case GameStarted(fixture, _) | Overheard(fixture, _) | PlyPlayed(fixture, _, _):
            return fixture.number
        case GameFinished(game):
            return game.number
    return None


def _mover(record: PlyRecord, position: Position) -> Side:
    """Who played the ply that led to a position: White placed last, whoever moves then."""
    if len(record.ply) == 2 and position.phase is Phase.MOVEMENT:
        return Side.WHITE
    return position.to_move.other


def _cost(record: PlyRecord) -> str:
    """What a ply took and what its clock was charged."""
    if "substitute" in record.info:
        return f"{record.ply}: played in its place"
    wall, cpu = record.spent.wall / MS, record.spent.cpu / MS
    left = "" if record.left is None else f", {record.left / MS:.0f} ms left"
    return f"{record.ply}: took {wall:.3f} ms (cpu {cpu:.3f} ms), charged {record.used / MS:.3f} ms{left}"
