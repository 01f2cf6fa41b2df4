"""Running the command line as a user does, in a directory and with an environment of its own."""

import gc
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from arbiter.cli import main
from arbiter.store import League

BOTS = Path(__file__).parent.parent / "bots"
QUICK = str(BOTS / "quick.sh")
ODD = f"{sys.executable} {BOTS / 'odd.py'}"
CUP = f"codecup:{sys.executable} {BOTS / 'codecup.py'}"


def environment(directory: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    return kept | {"XDG_CACHE_HOME": str(directory / "cache"), "NO_COLOR": "1", "TERM": "dumb"}


def arbiter(
    directory: Path, *arguments: str, stdin: str = "", timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end. No traceback may ever be seen."""
    done = subprocess.run(
        [sys.executable, "-m", "arbiter", *arguments],
        cwd=directory,
        env=environment(directory),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def at_once(*arguments: str, cwd: Path = Path()) -> subprocess.CompletedProcess[str]:
    """Run a command to its end within this process, which saves the loading of everything."""
    interval = sys.getswitchinterval()
    with chdir(cwd), redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as errors:
        status = main(arguments)
    sys.setswitchinterval(interval)
    gc.unfreeze()
    return subprocess.CompletedProcess(arguments, status, output.getvalue(), errors.getvalue())


def start(directory: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start one command and return at once."""
    return subprocess.Popen(
        [sys.executable, "-m", "arbiter", *arguments],
        cwd=directory,
        env=environment(directory),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def processes_in(directory: Path) -> list[int]:
    """Living processes that work in this directory, such as bots that were left behind."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            is_dead = b") Z" in (entry / "stat").read_bytes() if entry.name.isdigit() else True
            if not is_dead and (entry / "cwd").readlink() == directory:
                found.append(int(entry.name))
    return found


def write_tournament(
    directory: Path, bots: Sequence[str], head: str = "", name: str = "league.yaml", *, rounds: int = 1
) -> Path:
    """A tournament file; ``bots`` are entries of the list, ``head`` further lines at the top."""
    path = directory / name
    entries = "\n".join(f"  - {entry}" for entry in bots)
    path.write_text(
        f"tournament: Test league\nrounds: {rounds}\nseed: 1\ntime: 5s\n{head}\nbots:\n{entries}\n"
    )
    return path


def quick(name: str, kind: str = "first") -> str:
    """One bot of a tournament file that takes next to no time."""
    return entry(name, f"{QUICK} {kind}")


@contextmanager
def held_from(directory: Path, number: int) -> Iterator[None]:
    """For so long, quick bots that work here do not play the game with this number, nor any after it."""
    hold = directory / "hold"
    (directory / "held").write_text(f"{number}\n")
    (directory / "held").rename(hold)
    try:
        yield
    finally:
        hold.unlink()


def write_cup(directory: Path, kind: str, bots: Sequence[str], *lines: str) -> Path:
    """A file ``cup.yaml`` of a tournament in this format; ``lines`` are further ones at the top."""
    head = ["tournament: Cup", f"format: {kind}", "seed: 1", "isolation: none", "openings: balanced", *lines]
    keys = {line.split(":")[0]: line for line in head}
    entries = [f"  - {bot}" for bot in bots]
    path = directory / "cup.yaml"
    path.write_text("\n".join([*keys.values(), "bots:", *entries]) + "\n")
    return path


def entry(name: str, command: str, **more: str) -> str:
    """One bot of a tournament file, in flow style."""
    parts = [f'name: "{name}"', f'run: "{command}"', *(f"{key}: {value}" for key, value in more.items())]
    return "{" + ", ".join(parts) + "}"


def stored(directory: Path) -> dict[int, tuple[str, ...]]:
    """Bots, plies, result and termination of every game, by number: what makes runs identical."""
    with League.open_for_reading(directory) as league:
        return {
            g.number: (
                g.white,
                g.black,
                *(r.ply for r in g.outcome.plies),
                g.outcome.result,
                g.outcome.termination,
            )
            for g in league.games()
        }
