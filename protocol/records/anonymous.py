"""Records without the people in them."""

import re
from collections.abc import Mapping
from dataclasses import replace

from protocol.dvp.messages import INFO_KEYS
from protocol.errors import PlySyntaxError
from protocol.records.record import BY, Record, RecordedPly
from protocol.rules import parse_ply

_HEADERS = (
    "Game",
    "Result",
    "Score",
    "Termination",
    "TimeControl",
    "WhiteTime",
    "BlackTime",
    "Start",
    "Rules",
)
"""Kept as they are: they can say nothing but what happened on the board and on the clocks."""

_KEYS = {"used", "left", "wall", "cpu", "wait", "substitute", "illegal", "pv", *INFO_KEYS}
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
_NOBODY = ("", "?")


class Pseudonyms:
    """Gives ``player-1``, ``player-2``, ... in the order of appearance; a name always gets the same."""

    def __init__(self) -> None:
        self._by_name: dict[str, str] = {}

    def hide(self, record: Record) -> Record:
        """The record with pseudonyms, the day as its date, and only numbers and plies as comments.

        Other headers are left out, since any of them may tell a place, an event or a program.
        """
        headers = {name: record.headers[name] for name in _HEADERS if name in record.headers}
        for name in ("White", "Black"):
            headers[name] = self._pseudonym(record.headers.get(name, ""))
        if "Date" in record.headers:
            headers["Date"] = record.headers["Date"][:10]
        plies = tuple(RecordedPly(ply.text, _without_words(ply.comments), ply.line) for ply in record.plies)
        return replace(
            record,
            headers=headers,
            plies=plies,
            opening_comments=_without_words(record.opening_comments),
            closing_comments={BY: record.closing_comments[BY]} if BY in record.closing_comments else {},
        )

    def _pseudonym(self, name: str) -> str:
        name = name.strip()
        if name in _NOBODY:
            return "?"
        return self._by_name.setdefault(name, f"player-{len(self._by_name) + 1}")


def _without_words(comments: Mapping[str, str]) -> dict[str, str]:
    """What in comments cannot be a name."""
    return {key: value for key, value in comments.items() if key in _KEYS and _is_plain(value)}


def _is_plain(value: str) -> bool:
    if _NUMBER.fullmatch(value):
        return True
    try:
        return all(parse_ply(word) for word in value.split(","))
    except PlySyntaxError:
        return False
