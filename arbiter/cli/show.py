"""``arbiter show``: a recorded game on the board, ply by ply."""

import argparse
import json
import os
import sys
from dataclasses import dataclass
from typing import Any

from arbiter.cli.board import Look, board_key, draw_board, removed_stacks, stack_text
from arbiter.cli.errors import UsageError
from arbiter.cli.records import choose_record, load_records, number_of, printable, say, source_name
from protocol.records import TEXT, Reading, Record, replay_until_fault
from protocol.rules import Phase, Ply, Position, Stack, parse_ply

NAME = "show"
HELP = "draw the board of a recorded game, or list the games of a file"

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
        help="the game: its header Number, else its place in the file (from 1)",
    )
    parser.add_argument(
        "--ply", type=int, metavar="N", help="the board after ply N, 0 the start (default: the last)"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="for people or for programs"
    )
    parser.epilog = "example: arbiter show games.drec --game 3 --ply 57"


def run(arguments: argparse.Namespace) -> int:
    """Show one game, or the list when there are several and none is chosen."""
    readings = load_records(arguments.record)
    if not readings:
        raise UsageError(f"{source_name(arguments.record)}: no games in it")
    as_json = arguments.format == "json"
    if arguments.game is None and arguments.ply is None and len(readings) > 1:
        say(_json_list(readings) if as_json else _text_list(readings, arguments.record))
        return 0
    scene = _scene(_chosen(readings, arguments), arguments.ply)
    say(_json_scene(scene) if as_json else _text_scene(scene, terminal_look()))
    return 0


# --- which game, which ply -------------------------------------------------------------------------------


def _chosen(readings: list[Reading], arguments: argparse.Namespace) -> Record:
    source = source_name(arguments.record)
    if arguments.game is None and len(readings) > 1:
        raise UsageError(f"{source}: {len(readings)} games, and --ply needs one", "choose with --game N")
    return choose_record(readings, source, arguments.game)


@dataclass(frozen=True, slots=True)
class _Scene:
    """A moment of a game: the position after ``number`` plies, the ply that led to it and where from."""

    record: Record
    number: int
    position: Position
    ply: Ply | None = None
    before: Position | None = None

    @property
    def removed(self) -> dict[str, Stack]:
        if self.ply is None or self.before is None:
            return {}
        return removed_stacks(self.before, self.ply, self.position)


def _scene(record: Record, number: int | None) -> _Scene:
    count = len(record.plies)
    if number is None:
        number = count
    if not 0 <= number <= count:
        raise UsageError(
            f"game {record.game} has no ply {number}", f"choose --ply from 0 (the start) to {count}"
        )
    positions, fault = replay_until_fault(record)
    if fault and number >= len(positions):
        raise UsageError(str(fault), f"the board before it: --ply {fault.ply - 1}" if fault.ply else None)
    if number == 0:
        return _Scene(record, 0, positions[0])
    ply = parse_ply(record.plies[number - 1].text)
    return _Scene(record, number, positions[number], ply, positions[number - 1])


# --- for people ------------------------------------------------------------------------------------------


def terminal_look() -> Look:
    """What standard output can show."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    return Look(colour=sys.stdout.isatty() and not plain, unicode=encoding == "utf8")


def _text_list(readings: list[Reading], path: str) -> str:
    from tabulate import tabulate

    rows = [list(map(printable, _row(reading))) for reading in readings[:_LISTED]]
    heads = ("game", "white", "black", "result", "score", "termination", "plies")
    lines = [tabulate(rows, heads, disable_numparse=True, colalign=("right",) + ("left",) * 5 + ("right",))]
    if len(readings) > _LISTED:
        lines.append(f"... and {len(readings) - _LISTED} more games, {len(readings)} in all")
    lines.append(f"\nThe board of one: arbiter show {path} --game {number_of(readings[0])} [--ply N]")
    return "\n".join(lines)


def _row(reading: Reading) -> list[str]:
    record = reading.record
    if record is None:
        return [str(number_of(reading)), "(not readable)", "", "", "", f"line {reading.faults[0].line}", ""]
    headers = record.headers
    score, termination = headers.get("Score", ""), record.termination or ""
    names = [headers.get("White", "?"), headers.get("Black", "?")]
    return [str(number_of(reading)), *names, record.result, score, termination, str(len(record.plies))]


def _text_scene(scene: _Scene, look: Look) -> str:
    board = draw_board(scene.position, look, ply=scene.ply, before=scene.before)
    key = board_key(look, marked=scene.ply is not None, gone=bool(scene.removed))
    before, after = map(printable, _summary(scene.record)), map(printable, _story(scene))
    return "\n".join([*before, "", board, "", key, "", *after])


def _summary(record: Record) -> list[str]:
    """The headers that a reader wants first."""
    headers, number = record.headers, number_of(Reading(record))
    event = [headers[name] for name in ("Event", "Date") if name in headers]
    event += [f"round {headers['Round']}"] if "Round" in headers else []
    event += [f"time {headers['TimeControl']}"] if "TimeControl" in headers else []
    score = f", score {headers['Score']}" if "Score" in headers else ""
    why = f", {record.termination}" if record.termination else ""
    detail = f" ({headers['Detail']})" if "Detail" in headers else ""
    lines = [
        f"game {number}: {headers.get('White', '?')} (white) against {headers.get('Black', '?')} (black)",
        f"result {record.result}{score}{why}{detail}",
    ]
    return [*lines, ", ".join(event)] if event else lines


def _story(scene: _Scene) -> list[str]:
    """What the last ply did, and what comes now."""
    record, number, position = scene.record, scene.number, scene.position
    lines = [f"start, {len(record.plies)} plies follow"]
    if scene.ply is not None and scene.before is not None:
        lines = [f"ply {number} of {len(record.plies)}: {scene.before.to_move.word} {scene.ply}"]
        if scene.removed:
            stacks = ", ".join(f"{space} {stack_text(stack)}" for space, stack in scene.removed.items())
            lines[0] += f", removed {stacks}"
    comments = record.plies[number - 1].comments if number else record.opening_comments
    if comments:
        said = (value if key == TEXT else f"{key}={value}" for key, value in comments.items())
        lines.append(f"  {' '.join(said)}")
    white, black = position.score
    return [*lines, f"score: white {white}, black {black}", _turn(scene)]


def _turn(scene: _Scene) -> str:
    """Whose turn it is, or how the game ended."""
    position, record = scene.position, scene.record
    if position.is_over:
        return "the game is over: neither side can move"
    mover = position.to_move.word
    plies = position.legal_plies()
    if plies[0].is_pass:
        task = f"{mover} to move, but has no stack move and must pass"
    elif position.phase is Phase.PLACEMENT:
        task = f"{mover} to place {_piece(position)}, {len(plies)} empty spaces"
    else:
        task = f"{mover} to move, {len(plies)} legal {'ply' if len(plies) == 1 else 'plies'}"
    if scene.number == len(record.plies) and record.termination:
        task += f"; the game ended here: {record.termination}, {record.result}"
    return task


def _piece(position: Position) -> str:
    reds = sum(stack.has_red for stack in position.stacks().values())
    return "a red piece" if reds < 3 else f"a {position.to_move.word} piece"


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


def _json_scene(scene: _Scene) -> str:
    record, position = scene.record, scene.position
    data = {
        "game": number_of(Reading(record)),
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
