"""From a command and a sandbox to what has to be started, and what has to be taken away again."""

import itertools
import marshal
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from arbiter.isolation import cgroup, landlock, reach, scratch, seccomp, user
from arbiter.isolation.jail import Jail
from arbiter.isolation.probe import can_make_user_namespaces
from arbiter.isolation.sandbox import MIB, Applied, Bounds, Level, Sandbox

_TRAMPOLINE = Path(__file__).with_name("trampoline.py")
_KEPT = frozenset(
    (
        "PATH",
        "LANG",
        "LANGUAGE",
        "TZ",
        "JAVA_HOME",
        "PYENV_ROOT",
        "PYENV_VERSION",
        "GOROOT",
        "DOTNET_ROOT",
        "RUSTUP_HOME",
    )
)
_OPEN_FILES = 512
_ROOM = 512 * MIB
"""How far one process may outgrow the memory limit before the kernel stops it; the watch comes first."""
_DEVICES = tuple(Path("/dev") / name for name in ("null", "zero", "full", "random", "urandom"))

_numbers = itertools.count()


@dataclass(slots=True)
class Confinement:
    """A program about to start: how, with which descriptors, and what belongs to it alone.

    ``report`` is where the trampoline says why it failed, and ``inside`` the scratch directory as
    the program sees it.
    """

    applied: Applied
    command: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    inside: Path = Path()
    report: int = -1
    passed: tuple[int, ...] = ()
    scratch: Path | None = None
    group: cgroup.Group | None = None

    def acquire(self, marker: str, bounds: Bounds, uid: int | None, *, has_scratch: bool) -> None:
        """Get what the program is to have for itself.

        Raises:
            OSError: when something cannot be had; what was got before is still to be dissolved.
        """
        if has_scratch:
            self.scratch = scratch.make(marker, uid)
        place = cgroup.find_place()
        self.group = cgroup.make(place, marker) if place is not None else None
        self.report, writing = os.pipe()
        self.passed = (writing,)
        if self.group is not None:
            self.group.limit(bounds.memory, bounds.processes)
            self.passed = (writing, self.group.door())

    def started(self) -> None:
        """Close our copies of what was handed over."""
        for descriptor in self.passed:
            os.close(descriptor)
        self.passed = ()

    def dissolve(self) -> None:
        """Close and remove all that belongs to the program. Harmless when done twice."""
        self.started()
        if self.report >= 0:
            os.close(self.report)
            self.report = -1
        if self.group is not None:
            self.group.remove()
        if self.scratch is not None and self.scratch.exists():
            scratch.remove(self.scratch)


def confine(
    argv: Sequence[str],
    directory: Path,
    env: Mapping[str, str],
    sandbox: Sandbox,
    marker: str,
    streams: Mapping[int, int] | None = None,
) -> Confinement:
    """Prepare to start ``argv`` at a level above ``none``.

    ``streams`` are descriptors that become its standard input and output only when bubblewrap has
    done its work: it would hold them open itself, and a program that closes its output would not
    be noticed.

    Raises:
        OSError: when its scratch directory or a descriptor cannot be had; nothing is left then.
    """
    clean = clean_environment(env)
    terms = _terms(argv, directory, sandbox, clean)
    confinement = Confinement(Applied(sandbox.level))
    try:
        confinement.acquire(marker, sandbox.bounds, terms.uid, has_scratch=not terms.is_jail)
        _describe(confinement, argv, terms, dict(streams or {}))
    except BaseException:
        confinement.dissolve()
        raise
    home = dict.fromkeys(("HOME", "TMPDIR", "TMP", "TEMP"), os.fspath(confinement.inside))
    confinement.env = {**clean, **home, **env}
    confinement.passed += tuple((streams or {}).values())
    return confinement


def _describe(
    confinement: Confinement, argv: Sequence[str], terms: "_Terms", streams: dict[int, int]
) -> None:
    """Put together what has to be executed, and what it comes to."""
    spec = _spec(terms, streams, *confinement.passed)
    prefix: list[str] = []
    if confinement.scratch is None:
        jail = _jail(terms)
        prefix, confinement.inside = jail.command(), jail.scratch
    else:
        confinement.inside = confinement.scratch
        spec["landlock"] = _ruleset(terms, confinement.scratch)
    words = [_python(), "-ISB", os.fspath(_TRAMPOLINE), marshal.dumps(spec).hex()]
    confinement.command = [*prefix, *words, *argv]
    confinement.applied = Applied(
        terms.sandbox.level,
        tuple(_missing(spec, terms.is_jail)),
        tuple(_means(spec, confinement.group, terms.is_jail)),
    )


@dataclass(frozen=True, slots=True)
class _Terms:
    """What is to hold for one program: what it sees, where it may write, as whom it runs.

    ``uid`` is None for the caller's own; ``reads_all``: whether it needs the right to read what is
    closed to its user.
    """

    sandbox: Sandbox
    directory: Path
    visible: set[Path]
    writable: tuple[Path, ...]
    hidden: tuple[Path, ...]
    uid: int | None
    reads_all: bool

    @property
    def is_jail(self) -> bool:
        return self.sandbox.level is Level.JAIL


def _terms(argv: Sequence[str], directory: Path, sandbox: Sandbox, clean: Mapping[str, str]) -> _Terms:
    visible = {*reach.visible(argv, directory, clean), *sandbox.visible}
    return _Terms(
        sandbox,
        directory,
        visible,
        tuple(path.resolve() for path in sandbox.writable),
        tuple(path for each in sandbox.hidden if (path := each.resolve()) not in visible),
        *_whom(argv, directory, sandbox, visible),
    )


def _spec(
    terms: _Terms, streams: dict[int, int], report: int, group_door: int | None = None
) -> dict[str, object]:
    """What the trampoline is told to do before the program starts."""
    is_jail, uid, bounds = terms.is_jail, terms.uid, terms.sandbox.bounds
    assert bounds.disk is not None
    return {
        "report": report,
        "cgroup": group_door,
        "directory": os.fspath(terms.directory),
        "streams": streams,
        "umask": 0o022 if terms.writable else 0o077,
        "rlimits": _resource_limits(bounds.memory, bounds.disk),
        "landlock": None,
        "userns": _namespace(is_jail, uid),
        "uid": uid,
        "reads_all": terms.reads_all,
        "drop_capabilities": user.is_root() and uid is None and not is_jail,
        "processes": bounds.processes if uid is not None or _counts_alone(is_jail) else None,
        "seccomp": seccomp.filter_program(keep_modes=not (is_jail or terms.writable or uid is not None)),
    }


def _jail(terms: _Terms) -> Jail:
    shown = sorted({*terms.visible, *_own_files()})
    disk = terms.sandbox.bounds.disk
    assert disk is not None
    return Jail(
        terms.directory.resolve(), shown, terms.writable, terms.hidden, disk, own_user=terms.uid is None
    )


def _ruleset(terms: _Terms, own: Path) -> object:
    """What Landlock grants, as the trampoline takes it; None where there is no Landlock."""
    if not landlock.version():
        return None
    has_rights = user.is_root() and (terms.uid is None or terms.reads_all)
    system = _system_rules(reach.SECRETS if has_rights else ())
    return landlock.ruleset(
        (*system, *_rules(terms.visible, terms.sandbox, terms.writable, terms.hidden, own))
    )


def _own_files() -> list[Path]:
    """What the trampoline itself needs to read."""
    home = Path(sys.base_prefix).resolve()
    return [path for path in (home, _TRAMPOLINE) if not reach.is_system(path)]


def clean_environment(env: Mapping[str, str]) -> dict[str, str]:
    """What programs need to find others and to speak the user's language, with ``env`` added."""
    kept = {key: value for key, value in os.environ.items() if key in _KEPT or key.startswith("LC_")}
    if (rust := Path.home() / ".rustup").is_dir():
        kept.setdefault("RUSTUP_HOME", str(rust))
    return {"PATH": os.defpath, "LANG": "C.UTF-8", **kept, **env}


def _whom(
    argv: Sequence[str], directory: Path, sandbox: Sandbox, visible: set[Path]
) -> tuple[int | None, bool]:
    """The user to run as (None: the caller) and whether it needs the right to read what is closed to it.

    A stranger with the right to read is still far less than root; where nothing bounds what it
    could read, the caller's user without root's rights is less.
    """
    if sys.platform != "linux" or not user.is_root() or sandbox.writable:
        return None, False
    files = [path for word in argv if reach.is_file(path := directory / word)]
    if reach.is_open_to_all({*visible, *files}):
        return user.stranger(next(_numbers)), False
    if sandbox.level is Level.JAIL or landlock.version():
        return user.stranger(next(_numbers)), True
    return None, False


def _namespace(is_jail: bool, uid: int | None) -> str | None:
    """The user namespace that the trampoline makes; bubblewrap makes the others."""
    if is_jail:
        return None if uid is None else user.identity_map()
    return "self" if not user.is_root() and can_make_user_namespaces() else None


def _counts_alone(is_jail: bool) -> bool:
    """Whether the kernel counts this program's processes apart from the caller's others; root's never."""
    return not user.is_root() and (is_jail or can_make_user_namespaces())


def _resource_limits(memory: int | None, disk: int) -> dict[str, int]:
    limits = {"RLIMIT_CORE": 0, "RLIMIT_MSGQUEUE": 0, "RLIMIT_NOFILE": _OPEN_FILES, "RLIMIT_FSIZE": disk}
    if memory is not None:
        limits["RLIMIT_DATA"] = memory + _ROOM
    return limits


def _rules(
    visible: set[Path], sandbox: Sandbox, writable: Sequence[Path], hidden: Sequence[Path], own: Path
) -> list[tuple[Path, int]]:
    """What Landlock grants besides the system."""
    rules = [rule for path in sorted(visible) for rule in landlock.around(path, hidden)]
    rules += [(path, landlock.LIST) for path in sandbox.listed]
    rules += [(path, landlock.everything()) for path in (own, *writable)]
    return rules


@cache
def _system_rules(closed: Sequence[Path]) -> tuple[tuple[Path, int], ...]:
    """What Landlock grants every program: reading the system but for what is ``closed``."""
    rules = [rule for path in reach.SYSTEM for rule in landlock.around(path, closed)]
    rules += [(Path("/proc"), landlock.READ), (Path("/sys/devices/system/cpu"), landlock.READ)]
    rules += [(path, landlock.USE) for path in _DEVICES]
    return tuple(rule for rule in rules if rule[0].exists())


def _missing(spec: Mapping[str, object], is_jail: bool) -> list[str]:
    """What the level promises and this machine does not give."""
    missing = []
    if not is_jail and spec["landlock"] is None:
        missing.append("no landlock")
    if spec["seccomp"] is None:
        missing.append("no seccomp")
    if user.is_root() and spec["uid"] is None:
        missing.append("uid kept")
    return missing


def _means(spec: Mapping[str, object], group: cgroup.Group | None, is_jail: bool) -> list[str]:
    """By what memory and processes are bounded, and as whom the program runs."""
    controllers = group.controllers if group is not None else frozenset()
    means = [
        f"memory by {_watching(controllers)}",
        f"processes by {_bounding(spec, controllers)}",
        f"tree by {'cgroup' if group is not None else 'PID namespace' if is_jail else 'descent'}",
    ]
    if spec["uid"] is not None:
        means.append(f"uid {spec['uid']}{' that may read all' if spec['reads_all'] else ''}")
    return means


def _watching(controllers: frozenset[str]) -> str:
    if "memory" in controllers:
        return "cgroup"
    return "polling" if sys.platform == "linux" else "rlimit of each process alone"


def _bounding(spec: Mapping[str, object], controllers: frozenset[str]) -> str:
    if "pids" in controllers:
        return "cgroup"
    return "polling" if spec["processes"] is None else "rlimit"


def _python() -> str:
    """The interpreter itself, without the detour over a virtual environment."""
    return os.path.realpath(sys.executable)
