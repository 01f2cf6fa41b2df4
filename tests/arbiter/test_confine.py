"""A confined program: what it finds around itself, that usual runtimes work, and how its end is told."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from arbiter.isolation import scratch, tree, user
from arbiter.isolation.launch import StartError, launch
from arbiter.isolation.program import Program
from arbiter.isolation.sandbox import Level, Sandbox

CONFINED = [Level.LIMITS, pytest.param(Level.JAIL, marks=pytest.mark.needs("bwrap"))]
SANDBOX = Sandbox()


def start(level: Level, directory: Path, *argv: str, **more: str) -> Program:
    tree.become_subreaper()
    return launch(argv, directory, more, replace(SANDBOX, level=level), stdin=subprocess.DEVNULL)


def run(level: Level, directory: Path, *argv: str, **more: str) -> tuple[str, str, int | None, Program]:
    """What a program wrote, and its exit status."""
    program = start(level, directory, *argv, **more)
    output, errors = program.process.communicate(timeout=30)
    status = program.poll()
    trouble = program.trouble()
    trio.run(program.kill)
    return output.decode(), errors.decode() + (trouble or ""), status, program


@pytest.mark.parametrize("level", CONFINED)
def test_what_a_program_finds(level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "weights").write_text("42")
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("LC_TIME", "C")
    script = (
        'cat weights; echo; pwd; umask; ls /proc/self/fd | tr "\\n" " "; echo; touch "$TMPDIR/a" "$HOME/b";'
        ' (cd "$TMPDIR"; ls -d ?) | tr "\\n" " "; echo; env | cut -d= -f1 | sort | tr "\\n" " "; echo;'
        " cat /proc/self/sessionid > /dev/null; grep NoNewPrivs /proc/self/status; ulimit -c -n"
    )
    output, errors, status, program = run(level, tmp_path, "sh", "-c", script, MINE="yes")
    assert (errors, status) == ("", 0)
    lines = output.splitlines()
    assert lines[:3] == ["42", str(tmp_path), "0077"]
    assert lines[3].split() == ["0", "1", "2", "3"]  # and the one that lists them
    assert lines[4].split() == ["a", "b"]
    names = set(lines[5].split())
    assert {"PATH", "LANG", "HOME", "TMPDIR", "MINE", "LC_TIME"} <= names
    assert not names & {"SECRET_TOKEN", "USER", "SHELL"}
    assert lines[6].split() == ["NoNewPrivs:", "1"]
    assert program.confinement is not None
    assert program.confinement.scratch is None or not program.confinement.scratch.exists()


@pytest.mark.parametrize("level", CONFINED)
def test_each_start_has_a_scratch_directory_of_its_own(level: Level, tmp_path: Path) -> None:
    for _ in range(2):
        output, errors, *_ = run(
            level, tmp_path, "sh", "-c", 'touch "$TMPDIR/kept.$$"; cd "$TMPDIR"; ls -d kept*'
        )
        assert (len(output.split()), errors) == (1, "")
    assert [path for path in scratch.root().iterdir() if path.name.startswith(f"{os.getpid()}.")] == []


def test_a_scratch_directory_goes_even_when_it_was_locked(tmp_path: Path) -> None:
    script = 'mkdir -p "$TMPDIR/a/b"; touch "$TMPDIR/a/b/c"; chmod 0 "$TMPDIR/a/b" "$TMPDIR/a"'
    *_, program = run(Level.LIMITS, tmp_path, "sh", "-c", script)
    assert program.confinement is not None
    assert program.confinement.scratch is not None
    assert not program.confinement.scratch.exists()


JAVA = """
public class Hello {
    public static void main(String[] words) throws Exception {
        Thread[] threads = new Thread[8];
        for (int i = 0; i < 8; i++) (threads[i] = new Thread(() -> new int[1000000].clone())).start();
        for (Thread thread : threads) thread.join();
        System.out.println("hello " + new java.io.File(System.getenv("TMPDIR")).isDirectory());
    }
}
"""
GO = r"""
package main
import "os"
func main() {
    done := make(chan bool)
    for i := 0; i < 8; i++ { go func() { done <- true }() }
    for i := 0; i < 8; i++ { <-done }
    if _, fault := os.CreateTemp("", "a"); fault == nil { os.Stdout.WriteString("hello true\n") }
}
"""
PYTHON = (
    "import tempfile, threading, subprocess, json, random\n"
    "threads = [threading.Thread(target=sum, args=([1],)) for _ in range(8)]\n"
    "[thread.start() for thread in threads]\n"
    "file = tempfile.TemporaryFile()\n"
    "print('hello', str(subprocess.run(['true']).returncode == 0).lower())\n"
)
NODE = (
    "require('fs').writeFileSync(require('os').tmpdir() + '/a', 'b');"
    "new (require('worker_threads').Worker)('1', {eval: true}).on('exit', () => console.log('hello true'))"
)


@pytest.mark.parametrize("level", CONFINED)
@pytest.mark.parametrize(
    "language, build",
    [
        pytest.param(["java", "Hello"], ["javac", "Hello.java"], marks=pytest.mark.needs("java", "javac")),
        pytest.param(["./hello"], ["go", "build", "-o", "hello", "hello.go"], marks=pytest.mark.needs("go")),
        pytest.param(["node", "-e", NODE], None, marks=pytest.mark.needs("node")),
        ([sys.executable, "-c", PYTHON], None),
    ],
    ids=["java", "go", "node", "python"],
)
def test_runtimes_work(
    level: Level,
    language: list[str],
    build: list[str] | None,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    (tmp_path / "Hello.java").write_text(JAVA)
    (tmp_path / "hello.go").write_text(GO)
    if build is not None:
        cache = tmp_path_factory.getbasetemp() / "go-cache"
        subprocess.run(build, cwd=tmp_path, check=True, env={**os.environ, "GOCACHE": str(cache)})
    program = str(tmp_path / language[0]) if language[0].startswith("./") else language[0]
    output, errors, status, _ = run(level, tmp_path, program, *language[1:])
    assert (output, status) == ("hello true\n", 0), errors


@pytest.mark.parametrize("level", [Level.NONE, *CONFINED])
@pytest.mark.parametrize(
    "end, status", [("exit 3", 3), ("kill -SEGV $$", -11), ("kill -TERM $$", -15), ("kill -KILL $$", -9)]
)
def test_ends_are_told_alike(level: Level, end: str, status: int, tmp_path: Path) -> None:
    assert run(level, tmp_path, "sh", "-c", end)[2] == status


@pytest.mark.parametrize("level", CONFINED)
def test_why_a_program_cannot_be_started(level: Level, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xb7\x00" + bytes(100))
    bare.chmod(0o755)
    _, errors, status, _ = run(level, tmp_path, str(bare))
    assert "bare could not be started: built for another machine" in errors
    assert status == 126
    with pytest.raises(StartError, match="no such file"):
        start(level, tmp_path, str(tmp_path / "missing"))
    with pytest.raises(StartError, match="no such command on PATH"):
        start(level, tmp_path, "no-such-command-here")


@pytest.mark.needs("bwrap")
def test_a_jail_has_namespaces_of_its_own(tmp_path: Path) -> None:
    names = ("pid", "ipc", "net", "mnt", "user", "uts")
    script = f"cd /proc/self/ns; for n in {' '.join(names)}; do readlink $n; done; ls /proc | grep -c ^[0-9]"
    *inside, count = run(Level.JAIL, tmp_path, "sh", "-c", script)[0].split()
    outside = [os.readlink(f"/proc/self/ns/{name}") for name in names]  # noqa: PTH115 (no path at all)
    assert len(inside) == len(outside)
    assert set(inside).isdisjoint(outside)
    assert int(count) < 8


@pytest.mark.skipif(not user.is_root(), reason="only root can start programs as other users")
@pytest.mark.parametrize("level", CONFINED)
def test_root_starts_bots_as_users_that_own_nothing(level: Level, tmp_path: Path) -> None:
    (tmp_path / "closed").write_text("its own file")
    (tmp_path / "closed").chmod(0o600)
    output, _, _, program = run(level, tmp_path, "sh", "-c", "id -u; cat closed; cat /etc/shadow")
    uid, text = output.split("\n", 1)
    assert int(uid) not in (0, os.getuid())
    assert text == "its own file"
    assert any("may read all" in means for means in program.applied.means)


@pytest.mark.parametrize("level", CONFINED)
def test_a_shell_script_finds_the_commands_it_names(level: Level, tmp_path: Path) -> None:
    """Such as an interpreter below somebody's home; but no script opens up what is not on the path."""
    home = tmp_path / "home"
    (home / "tool/bin").mkdir(parents=True)
    (home / "private").mkdir()
    (home / "private/key").write_text("key")
    (home / "tool/bin/tool").write_text('#!/bin/sh\necho tool "$@"\n')
    (tmp_path / "bot").mkdir()
    script = tmp_path / "bot/run.sh"
    script.write_text(f"#!/bin/sh\n# {home}/private/key\ntool one\ncat {home}/private/key\n")
    for path in (script, home / "tool/bin/tool"):
        path.chmod(0o755)
    search = f"{home}/tool/bin:{os.environ['PATH']}"
    assert run(level, tmp_path / "bot", str(script), PATH=search)[0] == "tool one\n"


@pytest.mark.parametrize("level", CONFINED)
def test_arguments_may_lie_elsewhere(level: Level, tmp_path: Path) -> None:
    for name in ("bot", "book"):
        (tmp_path / name).mkdir()
    (tmp_path / "book/lines").write_text("book")
    assert shutil.which("cat")
    assert run(level, tmp_path / "bot", "cat", str(tmp_path / "book/lines"))[0] == "book"
    assert run(level, tmp_path / "bot", "cat", f"{tmp_path}/bot/../book/lines")[0] == "book"
