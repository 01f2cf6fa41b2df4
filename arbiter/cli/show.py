"""``arbiter show``: a recorded game on the board, ply by ply."""

import argparse
import json
import shlex
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from arbiter.cli.errors import UsageError
from arbiter.cli.games import Games, choose_record, load_games
from arbiter.cli.look import is_capable, terminal_look
from arbiter.cli.records import printable, say, source_name
from arbiter.cli.scene import Film, Scene, scene_text
from protocol.records import Fault, Reading, Record, loser
from protocol.rules import Stack

NAME = "show"
HELP = "draw the board of a recorded game, or list the games of a file"

_JUDGE, _DEPTH = "sample:searcher", ("--depth", "4")
"""Whom to ask where a game was lost: stronger than most first bots, and quick enough for all plies."""
_ON_THE_BOARD = (None, "normal", "resign")
_LISTED = 40
"""Games listed at most; whoever has more knows what to look for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "record", metavar="RECORD", help="a record file (- reads stdin) or a results directory"
    )
    parser.add_argument(
        "--game",
        type=int,
        metavar="N",
        help="the game: its header Number; its place in the file where those are missing or occur twice",
    )
    parser.add_argument(
        "--ply", type=int, metavar="N", help="the board after ply N, 0 the start (default: the last)"
    )
    parser.add_argument("--lost", metavar="BOT", help="list only the games that this bot lost")
    parser.add_argument("--legal", action="store_true", help="list the legal plies, too")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="for people or for programs"
    )
    parser.epilog = (
        "examples:\n"
        "  arbiter show games.drec --game 3 --ply 57\n"
        "  arbiter show results/league --lost mybot\n"
        "In a terminal, without --ply, the arrow keys lead through the game."
    )


def run(arguments: argparse.Namespace) -> int:
    """Show one game, or the list when there are several and none is chosen."""
    games = load_games(arguments.record)
    if not len(games):
        raise UsageError(f"{source_name(arguments.record)}: no games in it")
    lines: list[Line] = []
    if arguments.lost is not None:
        lines = _lost(map(_line, games), arguments.lost, source_name(arguments.record))
        games = games.only({line.number for line in lines})
    if arguments.game is None and arguments.ply is None and len(games) > 1:
        shown = None if arguments.format == "json" else _LISTED
        lines = lines or list(map(_line, islice(games, shown)))
        say(_json_list(lines) if shown is None else _text_list(lines, len(games), arguments))
        return 0
    _show(games, _chosen(games, arguments), arguments)
    return 0


def _show(games: Games, record: Record, arguments: argparse.Namespace) -> None:
    """One game, and from there the others if somebody watches."""
    if _is_watched(arguments) and Film(record).last >= 0:
        from arbiter.cli.viewer import Viewer

        scene = Viewer(games, record, legal=arguments.legal).show()
    else:
        scene = _scene(record, arguments.ply)
    is_json = arguments.format == "json"
    say(_json_scene(scene) if is_json else scene_text(scene, terminal_look(), legal=arguments.legal))


def _is_watched(arguments: argparse.Namespace) -> bool:
    """Whether somebody sits at a terminal who may want to step through the game."""
    is_plain = arguments.format == "json" or arguments.ply is not None or arguments.record == "-"
    return not is_plain and sys.stdin.isatty() and is_capable(sys.stdout)


# --- many games ------------------------------------------------------------------------------------------


class Line(NamedTuple):
    """What a list tells of a game; one that cannot be read has faults and no result."""

    number: int
    white: str | None = None
    black: str | None = None
    score: str | None = None
    result: str = ""
    termination: str | None = None
    plies: int = 0
    annulled: str | None = None
    faults: tuple[Fault, ...] = ()

    @property
    def loser(self) -> str | None:
        side = loser(self.result)
        return None if side is None else (self.white, self.black)[side]


def _line(game: tuple[int, Reading]) -> Line:
    number, reading = game
    record = reading.record
    if record is None:
        return Line(number, faults=reading.faults)
    white, black, score = (record.headers.get(name) for name in ("White", "Black", "Score"))
    annulled = record.headers.get("Annulled")
    return Line(number, white, black, score, record.result, record.termination, len(record.plies), annulled)


def _lost(lines: Iterable[Line], bot: str, source: str) -> list[Line]:
    """The games that a bot lost, without those that were annulled.

    Raises UsageError when there are none.
    """
    from arbiter.tournament.problems import did_you_mean, listed

    readable = [line for line in lines if line.result]
    names = {name for line in readable for name in (line.white, line.black) if name}
    if bot not in names:
        hint = did_you_mean(bot, names) or f"; players: {listed(sorted(names))}"
        raise UsageError(f"{source}: no player is named {printable(bot)}{printable(hint)}")
    lost = [line for line in readable if line.loser == bot and line.annulled is None]
    if not lost:
        raise UsageError(f"{source}: {printable(bot)} lost no game")
    return lost


# --- which game, which ply -------------------------------------------------------------------------------


def _chosen(games: Games, arguments: argparse.Namespace) -> Record:
    source = source_name(arguments.record)
    if arguments.game is None and len(games) > 1:
        raise UsageError(f"{source}: {len(games)} games, and --ply needs one", "choose with --game N")
    return choose_record(games, source, arguments.game)


def _scene(record: Record, number: int | None) -> Scene:
    count = len(record.plies)
    if number is None:
        number = count
    if not 0 <= number <= count:
        raise UsageError(
            f"game {record.game} has no ply {number}",
            f"choose --ply from 0 (the start) to {count}",
        )
    film = Film(record)
    if film.fault and number > film.last:
        ply = film.fault.ply
        raise UsageError(str(film.fault), f"the board before it: --ply {ply - 1}" if ply else None)
    return film.scene(number)


# --- for people ------------------------------------------------------------------------------------------


def _text_list(lines: list[Line], count: int, arguments: argparse.Namespace) -> str:
    """The first of so many games."""
    from tabulate import tabulate

    rows = [list(map(printable, _row(line))) for line in lines[:_LISTED]]
    heads = ("game", "white", "black", "result", "score", "termination", "plies")
    text = [tabulate(rows, heads, disable_numparse=True, colalign=("right",) + ("left",) * 5 + ("right",))]
    if count > _LISTED:
        text.append(f"... and {count - _LISTED} more games, {count} in all")
    further = _from_list if arguments.lost is None else _from_losses
    return "\n".join([*text, "", *further(lines, arguments.record)])


def _from_list(lines: list[Line], path: str) -> Iterator[str]:
    """What can be done next."""
    readable = next((line for line in lines if line.result), lines[0])
    yield f"Those that one of them lost: {_command('show', path, '--lost')} NAME"
    yield f"The board of one: {_command('show', path, '--game', readable.number)} [--ply N]"


def _from_losses(lines: list[Line], path: str) -> Iterator[str]:
    """What can be done next about games that have one loser."""
    line = next((line for line in lines if line.termination in _ON_THE_BOARD), lines[0])
    game = (path, "--game", line.number)
    yield f"The board of one: {_command('show', *game)} [--ply N]"
    side = "white" if line.loser == line.white else "black"
    if line.termination in _ON_THE_BOARD:
        command = _command("replay", *game, _JUDGE, "--side", side, "--all", *_DEPTH)
        yield f"What a stronger bot would have played, and its scores: {command}"
    else:
        bot = () if Path(path).is_dir() else ("./mybot", "--side", side)  # a file knows names, no programs
        yield f"The same again: {_command('replay', *game, *bot)}"


def _command(*words: object) -> str:
    return shlex.join(["arbiter", *map(str, words)])


def _row(line: Line) -> list[str]:
    if not line.result:
        return [str(line.number), "(not readable)", "", "", "", f"line {line.faults[0].line}", ""]
    names = [line.white or "?", line.black or "?"]
    how = ", ".join(filter(None, [line.termination, "annulled" * (line.annulled is not None)]))
    ending = [line.result, line.score or "", how]
    return [str(line.number), *names, *ending, str(line.plies)]


# --- for programs ----------------------------------------------------------------------------------------


def _json_list(lines: list[Line]) -> str:
    return json.dumps({"games": list(map(_json_line, lines))}, ensure_ascii=False, indent=2)


def _json_line(line: Line) -> dict[str, Any]:
    if not line.result:
        return {"game": line.number, "faults": [str(fault) for fault in line.faults]}
    return {
        "game": line.number,
        "white": line.white,
        "black": line.black,
        "score": line.score,
        "result": line.result,
        "termination": line.termination,
        "plies": line.plies,
        "annulled": line.annulled,
    }


def _json_scene(scene: Scene) -> str:
    record, position = scene.record, scene.position
    data = {
        "game": record.game,
        "headers": dict(record.headers),
        "result": record.result,
        "plies": [ply.text for ply in record.plies],
        "ply": scene.number,
        "last": scene.ply and scene.ply.text,
        "removed": sorted(scene.removed),
        "dpos": position.dpos,
        "to_move": position.to_move.word,
        "phase": position.phase.name.lower(),
        "over": position.is_over,
        "scores": position.score._asdict(),
        "stacks": {space: _json_stack(stack) for space, stack in position.stacks().items()},
        "legal": sorted(ply.text for ply in position.legal_plies()),
    }
    return json.dumps(data, ensure_ascii=False, indent=2)


def _json_stack(stack: Stack) -> dict[str, Any]:
    return {
        "height": stack.height,
        "top": stack.top.word if stack.top is not None else "red",
        "red": stack.has_red,
    }
