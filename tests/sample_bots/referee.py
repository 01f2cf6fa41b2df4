"""A tiny referee for the sample bots: real processes, one game at a time, ``protocol.rules`` as the judge."""

import os
import random
import resource
import select
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from protocol.rules import Ply, Position, Rules, Side, parse_ply

PATIENCE = 20.0  # seconds a bot may be silent: far beyond what any of them needs, even on a busy machine
HERE = Path(str(files("sample_bots")))
CATALOGUE: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "bots.yaml").read_text(encoding="utf-8"))

Chooser = Callable[[Position], Ply]
"""How a side that is no process finds its ply."""


def command(name: str, kind: str = "run", out: Path = Path("unused")) -> list[str]:
    """The command of a sample bot, as ``bots.yaml`` writes it."""
    return shlex.split(CATALOGUE[name][kind].format(python=sys.executable, here=HERE, out=out))


class Process:
    """A bot as a real process behind pipes; everything it writes to stdout is kept in ``heard``."""

    def __init__(self, argv: list[str]) -> None:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
        self.popen = subprocess.Popen(
            argv,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self.heard: list[str] = []
        self._rest = b""

    def say(self, *lines: str) -> None:
        self.say_bytes("".join(line + "\n" for line in lines).encode())

    def say_bytes(self, data: bytes) -> None:
        assert self.popen.stdin is not None
        while data:
            data = data[self.popen.stdin.write(data) :]

    def hear(self) -> str:
        """The next line; fails when none comes while the input is still open, as when it is not flushed."""
        assert self.popen.stdout is not None
        until = time.monotonic() + PATIENCE
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self.popen.stdout], [], [], max(0, until - time.monotonic()))
            data = os.read(self.popen.stdout.fileno(), 65536) if ready else b""
            assert data, f"no answer; heard {self.heard[-3:]}"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        self.heard.append(line.decode())
        return self.heard[-1]

    def ran(self) -> float:
        return ran(self.popen.pid)

    def speaks_within(self, seconds: float) -> bool:
        """Whether there is anything to hear, now or soon."""
        assert self.popen.stdout is not None
        return b"\n" in self._rest or bool(select.select([self.popen.stdout], [], [], seconds)[0])

    def finish(self) -> tuple[int, str, str]:
        """Close the input and wait: exit code, what was still written to stdout, and stderr."""
        out, err = self.popen.communicate(timeout=PATIENCE)
        return self.popen.returncode, (self._rest + out).decode(), err.decode()

    def wait(self) -> int:
        """Wait for the bot to exit while its input stays open."""
        return self.popen.wait(timeout=PATIENCE)


@contextmanager
def started(argv: list[str]) -> Iterator[Process]:
    """A process that is gone at the end, whatever the test found."""
    process = Process(argv)
    try:
        yield process
    finally:
        process.popen.kill()
        process.popen.communicate()


def cpu_time(do: Callable[[], object]) -> float:
    """Seconds of processor time that the processes took which ``do`` starts and waits for: waiting for a busy
    machine does not count.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    do()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ran(pid: int) -> float:
    """Seconds of processor time of a process so far: that others have the processor, or that we are slow to
    read its answer, does not count.
    """
    return time.clock_gettime(~pid << 3 | 2)  # as clock_getcpuclockid(3) has it


def mover(seed: int) -> Chooser:
    """A side that plays any legal ply."""
    rng = random.Random(seed)
    return lambda position: rng.choice(position.legal_plies())


def greet(bot: Process, side: Side, seed: int, rules: Rules = Rules.STANDARD) -> None:
    """Go through the handshake of a DVP bot and announce a game."""
    bot.say("dvp 1")
    while bot.hear().split()[0] != "dvpok":
        pass
    bot.say(f"setoption Seed {seed}")
    times = "time 5000 inc 50 grace 50 clock wall ponder off"
    bot.say(f"newgame {side.word} {times} rules {rules} opponent Reads rules b")


def ask(bot: Process, history: list[Ply], position: Position) -> Ply:
    """Ask a DVP bot for its ply; only ``info`` lines may come before it."""
    moves = " ".join(["moves", *map(str, history)]) if history else ""
    bot.say(
        f"position start {moves}".rstrip(),
        f"board {position}",
        "legal " + " ".join(sorted(map(str, position.legal_plies()))),
        f"go ply {len(history) + 1} time 5000 opptime 5000 inc 50 used 1",
    )
    while (line := bot.hear()).startswith("info "):
        pass
    word, text = line.split()
    assert word == "move"
    return parse_ply(text)


def play_dvp(bot: Process, side: Side, seed: int, rules: Rules = Rules.STANDARD) -> list[Ply]:
    """A whole game of a DVP bot against a random mover, each ply checked; returns the plies."""
    opponent = mover(seed)
    position, history = Position.start(rules), list[Ply]()
    greet(bot, side, seed, rules)
    while not position.is_over:
        ply = ask(bot, history, position) if position.to_move is side else opponent(position)
        position = position.play(ply)
        history.append(ply)
    bot.say(f"result * white {position.score.white} black {position.score.black} reason normal")
    return history


def play_codecup(bot: Process, side: Side, opponent: Chooser) -> tuple[list[Ply], Position]:
    """A whole game of a CodeCup bot, each ply checked; returns the plies and the last position."""
    position, history = Position.start(), list[Ply]()
    if side is Side.WHITE:
        bot.say("Start")
    while not position.is_over:
        ours = position.to_move is side
        ply = parse_ply(bot.hear()) if ours else opponent(position)
        position = position.play(ply)
        history.append(ply)
        if not ours and not position.is_over:
            bot.say(str(ply))
    return history, position
