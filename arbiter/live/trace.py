"""The dialogue of both bots as it happens, for the author of one."""

from dataclasses import dataclass

from arbiter.live.conversation import Conversation, Entry, game_of
from arbiter.live.plain import Progress, describe
from arbiter.live.writer import Heard
from arbiter.match.dialogue import Voice
from arbiter.tournament.events import Event, GameFinished, GameStarted
from protocol.rules import Side

LEGEND = (
    "ms since the start of the game, + since the last line to the bot;"
    " > to the bot, < from the bot, ! its stderr, # the arbiter's remarks"
)
_RESET = "\x1b[0m"
_SIDES = {Side.WHITE: "\x1b[38;5;16;48;5;230m", Side.BLACK: "\x1b[38;5;231;48;5;238m"}
_VOICES = {Voice.TO_BOT: "\x1b[2m", Voice.FROM_BOT: "", Voice.STDERR: "\x1b[31m", Voice.NOTE: "\x1b[33m"}
_NARROWEST = 80
_BEGINNING = 24


@dataclass(frozen=True, slots=True)
class Style:
    """How a trace looks.

    ``width`` is that of a terminal, to which the arbiter's lines are cut; None: nothing is cut.
    ``games`` says that several go on at once, so that each line has to name its own.
    """

    colour: bool = False
    width: int | None = None
    games: bool = False


class Trace:
    """Entries as lines, and other events as the plain view has them."""

    def __init__(self, style: Style, *, quiet: bool = False, only: str | None = None) -> None:
        """``only``: show a single thing, what the bot of this name writes to its stderr. ``quiet``: leave the
        other events out.
        """
        self._style = style
        self._quiet = quiet
        self._only = only
        self._progress = Progress()
        self._games: dict[int, Conversation] = {}
        self._names: dict[int, tuple[str, str]] = {}
        self._has_begun = False

    def lines(self, heard: Heard) -> list[str]:
        """The lines that an event gives."""
        event, number = heard.event, game_of(heard.event)
        if isinstance(event, GameStarted):
            self._games[event.fixture.number] = Conversation(heard.stamp)
            self._names[event.fixture.number] = (event.fixture.white, event.fixture.black)
        said: list[str] = []
        if number is not None and number in self._games:
            entries = list(self._games[number].hear(heard))
            said = [self._format(number, entry) for entry in entries if self._wants(number, entry)]
        if isinstance(event, GameFinished):
            self._games.pop(event.game.number, None)
            self._names.pop(event.game.number, None)
        return [*self._legend(event), *said, *self._other(event)]

    def _wants(self, number: int, entry: Entry) -> bool:
        if self._only is None:
            return True
        return entry.voice is Voice.STDERR and self._names[number][entry.side] == self._only

    def _legend(self, event: Event) -> list[str]:
        """The signs are explained once, before the first game."""
        if self._has_begun or self._only is not None or not isinstance(event, GameStarted):
            return []
        self._has_begun = True
        return [LEGEND]

    def _other(self, event: Event) -> list[str]:
        self._progress.note(event)
        text = "" if self._quiet else describe(event, self._progress)
        return [text] if text else []

    def _format(self, number: int, entry: Entry) -> str:
        game = f"{number:>4} " if self._style.games else ""
        since = "" if entry.since_request is None else f"+{entry.since_request / 1e6:.3f}"
        times = f"{game}{entry.since_start / 1e6:11.3f} {since:>10} "
        text = self._cut(entry, len(times) + len("> white "))
        if not self._style.colour:
            return f"{times}{entry.voice} {entry.side.word} {text}"
        side = f"{_SIDES[entry.side]}{entry.side.word}{_RESET}"
        return f"{times}{entry.voice} {side} {_VOICES[entry.voice]}{text}{_RESET}"

    def _cut(self, entry: Entry, taken: int) -> str:
        """What the arbiter says is long and has its news at the end; what a bot says is never cut."""
        text, width = entry.text, self._style.width
        if width is None or entry.voice is not Voice.TO_BOT:
            return text
        room = max(width, _NARROWEST) - taken
        if len(text) <= room:
            return text
        more = f" … +{len(text) - room} … "
        return text[:_BEGINNING] + more + text[_BEGINNING + len(more) - room :]
