"""Whom a program runs as: where root starts it, a user that owns nothing and is nobody else."""

import os
from functools import cache
from typing import NamedTuple

from arbiter.isolation import proc

_FIRST, _COUNT = 1_900_000_000, 90_000_000
_NOBODY = 65_534


class Range(NamedTuple):
    """Users that exist in this namespace: ``size`` of them from ``first`` on."""

    first: int
    size: int


def is_root() -> bool:
    return os.geteuid() == 0


def stranger(number: int) -> int:
    """A user for one program, whom no other program gets meanwhile; 65534 where there are few users."""
    uid = _FIRST + (os.getpid() * 1009 + number) % _COUNT
    return uid if any(first <= uid < first + size for first, size in known_users()) else _NOBODY


@cache
def known_users() -> tuple[Range, ...]:
    try:
        lines = proc.whole("/proc/self/uid_map").decode().splitlines()
    except OSError:
        return ()
    return tuple(Range(int(line.split()[0]), int(line.split()[2])) for line in lines)


def identity_map() -> str:
    """A map for a new user namespace in which every user stays who they are."""
    return "".join(f"{first} {first} {size}\n" for first, size in known_users())
