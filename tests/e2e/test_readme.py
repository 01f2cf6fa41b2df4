"""The README does what it says: its bot, its tournament file, its commands and keys."""

import re
from pathlib import Path

import pytest

from arbiter.cli.main import COMMANDS
from arbiter.match.termination import FORFEITS
from arbiter.tournament.model import tournament_schema
from tests.e2e.commands import arbiter

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def block(language: str, marker: str) -> str:
    """The fenced block in this language that contains ``marker``."""
    (found,) = [b for b in re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL) if marker in b]
    return str(found)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "mybot.py").write_text(block("python", "dvpok"))
    (tmp_path / "league.yaml").write_text(block("yaml", "My first league"))
    return tmp_path


def test_the_first_bot_plays_the_first_league(here: Path) -> None:
    shown = block("console", "arbiter verify games.drec")
    commands = [line[2:] for line in shown.splitlines() if line.startswith("$ ")]
    assert len(commands) == 4
    for command in commands:
        words, _, output = command.partition(" > ")
        done = arbiter(here, *words.split()[1:])
        assert done.returncode == 0, done.stderr
        if output:
            (here / output).write_text(done.stdout)
        if words.startswith("arbiter verify"):
            assert done.stdout in shown
    assert "| Bot" in (here / "table.md").read_text()


def test_the_first_match(here: Path) -> None:
    shown = block("console", 'arbiter match "python3 mybot.py"')
    done = arbiter(here, "match", "python3 mybot.py", *shown.splitlines()[0].split('"')[2].split())
    assert done.returncode == 0, done.stderr
    pattern = re.compile(r"^game \d+ (starts|ends): (mybot - random|random - mybot)", re.MULTILINE)
    assert len(pattern.findall(done.stdout)) == len(pattern.findall(shown)) == 4
    assert shown.splitlines()[-2] == done.stdout.splitlines()[-2]
    keys = [re.findall(r" (\w+)=", text.splitlines()[-1]) for text in (shown, done.stdout)]
    assert keys[0] == keys[1]
    shown = block("console", "$ arbiter show results/first")
    board = arbiter(here, *shown.splitlines()[0].split()[2:]).stdout
    assert "game 2: random (white) against mybot (black)" in board
    columns = [line.split() for line in (*shown.splitlines(), *board.splitlines()) if "A     B     C" in line]
    assert columns == [list("ABCDEFGHI")] * 2


def test_all_commands_forfeits_and_keys_are_named() -> None:
    listed = set(re.findall(r"^\| `arbiter (\w+)", README, re.MULTILINE))
    assert listed == set(COMMANDS)
    assert {f for f in FORFEITS if f"| `{f}` |" in README} == set(FORFEITS)
    schema = tournament_schema()
    bot = next(form for form in schema["$defs"]["BotModel"]["anyOf"] if "properties" in form)
    keys = {*schema["properties"], *bot["properties"]}
    told = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`.*?) \|", README, re.MULTILINE))))
    assert keys <= told, keys - told
