"""``arbiter schema``: what tournament files and the JSON of other commands look like, for programs."""

import argparse
import json
from typing import Any

from arbiter.schemas import OUTPUTS, load

NAME = "schema"
HELP = "print the JSON Schema of tournament files, or of what a command prints as JSON"
_FILE = "tournament"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "name",
        nargs="?",
        choices=(_FILE, *OUTPUTS),
        metavar="NAME",
        help="of what; without it, a list of all",
    )
    parser.epilog = (
        "example: arbiter schema tournament > tournament.schema.json\n"
        "Editors then complete and check a file that begins with\n"
        "# yaml-language-server: $schema=tournament.schema.json"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print one schema, or what there is."""
    if arguments.name:
        print(json.dumps(_schema(arguments.name), indent=2, ensure_ascii=False))
        return 0
    for name in (_FILE, *OUTPUTS):
        print(f"{name:<12}{_schema(name)['description'].partition(' Later versions')[0]}")
    return 0


def _schema(name: str) -> dict[str, Any]:
    if name != _FILE:
        return load(name)
    from arbiter.tournament.model import tournament_schema

    return tournament_schema()
