"""The book that comes along: 500 full boards that champion placed, and found even.

How they were chosen is told by ``benchmarks/champion/book.py``, and what was found of each by its record.
"""

from importlib.resources import files
from pathlib import Path

from arbiter.tournament.openings.files import read_openings
from arbiter.tournament.openings.opening import Opening
from protocol.rules import Rules, parse_dpos

BOOK = "balanced-500.drec"

_EXCHANGE = str.maketrans("wb", "bw")


def book_path() -> Path:
    """Where the book is: in the repository, or, once installed, beside this module."""
    in_repository = Path(__file__).parents[3] / "tournaments" / "openings" / BOOK
    return in_repository if in_repository.is_file() else Path(str(files(__package__) / BOOK))


def read_book(rules: Rules = Rules.STANDARD) -> tuple[Opening, ...]:
    """The openings of the book in its order.

    They are even when White begins. Where Black does, the colours are exchanged, which gives the same games.
    """
    openings = read_openings(book_path().read_text(encoding="utf-8"), BOOK).openings
    if rules is Rules.STANDARD:
        return openings
    return tuple(_exchanged(opening, rules) for opening in openings)


def _exchanged(opening: Opening, rules: Rules) -> Opening:
    rows, _, phase = opening.position.dpos.split()
    return Opening(parse_dpos(f"{rows.translate(_EXCHANGE)} b {phase}", rules), opening.name)
