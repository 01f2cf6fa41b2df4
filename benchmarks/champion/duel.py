"""Play two versions of champion against each other in pairs with colours swapped.

    python duel.py NEW OLD --pairs 100 --time 500        0.5 s a game and side
    python duel.py NEW OLD --pairs 100 --nodes 20000     a fixed number of nodes a move

The games begin on random full boards; ``--from empty`` plays the placement, too, and ``--from book`` begins
with the openings of the book in random order. ``--processor`` counts the time that a player has had a
processor, which a busy machine does not spoil. Prints the score of NEW with a 95 % interval over pairs.
"""

import argparse
import random
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from protocol.rules import Phase, Position, Side, parse_dpos, parse_ply

BOOK = Path("tournaments/openings/balanced-500.drec")


class Player:
    """A DVP bot as a process, with the time it has left."""

    def __init__(self, command: str) -> None:
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.say("dvp 1")
        self.wait_for("dvpok")
        self.left = 0.0
        self.increment = 0
        self.clock: Callable[[], float] = time.monotonic
        """In seconds."""
        self.answer = ""
        self.score = 0.0
        """What it thought of its last answer, in pieces; 0 when it did not say."""

    def processor(self) -> float:
        """How many seconds it has had a processor, where the system tells."""
        text = Path(f"/proc/{self.process.pid}/schedstat").read_text(encoding="ascii")
        return int(text.split()[0]) / 1e9

    def say(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait_for(self, word: str) -> str:
        assert self.process.stdout
        for line in self.process.stdout:
            first, _, rest = line.strip().partition(" ")
            if first == word:
                return rest
            if found := re.search(r" score (\S+)", line):
                self.score = float(found[1])
        raise SystemExit("a player is gone")

    def new_game(self, side: Side, seed: int) -> None:
        self.say(f"setoption Seed {seed}")
        self.say(f"newgame {side.word}")
        self.say("isready")
        self.wait_for("readyok")

    def ask(self, position: Position, limit: str) -> str:
        self.say(f"board {position.dpos}")
        begun = self.clock()
        self.say(
            f"go time {max(0, int(self.left))} inc {self.increment}" if limit == "clock" else f"go {limit}"
        )
        self.answer = self.wait_for("move")
        if limit == "clock":
            self.left -= 1000 * (self.clock() - begun)
        return self.answer


def full_board(rng: random.Random) -> Position:
    position = Position.start()
    while position.phase is Phase.PLACEMENT:
        position = position.play(rng.choice(position.legal_plies()))
    return position


def margin_of(
    players: dict[Side, Player], position: Position, limits: dict[Side, str], seed: int, milliseconds: int = 0
) -> int:
    """White's margin in one game; 99 either way when the clock ran out.

    A limit is what follows ``go`` at each move, or ``clock``: so many milliseconds a game.
    """
    for side, player in players.items():
        player.left = float(milliseconds)
        player.new_game(side, seed)
    while not position.is_over:
        plies = position.legal_plies()
        if len(plies) == 1:
            position = position.play(plies[0])
            continue
        mover = players[position.to_move]
        ply = mover.ask(position, limits[position.to_move])
        if mover.left < -50:
            print("out of time")
            return -99 if position.to_move is Side.WHITE else 99
        mover.left += mover.increment
        position = position.play(parse_ply(ply))
    return position.score.white - position.score.black


def starts(kind: str, rng: random.Random) -> Iterator[Position]:
    """Where the pairs begin: no more of them than openings in the book, else without an end."""
    if kind == "book":
        openings = re.findall(r'\[Start "([^"]+)"', BOOK.read_text(encoding="utf-8"))
        yield from map(parse_dpos, rng.sample(openings, len(openings)))
    while kind != "book":
        yield full_board(rng) if kind == "full" else Position.start()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("new")
    parser.add_argument("old")
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--time", type=int, default=500)
    parser.add_argument("--increment", type=int, default=0)
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--from", dest="start", choices=("full", "empty", "book"), default="full")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    new, old = Player(arguments.new), Player(arguments.old)
    for player in (new, old):
        player.increment = arguments.increment
        if arguments.processor:
            player.clock = player.processor
    limits = dict.fromkeys(Side, f"nodes {arguments.nodes}" if arguments.nodes else "clock")
    scores, margins, wins = list[float](), list[int](), [0, 0, 0]
    for number, start in zip(range(arguments.pairs), starts(arguments.start, rng), strict=False):
        pair = 0.0
        for side in Side:
            other = Side.BLACK if side is Side.WHITE else Side.WHITE
            seed = 1 + 2 * number + (side is Side.BLACK)
            margin = margin_of({side: new, other: old}, start, limits, seed, arguments.time)
            margin = margin if side is Side.WHITE else -margin
            margins.append(margin)
            pair += (margin > 0) / 2 + (margin == 0) / 4
            wins[0 if margin > 0 else 1 if margin == 0 else 2] += 1
        scores.append(pair)
    mean = sum(scores) / len(scores)
    spread = (sum((score - mean) ** 2 for score in scores) / max(1, len(scores) - 1) / len(scores)) ** 0.5
    print(
        f"{arguments.new} - {arguments.old}: {mean:.1%} ± {1.96 * spread:.1%} of {2 * len(scores)} games "
        f"(+{wins[0]} ={wins[1]} -{wins[2]}), margin {sum(margins) / len(margins):+.2f}"
    )
    for player in (new, old):
        player.say("quit")
        player.process.wait()


if __name__ == "__main__":
    main()
