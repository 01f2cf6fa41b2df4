"""``random``: plays any legal ply, each as likely as the others. What does not beat it has a bug."""

from random import Random

from protocol.rules import Ply, Position
from sample_bots import loop


def choose(position: Position, rng: Random) -> tuple[Ply, str]:
    """Any legal ply; there is nothing to say about it."""
    return rng.choice(sorted(position.legal_plies())), ""


if __name__ == "__main__":
    loop.run("random", choose)
