"""Logs of the CodeCup contest and of PrimaDvonna: plies in upper case, one or more a line, ``#`` comments.

All 49 placements are there, and every pass. Comments before a game may name the players (``# White: Ann``,
``# Ann vs Bob``), ``Event``, ``Site`` and ``Date``; any other is skipped, and so are the words ``Start`` and
``Quit`` of the dialect. A file may hold many games. A blank line or a comment before a placement begins the
next one, except where the placements before and after it make up one full board, or, after a comment, could
do so; without either it begins when the game before is over.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice

from protocol.errors import PlySyntaxError
from protocol.records.dates import iso_date
from protocol.records.record import Reading
from protocol.records.transcript import BrokenOffError, Transcript
from protocol.rules import SPACES, Phase, Ply, parse_ply
from protocol.text import one_line

_FACT = re.compile(r"(White|Black|Event|Site|Date) ?[:=] ?(.+)", re.IGNORECASE)
_VERSUS = re.compile(r"(?:game ?\d*[:.]? )?([^:,]+?) vs?\.? ([^:,]+)", re.IGNORECASE)
_DIALECT = ("START", "QUIT")


class _Gap(IntEnum):
    """What stands between a ply and the one before it."""

    NONE = 0
    COMMENT = 1
    BLANK = 2


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a log; ``ply`` is None when it is none. ``notes`` are the comments just before it."""

    text: str
    line: int
    gap: _Gap
    notes: tuple[str, ...]
    ply: Ply | None

    @property
    def is_placement(self) -> bool:
        return self.ply is not None and self.ply.source is None and self.ply.target is not None


def looks_like_codecup(text: str) -> bool:
    """Whether the first line that is no comment consists of plies."""
    first = next(filter(None, (line.split("#")[0].split() for line in text.split("\n"))), [])
    return bool(first) and all(_ply(word) or word.upper() in _DIALECT for word in first)


def scan_codecup_log(text: str, source: str) -> Iterator[Reading]:
    """The games of a file, each with what is wrong with it; lines have to end with a single LF."""
    number = 0
    for words in _games(_words(text)):
        at = 0
        while at < len(words):
            number += 1
            reading, at = _read_game(words, at, source, number)
            yield reading


def _words(text: str) -> Iterator[_Word]:
    gap, notes = _Gap.NONE, list[str]()
    for number, line in enumerate(re.finditer(r"([^\n]*)(?:\n|$)", text), 1):
        said, mark, note = line[1].partition("#")
        if not said.strip():
            facts = _facts([one_line(note)]) if mark else {}
            notes += [one_line(note)] if facts else []
            gap = max(gap, _Gap.COMMENT if mark and not facts else _Gap.BLANK)
        for word in said.split():
            if word.upper() in _DIALECT:
                gap = _Gap.BLANK
            else:
                yield _Word(word, number, gap, tuple(notes), _ply(word))
                gap, notes = _Gap.NONE, []


def _ply(word: str) -> Ply | None:
    try:
        return parse_ply(word)
    except PlySyntaxError:
        return None


def _games(words: Iterator[_Word]) -> Iterator[list[_Word]]:
    """Cut at the gaps; games without a gap between them stay together."""
    ahead = deque(islice(words, len(SPACES)))
    game: list[_Word] = []
    while ahead:
        if game and ahead[0].gap and ahead[0].is_placement and not _continues(game, ahead):
            yield game
            game = []
        game.append(ahead.popleft())
        ahead.extend(islice(words, 1))
    if game:
        yield game


def _continues(game: list[_Word], ahead: Sequence[_Word]) -> bool:
    """Whether the placement that comes after a gap is of the same game as the words before."""
    if len(game) >= len(SPACES) or not all(word.is_placement for word in game):
        return False
    first, spaces = ahead[0], [word.ply for word in game]
    for word in ahead:
        if not word.is_placement or (word is not first and word.gap > first.gap):
            break
        spaces.append(word.ply)
    is_possible = len(spaces) <= len(SPACES) and len(set(spaces)) == len(spaces)
    return is_possible and (len(spaces) == len(SPACES) or first.gap is _Gap.COMMENT)


def _read_game(words: list[_Word], at: int, source: str, number: int) -> tuple[Reading, int]:
    """The game that begins with this word, and where the next begins."""
    begin = words[at]
    transcript = Transcript(source, number, begin.line, fills=False)
    with suppress(BrokenOffError):
        for index in range(at, len(words)):
            word, position = words[index], transcript.position
            if word.ply is None:
                raise transcript.broken(word.line, f"`{one_line(word.text)}` is no ply", index - at + 1)
            if word.is_placement and position.phase is Phase.MOVEMENT and position.is_over:
                return transcript.finish(_facts(begin.notes)), index
            transcript.play(word.ply, word.line)
    return transcript.finish(_facts(begin.notes)), len(words)


def _facts(notes: Sequence[str]) -> dict[str, str]:
    """The headers in comments."""
    facts: dict[str, str] = {}
    for note in notes:
        if fact := _FACT.fullmatch(note):
            facts[fact[1].title()] = iso_date(fact[2]) if fact[1].title() == "Date" else fact[2]
        elif names := _VERSUS.fullmatch(note):
            facts |= {"White": names[1], "Black": names[2]}
    return facts
