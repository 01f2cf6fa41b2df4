"""What follows from void games: another attempt, the last one alone; and blame for who brought them about."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.match.fault import Code, Fault
from arbiter.match.game import GameResult, GameSetup
from arbiter.match.termination import Termination
from arbiter.rating.sprt import Sprt
from arbiter.store import League
from arbiter.tournament.config import SprtSettings
from arbiter.tournament.events import BotWithdrawn, Event, GameFinished, GameStarted, Notice
from arbiter.tournament.room import Room
from arbiter.tournament.standings import league_page, league_table
from protocol.rules import Side
from tests.arbiter.test_runner import House, ending, fair, plays

LATE = Fault(Code.MACHINE_LATE, {"side": "white", "used": 60, "over": 10, "limit": 50, "machine": 10})


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    return House(tmp_path, monkeypatch)


def void(late: Side = Side.WHITE, culprit: Side | None = None) -> GameResult:
    """A game in which the machine made a side late, perhaps because the other one computed."""
    fault = LATE.with_facts(side=late.word)
    if culprit is not None:
        fault = fault.with_facts(culprit=culprit.word, culprit_cpu=200_000_000)
    return replace(ending(Termination.VOID), words="", fault=fault)


# Alone


class PowerCutError(Exception):
    """What ends a run at once."""


class Hall:
    """Plays games that are void as often as the test wants, and sees who plays beside whom.

    ``lengths`` are those of the attempts, in turn; at the attempt ``cut`` the run ends.
    """

    def __init__(
        self, voids: dict[int, int], lengths: list[int], culprit: Side | None, cut: int | None
    ) -> None:
        self._voids, self._lengths, self._culprit, self._cut = voids, lengths, culprit, cut
        self.most = 0
        self.go_on({})

    def go_on(self, tries: dict[int, int]) -> None:
        """Begin anew, after so many attempts at each game."""
        self._tries = Counter(tries)
        self._under_way: set[int] = set()
        self._alone: int | None = None

    async def play(self, setup: GameSetup) -> GameResult:
        number = int(setup.label)
        self._tries[number] += 1
        self._enter(number, is_alone=self._tries[number] == 3)
        try:
            for _ in range(self._lengths[self._tries.total() % len(self._lengths)]):
                await trio.lowlevel.checkpoint()
        finally:
            self._under_way.discard(number)
            self._alone = None
        is_void = self._tries[number] <= self._voids.get(number, 0)
        return void(culprit=self._culprit) if is_void else ending(Termination.NORMAL)

    def _enter(self, number: int, *, is_alone: bool) -> None:
        if self._tries.total() == self._cut:
            self._cut = None
            raise PowerCutError
        assert self._alone is None
        assert not (is_alone and self._under_way)
        self._alone = number if is_alone else None
        self._under_way.add(number)
        self.most = max(self.most, len(self._under_way))


FORMATS: list[dict[str, Any]] = [
    {"rounds": 2},
    {"format": "swiss", "rounds": 3},
    {"format": "knockout", "seeds": ("a", "b", "c")},
    {"format": "sprt", "sprt": SprtSettings(Sprt(), 4)},
]


@settings(max_examples=20)
@given(
    st.sampled_from(FORMATS),
    st.integers(1, 4),
    st.dictionaries(st.integers(1, 12), st.integers(1, 3), min_size=1),
    st.lists(st.integers(0, 12), min_size=1, max_size=5),
    st.sampled_from([None, Side.BLACK]),
    st.none() | st.integers(1, 12),
)
def test_every_third_attempt_is_alone_and_every_tournament_ends(
    form: dict[str, Any],
    concurrency: int,
    voids: dict[int, int],
    lengths: list[int],
    culprit: Side | None,
    cut: int | None,
) -> None:
    """In every format, also where bots are withdrawn for it, and where the run was killed and goes on."""
    hall = Hall(voids, lengths, culprit, cut)
    given: dict[str, Any] = {**form, "concurrency": concurrency, "max_failures": 2}
    with TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        house = House(Path(directory), patch)
        try:
            house.run(hall.play, **given)
        except* PowerCutError:
            left_over(house.events)
            hall.go_on({number: attempt for number, attempt, _ in house.stored()})
            house.events.clear()
            house.run(hall.play, **given)
        assert left_over(house.events) == []
        stored = list(house.stored())
    assert hall.most <= concurrency
    if culprit is None:
        assert all(end is Termination.NORMAL or attempt == 3 for _, attempt, end in stored)
        assert len(stored) == {"swiss": 6, "sprt": 8}.get(form.get("format", ""), len(stored))


def left_over(events: list[Event]) -> list[int]:
    """The games that were to be replayed and were not, though their bots play; nobody plays once it was
    withdrawn.
    """
    away: set[str] = set()
    waiting: dict[int, set[str]] = {}
    for event in events:
        match event:
            case BotWithdrawn(bot):
                away.add(bot)
            case GameStarted(fixture):
                assert not away & {fixture.white, fixture.black}
                waiting.pop(fixture.number, None)
            case GameFinished(game, True):
                waiting[game.number] = {game.white, game.black}
    return [number for number, players in waiting.items() if not away & players]


def attempts(house: House, number: int) -> list[int]:
    """Those at a game that have begun."""
    starts = [event for event in house.events if isinstance(event, GameStarted)]
    return [event.attempt for event in starts if event.fixture.number == number]


def test_the_others_finish_their_game_and_wait(house: House) -> None:
    order: list[str] = []
    has_begun = trio.Event()

    async def play(setup: GameSetup) -> GameResult:
        number = int(setup.label)
        attempt = attempts(house, number)[-1]
        order.append(f"{number}.{attempt} begins")
        if (number, attempt) == (1, 2):
            has_begun.set()
        if number == 2:
            # Until the third attempt at the first game could have begun, and did not.
            await has_begun.wait()
            await trio.testing.wait_all_tasks_blocked(0.02)
        order.append(f"{number}.{attempt} ends")
        return void() if number == 1 and attempt < 3 else ending(Termination.NORMAL)

    house.run(play, concurrency=2, limit=3)
    third = order.index("1.3 begins")
    assert order[third:] == ["1.3 begins", "1.3 ends", "3.1 begins", "3.1 ends"]
    assert Notice("game 1 was void twice: it is played without others beside it") in house.events


def test_one_game_at_a_time_is_alone_without_a_word(house: House) -> None:
    async def play(setup: GameSetup) -> GameResult:
        return void()

    house.run(play, limit=2)
    assert [(number, attempt) for number, attempt, _ in house.stored()] == [(1, 3), (2, 3)]
    assert not any(isinstance(event, Notice) for event in house.events)


def test_a_test_that_is_decided_waits_for_no_attempt(house: House) -> None:
    """Game 7 waits to be alone while the games that decide are under way."""
    is_waiting = trio.Event()

    def watch(event: Event) -> None:
        house.events.append(event)
        if isinstance(event, Notice):
            is_waiting.set()

    async def play(setup: GameSetup) -> GameResult:
        await trio.lowlevel.checkpoint()
        if setup.label == "7":
            return void()
        await is_waiting.wait()
        return ending(Termination.CRASH, Side.BLACK if setup.white.bot.name == "a" else Side.WHITE)

    strict = SprtSettings(Sprt(0, 200, 0.4, 0.4), 9)
    house.run(play, watch, format="sprt", sprt=strict, concurrency=7, max_failures=99)  # type: ignore[arg-type]
    assert [number for number, _, _ in house.stored()] == [1, 2, 3, 4, 5, 6, 7]
    assert attempts(house, 7) == [1, 2]


def test_a_game_that_waits_for_a_bot_that_is_withdrawn_is_not_played(house: House) -> None:
    is_waiting = trio.Event()

    def watch(event: Event) -> None:
        house.events.append(event)
        if isinstance(event, Notice):
            is_waiting.set()

    async def play(setup: GameSetup) -> GameResult:
        await trio.lowlevel.checkpoint()
        if setup.label == "1":
            return void()
        await is_waiting.wait()
        side = plays(setup, "b")
        return ending(Termination.NORMAL) if side is None else ending(Termination.CRASH, side)

    house.run(play, watch, concurrency=2, max_failures=1)
    (withdrawn,) = (event for event in house.events if isinstance(event, BotWithdrawn))
    assert (withdrawn.bot, withdrawn.cancelled) == ("b", 3)  # the one that waits, and two that had not begun
    assert attempts(house, 1) == [1, 2]
    assert [(number, end) for number, _, end in house.stored()] == [
        (1, Termination.VOID),
        (2, Termination.CRASH),
        (3, Termination.NORMAL),
        (4, Termination.NORMAL),
    ]


@given(st.integers(1, 5), st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.booleans()), max_size=25))
def test_a_room_has_so_many_places_or_one(size: int, guests: list[tuple[bool, int, bool]]) -> None:
    """Whoever comes, in whatever order; who gives up leaves no place taken."""
    inside: list[bool] = []
    seen = 0

    async def visit(room: Room, alone: bool, stay: int) -> None:
        nonlocal seen
        async with room.place(alone=alone):
            inside.append(alone)
            try:
                for _ in range(stay):
                    assert len(inside) <= (1 if any(inside) else size)
                    await trio.lowlevel.checkpoint()
            finally:
                inside.remove(alone)
            seen += 1

    async def main() -> None:
        room = Room(size)
        with trio.fail_after(10):
            async with trio.open_nursery() as nursery:
                for alone, stay, gives_up in guests:
                    scope = trio.CancelScope()
                    nursery.start_soon(within, scope, visit, room, alone, stay)
                    for _ in range(stay // 2):
                        await trio.lowlevel.checkpoint()
                    if gives_up:
                        scope.cancel()
            async with room.place(alone=True):
                assert inside == []

    trio.run(main)
    assert seen >= sum(not gives_up for _, _, gives_up in guests)


async def within(scope: trio.CancelScope, visit: Any, *rest: Any) -> None:
    with scope:
        await visit(*rest)


# Blame


def told(house: House) -> list[tuple[str, str]]:
    return [(event.bot, event.reason) for event in house.events if isinstance(event, BotWithdrawn)]


async def disturbed(setup: GameSetup) -> GameResult:
    """``b`` computes in the turns of whom it plays against."""
    await trio.lowlevel.checkpoint()
    side = plays(setup, "b")
    return ending(Termination.NORMAL) if side is None else void(side.other, culprit=side)


REASON = (
    "failed {}, none finished in between, the last by computing in its opponent's turn: black answered after "
    "0.0 ms, 0.0 ms over the 0.0 ms limit; up to 0.0 ms of scheduling delay; white used 200 ms of CPU time "
    "meanwhile"
)


def test_a_disturbed_game_counts_against_who_disturbed_it(house: House) -> None:
    house.run(disturbed, max_failures=2)
    assert told(house) == [("b", REASON.format("2 games"))]
    assert [(number, attempt) for number, attempt, _ in house.stored()] == [(1, 2), (3, 1), (4, 1)]
    first = [event.replayed for event in house.events if isinstance(event, GameFinished)][:2]
    assert first == [True, False]


def test_who_was_late_through_the_machine_is_not_blamed(house: House) -> None:
    async def play(setup: GameSetup) -> GameResult:
        await trio.lowlevel.checkpoint()
        return void(plays(setup, "b") or Side.WHITE)

    house.run(play, max_failures=1)
    assert told(house) == []
    assert {attempt for _, attempt, _ in house.stored()} == {3}


def test_a_finished_game_makes_up_for_a_disturbed_one(house: House) -> None:
    async def play(setup: GameSetup) -> GameResult:
        await trio.lowlevel.checkpoint()
        attempt = attempts(house, int(setup.label))[-1]
        return await (disturbed(setup) if attempt < 3 else fair(setup))

    house.run(play, max_failures=3, rounds=2)
    assert told(house) == []


def test_a_disturbed_attempt_is_remembered_by_the_next_run(house: House) -> None:
    """Though the game was to be replayed when the run ended."""

    async def stopped(setup: GameSetup) -> GameResult:
        if attempts(house, 1)[-1] > 1:
            raise PowerCutError
        return await disturbed(setup)

    with pytest.raises(BaseExceptionGroup):
        house.run(stopped, max_failures=2)
    assert [(number, attempt) for number, attempt, _ in house.stored()] == [(1, 1)]
    house.run(disturbed, max_failures=2)
    assert told(house) == [("b", REASON.format("2 games"))]
    assert [(number, attempt) for number, attempt, _ in house.stored()] == [(1, 2), (3, 1), (4, 1)]


def test_who_comes_back_is_forgiven_what_it_disturbed(house: House) -> None:
    house.run(disturbed, max_failures=1, limit=1)
    with League.open_for_writing(house.directory) as league:
        league.readmit("b", "2026-11-29T21:10:03+00:00")
        assert [each["forgiven"] for each in league.readmissions()] == [[[1, 1]]]
    house.events.clear()
    house.run(disturbed, max_failures=2, limit=1)
    assert attempts(house, 1) == [2, 3]
    assert [reason[:14] for _, reason in told(house)] == ["failed 2 games"]


def test_the_table_tells_whom_the_machine_made_late_and_who_disturbed(house: House) -> None:
    async def play(setup: GameSetup) -> GameResult:
        attempt = attempts(house, int(setup.label))[-1]
        return await (disturbed(setup) if attempt < 2 else fair(setup))

    house.run(play, max_failures=99)
    with League.open_for_reading(house.directory) as league:
        table = league_table([league])
        ending = league_page([league], "ending")
        others = league_page([league], "ending", only=["a", "c"])
    note = (
        "4 attempts at games were void because the machine made a bot late (c 2, a 2). In 4 of them the "
        "opponent computed meanwhile, though it was not its turn (b 4)."
    )
    assert note in table.notes
    assert note in ending.notes
    assert table.void == {}
    counts = {row["name"]: (row["void"], row["machine_late"], row["culprit"]) for row in ending.rows}
    assert counts == {"a": (0, 2, 0), "b": (0, 0, 4), "c": (0, 2, 0)}
    assert others.notes == ("No game was forfeited.",)
