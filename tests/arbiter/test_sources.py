"""Which changes of a directory count."""

from pathlib import Path

import pytest

from arbiter.bench.sources import Sources, is_code
from arbiter.bench.trial import first_errors


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    for name in ("bot.c", "book.txt", ".git/index", "target/x", "bot.o", "sub/util.h", "made", "logs/a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / ".gitignore").write_text("# what is built\nmade\nlogs/\n/bin\n")
    return tmp_path


def names(paths: list[Path]) -> list[str]:
    return list(map(str, paths))


def test_sources_count_and_what_tools_make_does_not(directory: Path) -> None:
    sources = Sources(directory)
    assert sources.count == 3
    for name in (".git/index", "target/x", "bot.o", "made", "logs/a.txt", "bin", "bot.c~", "4.swp"):
        (directory / name).write_text("changed")
    assert sources.changes() == []
    (directory / "bot.c").write_text("int main;")
    (directory / "new.txt").touch()
    (directory / "sub/util.h").unlink()
    assert names(sources.changes()) == ["bot.c", "new.txt", "sub/util.h"]
    assert names(sources.changes(code_only=True)) == ["bot.c", "sub/util.h"]
    sources.settle()
    assert sources.changes() == []


def test_the_same_content_is_no_change(directory: Path) -> None:
    sources = Sources(directory)
    (directory / "bot.c").write_text("bot.c")
    assert sources.changes() == []


def test_what_changed_while_something_ran_is_known_unless_it_is_code(directory: Path) -> None:
    sources = Sources(directory)
    for name in ("bot.c", "book.txt", "bot", "gen.py"):
        (directory / name).write_text("otherwise")
    sources.settle(keep_code=True)
    assert names(sources.changes()) == ["bot.c", "gen.py"]


def test_code() -> None:
    code = [
        name
        for name in ("a.C", "b.rs", "Makefile", "x.txt", "bot", "w.json", "a.yaml")
        if is_code(Path(name))
    ]
    assert code == ["a.C", "b.rs", "Makefile", "a.yaml"]


def test_the_first_errors_of_a_compiler() -> None:
    log = "cc -c bot.c\nbot.c: In function main:\n\nbot.c:3:1: error: no\n" + "note: x\n" * 20
    assert first_errors(log) == ["bot.c:3:1: error: no", *["note: x"] * 7, "... and 13 more lines"]
    assert first_errors("odd words\n") == ["odd words"]
    assert first_errors("") == []
