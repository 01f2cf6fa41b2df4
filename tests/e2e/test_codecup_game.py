"""Games of bots that speak the CodeCup dialect, among themselves and against DVP bots."""

import sys

import pytest

from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import MS, TimeControl
from arbiter.match.termination import Termination
from protocol.rules import Side
from tests.e2e.table import AMPLE, BOTS, Table

QUICK = TimeControl(game=2_000)
"""For those that will be late: the plies before take next to nothing, but for what the machine takes."""


def codecup(table: Table, *oddity: str) -> Bot:
    argv = (sys.executable, str(BOTS / "codecup.py"), *oddity)
    return table.bot(*argv, name="cup", dialect=Dialect.CODECUP)


def test_two_of_them_play_a_whole_game(table: Table) -> None:
    result = table.play(codecup(table), codecup(table))
    assert result.termination is Termination.NORMAL, result.detail
    assert len(result.plies) > 60


@pytest.mark.parametrize("side", list(Side), ids=["white", "black"])
def test_the_dialects_mix(table: Table, side: Side) -> None:
    cup, dvp = codecup(table), table.fair()
    result = table.play(cup, dvp) if side is Side.WHITE else table.play(dvp, cup)
    assert result.termination is Termination.NORMAL, result.detail
    # Both play the first legal ply, so the dialect must not show in the plies.
    assert [r.ply for r in result.plies] == [r.ply for r in table.play(table.fair()).plies]


ENDINGS = [
    ("garbage", "syntax", "'what now?' is not a ply"),
    ("passes", "illegal", "PASS: "),
    ("forgets", "illegal", "A1: "),
    ("leaves", "crash", "exited with status 7"),
    ("vanishes", "crash", "exited with status 7"),
    ("late", "timeout", "no answer within"),
]


@pytest.mark.parametrize(("oddity", "termination", "detail"), ENDINGS, ids=[e[0] for e in ENDINGS])
def test_the_guilty_bot_loses(table: Table, oddity: str, termination: str, detail: str) -> None:
    time = QUICK if termination == "timeout" else AMPLE
    result = table.play(codecup(table, oddity), table.fair(), time=time, black_time=AMPLE)
    assert (result.termination, result.offender) == (termination, Side.WHITE)
    assert detail in result.detail
    # One that leaves after its ply is missed only when its next one is needed.
    assert len(result.plies) == (6 if oddity in ("leaves", "vanishes") else 4)


def test_waiting_for_black_at_the_double_turn_is_named(table: Table) -> None:
    result = table.play(codecup(table, "waits"), table.fair(), time=QUICK, black_time=AMPLE)
    assert (result.termination, result.offender) == (Termination.TIMEOUT, Side.WHITE)
    assert len(result.plies) == 49
    assert "double turn" in result.detail


def test_a_line_that_comes_early_is_kept_for_its_turn(table: Table) -> None:
    result = table.play(codecup(table, "rash"), table.fair())
    assert result.termination is Termination.NORMAL, result.detail
    assert result.plies[49].used == 0


def test_start_up_is_charged_only_on_demand(table: Table) -> None:
    """Its opponent takes two seconds to get ready, in which it is up already."""
    slow = table.odd("none", "--sleep", "2")
    free = table.play(slow, codecup(table))
    paid = table.play(slow, codecup(table), charge_start=True)
    assert free.plies[1].used < 1_000 * MS < paid.plies[1].used
