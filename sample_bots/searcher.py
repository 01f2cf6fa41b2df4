"""``searcher``: looks ahead by alpha-beta with iterative deepening, in plain Python.

The rules come from :mod:`protocol.rules`, and what a board is worth from :mod:`sample_bots.evaluation`. What
is here is the search alone. Each part of it makes the same answer come sooner, which leaves time to look
farther.
"""

from collections.abc import Iterator
from math import inf
from random import Random
from typing import NamedTuple

from protocol.bot import Bot, Clock, Spin, run
from protocol.rules import PASS, Phase, Ply, Position
from protocol.rules.board import Board, can_move, moved, passed, stack_moves
from sample_bots.board import light
from sample_bots.evaluation import PIECE, Evaluation, margin
from sample_bots.limits import Limits
from sample_bots.placement import place

LEVELS = {1: 15, 2: 60, 3: 240, 4: 960, 5: inf}
"""The most positions that a level looks at; the highest one thinks as long as the clock lets it."""

SOLVED = 99
"""The depth of what was looked at to the end of the game."""

MOST_KNOWN = 200_000
"""Positions to remember: about 150 MB."""


class Entry(NamedTuple):
    """What is known of a position: searched to ``depth``, its value lies from ``low`` to ``high``."""

    depth: int
    low: float
    high: float
    best: Ply

    def settles(self, alpha: float, beta: float) -> bool:
        """Whether that is enough to know between ``alpha`` and ``beta``."""
        return self.low >= beta or self.high <= alpha or self.low == self.high


class Found(NamedTuple):
    """What an iteration found. ``score`` is in hundredths of a piece, ``exact`` says that it is proved."""

    depth: int
    score: float
    exact: bool
    nodes: int
    line: list[Ply]


class LimitReachedError(Exception):
    """The limits are spent."""


class Search:
    """The search of one ply."""

    def __init__(self, board: Board, limits: Limits, evaluate: Evaluation, chance: Random) -> None:
        self._board = board
        self._limits = limits
        self._evaluate = evaluate
        self._plies = stack_moves(board)
        chance.shuffle(self._plies)  # between equals the first one is taken
        self.best = self._plies[0]
        self.nodes = 0
        self._score = -inf
        self._guesses = 0  # how often a value rested on the evaluation
        self._known: dict[Board, Entry] = {}
        self._merits: dict[Ply, int] = {}

    def deepen(self) -> Iterator[Found]:
        """Search one ply deep, then two, and so on until the limits are spent or the position is solved.

        Each iteration costs several times as much as the one before. But what that one found out gives it an
        order of plies so good that both together take less time than the deeper one alone; and whenever time
        is up there is an answer, ``best``.
        """
        depth, told = 0, None
        while depth < min(self._limits.depth, SOLVED):
            depth += 1
            before = self._guesses
            try:
                self._search_root(depth)
            except LimitReachedError:
                if self.best is not told and self._score > -inf:
                    yield self._found(depth, False)
                return
            exact, told = self._guesses == before, self.best
            yield self._found(depth, exact)
            if exact or len(self._plies) == 1:
                return

    def _search_root(self, depth: int) -> None:
        """Like :meth:`_search`, but what is found counts at once: ``best`` may be asked for any time."""
        self._score = -inf
        for ply in sorted(self._plies, key=lambda ply: ply is not self.best):
            first = self._score == -inf
            value = self._value(moved(self._board, ply), depth - 1, self._score, inf, first)
            if value > self._score:
                self._score, self.best = value, ply

    def _search(self, board: Board, depth: int, alpha: float, beta: float) -> float:
        """The value of a board for the side to move, so far as it lies between ``alpha`` and ``beta``.

        ``alpha`` is what this side can have elsewhere already, ``beta`` what the other side can hold it to. A
        value beyond one of them is a bound only: one side avoids the position, and nobody needs to know more.
        """
        if self._limits.are_spent(self.nodes):
            raise LimitReachedError
        self.nodes += 1
        if depth == 0:
            self._guesses += 1
            return self._evaluate(board)
        known = self._known.get(board)
        if known is not None and known.depth >= depth and known.settles(alpha, beta):
            self._guesses += known.depth < SOLVED
            return known.low if known.low >= beta else known.high
        plies = stack_moves(board)
        if not plies:
            waiting = passed(board)
            return -self._search(waiting, depth, -beta, -alpha) if can_move(waiting) else margin(board)
        return self._search_plies(board, self._ordered(plies, known), depth, alpha, beta)

    def _search_plies(self, board: Board, plies: list[Ply], depth: int, alpha: float, beta: float) -> float:
        before = self._guesses
        best, top = plies[0], -inf
        for ply in plies:
            value = self._value(moved(board, ply), depth - 1, max(alpha, top), beta, first=top == -inf)
            if value > top:
                best, top = ply, value
                if value >= beta:
                    self._merits[ply] = self._merits.get(ply, 0) + depth * depth
                    break
        self._remember(board, SOLVED if self._guesses == before else depth, best, top, alpha, beta)
        return top

    def _value(self, after: Board, depth: int, alpha: float, beta: float, first: bool) -> float:
        """The value of a ply by the board it leaves.

        The first ply is probably the best. Of the others it is first asked only whether they are any better:
        that is answered more quickly than how good they are, and mostly the answer is no.
        """
        if first or depth == 0:
            return -self._search(after, depth, -beta, -alpha)
        value = -self._search(after, depth, -alpha - 1, -alpha)
        return -self._search(after, depth, -beta, -alpha) if alpha < value < beta else value

    def _ordered(self, plies: list[Ply], known: Entry | None) -> list[Ply]:
        """First what was best here before, then what has refuted other plies elsewhere."""
        merits = self._merits
        plies.sort(key=lambda ply: -merits.get(ply, 0))
        if known is not None:
            plies.remove(known.best)
            plies.insert(0, known.best)
        return plies

    def _remember(self, board: Board, depth: int, best: Ply, value: float, alpha: float, beta: float) -> None:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        low, high = value if value > alpha else -inf, value if value < beta else inf
        self._known[board] = Entry(depth, low, high, best)

    def _found(self, depth: int, exact: bool) -> Found:
        """How it stands, with the expected line of play out of what is remembered."""
        line, board = [self.best], moved(self._board, self.best)
        while len(line) < depth:
            if not can_move(board) and can_move(passed(board)):
                line.append(PASS)
                board = passed(board)
            elif entry := self._known.get(board):
                line.append(entry.best)
                board = moved(board, entry.best)
            else:
                break
        return Found(depth, self._score, exact, self.nodes, line)


class Searcher(Bot):
    """Takes the ply that is best when both sides look so far ahead."""

    name = "searcher"
    features = ("reuse", "stop")
    level = Spin("Level", 5, 1, 5)
    evaluate = Evaluation()

    def choose(self, position: Position, clock: Clock) -> Ply:
        if position.phase is Phase.PLACEMENT:
            return place(position, self.random)
        limits = Limits(clock, LEVELS[self.level.value])
        search = Search(light(position), limits, self.evaluate, self.random)
        for found in search.deepen():
            self.info(
                depth=found.depth,
                score=found.score / PIECE,
                exact=found.exact,
                nodes=found.nodes,
                time=round(clock.elapsed),
                pv=found.line,
            )
        limits.hold()
        return search.best


if __name__ == "__main__":
    run(Searcher())
