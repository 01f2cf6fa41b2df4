"""How far a program is held back, as its starter wants it and as it came to be."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

MIB = 2**20


def shown(size: int | None) -> str:
    """A size in words."""
    return f"{(size or 0) / MIB:.0f} MiB"


class Level(StrEnum):
    """An isolation level; each holds back more than the one before."""

    NONE = "none"
    """A session of its own, no inherited descriptors; its whole tree is killed at the end."""
    LIMITS = "limits"
    """Besides: limits on resources, files, the network and calls that lead out of them."""
    JAIL = "jail"
    """Besides: namespaces of its own, in which nothing else can even be seen."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What a program is started in.

    ``memory`` (bytes, its whole tree together), ``disk`` (bytes in its scratch directory, also
    the longest file) and ``processes`` (threads count) are None for what is usual at the level;
    level ``none`` bounds memory and processes only when they are given, and disk never.

    ``visible`` may be read besides what the command itself names, ``listed`` may be listed;
    ``writable`` may be written as well, which makes the program run as the caller's own user;
    ``hidden`` may not be read even where it lies inside of something visible.
    """

    level: Level = Level.NONE
    memory: int | None = None
    disk: int | None = None
    processes: int | None = None
    visible: tuple[Path, ...] = ()
    listed: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()

    @property
    def bounds(self) -> "Bounds":
        """The limits in numbers."""
        if self.level is Level.NONE:
            return Bounds(self.memory, None, self.processes)
        return Bounds(
            _or(self.memory, USUAL.memory), _or(self.disk, USUAL.disk), _or(self.processes, USUAL.processes)
        )


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits in numbers; None where there is none."""

    memory: int | None
    disk: int | None
    processes: int | None


USUAL = Bounds(memory=512 * MIB, disk=128 * MIB, processes=256)
"""The limits of a bot that asks for no others."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What really holds a program back: ``missing`` of its level, and ``means`` by which the rest is done."""

    level: Level
    missing: tuple[str, ...] = ()
    means: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return f"{self.level} ({', '.join(self.missing)})" if self.missing else str(self.level)


def _or(value: int | None, usual: int | None) -> int | None:
    return usual if value is None else value
