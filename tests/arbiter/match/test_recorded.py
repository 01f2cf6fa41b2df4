"""Games that were recorded once come to the same again: plies, clocks, verdict, and all that was written."""

import json

import pytest

from tests.arbiter.match.recorded import DATA, GAMES, replayed, summary


@pytest.mark.parametrize("name", GAMES)
def test_a_recorded_game(name: str) -> None:
    """After a change on purpose, record them anew; see `recorded`."""
    expected, *events = map(json.loads, (DATA / f"{name}.jsonl").read_text().splitlines())
    assert summary(*replayed(GAMES[name].setup(), events)) == expected


def test_what_was_recorded() -> None:
    """The games differ in what they are for."""
    lines = {name: json.loads((DATA / f"{name}.jsonl").read_text().split("\n")[0]) for name in GAMES}
    assert {name: line["verdict"] for name, line in lines.items()} == {
        "mixed": ["1-0", "normal"],
        "crash": ["0-1", "crash"],
        "late": ["0-1", "timeout"],
        "leaves": ["1-0", "crash"],
    }
