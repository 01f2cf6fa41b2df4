"""Running what starts programs, so that a signal to stop ends it in order and leaves nothing behind."""

import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import trio

from arbiter.cli.errors import INTERRUPTED
from arbiter.isolation.tree import become_subreaper, kill_everything_once

T = TypeVar("T")


def run_interruptible(task: Callable[[], Awaitable[T]]) -> T:
    """Run ``task`` with trio; the first signal cancels it, a second one ends everything at once.

    Raises:
        KeyboardInterrupt: when a signal cancelled it, after it has ended.
    """
    return trio.run(_run, task)


def minded_signals() -> list[int]:
    """Those that stop a run; a hangup that the shell told us to ignore (nohup) stays ignored."""
    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    return [number for number in wanted if signal.getsignal(number) is not signal.SIG_IGN]


async def _run(task: Callable[[], Awaitable[T]]) -> T:
    become_subreaper()
    was_interrupted = False

    async def mind(signals: AsyncIterator[int]) -> None:
        nonlocal was_interrupted
        async for _ in signals:
            if was_interrupted:
                kill_everything_once()
                os._exit(INTERRUPTED)
            was_interrupted = True
            scope.cancel()

    error: Exception | None = None
    with trio.open_signal_receiver(*minded_signals()) as signals:
        async with trio.open_nursery() as nursery:
            with trio.CancelScope() as scope:
                nursery.start_soon(mind, signals)
                try:
                    result = await task()
                except Exception as caught:
                    # Raised again below, where the nursery does not make a group of it.
                    error = caught
            nursery.cancel_scope.cancel()
    if error is not None:
        raise error
    if scope.cancelled_caught:
        raise KeyboardInterrupt
    return result
