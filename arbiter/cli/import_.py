"""``arbiter import``: game records of other programs and servers as DREC."""

import argparse
import io
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from arbiter.cli.errors import UsageError
from arbiter.cli.newfile import check_output, new_file
from arbiter.cli.records import printable
from protocol.records import Fault, Reading, Record, format_record, verify_record

if TYPE_CHECKING:
    from protocol.records.anonymous import Pseudonyms

NAME = "import"
HELP = "turn game records of other programs and servers into DREC"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE",
        help="a record, a zip archive, or a directory with any number of them; - reads stdin",
    )  # fmt: skip
    parser.add_argument("--output", metavar="OUT", help="where the games go (default: standard output)")
    parser.add_argument("--force", action="store_true", help="replace OUT when it exists")
    parser.add_argument(
        "--anonymous",
        action="store_true",
        help="player-1, player-2, ... instead of names, the same for the same name; no other trace of people",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="how to tell what was found: faults on stderr and a line at the end, or JSON on stdout",
    )
    parser.epilog = (
        "formats, told by content: DREC, Boardspace SGF, Little Golem, CodeCup log\n"
        "Every game is re-played by the rules. One that they do not allow is named with\n"
        "its file and place and left out; what is only odd is a warning. OUT appears\n"
        "when all is done, or not at all. In directories, hidden files are not read and\n"
        "links to directories not followed.\n"
        "example: arbiter import games/ --output games.drec\n"
        "exit status: 0 all imported, 1 something was left out, 2 usage"
    )


def run(arguments: argparse.Namespace) -> int:
    """Import all files; 0 all imported, 1 something was left out."""
    from arbiter.cli.foreign import readings
    from arbiter.cli.sources import check_sources, sources
    from protocol.records.anonymous import Pseudonyms

    output = None if arguments.output is None else Path(arguments.output)
    check_sources(arguments.files)
    if output is not None:
        check_output(output, force=arguments.force)
    elif arguments.format == "json":
        raise UsageError("--format json needs --output: the games would stand on standard output, too")
    elif isinstance(sys.stdout, io.TextIOWrapper):
        # A file format does not depend on who writes it where.
        sys.stdout.reconfigure(encoding="utf-8")
    report = _Json(output) if arguments.format == "json" else _Report(output)
    found = (readings(source) for source in sources(arguments.files, skip=output and output.resolve()))
    with nullcontext(sys.stdout) if output is None else new_file(output) as file:
        _write(report.sift(found), file, Pseudonyms() if arguments.anonymous else None)
    report.close()
    return 1 if report.faults else 0


def _write(records: Iterable[Record], file: TextIO, pseudonyms: "Pseudonyms | None") -> None:
    between = ""
    for record in records:
        file.write(between + format_record(pseudonyms.hide(record) if pseudonyms else record))
        between = "\n"


class _Report:
    """Counts, and tells what is wrong as it comes."""

    def __init__(self, output: Path | None) -> None:
        self.output = output
        self.files = self.games = self.faults = self.warnings = 0

    def sift(self, files: Iterable[Iterable[Reading]]) -> Iterator[Record]:
        """The games that are in order, from the readings of each file."""
        for file in files:
            self.files += 1
            for reading in file:
                faults = list(reading.faults)
                if reading.record is not None:
                    faults += verify_record(reading.record)
                for fault in faults:
                    self.tell(fault)
                if reading.record is not None and not faults:
                    for warning in reading.warnings:
                        self.tell(warning, is_warning=True)
                    self.games += 1
                    yield reading.record

    def tell(self, fault: Fault, *, is_warning: bool = False) -> None:
        """One fault or warning, with its place."""
        self.faults += not is_warning
        self.warnings += is_warning
        self.show(fault, is_warning)

    def show(self, fault: Fault, is_warning: bool) -> None:
        print(printable(f"{fault}{' (warning)' if is_warning else ''}"), file=sys.stderr)

    def close(self) -> None:
        """What came out of it, where it is in nobody's way."""
        files = f"{_count(self.games, 'game')} imported from {_count(self.files, 'file')}"
        warnings = f", {_count(self.warnings, 'warning')}" if self.warnings else ""
        stream = sys.stderr if self.output is None else sys.stdout
        print(f"{files}, {_count(self.faults, 'fault')}{warnings}", file=stream)
        if self.output is not None and not self.games:
            print(f"{self.output} is not written: it would be empty", file=stream)


class _Json(_Report):
    """The same as one JSON document, the faults first and one a line, as they come."""

    def __init__(self, output: Path | None) -> None:
        super().__init__(output)
        self.kept: list[Fault] = []
        sys.stdout.write('{"faults": [')

    def show(self, fault: Fault, is_warning: bool) -> None:
        if is_warning:
            self.kept.append(fault)
        else:
            sys.stdout.write(("," if self.faults > 1 else "") + "\n" + json.dumps(_facts(fault)))

    def close(self) -> None:
        facts = {
            "warnings": list(map(_facts, self.kept)),
            "games": self.games,
            "files": self.files,
            "output": str(self.output) if self.games else None,
        }
        sys.stdout.write("\n], " + json.dumps(facts)[1:] + "\n")


def _facts(fault: Fault) -> dict[str, str | int | None]:
    return {**asdict(fault), "line": fault.line or None, "game": fault.game or None}


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
