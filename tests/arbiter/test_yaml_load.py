"""Tournament files: what is understood, and every message for what is not, word by word."""

import subprocess
import sys
from pathlib import Path

import pytest

from arbiter.isolation.sandbox import Sandbox
from arbiter.match.bot import Dialect
from arbiter.match.clock import TimeControl
from arbiter.tournament.config import Anchor, Tournament
from arbiter.tournament.load import load_tournament
from arbiter.tournament.openings import OpeningsSpec
from arbiter.tournament.problems import ConfigurationError, TournamentFileError
from protocol.rules import Rules

BOTS = "bots:\n  - ./a\n  - ./b\n"


def load(directory: Path, text: str) -> Tournament:
    file = directory / "cup.yaml"
    file.write_text(text, encoding="utf-8")
    return load_tournament(file)


def refusal(directory: Path, text: str) -> list[str]:
    """The lines of the refusal, without the directory."""
    with pytest.raises(TournamentFileError) as caught:
        load(directory, text)
    return str(caught.value).replace(f"{directory}/", "").splitlines()


def test_the_smallest_file(tmp_path: Path) -> None:
    cup = load(tmp_path, "tournament: Cup\n" + BOTS)
    assert cup.name == "Cup"
    assert cup.path == tmp_path / "cup.yaml"
    assert cup.results_dir == tmp_path / "results" / "cup"
    assert (cup.format, cup.rounds, cup.seed, cup.concurrency) == ("round-robin", 1, None, 1)
    assert (cup.time, cup.rules, cup.openings) == (TimeControl(5_000), Rules.STANDARD, OpeningsSpec())
    assert (cup.isolation, cup.on_failure, cup.max_failures) == ("auto", "forfeit", 3)
    assert (cup.clock_from, cup.record, cup.nodes, cup.depth, cup.anchor) == (
        "first-turn",
        "full",
        None,
        None,
        None,
    )
    assert [(bot.name, bot.argv, bot.directory) for bot in cup.bots] == [
        ("a", (f"{tmp_path}/a",), tmp_path),
        ("b", (f"{tmp_path}/b",), tmp_path),
    ]


def test_every_key(tmp_path: Path) -> None:
    cup = load(
        tmp_path,
        """
tournament: Spring league
format: round-robin
rounds: 4
seed: 2026
time: {game: 5s, increment: 100ms, move: 1s, grace: 0ms, start: 20s, clock: wall}
stall: 1m
nodes: 1000
depth: 6
rules: black-first
openings: empty
concurrency: 2
isolation: none
on_failure: forfeit
max_failures: 5
clock_from: spawn
record: lean
anchor: {mine: 1500}
suspend_idle: false
reuse: no
affinity: off
ponder: none
bots:
  - name: Mine
    run: ./mybot --depth 4
    build: make -j2 all
    dir: sub
    protocol: dvp
    options: {Hash: 64, Book: no, Log: ""}
    env: {LEVEL: 010}
    time: 1:30 + 1s
    optional: true
    memory: 1.5G
    disk: 64 MiB
    processes: 9
    isolation: jail
  - {run: [python3, my bot.py], name: 007}
""",
    )
    assert cup.time == TimeControl(5_000, 100, 1_000, 0, 20_000, 60_000)
    assert (cup.rounds, cup.seed, cup.nodes, cup.depth, cup.concurrency) == (4, 2026, 1000, 6, 2)
    assert (cup.rules, cup.isolation, cup.max_failures) == (Rules.BLACK_FIRST, "none", 5)
    assert (cup.clock_from, cup.record, cup.anchor) == ("spawn", "lean", Anchor("Mine", 1500.0))
    mine, other = cup.bots
    assert mine.argv == (f"{tmp_path}/sub/mybot", "--depth", "4")
    assert mine.build == ("make", "-j2", "all")
    assert mine.directory == tmp_path / "sub"
    assert mine.options == {"Hash": "64", "Book": "no", "Log": ""}
    assert mine.env == {"LEVEL": "010"}
    assert mine.time == TimeControl(90_000, 1_000, stall=60_000)
    assert mine.optional is True
    assert (mine.isolation, other.isolation) == ("jail", None)
    assert mine.sandbox == Sandbox(memory=3 * 2**29, disk=2**26, processes=9)
    assert other.sandbox == Sandbox()
    assert (other.name, other.argv, other.optional) == ("007", ("python3", "my bot.py"), False)


@pytest.mark.parametrize("name", ["007", "1.10", "no", "1:30", "2026-11-29", "1e3", "null", "Ünï ćode 🏆"])
def test_names_stay_text(tmp_path: Path, name: str) -> None:
    cup = load(
        tmp_path,
        f"tournament: {name}\nbots:\n  - {{name: {name!r}, run: ./a}}\n  - run: ./b\n    name: {name} 2\n",
    )
    assert (cup.name, [bot.name for bot in cup.bots]) == (name, [name, f"{name} 2"])


def test_two_bots_of_one_file_name_in_two_directories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "cup.yaml").write_text(
        "tournament: x\nbots:\n  - {name: A, run: ./bot, dir: one}\n  - {name: B, run: ./bot, dir: two}\n"
    )
    cup = load_tournament(Path("../cup.yaml"))
    assert [bot.argv[0] for bot in cup.bots] == [f"{tmp_path}/one/bot", f"{tmp_path}/two/bot"]
    assert cup.results_dir == tmp_path / "results" / "x"


def test_codecup_and_sample_bots(tmp_path: Path) -> None:
    cup = load(
        tmp_path,
        "tournament: x\nbots:\n  - codecup:./a\n  - {run: ./b, protocol: codecup}\n  - sample:greedy\n",
    )
    assert [(bot.name, bot.dialect) for bot in cup.bots] == [
        ("a", Dialect.CODECUP),
        ("b", Dialect.CODECUP),
        ("greedy", Dialect.DVP),
    ]


def test_a_file_with_everything_wrong(tmp_path: Path) -> None:
    """All faults of a file come at once, in the order of the file."""
    text = (Path(__file__).parents[1] / "data" / "yaml" / "everything_wrong.yaml").read_text(encoding="utf-8")
    expected = [line.partition("#> ")[2] for line in text.splitlines()]
    found = refusal(tmp_path, text)
    assert [line.partition(": ")[2] for line in found] == [
        message for line in expected if line for message in line.split(" #> ")
    ]
    lines = [int(line.split(":")[1]) for line in found]
    assert lines == [n for n, line in enumerate(expected, 1) if line for _ in line.split(" #> ")]


ONE_FAULT = {
    # unknown keys, and keys that are missing
    f"tournament: x\nrouds: 4\n{BOTS}": ["cup.yaml:2:1: unknown key `rouds`; did you mean `rounds`?"],
    f"torunament: x\n{BOTS}": ["cup.yaml:1:1: unknown key `torunament`; did you mean `tournament`?"],
    f"tournament: x\nfrobnicate: 1\n{BOTS}": [
        "cup.yaml:2:1: unknown key `frobnicate`; `arbiter schema` tells which there are"
    ],
    f"tournament: x\nmemory: 5M\n{BOTS}": ["cup.yaml:2:1: unknown key `memory`; it is a key of a bot"],
    BOTS: ["cup.yaml:1:1: `tournament` is missing"],
    "tournament: x\n": ["cup.yaml:1:1: `bots` is missing"],
    "tournament:\nbots:\n": ["cup.yaml:1:1: `tournament` has no value", "cup.yaml:2:1: `bots` has no value"],
    "": ["cup.yaml:1:1: the file is empty"],
    "tournament: x\nbots:\n  - ./a\n  - {nme: x, run: ./b, rounds: 4}\n": [
        "cup.yaml:4:6: unknown key `nme`; did you mean `name`?",
        "cup.yaml:4:24: unknown key `rounds`; it is a key of the tournament",
    ],
    "tournament: x\nbots:\n  - ./a\n  - name: x\n": [
        "cup.yaml:4:5: `run` is missing: how is this bot started?"
    ],
    # slips
    f"tournament: x\nrounds:4\nrouds: 2\n{BOTS}": [
        "cup.yaml:2:8: a blank is missing after the colon: `rounds: 4`",
        "cup.yaml:3:1: unknown key `rouds`; did you mean `rounds`?",
    ],
    "tournament: x\nrouds: 2\nbots:\n\t- ./a\n\t- ./b\n": [
        "cup.yaml:2:1: unknown key `rouds`; did you mean `rounds`?",
        "cup.yaml:4:1: a tab stands here; use blanks (also in line 5)",
    ],
    "tournament: x\nbots:\n  - ./a\n  - name:Mine\n": [
        "cup.yaml:4:5: a blank is missing after the colon: `name: Mine`"
    ],
    "tournament: x\nbots:\n  - ./a\n  - sample: greedy\n": [
        "cup.yaml:4:5: write `sample:greedy`, in one word"
    ],
    "tournament: x\nbots:\n  - ./a\n  - {sample: greedy, name: G}\n": [
        "cup.yaml:4:5: write `run: sample:greedy`, in one word"
    ],
    # the wrong kind of value
    "tournament: x\nbots: ./a\n": ["cup.yaml:2:7: `bots` must be a list: one `- …` line for each"],
    "tournament: x\nbots: {a: ./a}\n": ["cup.yaml:2:7: `bots` must be a list: one `- …` line for each"],
    "tournament: x\nbots: []\n": ["cup.yaml:2:7: a tournament needs at least two bots; here is none"],
    "tournament: x\nbots: [./a]\n": ["cup.yaml:2:7: a tournament needs at least two bots; here is 1"],
    "tournament: x\nbots: [./a, [b]]\n": [
        "cup.yaml:2:13: a bot is a text such as `sample:greedy`, or a mapping with `run: …`"
    ],
    f"tournament: [x]\n{BOTS}": ["cup.yaml:1:13: `tournament`: one value is wanted here, not a list"],
    f"tournament: x\ntime: [5s]\n{BOTS}": [
        "cup.yaml:2:7: `time`: a time is a text such as `5s + 100ms`, "
        "or a mapping such as `{game: 5s, move: 1s}`"
    ],
    "tournament: x\nbots: [./a, {run: ./b, options: Hash, env: [A]}]\n": [
        "cup.yaml:2:33: `options` must be a mapping: `NAME: VALUE` for each",
        "cup.yaml:2:44: `env` must be a mapping: `NAME: VALUE` for each",
    ],
    "tournament: x\nbots: [./a, {run: ./b, options: {a b: 1}, env: {1A: x}}]\n": [
        "cup.yaml:2:34: `a b` cannot name an option; letters, digits, `_` and `-` can",
        "cup.yaml:2:49: `1A` cannot name an environment variable",
    ],
    "tournament: x\nbots: [./a, {run: {x: y}, optional: perhaps}]\n": [
        "cup.yaml:2:19: `run`: a command is one text, or a list of texts",
        "cup.yaml:2:37: `optional`: `perhaps` is neither `true` nor `false`",
    ],
    # numbers
    f"tournament: x\nrounds: 0\n{BOTS}": ["cup.yaml:2:9: `rounds`: `0` is too small; the least is 1"],
    f"tournament: x\nrounds: -1\n{BOTS}": ["cup.yaml:2:9: `rounds`: `-1` is not a whole number"],
    f"tournament: x\nrounds: 1.5\n{BOTS}": ["cup.yaml:2:9: `rounds`: `1.5` is not a whole number"],
    f"tournament: x\nrounds: 1_000\n{BOTS}": ["cup.yaml:2:9: `rounds`: `1_000` is not a whole number"],
    f"tournament: x\nrounds: four\n{BOTS}": ["cup.yaml:2:9: `rounds`: `four` is not a whole number"],
    f"tournament: x\nseed: 010\n{BOTS}": ["cup.yaml:2:7: `seed`: `010` begins with a zero; write `10`"],
    f"tournament: x\nseed: {10**19}\n{BOTS}": [f"cup.yaml:2:7: `seed`: `{10**19}` has too many digits"],
    f"tournament: x\nconcurrency: 9999\n{BOTS}": [
        "cup.yaml:2:14: `concurrency`: `9999` is too large; the most is 1024"
    ],
    # times
    f"tournament: x\ntime: 5\n{BOTS}": ["cup.yaml:2:7: `time`: `5` needs a unit: `5s` or `5ms`"],
    f"tournament: x\ntime: {{game: 5, increment: .5}}\n{BOTS}": [
        "cup.yaml:2:14: `game`: `5` needs a unit: `5s` or `5ms`",
        "cup.yaml:2:28: `increment`: `.5` needs a digit before the point and a unit: `0.5s`",
    ],
    f"tournament: x\ntime: {{increment: 1s, move: 1s}}\n{BOTS}": [
        "cup.yaml:2:7: `time`: an `increment` needs a `game` time to add to"
    ],
    f"tournament: x\ntime: {{gane: 5s}}\n{BOTS}": ["cup.yaml:2:8: unknown key `gane`; did you mean `game`?"],
    f"tournament: x\ntime: none\n{BOTS}": [
        "cup.yaml:2:7: nothing limits the thinking: neither `time` nor `nodes` nor `depth`"
    ],
    f"tournament: x\ntime: none\nnodes: x\n{BOTS}": ["cup.yaml:3:8: `nodes`: `x` is not a whole number"],
    "tournament: x\nbots: [./a, {run: ./b, time: none}]\n": [
        "cup.yaml:2:30: nothing limits the thinking: neither `time` nor `nodes` nor `depth`"
    ],
    # names
    "tournament: x\nbots:\n  - {run: ./a, name: Dvonner}\n  - {run: ./b, name: 'dvonner '}\n": [
        "cup.yaml:4:22: the name `dvonner` is taken by the bot in line 3 (there `Dvonner`); "
        "give one another `name:`"
    ],
    "tournament: x\nbots:\n  - ./one/bot\n  - ./two/bot\n": [
        "cup.yaml:4:5: the name `bot` is taken by the bot in line 3; give one another `name:`"
    ],
    'tournament: "a\\nb"\nbots: [./a, {run: ./b, name: "\\e[31m"}]\n': [
        "cup.yaml:1:13: `tournament`: `a\\nb` holds a line end or a control character",
        "cup.yaml:2:30: `name`: `\\x1b[31m` holds a line end or a control character",
    ],
    f'tournament: " "\nbots: [./a, {{run: ./b, name: {"y" * 65}}}]\n': [
        "cup.yaml:1:13: `tournament`: a name cannot be empty",
        f"cup.yaml:2:30: `name`: `{'y' * 59}…` is longer than 64 characters",
    ],
    f"tournament: x\nbots: [./a, ./{'y' * 65}]\n": [
        f"cup.yaml:2:13: `{'y' * 59}…` is longer than 64 characters; give the bot a `name:`"
    ],
    f"tournament: x\nanchor: c\n{BOTS}": ["cup.yaml:2:9: `anchor`: there is no bot `c`; there are a, b"],
    "tournament: x\nanchor: {gredy: 5}\nbots: [./greedy, ./b]\n": [
        "cup.yaml:2:9: `anchor`: there is no bot `gredy`; did you mean `greedy`?"
    ],
    f"tournament: x\nanchor: {{a: x}}\n{BOTS}": [
        "cup.yaml:2:9: `anchor`: `x` is not a rating; write it like `1500`"
    ],
    # commands
    "tournament: x\nbots: [./a, {run: './b \"x'}]\n": [
        'cup.yaml:2:19: `./b "x` cannot be split into words: an opening quote has no closing one'
    ],
    "tournament: x\nbots: [./a, {run: ./b, build: make && make install}]\n": [
        "cup.yaml:2:31: `build`: `&&` means something to a shell only; write `sh -c '…'` to have one"
    ],
    "tournament: x\nbots: [./a, {run: codecup:./b, protocol: dvp}]\n": [
        "cup.yaml:2:19: `codecup:` and `protocol: dvp` contradict each other"
    ],
    "tournament: x\nbots: [./a, {run: sample:greedy, build: make}]\n": [
        "cup.yaml:2:41: a sample bot brings its own `build`; leave this out"
    ],
    # the CodeCup dialect
    "tournament: x\nnodes: 5\ndepth: 3\ntime: none\nrules: black-first\n"
    "bots:\n  - ./a\n  - {run: codecup:./b, options: {A: 1}}\n": [
        "cup.yaml:8:5: `b` speaks the CodeCup dialect, which knows no `time: none` "
        "and no `nodes` and no `depth` and no `rules: black-first` and no `options`"
    ],
    f"tournament: x\nformat: swis\n{BOTS}": [
        "cup.yaml:2:9: `format` cannot be `swis`; did you mean `swiss`?"
    ],
    f"tournament: x\nrules: french\n{BOTS}": [
        "cup.yaml:2:8: `rules` cannot be `french`; available: standard, black-first"
    ],
    f"tournament: x\nsprt: {{elo0: 0, elo1: 5}}\n{BOTS}": [
        "cup.yaml:2:7: `sprt` belongs to `format: sprt`, and the format is round-robin"
    ],
    f"tournament: x\nformat: knockout\nrounds: 3\n{BOTS}": [
        "cup.yaml:3:9: `format: knockout` has no `rounds`; `best_of` sets the pairs of a tie"
    ],
    f"tournament: x\nformat: gauntlet\nchallengers: [a, c]\n{BOTS}": [
        "cup.yaml:3:14: `challengers`: there is no bot `c`; there are a, b"
    ],
    f"tournament: x\nformat: gauntlet\nchallengers: 2\n{BOTS}": [
        "cup.yaml:3:14: `challengers` leaves nobody to be challenged"
    ],
    f"tournament: x\nformat: sprt\nsprt: {{elo0: 5, elo1: 5}}\n{BOTS}": [
        "cup.yaml:3:7: `sprt`: `elo0` has to be less than `elo1`, and 5 is not less than 5"
    ],
    f"tournament: x\nformat: sprt\nsprt: {{alfa: 0.05}}\n{BOTS}": [
        "cup.yaml:3:8: unknown key `alfa`; did you mean `alpha`?"
    ],
    f"tournament: x\nformat: sprt\nsprt: {{alpha: 0.5}}\n{BOTS}": [
        "cup.yaml:3:15: `alpha`: `0.5` is not a chance between 0 and 0.5; write it like `0.05`"
    ],
    f"tournament: x\nformat: sprt\n{BOTS}  - ./c\n": [
        "cup.yaml:4:3: `format: sprt` compares two bots; here are 3"
    ],
    f"tournament: x\nopenings: balance\n{BOTS}": [
        "cup.yaml:2:11: `openings` cannot be `balance`; did you mean `balanced`?"
    ],
    f"tournament: x\nopenings: book.drec\n{BOTS}": [
        "cup.yaml:2:11: `openings` cannot be `book.drec`; a file is written `openings: {file: book.drec}`"
    ],
    f"tournament: x\nopenings: {{order: random}}\n{BOTS}": [
        "cup.yaml:2:11: a mapping under `openings` names a `file`"
    ],
    "tournament: x\nopenings: balanced\nbots:\n  - ./a\n  - codecup:./b\n": [
        "cup.yaml:2:11: `b` speaks the CodeCup dialect, which knows only `openings: empty`"
    ],
    "tournament: x\nbots:\n  - {run: ./a, rating: 5}\n  - ./b\n": [
        "cup.yaml:3:24: `rating` is for a knockout with `seeding: rating`"
    ],
    f"tournament: x\nformat: swiss\nseeding: rating\n{BOTS}": [
        "cup.yaml:3:10: `seeding` belongs to `format: knockout`, and the format is swiss"
    ],
    f"tournament: x\nopenings: {{file: nix.drec}}\nnodes: 0\n{BOTS}": [
        "cup.yaml:2:18: `openings`: nix.drec: no such file",
        "cup.yaml:3:8: `nodes`: `0` is too small; the least is 1",
    ],
    f"tournament: x\nformat: knockout\nseeding: rating\n{BOTS}": [
        "cup.yaml:3:10: no bot has a `rating` to be seeded by; give them one, or leave `seeding` out"
    ],
    "tournament: x\nformat: knockout\nseeding: rating\nbots:\n  - {run: ./a, rating: high}\n  - ./b\n": [
        "cup.yaml:5:24: `rating`: `high` is not a rating; write it like `1500`"
    ],
    f"tournament: x\ntime: {{game: 5s, clock: sun}}\n{BOTS}": [
        "cup.yaml:2:25: `clock` cannot be `sun`; available: wall, cpu, fair"
    ],
}


@pytest.mark.parametrize("text", ONE_FAULT)
def test_the_messages(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path, text) == ONE_FAULT[text]


@pytest.mark.parametrize(
    "key, value, available",
    [
        ("reuse", "true", ""),
        ("ponder", "yes", ""),
    ],
)
def test_what_is_not_available_is_refused_by_name(
    tmp_path: Path, key: str, value: str, available: str
) -> None:
    message = f"`{key}: {value}` is not available in this version{available}"
    assert refusal(tmp_path, f"tournament: x\n{key}: {value}\n{BOTS}") == [
        f"cup.yaml:2:{len(key) + 3}: {message}"
    ]


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("memory", "512", "`memory`: `512` is not a size; write it like `512M` or `2G`"),
        ("memory", "-1G", "`memory`: `-1G` is not a size; write it like `512M` or `2G`"),
        ("disk", "2K", "`disk`: `2K` is too small; the least is `1M`"),
        ("disk", "9999999G", "`disk`: `9999999G` is too large"),
        ("processes", "0", "`processes`: `0` is too small; the least is 1"),
        ("isolation", "prison", "`isolation` cannot be `prison`; available: none, limits, jail, auto"),
    ],
)
def test_limits_of_one_bot_that_cannot_be(tmp_path: Path, key: str, value: str, message: str) -> None:
    text = f"tournament: x\nbots:\n  - ./a\n  - run: ./b\n    {key}: {value}\n"
    assert refusal(tmp_path, text) == [f"cup.yaml:5:{len(key) + 7}: {message}"]


def test_more_bots_than_anybody_can_draw_up(tmp_path: Path) -> None:
    """Told at once, whatever is wrong with each of them, and beside what else is wrong."""
    bots = "".join(f"  - {{name: b{number}}}\n" for number in range(12_000))
    assert refusal(tmp_path, f"tournament: x\nrouds: 1\nbots:\n{bots}") == [
        "cup.yaml:2:1: unknown key `rouds`; did you mean `rounds`?",
        "cup.yaml:4:3: `bots`: here are 12,000; the most is 1,000",
    ]


def test_of_very_many_faults_the_first_are_told(tmp_path: Path) -> None:
    keys = "".join(f"k{number}: 1\n" for number in range(60))
    said = refusal(tmp_path, f"tournament: x\n{BOTS}{keys}")
    assert len(said) == 51
    assert said[0] == "cup.yaml:5:1: unknown key `k0`; `arbiter schema` tells which there are"
    assert said[-1] == "cup.yaml: 10 more faults"


def test_only_what_is_told_is_compared_with_known_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking for what was meant takes half a millisecond a key."""
    compared = []

    def compare(word: str, known: object) -> str:
        compared.append(word)
        return ""

    monkeypatch.setattr("arbiter.tournament.load.did_you_mean", compare)
    bots = "bots:\n" + "".join(f"  - ./bot{n}\n  - {{run: ./b{n}, rnds: 1}}\n" for n in range(40))
    unknown = "".join(f"key{number}: 1\n" for number in range(5_000))
    said = refusal(tmp_path, f"tournament: Cup\n{bots}{unknown}")
    assert said[-1] == "cup.yaml: 4,990 more faults"
    assert said[40].startswith("cup.yaml:83:1: unknown key `key0`; ")
    assert compared == ["rnds"] * 40 + [f"key{number}" for number in range(10)]


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(TournamentFileError) as caught:
        load_tournament(tmp_path / "none.yaml")
    assert str(caught.value) == f"{tmp_path}/none.yaml: there is no such file"
    assert isinstance(caught.value, ConfigurationError)


def test_the_loader_alone_does_not_import_pydantic() -> None:
    code = "import sys, arbiter.tournament.load; print('pydantic' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
