"""What several tests of the store begin with."""

from pathlib import Path

import pytest

from arbiter.store import League
from tests.arbiter.stored import GAMES
from tests.arbiter.test_store import game


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A results directory with games in it, closed in order."""
    directory = tmp_path / "results"
    with League.open_for_writing(directory) as league:
        league.set_bots([("one", "aa", "./one", None), ("two", "bb", "./two", None)])
        league.add(game(number) for number in range(1, GAMES + 1))
    return directory
