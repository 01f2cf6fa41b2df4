"""champion as a real process: whole games, options, limits, clocks, and input that makes no sense."""

import random
import struct
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest

from protocol.rules import PASS, Phase, Ply, Position, Rules, Side, parse_dpos, parse_ply
from sample_bots.greedy import margin
from tests.sample_bots.champion import answer, full_board, run, wander
from tests.sample_bots.referee import Process, ask, cpu_time, greet, mover, play_dvp, started

pytestmark = pytest.mark.needs("cc")

each_side = pytest.mark.parametrize("side", list(Side), ids=lambda side: side.word)


def think(
    program: Path, position: Position, *go: str, options: tuple[str, ...] = ()
) -> tuple[str, list[dict[str, str]]]:
    """What a fresh process answers and tells about a position, for each ``go`` the last answer."""
    with started([str(program)]) as bot:
        bot.say("dvp 1", *(f"setoption {option}" for option in options), "newgame white")
        while bot.hear() != "dvpok":
            pass
        for line in go:
            bot.say(f"position {position.dpos}", line)
            result = answer(bot)
    return result


def placing(seed: int, placed: int) -> Position:
    """A position in the placement, reached by chance."""
    rng, position = random.Random(seed), Position.start()
    for _ in range(placed):
        position = position.play(rng.choice(position.legal_plies()))
    return position


def play_on_a_clock(program: Path, milliseconds: int, increment: int, seed: int) -> float:
    """A game against a random mover under a clock kept here; the least that was left, in ms."""
    opponent, position, history = mover(seed), Position.start(), list[Ply]()
    left = least = float(milliseconds)
    with started([str(program)]) as bot:
        greet(bot, Side.WHITE, seed)
        bot.say("isready")
        assert bot.hear() == "readyok"
        now = bot.ran()
        while not position.is_over:
            if position.to_move is Side.BLACK:
                ply = opponent(position)
            else:
                bot.say(f"board {position}")
                bot.say(f"go ply {len(history) + 1} time {int(left)} opptime 1000 inc {increment}")
                ply = parse_ply(answer(bot)[0])
                before, now = now, bot.ran()
                left -= 1000 * (now - before)
                least = min(least, left)
                left += increment
            position = position.play(ply)
            history.append(ply)
    return least


def test_introduces_itself(champion: Path) -> None:
    with started([str(champion)]) as bot:
        bot.say("dvp 1", "isready", "quit")
        assert bot.wait() == 0
        _, unread, errors = bot.finish()
    assert unread.splitlines() == [
        "id name champion",
        "id author the DVONN arbiter",
        "option Hash spin 32 1 4096",
        "option Seed spin 0 0 2147483647",
        "option Level spin 10 1 10",
        "feature reuse ready stop nolegal",
        "dvpok",
        "readyok",
    ]
    assert errors == ""


@each_side
def test_plays_whole_games_and_wins(champion: Path, side: Side) -> None:
    """Also by the other variant of the rules, and several games in one process."""
    with started([str(champion)]) as bot:
        bot.say("setoption Level 7")
        for seed, rules in ((1, Rules.STANDARD), (2, Rules.BLACK_FIRST)):
            history = play_dvp(bot, side, seed, rules)
            position = Position.start(rules)
            for ply in history:
                position = position.play(ply)
            assert position.winner is side
        bot.say("quit")
        assert bot.wait() == 0
        assert bot.finish()[1:] == ("", "")


def test_the_same_seed_plays_the_same_game(champion: Path) -> None:
    def game(seed: int) -> list[str]:
        with started([str(champion)]) as bot:
            bot.say("dvp 1", f"setoption Seed {seed}", "newgame white")
            position, plies = Position.start(), list[str]()
            while bot.hear() != "dvpok":
                pass
            while not position.is_over:
                bot.say(f"board {position}", "go nodes 300")
                plies.append(answer(bot)[0])
                position = position.play(parse_ply(plies[-1]))
        return plies

    assert game(5) == game(5)
    assert len({tuple(game(seed)) for seed in (0, 1, 2)}) == 3


def test_a_search_limited_by_nodes_or_depth_can_be_repeated(champion: Path) -> None:
    """Also in a process that has played another game before, since a new game forgets what was learned."""
    position = full_board(7)
    for go in ("go depth 5", "go nodes 20000"):
        first = think(champion, position, go)
        with started([str(champion)]) as bot:
            bot.say("dvp 1", "newgame black", f"board {full_board(8)}", "go nodes 30000", "result *")
            while not bot.hear().startswith("move "):
                pass
            bot.say("newgame white", f"board {position}", go)
            again = answer(bot)
        strip = [{key: info[key] for key in ("depth", "score", "nodes", "pv")} for info in again[1]]
        assert (again[0], strip) == (first[0], [{key: info[key] for key in strip[0]} for info in first[1]])


@pytest.mark.parametrize(
    "position", [placing(5, 7), placing(5, 30), full_board(7)], ids=["early", "late", "full"]
)
def test_a_clock_has_no_say_where_nodes_bound_the_search(champion: Path, position: Position) -> None:
    plies = {
        think(champion, position, f"go nodes 30000{clock}")[0] for clock in ("", " time 5000", " time 900")
    }
    assert len(plies) == 1


def test_the_clock_ends_a_search_that_nodes_would_let_go_on(champion: Path) -> None:
    begun = time.monotonic()
    think(champion, full_board(7), "go nodes 1000000000 time 300")
    assert time.monotonic() - begun < 10  # the nodes would take a quarter of an hour


def searched(infos: list[dict[str, str]]) -> int:
    """The nodes that it told of, up to the last depth that was done."""
    return int(infos[-1]["nodes"]) if infos else 0


def test_no_nodes_are_no_search(champion: Path) -> None:
    for limit in ("nodes 0", "depth 0"):
        ply, infos = think(champion, full_board(7), f"go {limit}")
        assert parse_ply(ply) in full_board(7).legal_plies()
        assert searched(infos) < 100  # in the second that it thinks without a limit, hundreds of thousands


def test_the_greatest_table_is_there_at_once(champion: Path) -> None:
    seconds = cpu_time(partial(think, champion, full_board(7), "go nodes 100", options=("Hash 4096",)))
    assert seconds < 0.5  # to write to all of it takes more than one


def test_keeps_to_limits_of_depth_and_nodes(champion: Path) -> None:
    position = full_board(3)
    _, infos = think(champion, position, "go depth 4")
    assert [int(info["depth"]) for info in infos] == [1, 2, 3, 4]
    _, infos = think(champion, position, "go nodes 5000")
    assert max(int(info["nodes"]) for info in infos) <= 5000


def test_lines_of_play_are_legal(champion: Path) -> None:
    for seed in range(12):
        position = wander(seed, 49 + 3 * seed)
        if position.is_over or position.legal_plies() == [PASS]:
            continue
        ply, infos = think(champion, position, "go depth 5")
        assert infos[-1]["pv"].split()[0] == ply
        assert all(abs(float(line["score"])) <= 49 for line in infos)
        for line in infos:
            after = position
            for word in line["pv"].split():
                after = after.play(parse_ply(word))


@pytest.mark.parametrize("placed", [0, 3, 20, 42, 44, 47, 48])
def test_looks_ahead_while_it_places(champion: Path, placed: int) -> None:
    """Two plies beyond its own, to the full board when five spaces or fewer are left; reds go by worth."""
    position = placing(5, placed)
    ply, infos = think(champion, position, "go movetime 20000")
    left = len(position.legal_plies())
    deepest = left if left <= 5 else 3
    ahead = range(2, deepest + 2 if left <= 5 else deepest + 1) if placed >= 3 and left > 1 else range(0)
    assert [int(info["depth"]) for info in infos] == list(ahead)
    assert parse_ply(ply) in position.legal_plies()
    assert all(info["pv"] == ply for info in infos[-1:])


def test_the_depth_of_a_placement_is_limited(champion: Path) -> None:
    for depth, ahead in ((1, []), (2, [2]), (9, [2, 3])):
        _, infos = think(champion, placing(6, 20), f"go depth {depth}")
        assert [int(info["depth"]) for info in infos] == ahead


def test_looking_ahead_places_better_than_worth_alone(champion: Path) -> None:
    """Both sides search the same; only the side that looks ahead places as it would in a game."""
    points = 0.0
    with started([str(champion)]) as ahead, started([str(champion)]) as at_once:
        for bot in (ahead, at_once):
            bot.say("dvp 1")
            while bot.hear() != "dvpok":
                pass
        for game in range(40):
            side = list(Side)[game % 2]
            for bot in (ahead, at_once):
                bot.say(f"setoption Seed {game // 2}", "newgame white")
            position = Position.start()
            while not position.is_over:
                bot = ahead if position.to_move is side else at_once
                placing = position.phase is Phase.PLACEMENT
                limit = "depth 1" if placing and bot is at_once else "depth 3" if placing else "nodes 3000"
                bot.say(f"board {position}", f"go {limit}")
                position = position.play(parse_ply(answer(bot)[0]))
            points += 0.5 if position.winner is None else position.winner is side
    assert points >= 22  # 20 where looking ahead changes nothing


def test_a_full_hash_table_of_the_least_size_does_no_harm(champion: Path) -> None:
    position = full_board(11)
    ply, infos = think(champion, position, "go nodes 400000", options=("Hash 1",))
    assert parse_ply(ply) in position.legal_plies()
    assert int(infos[-1]["hashfull"]) > 300


def test_lower_levels_look_less_far(champion: Path) -> None:
    position = full_board(4)
    for level, depth in ((3, 1), (5, 3), (7, 5)):
        _, infos = think(champion, position, "go movetime 5000", options=(f"Level {level}",))
        assert int(infos[-1]["depth"]) == depth


def test_stops_within_moments(champion: Path) -> None:
    with started([str(champion)]) as bot:
        greet(bot, Side.WHITE, seed=1)
        bot.say(f"board {full_board(5)}", "go infinite 1")
        while not bot.hear().startswith("info depth 6 "):
            pass
        before = bot.ran()
        bot.say("stop")
        answer(bot)
        assert bot.ran() - before < 0.5


def test_an_endless_analysis_waits_for_stop_when_all_is_known(champion: Path) -> None:
    position = next(found for seed in range(99) if 1 < len((found := wander(seed, 84)).legal_plies()) < 4)
    with started([str(champion)]) as bot:
        greet(bot, Side.WHITE, seed=1)
        bot.say(f"board {position}", "go infinite 1")
        while " exact 1 " not in bot.hear():
            pass
        bot.say("isready", "stop")
        assert parse_ply(answer(bot)[0]) in position.legal_plies()
        assert bot.hear() == "readyok"


@pytest.mark.parametrize("last", ["quit", None])
def test_ends_in_the_middle_of_a_search(champion: Path, last: str | None) -> None:
    with started([str(champion)]) as bot:
        greet(bot, Side.WHITE, seed=1)
        bot.say(f"board {full_board(5)}", "go infinite 1")
        bot.hear()
        if last:
            bot.say(last)
            assert bot.wait() == 0
        assert bot.finish()[0] == 0  # the search has no end of its own


@pytest.mark.parametrize("milliseconds, increment", [(300, 0), (60, 0), (20, 10)])
def test_does_not_run_out_of_time(champion: Path, milliseconds: int, increment: int) -> None:
    """In one of three games: what stalls the whole machine counts as the bot's time."""
    games = (play_on_a_clock(champion, milliseconds, increment, seed=3) for _ in range(3))
    assert any(least > -40 for least in games)  # on a quiet machine above 0; the arbiter's grace is 50 ms


def test_a_clock_below_zero_is_one_at_zero(champion: Path) -> None:
    ply, infos = think(champion, full_board(6), "go time -7")
    assert parse_ply(ply) in full_board(6).legal_plies()
    assert searched(infos) < 20_000  # about a thousand; without any clock it thinks for a second


def test_a_move_time_is_used_and_kept(champion: Path) -> None:
    begun = time.monotonic()
    seconds = cpu_time(partial(think, champion, full_board(6), "go movetime 300"))
    assert seconds < 0.6
    assert time.monotonic() - begun > 0.2


def test_a_board_overrides_the_history(champion: Path) -> None:
    position = full_board(2)
    with started([str(champion)]) as bot:
        greet(bot, Side.WHITE, seed=1)
        assert ask(bot, [parse_ply("A1B1")] * 97, position) in position.legal_plies()


def test_reads_a_position_with_its_plies_alone(champion: Path) -> None:
    """Without ``board`` lines, as other programs than the arbiter may use it."""
    start, moves = full_board(9), list[Ply]()
    position = start
    for _ in range(6):
        moves.append(mover(len(moves))(position))
        position = position.play(moves[-1])
    with started([str(champion)]) as bot:
        bot.say("dvp 1", f"position {start} moves {' '.join(map(str, moves)).lower()}", "go depth 3")
        while bot.hear() != "dvpok":
            pass
        assert parse_ply(answer(bot)[0]) in position.legal_plies()


def test_passes_when_it_must(champion: Path) -> None:
    position = next(found for seed in range(99) if (found := wander(seed, 85)).legal_plies() == [PASS])
    assert think(champion, position, "go time 1000")[0] == "PASS"


def test_skips_what_it_does_not_know(champion: Path) -> None:
    with started([str(champion)]) as bot:
        greet(bot, Side.WHITE, seed=1)
        bot.say("", "   ", "hint quit", "setoption Hash x", "setoption Hash", "setoption", "go-on", "stop")
        bot.say(
            "board",
            "board nonsense",
            "position",
            "position start moves A1 A1",
            "newgame",
            "setoption Level 99",
        )
        bot.say_bytes(b"\xff\xfe\xc0 go\n\x00go\n")
        bot.say("comment " + "go quit dvp 1 " * 20_000)
        assert ask_after_strings(bot, Position.start()) in Position.start().legal_plies()
        assert bot.finish() == (0, "", "")


def ask_after_strings(bot: Process, position: Position) -> Ply:
    bot.say(f"board {position}", "go time 5000")
    return parse_ply(answer(bot)[0])


def garbage(rng: random.Random) -> str:
    """A line of the protocol with something wrong in it, or none at all."""
    words = [
        *(
            "dvp",
            "1",
            "go",
            "board",
            "position",
            "start",
            "moves",
            "newgame",
            "white",
            "rules",
            "black-first",
        ),
        *(
            "setoption",
            "Hash",
            "Level",
            "Seed",
            "isready",
            "stop",
            "depth",
            "nodes",
            "infinite",
            "0",
            "-1",
            "1e999",
        ),
        *(
            "99999999999999999999",
            "A1",
            "k5",
            "PASS",
            "C3D4",
            "nan",
            "w",
            "m",
            "p",
            "time",
            "inc",
            "movetime",
            "\t",
        ),
        *("wb12*r./", "b49*", ".........", full_board(1).dpos, wander(1, 70).dpos, wander(2, 30).dpos),
    ]
    text = " ".join(rng.choice(words) for _ in range(rng.randrange(1, 9)))
    if rng.random() < 0.3:
        at = rng.randrange(len(text))
        text = text[:at] + chr(rng.randrange(1, 127)) + text[at + 1 :]
    # An endless search would never come back, and one without limits takes its second.
    return text.replace("infinite", "depth 2 infinite").replace("go", "go depth 2 nodes 500")


@pytest.mark.parametrize("seed", range(3))
def test_garbage_finds_no_fault_under_the_sanitizers(sanitized: Path, seed: int) -> None:
    rng = random.Random(seed)
    lines = [line for _ in range(250) if not (line := garbage(rng)).lstrip().startswith("quit")]
    with started([str(sanitized)]) as bot:
        for line in lines:
            bot.say(line.replace("\n", " "), "stop")
        bot.say("quit")
        code, _, errors = bot.finish()
    assert (code, errors) == (0, "")


def test_games_find_no_fault_under_the_sanitizers(sanitized: Path) -> None:
    """Its own games with random plies among them: each position once in the search, once in the features."""
    games = run(sanitized, "selfplay", "4", "400", "7", "20")
    assert len(games.splitlines()) > 40


def test_games_become_what_the_fits_work_on(sanitized: Path) -> None:
    """Behind the positions of the games stand leaves of their searches, of which only the net learns."""
    games = run(sanitized, "selfplay", "3", "400", "8", "12")
    leaves = games.count(";99;")
    assert 20 < leaves < len(games.splitlines()) / 2
    sizes, heads = {"features": 12 + 2 * 92, "rows": 20 + 2 * 98}, {}
    for command, size in sizes.items():
        done = subprocess.run([sanitized, command], input=games.encode(), capture_output=True, check=True)
        assert len(done.stdout) % size == 0
        heads[command] = [
            struct.unpack_from("<3i", done.stdout, at) for at in range(0, len(done.stdout), size)
        ]
        if command == "rows":
            rows = struct.unpack_from("<98H", done.stdout, 20)
    lines = [line.split(";") for line in games.splitlines()]
    stacks = [len(parse_dpos(line[0]).stacks()) for line in lines]
    assert heads["rows"] == [
        (count, int(line[1]), int(line[2])) for count, line in zip(stacks, lines, strict=True)
    ]
    assert heads["features"] == [head for head in heads["rows"] if head[2] != 99]
    topped = 2 * (stacks[0] - lines[0][0].count("r"))  # two rows for each stack that a side tops
    assert [row < 640 for row in rows] == [True] * topped + [False] * (98 - topped)


def test_solved_endings_find_no_fault_under_the_sanitizers(sanitized: Path) -> None:
    for seed in range(4):
        assert " exact" in run(sanitized, "search", wander(seed, 78).dpos, "20").splitlines()[-1]


def test_wrong_arguments_are_told(champion: Path) -> None:
    with started([str(champion), "perft", "x", "2"]) as bot:
        code, out, errors = bot.finish()
    assert (code, out) == (2, "")
    assert errors == "champion: x: a cell is one of . r w b\n"
    for words in (("perft", "start", "-1"), ("perft", "start", "2x"), ("selfplay", "0", "9", "1")):
        with started([str(champion), *words]) as bot:
            code, out, errors = bot.finish()
        assert (code, out) == (2, "")
        assert errors.startswith("champion: ")
        assert ": expected a number from " in errors
    with started([str(champion), "help"]) as bot:
        code, out, errors = bot.finish()
    assert (code, out) == (2, "")
    assert errors.startswith("usage: champion ")


@pytest.mark.sweep
@each_side
def test_beats_greedy_from_the_empty_board(champion: Path, side: Side) -> None:
    """Twenty games at two thousand nodes a move against the ply that gains most at once."""
    wins = 0
    with started([str(champion)]) as bot:
        for seed in range(20):
            rng, position = random.Random(seed), Position.start()
            greet(bot, side, seed)
            while not position.is_over:
                if position.to_move is side:
                    bot.say(f"board {position}", "go nodes 2000")
                    position = position.play(parse_ply(answer(bot)[0]))
                else:
                    position = position.play(_greedy_ply(position, rng))
            wins += position.winner is side
    assert wins >= 19


def _greedy_ply(position: Position, rng: random.Random) -> Ply:
    """What greedy plays."""
    plies = sorted(position.legal_plies())
    if position.phase is Phase.PLACEMENT:
        return rng.choice(plies)
    margins = [margin(position.play(ply), position.to_move) for ply in plies]
    best = max(margins)
    return rng.choice([ply for ply, each in zip(plies, margins, strict=True) if each == best])
