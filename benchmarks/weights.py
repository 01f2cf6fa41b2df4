"""Fits the weights of the Python reference players, and measures what their placement rule rests on.

Usage: ``nice python -m benchmarks.weights [--games N] [--boards N] [--seed N] [--nodes N]``. ``searcher``
plays games against itself from balanced boards, a few of the plies by chance so that no two are alike; all
positions are kept. Least squares find the weights of :mod:`sample_bots.evaluation` under which the value of a
position is nearest to the margin at the end, each position weighed by how well such positions can be foretold
at all. Then full boards set up at random are played out by one-ply players, and the margin is explained by
the pieces within one, two and three steps of a red, at the edge, and next to pieces of the own colour.
"""

import argparse
from collections.abc import Callable, Iterator
from random import Random

import numpy as np
from numpy.typing import NDArray

from arbiter.tournament.openings import set_up_board
from protocol.bot import Clock
from protocol.rules import SPACES, Ply
from protocol.rules.board import Board, can_move, moved, passed, stack_moves
from protocol.rules.geometry import NEIGHBOURS
from sample_bots.board import around, light
from sample_bots.evaluation import PIECE, Evaluation, Weights, margin
from sample_bots.limits import Limits
from sample_bots.searcher import Search

Floats = NDArray[np.float64]
Player = Callable[[Board], Ply]
COUNTED = ("close", "near", "movers", "moves", "safe", "turn")
"""What is fitted; ``pieces`` adds nothing to ``safe``."""

_COUNTS = [Evaluation(Weights(**{name: 1})) for name in COUNTED]
_EDGE = sum(1 << index for index, near in NEIGHBOURS.items() if near.bit_count() < 6)


def searching(chance: Random, nodes: int) -> Player:
    """``searcher`` with a fixed number of positions a ply, and some plies by chance."""
    evaluate = Evaluation()

    def choose(board: Board) -> Ply:
        if chance.random() < 0.1:
            return chance.choice(stack_moves(board))
        search = Search(board, Limits(Clock(nodes=nodes)), evaluate, chance)
        list(search.deepen())
        return search.best

    return choose


def looking(chance: Random) -> Player:
    """A look one ply ahead, blurred by a piece or so."""
    evaluate = Evaluation()
    return lambda board: max(
        stack_moves(board), key=lambda ply: chance.gauss(0, PIECE) - evaluate(moved(board, ply))
    )


def game(board: Board, choose: Player) -> tuple[list[Board], Callable[[Board], float]]:
    """The positions of a game, and the final margin as the mover of each of them sees it, in pieces."""
    seen = list[Board]()
    while can_move(board) or can_move(passed(board)):
        if not can_move(board):
            board = passed(board)
        seen.append(board)
        board = moved(board, choose(board))
    final, side = margin(board) / PIECE, board[5]
    return seen, lambda position: final if position[5] is side else -final


def solved(rows: Floats, goal: Floats) -> Floats:
    """The coefficients that explain the goal best by least squares."""
    return np.linalg.lstsq(rows, goal, rcond=None)[0].astype(np.float64)


def fitted(games: int, nodes: int, seed: int) -> tuple[Floats, Floats, int]:
    """Early and late weights in the order of ``COUNTED``, and the number of positions they rest on."""
    chance = Random(seed)
    choose = searching(chance, nodes)
    rows, stacks, margins = list[list[int]](), list[int](), list[float]()
    for number in range(games):
        seen, final = game(light(set_up_board("balanced", seed, number)), choose)
        rows += [[count(board) for count in _COUNTS] for board in seen]
        stacks += [board[0].bit_count() for board in seen]
        margins += map(final, seen)
    values, left, goal = np.array(rows, float), np.array(stacks, float), np.array(margins)
    full = (left / len(SPACES))[:, None]
    design = np.hstack([values * full, values * (1 - full)])
    weigh = np.ones(len(goal))
    for _ in range(4):
        weights = solved(design * weigh[:, None], goal * weigh)
        spread = np.polyval(np.polyfit(left, np.abs(goal - design @ weights), 2), left)
        weigh = 1 / np.maximum(spread, 1)
    early, late = np.split(weights * PIECE, 2)
    return early, late, len(goal)


def placements(boards: int, seed: int) -> Iterator[tuple[str, float, float]]:
    """What a piece of White more in some place is worth at the end, each with its standard error."""
    chance = Random(seed)
    choose, rows, margins = looking(chance), list[list[float]](), list[float]()
    for number in range(boards):
        board = light(set_up_board("random", seed, number))
        rows.append(_places(board))
        margins.append(game(board, choose)[1](board))
    values, goal = np.array(rows), np.array(margins)
    coefficients = solved(values, goal)
    variance = np.var(goal - values @ coefficients) * np.linalg.inv(values.T @ values)
    names = ("first move", "1 step", "2 steps", "3 steps", "edge", "own neighbours")
    yield from zip(names, coefficients, np.sqrt(np.diag(variance)), strict=True)


def _places(board: Board) -> list[float]:
    occupied, own, opposing, red, _, _ = board
    rings = [around(red) & occupied]
    while len(rings) < 3:
        rings.append(around(rings[-1]) & occupied)
    near = [(own & ring).bit_count() - (opposing & ring).bit_count() for ring in (*rings, _EDGE)]
    return [1, *near, _pairs(own) - _pairs(opposing)]


def _pairs(stacks: int) -> float:
    return sum((near & stacks).bit_count() for index, near in NEIGHBOURS.items() if stacks >> index & 1) / 2


def main() -> None:
    """Print the weights as they stand in the source, and the worth of places."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=3500, help="games to fit the weights on")
    parser.add_argument("--boards", type=int, default=12_000, help="boards to measure placements on")
    parser.add_argument("--nodes", type=int, default=250, help="positions a ply")
    parser.add_argument("--seed", type=int, default=2026)
    arguments = parser.parse_args()
    if arguments.games:
        early, late, positions = fitted(arguments.games, arguments.nodes, arguments.seed)
        print(f"{arguments.games} games, {positions} positions of {arguments.nodes} nodes a ply")
        for name, weights in (("EARLY", early), ("LATE", late)):
            values = ", ".join(f"{key}={weight:.0f}" for key, weight in zip(COUNTED, weights, strict=True))
            print(f"{name} = Weights({values})")
    if arguments.boards:
        print(f"{arguments.boards} boards: pieces at the end for a piece in a place")
        for place, worth, error in placements(arguments.boards, arguments.seed):
            print(f"  {place:15}{worth:6.2f} ± {error:.2f}")


if __name__ == "__main__":
    main()
