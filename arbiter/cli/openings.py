"""``arbiter openings``: boards to start games from, and the check of a file of openings."""

import argparse
import secrets
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.cli.arguments import natural, positive
from arbiter.cli.errors import UsageError
from arbiter.cli.newfile import check_output, new_file
from arbiter.cli.records import printable, read_text, say, source_name
from protocol.rules import SPACES, Phase, Position, Rules

if TYPE_CHECKING:
    from arbiter.tournament.openings import Opening, OpeningFile, Openings

NAME = "openings"
HELP = "set up full boards to start games from, or check a file of openings"

_KINDS = ("random", "balanced", "symmetric", "book")
_COUNT = 10
_MAKING = ("kind", "count", "seed", "format", "output", "force")
"""Options that make no sense where a file is checked."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "--kind",
        choices=_KINDS,
        help="random: any board; balanced: even halves and edge, no piece walled in by its own colour; "
        "symmetric: half a turn exchanges the colours; book: boards that champion found even by search and "
        "by games",
    )
    parser.add_argument("--count", type=positive, metavar="N", help=f"how many boards (default: {_COUNT})")
    parser.add_argument(
        "--seed",
        type=natural,
        metavar="N",
        help="the same seed, the same boards, as in a tournament of that seed (default: drawn, and told)",
    )
    parser.add_argument(
        "--rules",
        choices=tuple(map(str, Rules)),
        default=str(Rules.STANDARD),
        help="who moves first on a full board (default: standard, White)",
    )
    parser.add_argument(
        "--format", choices=("dpos", "drec"), help="a position a line (default), or game records"
    )
    parser.add_argument("--output", metavar="FILE", help="write to a file instead of standard output")
    parser.add_argument("--force", action="store_true", default=None, help="replace FILE when it exists")
    parser.add_argument(
        "--check", metavar="FILE", help="read a file of openings, - being standard input, and tell its faults"
    )
    parser.add_argument("--show", action="store_true", help="draw the boards")
    parser.epilog = (
        "examples:\n"
        "  arbiter openings --kind balanced --count 500 --seed 7 --output book.dpos\n"
        "  arbiter openings --check book.dpos\n"
        "exit status: 0 fine, 1 a checked file has faults, 2 usage"
    )


def run(arguments: argparse.Namespace) -> int:
    """Make boards, or check a file."""
    if arguments.check is not None:
        if wrong := next((name for name in _MAKING if getattr(arguments, name) is not None), None):
            raise UsageError(f"--check reads a file, --{wrong} is for making boards", "leave out one of them")
        return _check(arguments.check, Rules(arguments.rules), show=arguments.show)
    if arguments.kind is None:
        kinds = ", ".join(_KINDS)
        raise UsageError("--kind is missing", f"boards: --kind with one of {kinds}; a file: --check FILE")
    if arguments.show and (arguments.format or arguments.output):
        raise UsageError("--show draws boards for people", "leave out --format and --output")
    _make(arguments)
    return 0


# --- making boards -----------------------------------------------------------------------------------------


def _make(arguments: argparse.Namespace) -> None:
    """Write boards one by one. A seed that was drawn is told first, or nobody could have them again."""
    from arbiter.tournament.openings import OpeningsSpec, open_openings

    output = None if arguments.output is None else Path(arguments.output)
    if output is not None:
        check_output(output, force=bool(arguments.force))
    seed = secrets.randbelow(2**31) if arguments.seed is None else arguments.seed
    openings = open_openings(OpeningsSpec(arguments.kind), seed, Rules(arguments.rules))
    count = arguments.count or _COUNT
    if openings.count is not None and count > openings.count:
        raise UsageError(f"--count {count}: there are {openings.description}", "ask for fewer")
    if arguments.seed is None and arguments.output is None:
        print(f"seed {seed}", file=sys.stderr, flush=True)
    if arguments.show:
        _draw(openings[index] for index in range(count))
    else:
        texts = _records(openings, count, seed) if arguments.format == "drec" else _lines(openings, count)
        with nullcontext(sys.stdout) if output is None else new_file(output) as file:
            file.writelines(texts)
    if arguments.output is not None:
        boards = f"{count} {arguments.kind} board{'' if count == 1 else 's'}"
        say(printable(f"{boards} of seed {seed} written to {arguments.output}"))


def _lines(openings: "Openings", count: int) -> Iterator[str]:
    for index in range(count):
        yield f"{openings[index].position.dpos}\n"


def _records(openings: "Openings", count: int, seed: int) -> Iterator[str]:
    """Records of games that nobody has played yet, a blank line between them."""
    from protocol.records import Record, format_record

    nobody = {"Game": "DVONN", "White": "?", "Black": "?", "Result": "*"}
    for index in range(count):
        position, name = openings[index].position, openings[index].name or ""
        headers = {**nobody, "Opening": name, "Seed": str(seed)}
        if position.rules is not Rules.STANDARD:
            headers["Rules"] = str(position.rules)
        headers["Start"] = position.dpos
        yield ("\n" if index else "") + format_record(Record(headers, (), "*"))


# --- checking a file ---------------------------------------------------------------------------------------


def _check(path: str, rules: Rules, *, show: bool) -> int:
    from arbiter.tournament.openings import OpeningsError, read_openings

    source = source_name(path)
    try:
        found = read_openings(read_text(path), source, rules)
    except OpeningsError as error:
        for problem in error.problems:
            say(problem)
        if len(error.problems) > 1:
            say(f"{source}: {len(error.problems)} faults")
        return 1
    if show:
        _draw(found.openings)
        print()
    for notice in found.notices:
        say(notice)
    say(printable(f"{source}: {_summary(found)}"))
    return 0


def _summary(found: "OpeningFile") -> str:
    """``12 distinct openings: 10 full boards, 2 in the placement``."""
    stages = Counter(_stage(opening.position) for opening in found.openings)
    parts = [f"{number} {one if number == 1 else many}" for (one, many), number in stages.items()]
    count = len(found.openings)
    return f"{count} distinct opening{'' if count == 1 else 's'}: {', '.join(parts)}"


def _stage(position: Position) -> tuple[str, str]:
    """How far the game is, of one opening and of several."""
    if position.phase is Phase.PLACEMENT:
        return (
            ("in the placement", "in the placement") if position.stacks() else ("empty board", "empty boards")
        )
    if len(position.stacks()) == len(SPACES):
        return "full board", "full boards"
    return "after stack moves", "after stack moves"


# --- for people --------------------------------------------------------------------------------------------


def _draw(openings: "Iterable[Opening]") -> None:
    """Each board under its name, and at the end what the signs mean."""
    from arbiter.cli.board import board_key, draw_board
    from arbiter.cli.look import terminal_look

    look = terminal_look()
    for opening in openings:
        position = opening.position
        turn = "to place" if position.phase is Phase.PLACEMENT else "to move"
        say(f"{opening.name}, {position.to_move.word} {turn}\n\n{draw_board(position, look)}\n")
    print(board_key(look))
