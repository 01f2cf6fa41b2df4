"""What one sees while games go on: plain lines, and the view in a terminal."""

import io
import re
from dataclasses import replace
from typing import Any, TextIO, cast

import pytest
from rich.console import Console

from arbiter.live import terminal
from arbiter.live.output import Output
from arbiter.live.plain import PlainLines
from arbiter.live.terminal import TerminalView
from arbiter.live.writer import Heard, View
from arbiter.match.dialogue import Said, Voice
from arbiter.match.game import PlyRecord
from arbiter.match.termination import Termination
from arbiter.rating.sprt import Sprt, SprtProgress
from arbiter.rating.tally import Tally
from arbiter.tournament.events import (
    BotWithdrawn,
    Event,
    GameFinished,
    GameStarted,
    Notice,
    Overheard,
    PlayBegins,
    PlyPlayed,
    SprtAdvanced,
    StageDrawn,
    TieSettled,
)
from arbiter.tournament.formats import Tie
from arbiter.tournament.schedule import Fixture, Stage
from protocol.rules import Position, Side, parse_ply
from tests.arbiter.test_output import Pipe
from tests.arbiter.test_store import game, void

BEGINS = PlayBegins(6, 0)
FIXTURE = Fixture(1, 1, 1, 1, "one", "[bold]two")


def lines(*events: Event, begins: PlayBegins = BEGINS) -> list[str]:
    plain = PlainLines()
    return [line for event in (begins, *events) for line in plain.lines(Heard(0, event))]


def tell(view: View, *events: Event) -> None:
    for event in events:
        view.hear(Heard(0, event))


def test_plain_lines() -> None:
    long_list = game(words="A1A2: no; legal: " + "B1B2 " * 60, termination=Termination.ILLEGAL)
    written = lines(
        Notice("c: building with `make`"),
        GameStarted(FIXTURE, 1),
        GameStarted(FIXTURE, 2),
        PlyPlayed(FIXTURE, PlyRecord("A1", 1, 2), Position.start()),
        GameFinished(game(termination=Termination.NORMAL, offender=None), replayed=False),
        GameFinished(game(), replayed=False),
        GameFinished(game(termination=Termination.RESIGN), replayed=False),
        GameFinished(void(1, 1), replayed=True),
        GameFinished(long_list, replayed=False),
        BotWithdrawn("c", "failed 3 games, none finished in between", 4),
    )
    assert written[:-2] == [
        "c: building with `make`",
        "game 1 starts: one - [bold]two (round 1, 1 of 6)",
        "game 1 starts: one - [bold]two (round 1, 1 of 6, attempt 2)",
        "game 1 ends: one - two 1-0 (0:0, 3 plies)",
        "game 1 ends: one - two 1-0 (two forfeits at ply 4, timeout: no answer within 50 ms)",
        "game 1 ends: one - two 1-0 (two resigned at 0:0)",
        "game 1 ends: one - two * (void: no answer within 50 ms); it is replayed",
    ]
    assert written[-2].endswith(" ...)")
    assert len(written[-2]) < 240
    assert written[-1] == "c is withdrawn: failed 3 games, none finished in between"


def test_a_game_that_is_played_again_keeps_its_place() -> None:
    """Also while others begin, and when an earlier run played it for the first time."""
    second, third = FIXTURE._replace(number=2), FIXTURE._replace(number=3)
    written = lines(
        GameStarted(second, 2),
        GameStarted(FIXTURE, 1),
        GameFinished(void(2, 2), replayed=True),
        GameStarted(second, 3),
        GameFinished(game(2), replayed=False),
        GameStarted(third, 1),
        begins=PlayBegins(6, 3),
    )
    assert [line.partition("(")[2] for line in written if "starts" in line] == [
        "round 1, 4 of 6, attempt 2)",
        "round 1, 5 of 6)",
        "round 1, 4 of 6, attempt 3)",
        "round 1, 6 of 6)",
    ]


def test_a_game_that_is_not_replayed_for_want_of_a_bot_has_not_begun() -> None:
    """So that no game is the seventh of six."""
    second, third = FIXTURE._replace(number=2, white="three"), FIXTURE._replace(number=3)
    written = lines(
        GameStarted(FIXTURE, 1),
        GameStarted(second, 1),
        GameFinished(void(1, 1), replayed=True),
        BotWithdrawn("one", "failed", 5),
        GameStarted(third, 1),
        begins=PlayBegins(7, 0),
    )
    assert written[1].endswith("(round 1, 2 of 7)")
    assert written[-1].endswith("(round 1, 2 of 2)")


def test_an_earlier_run_is_mentioned() -> None:
    assert lines(begins=PlayBegins(6, 2)) == ["2 of 6 games were played before"]


@pytest.fixture
def screen() -> tuple[TerminalView, Console]:
    return terminal_view(Tally(("one", "two")))


def terminal_view(*more: Any) -> tuple[TerminalView, Console]:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    return TerminalView(Output(io.StringIO()), console, *more), console


def drawn(view: TerminalView, console: Console) -> str:
    with console.capture() as capture:
        console.print(view.render())
    return capture.get()


def test_the_view_shows_progress_games_and_standings(screen: tuple[TerminalView, Console]) -> None:
    view, console = screen
    tell(view, PlayBegins(6, 2))
    assert "2 of 6 games" in drawn(view, console)
    tell(view, GameStarted(FIXTURE, 1))
    assert "starting" in drawn(view, console)
    position = Position.start().play(parse_ply("A1"))
    tell(view, PlyPlayed(FIXTURE, PlyRecord("A1", 1, 4_321_000_000), position))
    text = drawn(view, console)
    assert "[bold]two" in text
    assert "4.3 s" in text
    finished = replace(game(termination=Termination.NORMAL, offender=None), white="one", black="two")
    tell(view, GameFinished(finished, replayed=False))
    text = drawn(view, console)
    assert "3 of 6 games" in text
    assert "left" in text
    assert "game 1 ends: one - two 1-0" in text
    assert "starting" not in text
    assert [line.split()[:2] for line in text.splitlines() if line.strip()[:1] in ("1", "2")][:2] == [
        ["1", "one"],
        ["2", "two"],
    ]
    assert all(len(line) <= 80 for line in text.splitlines())


def test_what_somebody_should_know_stays_on_the_screen(screen: tuple[TerminalView, Console]) -> None:
    view, console = screen
    tell(view, PlayBegins(6, 0))
    tell(view, Notice("c is left out: no cc"))
    tell(view, GameFinished(game(offender=Side.BLACK), replayed=False))
    tell(view, GameFinished(void(2, 1), replayed=True))
    shown = "\n".join(view.take_lines())
    assert view.take_lines() == []
    assert "c is left out: no cc" in shown
    assert "two forfeits at ply 4, timeout" in shown
    assert "it is replayed" in shown
    assert "1 of 6 games" in drawn(view, console)


def test_what_is_said_in_a_game_is_no_news(screen: tuple[TerminalView, Console]) -> None:
    """A log hears it, beside the view."""
    view, _ = screen
    tell(view, GameStarted(FIXTURE, 1), Overheard(FIXTURE, Said(Side.WHITE, Voice.STDERR, 1, b"oh\n")))
    assert view.take_lines() == []


def test_a_terminal_that_takes_nothing_is_drawn_again_when_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, and with the lines that came meanwhile, unless they are too many."""
    monkeypatch.setattr(terminal, "_LINES", 3)
    monkeypatch.setattr(terminal, "_PERIOD", 0)
    pipe = Pipe()
    console = Console(file=cast(TextIO, pipe.output), width=80, force_terminal=True)
    view = TerminalView(pipe.output, console, Tally(("one", "two")))
    view.open()
    for number in range(5):
        tell(view, Notice(f"notice {number}"))
        view.refresh()
    first = "\n".join(pipe.lines())
    view.refresh()
    second = "\n".join(pipe.lines())
    view.close()
    assert (first.count("games"), "notice" in first) == (1, False)
    assert re.findall(r"notice \d|\d lines dropped", second) == [
        "2 lines dropped", "notice 2", "notice 3", "notice 4",
    ]  # fmt: skip
    pipe.close()


def test_a_match_whose_length_nobody_knows(screen: tuple[TerminalView, Console]) -> None:
    view, console = screen
    began = PlayBegins(None, 2)
    tell(view, began)
    finished = replace(game(termination=Termination.NORMAL, offender=None), white="one", black="two")
    tell(view, GameFinished(finished, replayed=False))
    tell(view, SprtAdvanced(SprtProgress(Sprt(), 1, (0, 0, 0, 0, 1), 0.25, "continue")))
    text = drawn(view, console)
    assert "3 games" in text
    assert " of " not in text
    assert "left" not in text
    assert "pair 1: LLR +0.25 (-2.94 to 2.94), pairs by points 0-0-0-0-1" in text
    assert lines(GameStarted(FIXTURE, 1), begins=began) == [
        "2 games were played before",
        "game 1 starts: one - [bold]two (round 1)",
    ]


def test_a_total_that_may_grow_is_the_least(screen: tuple[TerminalView, Console]) -> None:
    view, console = screen
    begins, starts = PlayBegins(6, 2, may_grow=True), GameStarted(FIXTURE, 1)
    finished = replace(game(termination=Termination.NORMAL, offender=None), white="one", black="two")
    written = lines(starts, begins=begins)
    tell(view, begins, starts, GameFinished(finished, replayed=False))
    assert written[0] == "2 of at least 6 games were played before"
    assert written[1].endswith(" (round 1, 3 of at least 6)")
    text = drawn(view, console)
    assert "3 of at least 6 games" in text
    assert re.search(r"at least \d:\d\d:\d\d left", text)


def test_a_tie_is_told_when_it_is_settled(screen: tuple[TerminalView, Console]) -> None:
    view, _ = screen
    settled = TieSettled(Tie(2, "one", "two", (4.0, 4.0), -3, winner="two", by="margin"))
    assert lines(settled) == ["tie ends: two beats one 4:4 by margin (+3) (round 2)"]
    tell(view, settled)
    assert view.take_lines() == lines(settled)


def test_a_round_that_goes_on_is_not_a_new_one() -> None:
    stages = [Stage((("one", "two"),), 1, 1, ("three",)), Stage((("one", "two"),), 1, 1)]
    assert lines(*(StageDrawn(stage, 4) for stage in [*stages, Stage((("two", "three"),), 2, 2)])) == [
        "round 1: one - two, three has a bye",
        "round 1 goes on: one - two",
        "round 2: two - three",
    ]


FIVE = ("one", "two", "three", "four", "five")


def test_standings_of_a_swiss_system_have_one_order() -> None:
    """Though the bots of different games have not met yet; a bye counts."""
    stages = [Stage((("one", "two"), ("three", "four")), 1, 1)]
    view, console = terminal_view(Tally(FIVE), "swiss", stages)
    tell(view, PlayBegins(8, 0))
    tell(view, StageDrawn(Stage((("one", "three"), ("two", "four")), 2, 2, ("five",)), 8))
    for number, (white, black) in enumerate([("one", "two"), ("three", "four")], start=1):
        ended = game(number, termination=Termination.NORMAL, offender=None)
        tell(view, GameFinished(replace(ended, white=white, black=black, pair=number), replayed=False))
    rows = [line.split() for line in drawn(view, console).splitlines()]
    order = [(row[0], row[1], row[3]) for row in rows if len(row) > 4 and row[1] in FIVE]
    assert order == [
        ("1", "five", "2"), ("2", "one", "1"), ("2", "three", "1"), ("4", "two", "0"), ("4", "four", "0"),
    ]  # fmt: skip
