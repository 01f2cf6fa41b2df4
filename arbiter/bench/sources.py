"""What changes in a directory of sources, as far as somebody working there means it.

Not everything that changes was saved by a person: a build writes programs, a bot writes logs. So while
something is being built and played only changes of code count, and what else has changed when that is over
counts as known. A file that is written anew with the same content has not changed.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from hashlib import blake2b
from pathlib import Path

import trio

_CODE = frozenset(
    """
    .c .h .cc .cpp .cxx .hpp .hh .hxx .inl .rs .go .java .kt .scala .cs .fs .js .mjs .cjs .ts .py .pyx .rb .pl
    .pm .php .lua .jl .hs .ml .mli .ex .exs .erl .clj .lisp .scm .rkt .swift .zig .nim .d .f90 .f .pas .adb
    .ads .r .m .sh .bash .awk .tcl .asm .s .yaml .yml .toml .cmake .mk .gradle .mod .sum
    """.split()  # noqa: SIM905 (one a line would be longer than all the rest)
)
_CODE_NAMES = frozenset(("Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "Dockerfile", "BUILD"))
_SKIPPED_DIRECTORIES = frozenset(
    ("results", "target", "build", "dist", "out", "obj", "node_modules", "__pycache__", "venv")
)
_SKIPPED_FILES = (
    "*~",
    "#*#",
    "*.swp",
    "*.tmp",
    "*.bak",
    "*.o",
    "*.obj",
    "*.pyc",
    "*.class",
    "*.log",
    "*.drec",
)
_PERIOD = 0.3
"""Seconds between two looks at the files."""
_MOST_FILES = 20_000
_LARGE = 2**20
"""Bytes past which a file is known by its time alone."""


@dataclass(frozen=True, slots=True)
class _State:
    """A file as it was seen: time and size, and what stood in it."""

    stamp: tuple[int, int]
    digest: bytes


class Sources:
    """The files of a directory that count, as they are known."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._known: dict[Path, _State] = {}
        self.settle()

    @property
    def count(self) -> int:
        """How many files are watched."""
        return len(self._known)

    def changes(self, *, code_only: bool = False) -> list[Path]:
        """The files that came, went or changed since they were known, relative to the directory."""
        here = self._look()
        changed = [path for path in self._known.keys() - here.keys() if _counts(path, code_only)]
        for path, stamp in here.items():
            known = self._known.get(path)
            if (known is not None and known.stamp == stamp) or not _counts(path, code_only):
                continue
            state = self._read(path, stamp)
            if known is not None and state.digest == known.digest:
                self._known[path] = state
            else:
                changed.append(path)
        return sorted(changed)

    async def change(self, *, code_only: bool = False) -> None:
        """Wait until something changes."""
        while True:
            if await trio.to_thread.run_sync(partial(self.changes, code_only=code_only)):
                return
            await trio.sleep(_PERIOD)

    async def rest(self) -> None:
        """Wait until nothing changes any more, and know it: editors and tools write in several steps."""
        while True:
            self.settle()
            await trio.sleep(_PERIOD)
            if not await trio.to_thread.run_sync(self.changes):
                return

    def settle(self, *, keep_code: bool = False) -> None:
        """Know the files as they are now; ``keep_code`` leaves out those of code."""
        here = self._look()
        for path in list(self._known.keys() - here.keys()):
            if not (keep_code and is_code(path)):
                del self._known[path]
        for path, stamp in here.items():
            known = self._known.get(path)
            if (known is None or known.stamp != stamp) and not (keep_code and is_code(path)):
                self._known[path] = self._read(path, stamp)

    def _look(self) -> dict[Path, tuple[int, int]]:
        ignored = list(_ignored_patterns(self._directory))
        found: dict[Path, tuple[int, int]] = {}
        for path, status in _walk(self._directory, Path(), ignored):
            found[path] = (status.st_mtime_ns, status.st_size)
            if len(found) == _MOST_FILES:
                break
        return found

    def _read(self, path: Path, stamp: tuple[int, int]) -> _State:
        try:
            data = repr(stamp).encode() if stamp[1] > _LARGE else (self._directory / path).read_bytes()
        except OSError:
            data = b""
        return _State(stamp, blake2b(data, digest_size=16).digest())


def is_code(path: Path) -> bool:
    """Whether people write such files, and programs hardly ever do."""
    return path.suffix.lower() in _CODE or path.name in _CODE_NAMES


def _counts(path: Path, code_only: bool) -> bool:
    return not code_only or is_code(path)


def _walk(root: Path, inside: Path, ignored: list[str]) -> Iterator[tuple[Path, os.stat_result]]:
    """The files below a directory that are neither hidden, nor made by tools, nor ignored by git."""
    try:
        entries = sorted(os.scandir(root / inside), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = inside / entry.name
        is_directory = entry.is_dir(follow_symlinks=False)
        if entry.name.startswith(".") or _is_ignored(path, is_directory, ignored):
            continue
        if is_directory:
            if entry.name not in _SKIPPED_DIRECTORIES:
                yield from _walk(root, path, ignored)
        elif not any(fnmatch(entry.name, pattern) for pattern in _SKIPPED_FILES):
            try:
                status = entry.stat()
            except OSError:
                continue
            if entry.is_file():
                yield path, status


def _ignored_patterns(directory: Path) -> Iterator[str]:
    """The plain patterns of its ``.gitignore``; those with exceptions are too rare to bother."""
    try:
        lines = (directory / ".gitignore").read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        if line.strip() and not line.startswith(("#", "!")):
            yield line.strip()


def _is_ignored(path: Path, is_directory: bool, patterns: list[str]) -> bool:
    for pattern in patterns:
        if pattern.endswith("/") and not is_directory:
            continue
        plain = pattern.rstrip("/")
        name = str(path) if "/" in plain else path.name
        if fnmatch(name, plain.lstrip("/")):
            return True
    return False
