"""The part of a conversation that shows a fault, short enough to be read."""

from collections.abc import Sequence

_HEAD, _TAIL = 3, 12
_WIDEST = 100


def excerpt(transcript: str, until: str = "") -> tuple[str, ...]:
    """The first and the last lines said, each with its time in ms since the start.

    ``>`` goes to the bot, ``<`` comes from it. The last is the first line with ``until`` in it, if
    there is one. Long lines lose their middle.
    """
    lines = transcript.splitlines()
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


def lines_of_bot(transcript: str) -> Sequence[str]:
    """What the bot wrote, line by line, as far as it was kept."""
    return [line[15:] for line in transcript.splitlines() if line[12:15] == " < "]


def _line(line: str) -> str:
    seconds, mark, words = line[:12], line[13:14], line[15:]
    if mark not in (">", "<"):
        return f"{'...':>8}   {line.strip('. ')}"
    return f"{float(seconds) * 1_000:8.0f} {mark} {shortened(words)}"


def shortened(words: str, widest: int = _WIDEST) -> str:
    """The words without their middle when there are too many."""
    if len(words) <= widest:
        return words
    half = (widest - 5) // 2
    return f"{words[:half]} ... {words[-half:]}"
