"""Records of littlegolem.net: ``Event [..] White [..] 1. g2 c1 2. ... 38. resign``, on one line or more.

Headers are a key and a value in brackets; plies are in lower case, with ``pass`` and ``resign``. The 49th
placement is left out: the only empty space takes it when 48 pieces lie there and something else
follows. A file may hold many games: one begins where headers follow moves, a header comes again, or the
numbers start from 1 again.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from protocol.errors import PlySyntaxError
from protocol.records.claims import Claim, read_claim
from protocol.records.dates import iso_date
from protocol.records.record import RESULTS, Reading
from protocol.records.transcript import BrokenOffError, Transcript
from protocol.rules import parse_ply
from protocol.text import one_line

_KEPT = ("Event", "Site", "Date", "Round", "White", "Black")
_KEY = r"[A-Za-z][A-Za-z0-9_-]*\s*\["
# A name may hold brackets, so that a value on one line ends where something that follows a header follows.
_END = rf"(?=\s*(?:{_KEY}|\d+\.|[A-Ka-k][1-5]\b|resign\b|\{{|\Z)|[ \t]*\n)"
_HEADER = rf"(?P<key>(?={_KEY})[A-Za-z0-9_-]+)\s*\[(?P<value>[^\n]{{0,300}}?(?=\]{_END})|[^\[\]]*)\]"
_TOKEN = re.compile(rf"{_HEADER}|(?P<comment>\{{[^{{}}]*\}})|(?P<word>[^\s{{]+|\{{)")
_FIRST = "Game|Event|Site|Date|White|Black"
_BEGINNING = re.compile(rf"\s*(?:(?:{_FIRST})\s*\[|1\.+\s*[A-K][1-5]\b)", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:(?P<number>\d{1,4})\.+)?(?P<rest>.*)", re.DOTALL)


@dataclass(slots=True)
class _Game:
    """What stands in the file of one game; words have the lines in which they stand."""

    line: int
    headers: dict[str, str] = field(default_factory=dict)
    words: list[tuple[int, str]] = field(default_factory=list)


def looks_like_little_golem(text: str) -> bool:
    """Whether a text begins with such a header, or with ``1.`` and a placement."""
    return _BEGINNING.match(text) is not None


def scan_little_golem(text: str, source: str) -> Iterator[Reading]:
    """The games of a file, each with what is wrong with it; lines have to end with a single LF."""
    for number, game in enumerate(_games(text), 1):
        yield _read_game(game, source, number)


def _games(text: str) -> Iterator[_Game]:
    game: _Game | None = None
    line, counted = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", counted, token.start())
        counted = token.start()
        key, word = (token["key"] or "").title(), token["word"] or ""
        if game is not None and _begins(game, key, word):
            yield game
            game = None
        game = game or _Game(line)
        if key:
            game.headers[key] = one_line(token["value"].strip().strip('"'))
        elif word:
            game.words.append((line, word))
    if game is not None:
        yield game


def _begins(game: _Game, key: str, word: str) -> bool:
    """Whether this header or word belongs to the next game."""
    if key:
        return bool(game.words) or key in game.headers
    return re.match(r"1\.", word) is not None and bool(game.words)


def _read_game(game: _Game, source: str, number: int) -> Reading:
    transcript = Transcript(source, number, game.line)
    headers = {key: game.headers.get(key, "") for key in _KEPT}
    headers["Date"] = iso_date(headers["Date"])
    claim = read_claim(game.headers.get("Result", ""), headers["White"], headers["Black"])
    with suppress(BrokenOffError):
        claim = _read_words(game.words, transcript) or claim
    return transcript.finish(headers, claim)


def _read_words(words: Sequence[tuple[int, str]], transcript: Transcript) -> Claim | None:
    """Play what the words say; what they claim about the result."""
    claim = None
    for line, numbered in words:
        if numbered in RESULTS:
            claim = read_claim(numbered, "", "", line)
            continue
        match = _NUMBERED.fullmatch(numbered)
        assert match is not None
        word = match["rest"].lower().replace("-", "")
        if word == "resign":
            transcript.resign(None, line)
        elif word:
            try:
                transcript.play(parse_ply(word), line)
            except PlySyntaxError as error:
                raise transcript.broken(line, str(error)) from None
    return claim
