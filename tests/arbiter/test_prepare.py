"""Trial starts that the machine spoils are no bot's problem."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arbiter.isolation.resources import ResourceError
from arbiter.match.bot import Bot
from arbiter.match.clock import MS
from arbiter.match.fault import Code, Fault
from arbiter.match.game import BotReport, Competitor
from arbiter.match.groups import leaves
from arbiter.match.startcheck import StartCheck
from arbiter.tournament import prepare
from arbiter.tournament.config import Tournament

STARVED = Fault(Code.STARVED, {"side": "white", "machine": 10_001 * MS})
SILENT = Fault(Code.NOT_READY, {"wanted": "dvpok", "limit": 1_000 * MS})


@pytest.fixture
def outcomes(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets trial starts end like this, one after the other."""

    def end(*problems: Fault | None) -> None:
        rest: Iterator[Fault | None] = iter(problems)

        async def check_start(competitor: Competitor) -> StartCheck:
            return StartCheck(next(rest), BotReport({}, "", ()))

        monkeypatch.setattr(prepare, "check_start", check_start)

    return end


async def problem_of(tmp_path: Path) -> str | None:
    bot = Bot("alice", ("true",), tmp_path)
    tournament = Tournament(name="cup", path=tmp_path / "cup.yaml", bots=(bot,), given=({},))
    (found,) = await prepare.prepare([bot], tournament, tmp_path / "logs", lambda line: None)
    return found.problem


@pytest.mark.trio
async def test_a_start_that_the_machine_spoilt_is_tried_again(
    outcomes: Callable[..., None], tmp_path: Path
) -> None:
    outcomes(STARVED, STARVED, None)
    assert await problem_of(tmp_path) is None
    outcomes(STARVED, SILENT)
    assert await problem_of(tmp_path) == "no `dvpok` within 1000 ms"


@pytest.mark.trio
async def test_where_it_spoils_every_one_the_run_stops(outcomes: Callable[..., None], tmp_path: Path) -> None:
    outcomes(STARVED, STARVED, STARVED)
    with pytest.RaisesGroup(ResourceError, flatten_subgroups=True) as caught:
        await problem_of(tmp_path)
    (error,) = leaves(caught.value)
    assert str(error).startswith("alice could not be tried: white waited more than 10 s for a core")
