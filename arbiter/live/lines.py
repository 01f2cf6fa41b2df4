"""Pieces of a conversation put together to lines, for people to read."""

from collections.abc import Iterator
from typing import NamedTuple

from arbiter.match.dialogue import Said, Voice
from protocol.rules import Side
from protocol.text import readable

_LONGEST = 8_192
"""Bytes of an unfinished line that are kept; what goes on longer is shown piece by piece."""


class Line(NamedTuple):
    """A line that was said; ``stamp`` (monotonic ns) is when its end was."""

    stamp: int
    side: Side
    voice: Voice
    text: str


class Lines:
    """The lines of one game as they become complete."""

    def __init__(self) -> None:
        self._begun: dict[tuple[Side, Voice], tuple[int, bytes]] = {}

    def feed(self, said: Said) -> Iterator[Line]:
        """The lines that a piece completes; blank ones say nothing."""
        key = (said.side, said.voice)
        _, begun = self._begun.pop(key, (0, b""))
        *complete, rest = (begun + said.data).split(b"\n")
        if len(rest) > _LONGEST:
            complete, rest = [*complete, rest + b" ..."], b""
        if rest:
            self._begun[key] = (said.stamp, rest)
        for line in complete:
            if text := _shown(line):
                yield Line(said.stamp, *key, text)

    def rest(self) -> Iterator[Line]:
        """What was never completed, in the order in which it came; nothing is left then."""
        begun, self._begun = self._begun, {}
        for (side, voice), (stamp, data) in sorted(begun.items(), key=lambda item: item[1][0]):
            if text := _shown(data):
                yield Line(stamp, side, voice, f"{text} (without a line end)")


def _shown(line: bytes) -> str:
    return readable(line.rstrip(b"\r")).rstrip()
