"""What the tests of champion share: building it, its commands, and positions to ask it about."""

import random
import shlex
import subprocess
from pathlib import Path

from protocol.rules import Phase, Position, Rules
from tests.sample_bots.referee import HERE, Process, command

SANITIZED = "-std=c11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all"


def build(out: Path) -> Path:
    """The program as the catalogue builds it."""
    subprocess.run(command("champion", "build", out), check=True)
    return out / "champion"


def build_sanitized(out: Path) -> Path:
    """The program that stops at the first wrong access and the first undefined step."""
    program = out / "champion-sanitized"
    sources = [str(path) for path in sorted((HERE / "champion").glob("*.c"))]
    subprocess.run(["cc", *shlex.split(SANITIZED), "-o", str(program), *sources, "-lm"], check=True)
    return program


def run(program: Path, *arguments: str) -> str:
    """What one of its commands prints."""
    finished = subprocess.run(
        [str(program), *arguments], check=True, capture_output=True, text=True, timeout=60
    )
    return finished.stdout


def full_board(seed: int, rules: Rules = Rules.STANDARD) -> Position:
    """A random full board before the first stack move."""
    rng = random.Random(seed)
    position = Position.start(rules)
    while position.phase is Phase.PLACEMENT:
        position = position.play(rng.choice(position.legal_plies()))
    return position


def wander(seed: int, plies: int) -> Position:
    """A position of a random game, so many plies after the start or where the game ends."""
    rng = random.Random(seed)
    position = Position.start()
    for _ in range(plies):
        choices = position.legal_plies()
        if not choices:
            break
        position = position.play(rng.choice(choices))
    return position


def ending(seed: int, most_stacks: int) -> Position:
    """The first position of a random game with at most so many stacks that is not over, if there is one."""
    rng = random.Random(seed)
    while True:
        position = full_board(rng.randrange(2**32))
        while not position.is_over and len(position.stacks()) > most_stacks:
            position = position.play(rng.choice(position.legal_plies()))
        if not position.is_over:
            return position


def answer(bot: Process) -> tuple[str, list[dict[str, str]]]:
    """The ply of the next ``move`` line, and the ``info`` lines before it as keys and values."""
    found: list[dict[str, str]] = []
    while not (line := bot.hear()).startswith("move "):
        words = line.split(" pv ")[0].split()
        assert words[0] == "info", line
        if words[1] != "string":
            found.append(dict(zip(words[1::2], words[2::2], strict=True)))
            found[-1]["pv"] = line.partition(" pv ")[2]
    return line.split()[1], found
