"""What is wrong with something the user wrote: a file, a command, a time."""

import difflib
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_SHOWN = 60
"""Characters of a user's text that a message repeats."""

TOLD = 50
"""Faults of a file that a message tells; who has more mends these first."""


class ConfigurationError(ValueError):
    """What the user asked for cannot be done as written; the text says why and what to write instead."""


class Place(NamedTuple):
    """A position in the file, counted from 1."""

    line: int
    column: int


class Problem(NamedTuple):
    """One fault of a file. ``line`` and ``column`` count from 1; line 0 means the file as a whole."""

    line: int
    column: int
    message: str


class TournamentFileError(ConfigurationError):
    """A tournament file cannot be used; ``problems`` holds every fault found, sorted by place."""

    def __init__(self, path: Path, problems: Iterable[Problem]) -> None:
        self.path = path
        self.problems = tuple(sorted(problems))
        lines = [self._format(problem) for problem in self.problems[:TOLD]]
        if (more := len(self.problems) - TOLD) > 0:
            lines.append(f"{path}: {more:,} more fault{'' if more == 1 else 's'}")
        super().__init__("\n".join(lines))

    def _format(self, problem: Problem) -> str:
        place = f":{problem.line}:{problem.column}" if problem.line else ""
        return f"{self.path}{place}: {problem.message}"


def quoted(text: str) -> str:
    """Put a user's text between backticks: on one line, without control characters, shortened when long."""
    plain = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
    return f"`{plain[: _SHOWN - 1]}…`" if len(plain) > _SHOWN else f"`{plain}`"


def option(flag: str, value: str) -> str:
    """An option as one types it in a shell; a value that looks like an option itself is tied to its flag."""
    return f"{flag}{'=' if value.startswith('-') else ' '}{shlex.quote(value)}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean `rounds`?`` for the closest known word, else an empty text."""
    spelled = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(word.strip().casefold()[:_SHOWN], spelled, n=1, cutoff=0.6)
    return f"; did you mean `{spelled[close[0]]}`?" if close else ""


def listed(words: Iterable[str]) -> str:
    """Words as a message lists them: ``dvp, codecup``."""
    return ", ".join(words)
