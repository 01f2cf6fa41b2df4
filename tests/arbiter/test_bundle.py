"""What is kept of a failed game."""

import json
from pathlib import Path

from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl
from arbiter.match.fault import Code, Fault, from_json
from arbiter.match.game import Competitor, GameSetup
from arbiter.match.wording import describe
from arbiter.tournament.bundle import bot_of, read_facts, write_bundle
from protocol.rules import Position
from tests.arbiter.test_store import game

CRASH = Fault(Code.ENDED_BEFORE, {"wanted": "dvpok", "end": Fault(Code.EXITED, {"status": 3})})


def written(results: Path, fault: Fault | None) -> Path:
    player = Competitor(Bot("one", ("true",), results), TimeControl())
    setup = GameSetup(player, player, Position.start())
    write_bundle(results, game(fault=fault), setup, "Cup")
    return results / "failures" / "game-1" / "bundle.json"


def test_a_bundle_says_why_the_game_ended_as_data_and_in_words(tmp_path: Path) -> None:
    facts = read_facts(written(tmp_path, CRASH))
    assert from_json(facts["fault"]) == CRASH
    assert facts["detail"] == describe(CRASH)


def test_bundles_of_earlier_versions_can_be_read(tmp_path: Path) -> None:
    """They had the words only."""
    path = written(tmp_path, None)
    facts = json.loads(path.read_text())
    assert (facts["fault"], facts["detail"]) == (None, "no answer within 50 ms")
    del facts["fault"]
    path.write_text(json.dumps(facts))
    assert bot_of(read_facts(path)["white"]).name == "one"
