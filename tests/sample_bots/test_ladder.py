"""What the rungs of the ladder have in common: whole games, the same ones again, and their places."""

from pathlib import Path
from random import Random

import pytest
import yaml

from protocol.bot import Bot, Clock
from protocol.rules import Ply, Position, Rules, Side, parse_ply
from sample_bots.greedy import Greedy
from tests.e2e.commands import arbiter
from tests.sample_bots.ladder import RUNGS, STARTS, endings, middle, play, player, points
from tests.sample_bots.referee import CATALOGUE, Process, command, greet, started

LADDER = Path(__file__).parents[2] / "tournaments" / "ladder.yaml"
NAMES = [rung.name for rung in RUNGS]

each_rung = pytest.mark.parametrize("rung", RUNGS, ids=NAMES)
each_name = pytest.mark.parametrize("name", NAMES)


class Mover(Bot):
    """Plays any legal ply."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def choose(self, position: Position, clock: Clock) -> Ply:
        return self.random.choice(sorted(position.legal_plies()))


@each_rung
@pytest.mark.parametrize("start", STARTS, ids=["empty", "random", "balanced", "symmetric"])
def test_whole_games_are_legal_and_won(rung: type, start: Position) -> None:
    """The rules core refuses any other ply. A single loss against chance would not be unheard of."""
    won = points(play(start, player(rung), Mover(1), nodes=150)[1], Side.WHITE)
    won += points(play(start, Mover(2), player(rung), nodes=150)[1], Side.BLACK)
    assert won >= 1


@each_rung
def test_plays_by_the_older_rules(rung: type) -> None:
    history, position = play(Position.start(Rules.BLACK_FIRST), player(rung), Mover(3), nodes=60)
    assert position.is_over
    assert len(history) > 49


@each_rung
def test_a_game_with_nodes_repeats(rung: type) -> None:
    games = [
        play(Position.start(), player(rung, seed=seed), player(rung, seed=seed + 1), nodes=120)[0]
        for seed in (1, 1, 2)
    ]
    assert games[0] == games[1] != games[2]


@pytest.mark.parametrize("rung", RUNGS[1:], ids=NAMES[1:])
def test_a_look_ahead_beats_a_look(rung: type) -> None:
    """A few games with few positions a ply; `tournaments/ladder.yaml` measures the places."""
    won = 0.0
    for number in range(5):
        start = middle(number, 49)
        won += points(play(start, player(rung), Greedy(), nodes=600)[1], Side.WHITE)
        won += points(play(start, Greedy(), player(rung), nodes=600)[1], Side.BLACK)
    assert won >= 8


def turn(bot: Process, position: Position, limits: str) -> list[str]:
    """The words of the answer of a process."""
    bot.say(f"position {position}", f"board {position}", f"go ply 50 {limits}")
    while (line := bot.hear()).startswith("info "):
        pass
    return line.split()


@each_name
def test_speaks_the_language_and_plays_on(name: str) -> None:
    """As a process: options, features, information, and another game that is the same one."""
    position, said = middle(1), list[list[str]]()
    with started(command(name)) as bot:
        for _ in range(2):
            greet(bot, Side.WHITE, seed=7)
            bot.heard.clear()
            word, text = turn(bot, position, "nodes 400")
            assert word == "move"
            assert parse_ply(text) in position.legal_plies()
            said.append([line.partition(" time ")[0] for line in bot.heard])
            bot.say("result * white 0 black 0 reason void")
        bot.say("dvp 1")
        introduction = [bot.hear()]
        while introduction[-1] != "dvpok":
            introduction.append(bot.hear())
        bot.say("quit")
        assert bot.wait() == 0
        assert bot.finish() == (0, "", "")
    assert said[0] == said[1]
    assert "score" in said[0][-2]
    assert f"id name {name}" in introduction
    assert any(line.startswith("option Level spin ") for line in introduction)


@pytest.mark.parametrize("name", NAMES[1:])
def test_thinks_until_it_is_told_to_stop(name: str) -> None:
    """Even where there is nothing left to think about, and with a level that would have ended long ago."""
    (ending,) = endings(1)
    with started(command(name)) as bot:
        for level, position in ((5, middle(1)), (1, middle(1)), (5, ending)):
            bot.say(f"setoption Level {level}")
            bot.say(f"position {position}", f"board {position}", "go ply 50 infinite 1")
            while not bot.heard or not bot.heard[-1].startswith("info depth"):
                bot.hear()
            while bot.speaks_within(0.1) and len(bot.heard) < 30:
                bot.hear()
            assert not any(line.startswith("move") for line in bot.heard)
            bot.say("stop")
            while not bot.heard[-1].startswith("move"):
                bot.hear()
            bot.heard.clear()
        bot.say("quit")
        assert bot.wait() == 0


def test_the_tournament_has_every_rung_in_its_place() -> None:
    plan = yaml.safe_load(LADDER.read_text(encoding="utf-8"))
    rungs = [name for name in CATALOGUE if name in {"random", "greedy", *NAMES, "champion"}]
    runs = [bot if isinstance(bot, str) else bot["run"] for bot in plan["bots"]]
    assert [run.removeprefix("sample:") for run in runs] == rungs
    assert (plan["format"], plan["time"], plan["openings"]) == ("round-robin", "1s + 10ms", "book")
    assert plan["rounds"] >= 100


def test_the_tournament_can_be_played(tmp_path: Path) -> None:
    done = arbiter(tmp_path, "run", str(LADDER), "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    rungs = len(yaml.safe_load(LADDER.read_text(encoding="utf-8"))["bots"])
    assert f"{rungs * (rungs - 1) // 2} pairings" in done.stdout
