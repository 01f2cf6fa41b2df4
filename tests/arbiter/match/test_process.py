"""A bot's process as the driver sees it, with real programs."""

import os
import threading
from pathlib import Path

import pytest
import trio

from arbiter.isolation import usage
from arbiter.isolation.program import Program
from arbiter.isolation.sandbox import Sandbox
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
        await trio.to_thread.run_sync(os.waitid, os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert process.look_for_exit()
    await process.kill()
    process.close()
    assert known == ["lost\n"]


@pytest.mark.trio
async def test_shared_memory_is_measured_beside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel may take seconds to tell what many processes share."""
    measured_by: list[int] = []

    def proportional(pids: object) -> int:
        measured_by.append(threading.get_ident())
        return 2**40

    monkeypatch.setattr(usage, "proportional", proportional)
    bot = Bot("bot", ("sleep", "60"), tmp_path, sandbox=Sandbox(memory=1))
    process = BotProcess(bot)
    with trio.fail_after(20):
        await process.watch_limits()
    process.close()
    assert process.excess is not None
    assert measured_by == [measured_by[0]] != [threading.get_ident()]
