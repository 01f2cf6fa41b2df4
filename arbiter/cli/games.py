"""The games that a RECORD argument names: those of a file, of standard input or of a results directory."""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Self

from arbiter.cli.errors import UsageError
from arbiter.cli.records import read_text, source_name, whole_number
from protocol.records import Reading, Record, Unread, lines_of, split_lines


class Games(ABC):
    """Games by what ``--game`` calls them: the number in their schedule, else the place in the file, which
    also counts when a number occurs twice, as in files put together.

    Each is read when it is asked for, and then has that number as its ``game``: of many games one at a time
    is in memory, unless it is kept.
    """

    numbers: Sequence[int]

    def __len__(self) -> int:
        return len(self.numbers)

    def only(self, numbers: Collection[int]) -> Self:
        """Some of these games."""
        few = copy(self)
        few.numbers = [number for number in self.numbers if number in numbers]
        return few

    @abstractmethod
    def read(self, number: int) -> Reading:
        """One of them; with its faults if it has any."""

    @abstractmethod
    def __iter__(self) -> Iterator[tuple[int, Reading]]:
        """All of them, each with its number."""

    @property
    def records(self) -> Iterator[Record]:
        """Those that can be read."""
        return (reading.record for _, reading in self if reading.record is not None)


def load_games(path: str) -> Games:
    """The games of a RECORD argument.

    :raises UsageError: there is nothing readable at this path.
    """
    if any((Path(path) / name).is_file() for name in ("game.drec", "bundle.json")):
        path = str(Path(path) / "game.drec")
    if Path(path).is_dir():
        return _StoredGames(path)
    text = read_text(path)
    games = _FiledGames(list(split_lines(lines_of(text), source_name(path))))
    if len(games) and next(games.records, None) is None:
        _refuse_foreign(text, path)
    return games


def choose_record(games: Games, source: str, wanted: int | None) -> Record:
    """The game of this number, or the only one there is.

    :raises UsageError: there is no such game, or it cannot be read, or none is named among several.
    """
    numbers = games.numbers
    if not numbers:
        raise UsageError(f"{source}: no games in it")
    if wanted is None and len(numbers) > 1:
        raise UsageError(f"{source}: {len(numbers)} games", "choose one with --game N")
    number = numbers[0] if wanted is None else wanted
    if number not in numbers:
        raise UsageError(
            f"{source}: no game {number}", f"its games have numbers from {min(numbers)} to {max(numbers)}"
        )
    found = games.read(number)
    if found.record is None:
        raise UsageError(str(found.faults[0]), "arbiter verify lists every fault of a file")
    return found.record


def _refuse_foreign(text: str, path: str) -> None:
    from protocol.records.formats import Format, recognise

    form = recognise(text)
    if form not in (None, Format.DREC):
        command = shlex.join(["arbiter", "import", path, "--output", "games.drec"])
        raise UsageError(f"{source_name(path)}: {form}, not DREC", f"make it that: {command}")


class _FiledGames(Games):
    """Those of a file."""

    def __init__(self, unread: Sequence[Unread]) -> None:
        own = [whole_number(each.number) for each in unread]
        numbers = [each.game if number is None else number for each, number in zip(unread, own, strict=True)]
        if len(set(numbers)) < len(numbers):
            numbers = [each.game for each in unread]
        self.numbers = numbers
        self._unread = dict(zip(numbers, unread, strict=True))

    def read(self, number: int) -> Reading:
        reading = self._unread[number].read()
        if reading.record is None:
            return reading
        return replace(reading, record=replace(reading.record, game=number))

    def __iter__(self) -> Iterator[tuple[int, Reading]]:
        return ((number, self.read(number)) for number in self.numbers)


class _StoredGames(Games):
    """Those of a results directory, in the order of its schedule."""

    def __init__(self, directory: str) -> None:
        from arbiter.cli.results import reading

        self._directory = directory
        with reading([directory]) as (league,):
            self.numbers = [game.number for game in league.attempts()]

    def read(self, number: int) -> Reading:
        return next(reading for _, reading in self._from(number))

    def __iter__(self) -> Iterator[tuple[int, Reading]]:
        wanted = set(self.numbers)
        return ((number, reading) for number, reading in self._from(1) if number in wanted)

    def _from(self, first: int) -> Iterator[tuple[int, Reading]]:
        from arbiter.cli.results import reading
        from arbiter.store.drec import records

        with reading([self._directory]) as (league,):
            for record in records(league, first):
                number = int(record.headers["Number"])
                yield number, Reading(replace(record, game=number))
