"""camel, the CodeCup bot that keeps the rules itself: whole games, judged by ``protocol.rules``."""

import pytest

from protocol.rules import PASS, Phase, Ply, Position, Side, parse_ply
from tests.sample_bots.referee import Chooser, command, mover, play_codecup, started

pytestmark = pytest.mark.needs("perl")

GAMES = 12  # of each colour
each_side = pytest.mark.parametrize("side", list(Side), ids=lambda side: side.word)


def game(side: Side, seed: int, opponent: Chooser) -> tuple[list[Ply], Position]:
    with started([*command("camel"), str(seed)]) as bot:
        history, position = play_codecup(bot, side, opponent)
        bot.say("Quit")
        assert bot.wait() == 0
        assert bot.finish() == (0, "", "")
    return history, position


def passes(history: list[Ply], side: Side) -> int:
    """How often ``side`` passed in a game."""
    position, count = Position.start(), 0
    for ply in history:
        count += ply is PASS and position.to_move is side
        position = position.play(ply)
    return count


def stifler(seed: int) -> Chooser:
    """An opponent that leaves as few stack moves as it can, so that camel has to pass."""
    chance = mover(seed)

    def choose(position: Position) -> Ply:
        if position.phase is Phase.PLACEMENT:
            return chance(position)
        return min(position.legal_plies(), key=lambda ply: freedom(position.play(ply)))

    def freedom(position: Position) -> int:
        plies = position.legal_plies()
        return 0 if plies == [PASS] else len(plies) or 1000

    return choose


@each_side
def test_plays_whole_games_and_mostly_wins(side: Side) -> None:
    games = [game(side, seed, mover(seed)) for seed in range(GAMES)]
    assert all(len(history) > 49 for history, _ in games)
    assert sum(position.winner is side for _, position in games) >= GAMES * 3 / 4
    assert sum(passes(history, side.other) for history, _ in games) > 0


@each_side
def test_passes_when_it_must(side: Side) -> None:
    games = [game(side, seed, stifler(seed)) for seed in range(GAMES)]
    assert sum(passes(history, side) for history, _ in games) > 0


@each_side
def test_the_same_seed_plays_the_same_game(side: Side) -> None:
    assert game(side, 5, mover(1)) == game(side, 5, mover(1))
    assert game(side, 5, mover(1)) != game(side, 6, mover(1))


def test_without_a_seed_games_differ() -> None:
    first = set()
    for _ in range(6):
        with started(command("camel")) as bot:
            bot.say("Start")
            first.add(bot.hear())
    assert len(first) > 1


def test_white_moves_twice_around_the_end_of_placement() -> None:
    """After its 25th placement White hears nothing and writes its first stack move or pass."""
    with started([*command("camel"), "1"]) as bot:
        position, opponent = Position.start(), mover(1)
        bot.say("Start")
        for number in range(1, 50):
            ply = parse_ply(bot.hear()) if number % 2 else opponent(position)
            position = position.play(ply)
            if number % 2 == 0:
                bot.say(str(ply))
        assert bot.hear() in {str(ply) for ply in position.legal_plies()}


def test_black_stays_silent_until_white_has_placed() -> None:
    with started([*command("camel"), "1"]) as bot:
        assert bot.finish() == (0, "", "")


def test_black_takes_two_lines_at_once() -> None:
    """The 49th placement and the first stack move reach Black one right after the other."""
    with started([*command("camel"), "2"]) as bot:
        position, opponent, held = Position.start(), mover(2), list[str]()
        while len(held) < 2:
            black = position.to_move is Side.BLACK
            ply = parse_ply(bot.hear()) if black else opponent(position)
            position = position.play(ply)
            if held or (not black and position.to_move is Side.WHITE):
                held.append(str(ply))
            elif not black:
                bot.say(str(ply))
        bot.say(*held)
        assert position.to_move is Side.BLACK
        assert bot.hear() in {str(ply) for ply in position.legal_plies()}


@pytest.mark.parametrize("words", [["Quit"], ["Start", "Quit"], ["A1", "Quit"], ["A1", "", "  ", "Quit"]])
def test_exits_at_quit(words: list[str]) -> None:
    with started(command("camel")) as bot:
        bot.say(*words)
        assert bot.wait() == 0
        code, unread, errors = bot.finish()
    assert (code, errors) == (0, "")
    assert len(unread.splitlines()) == (len(words) > 1)


@pytest.mark.parametrize("words", [["Start"], ["A1"], ["A1\r"]])
def test_exits_at_the_end_of_its_input(words: list[str]) -> None:
    with started(command("camel")) as bot:
        bot.say(*words)
        code, unread, errors = bot.finish()
    assert (code, errors) == (0, "")
    assert len(unread.splitlines()) == 1
