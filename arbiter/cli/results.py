"""Opening results directories named on a command line."""

import shlex
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from arbiter.cli.errors import UsageError
from arbiter.store import League, StoreError


@contextmanager
def reading(directories: list[str]) -> Iterator[list[League]]:
    """The leagues in these directories, open for reading.

    Raises:
        UsageError: when one of them holds no readable results.
    """
    with ExitStack() as stack:
        try:
            leagues = [
                stack.enter_context(League.open_for_reading(directory))
                for directory in dict.fromkeys(Path(name).resolve() for name in directories)
            ]
        except StoreError as error:
            raise UsageError(str(error), _hint(directories)) from None
        try:
            yield leagues
        except StoreError as error:
            raise UsageError(str(error)) from None


def shown(directory: Path) -> str:
    """A directory as one would type it from here, quoted for the shell."""
    return shlex.quote(str(typed(directory)))


def typed(directory: Path) -> Path:
    """The shorter of two ways to name a directory: from here, if it lies below."""
    with suppress(ValueError):
        return directory.absolute().relative_to(Path.cwd())
    return directory


def _hint(directories: list[str]) -> str:
    """Results often lie one step from where people look."""
    for directory in directories:
        for found in sorted(Path(directory).glob("*/league.db"))[:1]:
            return f"did you mean {found.parent}?"
    return "a results directory is what `arbiter run` names at its end"
