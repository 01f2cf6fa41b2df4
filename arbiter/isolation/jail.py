"""The command that builds a jail: bubblewrap's options for a file system and namespaces of its own."""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arbiter.isolation.reach import SECRETS, SYSTEM

TEMPORARY, SHARED_MEMORY = Path("/tmp"), Path("/dev/shm")
_CORES = Path("/sys/devices/system/cpu")
_NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")


def find_bubblewrap() -> str | None:
    return shutil.which("bwrap")


@dataclass(frozen=True, slots=True)
class Jail:
    """What the inside looks like; ``disk`` bounds each of its memory file systems, in bytes.

    ``own_user`` maps the caller's user into a namespace of its own at once; root leaves that to
    the trampoline, which still needs its rights.
    """

    directory: Path
    visible: Sequence[Path]
    writable: Sequence[Path]
    hidden: Sequence[Path]
    disk: int
    own_user: bool

    @property
    def scratch(self) -> Path:
        """The directory for temporary files, which no visible one may cover."""
        return SHARED_MEMORY if TEMPORARY in (*self.visible, *self.writable) else TEMPORARY

    def command(self) -> list[str]:
        """Bubblewrap and its options; the program's command follows."""
        return [
            find_bubblewrap() or "bwrap",
            *_NAMESPACES,
            *(["--unshare-user"] if self.own_user else _rights()),
            "--die-with-parent",
            "--hostname", "bot",
            *_system(),
            *self._memory_file_systems(),
            *self._own_files(),
            "--remount-ro", "/dev",
            "--remount-ro", "/",
            "--chdir", os.fspath(self.directory),
            "--",
        ]  # fmt: skip

    def _memory_file_systems(self) -> Iterator[str]:
        for path in (SHARED_MEMORY, TEMPORARY):
            yield from ("--perms", "1777", "--size", str(self.disk), "--tmpfs", os.fspath(path))

    def _own_files(self) -> Iterator[str]:
        """Outer directories first, so that what lies inside of others is laid over them."""
        layers = dict.fromkeys(self.visible, "--ro-bind")
        covered = [*layers, *self.writable, Path("/etc")]
        for path in (*self.hidden, *SECRETS):
            if any(path.is_relative_to(each) for each in covered) and path.exists():
                layers[path] = "hide"
        layers |= dict.fromkeys(self.writable, "--bind")
        yield from _parents(layers, covered)
        for path, how in sorted(layers.items(), key=lambda layer: len(layer[0].parts)):
            name = os.fspath(path)
            if how != "hide":
                yield from (how, name, name)
            elif path.is_dir():
                yield from ("--size", "4096", "--tmpfs", name, "--remount-ro", name)
            else:
                yield from ("--ro-bind", "/dev/null", name)


@cache
def _system() -> tuple[str, ...]:
    words: list[str] = []
    for path in SYSTEM:
        if path.is_symlink():
            words += ("--symlink", os.fspath(path.readlink()), os.fspath(path))
        elif path.exists():
            words += _bind(path)
    words += ("--proc", "/proc", "--dev", "/dev")
    if _CORES.exists():
        words += (*_parents([_CORES], ()), *_bind(_CORES))
    return tuple(words)


def _parents(paths: Iterable[Path], covered: Iterable[Path]) -> Iterator[str]:
    """Make the directories on the way, which bubblewrap would close to all users but one."""
    needed = {parent for path in paths for parent in path.parents}
    known = (Path("/"), TEMPORARY, SHARED_MEMORY, *SYSTEM, *covered)
    for path in sorted(needed, key=lambda path: len(path.parts)):
        if path not in known and not any(path.is_relative_to(each) for each in (*SYSTEM, *covered)):
            yield from ("--perms", "0755", "--dir", os.fspath(path))


def _bind(path: Path) -> tuple[str, str, str]:
    return "--ro-bind", os.fspath(path), os.fspath(path)


def _rights() -> list[str]:
    """What the trampoline needs to become another user in a namespace where files keep their owners."""
    needed = ("CAP_SETUID", "CAP_SETGID", "CAP_SETFCAP", "CAP_DAC_READ_SEARCH")
    return [word for name in needed for word in ("--cap-add", name)]
