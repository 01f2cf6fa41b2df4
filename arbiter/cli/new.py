"""``arbiter new``: a starter bot in a language of one's choice."""

import argparse
import shlex
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.cli.errors import UsageError

if TYPE_CHECKING:
    from arbiter.tournament.starters import Starter

NAME = "new"
HELP = "write a starter bot in a language of your choice, with a league to try it in"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "language", nargs="?", metavar="LANGUAGE", help="such as python, c++ or rust; none lists them"
    )
    parser.add_argument(
        "directory", nargs="?", type=Path, metavar="DIR", help="a new directory, which also names the bot"
    )
    parser.add_argument("--list", action="store_true", help="list the languages and what each needs")
    parser.epilog = "example: arbiter new rust mybot"


def run(arguments: argparse.Namespace) -> int:
    """Write the files and say how to go on."""
    from arbiter.tournament.problems import ConfigurationError
    from arbiter.tournament.starters import name_for, write_files

    if arguments.list or arguments.language is None:
        return _list()
    starter = _find(arguments)
    if arguments.directory is None:
        raise UsageError(f"where to? name a new directory: arbiter new {starter.key} mybot")
    name = name_for(arguments.directory.resolve())
    texts = starter.files(name)
    try:
        write_files(texts, arguments.directory)
    except ConfigurationError as error:
        raise UsageError(str(error)) from None
    _tell(starter, name, arguments.directory, list(texts))
    return 0


def _find(arguments: argparse.Namespace) -> "Starter":
    from arbiter.tournament.problems import ConfigurationError
    from arbiter.tournament.starters import find_starter

    try:
        return find_starter(arguments.language)
    except ConfigurationError as error:
        try:
            find_starter(str(arguments.directory))
        except ConfigurationError:
            raise UsageError(str(error), "see `arbiter new --list`") from None
        hint = f"the language comes first: arbiter new {arguments.directory} {arguments.language}"
        raise UsageError(str(error), hint) from None


def _list() -> int:
    from arbiter.tournament.starters import load_starter_catalogue

    starters = load_starter_catalogue().values()
    names = {starter.key: ", ".join((starter.key, *starter.aliases)) for starter in starters}
    width = max(map(len, names.values()))
    for starter in starters:
        missing = starter.missing_tools
        state = f"needs {' and '.join(missing)}: {starter.remedy}" if missing else "ready here"
        print(f"{names[starter.key]:<{width}}  {state}")
    print("\nexample: arbiter new rust mybot")
    return 0


def _tell(starter: "Starter", name: str, directory: Path, paths: list[str]) -> None:
    """What was written, what is missing, and what to type next."""
    from arbiter.tournament.starters import why_renamed

    print(f"{directory}: {name}, a bot in {starter.language}: {', '.join(paths)}")
    if why := why_renamed(directory.resolve(), name):
        print(f"the bot is called {name}: {why}")
    if missing := starter.missing_tools:
        are = "is" if len(missing) == 1 else "are"
        print(f"{' and '.join(missing)} {are} not on this machine yet: {starter.remedy}")
    place = f"./{directory}" if str(directory).startswith("-") else str(directory)
    steps = {f"cd {shlex.quote(place)}": "", **starter.steps}
    width = max(map(len, steps))
    print("\nnext:")
    for step, reason in steps.items():
        print(f"  {step:<{width}}  # {reason}" if reason else f"  {step}")
    print(f"\nthen change `choose` in {starter.edit}; what it speaks: {files('protocol') / 'SPEC.md'}")
