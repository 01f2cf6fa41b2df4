"""The book of balanced openings: what it promises of every board, and where it is found."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from arbiter.tournament.openings import Openings, open_openings, parse_openings
from arbiter.tournament.openings.book import BOOK, book_path, read_book
from protocol.records import Record, read_records
from protocol.rules import SPACES, Phase, Rules, Side

ROOT = Path(__file__).parents[2]
COUNT = 500


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return list(read_records(book_path().read_text(encoding="utf-8"), BOOK))


def book(seed: int = 1, rules: Rules = Rules.STANDARD) -> Openings:
    return open_openings(parse_openings("book"), seed, rules)


def images(rows: str) -> Iterator[str]:
    """A board under the four symmetries of the board, each with the colours exchanged."""
    lines = rows.split("/")
    mirrored = [line[::-1] for line in lines]
    for image in (lines, mirrored, lines[::-1], mirrored[::-1]):
        yield "/".join(image)
        yield "/".join(image).translate(str.maketrans("wb", "bw"))


def test_five_hundred_full_boards_none_like_another(records: list[Record]) -> None:
    openings = read_book()
    assert len(records) == len(openings) == COUNT
    assert [opening.name for opening in openings] == [f"book {number}" for number in range(1, COUNT + 1)]
    rows = [opening.position.dpos.split()[0] for opening in openings]
    assert len({min(images(each)) for each in rows}) == COUNT
    for opening in openings:
        position = opening.position
        assert (position.phase, position.to_move, len(position.stacks())) == (Phase.MOVEMENT, Side.WHITE, 49)


def test_the_reds_are_spread_over_the_board() -> None:
    reds = Counter(
        space
        for opening in read_book()
        for space, stack in opening.position.stacks().items()
        if stack.top is None
    )
    assert set(reds) == set(SPACES)
    mean = 3 * COUNT / len(SPACES)
    assert min(reds.values()) > mean / 3
    assert max(reds.values()) < mean * 2


def test_what_is_noted_of_each_opening_makes_it_even(records: list[Record]) -> None:
    for record in records:
        headers = record.headers
        assert abs(float(headers["SearchAsWhite"])) <= 1
        assert abs(float(headers["SearchAsBlack"])) <= 1
        found = re.match(r"White ([\d.]+) of 8, (\d) of 4 pairs split, mean margin", headers["SelfPlay"])
        assert found
        assert 3 <= float(found[1]) <= 5
        assert int(found[2]) >= 2


def test_a_tournament_plays_it_in_an_order_of_its_seed() -> None:
    openings = book(7)
    assert openings.count == COUNT
    assert openings.description == "500 openings from the book, shuffled"
    assert openings.notices == ()
    order = [openings[index] for index in range(COUNT)]
    assert sorted(map(str, order)) == sorted(map(str, read_book()))
    assert [book(7)[index] for index in range(9)] == order[:9]
    assert [book(8)[index] for index in range(9)] != order[:9]
    assert openings[COUNT] == order[0]


def test_what_is_compared_on_resume_tells_another_book() -> None:
    given = book().canonical()
    assert set(given) == {"kind", "sha256"}
    assert given["kind"] == "book"
    assert book(9).canonical() == given


def test_where_black_begins_the_colours_are_exchanged() -> None:
    """The boards are even for whoever begins, so that it has to be the same side's pieces."""
    for standard, other in zip(read_book(), read_book(Rules.BLACK_FIRST), strict=True):
        assert (other.name, other.position.to_move) == (standard.name, Side.BLACK)
        swapped = other.position.dpos.split()[0].translate(str.maketrans("wb", "bw"))
        assert swapped == standard.position.dpos.split()[0]


def test_the_wheel_takes_the_book_to_where_it_is_looked_for() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {f"tournaments/openings/{BOOK}": f"arbiter/tournament/openings/{BOOK}"}
    assert book_path() == ROOT / "tournaments" / "openings" / BOOK
