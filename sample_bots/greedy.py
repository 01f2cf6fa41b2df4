"""``greedy``: takes the ply that gains most at once and never asks what the opponent answers."""

from random import Random

from protocol.rules import Phase, Ply, Position, Side
from sample_bots import loop


def choose(position: Position, rng: Random) -> tuple[Ply, str]:
    """The ply with the greatest margin right after it; chance decides between equals.

    A placement never gains more than another one, so there all of them are equals.
    """
    plies = sorted(position.legal_plies())
    if position.phase is Phase.PLACEMENT:
        return rng.choice(plies), ""
    margins = {ply: margin(position.play(ply), position.to_move) for ply in plies}
    best = max(margins.values())
    ply = rng.choice([ply for ply in plies if margins[ply] == best])
    return ply, f"depth 1 score {best} nodes {len(plies)} pv {ply}"


def margin(position: Position, side: Side) -> int:
    """By how many pieces ``side`` leads on the board."""
    score = position.score
    return score.white - score.black if side is Side.WHITE else score.black - score.white


if __name__ == "__main__":
    loop.run("greedy", choose)
