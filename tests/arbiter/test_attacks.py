"""Each attack at each level with a real process: what is stopped and what is not, as the README has it."""

import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import trio

from arbiter.isolation import landlock, tree, user
from arbiter.isolation.launch import launch
from arbiter.isolation.program import Program
from arbiter.isolation.sandbox import MIB, Level, Sandbox

README = (Path(__file__).parents[2] / "README.md").read_text()
SOURCE = Path(__file__).parents[1] / "bots" / "attacker.c"
NONE, LIMITS, JAIL = Level
STRICT = Sandbox(memory=96 * MIB, disk=8 * MIB, processes=40)
"""Far below what is usual, so that attacks can stay small."""


@dataclass
class Scene:
    """What an attack may aim at."""

    directory: Path
    opponent: Path
    results: Path
    victim: subprocess.Popen[bytes]
    port: int


@dataclass(frozen=True)
class Attack:
    """``stopped_at`` are the levels that stop it, in the words of the README's table ``told``."""

    told: str
    stopped_at: frozenset[Level]
    words: Callable[[Scene], list[str]]


def attack(told: str, *stopped_at: Level, words: Callable[[Scene], list[str]]) -> Attack:
    return Attack(told, frozenset(stopped_at), words)


ATTACKS = [
    attack("takes memory without end", LIMITS, JAIL, words=lambda _: ["hog", "400"]),
    attack("keeps memory that no process holds", LIMITS, JAIL, words=lambda _: ["memfd"]),
    attack("starts processes without end", LIMITS, JAIL, words=lambda _: ["fork-bomb", "120"]),
    attack("leaves a daemon behind", NONE, LIMITS, JAIL, words=lambda s: ["hide", f"{s.directory}"]),
    attack("makes files without end", LIMITS, JAIL, words=lambda _: ["many-files", "30000"]),
    attack("writes a file of 10 GB", LIMITS, JAIL, words=lambda _: ["big-file"]),
    attack("writes where its program lies", LIMITS, JAIL, words=lambda _: ["write-here"]),
    attack("reads its opponent's directory", LIMITS, JAIL, words=lambda s: ["read", f"{s.opponent}/secret"]),
    attack("reads the results of this run", LIMITS, JAIL, words=lambda s: ["read", f"{s.results}/league.db"]),
    attack("changes the modes of the results", LIMITS, JAIL, words=lambda s: ["chmod", f"{s.results}"]),
    attack("reads others' environment in `/proc`", LIMITS, JAIL, words=lambda s: ["read", environ(s)]),
    attack("sees others' command lines in `/proc`", JAIL, words=lambda _: ["see", "31.4159"]),
    attack("sends a signal to another process", LIMITS, JAIL, words=lambda s: ["signal", f"{s.victim.pid}"]),
    attack("sends a signal to all processes", LIMITS, JAIL, words=lambda _: ["signal-all"]),
    attack(
        "lowers another process's limits", LIMITS, JAIL, words=lambda s: ["limit-other", f"{s.victim.pid}"]
    ),
    attack("opens a network connection", LIMITS, JAIL, words=lambda s: ["connect", f"{s.port}"]),
    attack("moves to other processors", LIMITS, JAIL, words=lambda _: ["repin"]),
    attack("computes in its opponent's turn", words=lambda _: ["busy"]),
]


def environ(scene: Scene) -> str:
    return f"/proc/{scene.victim.pid}/environ"


@pytest.fixture(scope="module")
def attacker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("attacker") / "attacker"
    subprocess.run(["cc", "-O1", "-pthread", "-o", program, SOURCE], check=True)
    return program


@pytest.fixture
def scene(tmp_path: Path, attacker: Path) -> Iterator[Scene]:
    """Results lie inside of the bot's directory and the opponent beside it."""
    directory, opponent = tmp_path / "bot", tmp_path / "opponent"
    results = directory / "results"
    for path in (directory, opponent, results):
        path.mkdir(parents=True, exist_ok=True)
    (directory / "attacker").hardlink_to(attacker)
    (opponent / "secret").write_text("the opponent's book")
    (results / "league.db").write_text("results")
    tree.become_subreaper()
    # The victim has a name of its own to be seen by.
    victim = subprocess.Popen(["sleep", "31.4159"])
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield Scene(directory, opponent, results, victim, server.getsockname()[1])
    victim.kill()
    victim.wait()


def start(scene: Scene, level: Level, words: list[str]) -> Program:
    limits = STRICT if level is not NONE else Sandbox()
    sandbox = replace(limits, level=level, hidden=(scene.results, scene.opponent))
    scratch = scene.directory.parent / "scratch"
    scratch.mkdir()
    env = {"TARGET": words[1] if len(words) > 1 else ""}
    if level is NONE:
        env["TMPDIR"] = str(scratch)
    return launch(
        [str(scene.directory / "attacker"), words[0]],
        scene.directory,
        env,
        sandbox,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


async def run(program: Program, patience: float = 0) -> tuple[str, str | None]:
    """What the attacker said, and the limit that it went past, at most ``patience`` seconds after it had
    its way.
    """
    said, excess = b"", None
    output = program.process.stdout
    assert output is not None

    async def watch(scope: trio.CancelScope) -> None:
        nonlocal excess
        excess = await program.watch()
        scope.cancel()

    try:
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(watch, nursery.cancel_scope)
                while not said.endswith(b"\n"):
                    await trio.lowlevel.wait_readable(output.fileno())
                    data = os.read(output.fileno(), 4096)
                    said += data
                    if not data:
                        break
                await trio.sleep(patience if said.startswith(b"yes") else 0)
                nursery.cancel_scope.cancel()
    finally:
        await program.kill()
        output.close()
    return said.decode().strip(), excess


def sleepers(directory: Path) -> list[int]:
    """The hidden daemons; their working directory tells whose they are."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == directory:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.needs("cc", "bwrap")
@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.told)
def test_what_is_stopped(attack: Attack, level: Level, scene: Scene) -> None:
    words = attack.words(scene)
    if words[0] == "signal" and level is LIMITS and not (landlock.stops_signals() or user.is_root()):
        pytest.skip("needs Linux 6.12, or root to run bots as other users")
    program = start(scene, level, words)
    said, excess = trio.run(run, program, 20 if words[0] != "hide" and level in attack.stopped_at else 0)
    if words[0] == "hide":
        assert said == "yes"
        assert sleepers(scene.directory) == []
        assert level in attack.stopped_at
        return
    assert said.startswith(("yes", "no")) or excess, (said, program.trouble())
    was_stopped = excess is not None or said.startswith("no")
    assert was_stopped == (level in attack.stopped_at), (said, excess, program.applied)
    if words[0] == "signal":
        assert (scene.victim.poll() is None) == was_stopped or scene.victim.wait(5) is not None


def test_the_readme_says_the_same() -> None:
    section = README.partition("| a bot that ...")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", section, re.MULTILINE)
    told = {row[0]: tuple(cell.split()[0] == "stopped" for cell in row[1:]) for row in rows}
    expected = {each.told: tuple(level in each.stopped_at for level in Level) for each in ATTACKS}
    assert {name: told.get(name) for name in expected} == expected


@pytest.mark.needs("cc", "bwrap")
@pytest.mark.parametrize("level", [LIMITS, JAIL])
def test_a_memory_hog_is_stopped_near_its_limit(level: Level, scene: Scene) -> None:
    said, excess = trio.run(run, start(scene, level, ["creep", "400"]))
    assert said == ""
    assert excess is not None
    held = re.match(r"held (\d+) MiB of memory; the limit is 96 MiB", excess)
    assert held is not None
    assert int(held[1]) < 96 + 200
