"""The part of a conversation that shows a fault, short enough to be read."""

import re
from collections.abc import Collection

_HEAD, _TAIL = 3, 12
_WIDEST = 100
_MARKS = (">", "<")
_VARIABLE = re.compile(r"\b([A-K][1-5]){1,2}\b|\bPASS\b|\d+")


def excerpt(transcript: str, until: str = "") -> tuple[str, ...]:
    """The first and the last lines said, each with its time in ms since the start.

    ``>`` goes to the bot, ``<`` comes from it. The last is the first line with ``until`` in it, if
    there is one. Long lines lose their middle.
    """
    lines = [line for line in transcript.splitlines() if line[15:] or line[12:15].strip() not in _MARKS]
    if until:
        end = next((number for number, line in enumerate(lines, 1) if until in line[13:]), len(lines))
        lines = lines[:end]
    said = tuple(map(_line, lines))
    if len(said) <= _HEAD + _TAIL + 1:
        return said
    return (*said[:_HEAD], f"{'...':>8}   {len(said) - _HEAD - _TAIL} lines", *said[-_TAIL:])


def opening(transcript: str, lines: int = 8) -> tuple[str, ...]:
    """The first lines said."""
    return tuple(map(_line, transcript.splitlines()[:lines]))


def _line(line: str) -> str:
    seconds, mark, words = line[:12], line[13:14], line[15:]
    if mark not in _MARKS:
        return f"{'...':>8}   {line.strip('. ')}"
    return f"{float(seconds) * 1_000:8.0f} {mark} {shortened(words)}"


def kind_of(words: str) -> str:
    """The words without what differs between lines of a kind: plies and numbers."""
    return _VARIABLE.sub("0", words)


def shortened(words: str, widest: int = _WIDEST) -> str:
    """The words without their middle when there are too many."""
    if len(words) <= widest:
        return words
    half = (widest - 5) // 2
    return f"{words[:half]} ... {words[-half:]}"


def listed(names: Collection[str], most: int = 3) -> str:
    """The first of these names, and how many others there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(list(names)[:most])}{more}"
