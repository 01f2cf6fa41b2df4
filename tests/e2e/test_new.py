"""``arbiter new``: what it writes, what it refuses, and that each starter plays as it is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from arbiter.cli.main import COMMANDS
from arbiter.tournament.starters import (
    Starter,
    StarterError,
    find_starter,
    load_starter_catalogue,
    name_for,
    why_renamed,
    write_files,
)
from protocol.records import read_records
from tests.e2e.commands import arbiter, entry, write_tournament
from tests.sample_bots.referee import HERE
from tests.starters import LANGUAGES, Workshop, languages

EIGHT = ["python", "c", "c++", "rust", "go", "java", "javascript", "shell"]


# The catalogue


def test_the_languages_are_listed(tmp_path: Path) -> None:
    for words in ([], ["--list"]):
        done = arbiter(tmp_path, "new", *words)
        assert done.returncode == 0
        assert [line.split(",")[0] for line in done.stdout.splitlines()[:8]] == EIGHT
        assert list(tmp_path.iterdir()) == []


def test_the_catalogue_names_every_file() -> None:
    lie = {
        str(path.relative_to(HERE / "starters")) for path in (HERE / "starters").rglob("*") if path.is_file()
    }
    named = {f"{s.directory}/{path}" for s in load_starter_catalogue().values() for path in s.sources}
    assert lie == named | {"starters.yaml", "README.template.md", "league.template.yaml"}
    for starter in load_starter_catalogue().values():
        assert starter.edit in starter.sources
        assert "choose" in (HERE / "starters" / starter.directory / starter.edit).read_text()
        words = (starter.build or starter.run).split()
        assert words[0] in starter.needs


@pytest.mark.parametrize(
    "word, language",
    [
        *[("c++", "C++"), ("cpp", "C++"), ("js", "JavaScript"), ("node", "JavaScript"), ("golang", "Go")],
        *[
            ("py", "Python"),
            ("sh", "shell"),
            ("bash", "shell"),
            ("Rust", "Rust"),
            ("JAVA", "Java"),
            ("C", "C"),
        ],
    ],
)
def test_languages_have_more_names_than_one(word: str, language: str) -> None:
    assert find_starter(word).language == language


def test_no_two_languages_share_a_name() -> None:
    names = [
        name for starter in load_starter_catalogue().values() for name in (starter.key, *starter.aliases)
    ]
    assert len(names) == len(set(names))


# What is written


@pytest.mark.parametrize("language", EIGHT)
def test_a_directory_is_complete(tmp_path: Path, language: str) -> None:
    done = arbiter(tmp_path, "new", language, "deep/down/Killer")
    assert done.returncode == 0, done.stderr
    directory, starter = tmp_path / "deep/down/Killer", load_starter_catalogue()[language]
    files = [str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()]
    assert sorted(files) == sorted([*starter.sources, "league.yaml", "README.md", ".gitignore"])
    assert all(name in done.stdout for name in files)
    assert "Killer" in (directory / starter.edit).read_text()
    texts = {name: (directory / name).read_text() for name in files}
    assert [name for name, text in texts.items() if starter.bot in text] == []
    assert [
        name for name, text in texts.items() if re.search(r"\{(name|run|build|hint|python)\}", text)
    ] == []
    league = yaml.safe_load(texts["league.yaml"])
    mine = {"name": "Killer", "run": starter.run} | ({"build": starter.build} if starter.build else {})
    assert league["bots"] == [mine, "sample:random", "sample:greedy"]
    assert "results/" in texts[".gitignore"].splitlines()


@pytest.mark.parametrize("language", EIGHT)
def test_the_readme_says_how_to_go_on(tmp_path: Path, language: str) -> None:
    steps = arbiter(tmp_path, "new", language, "mine").stdout.partition("next:\n")[2].splitlines()
    text = (tmp_path / "mine" / "README.md").read_text()
    assert 10 <= len(text.splitlines()) <= 25
    assert max(map(len, text.splitlines())) <= 100
    starter = load_starter_catalogue()[language]
    commands = [line.partition("  #")[0].strip() for line in text.split("```")[1].splitlines()[1:]]
    assert [starter.build] == commands[:-3] if starter.build else len(commands) == 3
    assert [line.partition("  #")[0].strip() for line in steps[: len(commands) + 1]] == ["cd mine", *commands]
    told = re.findall(r"arbiter (\w+)", "\n".join([text, *steps]))
    assert set(told) <= set(COMMANDS)


def test_a_league_can_be_planned_before_anything_is_built(tmp_path: Path) -> None:
    for language in ("java", "shell"):
        arbiter(tmp_path, "new", language, language)
        done = arbiter(tmp_path / language, "run", "league.yaml", "--dry-run")
        assert done.returncode == 0, done.stderr
        assert "12 games" in done.stdout


def test_what_is_missing_is_named_and_the_files_are_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    done = arbiter(tmp_path, "new", "rust", "mine")
    assert done.returncode == 0
    assert (
        "cargo and rustc are not on this machine yet: "
        "`sudo apt install cargo rustc` on Debian and Ubuntu, or https://rustup.rs\n"
    ) in done.stdout
    assert (tmp_path / "mine" / "src" / "main.rs").is_file()
    assert "javac and java are not on this machine yet: `sudo apt install default-jdk-headless` on" in (
        arbiter(tmp_path, "new", "java", "other").stdout
    )
    listed = arbiter(tmp_path, "new").stdout
    assert "needs go: `sudo apt install golang-go` on Debian and Ubuntu, or https://go.dev/dl/" in listed
    assert "ready here" not in listed


@pytest.mark.parametrize(
    "directory, name, reason",
    [
        ("killer", "killer", ""),
        ("1bot", "1bot", ""),
        ("class", "class", ""),
        ("Killer 2.1", "Killer-2.1", "its name is made of at most 40 letters from A to Z, digits, `.`,"),
        ("-x-", "x", "its name is made of"),
        ("für elise", "fur-elise", "its name is made of"),
        ("ж", "mybot", "its name is made of"),
        ('a"b\\c', "a-b-c", "its name is made of"),
        ("random", "my-random", "sample:random is another bot"),
        ("Greedy", "my-Greedy", "sample:greedy is another bot"),
        ("x" * 90, "x" * 40, "its name is made of"),
    ],
)
def test_a_bot_is_named_after_its_directory(directory: str, name: str, reason: str) -> None:
    place = Path("/somewhere") / directory
    assert name_for(place) == name
    why = why_renamed(place, name)
    assert why.startswith(reason)
    assert bool(why) == bool(reason)


def test_another_name_than_that_of_the_directory_is_told(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "new", "python", "./-für elise")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith("-für elise: fur-elise, a bot in Python: ")
    assert lines[1].startswith("the bot is called fur-elise: its name is made of")
    assert "  cd './-für elise'" in [line.partition("  #")[0].rstrip() for line in lines]
    assert '"id name fur-elise"' in (tmp_path / "-für elise" / "bot.py").read_text()


@pytest.mark.parametrize("name", ["1bot", "class", "null", "1e5", "1.10", "2026-11-29", "no"])
def test_a_name_that_means_something_elsewhere_is_a_name(tmp_path: Path, name: str) -> None:
    assert "called" not in arbiter(tmp_path, "new", "shell", name).stdout
    done = arbiter(tmp_path / name, "run", "league.yaml", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{name}: round-robin")


# What is refused


@pytest.mark.parametrize(
    "words, message, hint",
    [
        (
            ["rusty", "x"],
            "there is no starter for the language `rusty`; did you mean `rust`? available: python,",
            "",
        ),
        (
            ["cobol", "x"],
            "there is no starter for the language `cobol`; available: python, c, c++, rust,",
            "",
        ),
        (["x", "rust"], "there is no starter for the language `x`;", "comes first: arbiter new rust x\n"),
        (["rust"], "where to? name a new directory: arbiter new rust mybot", ""),
        (["c", "full"], "full is not empty; name a new directory", ""),
        (["c", "file"], "file is there already and no directory; name a new one", ""),
        (["c", "file/below"], "cannot write to file/below: Not a directory", ""),
        (["c", "dangling"], "dangling is there already and no directory; name a new one", ""),
        (["c", "x", "y"], "unknown argument y", ""),
        (["c", "x", "--lsit"], "unknown argument --lsit; did you mean `--list`?", "arbiter new --help`\n"),
        (["c", "-x"], "unknown argument -x\n", "; a path of this name is written ./-x\n"),
        (["c", "--mine"], "unknown argument --mine\n", "; a path of this name is written ./--mine\n"),
    ],
)
def test_refusals(tmp_path: Path, words: list[str], message: str, hint: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious").touch()
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    before = sorted(tmp_path.rglob("*"))
    done = arbiter(tmp_path, "new", *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"arbiter: {message}")
    assert hint in done.stderr
    assert done.stdout == ""
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_directory_will_do_and_a_second_time_will_not(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert arbiter(tmp_path / "mine", "new", "sh", ".").returncode == 0
    assert "id name mine" in (tmp_path / "mine" / "bot.sh").read_text()
    before = (tmp_path / "mine" / "bot.sh").stat()
    assert arbiter(tmp_path / "mine", "new", "sh", ".").returncode == 2
    assert (tmp_path / "mine" / "bot.sh").stat() == before


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_nothing_half_written_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool, failure: BaseException
) -> None:
    directory = tmp_path / "deep" / "mine"
    if exists:
        directory.mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    write, written = Path.write_text, list[Path]()

    def write_some(path: Path, text: str, encoding: str) -> int:
        if len(written) == 3:
            raise failure
        written.append(path)
        return write(path, text, encoding=encoding)

    monkeypatch.setattr(Path, "write_text", write_some)
    starter: Starter = load_starter_catalogue()["rust"]
    with pytest.raises((StarterError, KeyboardInterrupt)) as caught:
        write_files(starter.files("mine"), directory)
    assert len(written) == 3
    assert sorted(tmp_path.rglob("*")) == before
    if isinstance(failure, OSError):
        assert str(caught.value) == f"cannot write to {directory}: No space left on device"


# Starters at play


# Rust and Java do the same in the tests below.
@pytest.mark.parametrize("language", languages("python", "c", "c++", "go", "javascript", "shell"))
def test_a_starter_plays_a_pair_of_games_by_the_rules(
    workshop: Workshop, language: str, tmp_path: Path
) -> None:
    results = str(tmp_path / "results")
    run = LANGUAGES[language]["run"]
    done = arbiter(workshop.starter(language), "match", run, "sample:random", "--results", results)
    assert done.returncode == 0, done.stdout
    assert done.stderr == ""
    assert "ignored" not in done.stdout
    assert len(re.findall(r"^game \d ends: .*\(\d+:\d+, \d+ plies\)$", done.stdout, re.MULTILINE)) == 2
    assert not (tmp_path / "results" / "failures").exists()


@pytest.mark.parametrize("language", languages("rust"))
def test_a_pair_of_games_is_repeated_by_its_seed(workshop: Workshop, language: str, tmp_path: Path) -> None:
    def plies(name: str) -> list[list[str]]:
        words = [
            LANGUAGES[language]["run"],
            "sample:random",
            "--seed",
            "7",
            "--results",
            str(tmp_path / name),
        ]
        arbiter(workshop.starter(language), "match", *words)
        exported = arbiter(tmp_path, "export", name).stdout
        return [[ply.text for ply in record.plies] for record in read_records(exported, name)]

    first, second = plies("one"), plies("two")
    assert first == second
    assert len(first) == 2
    assert first[0] != first[1]


@pytest.mark.needs("java", "javac")
@pytest.mark.parametrize("level", ["limits", pytest.param("jail", marks=pytest.mark.needs("bwrap"))])
def test_java_plays_within_its_bounds(workshop: Workshop, level: str, tmp_path: Path) -> None:
    """The usual bounds: 512 MB for all it holds; and its clock never sees what Java needs to start."""
    java = entry("java", LANGUAGES["java"]["run"], dir=str(workshop.starter("java")))
    path = write_tournament(tmp_path, [java, "sample:random"], f"isolation: {level}")
    path.write_text(path.read_text().replace("time: 5s", "time: {game: 1s, clock: cpu}"))
    done = arbiter(tmp_path, "run", "league.yaml")
    assert done.returncode == 0, done.stdout
    assert len(re.findall(r"ends: .*\(\d+:\d+, \d+ plies\)$", done.stdout, re.MULTILINE)) == 2, done.stdout


OTHERS = [
    pytest.param(*each.values, marks=(*each.marks, pytest.mark.sweep))
    for each in languages()
    if each.values != ("rust",)
]


@pytest.mark.parametrize("language", [*languages("rust"), *OTHERS])
def test_a_new_bot_is_built_and_plays_its_league(tmp_path: Path, language: str) -> None:
    """In the best sandbox there is: builds have no network and a home of their own there."""
    arbiter(tmp_path, "new", language, "mine")
    done = arbiter(tmp_path / "mine", "run", "league.yaml", "--seed", "3")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(" ends: ") == 12
    assert "Forfeits" in done.stdout
    assert "forfeits at" not in done.stdout


def test_the_lines_at_the_end_of_the_python_starter_are_a_bot(tmp_path: Path) -> None:
    text = (HERE / "starters" / "python" / "bot.py").read_text()
    program = [line[6:] for line in text.splitlines() if line.startswith("#     ") or line == "#"]
    (tmp_path / "bot.py").write_text("\n".join(program))
    done = arbiter(tmp_path, "match", f"{sys.executable} bot.py", "sample:random", "--games", "1")
    assert re.search(r"ends: bot - random .*\(\d+:\d+, \d+ plies\)$", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.needs("python3")
def test_the_python_starter_needs_nothing_of_the_arbiters(workshop: Workshop) -> None:
    path = workshop.starter("python") / "bot.py"
    done = subprocess.run(
        ["python3", "-I", "-S", "bot.py"],  # without any packages but Python's own
        cwd=path.parent,
        input="dvp 1\nlegal A1\ngo time 5\nquit\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-2:] == ["info nodes 1", "move A1"]
