"""What the tests of the reference players share: boards, games without processes, brute force."""

from copy import copy
from functools import cache
from random import Random
from typing import Any

from arbiter.tournament.openings import BOARD_KINDS, set_up_board
from protocol.bot import Bot, Clock
from protocol.rules import PASS, Ply, Position, Side
from sample_bots.careful import Careful
from sample_bots.montecarlo import MonteCarlo
from sample_bots.searcher import Searcher

RUNGS: list[type[Careful] | type[MonteCarlo] | type[Searcher]] = [Careful, MonteCarlo, Searcher]
"""Those with levels, weakest first."""

STARTS = [Position.start(), *[set_up_board(kind, 2026, 1) for kind in BOARD_KINDS]]
"""The empty board, and full boards of each kind."""


def player(rung: type[Careful] | type[MonteCarlo] | type[Searcher], *, level: int = 0, seed: int = 1) -> Bot:
    """A reference player that is about to begin a game; level 0 is its default."""
    bot = rung()
    bot.random = Random(seed)
    bot.level = copy(rung.level)  # an option is the class's; here two levels meet
    bot.level.reset()
    if level:
        bot.level.set(str(level))
    return bot


def ask(bot: Bot, position: Position, **limits: Any) -> tuple[Ply, list[str]]:
    """What a bot plays, and what it says about it."""
    said = list[str]()
    bot.on_say(lambda *lines: said.extend(lines))
    answer = bot.choose(position, Clock(position, **limits))
    assert isinstance(answer, Ply)
    return answer, said


def play(position: Position, white: Bot, black: Bot, **limits: Any) -> tuple[list[Ply], Position]:
    """A game, in which the rules core judges each ply; its plies, and how it ended."""
    history = list[Ply]()
    while not position.is_over:
        bot = white if position.to_move is Side.WHITE else black
        forced = position.legal_plies() == [PASS]
        ply = PASS if forced else ask(bot, position, **limits)[0]
        position = position.play(ply)
        history.append(ply)
    return history, position


def points(position: Position, side: Side) -> float:
    """What a finished game brings this side."""
    return 0.5 if position.winner is None else float(position.winner is side)


@cache
def solved(position: Position) -> int:
    """The final margin of the side to move when both play best, by looking at all games there are."""
    if position.is_over:
        white, black = position.score
        return white - black if position.to_move is Side.WHITE else black - white
    return max(-solved(position.play(ply)) for ply in position.legal_plies())


def endings(number: int, stacks: int = 9) -> list[Position]:
    """Positions with so few stacks, out of games at random, in which there is something to choose."""
    found = list[Position]()
    seed = 0
    while len(found) < number:
        seed += 1
        chance, position = Random(seed), set_up_board("random", seed, 0)
        while not position.is_over and len(position.stacks()) > stacks:
            position = position.play(chance.choice(position.legal_plies()))
        if len({solved(position.play(ply)) for ply in position.legal_plies()}) > 1:
            found.append(position)
    return found


def words(line: str) -> dict[str, Any]:
    """The keys and values of an ``info`` line; the line of play as a list under ``pv``."""
    start, _, line_of_play = line.removeprefix("info ").partition("pv ")
    parts = start.split()
    return dict(zip(parts[::2], map(float, parts[1::2]), strict=True)) | {"pv": line_of_play.split()}


def middle(number: int, stacks: int = 34) -> Position:
    """A position with about so many stacks and something to choose, out of a game at random."""
    chance, position = Random(number), set_up_board("balanced", number, 0)
    while len(position.stacks()) > stacks or len(position.legal_plies()) < 2:
        position = position.play(chance.choice(position.legal_plies()))
    return position
