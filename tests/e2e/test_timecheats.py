"""Bots that cheat their clock play their games to the end, and nothing that they start outlives them."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from arbiter.match.clock import TimeControl
from arbiter.match.termination import Termination
from protocol.rules import Side
from tests.e2e.table import BOTS, Table

ATTACKS = (
    "honest", "sleeper", "spinning-children", "brief-crowd", "threads", "nice", "sched-idle", "sched-batch",
    "autogroup", "pinned", "pinned-briefly", "stop-self", "ponder-threads", "ponder-children",
    "ponder-lengthily", "double-fork", "reaper", "masked", "chain", "chain-ignored", "chain-orphans",
    "brief-threads", "yield", "futex", "fault-storm", "flood-turn", "flood-out", "flood-err", "crowd",
    "leaderless",
)  # fmt: skip


@pytest.fixture(scope="module")
def cheat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("timecheat") / "timecheat"
    subprocess.run(["cc", "-O1", "-pthread", "-o", program, BOTS / "timecheat.c"], check=True)
    return program


def alive(program: Path) -> set[int]:
    """The threads that run this program, by the file itself: they may hide everything else."""
    found = set()
    for file in Path("/proc").glob("[0-9]*/task/*/exe"):
        with suppress(OSError):
            if file.samefile(program):
                found.add(int(file.parent.name))
    return found


@pytest.mark.needs("cc")
def test_the_program_has_these_attacks(cheat: Path) -> None:
    listing = subprocess.run([cheat], capture_output=True, text=True, check=False)
    assert tuple(listing.stdout.split()) == ATTACKS


@pytest.mark.needs("cc")
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_plays_to_its_end_and_leaves_nothing(attack: str, cheat: Path, table: Table) -> None:
    before = os.sched_getaffinity(0)
    white = table.bot(str(cheat), attack, "5", "3", "5")
    result = table.play(white, time=TimeControl(game=120_000, start=20_000))
    assert (result.termination, result.offender) == (Termination.RESIGN, Side.WHITE), result.detail
    assert [int(record.info["x-took"]) > 0 for record in result.plies[::2]] == [True] * 3
    assert alive(cheat) == set()
    assert os.sched_getaffinity(0) == before
