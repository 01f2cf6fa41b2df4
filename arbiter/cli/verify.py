"""``arbiter verify``: re-play records and report whatever does not fit."""

import argparse
import sys

from arbiter.cli.errors import UsageError
from arbiter.cli.records import printable, read_text, say, source_name
from protocol.records import Fault, Reading, scan_records, verify_record

NAME = "verify"
HELP = "re-play game records and report where plies, score, result or ending do not agree"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="record files in the DREC format; - reads stdin"
    )
    parser.epilog = (
        "example: arbiter verify games.drec    exit status: 0 consistent, 1 faults, 2 unreadable file"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check all files; 0 all consistent, 1 faults inside a file, 2 a file that cannot be read."""
    games, faulty, status = 0, 0, 0
    for path in arguments.files:
        try:
            text = read_text(path)
        except UsageError as error:
            print(f"arbiter verify: {error.message}", file=sys.stderr)
            if error.hint:
                print(f"  hint: {error.hint}", file=sys.stderr)
            status = 2
            continue
        before = games
        for reading in scan_records(text, source_name(path)):
            games += 1
            faulty += _report(reading)
        if games == before:
            print(f"{source_name(path)}: no games in this file")
            status = max(status, 1)
    if games:
        print(_summary(games, faulty))
    return max(status, 1 if faulty else 0)


def _report(reading: Reading) -> bool:
    """Print the faults of one game; whether there were any."""
    faults = [*reading.faults]
    if reading.record is not None:
        faults += verify_record(reading.record)
    for fault in sorted(faults, key=_place):
        say(printable(str(fault)))
    return bool(faults)


def _place(fault: Fault) -> int:
    return fault.line


def _summary(games: int, faulty: int) -> str:
    counted = f"{games} game{'' if games == 1 else 's'}"
    if faulty:
        return f"{counted}, {faulty} with faults"
    return f"{counted}, all consistent"
