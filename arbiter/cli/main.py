"""Finding the subcommand and turning whatever goes wrong into one message and an exit status."""

import argparse
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from itertools import islice
from keyword import iskeyword
from pathlib import Path
from typing import NoReturn

from arbiter.cli.errors import UsageError

COMMANDS = (
    "run",
    "match",
    "ab",
    "table",
    "annul",
    "export",
    "show",
    "play",
    "check",
    "replay",
    "diff",
    "watch",
    "verify",
    "import",
    "perft",
    "openings",
    "schema",
    "bots",
    "new",
    "doctor",
)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one message, with a suggestion where there is one."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}{self._suggestion(message)}", f"see `{self.prog} --help`")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Help is written out while it can still be told that nobody reads it."""
        sys.stdout.flush()
        super().exit(status, message)

    def refuse(self, word: str) -> NoReturn:
        """An argument that nothing takes; one that looks like an option may be meant as a path."""
        message = f"unknown argument {word}"
        if not word.startswith("-") or self._suggestion(message):
            self.error(message)
        raise UsageError(message, f"see `{self.prog} --help`; a path of this name is written ./{word}")

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Take options and arguments in any order; argparse gives up optional arguments too early."""
        return super().parse_known_args(self._options_first(args or []), namespace)

    def _options_first(self, words: Sequence[str]) -> list[str]:
        values = {
            option: action.nargs if isinstance(action.nargs, int) else 1
            for action in self._actions
            for option in action.option_strings
        }
        if any(action.nargs == argparse.PARSER for action in self._actions):
            return list(words)
        options: list[str] = []
        others: list[str] = []
        rest = iter(words)
        for word in rest:
            if word == "--":
                others += ["--", *rest]
            elif word.startswith("-") and word != "-":
                options += _joined(word, list(islice(rest, values.get(word, 0))))
            else:
                others.append(word)
        return options + others

    def _suggestion(self, message: str) -> str:
        if message.startswith("argument -"):
            return ""
        known = [option for action in self._actions for option in action.option_strings]
        if "invalid choice" in message:
            known, wrong = list(COMMANDS), message.split("'")[1]
        else:
            wrong = next((word for word in message.split() if word.startswith("--")), "")
        close = get_close_matches(wrong.split("=")[0], known, n=1)
        return f"; did you mean `{close[0]}`?" if close and close[0] != wrong else ""


def _joined(option: str, values: list[str]) -> list[str]:
    """An option with its values; of ``--budget -1s`` argparse would say that the value is missing."""
    if option.startswith("--") and len(values) == 1 and re.match(r"-[.0-9]", values[0]):
        return [f"{option}={values[0]}"]
    return [option, *values]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit status."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)
    is_heard = sys.stdout is not None
    _stand_in()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a character shows another one; that is no reason to fail.
            stream.reconfigure(errors="replace")
    words = sys.argv[1:] if argv is None else argv
    try:
        if not is_heard:
            raise UsageError("standard output is closed", "to be rid of the output: >/dev/null")
        return _run(words)
    except (Exception, KeyboardInterrupt, BaseExceptionGroup) as error:
        from arbiter.cli.failures import say_failure

        return say_failure(error, words)


def _run(words: Sequence[str]) -> int:
    """Run one command, with its output written out."""
    arguments = _parse(words)
    run: Callable[[argparse.Namespace], int] = arguments.run
    status = run(arguments)
    sys.stdout.flush()
    return status


def _stand_in() -> None:
    """Put the null device in place of closed standard streams, so that no file gets their descriptors."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115  # open to the end


def _interrupt(*_: object) -> NoReturn:
    """Before and after the games, every signal to stop is like Ctrl-C."""
    raise KeyboardInterrupt


class _ShowVersion(argparse.Action):
    """Looks the version up only when it is asked for, which takes a tenth of the start-up time."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"arbiter {version('dvonn-arbiter')}")
        parser.exit()


def _needed(argv: Sequence[str]) -> Sequence[str]:
    """The commands whose modules have to be loaded: one, unless it is help or a mistake."""
    first = next((word for word in argv if not word.startswith("-")), None)
    return (first,) if first in COMMANDS else COMMANDS


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        prog="arbiter",
        allow_abbrev=False,
        description="A referee for DVONN bots: games, tournaments, league tables.",
        epilog="A first try: arbiter match sample:random sample:greedy",
    )
    parser.add_argument("--version", action=_ShowVersion, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)
    for name in _needed(argv):
        module = import_module(f"arbiter.cli.{name}{'_' * iskeyword(name)}")
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.HELP[0].upper() + module.HELP[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run, parser=command)
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        # Told by the command's own parser, which knows what may have been meant.
        arguments.parser.refuse(unknown[0])
    arguments.words = tuple(argv)  # what was typed, for a command that says how to go on
    return arguments
