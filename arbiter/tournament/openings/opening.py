"""One opening, and what is raised when openings cannot be had."""

from collections.abc import Iterable
from dataclasses import dataclass

from arbiter.tournament.problems import ConfigurationError
from protocol.rules import Position
from protocol.text import escaped

_SHOWN = 20
"""Problems that the text of an error lists; whoever needs more has ``arbiter openings --check``."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a game starts.

    ``name`` is for people: ``random 17``, ``book.drec 12`` (numbers from 1), or what a record calls it; None
    for the empty board.
    """

    position: Position
    name: str | None


class OpeningsError(ConfigurationError):
    """Openings that cannot be used; ``problems`` holds every fault, each on a line with its place."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(map(escaped, problems))
        shown = [*self.problems[:_SHOWN]]
        if more := len(self.problems) - len(shown):
            shown.append(f"... and {more} more fault{'s' if more > 1 else ''}")
        super().__init__("\n".join(shown))
