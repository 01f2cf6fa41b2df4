"""A file of game records cut into games, before any is read."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

HEADER = re.compile(r'\[([A-Za-z][A-Za-z0-9_-]*)[ \t]+"((?:[^"\\]|\\.)*)"\s*\]')
"""A header: its name and its value, in which quotes and backslashes are escaped."""


@dataclass(slots=True)
class Block:
    """The lines of one game with their numbers; blank lines left out."""

    headers: list[tuple[int, str]] = field(default_factory=list)
    moves: list[tuple[int, str]] = field(default_factory=list)

    @property
    def line(self) -> int:
        return (self.headers or self.moves)[0][0]

    def has_header(self, line: str) -> bool:
        return any(other.split()[0] == line.split()[0] for _, other in self.headers)


def blocks(lines: Iterable[str]) -> Iterator[Block]:
    """Cut a file into games: one begins where headers follow moves, or begin anew after a blank line.

    Inside a comment only a line that is a header beyond doubt begins a game: the comment was never closed.
    """
    block, blank, in_comment = Block(), False, False
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        if not line:
            blank = True
            continue
        if line.startswith("[") and (not in_comment or HEADER.fullmatch(line)):
            if block.moves or (blank and block.has_header(line)):
                yield block
                block, in_comment = Block(), False
            block.headers.append((number, line))
        else:
            block.moves.append((number, line))
            opened, closed = line.rfind("{"), line.rfind("}")
            in_comment = opened > closed or (in_comment and closed < 0)
        blank = False
    if block.headers or block.moves:
        yield block
