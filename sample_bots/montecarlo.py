"""``montecarlo``: plays many short games against itself, most of them with plies that have done well so far.

Monte Carlo tree search need not look at all replies to find the good ones: chance samples the future, the
tree remembers, and the formula UCT decides where the next sample tells most.
"""

from collections.abc import Iterator
from math import atanh, inf, log, sqrt, tanh
from random import Random
from typing import NamedTuple

from protocol.bot import Bot, Clock, Spin, run
from protocol.rules import PASS, Phase, Ply, Position
from protocol.rules.board import Board, can_move, moved, passed, stack_moves
from protocol.rules.geometry import TALLEST
from sample_bots.board import light
from sample_bots.evaluation import PIECE, Evaluation, margin
from sample_bots.limits import Limits
from sample_bots.placement import place

LEVELS = {1: TALLEST, 2: 20, 3: 12, 4: 6, 5: 2}
"""Random plies of a rollout. The farther chance plays, the less its end says about where it began: a level
that stops sooner and asks the evaluation has more playouts, and better ones. The lowest plays to the end of
the game.
"""

EXPLORATION = 0.4
"""How much a ply gains by being tried seldom, against how well it has done."""

CERTAIN = 12 * PIECE
"""The margin at which a game is nearly won."""

PRIOR = 1
"""As how many visits the first impression of a ply counts."""

LARGEST = 500_000
"""Plies in the tree: about 100 MB."""


class Node:
    """A ply in the tree. ``total`` is the sum of the values of its ``visits``, for the side that plays it."""

    __slots__ = ("children", "ply", "total", "visits")

    def __init__(self, ply: Ply, impression: float) -> None:
        self.ply = ply
        self.visits = PRIOR
        self.total = PRIOR * impression
        self.children: list[Node] | None = None


class Found(NamedTuple):
    """What a search knows after some playouts; ``score`` in hundredths of a piece."""

    playouts: int
    nodes: int
    score: float
    line: list[Ply]


class Tree:
    """The search of one ply."""

    def __init__(
        self, board: Board, limits: Limits, evaluate: Evaluation, rollout: int, chance: Random
    ) -> None:
        self._board = board
        self._limits = limits
        self._evaluate = evaluate
        self._rollout = rollout
        self._random = chance.random
        self.nodes = self.playouts = self._size = 0
        self._root = Node(PASS, 0)
        self._expand(self._root, board)

    @property
    def best(self) -> Ply:
        """The ply that was tried most often. One tried seldom may look better, by luck."""
        return self._main(self._root).ply

    def grow(self) -> Iterator[Found]:
        """Play out games until the limits are spent; tell how it stands when their number has doubled."""
        told = 1
        while not self._limits.are_spent(self.nodes):
            self._play_out()
            if self.playouts == 2 * told:
                told *= 2
                yield self._found()
                if self._is_deep():
                    return
        yield self._found()

    def _is_deep(self) -> bool:
        """Whether a limit of depth is reached: by the main line, or because there is no more to be found."""
        line, last = self._main_line()
        return self._limits.depth < inf and (
            len(line) >= self._limits.depth or last.children == [] or self._size >= LARGEST
        )

    def _play_out(self) -> None:
        """One walk down the tree, one rollout from where it ends, and what came of it back up to the root."""
        board, node = self._board, self._root
        path = [node]
        while node.children:
            node = self._promising(node)
            board = passed(board) if node.ply is PASS else moved(board, node.ply)
            path.append(node)
            self.nodes += 1
            if node.children is None and node.visits > PRIOR and self._size < LARGEST:
                self._expand(node, board)
        value = -self._rolled_out(board)
        for node in reversed(path):
            node.visits += 1
            node.total += value
            value = -value
        self.playouts += 1

    def _promising(self, parent: Node) -> Node:
        """The child to try: by its mean value so far, and more readily the less it has been tried (UCT)."""
        curiosity = EXPLORATION * sqrt(log(parent.visits))
        best, most = parent, -inf
        for child in parent.children or ():
            promise = child.total / child.visits + curiosity / sqrt(child.visits)
            if promise > most:
                best, most = child, promise
        return best

    def _expand(self, node: Node, board: Board) -> None:
        """Add the replies, each with a first impression, so that nonsense is tried seldom."""
        if plies := stack_moves(board):
            node.children = [Node(ply, -self._value(moved(board, ply))) for ply in plies]
        elif can_move(passed(board)):
            node.children = [Node(PASS, -self._value(passed(board)))]
        else:
            node.children = []
        self.nodes += len(node.children)
        self._size += len(node.children)

    def _rolled_out(self, board: Board) -> float:
        """The value for the side to move after some random plies."""
        side = board[5]
        for _ in range(self._rollout):
            if not (plies := stack_moves(board)):
                board = passed(board)
                if not (plies := stack_moves(board)):
                    break
            board = moved(board, plies[int(self._random() * len(plies))])
            self.nodes += 1
        value = self._value(board)
        return value if board[5] is side else -value

    def _value(self, board: Board) -> float:
        """From -1, lost, to 1, won: a piece more or less matters most where the game is close."""
        over = not can_move(board) and not can_move(passed(board))
        return tanh((margin(board) if over else self._evaluate(board)) / CERTAIN)

    def _main(self, node: Node) -> Node:
        return max(node.children or (), key=lambda child: (child.visits, child.total))

    def _main_line(self) -> tuple[list[Ply], Node]:
        """The plies tried most often, by either side in turn, and the last of them in the tree."""
        line, node = list[Ply](), self._root
        while node.children:
            node = self._main(node)
            line.append(node.ply)
        return line, node

    def _found(self) -> Found:
        best = self._main(self._root)
        mean = max(-0.999, min(best.total / best.visits, 0.999))
        return Found(self.playouts, self.nodes, CERTAIN * atanh(mean), self._main_line()[0])


class MonteCarlo(Bot):
    """Takes the ply that it has tried most often."""

    name = "montecarlo"
    features = ("reuse", "stop")
    level = Spin("Level", 4, 1, 5)
    evaluate = Evaluation()

    def choose(self, position: Position, clock: Clock) -> Ply:
        if position.phase is Phase.PLACEMENT:
            return place(position, self.random)
        limits = Limits(clock)
        tree = Tree(light(position), limits, self.evaluate, LEVELS[self.level.value], self.random)
        for found in tree.grow():
            self.info(
                depth=len(found.line),
                score=round(found.score / PIECE, 2),
                nodes=found.nodes,
                time=round(clock.elapsed),
                metrics={"playouts": found.playouts},
                pv=found.line,
            )
        limits.hold()
        return tree.best


if __name__ == "__main__":
    run(MonteCarlo())
