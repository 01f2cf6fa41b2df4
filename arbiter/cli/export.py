"""``arbiter export``: the stored games, as records for people and programs."""

import argparse
import csv
import io
import json
import sys
from dataclasses import asdict
from typing import Any

from arbiter.cli.results import reading
from arbiter.match.fault import as_json
from arbiter.match.game import BotReport, PlyRecord
from arbiter.rating.layout import csv_cell
from arbiter.store import League, PlayedGame

NAME = "export"
HELP = "write the games of a results directory to standard output"
FORMATS = ("drec", "json", "csv")
_COLUMNS = (
    "number", "attempt", "round", "game", "pair", "white", "black", "result", "white_score", "black_score",
    "termination", "offender", "detail", "plies", "started_at", "seconds", "opening", "annulled",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument("directory", metavar="DIR", help="results directory")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="drec",
        help="drec: game records (default); json: all that is stored, one game a line (what each key means: "
        "`arbiter schema games`); csv: one row a game, texts that begin like a formula with ' before them",
    )
    parser.epilog = "example: arbiter export results/spring-league > games.drec && arbiter verify games.drec"


def run(arguments: argparse.Namespace) -> int:
    """Write the games in the order of the schedule."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A file format does not depend on who writes it where.
        sys.stdout.reconfigure(encoding="utf-8")
    with reading([arguments.directory]) as (league,):
        {"drec": _drec, "json": _json, "csv": _csv}[arguments.format](league)
    return 0


def _drec(league: League) -> None:
    from arbiter.store.drec import texts

    for index, text in enumerate(texts(league)):
        sys.stdout.write(("\n" if index else "") + text)


def _json(league: League) -> None:
    # One document, but a game a line, so that it streams and can be searched by line.
    sys.stdout.write('{"games": [')
    for index, text in enumerate(league.games_as(_json_text)):
        sys.stdout.write((",\n" if index else "\n") + text)
    rest = json.dumps(_beside_games(league), ensure_ascii=False, allow_nan=False)
    sys.stdout.write(f"\n],\n{rest[1:]}\n")


def _beside_games(league: League) -> dict[str, Any]:
    """What no single game tells, as the table has it, too."""
    from arbiter.rating.render import named
    from arbiter.tournament.course import Course, readmissions

    return {
        "withdrawn": named({row["name"]: row["withdrawn"] for row in league.bots() if row["withdrawn"]}),
        "readmitted": [each.as_json() for each in readmissions(league)],
        "ties": [tie.as_json() for tie in Course.of(league).ties],
    }


def _json_text(game: PlayedGame) -> str:
    return json.dumps(_facts(game), ensure_ascii=False, allow_nan=False)


def _facts(game: PlayedGame) -> dict[str, Any]:
    outcome = game.outcome
    return {
        **_row(game),
        "fault": None if outcome.fault is None else as_json(outcome.fault),
        "white_time": game.white_time,
        "black_time": game.black_time,
        "clock": game.clock,
        "white_hash": game.white_hash,
        "black_hash": game.black_hash,
        "rules": game.rules,
        "start": game.start,
        "seed": game.seed,
        "answer": outcome.answer,
        "final": outcome.final,
        "lag_us": outcome.lag // 1000,
        "plies": [_ply(record) for record in outcome.plies],
        "reports": {"white": _report(outcome.white), "black": _report(outcome.black)},
    }


def _ply(record: PlyRecord) -> dict[str, Any]:
    return {
        "ply": record.ply,
        "used_us": record.used // 1000,
        "left_us": None if record.left is None else record.left // 1000,
        "wall_us": record.spent.wall // 1000,
        "cpu_us": record.spent.cpu // 1000,
        "wait_us": record.spent.wait // 1000,
        "info": record.info,
    }


def _report(report: BotReport) -> dict[str, Any]:
    times = asdict(report.clock)
    clock = {"plies": times.pop("plies"), **{f"{key}_us": ns // 1000 for key, ns in times.items()}}
    return {
        "identity": report.identity,
        "notes": report.notes,
        "stderr": report.stderr,
        "clock": clock,
        "isolation": report.isolation,
    }


def _csv(league: League) -> None:
    writer = csv.DictWriter(sys.stdout, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in league.games_as(_row):
        writer.writerow({key: csv_cell(value) for key, value in row.items()})


def _row(game: PlayedGame) -> dict[str, Any]:
    outcome = game.outcome
    return {
        "number": game.number,
        "attempt": game.attempt,
        "round": game.round,
        "game": game.game,
        "pair": game.pair,
        "white": game.white,
        "black": game.black,
        "result": outcome.result,
        "white_score": outcome.score.white,
        "black_score": outcome.score.black,
        "termination": str(outcome.termination),
        "offender": None if outcome.offender is None else outcome.offender.word,
        "detail": outcome.detail,
        "plies": len(outcome.plies),
        "started_at": outcome.started_at,
        "seconds": round(outcome.seconds, 3),
        "opening": game.opening,
        "annulled": game.annulled,
    }
