"""What can be wrong, told apart by whose fault it is.

Every error this package raises on purpose is a :class:`ProtocolError`, and each carries the facts as
attributes, so that callers need not read messages. The messages are for people: they name the place and the
rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.rules.ply import Ply


class ProtocolError(ValueError):
    """Base of all errors of this package."""


class PlySyntaxError(ProtocolError):
    """A text that is no ply at all, or that names a space which is not on the board.

    ``text`` is what was read, ``reason`` the explanation alone.
    """

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(text, reason)
        self.text = text
        self.reason = reason

    def __str__(self) -> str:
        return f"{_quoted(self.text)} is not a ply: {self.reason}"


class IllegalPlyError(ProtocolError):
    """A well-formed ply that the rules forbid in the position at hand.

    ``ply`` is the offending one, ``rule`` a short stable token for the rule broken (``distance``,
    ``surrounded``, ...), ``reason`` the rule as a sentence about this ply, and ``legal`` all plies that would
    have been allowed, sorted by text.
    """

    def __init__(self, ply: Ply, rule: str, reason: str, legal: tuple[Ply, ...]) -> None:
        super().__init__(ply, rule, reason, legal)
        self.ply = ply
        self.rule = rule
        self.reason = reason
        self.legal = legal

    def __str__(self) -> str:
        choice = f"legal: {' '.join(ply.text for ply in self.legal)}" if self.legal else "no ply is legal"
        return f"{self.ply.text}: {self.reason}; {choice}"


class PositionError(ProtocolError):
    """A DPOS that cannot be read or that describes no position of the game.

    ``cell`` is the space at fault (``None`` when no single one is), ``rule`` a short stable token, ``reason``
    the sentence.
    """

    def __init__(self, cell: str | None, rule: str, reason: str) -> None:
        super().__init__(cell, rule, reason)
        self.cell = cell
        self.rule = rule
        self.reason = reason

    def __str__(self) -> str:
        place = f"{self.cell}: " if self.cell else ""
        return f"{place}{self.reason} [{self.rule}]"


class LocalProtocolError(ProtocolError):
    """Our own side tried to say what the state of the conversation does not allow: a bug of the caller."""


class RecordError(ProtocolError):
    """A game record that cannot be read: ``source`` and ``line`` (from 1) say where, ``message`` what."""

    def __init__(self, source: str, line: int, message: str) -> None:
        super().__init__(source, line, message)
        self.source = source
        self.line = line
        self.message = message

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.message}"


def _quoted(text: str, longest: int = 60) -> str:
    """Show foreign text on one line and in bounds."""
    shown = ascii(text if len(text) <= longest else text[:longest])
    return shown if len(text) <= longest else f"{shown}... ({len(text)} characters)"
