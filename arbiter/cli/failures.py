"""How a command ends that could not do its work: what is printed, and the exit status."""

import errno
import os
import platform
import shlex
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from arbiter.cli.errors import FAULT, INTERRUPTED, LACKING, PIPE_CLOSED, FaultError, UsageError
from arbiter.cli.records import printable
from arbiter.isolation.resources import ResourceError, lack_behind, make_room
from arbiter.match.groups import leaves

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_LONGEST = 300
"""Characters of an error's text that are shown."""
_ROOT = Path(__file__).parents[2]


def require_room(bots: int, concurrency: int = 1) -> None:
    """See that so many bots can run in parallel, of so many games if they are of games.

    Raises:
        UsageError: when the machine does not let them.
    """
    try:
        make_room(bots)
    except ResourceError as error:
        fewer = ", or play fewer games in parallel (--concurrency)" if concurrency > 1 else ""
        raise UsageError(str(error), error.remedy + fewer) from None


@contextmanager
def faults_kept_in(directory: Path) -> Iterator[None]:
    """Have what is known of a fault kept in a results directory.

    Raises:
        FaultError: for a fault of the arbiter itself; what else is raised stays as it is.
    """
    try:
        yield
    except BaseException as error:
        if any(_ending_of(leaf) is _say_fault for leaf in leaves(error)):
            raise FaultError(directory) from error
        raise


def say_failure(error: BaseException, words: Sequence[str]) -> int:
    """Print what stopped the command with these ``words``; the exit status.

    Of several errors in a group the most serious one decides: a fault of ours has to be seen.
    """
    try:
        endings = {_ending_of(leaf): leaf for leaf in leaves(error)}
        ending = next(each for each in _BY_WEIGHT if each in endings)
        return ending(error if ending is _say_fault else endings[ending], words)
    except BrokenPipeError:
        return without_output(PIPE_CLOSED)


def say_lack(lack: ResourceError, more: str = "") -> int:
    """Print what the machine lacked, and what to do."""
    print(f"arbiter: {lack}\n  {lack.remedy}{more}", file=sys.stderr)
    return LACKING


def without_output(status: int) -> int:
    """Keep the interpreter from trying once more to write what it could not."""
    for stream in (sys.stdout, sys.stderr):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return status


Ending = Callable[[BaseException, Sequence[str]], int]


def _ending_of(error: BaseException) -> Ending:
    """How a command ends for an error that is in no group."""
    if lack_behind(error):
        return _say_what_lacks
    match error:
        case UsageError():
            return _say_usage
        case KeyboardInterrupt():
            return _say_nothing
        case BrokenPipeError():
            return _give_up_output
        case FileNotFoundError() if not _has_directory():
            return _say_directory_is_gone
        case OSError() if error.errno in _FULL:
            return _say_disk_is_full
    from arbiter.store import StoreError

    return _say_store if isinstance(error, StoreError) else _say_fault


# --- from the most serious on ----------------------------------------------------------------------------


def _say_fault(error: BaseException, words: Sequence[str]) -> int:
    """Print the traceback or keep it in a file, and say in one line where."""
    directory: Path | None = None
    if isinstance(error, FaultError):
        directory, error = error.directory, error.__cause__ or error
    trace = "".join(traceback.format_exception(error))
    place = None if directory is None else _kept(trace, directory / "faults", words)
    if place is None:
        print(trace, file=sys.stderr, end="")
    fault = next(leaf for leaf in leaves(error) if _ending_of(leaf) is _say_fault)
    what = printable("".join(traceback.format_exception_only(fault)).strip())[:_LONGEST]
    where = "the traceback above" if place is None else _typed(place)
    print(
        f"arbiter: internal error{_line_of(fault)}: {what}; this is a fault of the arbiter and of no bot, "
        f"please report it with {where}",
        file=sys.stderr,
    )
    return FAULT


def _kept(trace: str, directory: Path, words: Sequence[str]) -> Path | None:
    """A new file with all that is known of a fault; None when there can be none."""
    from importlib.metadata import version

    now = datetime.now().astimezone()
    about = {
        "time": now.isoformat(timespec="seconds"),
        "command": shlex.join(["arbiter", *words]),
        "arbiter": version("dvonn-arbiter"),
        "Python": platform.python_version(),
        "system": platform.platform(),
    }
    text = "".join(f"{key}: {value}\n" for key, value in about.items())
    path = directory / f"{now:%Y%m%d-%H%M%S-%f}.txt"
    with suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n{trace}", encoding="utf-8", errors="backslashreplace")
        return path
    return None


def _typed(path: Path) -> str:
    """A path as one would type it from here."""
    with suppress(ValueError, OSError):
        return str(path.absolute().relative_to(Path.cwd()))
    return str(path)


def _line_of(fault: BaseException) -> str:
    """The last line of ours that an error came through."""
    for frame in reversed(traceback.extract_tb(fault.__traceback__)):
        path = Path(frame.filename)
        if path.is_relative_to(_ROOT):
            return f" in {path.relative_to(_ROOT)}:{frame.lineno}"
    return ""


def _say_what_lacks(error: BaseException, _: Sequence[str]) -> int:
    lack = lack_behind(error)
    assert lack is not None
    return say_lack(lack)


def _say_usage(error: BaseException, _: Sequence[str]) -> int:
    assert isinstance(error, UsageError)
    return _say_with_hint(error.message, error.hint)


def _say_store(error: BaseException, _: Sequence[str]) -> int:
    return _say_with_hint(str(error), getattr(error, "remedy", None))


def _say_with_hint(message: str, hint: str | None) -> int:
    print(f"arbiter: {message}", file=sys.stderr)
    if hint:
        print(f"  {hint}", file=sys.stderr)
    return 2


def _say_directory_is_gone(_: BaseException, __: Sequence[str]) -> int:
    return _say_with_hint("the working directory was deleted", "change to one that exists")


def _say_disk_is_full(error: BaseException, _: Sequence[str]) -> int:
    assert isinstance(error, OSError)
    print(f"arbiter: the output cannot be written: {error.strerror}", file=sys.stderr)
    return without_output(2)


def _give_up_output(_: BaseException, __: Sequence[str]) -> int:
    """The reader of our output left, such as ``head``; there is nobody to tell."""
    return without_output(PIPE_CLOSED)


def _say_nothing(_: BaseException, __: Sequence[str]) -> int:
    return INTERRUPTED


_BY_WEIGHT: tuple[Ending, ...] = (
    _say_fault,
    _say_what_lacks,
    _say_usage,
    _say_store,
    _say_directory_is_gone,
    _say_disk_is_full,
    _give_up_output,
    _say_nothing,
)


def _has_directory() -> bool:
    """Whether the working directory still exists."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True
