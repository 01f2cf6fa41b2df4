"""A bot's process: its three pipes, its exit, its end. Nothing here knows a dialect, a rule or a clock.

Nothing is read here on its own account: the driver's tasks call ``take`` when there is something. Time stamps
(monotonic, integer nanoseconds) stand next to the system calls they describe.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import trio

from arbiter.isolation import tree
from arbiter.isolation.affinity import pinned
from arbiter.isolation.console import wants_terminal
from arbiter.isolation.death import Cause, Death
from arbiter.isolation.launch import launch_wrapped
from arbiter.isolation.sandbox import Applied
from arbiter.match.actions import End
from arbiter.match.bot import Bot
from arbiter.match.dialogue import Voice
from arbiter.match.fault import Code, Fact, Fault
from arbiter.match.headtail import HeadTail
from arbiter.match.last_words import last_words
from arbiter.match.meter import Meter
from arbiter.match.transcript import Transcript

_BITE = 4_096
_LINES = 32
"""Lines of stdout that are taken at a time: making sense of more would keep other bots waiting."""
_STDERR_BITE = 65_536
_STDERR_FULL_SPEED = 4 * 2**20
_STDERR_PAUSE = 0.05
"""Past 4 MiB a turn stderr is read at 64 KiB each 50 ms."""
_LAST_BITES = 32
"""Bites of stderr that are still taken when a bot has ended."""

_OUT_OF_MEMORY = {Cause.MEMORY: Code.LARGEST, Cause.MACHINE: Code.OUT_OF_MEMORY}

Overhear = Callable[[Voice, int, bytes], None]
"""Hears every piece that crosses a pipe, with its time; must not block."""

OUTSIDE_SIGNALS = frozenset((signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
"""Signals that somebody else sends; a program that breaks by itself dies of others."""


class BotProcess:
    """One running bot."""

    def __init__(self, bot: Bot, cores: Sequence[int] = (), overhear: Overhear | None = None) -> None:
        """Start the program, on these cores only if there are any.

        Raises:
            StartError: when it cannot be started.
            ResourceError, OSError: when the machine lacks something for it.
        """
        self._overhear = overhear
        self.spawned_at = time.monotonic_ns()
        with pinned(cores):
            self._program = launch_wrapped(bot.wrap, bot.argv, bot.directory, bot.env, bot.sandbox)
        self._wrap = bot.wrap
        self.pid = self._program.pid
        try:
            self.meter = Meter(self.pid, cores, partial(tree.orphans, self.pid))
        except OSError:
            self._program.abandon()
            raise
        self.transcript = Transcript(self.spawned_at)
        self.stderr = HeadTail()
        self.turn_stderr_bytes = 0
        self.exit_status: int | None = None
        self.excess: str | None = None
        self.output_ended = False
        self._trouble: str | None = None
        self._death: Death | None = None
        self._unsent = bytearray()
        self._untaken, self._read_at = b"", 0
        self.is_dry = True
        self._has_exited = trio.Event()
        process = self._program.process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        self._input, self._output = self._stdin.fileno(), self._stdout.fileno()

    # Writing

    def write(self, data: bytes) -> int:
        """Send ``data`` without ever waiting for the bot; what it does not take is sent by ``send_rest``.

        Returns the time at which the last byte was accepted, or at which the first write would
        have had to wait: a bot that does not read pays for that itself.
        """
        if self._stdin.closed:
            return time.monotonic_ns()
        written = 0 if self._unsent else self._write_now(data)
        stamp = time.monotonic_ns()
        self.transcript.sent(stamp, data)
        if self._overhear is not None:
            self._overhear(Voice.TO_BOT, stamp, data)
        self._unsent += data[written:]
        return stamp

    @property
    def has_unsent(self) -> bool:
        """Whether something waits for the bot to read."""
        return bool(self._unsent)

    def _write_now(self, data: bytes) -> int:
        try:
            return os.write(self._input, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            # It closed its input or ended; its silence or its exit is what gets judged.
            return len(data)

    async def send_rest(self) -> None:
        """Send what the bot did not take, as it reads."""
        with contextlib.suppress(BrokenPipeError, trio.ClosedResourceError):
            while self._unsent and not self._stdin.closed:
                await trio.lowlevel.wait_writable(self._stdin.fileno())
                try:
                    del self._unsent[: os.write(self._stdin.fileno(), self._unsent)]
                except BlockingIOError:
                    continue

    def close_input(self) -> None:
        """Close the bot's stdin, dropping what it has not read."""
        self._unsent.clear()
        if not self._stdin.closed:
            trio.lowlevel.notify_closing(self._stdin.fileno())
            self._stdin.close()

    # Reading

    async def wait_readable(self) -> None:
        """Wait until there is output, or its end. Raises ClosedResourceError when the pipe is closed."""
        if self._untaken:
            await trio.lowlevel.checkpoint()
        else:
            await trio.lowlevel.wait_readable(self._output)

    def take(self) -> tuple[bytes, int] | None:
        """A bite of stdout, with the time at which it was read; None when there is none now, or no more.

        ``output_ended`` tells the two apart, and ``is_dry`` whether nothing was left in the pipe.
        """
        if not (self._untaken or self._read()):
            return None
        data, self._untaken = _first_lines(self._untaken, _LINES)
        if self._untaken:
            self.is_dry = False
        return data, self._read_at

    def _read(self) -> bool:
        """Read from the pipe; whether there was something."""
        if self.output_ended:
            return False
        try:
            data = os.read(self._output, _BITE)
        except BlockingIOError:
            self.is_dry = True
            return False
        stamp = time.monotonic_ns()
        self.is_dry = len(data) < _BITE
        if not data:
            self.output_ended = True
            return False
        self._untaken, self._read_at = data, stamp
        self.transcript.received(stamp, data)
        if self._overhear is not None:
            self._overhear(Voice.FROM_BOT, stamp, data)
        return True

    async def read_stderr(self) -> None:
        """Keep the beginning and the end of stderr; a flood is read slowly."""
        with contextlib.suppress(trio.ClosedResourceError):
            while not self._stderr.closed:
                await trio.lowlevel.wait_readable(self._stderr.fileno())
                if self._take_stderr() == 0:
                    return
                if self.turn_stderr_bytes > _STDERR_FULL_SPEED:
                    await trio.sleep(_STDERR_PAUSE)

    def _take_stderr(self) -> int | None:
        """How many bytes were taken: 0 at the end of the stream, None when there are none now."""
        if self._stderr.closed:
            return 0
        try:
            data = os.read(self._stderr.fileno(), _STDERR_BITE)
        except BlockingIOError:
            return None
        self.turn_stderr_bytes += len(data)
        self.stderr.feed(data)
        if self._overhear is not None:
            self._overhear(Voice.STDERR, time.monotonic_ns(), data)
        return len(data)

    def _take_last_words(self) -> None:
        """Take what is in stderr; not for ever, since a child may go on writing."""
        for _ in range(_LAST_BITES):
            if not self._take_stderr():
                break

    # Idle turns

    def suspend(self) -> None:
        """Stop all its processes until ``resume``."""
        self._program.signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._program.signal(signal.SIGCONT)

    # The end

    async def wait(self) -> None:
        """Wait for the root process to end."""
        status = await self._program.wait()
        self._note_exit(status)

    def look_for_exit(self) -> bool:
        """Whether the root process has ended, seen without waiting."""
        if self.exit_status is None and (status := self._program.poll()) is not None:
            self._note_exit(status)
        return self.exit_status is not None

    def _note_exit(self, status: int) -> None:
        if self.exit_status is None:
            self.exit_status = status
            self._take_last_words()
            self._trouble = self._program.trouble(self.stderr.text())
            self.excess = self.excess or self._program.excess(())
            self._death = self._program.cause_of_death()
            self._has_exited.set()

    async def watch_limits(self) -> None:
        """Wait until the program goes past one of its limits, and end it."""
        self.excess = await self._program.watch()
        await self._program.kill()

    @property
    def applied(self) -> Applied:
        """What really holds the program back."""
        return self._program.applied

    def end(self) -> End | None:
        """How the program ended, if it did, or its output."""
        if self.exit_status is None and not self.output_ended:
            return None
        self._take_last_words()
        fault = self._end_fault()
        if last := last_words(self.stderr):
            fault = fault.with_facts(last_words=last)
        return End(fault, has_exited=self.exit_status is not None)

    def _end_fault(self) -> Fault:
        if self.excess is not None:
            return Fault(Code.OVER_LIMIT, {"text": self.excess})
        if self._trouble is not None:
            return Fault(Code.NO_SANDBOX, {"text": self._trouble})
        if self._death is not None and self._death.cause is not Cause.OTHER:
            return Fault(_OUT_OF_MEMORY[self._death.cause], {"held": self._death.held})
        facts: dict[str, Fact] = {"level": str(self.applied.level)}
        if self._has_foreign_status:
            facts["wrapper"] = Path(self._wrap[0]).name
        return exit_fault(self.exit_status).with_facts(**facts)

    @property
    def _has_foreign_status(self) -> bool:
        """Whether the status is that of what the bot was started through; debuggers keep the bot's."""
        if not self._wrap or self.exit_status is None:
            return False
        return self.exit_status == 0 or wants_terminal(self._wrap)

    def living(self) -> list[int]:
        """Its processes that are alive, as far as they can be found."""
        return self._program.members()

    async def wait_exit(self, seconds: float) -> bool:
        """Wait until the root process has ended, at most ``seconds``; whether it has."""
        with trio.move_on_after(seconds):
            await self._has_exited.wait()
        return self._has_exited.is_set()

    @property
    def output(self) -> int:
        """The descriptor of its standard output."""
        return self._output

    @property
    def is_open(self) -> bool:
        """Whether its pipes are open."""
        return not self._stdout.closed

    async def kill(self) -> None:
        """Kill the whole tree and wait until it is gone. Not cancellable."""
        await self._program.kill()

    def close(self) -> None:
        """Take the last of stderr and close the pipes; nothing runs any more."""
        self._take_last_words()
        self.close_input()
        # A reading task that was woken before may still run after this; it must find nothing to do.
        self.output_ended = True
        self._untaken = b""
        self.meter.close()
        for pipe in (self._stdout, self._stderr):
            trio.lowlevel.notify_closing(pipe.fileno())
            pipe.close()


def _first_lines(data: bytes, most: int) -> tuple[bytes, bytes]:
    """The first lines of some bytes, and the rest."""
    if len(data) <= most or data.count(b"\n") <= most:
        return data, b""
    end = 0
    for _ in range(most):
        end = data.index(b"\n", end) + 1
    return data[:end], data[end:]


def exit_fault(status: int | None) -> Fault:
    """The fault of a process that ended by itself with ``status``; None closed its output and lives on."""
    if status is None:
        return Fault(Code.OUTPUT_CLOSED)
    if status >= 0:
        return Fault(Code.EXITED, {"status": status})
    code = Code.KILLED if -status in OUTSIDE_SIGNALS else Code.SIGNALLED
    return Fault(code, {"signal": -status})
