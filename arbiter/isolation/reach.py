"""Which files a program needs besides the system's: its own, and those of what interprets it."""

import os
import re
import shlex
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

SYSTEM = tuple(
    Path(path)
    for path in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix")
)
"""What every program may read, as far as it exists."""

SECRETS = tuple(
    Path("/etc") / name
    for name in (
        "shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "ssh", "ssl/private",
        "security/opasswd",
    )
)  # fmt: skip
"""What no program may read, though it is the system's."""

_NO_FILES = (Path("/proc"), Path("/sys"), Path("/dev"))
"""The kernel's own, which each level treats by itself."""

_SHARED = frozenset(("/", "/home", "/root", "/tmp", "/var/tmp", "/mnt", "/srv"))
_PROGRAM_DIRECTORIES = frozenset(("bin", "sbin", "shims", "libexec"))
_DEPTH = 8


def visible(argv: Sequence[str], directory: Path, env: Mapping[str, str]) -> tuple[Path, ...]:
    """The directories and files outside the system that ``argv``, started in ``directory``, may read.

    These are ``directory``; for each word that names a file, the directory it lies in; for each
    word that is a command on ``PATH``, or the interpreter named in a script's first line, the
    prefix it is installed in (a virtual environment, pyenv, nvm), links followed. The root directory
    itself is left out.
    """
    found = {directory.resolve()}
    for word in _words(argv):
        path = directory / word
        if _is_file(path):
            found |= set(_around_file(path))
            found |= set(_of_command(path, env))
        elif "/" not in word and (command := shutil.which(word, path=env.get("PATH"))):
            found |= set(_of_command(Path(command), env))
    return tuple(sorted(path for path in found if path != Path("/") and not is_system(path)))


def _words(argv: Sequence[str]) -> Iterator[str]:
    """The words of a command, and those inside a script that is one word of it (``sh -c '...'``)."""
    for word in argv:
        yield word
        if any(char.isspace() for char in word):
            try:
                yield from shlex.split(word)
            except ValueError:
                yield from word.split()
        elif "=" in word:
            yield word.partition("=")[2]


def _of_command(path: Path, env: Mapping[str, str], depth: int = 0) -> Iterator[Path]:
    """The prefixes of a command, of every link on the way to it, and of its interpreter."""
    if depth > _DEPTH:
        return
    if not is_system(path):
        yield _prefix(path)
    if path.is_symlink():
        yield from _of_command(path.parent / path.readlink(), env, depth + 1)
    elif interpreter := _interpreter(path, env):
        yield from _of_command(interpreter, env, depth + 1)


def _prefix(path: Path) -> Path:
    """Where a command's own files lie: beside its ``bin``, unless that would be somebody's home."""
    parent = path.parent.resolve()
    if parent.name in _PROGRAM_DIRECTORIES and not is_wide(parent.parent):
        return parent.parent
    return path.resolve() if is_wide(parent) else parent


def _around_file(path: Path) -> Iterator[Path]:
    parent = path.parent.resolve()
    yield path.parent.resolve() / path.name if is_wide(parent) else parent
    yield path.resolve() if is_wide(path.resolve().parent) else path.resolve().parent


def is_wide(path: Path) -> bool:
    """Whether a directory holds more than one program's things, such as a home or ``/tmp``."""
    return str(path) in _SHARED or path.parent == Path("/home") or path == Path("~").expanduser()


def is_system(path: Path) -> bool:
    return any(path.is_relative_to(each) for each in (*SYSTEM, *_NO_FILES))


def _interpreter(path: Path, env: Mapping[str, str]) -> Path | None:
    """The program that a script's first line names."""
    try:
        with path.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return None
    match = re.match(rb"#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?", first)
    if match is None:
        return None
    program = Path(os.fsdecode(match[1]))
    if program.name == "env" and match[2]:
        found = shutil.which(os.fsdecode(match[2]), path=env.get("PATH"))
        return Path(found) if found else None
    return program


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_open_to_all(paths: Iterable[Path]) -> bool:
    """Whether a stranger on this machine could read all these, by their modes and those above them."""
    return all(_is_open(path) for path in paths)


def _is_open(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
        wanted = stat.S_IROTH | stat.S_IXOTH if stat.S_ISDIR(mode) else stat.S_IROTH
        return mode & wanted == wanted and all(
            parent.stat().st_mode & stat.S_IXOTH for parent in path.resolve().parents
        )
    except OSError:
        return False
