"""What stands between the arbiter and a confined program: sets the limits on itself, then becomes it.

Run as a script of its own, ``python -ISB trampoline.py SPEC COMMAND...``, so that the arbiter need
not fork itself. SPEC is a marshalled dictionary in hexadecimal digits, made by ``confine``; what
is set here stays over ``exec`` and cannot be taken back. Imports nothing that takes long.

Whatever cannot be done ends the trampoline with ``!KIND!NUMBER!REASON`` on the report pipe: a program
never runs less confined than it was meant to be. KIND is ``limits`` when these could not be set, else
``start``; NUMBER is the system's of the error, or 0. A dot before it says that all limits were set.
"""

import errno
import marshal
import os
import resource
import sys

_SYSCALLS = {
    "x86_64": {"seccomp": 317, "capset": 126, "unshare": 272, "prctl": 157},
    "aarch64": {"seccomp": 277, "capset": 91, "unshare": 97, "prctl": 167},
}
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_PR_SET_KEEPCAPS, _PR_CAPBSET_DROP, _PR_SET_SECUREBITS = 8, 24, 28
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 36, 38, 47
_CAPABILITY_VERSION = 0x20080522
_DAC_READ_SEARCH = 1 << 2
_NEW_USER = 0x10000000
_FAILED = 126


class Kernel:
    """System calls by number. The module ``ctypes`` takes as long to import as Python takes to start."""

    def __init__(self) -> None:
        import _ctypes

        class Long(_ctypes._SimpleCData):  # type: ignore[type-arg]
            _type_ = "l"

        class Function(_ctypes.CFuncPtr):
            _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
            _restype_ = Long

        self._long = Long
        self._errno = _ctypes.get_errno
        library = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
        self._call = Function(_ctypes.dlsym(library, "syscall"))
        if os.uname().machine not in _SYSCALLS:
            raise OSError(f"the system calls of {os.uname().machine} are not known here")
        self._numbers = _SYSCALLS[os.uname().machine]

    def call(self, what: "str | int", *arguments: "int | bytes") -> int:
        number = what if isinstance(what, int) else self._numbers[what]
        given = [value if isinstance(value, bytes) else self._long(value) for value in arguments]
        result = int(self._call(self._long(number), *given))
        if result < 0:
            error = self._errno()
            raise OSError(error, f"{what}: {os.strerror(error)}")
        return result

    def prctl(self, option: int, *values: "int | bytes") -> int:
        return self.call("prctl", option, *values, *(0,) * (4 - len(values)))


def confine(spec: "dict[str, object]") -> None:
    """Set everything that ``spec`` asks for, in the one order that works."""
    os.umask(spec["umask"])  # type: ignore[arg-type]
    _join_cgroup(spec["cgroup"])  # type: ignore[arg-type]
    for name, value in spec["rlimits"].items():  # type: ignore[attr-defined]
        _lower(name, value)
    if sys.platform != "linux":
        return
    kernel = Kernel()
    ruleset = _make_ruleset(kernel, spec["landlock"])  # type: ignore[arg-type]
    _enter_user_namespace(kernel, spec["userns"])  # type: ignore[arg-type]
    _change_user(kernel, spec)
    if spec["processes"] is not None:
        # Counted from here on, in the new namespace or under the new user.
        _lower("RLIMIT_NPROC", spec["processes"])  # type: ignore[arg-type]
    kernel.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    kernel.prctl(_PR_SET_NO_NEW_PRIVS, 1)
    if ruleset is not None:
        kernel.call(_LANDLOCK_RESTRICT, ruleset, 0)
        os.close(ruleset)
    if spec["seccomp"] is not None:
        _filter_calls(kernel, spec["seccomp"])  # type: ignore[arg-type]


def _join_cgroup(descriptor: "int | None") -> None:
    if descriptor is not None:
        os.write(descriptor, b"0")
        os.close(descriptor)


def _lower(name: str, value: int) -> None:
    """Lower a resource limit for good; what is lower already stays."""
    kind = getattr(resource, name, None)
    if kind is None:
        return
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _make_ruleset(kernel: Kernel, landlock: "dict[str, object] | None") -> "int | None":
    """A Landlock ruleset; opened as the user who starts the program, who may see more than the program."""
    if landlock is None:
        return None
    attributes: bytes = landlock["attributes"]  # type: ignore[assignment]
    ruleset = kernel.call(_LANDLOCK_CREATE, attributes, len(attributes), 0)
    for path, access in landlock["paths"]:  # type: ignore[attr-defined]
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        rule = access.to_bytes(8, sys.byteorder) + descriptor.to_bytes(4, sys.byteorder)
        kernel.call(_LANDLOCK_ADD, ruleset, 1, rule, 0)
        os.close(descriptor)
    return ruleset


def _enter_user_namespace(kernel: Kernel, kind: "str | None") -> None:
    """``self`` maps the own user only, which anybody may; else the text of a map, which root may write."""
    if kind is None:
        return
    user, group, parent = os.getuid(), os.getgid(), os.getpid()
    if kind == "self":
        kernel.call("unshare", _NEW_USER)
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
        return
    # The map of all has to be written by somebody who stayed outside.
    reading, writing = os.pipe()
    helper = os.fork()
    if helper == 0:
        try:
            os.close(writing)
            os.read(reading, 1)
            for name in ("uid_map", "gid_map"):
                _write(f"/proc/{parent}/{name}", kind)
            os._exit(0)
        finally:
            os._exit(1)
    try:
        kernel.call("unshare", _NEW_USER)
    finally:
        os.close(writing)
        os.close(reading)
    if os.waitpid(helper, 0)[1] != 0:
        raise OSError("the map of a user namespace could not be written")


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:  # noqa: PTH123 (pathlib takes long to import)
        file.write(text)


def _change_user(kernel: Kernel, spec: "dict[str, object]") -> None:
    uid: int | None = spec["uid"]  # type: ignore[assignment]
    if uid is None:
        if spec["drop_capabilities"]:
            _drop_capabilities(kernel)
        return
    reads_all = spec["reads_all"]
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    if reads_all:
        kernel.prctl(_PR_SET_KEEPCAPS, 1)
    os.setresuid(uid, uid, uid)
    if reads_all:
        _set_capabilities(kernel, _DAC_READ_SEARCH)
        kernel.prctl(_PR_CAP_AMBIENT, 2, 2)


def _drop_capabilities(kernel: Kernel) -> None:
    """Let root be a user like any other: no rights but those of a files' owner, also after exec."""
    kernel.prctl(_PR_SET_SECUREBITS, 0b11)
    number = 0
    try:
        while True:
            kernel.prctl(_PR_CAPBSET_DROP, number)
            number += 1
    except OSError:  # past the last capability this kernel knows
        _set_capabilities(kernel, 0)


def _set_capabilities(kernel: Kernel, mask: int) -> None:
    header = _CAPABILITY_VERSION.to_bytes(4, sys.byteorder) + bytes(4)
    low = mask.to_bytes(4, sys.byteorder) * 3
    kernel.call("capset", header, low + bytes(12))


def _filter_calls(kernel: Kernel, program: bytes) -> None:
    """Install a seccomp filter: ``struct sock_fprog`` is a length and, after padding, an address."""
    import _ctypes

    class Char(_ctypes._SimpleCData):  # type: ignore[type-arg]
        _type_ = "c"

    class Code(_ctypes.Array):  # type: ignore[type-arg]
        _type_ = Char
        _length_ = len(program)

    code = Code(*(bytes([byte]) for byte in program))
    size = (len(program) // 8).to_bytes(8, sys.byteorder)
    if sys.byteorder == "big":
        size = size[6:] + bytes(6)
    kernel.call("seccomp", 1, 0, size + _ctypes.addressof(code).to_bytes(8, sys.byteorder))


def execute(command: "list[str]") -> None:
    """Become the command. (``os.execvp`` would load a module first, which may not be readable any more.)"""
    places = os.environ["PATH"].split(os.pathsep) if "/" not in command[0] else [""]
    fault: OSError | None = None
    for place in places:
        try:
            os.execv(f"{place}/{command[0]}" if place else command[0], command)
        except OSError as error:
            if fault is None or error.errno not in (errno.ENOENT, errno.ENOTDIR):
                fault = error
    raise fault if fault is not None else OSError(errno.ENOENT, "no such command")


def main() -> None:
    spec = marshal.loads(bytes.fromhex(sys.argv[1]))
    command = sys.argv[2:]
    report = spec["report"]
    os.set_inheritable(report, False)
    kind, step = "start", f"its directory {spec['directory']} cannot be entered"
    try:
        for place, descriptor in spec["streams"].items():
            os.dup2(descriptor, place)
            os.close(descriptor)
        os.chdir(spec["directory"])
        kind, step = "limits", "its limits could not be set"
        confine(spec)
        kind, step = "start", f"{command[0]} could not be started"
        os.write(report, b".")
        execute(command)
    except BaseException as error:
        text = str(error.strerror if isinstance(error, OSError) and error.strerror else error)
        if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
            text = "built for another machine, or a script without a #! line"
        number = errno.ENOMEM if isinstance(error, MemoryError) else getattr(error, "errno", None) or 0
        os.write(report, f"!{kind}!{number}!{step}: {text}".encode(errors="replace"))
    finally:
        os._exit(_FAILED)


if __name__ == "__main__":
    main()
