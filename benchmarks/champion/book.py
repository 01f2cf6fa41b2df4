"""Make the book of balanced openings: full boards that champion placed and found even.

    PYTHONPATH=. python benchmarks/champion/book.py ./champion tournaments/openings/balanced-500.drec

The reds of a candidate lie anywhere with the same chance, so that the book covers the board; champion
places the other pieces, with a seed of its own for each candidate. A candidate enters the book when

1. no board in it is alike under the symmetries of the board and the exchange of the colours,
2. champion finds the sides no more than ``NEAR`` pieces apart, both when it searches as White, from the
   board, and as Black, after White's best move: a score that holds from one side only is an artefact of the
   depth of the search, and
3. in ``PAIRS`` pairs of games between two champions, colours swapped, White wins half the games, one more or
   less, and ``SPLIT`` pairs or more split: each colour wins one of the two games, or both are drawn.

The score with Black to move on the same board is noted, too, and not judged: the first move is worth about
four pieces, so that no board is even for both. What was found is written into the headers of each opening.
A run that was broken off goes on where it was. The book depends on program, seed and count alone.
"""

import argparse
import itertools
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from duel import Player, margin_of

from protocol.records import Record, format_record, read_records
from protocol.rules import Phase, Position, Side, parse_dpos, parse_ply

PLACING = "depth 2"
"""How champion places: it looks one ply ahead."""
SEARCH = "nodes 100000"
NEAR = 1.0
PAIRS = ((2_000, 3_000), (4_000, 6_000), (8_000, 12_000), (16_000, 24_000))
"""Nodes a move of the two players of a pair; different ones, or both games would be the same."""
SLACK = 1.0
"""By how many points White's result may differ from half of the games."""
SPLIT = 2
"""At least so many pairs have to split; of pairs between equals one in two would."""
BATCH = 16
"""Candidates that are handed out at a time."""
EXCHANGE = str.maketrans("wb", "bw")


@dataclass(frozen=True, slots=True)
class Judgement:
    """Scores in pieces, from White's side; White's margins in the two games of each pair."""

    as_white: float
    as_black: float
    black_to_move: float
    pairs: tuple[tuple[int, int], ...]

    def headers(self) -> dict[str, str]:
        """What the record of the opening says of it."""
        games = [margin for pair in self.pairs for margin in pair]
        split = sum(points(pair) == 1 for pair in self.pairs)
        return {
            "SearchAsWhite": f"{self.as_white:+.2f}",
            "SearchAsBlack": f"{self.as_black:+.2f}",
            "SearchBlackToMove": f"{self.black_to_move:+.2f}",
            "SelfPlay": f"White {points(games):g} of {len(games)}, {split} of {len(self.pairs)} pairs split, "
            f"mean margin {sum(games) / len(games):+.1f}",
        }


def points(margins: tuple[int, ...] | list[int]) -> float:
    """White's points for its margins."""
    return sum((margin > 0) + (margin == 0) / 2 for margin in margins)


def alike(rows: str) -> Iterator[str]:
    """The rows of a full board under the four symmetries of the board, each with the colours exchanged."""
    lines = rows.split("/")
    mirrored = [line[::-1] for line in lines]
    for image in (lines, mirrored, lines[::-1], mirrored[::-1]):
        yield "/".join(image)
        yield "/".join(image).translate(EXCHANGE)


def rows_of(position: Position) -> str:
    return position.dpos.split()[0]


def candidate(player: Player, rng: random.Random) -> Position:
    """A full board: the reds by chance, the rest as champion places with a seed of its own."""
    player.new_game(Side.WHITE, rng.randrange(2**31))
    position = Position.start()
    while position.phase is Phase.PLACEMENT:
        plies = position.legal_plies()
        ply = rng.choice(plies) if len(position.stacks()) < 3 else parse_ply(player.ask(position, PLACING))
        position = position.play(ply)
    return position


def score(player: Player, position: Position) -> float:
    """What a fresh search thinks of a position, from the side to move."""
    player.new_game(position.to_move, 1)
    player.ask(position, SEARCH)
    return player.score


def exchanged(position: Position) -> Position:
    """The full board with the colours exchanged: White is to move as ever."""
    return parse_dpos(rows_of(position).translate(EXCHANGE) + " w m")


def pair(players: tuple[Player, Player], position: Position, nodes: tuple[int, int]) -> tuple[int, int]:
    """White's margins when either player is White."""
    margins = []
    for white in (0, 1):
        sides = {Side.WHITE: players[white], Side.BLACK: players[1 - white]}
        limits = {Side.WHITE: f"nodes {nodes[white]}", Side.BLACK: f"nodes {nodes[1 - white]}"}
        margins.append(margin_of(sides, position, limits, seed=1))
    return margins[0], margins[1]


def play_pairs(players: tuple[Player, Player], position: Position) -> tuple[tuple[int, int], ...] | None:
    """White's margins; None as soon as the pairs that are left cannot make up for what was lost."""
    pairs: list[tuple[int, int]] = []
    for nodes in PAIRS:
        pairs.append(pair(players, position, nodes))
        left = len(PAIRS) - len(pairs)
        split = sum(points(margins) == 1 for margins in pairs)
        if split + left < SPLIT or abs(sum(map(points, pairs)) - len(pairs)) > left + SLACK:
            return None
    return tuple(pairs)


def judge(players: tuple[Player, Player], position: Position) -> Judgement | None:
    """What is found of a candidate; None when it cannot enter the book."""
    player = players[0]
    as_white = score(player, position)
    if abs(as_white) > NEAR:
        return None
    as_black = -score(player, position.play(parse_ply(player.answer)))
    if abs(as_black) > NEAR or (pairs := play_pairs(players, position)) is None:
        return None
    return Judgement(as_white, as_black, -score(player, exchanged(position)), pairs)


class Bench(threading.local):
    """Each thread has two players of its own."""

    def __init__(self, command: str) -> None:
        self.players = Player(command), Player(command)
        for player in self.players:
            player.say("setoption Hash 8")  # quickly cleared

    def try_candidate(self, seed: int, number: int) -> tuple[int, Position, Judgement | None]:
        position = candidate(self.players[0], random.Random(f"{seed}/{number}"))
        return number, position, judge(self.players, position)


def candidates(arguments: argparse.Namespace, done: int) -> Iterator[tuple[int, Position, Judgement | None]]:
    """The candidates after number ``done``, without end and in order, several judged at a time."""
    bench = Bench(arguments.champion)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for first in itertools.count(done + 1, BATCH):
            yield from pool.map(
                lambda number: bench.try_candidate(arguments.seed, number), range(first, first + BATCH)
            )


def grow(book: list[Record], arguments: argparse.Namespace) -> None:
    """Add openings to the file until there are as many as are wanted."""
    seen = {image for record in book for image in alike(record.headers["Start"].split()[0])}
    done = int(book[-1].headers["Candidate"]) if book else 0
    for number, position, judgement in candidates(arguments, done):
        if judgement is None or rows_of(position) in seen:
            continue
        seen.update(alike(rows_of(position)))
        book.append(opening(len(book) + 1, number, position, judgement))
        with arguments.book.open("a", encoding="utf-8") as file:
            file.write(("\n" if len(book) > 1 else "") + format_record(book[-1]))
        print(f"{len(book)} of {number} candidates: {judgement.headers()['SelfPlay']}", flush=True)
        if len(book) == arguments.count:
            return


def play_again(book: list[Record], arguments: argparse.Namespace) -> None:
    """A pair from each opening, and what they come to."""
    players = Player(arguments.champion), Player(arguments.champion)
    pairs = [pair(players, record.start(), tuple(arguments.pair)) for record in book]
    margins = [margin for both in pairs for margin in both]
    split = sum(points(both) == 1 for both in pairs)
    print(
        f"{len(pairs)} openings, one pair each: White {points(margins) / len(margins):.1%}, "
        f"{split} pairs split, White won both in {sum(points(both) == 2 for both in pairs)} and none in "
        f"{sum(points(both) == 0 for both in pairs)}, mean margin {sum(margins) / len(margins):+.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("champion")
    parser.add_argument("book", type=Path)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="candidates judged at a time")
    parser.add_argument(
        "--pair", type=int, nargs=2, metavar="NODES", help="play the book instead of making it"
    )
    arguments = parser.parse_args()
    book = list(read_records(arguments.book.read_text(), "book")) if arguments.book.exists() else []
    if arguments.pair:
        play_again(book, arguments)
    else:
        grow(book, arguments)


def opening(number: int, tried: int, position: Position, judgement: Judgement) -> Record:
    """The record of a game that nobody has played yet, from this board."""
    nobody = {"Game": "DVONN", "White": "?", "Black": "?", "Result": "*"}
    names = {"Opening": f"book {number}", "Candidate": str(tried)}
    return Record(nobody | names | judgement.headers() | {"Start": position.dpos}, (), "*")


if __name__ == "__main__":
    main()
