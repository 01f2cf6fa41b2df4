"""Which files a program needs besides the system's: its own, and those of what interprets it."""

import os
import re
import shlex
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from arbiter.isolation.resources import reraise_lack

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
_SCRIPT = 65_536


def visible(argv: Sequence[str], directory: Path, env: Mapping[str, str]) -> tuple[Path, ...]:
    """The directories and files outside the system that ``argv``, started in ``directory``, may read.

    These are ``directory``; for each word that names a file, the directory it lies in; for each
    word that is a command on ``PATH``, the prefix it is installed in (a virtual environment, pyenv,
    nvm), links followed. The root directory itself is left out. A script's interpreter and, in a
    shell script, the commands it names are found in the same way, but only on ``PATH``: scripts may
    be a stranger's, who is not to open up directories by naming them.
    """
    return _visible(tuple(argv), directory, env.get("PATH"))


@cache
def _visible(argv: tuple[str, ...], directory: Path, search: str | None) -> tuple[Path, ...]:
    found = {directory.resolve()}
    for word in _words(argv):
        path = directory / word
        if is_file(path):
            found |= set(_around_file(path))
            found |= set(_of_command(path, search))
        elif command := _on_path(word, search):
            found |= set(_of_command(command, search))
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


def _of_command(path: Path, search: str | None, depth: int = 0) -> Iterator[Path]:
    """The prefixes of a command, of every link on the way to it, and of what a script names."""
    if depth > _DEPTH:
        return
    if not is_system(path):
        prefix = _prefix(path)
        yield prefix
        if prefix.name == ".cargo":
            yield prefix.with_name(".rustup")
    if path.is_symlink():
        yield from _of_command(path.parent / path.readlink(), search, depth + 1)
    else:
        for command in _named_in_script(path, search):
            yield from _of_command(command, search, depth + 1)


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
    return (
        str(path) in _SHARED or path.parent == Path("/home") or path in (Path.home(), Path.home() / ".local")
    )


def is_system(path: Path) -> bool:
    return any(path.is_relative_to(each) for each in (*SYSTEM, *_NO_FILES))


def _named_in_script(path: Path, search: str | None) -> Iterator[Path]:
    """The commands on ``PATH`` that a script's first line names, or all of a shell script."""
    if is_system(path):
        return
    try:
        with path.open("rb") as file:
            text = file.read(_SCRIPT)
    except OSError as error:
        reraise_lack(error)
        return
    if not text.startswith(b"#!"):
        return
    first = text.partition(b"\n")[0]
    is_shell = re.match(rb"#!\s*\S*/(env\s+)?(ba|da|z|k)?sh\b", first) is not None
    words = re.findall(rb"[\w./+-]+", text if is_shell else first)
    for word in dict.fromkeys(words):
        if command := _on_path(os.fsdecode(word), search):
            yield command


def _on_path(word: str, search: str | None) -> Path | None:
    """The command that a name or a whole path stands for, if it lies in a directory of ``PATH``."""
    name = word.rpartition("/")[2]
    found = shutil.which(name, path=search) if name else None
    return Path(found) if found is not None and word in (name, found) else None


def is_file(path: Path) -> bool:
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
