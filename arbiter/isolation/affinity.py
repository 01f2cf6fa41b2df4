"""Keeping programs on certain cores."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


def usable_cores() -> list[int]:
    """The numbers of the cores this process may run on; without such numbers, as many as there are."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def share(cores: Sequence[int], slots: int) -> list[tuple[int, ...]]:
    """Divide cores evenly among slots; empty when there is not one for each, or they cannot be kept."""
    size = len(cores) // slots
    if size == 0 or not hasattr(os, "sched_setaffinity"):
        return []
    return [tuple(cores[size * slot : size * (slot + 1)]) for slot in range(slots)]


@contextmanager
def pinned(cores: Sequence[int]) -> Iterator[None]:
    """Programs started inside run on these cores only; no cores, no change.

    The calling thread goes there and back, for a new process inherits its place: so not even its
    first instruction runs elsewhere.
    """
    if not cores:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
