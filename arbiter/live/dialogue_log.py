"""The dialogues of games as files, written while they are played."""

from datetime import datetime
from pathlib import Path
from typing import TextIO

from arbiter.isolation.resources import reraise_lack
from arbiter.live.conversation import Conversation, Entry, game_of
from arbiter.live.plain import describe_game
from arbiter.live.writer import Heard, View
from arbiter.store import StoreError
from arbiter.tournament.events import GameFinished, GameStarted, Notice


class DialogueLog(View):
    """A file a game: seconds since its start to the µs, who spoke at whose seat, the words."""

    wants_bulk = True

    def __init__(self, directory: Path) -> None:
        """``directory`` exists; files of equal names are replaced."""
        self._directory = directory
        self._files: dict[int, TextIO] = {}
        self._games: dict[int, Conversation] = {}

    def hear(self, heard: Heard) -> None:
        event, number = heard.event, game_of(heard.event)
        if isinstance(event, GameStarted):
            self._open(event, heard.stamp)
        if isinstance(event, Notice):
            # During games: that a part of what was said is missing.
            for file in self._files.values():
                file.write(f"{event.text}\n")
        if number is None or number not in self._files:
            return
        self._files[number].writelines(f"{_line(entry)}\n" for entry in self._games[number].hear(heard))
        if isinstance(event, GameFinished):
            self._games.pop(number)
            with self._files.pop(number) as file:
                file.write(f"{describe_game(event.game)}\n")

    def refresh(self) -> None:
        """Leave nothing unwritten that would be lost if the arbiter were killed."""
        for file in self._files.values():
            file.flush()

    def close(self) -> None:
        for file in self._files.values():
            with file:
                file.write("broken off\n")

    def _open(self, event: GameStarted, began: int) -> None:
        fixture = event.fixture
        attempt = f"-attempt-{event.attempt}" if event.attempt > 1 else ""
        path = self._directory / f"game-{fixture.number}{attempt}.log"
        try:
            file = path.open("w", encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            reraise_lack(error)
            raise StoreError(
                f"{path}: cannot be written: {error.strerror}", "--log names its directory"
            ) from error
        self._files[fixture.number] = file
        self._games[fixture.number] = Conversation(began)
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        file.write(f"game {fixture.number}: {fixture.white} (white) - {fixture.black} (black), {now}\n")
        file.write("seconds; > to the bot, < from the bot, ! its stderr, # the arbiter's remarks\n")


def _line(entry: Entry) -> str:
    return f"{entry.since_start / 1e9:12.6f} {entry.voice} {entry.side.word} {entry.text}"
