"""What makes a program another one: its own files and its command, not the system around it."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.match.bot import Bot
from arbiter.tournament.fingerprint import fingerprint, fingerprinted


@pytest.fixture
def bot(tmp_path: Path) -> Bot:
    (tmp_path / "bot.py").write_text("print()")
    return Bot("mine", (sys.executable, "bot.py", "--depth", "3"), tmp_path)


def test_the_script_and_the_command_count(bot: Bot) -> None:
    before = fingerprint(bot)
    assert fingerprinted(bot) == [bot.directory / "bot.py"]
    assert fingerprint(replace(bot, argv=(*bot.argv[:-1], "4"))) != before
    (bot.directory / "other.py").write_text("")
    assert fingerprint(bot) == before
    (bot.directory / "bot.py").write_text("print(1)")
    assert fingerprint(bot) != before


@pytest.mark.parametrize("name", ["python", "python3", "/usr/bin/python3.11", "/opt/env/bin/python3.13"])
def test_an_interpreter_counts_by_its_kind(bot: Bot, name: str) -> None:
    assert fingerprint(replace(bot, argv=(name, *bot.argv[1:]))) == fingerprint(bot)
    assert fingerprint(replace(bot, argv=("pypy3", *bot.argv[1:]))) != fingerprint(bot)


def test_a_program_counts_wherever_it_is_found(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    program = bot.directory / "bin" / "engine"
    program.parent.mkdir()
    program.write_text("one")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    named = replace(bot, argv=("engine",))
    before = fingerprint(named)
    assert fingerprint(replace(bot, argv=(str(program),))) == before
    program.write_text("two")
    assert fingerprint(named) != before


@pytest.mark.parametrize(
    "argv, place",
    [(("java", "@jvm.options", "Bot"), "."), (("java", "-cp", "lib.jar:out", "my.own.Bot"), "out/my/own")],
)
def test_classes_of_java_count(bot: Bot, argv: tuple[str, ...], place: str) -> None:
    directory = bot.directory / place
    directory.mkdir(parents=True, exist_ok=True)
    for name in ("Bot", "Bot$Inner", "Search"):
        (directory / f"{name}.class").write_text("old")
    java = replace(bot, argv=argv)
    assert len(fingerprinted(java)) == 3
    before = fingerprint(java)
    (directory / "Search.class").write_text("new")
    assert fingerprint(java) != before
