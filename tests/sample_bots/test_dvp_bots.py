"""The sample bots that speak DVP/1, each as a real process."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.rules import Ply, Position, Rules, Side, parse_dpos, parse_ply
from tests.sample_bots.referee import CATALOGUE, HERE, ask, command, greet, play_dvp, started
from tests.starters import LANGUAGES, Workshop, languages

BOTS = [
    "random",
    "greedy",
    pytest.param("random-sh", marks=pytest.mark.needs("sh")),
    pytest.param("random-c", marks=pytest.mark.needs("cc")),
    pytest.param("random-js", marks=pytest.mark.needs("node")),
    *languages("python", "c++", "rust", "go", "java"),  # starters that are no sample bots
]
SHELLS = [
    pytest.param("dash", marks=pytest.mark.needs("dash")),
    pytest.param("bash", marks=pytest.mark.needs("bash")),
    pytest.param("busybox sh", marks=pytest.mark.needs("busybox")),
]
SAME_MOVERS = ["random-sh", "random-c", "random-js", "rust"]  # one program in four languages

each_bot = pytest.mark.parametrize("name", BOTS)
each_side = pytest.mark.parametrize("side", list(Side), ids=lambda side: side.word)


Argv = Callable[[str], list[str]]
"""From a bot's name to its command; what has to be built is built at most once."""


@pytest.fixture(scope="module")
def argv(tmp_path_factory: pytest.TempPathFactory, workshop: Workshop) -> Argv:
    out = tmp_path_factory.mktemp("built")

    def find(name: str) -> list[str]:
        if name in LANGUAGES:
            return workshop.command(name)
        if name == "random-c" and not (out / "random-c").exists():
            subprocess.run(command(name, "build", out), check=True)
        return command(name, out=out)

    return find


@each_bot
@each_side
def test_plays_whole_games(name: str, side: Side, argv: Argv) -> None:
    with started(argv(name)) as bot:
        history = play_dvp(bot, side, seed=1)
        bot.say("quit")
        assert bot.wait() == 0
        _, unread, errors = bot.finish()
    assert len(history) > 49
    assert (unread, errors) == ("", "")
    assert {line.split()[0] for line in bot.heard} <= {"id", "option", "feature", "dvpok", "info", "move"}
    mine = LANGUAGES.get(name, {}).get("directory", name)
    assert f"id name {name if name in CATALOGUE else f'mine-{mine}'}" in bot.heard
    assert "option Seed spin 0 0 2147483647" in bot.heard


@each_bot
def test_the_same_seed_plays_the_same_game(name: str, argv: Argv) -> None:
    def game(seed: int) -> list[Ply]:
        with started(argv(name)) as bot:
            greet(bot, Side.WHITE, seed)
            return [ask(bot, [], Position.start()) for _ in range(8)]

    assert game(2147483647) == game(2147483647)
    assert len({tuple(game(seed)) for seed in (0, 1, 2)}) == 3


@each_bot
def test_obeys_black_first_rules(name: str, argv: Argv) -> None:
    with started(argv(name)) as bot:
        assert len(play_dvp(bot, Side.BLACK, seed=2, rules=Rules.BLACK_FIRST)) > 49


@each_bot
def test_quits_while_its_input_stays_open(name: str, argv: Argv) -> None:
    with started(argv(name)) as bot:
        bot.say("dvp 1", "quit", "dvp 1")
        assert bot.wait() == 0
        _, unread, errors = bot.finish()
    assert unread.split("\n")[-2:] == ["dvpok", ""]
    assert unread.count("dvpok") == 1
    assert errors == ""


@each_bot
def test_exits_at_the_end_of_its_input(name: str, argv: Argv) -> None:
    with started(argv(name)) as bot:
        greet(bot, Side.WHITE, seed=1)
        assert bot.finish() == (0, "", "")


@each_bot
def test_skips_what_it_does_not_know(name: str, argv: Argv) -> None:
    """Unknown and blank lines, options of others, bytes that are no text, and lines beyond any buffer."""
    with started(argv(name)) as bot:
        greet(bot, Side.WHITE, seed=1)
        bot.say("", "   ", "hint quit", "setoption Hash 64", "setoption Button", "isready", "stop")
        if any(line.startswith("feature ready") for line in bot.heard):
            assert bot.hear() == "readyok"
        bot.say_bytes(b"\xff\xfe\xc0 go\n")
        bot.say("comment " + "go quit dvp 1 " * 20_000)
        assert ask(bot, [], Position.start()) in Position.start().legal_plies()
        assert bot.heard[-1].startswith("move ")
        assert bot.finish() == (0, "", "")


@each_bot
def test_chooses_from_the_longest_lines(name: str, argv: Argv) -> None:
    """The busiest boards have more than a hundred plies, and the longest histories almost as many."""
    position = parse_dpos("brrb.bbbb/.wwwwww.wb/bww.wwwwww./bwwww.wwwb/.brwbbb.b w m")
    assert len(position.legal_plies()) == 114
    with started(argv(name)) as bot:
        greet(bot, Side.WHITE, seed=3)
        chosen = {ask(bot, [parse_ply("A1B1")] * 97, position) for _ in range(20)}
    assert chosen <= set(position.legal_plies())
    assert len(chosen) > 1


@each_bot
def test_plays_on_from_a_set_up(name: str, argv: Argv) -> None:
    position = parse_dpos("........./..b......./..wrw....../........../......... w m")
    must_pass = position.play(parse_ply("C3D4"))
    with started(argv(name)) as bot:
        greet(bot, Side.WHITE, seed=3)
        assert ask(bot, [], position) in position.legal_plies()
        assert str(ask(bot, [], must_pass)) == "PASS"
        assert bot.finish() == (0, "", "")


@pytest.mark.needs("sh", "cc", "node", "cargo")
def test_one_program_in_four_languages(argv: Argv) -> None:
    """The starters teach by comparison, so they answer alike with the same seed."""
    answers = []
    for name in SAME_MOVERS:
        with started(argv(name)) as bot:
            greet(bot, Side.WHITE, seed=77)
            answers.append([ask(bot, [], Position.start()) for _ in range(30)])
    assert answers == [answers[0]] * 4
    assert len(set(answers[0])) > 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_starters_stay_short(language: str) -> None:
    directory = HERE / "starters" / LANGUAGES[language].get("directory", language)
    text = (directory / LANGUAGES[language]["edit"]).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 130
    assert max(map(len, text.splitlines())) <= 110
    assert text.isascii(), "compilers differ in what they take other characters for"


@pytest.mark.needs("java", "javac")
def test_java_is_warm_when_it_says_so(workshop: Workshop) -> None:
    """Loading and compiling is done before a clock runs; and another game in the same process is alike."""
    games = []
    with started(workshop.command("java")) as bot:
        for _ in range(2):
            greet(bot, Side.WHITE, seed=5)
            ran = [bot.ran()]
            bot.say("isready")
            assert bot.hear() == "readyok"
            ran.append(bot.ran())
            games.append([ask(bot, [], Position.start())])
            ran.append(bot.ran())
            games[-1] += [ask(bot, [], Position.start()) for _ in range(8)]
            bot.say("result * white 0 black 0 reason void")
            assert ran[1] - ran[0] > ran[2] - ran[1]
        assert bot.finish() == (0, "", "")
    assert games[0] == games[1]


@pytest.mark.parametrize("shell", SHELLS)
def test_shell_starter_runs_under_other_shells(shell: str) -> None:
    with started([*shell.split(), str(HERE / "starters" / "shell" / "bot.sh")]) as bot:
        assert len(play_dvp(bot, Side.BLACK, seed=4)) > 49
        assert bot.finish() == (0, "", "")


@pytest.mark.needs("cc")
def test_c_starter_is_clean(tmp_path: Path) -> None:
    """No warning at the usual levels, and nothing for the address and undefined behaviour sanitizers."""
    program = tmp_path / "random-c"
    strict = ["cc", "-std=c11", "-g", "-Wall", "-Wextra", "-Werror", "-o", str(program)]
    source = str(HERE / "starters" / "c" / "bot.c")
    subprocess.run([*strict, "-O2", source], check=True)
    sanitized = subprocess.run(
        [*strict, "-fsanitize=address,undefined", "-fno-sanitize-recover=all", source], capture_output=True
    )
    if sanitized.returncode != 0:
        pytest.skip("not on this machine: the sanitizers of cc")
    for side in Side:
        with started([str(program)]) as bot:
            play_dvp(bot, side, seed=5)
            bot.say("x" * 200_000, "setoption", "legal", "legal " + "A1B1 " * 400, "go")
            assert [bot.hear(), bot.hear()] == ["info nodes 300", "move A1B1"]
            assert bot.finish() == (0, "", "")
