"""What the arbiter itself needs of the machine: descriptors, processes, memory, disk.

When one of them is used up, that is no bot's failure: nobody knows how the game would have gone on.
"""

import contextlib
import errno
import os
import resource
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from arbiter.isolation import proc

DESCRIPTORS_PER_GAME = 30
"""What a game keeps open, with a margin: for each bot three pipes, its exit, the report of its trampoline,
up to eight counters, a scratch directory that is being removed; and the log of the game.
"""
PROCESSES_PER_GAME = 8
"""Two bots, which may have threads, each in a jail of two more processes."""
_DESCRIPTORS_BESIDES = 32
"""For the database, the event loop, looks at processes, and the one program that is being started."""
_PROCESSES_BESIDES = 8
"""Threads that store, show and clean up."""

DOCTOR = "see `arbiter doctor`"
_FEWER = "play fewer games in parallel (--concurrency)"
_ROOM = "make room, or let TMPDIR name another place for temporary files"
_KNOWN = {
    errno.EMFILE: ("no file descriptor is left", f"raise the limit with `ulimit -n`, or {_FEWER}"),
    errno.ENFILE: (
        "the machine has no file descriptor left",
        "end other programs, or raise fs.file-max",
    ),
    errno.EAGAIN: (
        "no further process can be started",
        f"raise the limit with `ulimit -u`, or that of the container, end other programs, or {_FEWER}",
    ),
    errno.ENOMEM: ("the memory of the machine is used up", f"end other programs, or {_FEWER}"),
    errno.ENOSPC: ("the disk is full", _ROOM),
    errno.EDQUOT: ("the disk quota is used up", _ROOM),
}
_UNMISTAKABLE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Mean the same wherever they come from; the others have other meanings, too."""
_NO_THREAD = "can't start new thread"
LACKS = (OSError, MemoryError, RuntimeError)
"""What may come from a lack besides a ResourceError; ``lack_behind`` tells."""

_given: tuple[int, int] | None = None
"""The limits of descriptors that the arbiter was started with, once they are no longer those."""


class ResourceError(Exception):
    """The machine lacks something, which is no bot's failure; ``number`` is the errno, ``remedy`` helps."""

    def __init__(self, number: int, message: str, remedy: str) -> None:
        super().__init__(message)
        self.number = number
        self.remedy = remedy

    @property
    def is_lack(self) -> bool:
        """Whether something is used up, which may be otherwise a moment later."""
        return self.number in _KNOWN


def lack(number: int, doing: str) -> ResourceError | None:
    """What an errno says the machine lacked for ``doing`` something; None when it says something else."""
    return _lack(number, doing) if number in _KNOWN else None


def _lack(number: int, doing: str) -> ResourceError:
    words, remedy = _KNOWN[number]
    return ResourceError(number, f"{doing}: {words}", remedy)


def refused(error: OSError, doing: str) -> ResourceError:
    """For what the arbiter needed for itself: whatever the system refused it with, no bot is at fault."""
    number = error.errno or 0
    if error.filename:
        doing = f"{doing} ({error.filename})"
    return lack(number, doing) or ResourceError(number, f"{doing}: {error.strerror or error}", DOCTOR)


def lack_in(text: str, doing: str) -> ResourceError | None:
    """What the machine lacked by what another program says of it in the system's words."""
    number = next((number for number in _KNOWN if os.strerror(number) in text), 0)
    return lack(number, doing)


@contextlib.contextmanager
def needed_for(doing: str) -> Iterator[None]:
    """Turn what the system refuses for lack of something into a ResourceError."""
    try:
        yield
    except OSError as error:
        if found := lack(error.errno or 0, doing):
            raise found from error
        raise


def reraise_lack(error: OSError) -> None:
    """Raise an error again that says nothing of the file or directory which could not be read."""
    if error.errno in _UNMISTAKABLE:
        raise error


def lack_behind(error: BaseException) -> ResourceError | None:
    """What the machine lacked, if any error at all comes from that."""
    match error:
        case ResourceError():
            return error
        case OSError() if error.errno in _UNMISTAKABLE:
            return lack(error.errno, f"while the arbiter was at work ({error})")
        case MemoryError():
            return lack(errno.ENOMEM, "while the arbiter was at work")
        case RuntimeError() if str(error) == _NO_THREAD:
            return lack(errno.EAGAIN, "while the arbiter was at work (a thread)")
    return None


def require_disk(paths: Iterable[Path]) -> None:
    """See that something can be written in these directories, as when a build failed.

    Raises:
        ResourceError: when a file system is full; one that is for reading only is not.
    """
    for path in paths:
        with contextlib.suppress(OSError):
            found = os.statvfs(path)
            free = found.f_bfree if os.getuid() == 0 else found.f_bavail
            if not free and found.f_blocks and not found.f_flag & os.ST_RDONLY:
                raise _lack(errno.ENOSPC, f"writing in {path}")


# Before the first game


def make_room(bots: int) -> None:
    """See that so many bots can run in parallel; raises the limit of descriptors as far as needed.

    No further than that: bots get the old limit back when they have just begun to run (``hand_down``), and
    what one of them might see until then is not to be out of the ordinary.

    Raises:
        ResourceError: when they cannot.
    """
    games = -(-bots // 2)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = descriptors_open() + _DESCRIPTORS_BESIDES + games * DESCRIPTORS_PER_GAME
    if _is_below(soft, needed):
        if _is_below(hard, needed):
            raise _too_few(errno.EMFILE, bots, "file descriptors", needed, hard, "-n")
        _raise_descriptors(needed, hard)
    if os.getuid() == 0:
        return  # the kernel does not count root's
    most = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    if _is_below(most, needed := _processes_of_user() + _PROCESSES_BESIDES + games * PROCESSES_PER_GAME):
        raise _too_few(errno.EAGAIN, bots, "processes and threads", needed, most, "-u")


def _is_below(limit: int, needed: int) -> bool:
    return limit != resource.RLIM_INFINITY and limit < needed


def _too_few(number: int, bots: int, what: str, needed: int, limit: int, option: str) -> ResourceError:
    counted = "a bot needs" if bots == 1 else f"{bots} bots in parallel need"
    message = f"{counted} {needed:,} {what}, counting what is in use already; the limit is {limit:,}"
    return ResourceError(number, message, f"raise it with `ulimit {option} {needed}`")


def descriptors_open() -> int:
    """How many this process has open."""
    try:
        return len(os.listdir("/dev/fd")) - 1  # noqa: PTH208 (a count is all)
    except OSError:
        return _DESCRIPTORS_BESIDES


def _processes_of_user() -> int:
    """Processes and threads that count against the limit of this user, as far as they can be seen."""
    count = 0
    with contextlib.suppress(OSError):
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError, IndexError):
                if entry.name.isdigit() and entry.stat().st_uid == os.getuid():
                    count += int(proc.stat(int(entry.name))[proc.THREADS])
    return count


def _raise_descriptors(needed: int, hard: int) -> None:
    global _given
    if _given is None:
        _given = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def hand_down(pid: int) -> None:
    """Let a program just started have the limit of descriptors that the arbiter was started with.

    From outside, since whatever is done between fork and exec is unsafe beside other threads; a
    program needs longer than this call to load itself.
    """
    if _given is not None and sys.platform == "linux":
        with contextlib.suppress(OSError):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, _given)
