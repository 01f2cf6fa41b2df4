"""``careful``: looks one ply ahead as ``greedy`` does, but asks what of its gains will last."""

from protocol.bot import Bot, Clock, Spin, run
from protocol.rules import Phase, Ply, Position
from protocol.rules.board import moved
from sample_bots.board import light
from sample_bots.evaluation import PIECE, Evaluation, Weights
from sample_bots.placement import place

LEVELS = {
    # The pieces on the board, which is all that greedy sees.
    1: Evaluation(Weights(pieces=100)),
    # And stacks near a red. The others are the next to be cut off: taken from the board, whoever owns them.
    2: Evaluation(Weights(pieces=100, near=150)),
    # But only pieces that the opponent cannot land on in its next ply.
    3: Evaluation(Weights(safe=50, near=150)),
    # And who can move, for what is stuck waits to be topped or cut off. All of it by how full the board is:
    # early on it is the reds that matter, in the end safe pieces and moves.
    4: Evaluation(),
}
"""What each level counts: one thing more than the level before."""


class Careful(Bot):
    """Takes the ply after which its count is best.

    It never looks at a reply: what the opponent could do next is read off the board, for all replies at once.
    """

    name = "careful"
    level = Spin("Level", 3, 1, 4)

    def choose(self, position: Position, clock: Clock) -> Ply:
        if position.phase is Phase.PLACEMENT:
            return place(position, self.random)
        board, count = light(position), LEVELS[self.level.value]
        # After a ply it is the opponent's turn, and the count is the opponent's.
        counts = {ply: -count(moved(board, ply)) for ply in sorted(position.legal_plies())}
        best = max(counts.values())
        ply = self.random.choice([ply for ply in counts if counts[ply] == best])
        self.info(depth=1, score=best / PIECE, nodes=len(counts), pv=[ply])
        return ply


if __name__ == "__main__":
    run(Careful())
