"""``arbiter show``: a recorded game on the board, ply by ply."""

import argparse
import json
import shlex
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from arbiter.cli.errors import UsageError
from arbiter.cli.look import is_capable, terminal_look
from arbiter.cli.records import choose_record, load_records, number_of, printable, say, source_name
from arbiter.cli.scene import Film, Scene, scene_text
from protocol.records import Reading, Record, loser
from protocol.rules import Side, Stack

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
    readings = load_records(arguments.record)
    if not readings:
        raise UsageError(f"{source_name(arguments.record)}: no games in it")
    as_json = arguments.format == "json"
    if arguments.lost is not None:
        readings = _lost(readings, arguments.lost, source_name(arguments.record))
    if arguments.game is None and arguments.ply is None and len(readings) > 1:
        text = _json_list if as_json else partial(_text_list, path=arguments.record, loser=arguments.lost)
        say(text(readings))
        return 0
    record = _chosen(readings, arguments)
    if _is_watched(arguments) and Film(record).last >= 0:
        from arbiter.cli.viewer import Viewer

        scene = Viewer(
            [each.record for each in readings if each.record], record, legal=arguments.legal
        ).show()
    else:
        scene = _scene(record, arguments.ply)
    say(_json_scene(scene) if as_json else scene_text(scene, terminal_look(), legal=arguments.legal))
    return 0


def _is_watched(arguments: argparse.Namespace) -> bool:
    """Whether somebody sits at a terminal who may want to step through the game."""
    is_plain = arguments.format == "json" or arguments.ply is not None or arguments.record == "-"
    return not is_plain and sys.stdin.isatty() and is_capable(sys.stdout)


def _lost(readings: list[Reading], bot: str, source: str) -> list[Reading]:
    """The games that a bot lost. Raises UsageError when there are none."""
    from arbiter.tournament.problems import did_you_mean, listed

    records = [reading.record for reading in readings if reading.record is not None]
    names = {record.headers[side.word.capitalize()] for record in records for side in Side}
    if bot not in names:
        hint = did_you_mean(bot, names) or f"; players: {listed(sorted(names))}"
        raise UsageError(f"{source}: no player is named {printable(bot)}{printable(hint)}")
    lost = [record for record in records if _loser(record) == bot]
    if not lost:
        raise UsageError(f"{source}: {printable(bot)} lost no game")
    return list(map(Reading, lost))


def _loser(record: Record) -> str | None:
    side = loser(record.result)
    return None if side is None else record.headers[side.word.capitalize()]


# --- which game, which ply -------------------------------------------------------------------------------


def _chosen(readings: list[Reading], arguments: argparse.Namespace) -> Record:
    source = source_name(arguments.record)
    if arguments.game is None and len(readings) > 1:
        raise UsageError(f"{source}: {len(readings)} games, and --ply needs one", "choose with --game N")
    return choose_record(readings, source, arguments.game)


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


def _text_list(readings: list[Reading], path: str, *, loser: str | None) -> str:
    from tabulate import tabulate

    rows = [list(map(printable, _row(reading))) for reading in readings[:_LISTED]]
    heads = ("game", "white", "black", "result", "score", "termination", "plies")
    lines = [tabulate(rows, heads, disable_numparse=True, colalign=("right",) + ("left",) * 5 + ("right",))]
    if len(readings) > _LISTED:
        lines.append(f"... and {len(readings) - _LISTED} more games, {len(readings)} in all")
    further = _from_list if loser is None else partial(_from_losses, loser=loser)
    return "\n".join([*lines, "", *further(readings, path)])


def _from_list(readings: list[Reading], path: str) -> Iterator[str]:
    """What can be done next."""
    readable = next((reading for reading in readings if reading.record is not None), readings[0])
    yield f"Those that one of them lost: {_command('show', path, '--lost')} NAME"
    yield f"The board of one: {_command('show', path, '--game', number_of(readable))} [--ply N]"


def _from_losses(readings: list[Reading], path: str, loser: str) -> Iterator[str]:
    """What can be done next about games that are sound and have one loser."""
    records = [reading.record for reading in readings if reading.record is not None]
    record = next((record for record in records if record.termination in _ON_THE_BOARD), records[0])
    game = (path, "--game", record.game)
    yield f"The board of one: {_command('show', *game)} [--ply N]"
    if record.termination in _ON_THE_BOARD:
        side = "white" if record.headers["White"] == loser else "black"
        command = _command("replay", *game, _JUDGE, "--side", side, "--all", *_DEPTH)
        yield f"What a stronger bot would have played, and its scores: {command}"
    else:
        yield f"The same again: {_command('replay', *game)}"


def _command(*words: object) -> str:
    return shlex.join(["arbiter", *map(str, words)])


def _row(reading: Reading) -> list[str]:
    record = reading.record
    if record is None:
        return [str(number_of(reading)), "(not readable)", "", "", "", f"line {reading.faults[0].line}", ""]
    headers = record.headers
    score, termination = headers.get("Score", ""), record.termination or ""
    names = [headers.get("White", "?"), headers.get("Black", "?")]
    return [str(number_of(reading)), *names, record.result, score, termination, str(len(record.plies))]


# --- for programs ----------------------------------------------------------------------------------------


def _json_list(readings: list[Reading]) -> str:
    games = []
    for reading in readings:
        record = reading.record
        game: dict[str, Any] = {"game": number_of(reading)}
        if record is None:
            game["faults"] = [str(fault) for fault in reading.faults]
        else:
            names = ("White", "Black", "Score")
            game |= {name.lower(): record.headers.get(name) for name in names}
            game |= {"result": record.result, "termination": record.termination, "plies": len(record.plies)}
        games.append(game)
    return json.dumps({"games": games}, ensure_ascii=False, indent=2)


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
