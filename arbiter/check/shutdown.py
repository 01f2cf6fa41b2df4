"""How a program that was told to end ends, and what it leaves running."""

import contextlib
import time
from dataclasses import dataclass

import trio

from arbiter.isolation import proc
from arbiter.isolation.sandbox import Level
from arbiter.match.session import Session

QUIT_GRACE = 2.0
LAST_CHANCE = 1.0
"""Seconds: for the end of a bot after `quit`, and after its input was closed as well."""
_LOOK_PAUSE = 0.02
_NO_PATIENCE = 0.05


@dataclass(slots=True)
class Patience:
    """Seconds that a bot is given: to end by itself, and for what it started to end after it.

    Who has used them up once is not waited for again.
    """

    end: float = QUIT_GRACE
    rest: float = QUIT_GRACE


class Shutdown:
    """The end of the program of a session.

    ``has_ended`` tells whether it ended by itself when it was given the time, and ``ended_at_last`` whether
    it did when its input was closed. ``left_running`` are processes that it started and that went
    on then, whether it had ended or not, and ``threads`` its own if it had not. ``zombies`` counts children
    that had ended before, and that it never waited for.
    """

    def __init__(self, session: Session, patience: Patience) -> None:
        self.has_ended = self.ended_at_last = False
        self.left_running: tuple[str, ...] = ()
        self.threads = 1
        self.zombies = 0
        self._session = session
        self._patience = patience

    def count_zombies(self) -> None:
        """To be called before the program is told to quit: it takes them with it."""
        self.zombies = sum(map(_is_zombie, proc.children(self._session.process.pid)))

    async def part(self) -> None:
        """Close the input of a program that was told to quit, and give it the time to end by itself."""
        self._session.process.close_input()
        if not await self.ends_within(self._patience.end):
            self._patience.end = _NO_PATIENCE

    async def ends_within(self, seconds: float) -> bool:
        """Whether the program ends by itself; sees what it leaves running then."""
        began, process = time.monotonic(), self._session.process
        if not await self._session.exits_within(seconds):
            self.left_running = self.started()
            with contextlib.suppress(OSError):
                self.threads = int(proc.stat(process.pid)[proc.THREADS])
            return False
        self.has_ended = True
        await self._see_what_stays(began + self._patience.rest)
        return True

    async def try_at_last(self) -> None:
        """See whether it ends when its input is closed, having missed the word to end."""
        self._session.process.close_input()
        self.ended_at_last = await self._session.exits_within(LAST_CHANCE)

    def started(self) -> tuple[str, ...]:
        """What it started and is running."""
        return tuple(map(_command, self._children()))

    async def _see_what_stays(self, deadline: float) -> None:
        while (pids := self._children()) and time.monotonic() < deadline:  # noqa: ASYNC110 (no event tells)
            await trio.sleep(_LOOK_PAUSE)
        self.left_running = tuple(map(_command, pids))
        if pids:
            self._patience.rest = _NO_PATIENCE

    def _children(self) -> list[int]:
        """What the program started and is alive; a jail is not looked into, and leaves none."""
        process = self._session.process
        if process.applied.level is Level.JAIL:
            return []
        return [pid for pid in process.living() if pid != process.pid]


def _is_zombie(pid: int) -> bool:
    try:
        return proc.has_ended(proc.stat(pid))
    except OSError:
        return False


def _command(pid: int) -> str:
    """What a process was started as."""
    words = ""
    with contextlib.suppress(OSError):
        words = proc.read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode(errors="replace").strip()
    return f"{words[:80] or 'a process'} (pid {pid})"
