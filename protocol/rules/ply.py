"""Plies as values, and as text both ways.

A ply exists once, so it is compared by identity, and it carries ready-made bit masks with which the board
code moves stacks without any arithmetic on names.
"""

from __future__ import annotations

from typing import NoReturn

from protocol.errors import PlySyntaxError
from protocol.rules.geometry import (
    CANNOT_SPLIT,
    FENCE,
    FULL_BOARD,
    INDEX,
    NEIGHBOURS,
    SPACES,
    straight_distance,
)


class Ply:
    """A placement (``D1``), a stack move (``H1G1``) or ``PASS``; obtained from :func:`parse_ply` only.

    ``source`` and ``target`` are names of spaces, or ``None`` where there is none. ``distance`` counts the
    spaces of a stack move along a straight line; it is -1 for plies that are no such line. Plies sort by
    text.

    >>> ply = parse_ply("h1g1")
    >>> ply.text, ply.source, ply.target, ply.distance
    ('H1G1', 'H1', 'G1', 1)
    >>> parse_ply("H1G1") is ply
    True

    The rest serves the board code. ``lifted`` and ``landing`` are the bits of source and target (0 if none),
    ``kept`` is all bits but the target's. Of the source, ``around``, ``fence`` and ``arcs`` are what geometry
    knows (``NEIGHBOURS``, ``FENCE``, ``CANNOT_SPLIT``) and ``byte`` is its shift in packed heights. ``carry``
    is added to packed heights when the ply is played.
    """

    text: str
    source: str | None
    target: str | None
    distance: int
    lifted: int
    landing: int
    kept: int
    around: int
    fence: int
    arcs: frozenset[int]
    byte: int
    carry: int

    __slots__ = tuple(__annotations__)

    def __init__(self, source: str | None, target: str | None) -> None:
        set_once = super().__setattr__
        set_once("text", (source or "") + target if target else "PASS")
        set_once("source", source)
        set_once("target", target)
        set_once("distance", straight_distance(source, target) if source and target else -1)
        set_once("lifted", 1 << INDEX[source] if source else 0)
        set_once("landing", 1 << INDEX[target] if target else 0)
        set_once("kept", FULL_BOARD ^ self.landing)
        index = INDEX[source] if source else -1
        set_once("around", NEIGHBOURS.get(index, 0))
        set_once("fence", FENCE.get(index, 0))
        set_once("arcs", CANNOT_SPLIT.get(index, frozenset()))
        set_once("byte", 8 * max(index, 0))
        set_once("carry", self._carried())

    def _carried(self) -> int:
        if self.target is None:
            return 0
        arriving = 1 << 8 * INDEX[self.target]
        return arriving if self.source is None else self.distance * (arriving - (1 << self.byte))

    @property
    def is_pass(self) -> bool:
        """Whether this is ``PASS``."""
        return self.target is None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a ply cannot be changed ({name})")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a ply cannot be changed ({name})")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"parse_ply({self.text!r})"

    def __lt__(self, other: Ply) -> bool:
        return self.text < other.text

    def __le__(self, other: Ply) -> bool:
        return self.text <= other.text

    def __gt__(self, other: Ply) -> bool:
        return self.text > other.text

    def __ge__(self, other: Ply) -> bool:
        return self.text >= other.text

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """Copy and pickle by name, so that a ply stays the one object it is."""
        return parse_ply, (self.text,)


PASS = Ply(None, None)
"""The forced pass."""

PLACEMENTS: tuple[Ply, ...] = tuple(Ply(None, space) for space in SPACES)
"""One placement per space, in the order of ``SPACES``."""

_KNOWN = {ply.text: ply for ply in (PASS, *PLACEMENTS)}


def stack_move(source: str, target: str) -> Ply:
    """The ply from one space to another, whether or not any stack could ever make it."""
    text = source + target
    return _KNOWN.get(text) or _KNOWN.setdefault(text, Ply(source, target))


def parse_ply(text: str) -> Ply:
    """Read a ply, in upper or lower case.

    >>> parse_ply("d1"), parse_ply("pass").is_pass
    (parse_ply('D1'), True)
    >>> parse_ply("A9")
    Traceback (most recent call last):
    ...
    protocol.errors.PlySyntaxError: ...

    :raises PlySyntaxError: the text is no ply, or names a space that is not one of the 49.
    """
    name = text.upper() if text.isascii() else text
    if name in _KNOWN:
        return _KNOWN[name]
    source, target = name[:2], name[2:]
    if source not in INDEX or target not in INDEX:
        raise PlySyntaxError(text, _fault(name))
    return stack_move(source, target)


def _fault(name: str) -> str:
    halves = [name[:2], name[2:]] if len(name) == 4 else [name]
    if name.isascii() and all(len(half) == 2 and half[0].isalpha() and half[1].isdigit() for half in halves):
        missing = next(half for half in halves if half not in INDEX)
        return f"{missing} is not a space (row 1 is A..I, row 2 A..J, row 3 A..K, row 4 B..K, row 5 C..K)"
    return "write a space (D1), two spaces (H1G1) or PASS"
