"""A bot's process: its three pipes, its exit, its end. Nothing here knows a dialect or a rule.

Output is read at all times, also between turns, by tasks of the game's nursery. Time stamps
(monotonic, integer nanoseconds) stand next to the system calls they describe.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import trio

from arbiter.isolation.affinity import pinned
from arbiter.isolation.console import wants_terminal
from arbiter.isolation.launch import launch_wrapped
from arbiter.isolation.sandbox import Applied, Level
from arbiter.match.bot import Bot
from arbiter.match.dialogue import Voice
from arbiter.match.headtail import HeadTail
from arbiter.match.termination import Termination
from arbiter.match.transcript import Transcript

_BITE = 2_048
"""Bytes of stdout taken at a time: making sense of more would keep other games waiting for milliseconds."""
_DRAIN_BITES = 512
FULL_SPEED = 65_536
"""Bytes of stdout in one turn that are read as fast as they come; and how slowly what is past them."""
_PAUSE = 0.001
_IDLE_SPEED = 8_192
_IDLE_PAUSE = 0.02
_STDERR_CHUNK = 65_536
_STDERR_FULL_SPEED = 4 * 2**20
"""The same for stderr, which nobody has to make sense of."""
_STDERR_PAUSE = 0.05
_DENIALS = ("Permission denied", "Read-only file system", "EACCES", "EROFS")
_NO_ROOM = "Sanitizer failed to allocate"
FOREIGN = "which tells nothing of the bot"
"""Said of an exit status that is a wrapper's own."""
_LAST_WORDS = 32
"""Chunks of stderr that are still taken when a bot is gone."""


class Listener(Protocol):
    """Whoever wants to hear from a process; called from the reading tasks and must not block."""

    def received(self, data: bytes, stamp: int) -> None:
        """Bytes from stdout, with the time at which they were read."""

    def ended(self) -> None:
        """No more output will come: stdout is closed or the process is gone."""


Overhear = Callable[[Voice, int, bytes], None]
"""Told of every piece that crosses a pipe, with its time; must not block either."""


class BotProcess:
    """One running bot. The tasks it needs live in the nursery it is given."""

    def __init__(
        self,
        bot: Bot,
        listener: Listener,
        nursery: trio.Nursery,
        cores: Sequence[int] = (),
        overhear: Overhear | None = None,
    ) -> None:
        """Start the program, on these cores only if there are any.

        Raises:
            StartError: when it cannot be started.
        """
        self._listener = listener
        self._nursery = nursery
        self._overhear = overhear
        self.spawned_at = time.monotonic_ns()
        with pinned(cores):
            self._program = launch_wrapped(bot.wrap, bot.argv, bot.directory, bot.env, bot.sandbox)
        self._wrap = bot.wrap
        self.pid = self._program.pid
        self.transcript = Transcript(self.spawned_at)
        self.stderr = HeadTail()
        self.bytes_read = 0
        self.exit_status: int | None = None
        self.excess: str | None = None
        self.trouble: str | None = None
        self.output_ended = False
        self._is_on_turn = True
        self.turn_bytes = 0
        self.turn_stderr_bytes = 0
        self._unsent = bytearray()
        self._exited = trio.Event()
        process = self._program.process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        for task in (self._watch_exit, self._watch_limits, self._read_stdout, self._read_stderr):
            nursery.start_soon(task)

    # Writing

    def write(self, data: bytes) -> int:
        """Send ``data`` without ever waiting for the bot.

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
        if self._unsent:
            self._unsent += data
        elif written < len(data):
            self._unsent += data[written:]
            self._nursery.start_soon(self._write_rest)
        return stamp

    def _write_now(self, data: bytes) -> int:
        try:
            return os.write(self._stdin.fileno(), data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            # It closed its input or ended; its silence or its exit is what gets judged.
            return len(data)

    async def _write_rest(self) -> None:
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

    def begin_turn(self) -> None:
        """The bot is to move: what it writes is read at full speed."""
        self._is_on_turn = True
        self.turn_bytes = self.turn_stderr_bytes = 0

    def end_turn(self) -> None:
        """The opponent is to move: reading a talkative bot must not cost it time."""
        self._is_on_turn = False
        self.turn_bytes = self.turn_stderr_bytes = 0

    async def drain(self) -> None:
        """Take what stands in stdout right now; others get their turn in between."""
        for _ in range(_DRAIN_BITES):
            if not self._read_once():
                return
            await trio.lowlevel.checkpoint()

    async def _read_stdout(self) -> None:
        with contextlib.suppress(trio.ClosedResourceError):
            while not self.output_ended:
                await trio.lowlevel.wait_readable(self._stdout.fileno())
                self._read_once()
                await self._slow_down()

    def _read_once(self) -> bool:
        """Take one bite of stdout; whether there was one. Notes the end of the output."""
        if self.output_ended:
            return False
        try:
            data = os.read(self._stdout.fileno(), _BITE)
        except BlockingIOError:
            return False
        stamp = time.monotonic_ns()
        if not data:
            self._end_output()
            return False
        self.bytes_read += len(data)
        self.turn_bytes += len(data)
        self.transcript.received(stamp, data)
        if self._overhear is not None:
            self._overhear(Voice.FROM_BOT, stamp, data)
        self._listener.received(data, stamp)
        return True

    def _end_output(self) -> None:
        if not self.output_ended:
            self.output_ended = True
            self._listener.ended()

    async def _read_stderr(self) -> None:
        with contextlib.suppress(trio.ClosedResourceError):
            while not self._stderr.closed:
                await trio.lowlevel.wait_readable(self._stderr.fileno())
                if self._read_stderr_once() == 0:
                    return
                if self.turn_stderr_bytes > _STDERR_FULL_SPEED:
                    await trio.sleep(_STDERR_PAUSE)

    def _read_stderr_once(self) -> int | None:
        """How many bytes were taken: 0 at the end of the stream, None when there are none now."""
        if self._stderr.closed:
            return 0
        try:
            data = os.read(self._stderr.fileno(), _STDERR_CHUNK)
        except BlockingIOError:
            return None
        self.turn_stderr_bytes += len(data)
        self.stderr.feed(data)
        if self._overhear is not None:
            self._overhear(Voice.STDERR, time.monotonic_ns(), data)
        return len(data)

    async def _slow_down(self) -> None:
        """Past a share that no honest bot needs, reading one bot leaves time for all others."""
        if self.turn_bytes > (FULL_SPEED if self._is_on_turn else _IDLE_SPEED):
            await trio.sleep(_PAUSE if self._is_on_turn else _IDLE_PAUSE)

    # Idle turns

    def suspend(self) -> None:
        """Stop all its processes until ``resume``."""
        self._program.signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._program.signal(signal.SIGCONT)

    # The end

    async def _watch_exit(self) -> None:
        self.exit_status = await self._program.wait()
        self.trouble = self._program.trouble()
        self.excess = self.excess or self._program.excess(())
        # What it wrote before it ended counts; what a child of its own writes later does not.
        await self.drain()
        self._end_output()
        self._exited.set()

    async def _watch_limits(self) -> None:
        """End a program that goes past its limits."""
        self.excess = await self._program.watch()
        await self._program.kill()
        self._end_output()

    @property
    def applied(self) -> Applied:
        """What really holds the program back."""
        return self._program.applied

    def describe_end(self) -> tuple[Termination, str]:
        """The termination and the words for a process that ended, or whose output did."""
        if self.excess is not None:
            return Termination.MEMORY, self.excess
        if self.trouble is not None:
            return Termination.START, self.trouble
        termination, words = describe_exit(self.exit_status)
        if self._has_foreign_status:
            words = f"{Path(self._wrap[0]).name} {words}, {FOREIGN}"
        return termination, words

    @property
    def _has_foreign_status(self) -> bool:
        """Whether the status is that of what the bot was started through; debuggers keep the bot's."""
        if not self._wrap or self.exit_status is None:
            return False
        return self.exit_status == 0 or wants_terminal(self._wrap)

    def explain(self, last_words: str) -> Iterator[str]:
        """What its isolation level may have to do with the end of a program."""
        level = self.applied.level
        if level is Level.NONE:
            return
        if self.exit_status in (126, 127):
            seen = "the system, its `dir`, what `run` names and what lies on PATH"
            yield f"at isolation {level} it sees {seen}"
        free = "`isolation: none` holds nothing back"
        if any(sign in last_words for sign in _DENIALS):
            yield f"at isolation {level} it may write to $TMPDIR only; {free}"
        if _NO_ROOM in last_words:
            yield f"at isolation {level} it has no room for its sanitizer; {free}"

    def living(self) -> list[int]:
        """Its processes that are alive, as far as they can be found."""
        return self._program.members()

    async def wait_exit(self, seconds: float) -> bool:
        """Wait until the root process has ended, at most ``seconds``; whether it has."""
        with trio.move_on_after(seconds):
            await self._exited.wait()
        return self._exited.is_set()

    async def destroy(self) -> None:
        """Kill the whole tree, take the last of stderr, and close the pipes. Not cancellable."""
        await self._program.kill()
        for _ in range(_LAST_WORDS):
            if not self._read_stderr_once():
                break
        self.close_input()
        # A reading task that was woken before may still run after this; it must find nothing to do.
        self.output_ended = True
        for pipe in (self._stdout, self._stderr):
            trio.lowlevel.notify_closing(pipe.fileno())
            pipe.close()


OUTSIDE_SIGNALS = frozenset((signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
"""Signals that somebody else sends; a program that breaks by itself dies of others."""


def describe_exit(status: int | None) -> tuple[Termination, str]:
    """The termination and the words for a process that ended by itself with ``status``.

    None stands for a process that closed its output and lives on.
    """
    if status is None:
        return Termination.CRASH, "closed its standard output"
    if status >= 0:
        hint = _shell_hint(status)
        return Termination.CRASH, f"exited with status {status}{hint}"
    name = _signal_name(-status)
    if -status in OUTSIDE_SIGNALS:
        return Termination.KILLED, f"killed from outside by {name}"
    return Termination.CRASH, f"killed by {name}"


def _shell_hint(status: int) -> str:
    """A shell reports a program that a signal ended as 128 + the signal's number."""
    number = status - 128
    if number not in {int(known) for known in signal.Signals}:
        return ""
    return f" (128 + {_signal_name(number)}, if a shell started it)"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
