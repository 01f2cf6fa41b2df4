"""Which isolation levels work on this machine: found out by trying, once a run."""

import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arbiter.isolation import cgroup, landlock, seccomp, user
from arbiter.isolation.jail import find_bubblewrap
from arbiter.isolation.launch import StartError, launch
from arbiter.isolation.probe import can_make_user_namespaces
from arbiter.isolation.program import Program
from arbiter.isolation.resources import ResourceError
from arbiter.isolation.sandbox import Level, Sandbox

AUTO = "auto"
LEVELS = (*(str(level) for level in Level), AUTO)
_LIMIT = 10


class Availability(NamedTuple):
    """Whether a level or a mechanism works here: ``words`` say how or why not, ``remedy`` what to do."""

    works: bool
    words: str
    remedy: str = ""


class UnavailableError(Exception):
    """A level that was asked for by name does not work here."""

    def __init__(self, level: Level, found: Availability) -> None:
        super().__init__(f"isolation: {level} is not available here: {found.words}")
        self.remedy = found.remedy


def choose(wanted: str) -> Level:
    """The level that ``wanted`` means here; ``auto`` is the best that works.

    Raises:
        UnavailableError: when a level was named that does not work.
    """
    if wanted == AUTO:
        return next(level for level in reversed(Level) if look_at(level).works)
    level = Level(wanted)
    if not (found := look_at(level)).works:
        raise UnavailableError(level, found)
    return level


@cache
def look_at(level: Level) -> Availability:
    """Try a level with a real program."""
    if level is Level.NONE:
        return Availability(True, "a session of its own for each bot; its whole tree is killed at the end")
    if level is Level.JAIL and (missing := _missing_for_jail()):
        return missing
    program, complaint = _try(level)
    if program is None:
        return Availability(False, complaint, _remedy(complaint))
    means = ", ".join(means for means in program.applied.means if not means.startswith("uid "))
    return Availability(True, f"{program.applied}: {means}")


def mechanisms() -> Iterator[tuple[str, Availability]]:
    """What the levels are made of, by name."""
    version = landlock.version()
    yield (
        "landlock",
        Availability(
            version > 0,
            f"version {version}: {_landlock_can(version)}" if version else "not in this kernel",
            "" if version else "Linux 5.13 or later with landlock in its list of security modules",
        ),
    )
    known = seccomp.filter_program() is not None
    words = f"{'filter' if known else 'no filter'} for {platform.system()} on {platform.machine()}"
    yield "seccomp", Availability(known, words, "" if known else "written for Linux on x86_64 and aarch64")
    works = can_make_user_namespaces()
    yield (
        "user namespaces",
        Availability(works, "can be made" if works else "refused", "" if works else _NAMESPACES_REMEDY),
    )
    yield "bubblewrap", _missing_for_jail() or Availability(True, find_bubblewrap() or "")
    place = cgroup.find_place()
    if place is None:
        remedy = "start the arbiter with `systemd-run --user --scope -p Delegate=yes`; polling serves instead"
        yield "cgroup v2", Availability(False, "no groups with controllers can be made here", remedy)
    else:
        yield "cgroup v2", Availability(True, f"{', '.join(sorted(place.controllers))} ({place.path})")
    if user.is_root():
        yield "other users", Availability(True, f"confined bots run as users such as {user.stranger(0)}")


def describe_platform() -> str:
    """What works on this kind of system, in a sentence."""
    release = platform.release().lower()
    if sys.platform == "darwin":
        return "macOS: none and limits (resource limits, clean environment); no jail, landlock, seccomp"
    if "microsoft" in release and "wsl2" not in release:
        return "WSL 1: none and parts of limits; WSL 2 has all of Linux (`wsl --set-version DISTRIBUTION 2`)"
    if "microsoft" in release:
        return "WSL 2: as on Linux; keep results and bots on its own disk, not under /mnt"
    return "Linux: complete" if sys.platform == "linux" else f"{platform.system()}: not tried; level none"


_NAMESPACES_REMEDY = (
    "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu 24.04 and later), or"
    " sudo sysctl kernel.unprivileged_userns_clone=1 (older Debian); in a container also allow the calls"
    " unshare, mount and pivot_root"
)


def _landlock_can(version: int) -> str:
    return "files" + (", TCP" if version >= 4 else "") + (", signals" if version >= 6 else "")


def _missing_for_jail() -> Availability | None:
    if sys.platform != "linux":
        return Availability(False, "it needs Linux", "on Windows, WSL 2")
    if find_bubblewrap() is None:
        return Availability(
            False, "bubblewrap (the command bwrap) is not installed", "sudo apt install bubblewrap"
        )
    return None


def _try(level: Level) -> tuple[Program | None, str]:
    """Start a program that does nothing; the program if all went well, and else why not."""
    command = shutil.which("true") or "/bin/true"
    try:
        program = launch([command], Path("/"), {}, Sandbox(level), stdin=subprocess.DEVNULL)
    except StartError as error:
        return None, str(error)
    except ResourceError as error:
        if error.is_lack:
            raise
        return None, str(error)
    process = program.process
    try:
        _, errors = process.communicate(timeout=_LIMIT)
    except subprocess.TimeoutExpired:
        return None, f"a trial program did not end within {_LIMIT} s"
    else:
        complaint = program.trouble() or errors.decode(errors="replace").strip().rpartition("\n")[2]
        if process.returncode == 0:
            return program, ""
        return None, complaint or f"a trial program ended with status {process.returncode}"
    finally:
        program.abandon()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _remedy(complaint: str) -> str:
    if "nknown option" in complaint:
        return "bubblewrap 0.7 or later"
    if "uid map" in complaint or "namespace" in complaint:
        return _NAMESPACES_REMEDY
    return ""
