"""``greedy``: takes the ply that gains most at once and never asks what the opponent answers."""

from protocol.bot import Bot, Clock, run
from protocol.rules import Phase, Ply, Position, Side


class Greedy(Bot):
    """Plays for the greatest margin right after its ply; chance decides between equals.

    A placement never gains more than another one, so there all of them are equals.
    """

    name = "greedy"

    def choose(self, position: Position, clock: Clock) -> Ply:
        plies = sorted(position.legal_plies())
        if position.phase is Phase.PLACEMENT:
            return self.random.choice(plies)
        margins = {ply: margin(position.play(ply), position.to_move) for ply in plies}
        best = max(margins.values())
        ply = self.random.choice([ply for ply in plies if margins[ply] == best])
        self.info(depth=1, score=best, nodes=len(plies), pv=[ply])
        return ply


def margin(position: Position, side: Side) -> int:
    """By how many pieces ``side`` leads on the board."""
    score = position.score
    return score.white - score.black if side is Side.WHITE else score.black - score.white


if __name__ == "__main__":
    run(Greedy())
