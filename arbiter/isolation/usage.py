"""What a tree of processes holds: read from /proc, a few microseconds for each process."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from arbiter.isolation import proc

_PAGE = os.sysconf("SC_PAGE_SIZE")
MOST_FILES = 20_000


class Usage(NamedTuple):
    """``memory`` is resident, in bytes; pages that several processes share count for each of them."""

    memory: int
    processes: int


def measure(pids: Iterable[int]) -> Usage:
    """Sum up processes; those that are gone count nothing. ``processes`` counts threads."""
    memory = threads = 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = proc.stat(pid)
            threads += int(fields[proc.THREADS])
            memory += int(proc.read(f"/proc/{proc.speaker(pid, fields)}/statm").split(None, 2)[1]) * _PAGE
    return Usage(memory, threads)


def highest(pids: Iterable[int]) -> int:
    """The most memory in bytes that a single one of these processes ever held, also between two looks."""
    most = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = proc.read(f"/proc/{proc.speaker(pid, proc.stat(pid))}/status").split()
            most = max(most, int(fields[fields.index(b"VmHWM:") + 1]) * 1024)
    return most


def proportional(pids: Iterable[int]) -> int | None:
    """Memory of several processes in bytes, a page that n of them share counted as 1/n; None if unknown."""
    memory = 0
    for pid in pids:
        try:
            rollup = Path(f"/proc/{proc.speaker(pid, proc.stat(pid))}/smaps_rollup").read_text()
        except (ProcessLookupError, FileNotFoundError):
            continue
        except OSError:
            return None
        memory += sum(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
    return memory


class Filling(NamedTuple):
    """What lies in a scratch directory."""

    size: int
    files: int


def weigh(directory: Path, enough: int) -> Filling:
    """Add up the blocks and files under a directory, until there are ``enough`` bytes or too many files."""
    size = files = 0
    rest = [os.fspath(directory)]
    while rest and size <= enough and files <= MOST_FILES:
        try:
            with os.scandir(rest.pop()) as entries:
                for entry in entries:
                    files += 1
                    if files > MOST_FILES:
                        break
                    with contextlib.suppress(OSError):
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
                        if entry.is_dir(follow_symlinks=False):
                            rest.append(entry.path)
        except OSError:
            continue
    return Filling(size, files)


def weigh_inside(pids: Iterable[int], directory: Path) -> Filling | None:
    """The same for a memory file system that only these processes see; None when none lets us look."""
    for pid in pids:
        with contextlib.suppress(OSError):
            found = os.statvfs(f"/proc/{pid}/root{directory}")
            if found.f_blocks and Path(f"/proc/{pid}/root").stat().st_dev != Path("/").stat().st_dev:
                used = (found.f_blocks - found.f_bfree) * found.f_frsize
                return Filling(used, found.f_files - found.f_ffree)
    return None
