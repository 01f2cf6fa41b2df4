"""``arbiter perft``: how many sequences of plies there are, for checking other programs' rules."""

import argparse

from arbiter.cli.errors import UsageError
from protocol.errors import PositionError
from protocol.rules import Position, divide, parse_dpos, perft

NAME = "perft"
HELP = "count the plies from a position to a depth"

_EXAMPLE = "........w/....w4*b2..b3./.......b3w7*../......b3.../......... w m"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "dpos", nargs="?", metavar="DPOS", help="the position, as one argument (default: the empty board)"
    )
    parser.add_argument("depth", metavar="DEPTH", help="how many plies deep; a forced pass counts as one")
    parser.add_argument("--divide", action="store_true", help="first list the count behind each legal ply")
    parser.epilog = f"example:\n  arbiter perft '{_EXAMPLE}' 3 --divide"


def run(arguments: argparse.Namespace) -> int:
    """Print the count as the last line."""
    depth = _depth(arguments.depth)
    position = _position(arguments.dpos)
    if arguments.divide and depth:
        counts = divide(position, depth)
        for ply in sorted(counts):
            print(f"{ply} {counts[ply]}")
        print(sum(counts.values()))
    else:
        print(perft(position, depth))
    return 0


def _depth(text: str) -> int:
    if "/" in text:
        raise UsageError("DEPTH is missing after the position", "arbiter perft 'DPOS' 3")
    if not (text.isascii() and text.isdecimal()):
        raise UsageError(f"DEPTH {text!r} is not a whole number", "a DPOS is one argument: put it in quotes")
    return int(text)


def _position(dpos: str | None) -> Position:
    if dpos is None or dpos == "start":
        return Position.start()
    try:
        return parse_dpos(dpos)
    except PositionError as error:
        raise UsageError(
            f"DPOS: {error}", "rows 5 to 1 with / between, then w or b to move, then p or m"
        ) from None
