"""The system calls that no bot needs, as a filter program for the kernel (classic BPF).

A list of what is refused, not of what is allowed: runtimes differ too much in what they call, and
the refused calls are those that lead out of the other limits. Numbers are the kernel's own, see
``asm/unistd_64.h`` and ``asm-generic/unistd.h``; the format is that of ``linux/seccomp.h``.
"""

import errno
import platform
import struct
import sys
from collections.abc import Iterator
from functools import cache

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16

# Name: number on x86_64 and on aarch64; None where there is no such call.
_REFUSED: dict[int, dict[str, tuple[int, int | None]]] = {
    errno.EACCES: {"socket": (41, 198)},
    errno.EPERM: {
        # other processes
        "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
        "kcmp": (312, 272), "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
        "perf_event_open": (298, 241), "sched_setaffinity": (203, 122), "ioprio_set": (251, 30),
        # the file system's shape
        "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
        "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
        "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
        "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "fanotify_init": (300, 262),
        "quotactl": (179, 60), "quotactl_fd": (443, 443), "acct": (163, 89),
        # namespaces
        "unshare": (272, 97), "setns": (308, 268),
        # the machine
        "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105),
        "finit_module": (313, 273), "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224),
        "swapoff": (168, 225), "settimeofday": (164, 170), "clock_settime": (227, 112),
        "clock_adjtime": (305, 266), "adjtimex": (159, 171), "syslog": (103, 116), "vhangup": (153, 58),
        "iopl": (172, None), "ioperm": (173, None), "bpf": (321, 280),
        # the kernel's key rings
        "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    },
    # Said to be missing, so that a runtime takes another way.
    errno.ENOSYS: {
        "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
        "userfaultfd": (323, 282), "clone3": (435, 435),
        # memory that belongs to no process and that no watch over processes sees
        "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "msgget": (68, 186),
        "semget": (64, 190), "mq_open": (240, 180),
    },
}  # fmt: skip
_CHANGES_OF_MODE: dict[str, tuple[int, int | None]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
}  # fmt: skip
_NAMESPACES = 0x7E020000
_PUSH_INPUT = 0x5412
# Number, argument, comparison, value: refused when the comparison holds (or, with ``False``, does not).
_ARGUMENT_RULES = (
    ((56, 220), 0, _ANY_BIT, _NAMESPACES, True),  # clone into new namespaces
    ((302, 261), 0, _EQUAL, 0, False),  # prlimit of another process
    ((62, 129), 0, _EQUAL, 0xFFFFFFFF, True),  # kill every process there is
    ((16, 29), 1, _EQUAL, _PUSH_INPUT, True),  # ioctl that types into a terminal
)


@cache
def filter_program(keep_modes: bool = False) -> bytes | None:
    """The filter; None on a machine whose numbers are not known here.

    With ``keep_modes`` changing modes and owners of files is refused as well, which nothing else
    stops where a bot runs as the arbiter's own user.
    """
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _ARCHITECTURES:
        return None
    column = list(_ARCHITECTURES).index(machine)
    return b"".join(_instructions(machine, column, keep_modes))


def _instructions(machine: str, column: int, keep_modes: bool) -> Iterator[bytes]:
    yield _step(_LOAD, _ARCHITECTURE_AT)
    yield _step(_EQUAL, _ARCHITECTURES[machine], 1, 0)
    yield _step(_RETURN, _ERRNO | errno.ENOSYS)  # such as 32-bit calls
    yield _step(_LOAD, _NUMBER_AT)
    if machine == "x86_64":
        yield _step(_AT_LEAST, _X32, 0, 1)
        yield _step(_RETURN, _ERRNO | errno.ENOSYS)
    extra = _CHANGES_OF_MODE if keep_modes else {}
    for error, calls in _REFUSED.items():
        for numbers in (*calls.values(), *(extra.values() if error == errno.EPERM else ())):
            if (number := numbers[column]) is not None:
                yield _step(_EQUAL, number, 0, 1)
                yield _step(_RETURN, _ERRNO | error)
    for numbers, argument, comparison, value, holds in _ARGUMENT_RULES:
        yield _step(_EQUAL, numbers[column], 0, 4)
        yield _step(_LOAD, _ARGUMENTS_AT + 8 * argument)
        yield _step(comparison, value, *((0, 1) if holds else (1, 0)))
        yield _step(_RETURN, _ERRNO | errno.EPERM)
        yield _step(_LOAD, _NUMBER_AT)
    yield _step(_RETURN, _ALLOW)


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)
