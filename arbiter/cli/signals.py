"""Stopping in order when a signal says so."""

import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import trio

T = TypeVar("T")


def minded_signals() -> list[int]:
    """Those that stop a run; a hangup that the shell told us to ignore (nohup) stays ignored."""
    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    return [number for number in wanted if signal.getsignal(number) is not signal.SIG_IGN]


async def interruptible(work: Callable[[], Awaitable[T]]) -> T | None:
    """The result of ``work``; None when a signal came first, and all that it had begun was ended."""
    result: T | None = None
    with trio.open_signal_receiver(*minded_signals()) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_stop_at_first, signals, nursery.cancel_scope)
            result = await work()
            nursery.cancel_scope.cancel()
    return result


async def _stop_at_first(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    async for _ in signals:
        scope.cancel()
