"""A bot's process as the driver sees it, with real programs."""

from pathlib import Path

import pytest
import trio

from arbiter.isolation.program import Program
from arbiter.match.bot import Bot
from arbiter.match.process import BotProcess


@pytest.mark.trio
async def test_what_it_said_last_is_known_when_its_end_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the machine could not build its sandbox shows there, and nobody may have read it yet."""
    known: list[str] = []
    monkeypatch.setattr(Program, "trouble", lambda program, stderr="": known.append(stderr))
    process = BotProcess(Bot("bot", ("sh", "-c", "echo lost >&2"), tmp_path))
    with trio.fail_after(20):
        while not process.look_for_exit():  # noqa: ASYNC110 (it is looked for without waiting)
            await trio.sleep(0.01)
    await process.kill()
    process.close()
    assert known == ["lost\n"]
