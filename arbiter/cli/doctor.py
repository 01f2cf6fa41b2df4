"""``arbiter doctor``: what works on this machine, and how to get the rest."""

import argparse
import platform
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from arbiter.isolation.levels import Availability

NAME = "doctor"
HELP = "say what works on this machine and how to get the rest"


class Finding(NamedTuple):
    """One thing looked at: ``ok`` None is worth knowing but no fault."""

    subject: str
    ok: bool | None
    words: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print (default: text)"
    )
    parser.add_argument(
        "--clean", action="store_true", help="remove what runs that were killed left: processes and files"
    )
    parser.epilog = "exit status: 0 tournaments can be played here, 1 something that they need is missing"


def run(arguments: argparse.Namespace) -> int:
    """Look around and report."""
    if arguments.clean:
        return _clean()
    findings = list(_look_around())
    if arguments.format == "json":
        import json

        print(json.dumps([finding._asdict() for finding in findings], indent=2))
    else:
        marks = {True: "ok", False: "MISSING", None: "-"}
        width = max(len(finding.subject) for finding in findings)
        for finding in findings:
            print(f"{marks[finding.ok]:>7}  {finding.subject:<{width}}  {finding.words}")
    return 1 if any(finding.ok is False for finding in findings) else 0


def _clean() -> int:
    """Remove leftovers; 1 when something is still there."""
    from arbiter.isolation import remains

    print(f"removed: {remains.clean() or 'nothing was left behind'}")
    if still := remains.find():
        print(f"still there: {still}", file=sys.stderr)
        return 1
    return 0


def _look_around() -> Iterator[Finding]:
    yield _python()
    yield _system()
    yield _results()
    yield _cache()
    yield from _isolation()
    yield from _clocks()
    yield from _sample_bots()


def _python() -> Finding:
    words = f"Python {platform.python_version()} at {sys.executable}, SQLite {sqlite3.sqlite_version}"
    return Finding("python", sys.version_info >= (3, 11), words)


def _system() -> Finding:
    from arbiter.tournament.machine import describe_machine

    if platform.system() == "Linux":
        return Finding("system", True, describe_machine())
    words = f"{describe_machine()}: bots' orphans cannot all be found here; Linux is complete"
    return Finding("system", None, words)


def _results() -> Finding:
    """Whether a database can be written where one usually works."""
    from arbiter.isolation.resources import ResourceError
    from arbiter.store import League, StoreError

    try:
        with tempfile.TemporaryDirectory() as directory, League.open_for_writing(Path(directory)):
            return Finding("results database", True, "can be written")
    except (OSError, ResourceError, StoreError) as error:
        return Finding("results database", False, str(error))


def _cache() -> Finding:
    from arbiter.tournament.bots import cache_directory

    path = cache_directory()
    try:
        path.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except OSError as error:
        words = f"{path}: {error.strerror}; the variable XDG_CACHE_HOME can name another directory"
        return Finding("build cache", False, words)
    return Finding("build cache", True, str(path))


def _isolation() -> Iterator[Finding]:
    """Each level and what it is made of, with the remedy for what is missing; ``none`` always works."""
    from arbiter.isolation import levels, remains, tree
    from arbiter.isolation.sandbox import Level

    tree.become_subreaper()
    for level in Level:
        yield _shown(f"isolation {level}", levels.look_at(level))
    yield Finding("isolation auto", True, f"takes {levels.choose(levels.AUTO)}; {levels.describe_platform()}")
    for name, found in levels.mechanisms():
        yield _shown(name, found)
    left = remains.find()
    words = f"{left}; `arbiter doctor --clean` removes that" if left else "nothing by runs that were killed"
    yield Finding("left behind", None if left else True, words)


def _clocks() -> Iterator[Finding]:
    """Which clocks are available, and whether the CPU time of hidden programs is metered."""
    from arbiter.match import inherited, meter

    if not meter.is_available():
        yield Finding("clocks", None, "wall only; fair and cpu need Linux with CONFIG_SCHED_INFO")
        return
    yield Finding("clocks", True, "wall, fair, cpu")
    if inherited.is_available():
        yield Finding("hidden CPU time", True, "all of it is metered")
    else:
        words = (
            "short-lived programs of a bot can escape metering; remedy: `sysctl kernel.perf_event_paranoid=2`"
        )
        yield Finding("hidden CPU time", None, words)


def _shown(subject: str, found: "Availability") -> Finding:
    remedy = f"; remedy: {found.remedy}" if found.remedy else ""
    return Finding(subject, True if found.works else None, f"{found.words}{remedy}")


def _sample_bots() -> Iterator[Finding]:
    from arbiter.tournament.bots import load_sample_catalogue

    for sample in load_sample_catalogue().values():
        missing = sample.missing_tools
        words = f"install {', '.join(missing)}" if missing else f"{sample.language}; {_where(sample.needs)}"
        yield Finding(f"sample:{sample.name}", None if missing else True, words)


def _where(tools: tuple[str, ...]) -> str:
    return ", ".join(shutil.which(tool) or tool for tool in tools) or "needs nothing else"
