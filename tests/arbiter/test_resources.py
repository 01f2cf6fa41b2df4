"""What the machine lacks is told as that, and never as a failure of the program that could not be started."""

import contextlib
import errno
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from arbiter.isolation import confine, landlock, launch, proc, resources, scratch, tree
from arbiter.isolation.confine import Confinement
from arbiter.isolation.program import Program
from arbiter.isolation.resources import ResourceError, lack_behind
from arbiter.isolation.sandbox import Applied, Level, Sandbox

LACKS = [errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT]
LEVELS = [Level.NONE, Level.LIMITS]
PREPARED = (
    "import os, resource, sys; from pathlib import Path; from arbiter.isolation import launch, resources\n"
)


def start(directory: Path, level: Level, word: str = "true") -> Program:
    return launch.launch([word], directory, {}, Sandbox(level))


def end(program: Program) -> None:
    program.abandon()
    for pipe in (program.process.stdin, program.process.stdout, program.process.stderr):
        assert pipe is not None
        pipe.close()


def left() -> tuple[int, list[str]]:
    """Descriptors that are open, and scratch directories of this process."""
    own = [path.name for path in scratch.root().iterdir() if path.name.startswith(f"{os.getpid()}.")]
    return resources.descriptors_open(), sorted(own)


@contextlib.contextmanager
def descriptors(more: int) -> Iterator[None]:
    """No more than so many are left, in this process; one that it starts has more."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(path.name) for path in Path("/dev/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1 + more, limits[1]))
    taken: list[int] = []
    try:
        with contextlib.suppress(OSError):
            while True:
                taken.append(os.dup(0))
        for _ in range(more):
            os.close(taken.pop())
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


# While a program is started


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("number", LACKS)
def test_what_the_system_refuses_is_not_the_programs_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, level: Level
) -> None:
    end(start(tmp_path, level))
    before = left()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(launch.subprocess, "Popen", refuse)  # type: ignore[attr-defined]
    with pytest.raises(ResourceError, match=r"^starting true: ") as caught:
        start(tmp_path, level)
    assert (caught.value.number, caught.value.is_lack) == (number, True)
    assert caught.value.remedy
    assert left() == before


@pytest.mark.parametrize("level", LEVELS)
def test_however_few_descriptors_are_left(tmp_path: Path, level: Level) -> None:
    """At each step of a start there may be one too few; the program itself needs hardly any of its own."""
    end(start(tmp_path, level))
    before, outcomes = left(), []
    for more in range(1, 24):
        script = tmp_path / f"script-{more}"
        script.write_text("#!/bin/sh\nexit 0\n")
        script.chmod(0o755)
        lacking = 0
        try:
            with descriptors(more):
                program = start(tmp_path, level, str(script))
            end(program)
        except ResourceError as error:
            lacking = error.number
        outcomes.append(lacking)
        assert left() == before
    assert outcomes == sorted(outcomes, reverse=True)
    assert set(outcomes) == {errno.EMFILE, 0}


def test_a_scratch_directory_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk; and Python, which tries to write there, says only that there is no such directory."""
    end(start(tmp_path, Level.LIMITS))
    before = left()

    def refuse(*_: object) -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")

    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "gettempdir", refuse)
        with pytest.raises(ResourceError) as caught:
            start(tmp_path, Level.LIMITS)
        assert (str(caught.value), caught.value.number) == ("confining true: the disk is full", errno.ENOSPC)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "mkdir", full)
        with pytest.raises(ResourceError) as caught:
            start(tmp_path, Level.LIMITS)
        assert (str(caught.value), caught.value.number) == ("confining true: the disk is full", errno.ENOSPC)
        assert "TMPDIR" in caught.value.remedy
    assert left() == before


def test_what_else_keeps_a_program_from_being_confined_is_not_its_own_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/proc")
    with pytest.raises(ResourceError, match=r"^confining true ") as caught:
        start(tmp_path, Level.LIMITS)
    assert not caught.value.is_lack


@pytest.mark.skipif(not landlock.version(), reason="no landlock, for which files are opened")
@pytest.mark.parametrize(
    ("most", "words"), [(3, ".*(No module named|Too many open files)"), (4, ".*no file descriptor is left")]
)
def test_what_the_trampoline_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, words: str
) -> None:
    monkeypatch.setattr(confine, "_OPEN_FILES", most)
    program = start(tmp_path, Level.LIMITS)
    trio.run(program.wait)
    try:
        with pytest.raises(ResourceError, match="its limits could not be set: " + words):
            program.trouble()
    finally:
        end(program)


class Group:
    """A control group in which somebody was refused a process, or nobody."""

    def __init__(self, *, is_full: bool) -> None:
        self.is_full = is_full

    def ran_out_of_processes(self) -> bool:
        return self.is_full


@pytest.mark.parametrize(
    ("report", "stderr", "is_full", "number", "words"),
    [
        (".", "", False, None, None),
        ("!limits!11!no helper: x", "", False, errno.EAGAIN, None),
        ("!limits!11!no helper: x", "", True, None, "no helper: x"),
        ("!limits!1!x", "", False, errno.EPERM, None),
        ("!limits!0!No module named 'x'", "", False, 0, None),
        (
            "!start!13!its directory x cannot be entered: y",
            "",
            False,
            None,
            "its directory x cannot be entered: y",
        ),
        (
            ".!start!2!./my!bot could not be started: gone",
            "",
            False,
            None,
            "./my!bot could not be started: gone",
        ),
        (".!start!12!./bot could not be started: x", "", False, errno.ENOMEM, None),
        (
            "",
            "bwrap: Creating new namespace failed: Resource temporarily unavailable",
            False,
            errno.EAGAIN,
            None,
        ),
        ("", "bwrap: No permissions", False, None, "its sandbox could not be built; its stderr may say why"),
    ],
)
def test_what_is_reported_of_a_start(
    report: str, stderr: str, is_full: bool, number: int | None, words: str | None
) -> None:
    reading, writing = os.pipe()
    os.write(writing, report.encode())
    os.close(writing)
    process = subprocess.Popen(["false"])
    process.wait()
    confinement = Confinement(Applied(Level.JAIL), report=reading)
    program = Program(process, group=Group(is_full=is_full), confinement=confinement)  # type: ignore[arg-type]
    try:
        if number is None:
            assert program.trouble(stderr) == words
        else:
            with pytest.raises(ResourceError) as caught:
                program.trouble(stderr)
            assert caught.value.number == number
    finally:
        program.group = None
        program.abandon()


@pytest.mark.parametrize("memory", [False, True])
def test_what_a_program_runs_out_of_by_its_own_limits_is_its_own(tmp_path: Path, memory: bool) -> None:
    code = "bytearray(2**40)" if memory else "import os; [os.fork() for _ in range(9)]"
    words = [sys.executable, "-c", code]
    program = launch.launch(words, tmp_path, {}, Sandbox(Level.LIMITS, processes=4))
    try:
        assert trio.run(program.wait) == 1
        assert program.trouble("OSError: Resource temporarily unavailable") is None
    finally:
        end(program)


def test_a_program_killed_before_it_was_reached_has_no_trouble_of_its_own(tmp_path: Path) -> None:
    process = subprocess.Popen(["sleep", "60"])
    process.kill()
    process.wait()
    reading, writing = os.pipe()
    os.close(writing)
    program = Program(process, confinement=Confinement(Applied(Level.LIMITS), report=reading))
    assert program.trouble() is None
    program.abandon()


def test_no_process_is_left_for_a_start(tmp_path: Path) -> None:
    """As a user whose limit is reached; root has none."""
    code = PREPARED + (
        "from arbiter.isolation.sandbox import Sandbox\n"
        "if os.getuid() == 0: os.setgid(65534); os.setuid(1_999_999_999)\n"
        "resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))\n"
        "try: launch.launch(['true'], Path('/'), {})\n"
        "except resources.ResourceError as error: print(error.number, error.remedy)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{errno.EAGAIN} raise the limit with `ulimit -u`")


# While programs run


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux only")
@pytest.mark.parametrize("free", [0, 1, 2])
def test_a_tree_is_killed_though_no_descriptor_is_left(tmp_path: Path, free: int) -> None:
    tree.become_subreaper()
    proc.keep_descriptor()
    words = ["sh", "-c", "setsid sleep 60 & sleep 60 & echo ready; wait"]
    program = launch.launch(words, tmp_path, {})
    assert program.process.stdout is not None
    assert program.process.stdout.readline() == b"ready\n"
    with descriptors(free):
        pids = program.members()
        while tree.kill_once(program.pid):
            program.process.wait()
    assert len(pids) == 3
    end(program)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


# Before the first game


def limited(limit: str, code: str) -> list[str]:
    """What a process prints that is run with this limit of descriptors."""
    done = subprocess.run(
        ["sh", "-c", f'ulimit {limit} && exec "$@"', "sh", sys.executable, "-c", PREPARED + code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_limit_is_raised_as_far_as_needed_and_bots_get_the_old_one() -> None:
    lines = limited(
        "-Sn 40",
        "resources.make_room(1); resources.make_room(20)\n"
        "soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE); print(soft, hard)\n"
        "code = 'import resource, time; print(*resource.getrlimit(resource.RLIMIT_NOFILE))'\n"
        "program = launch.launch([sys.executable, '-c', code], Path('/'), {})\n"
        "print(program.process.communicate()[0].decode().strip())",
    )
    (soft, hard), theirs = map(int, lines[0].split()), lines[1]
    used = resources.DESCRIPTORS_PER_GAME
    assert 10 * used < soft < 14 * used
    assert theirs == f"40 {hard}"


def test_what_does_not_fit_is_refused_with_a_remedy() -> None:
    lines = limited(
        "-n 40",
        "for bots in (1, 2, 16):\n"
        "    try: resources.make_room(bots)\n"
        "    except resources.ResourceError as error: print(error.number, error); print(error.remedy)\n"
        "print(*resource.getrlimit(resource.RLIMIT_NOFILE))",
    )
    counts = [line.split(" file ")[0] for line in lines[:6:2]]
    needed = [int(words.rpartition(" ")[2]) for words in counts]
    assert counts == [
        f"{errno.EMFILE} a bot needs {needed[0]}",
        f"{errno.EMFILE} 2 bots in parallel need {needed[0]}",
        f"{errno.EMFILE} 16 bots in parallel need {needed[2]}",
    ]
    assert needed[2] - needed[0] == 7 * resources.DESCRIPTORS_PER_GAME
    assert lines[0].endswith("file descriptors, counting what is in use already; the limit is 40")
    assert lines[1] == f"raise it with `ulimit -n {needed[0]}`"
    assert lines[5] == f"raise it with `ulimit -n {needed[2]}`"
    assert lines[6] == "40 40"


def test_processes_are_counted_where_they_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {resource.RLIMIT_NOFILE: (100_000, 100_000), resource.RLIMIT_NPROC: (400, 400)}
    monkeypatch.setattr(resource, "getrlimit", limits.__getitem__)
    monkeypatch.setattr(resources, "_processes_of_user", lambda: 300)
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    resources.make_room(16)
    with pytest.raises(ResourceError, match=r"^80 bots in parallel need \d+ processes") as caught:
        resources.make_room(80)
    assert (caught.value.number, "`ulimit -u " in caught.value.remedy) == (errno.EAGAIN, True)
    monkeypatch.setattr(os, "getuid", lambda: 0)
    resources.make_room(80)


# The disk


@pytest.mark.parametrize(
    ("free", "blocks", "flag", "is_full"),
    [(0, 100, 0, True), (1, 100, 0, False), (0, 0, 0, False), (0, 100, os.ST_RDONLY, False)],
)
def test_a_full_disk_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, blocks: int, flag: int, is_full: bool
) -> None:
    """A file system for reading only never has room, and some others, such as /proc, have no blocks."""
    found = SimpleNamespace(f_bfree=free, f_bavail=free, f_blocks=blocks, f_flag=flag)
    monkeypatch.setattr(os, "statvfs", lambda path: found)
    if is_full:
        with pytest.raises(ResourceError, match=f"^writing in {tmp_path}: the disk is full$"):
            resources.require_disk([tmp_path])
    else:
        resources.require_disk([tmp_path])


def test_a_disk_that_cannot_be_asked_is_not_full(tmp_path: Path) -> None:
    resources.require_disk([tmp_path, tmp_path / "gone"])


# Anywhere


def test_which_errors_come_from_a_lack() -> None:
    known = ResourceError(errno.EMFILE, "x", "y")
    assert lack_behind(known) is known
    behind = {
        OSError(errno.EMFILE, "x"): errno.EMFILE,
        OSError(errno.ENOMEM, "x"): errno.ENOMEM,
        MemoryError(): errno.ENOMEM,
        RuntimeError("can't start new thread"): errno.EAGAIN,
    }
    for error, number in behind.items():
        found = lack_behind(error)
        assert found is not None
        assert found.number == number
    for other in (OSError(errno.EAGAIN, "x"), OSError(errno.EBADF, "x"), RuntimeError("x"), ValueError("x")):
        assert lack_behind(other) is None
