"""``on_failure: substitute``: the first failure decides the game, and the other side plays on."""

import json
from pathlib import Path

import pytest
import trio

from arbiter.isolation.tree import become_subreaper
from arbiter.match.clock import TimeControl
from arbiter.match.driver import play_game
from arbiter.match.game import Competitor, GameSetup
from arbiter.match.termination import Termination
from protocol.rules import Position, Side, parse_ply
from tests.e2e.commands import CUP, ODD, arbiter, entry, write_tournament
from tests.e2e.table import Table

SHORT, AMPLE = TimeControl(game=1_500, start=20_000), TimeControl(game=20_000, start=20_000)


@pytest.mark.parametrize(
    "oddity",
    [("exit", "1"), ("say", r"move A1\n"), ("silent",), ("blob",), ("say", "move ?\\n")],
    ids=" ".join,
)
@pytest.mark.parametrize("side", list(Side), ids=["white", "black"])
def test_the_other_side_plays_to_the_end(table: Table, oddity: tuple[str, ...], side: Side) -> None:
    odd, fair = Competitor(table.odd(*oddity, "--at", "4"), SHORT), Competitor(table.fair(), AMPLE)
    white, black = (odd, fair) if side is Side.WHITE else (fair, odd)
    become_subreaper()
    result = trio.run(play_game, GameSetup(white, black, Position.start(), substitute=True))
    assert result.termination is not Termination.NORMAL
    assert result.offender is side
    assert result.result == ("0-1" if side is Side.WHITE else "1-0")
    position = Position.start()
    for record in result.plies:
        if "substitute" in record.info:
            assert position.to_move is side
            assert record.ply == min(ply.text for ply in position.legal_plies())
        position = position.play(parse_ply(record.ply))
    assert position.is_over
    assert result.score == position.score
    assert any("substitute" in record.info for record in result.plies)


def test_a_bot_that_dies_in_its_opponents_turn_does_not_spoil_that_turn(table: Table) -> None:
    result = table.play(table.odd("move-then-exit"), table.odd("late", "0.6"), AMPLE, substitute=True)
    assert (result.termination, result.offender) == (Termination.CRASH, Side.WHITE)
    assert len(result.plies) > 60
    assert result.plies[5].spent.wall > 250_000_000


def test_a_second_failure_ends_the_game_and_changes_nothing_else(table: Table) -> None:
    result = table.play(
        table.odd("exit", "3", "--at", "4"), table.odd("exit", "4", "--at", "9"), AMPLE, substitute=True
    )
    assert (result.termination, result.offender, result.result) == (Termination.CRASH, Side.WHITE, "0-1")
    assert result.detail == "white: exited with status 3; black: exited with status 4"
    assert len(result.plies) == 17


def test_resigning_is_no_failure(table: Table) -> None:
    result = table.play(table.odd("say", r"resign\n"), time=AMPLE, substitute=True)
    assert (result.termination, len(result.plies)) == (Termination.RESIGN, 4)


def test_a_tournament_with_substitution(tmp_path: Path) -> None:
    bots = [entry("cup", CUP), entry("odd", f"{ODD} say 'move A1\\\\n' --at 5"), entry("fair", f"{ODD} none")]
    write_tournament(tmp_path, bots, "on_failure: substitute\nmax_failures: 9")
    done = arbiter(tmp_path, "run", "league.yaml")
    assert done.returncode == 0
    assert "odd forfeits at ply 9, illegal: A1: " in done.stdout
    assert "; played on with the first legal plies, " in done.stdout
    (tmp_path / "games.drec").write_text(arbiter(tmp_path, "export", "results/test-league").stdout)
    verified = arbiter(tmp_path, "verify", "games.drec")
    assert verified.stdout == "6 games, all consistent\n"
    assert "{substitute=1 illegal=A1}" in (tmp_path / "games.drec").read_text()
    table = json.loads(arbiter(tmp_path, "table", "results/test-league", "--format", "json").stdout)
    rows = {row["name"]: row for row in table["bots"]}
    assert rows["odd"]["losses"] == 4
    assert rows["odd"]["codecup_points"] == 0
    assert rows["odd"]["mean_margin"] is None
    assert rows["fair"]["codecup_points"] > 45
