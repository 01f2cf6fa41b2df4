"""The kernel's own count of the CPU time of a process and of all that comes from it, however it hides.

See ``man 2 perf_event_open``. Whatever is started by what is counted is counted, too, and stays counted when
it ends. The system may not let everybody count (``kernel.perf_event_paranoid`` above 2, containers), and who
executes a file that it may not read is counted no more.
"""

import ctypes
import os
import platform
import struct
import sys
import threading
from collections.abc import Callable

from arbiter.isolation.resources import reraise_lack

_CALLS = {"x86_64": 298, "aarch64": 241}
_SOFTWARE, _TASK_CLOCK = 1, 1
_INHERIT, _NOT_KERNEL, _NOT_HYPERVISOR = 1 << 1, 1 << 5, 1 << 6
_CLOSE_ON_EXEC = 8
_TRIES = 5
_MOST = 4
"""Threads that are counted one by one: of a program that has just begun, maybe inside of a sandbox."""
_ATTRIBUTES = struct.Struct("=IIQQQQQIIQ")


def start(thread: int) -> int:
    """Count a thread, and what it starts from now on; a descriptor, or -1 where that is not possible.

    Raises:
        OSError: when the arbiter has no descriptor or memory left.
    """
    call = _CALLS.get(platform.machine()) if sys.platform == "linux" else None
    if call is None:
        return -1
    # Without the right to profile the kernel; the time spent there counts all the same.
    flags = _INHERIT | _NOT_KERNEL | _NOT_HYPERVISOR
    attributes = _ATTRIBUTES.pack(_SOFTWARE, _ATTRIBUTES.size, _TASK_CLOCK, 0, 0, 0, flags, 0, 0, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = int(libc.syscall(call, attributes, thread, -1, -1, ctypes.c_ulong(_CLOSE_ON_EXEC)))
    if descriptor < 0:
        reraise_lack(OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno())))
    return descriptor


def is_available() -> bool:
    """Whether this system lets the arbiter count. Raises OSError as ``start`` does."""
    descriptor = start(threading.get_native_id())
    if descriptor >= 0:
        os.close(descriptor)
    return descriptor >= 0


class Count:
    """The CPU time of some threads and of all that comes from them, from now on."""

    def __init__(self, threads: Callable[[], set[int]]) -> None:
        """Count all that ``threads`` gives, if nothing was started between two looks.

        Raises:
            OSError: as ``start`` does.
        """
        self._descriptors: list[int] = []
        for _ in range(_TRIES):
            these = threads()
            if len(these) > _MOST:
                return
            try:
                self._descriptors = []
                for thread in these:
                    self._descriptors.append(start(thread))
            except OSError:
                self.close()
                raise
            if -1 not in self._descriptors and threads() == these:
                return
            self.close()

    def read(self) -> int | None:
        """Nanoseconds so far; None where nothing is counted."""
        if not self._descriptors:
            return None
        used = 0
        for descriptor in self._descriptors:
            used += int.from_bytes(os.read(descriptor, 8), sys.byteorder)
        return used

    def close(self) -> None:
        """Stop counting."""
        for descriptor in self._descriptors:
            if descriptor >= 0:
                os.close(descriptor)
        self._descriptors = []
