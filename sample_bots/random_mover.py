"""``random``: plays any legal ply, each as likely as the others. What does not beat it has a bug."""

import random

from protocol.bot import Clock, run
from protocol.rules import Ply, Position


def choose(position: Position, clock: Clock) -> Ply:
    """Any legal ply; the helper has seeded the module's chance."""
    return random.choice(sorted(position.legal_plies()))


if __name__ == "__main__":
    run(choose, name="random")
