"""From a BOT as people write it to a command, its name and its dialect."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.match.bot import Dialect
from arbiter.tournament.bots import (
    CommandError,
    cache_directory,
    find_sample,
    load_sample_catalogue,
    resolve_bots_on_command_line,
    resolve_build,
    resolve_command,
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with some programs, which is the home and the working directory, and a cache of its own."""
    for name in ("mybot.py", "mybot", "my bot", "perl", "bot-0.3"):
        (tmp_path / name).touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "text, argv, name",
    [
        ("./mybot", ["HOME/mybot"], "mybot"),
        ("mybot", ["HOME/mybot"], "mybot"),
        ("mybot.py --depth 4", ["HOME/mybot.py", "--depth", "4"], "mybot"),
        ("./sub/../mybot", ["HOME/mybot"], "mybot"),
        ("./not-built-yet", ["HOME/not-built-yet"], "not-built-yet"),
        ("/opt/bots/a.out", ["/opt/bots/a.out"], "a"),
        ("./bot-0.3", ["HOME/bot-0.3"], "bot-0.3"),
        ("~/mybot -x", ["HOME/mybot", "-x"], "mybot"),
        ("my bot", ["HOME/my bot"], "my bot"),
        ("'./my bot' --fast", ["HOME/my bot", "--fast"], "my bot"),
        ("python3 mybot.py", ["python3", "mybot.py"], "mybot"),
        ("python3 -u mybot.py 5", ["python3", "-u", "mybot.py", "5"], "mybot"),
        ("/usr/bin/python3.11 mybot.py", ["/usr/bin/python3.11", "mybot.py"], "mybot"),
        ("python3 ~/mybot.py", ["python3", "HOME/mybot.py"], "mybot"),
        ("python3 -m players.best", ["python3", "-m", "players.best"], "players.best"),
        ("java -jar build/Best.jar", ["java", "-jar", "build/Best.jar"], "Best"),
        ("node later.js", ["node", "later.js"], "later"),
        ("env LEVEL=3 ./mybot", ["env", "LEVEL=3", "./mybot"], "mybot"),
        ("perl", ["HOME/perl"], "perl"),
        ("gnudvonn --dvp", ["gnudvonn", "--dvp"], "gnudvonn"),
        (["./mybot", "a b", "&&"], ["HOME/mybot", "a b", "&&"], "mybot"),
    ],
)
def test_commands(home: Path, text: str | list[str], argv: list[str], name: str) -> None:
    command = resolve_command(text, home)
    assert command.argv == tuple(word.replace("HOME", str(home)) for word in argv)
    assert (command.name, command.dialect, command.build, command.directory) == (
        name,
        Dialect.DVP,
        None,
        home,
    )


def test_a_path_is_relative_to_the_directory_and_its_link_targets(home: Path) -> None:
    (home / "far" / "away").mkdir(parents=True)
    (home / "link").symlink_to(home / "far" / "away")
    (home / "python-of-mine").symlink_to(sys.executable)
    assert resolve_command("../tool", home / "link").argv == (f"{home}/far/tool",)
    assert resolve_command("./python-of-mine", home).argv == (f"{home}/python-of-mine",)


def test_a_link_that_points_at_itself_is_no_traceback(home: Path) -> None:
    (home / "loop").symlink_to(home / "loop")
    assert resolve_command("./loop/bot", home).argv == (f"{home}/loop/bot",)


@pytest.mark.parametrize("text", ["codecup:./mybot -x", "codecup: ./mybot -x", 'codecup:"./mybot" -x'])
def test_the_codecup_prefix(home: Path, text: str) -> None:
    command = resolve_command(text, home)
    assert (command.argv, command.dialect, command.name) == (
        (f"{home}/mybot", "-x"),
        Dialect.CODECUP,
        "mybot",
    )


def test_the_codecup_prefix_before_a_path_with_a_blank(home: Path) -> None:
    command = resolve_command("codecup:my bot", home)
    assert (command.argv, command.dialect) == ((f"{home}/my bot",), Dialect.CODECUP)


def test_the_protocol_can_be_given_apart(home: Path) -> None:
    assert resolve_command("./mybot", home, Dialect.CODECUP).dialect is Dialect.CODECUP


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "the command is empty"),
        ("  ", "the command is empty"),
        ("''", "the command is empty"),
        ([], "the command is empty"),
        ("codecup:", "`codecup:` needs a command after it"),
        ('./a "b', '`./a "b` cannot be split into words: an opening quote has no closing one'),
        ("./a b\\", "`./a b\\` cannot be split into words: it ends in a backslash"),
        ("cd x && ./a", "`&&` means something to a shell only; write `sh -c '…'` to have one"),
        ("cd x; ./a", "`x;` means something to a shell only; write `sh -c '…'` to have one"),
        ("A=1 ./a", "`A=1` is no program; put variables under `env:`, or write `env` before them"),
        ("codecup:sample:greedy", "`sample:greedy` speaks dvp, not codecup"),
        ("sample:", "there is no sample bot ``; available: ALL"),
        ("sample:gredy", "there is no sample bot `gredy`; did you mean `greedy`? available: ALL"),
    ],
)
def test_refused_commands(home: Path, text: str | list[str], message: str) -> None:
    with pytest.raises(CommandError) as caught:
        resolve_command(text, home)
    assert str(caught.value) == message.replace("ALL", ", ".join(load_sample_catalogue()))


def test_build_commands(home: Path) -> None:
    (home / "make").touch()
    assert resolve_build("make -j2", home) == ("make", "-j2")
    assert resolve_build("./build.sh 'a b'", home) == (f"{home}/build.sh", "a b")
    assert resolve_build(["~/build.sh"], home) == (f"{home}/build.sh",)
    nothing: list[str] = []
    for empty in ("", nothing):
        with pytest.raises(CommandError, match="the command is empty"):
            resolve_build(empty, home)


def test_names_on_a_command_line(home: Path) -> None:
    texts = ["./mybot", "mybot.py", "sub/MYBOT", "./mybot-2", "codecup:./other"]
    bots = resolve_bots_on_command_line(texts)
    assert [bot.name for bot in bots] == ["mybot", "mybot-2", "MYBOT-3", "mybot-2-2", "other"]
    assert bots[0].argv == (f"{home}/mybot",)
    assert bots[4].dialect is Dialect.CODECUP


def test_every_sample_bot_resolves(home: Path) -> None:
    catalogue = load_sample_catalogue()
    assert {"random", "greedy"} <= catalogue.keys()
    for name, sample in catalogue.items():
        command = resolve_command(f"sample:{name} --seed 5", home)
        assert (command.name, command.dialect) == (name, sample.dialect)
        assert command.argv[-2:] == ("--seed", "5")
        assert sample.language
        assert sample.about
        words = (*command.argv, *(command.build or ()))
        assert not any(re.search(r"\{\w*\}", word) for word in words)
        here = str(command.directory)
        assert [word for word in words if word.startswith(here) and not Path(word).is_file()] == []


def test_built_samples_go_to_the_cache_and_nowhere_else(home: Path) -> None:
    built = [sample for sample in load_sample_catalogue().values() if sample.build]
    for sample in built:
        command = resolve_command(f"sample:{sample.name}", home)
        assert command.build is not None
        assert (
            sample.output.parent
            == home / "cache" / "dvonn-arbiter" / "builds"
            == cache_directory() / "builds"
        )
        assert sample.output.is_dir()
        assert any(word.startswith(str(sample.output)) for word in command.build)
        assert command.argv[0].startswith(str(sample.output))


@pytest.mark.parametrize("changed", ["main.c", "table.h"])
def test_a_changed_source_or_header_is_built_anew(
    home: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    monkeypatch.setattr("arbiter.tournament.bots._here", lambda: home)
    for name in ("main.c", "table.h", "README.md"):
        (home / name).write_text(name, encoding="utf-8")
    sample = replace(find_sample("random-c"), build="cc -o {out}/bot {here}/main.c")
    before = sample.output
    (home / "README.md").write_text("new", encoding="utf-8")
    assert sample.output == before
    (home / changed).write_text("new", encoding="utf-8")
    assert sample.output != before


def test_a_cache_that_cannot_be_made_is_said(home: Path) -> None:
    built = next((name for name, sample in load_sample_catalogue().items() if sample.build), None)
    assert built is not None
    (home / "cache").touch()
    with pytest.raises(
        CommandError, match=r"Not a directory; the variable XDG_CACHE_HOME can name another directory"
    ):
        resolve_command(f"sample:{built}", home)


def test_a_relative_cache_directory_is_not_taken(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert cache_directory() == home / ".cache" / "dvonn-arbiter"


def test_missing_tools_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    tools = {name: sample.missing_tools for name, sample in load_sample_catalogue().items()}
    assert tools == {name: sample.needs for name, sample in load_sample_catalogue().items()}
    assert find_sample("greedy").missing_tools == ()
