"""Isolation as a user meets it: levels by name, verdicts, records, builds, what is left behind."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arbiter.isolation import remains
from arbiter.isolation.levels import look_at
from arbiter.isolation.sandbox import Level, Sandbox
from arbiter.match.clock import TimeControl
from arbiter.store import League
from protocol.rules import Side
from tests.e2e.commands import BOTS, arbiter, entry, processes_in, start, write_tournament
from tests.e2e.table import AMPLE, Table

ROOT = Path(__file__).parents[2]
JAIL = pytest.param("jail", marks=pytest.mark.needs("bwrap"))
CONFINED = ["limits", JAIL]
FAIR = entry("fair", "python3 odd.py none")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with the odd bot in it: a confined bot sees its own folder only."""
    shutil.copy(BOTS / "odd.py", tmp_path)
    return tmp_path


def isolation_headers(directory: Path) -> set[str]:
    records = arbiter(directory, "export", "results/test-league").stdout.splitlines()
    return {line for line in records if line.startswith("[Isolation")}


@pytest.mark.parametrize("level", ["none", *CONFINED])
def test_records_say_what_applied(level: str, here: Path) -> None:
    write_tournament(here, [FAIR, entry("other", "python3 odd.py none")], f"isolation: {level}")
    done = arbiter(here, "run", "league.yaml")
    assert done.returncode == 0, done.stderr
    (header,) = isolation_headers(here)
    assert header.startswith(f'[Isolation "{level}')
    with League.open_for_reading(here / "results/test-league") as league:
        (means,) = {game.outcome.white.means[:1] for game in league.games()}
    assert means == (() if level == "none" else ("memory by polling",)) or means == ("memory by cgroup",)


@pytest.mark.needs("bwrap")
def test_each_bot_can_have_a_level_of_its_own(here: Path) -> None:
    bots = [entry("a", "python3 odd.py none", isolation="jail"), entry("b", "python3 odd.py none")]
    write_tournament(here, bots, "isolation: none")
    assert arbiter(here, "run", "league.yaml").returncode == 0
    assert isolation_headers(here) == {
        '[Isolation "white jail, black none"]',
        '[Isolation "white none, black jail"]',
    }


def without_bubblewrap(directory: Path) -> str:
    """A search path with all that is on ours, but for bubblewrap."""
    tools = directory / "tools"
    tools.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for tool in Path(place).iterdir() if Path(place).is_dir() else ():
            if tool.name != "bwrap" and not (tools / tool.name).is_symlink():
                (tools / tool.name).symlink_to(tool)
    return str(tools)


def test_a_level_that_is_not_available_is_refused_and_never_replaced(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", without_bubblewrap(here))
    write_tournament(here, [FAIR, entry("other", "touch started")], "isolation: jail")
    refused = arbiter(here, "run", "league.yaml")
    assert refused.returncode == 2
    assert (
        "isolation: jail is not available here: bubblewrap (the command bwrap) is not installed"
        in refused.stderr
    )
    assert "sudo apt install bubblewrap" in refused.stderr
    assert not (here / "started").exists()
    matched = arbiter(here, "match", "--isolation", "jail", "sample:random", "sample:random")
    assert (matched.returncode, matched.stdout) == (2, "")
    findings = {
        each["subject"]: each for each in json.loads(arbiter(here, "doctor", "--format", "json").stdout)
    }
    assert findings["isolation jail"]["ok"] is None
    assert "remedy: sudo apt install bubblewrap" in findings["isolation jail"]["words"]
    assert "takes limits" in findings["isolation auto"]["words"]


@pytest.mark.parametrize("level", CONFINED)
def test_samples_play_at_each_level(level: str, tmp_path: Path) -> None:
    options = ["--isolation", level, "--results", "results/test-league", "--seed", "1"]
    done = arbiter(tmp_path, "match", "sample:random", "sample:random-sh", *options)
    assert done.returncode == 0, done.stderr
    assert "forfeits at" not in done.stdout
    assert " forfeits=0 " in done.stdout
    (header,) = isolation_headers(tmp_path)
    assert header.startswith(f'[Isolation "{level}')


@pytest.mark.parametrize("level", CONFINED)
@pytest.mark.parametrize(
    "oddity, termination, words",
    [
        (["exit", "3"], "crash", "exited with status 3"),
        (["signal", "SIGSEGV"], "crash", "killed by SIGSEGV"),
        (["signal", "SIGKILL"], "killed", "killed from outside by SIGKILL"),
        (["close"], "crash", "closed its standard output"),
        (["child"], "crash", "exited with status 0"),
        (["blob"], "flood", ""),
        (["silent", "--at", "1"], "timeout", "no answer within"),
        (["stop", "--at", "1"], "timeout", "no answer within"),
        (["daemon"], "normal", ""),
    ],
)
def test_verdicts_are_those_of_level_none(
    level: str, oddity: list[str], termination: str, words: str, here: Path
) -> None:
    table = Table(here, sandbox=Sandbox(Level(level)))
    time = TimeControl(game=1_000) if termination == "timeout" else AMPLE
    result = table.play(table.odd(*oddity), time=time, black_time=AMPLE)
    assert str(result.termination) == termination
    assert words in result.detail
    assert result.offender is (None if termination == "normal" else Side.WHITE)
    assert table.left_behind() == []


HOG = """import sys
for line in sys.stdin:
    if line.startswith("dvp "):
        print("dvpok", flush=True)
    elif line.startswith("go"):
        kept = []
        for _ in range(60):
            kept.append(bytearray(b"x" * 8_000_000))
"""


@pytest.mark.parametrize("level", ["none", *CONFINED])
def test_too_much_memory_loses_by_memory(level: str, here: Path) -> None:
    (here / "hog.py").write_text(HOG + "        import time; time.sleep(30)\n")
    hog = entry("hog", "python3 hog.py", memory="64M")
    path = write_tournament(here, [FAIR, hog], f"isolation: {level}\nmax_failures: 9")
    path.write_text(path.read_text().replace("time: 5s", "time: 1m"))
    done = arbiter(here, "run", "league.yaml")
    assert "the limit is 64 MiB" in done.stdout
    with League.open_for_reading(here / "results/test-league") as league:
        games = [(str(game.outcome.termination), game.outcome.offender) for game in league.games()]
        seconds = max(game.outcome.seconds for game in league.games())
    assert [termination for termination, _ in games] == ["memory", "memory"]
    assert seconds < 25  # it would hold on to it for longer


@pytest.mark.parametrize("level", CONFINED)
def test_builds_are_confined_too(level: str, here: Path) -> None:
    """A build writes in its directory, and neither elsewhere nor to the network; what it says is kept."""
    (here / "bot").mkdir()
    (here / "other").mkdir()
    shutil.copy(here / "odd.py", here / "bot/source.py")
    with socket.create_server(("127.0.0.1", 0)) as server:
        connect = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 2)"
        (here / "bot/build.sh").write_text(
            "set -u\necho building\numask\n"
            f"touch {here}/other/planted || echo kept out\n"
            f'python3 -c "{connect}" 2>/dev/null || echo no network\n'
            "cp source.py odd.py\n"
        )
        built = entry("built", "python3 odd.py none", dir="bot", build="sh build.sh")
        write_tournament(here, [FAIR, built], f"isolation: {level}")
        done = arbiter(here, "run", "league.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    said = (here / "results/test-league/logs/build-built.log").read_text()
    for words in ("building", "kept out", "no network"):
        assert words in said
    assert not (here / "other/planted").exists()
    assert (here / "bot/odd.py").exists()


def marked(mark: str, program: str = "") -> list[int]:
    """Processes with the mark; of a Python program, those that are that by now, without its starters."""
    found = []
    for path in Path("/proc").iterdir():
        try:
            if path.name.isdigit() and f"TEST_MARK={mark}".encode() in (path / "environ").read_bytes():
                words = (path / "cmdline").read_bytes().split(b"\0")
                if not program or words[1:2] == [program.encode()]:
                    found.append(int(path.name))
        except OSError:
            continue
    return found


def wait_for(program: str, mark: str, number: int) -> list[int]:
    """Until so many processes of it run."""
    deadline = time.monotonic() + 60
    while len(found := marked(mark, program)) < number:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def kill_an_arbiter(here: Path, level: str, mark: str) -> None:
    """In the middle of a game between bots that go on as if nothing had happened."""
    (here / "spin.py").write_text("import os\nos.fork()\nwhile True: pass\n")
    bots = [entry(name, "python3 spin.py", env=f'{{TEST_MARK: "{mark}"}}') for name in ("a", "b")]
    path = write_tournament(here, bots, f"isolation: {level}")
    path.write_text(path.read_text().replace("time: 5s", "time: {game: 5s, start: 60s}"))
    run = start(here, "run", "league.yaml")
    wait_for("spin.py", mark, 2)
    run.send_signal(signal.SIGKILL)
    run.communicate()


@pytest.mark.needs("bwrap")
def test_a_jail_outlives_no_arbiter_that_is_killed(here: Path) -> None:
    kill_an_arbiter(here, "jail", f"{here}")
    deadline = time.monotonic() + 20
    while marked(f"{here}") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert marked(f"{here}") == []
    assert processes_in(here) == []


def kill_and_clean(here: str, level: str) -> None:
    """Print what the doctor says of it, before and after it cleaned up, and what still runs."""
    kill_an_arbiter(Path(here), level, here)
    said = [arbiter(Path(here), "doctor").stdout]
    said += [arbiter(Path(here), "doctor", "--clean").stdout for _ in range(2)]
    print(json.dumps([*said, marked(here)]))


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("level", ["none", "limits"])
def test_what_a_killed_arbiter_leaves_is_found_and_removed(level: str, here: Path) -> None:
    """In a space of process numbers of its own: elsewhere the next run of the same user removes it, too."""
    room = ["bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--die-with-parent"]
    script = f"from {__name__} import kill_and_clean; kill_and_clean({str(here)!r}, {level!r})"
    done = subprocess.run(
        [*room, sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    found, cleaned, again, still = json.loads(done.stdout)
    assert "`arbiter doctor --clean` removes that" in found
    assert "process" in cleaned
    assert ("scratch" in cleaned) == (level == "limits")
    assert (again, still) == ("removed: nothing was left behind\n", [])


def test_what_belongs_to_a_living_arbiter_is_left_alone(here: Path) -> None:
    mark = f"{here}"
    (here / "wait.py").write_text("import time\ntime.sleep(60)\n")
    bots = [entry(name, "python3 wait.py", env=f'{{TEST_MARK: "{mark}"}}') for name in ("a", "b")]
    path = write_tournament(here, bots, "isolation: limits")
    path.write_text(path.read_text().replace("time: 5s", "time: {game: 5s, start: 60s}"))
    run = start(here, "run", "league.yaml")
    before = wait_for("wait.py", mark, 1)
    assert not set(before) & set(remains.find().processes)
    arbiter(here, "doctor", "--clean")
    assert set(before) <= set(marked(mark))
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=60)
    assert marked(mark) == []


@pytest.mark.needs("bwrap")
def test_everything_works_here() -> None:
    """Where tests run nothing may be missing, or a level would go untested unseen."""
    for level in Level:
        assert look_at(level).works, look_at(level)


LAST = [
    ("cannot write log.txt: Permission denied", "may write to $TMPDIR only"),
    ("==7==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 bytes", "has no room for its sanitizer"),
]


@pytest.mark.parametrize(("words", "hint"), LAST)
@pytest.mark.parametrize("level", ["none", "limits"])
def test_last_words_of_what_a_level_denies_are_explained(
    level: str, words: str, hint: str, tmp_path: Path
) -> None:
    (tmp_path / "bot.sh").write_text(f"echo '{words}' >&2\nexit 1\n")
    done = arbiter(tmp_path, "match", "sh bot.sh", "sample:random", "--isolation", level)
    assert f"its last words: {words}" in done.stderr
    assert (f"at isolation limits it {hint}" in done.stderr) == (level == "limits")
