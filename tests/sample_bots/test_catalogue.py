"""``bots.yaml`` and ``tournaments/quickstart.yaml``: what they name exists, and they agree."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.sample_bots.referee import CATALOGUE, HERE, command

LADDER = ["random", "greedy", "careful", "montecarlo", "searcher", "champion"]
QUICKSTART = Path(__file__).parents[2] / "tournaments" / "quickstart.yaml"


def test_every_bot_is_described() -> None:
    assert list(CATALOGUE) == [*LADDER, "random-sh", "random-c", "random-js", "camel"]
    for entry in CATALOGUE.values():
        assert {"language", "about", "run"} <= set(entry)
        assert set(entry) <= {"language", "about", "run", "protocol", "needs", "build"}
        assert entry.get("protocol", "dvp") in {"dvp", "codecup"}
        assert entry["about"].endswith(".")


def test_commands_name_files_of_the_package() -> None:
    words = [word for name in CATALOGUE for word in command(name) + build_command(name)]
    named = [Path(word) for word in words if word.startswith(str(HERE))]
    sources = sorted((HERE / "champion").glob("*.c"))
    assert [path for path in named if path not in sources] == [
        HERE / "starters" / "shell" / "bot.sh",
        HERE / "starters" / "c" / "bot.c",
        HERE / "starters" / "javascript" / "bot.js",
        HERE / "camel.pl",
    ]
    assert sorted(path for path in named if path in sources) == sources
    assert all(path.is_file() for path in named)


def test_commands_use_nothing_but_the_three_places() -> None:
    for entry in CATALOGUE.values():
        assert set(re.findall(r"{(\w+)}", entry["run"] + entry.get("build", ""))) <= {"python", "here", "out"}


def test_first_word_of_a_command_is_a_tool_it_needs() -> None:
    for entry in CATALOGUE.values():
        for text in (entry["run"], entry.get("build", entry["run"])):
            assert text.startswith(("{python} ", "{out}/")) or text.split()[0] in entry["needs"]


def build_command(name: str) -> list[str]:
    return command(name, "build") if "build" in CATALOGUE[name] else []


def test_quickstart_plays_every_quick_bot_and_is_strict_only_with_python() -> None:
    """The upper rungs of the ladder use their whole clocks, and would make it slow."""
    bots = yaml.safe_load(QUICKSTART.read_text(encoding="utf-8"))["bots"]
    required = [bot for bot in bots if isinstance(bot, str)]
    optional = [bot["run"] for bot in bots if isinstance(bot, dict) and bot["optional"] is True]
    assert required == ["sample:random", "sample:greedy"]
    assert required + optional == [f"sample:{name}" for name in CATALOGUE if name not in LADDER[2:]]
    assert all(CATALOGUE[bot.removeprefix("sample:")].get("needs") for bot in optional)


@pytest.mark.needs("cc")
def test_a_build_writes_only_to_its_place(tmp_path: Path) -> None:
    before = sorted(HERE.rglob("*"))
    subprocess.run(command("random-c", "build", tmp_path), check=True, cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["random-c"]
    assert sorted(HERE.rglob("*")) == before
