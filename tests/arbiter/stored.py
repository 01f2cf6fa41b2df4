"""Looking at a results directory from outside."""

from pathlib import Path

from arbiter.store import League

GAMES = 40
"""In the fixture ``results``."""

WRITER = """
import sys
from pathlib import Path
from arbiter.store import League
from tests.arbiter.test_store import game
with League.open_for_writing(Path(sys.argv[1])) as league:
    number = max((row["number"] for row in league.brief_games()), default=0)
    while True:
        league.add(game(number + each) for each in range(1, 4))
        number += 3
        print(number, flush=True)
"""
"""A program that stores games without end, and says which."""


def numbers(directory: Path) -> list[int]:
    with League.open_for_reading(directory) as league:
        return [played.number for played in league.games()]


def content(directory: Path) -> dict[str, bytes]:
    """Every byte of the database; what readers leave to share it says nothing."""
    return {
        path.name: path.read_bytes()
        for path in directory.iterdir()
        if path.is_file() and not path.name.endswith("-shm") and path.stat().st_size
    }
