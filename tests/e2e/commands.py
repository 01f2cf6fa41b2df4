"""Running the command line as a user does, in a directory and with an environment of its own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

BOTS = Path(__file__).parent.parent / "bots"
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


def entry(name: str, command: str, **more: str) -> str:
    """One bot of a tournament file, in flow style."""
    parts = [f'name: "{name}"', f'run: "{command}"', *(f"{key}: {value}" for key, value in more.items())]
    return "{" + ", ".join(parts) + "}"
