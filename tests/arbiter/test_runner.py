"""The runner's policies, with games that are not played but decided by the test."""

import errno
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import trio
import trio.lowlevel
import trio.testing

from arbiter.isolation.resources import ResourceError, lack_behind
from arbiter.match.bot import Bot
from arbiter.match.game import BotReport, GameResult, GameSetup, Observer, won_by
from arbiter.match.groups import leaves
from arbiter.match.termination import Termination
from arbiter.store import League
from arbiter.tournament import runner
from arbiter.tournament.config import Tournament
from arbiter.tournament.events import BotWithdrawn, Event, GameFinished, GameStarted, PlayBegins
from arbiter.tournament.openings import FixedPosition
from arbiter.tournament.runner import Entry, Runner, game_seed
from arbiter.tournament.standings import league_table
from protocol.rules import Position, Score, Side

Play = Callable[[GameSetup], Awaitable[GameResult]]
NAMES = ("a", "b", "c")


def ending(termination: Termination, offender: Side | None = None) -> GameResult:
    nothing = BotReport({}, "", ())
    is_void = termination is Termination.VOID
    return GameResult(
        result="*" if is_void else won_by(Side.WHITE if offender is None else offender.other),
        termination=termination,
        words="because",
        offender=offender,
        plies=(),
        answer=None,
        score=Score(3, 1),
        final=Position.start().dpos,
        white=nothing,
        black=nothing,
        started_at="2026-11-29T21:10:03+00:00",
        seconds=0.0,
    )


class House:
    """A tournament of ``NAMES`` on a results directory, with the events it told."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = directory
        self.monkeypatch = monkeypatch
        self.events: list[Event] = []

    def run(
        self,
        play: Play,
        watch: Callable[[Event], None] | None = None,
        limit: int | None = None,
        stop: trio.Event | None = None,
        **settings: int,
    ) -> None:
        async def play_game(setup: GameSetup, observer: Observer | None = None, *_: object) -> GameResult:
            return await play(setup)

        self.monkeypatch.setattr(runner, "play_game", play_game)
        bots = tuple(Bot(name, ("true",), self.directory) for name in NAMES)
        tournament = Tournament(
            name="t",
            path=self.directory / "t.yaml",
            bots=bots,
            given=({},) * 3,
            **settings,  # type: ignore[arg-type]
        )
        entries = {bot.name: Entry(bot, "hash") for bot in bots}

        async def main(league: League) -> None:
            tell = watch or self.events.append
            runner = Runner(tournament, 1, FixedPosition(Position.start()), entries, league, tell, limit)
            with trio.fail_after(30):
                await run_until(runner, stop)

        with League.open_for_writing(self.directory) as league:
            league.set_bots((name, "hash", "true", None) for name in NAMES)
            trio.run(main, league)

    def stored(self) -> Iterator[tuple[int, int, Termination]]:
        with League.open_for_reading(self.directory) as league:
            for game in league.games():
                yield game.number, game.attempt, game.outcome.termination


async def run_until(runner: Runner, stop: trio.Event | None) -> None:
    """To the end, or broken off when ``stop`` is set."""
    async with trio.open_nursery() as nursery:
        if stop is None:
            await runner.run()
        else:
            nursery.start_soon(runner.run)
            await stop.wait()
            nursery.cancel_scope.cancel()


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    return House(tmp_path, monkeypatch)


async def fair(setup: GameSetup) -> GameResult:
    await trio.lowlevel.checkpoint()
    return ending(Termination.NORMAL)


def test_the_whole_schedule_is_played_once(house: House) -> None:
    house.run(fair, rounds=2, concurrency=3)
    assert [number for number, _, _ in house.stored()] == list(range(1, 13))
    begins = [event for event in house.events if isinstance(event, PlayBegins)]
    assert begins == [PlayBegins(12, 0)]
    house.events.clear()
    house.run(fair, rounds=2)
    assert house.events == [PlayBegins(12, 12)]


def test_no_more_games_at_a_time_than_asked_for(house: House) -> None:
    running = most = 0
    all_three = trio.Event()

    async def play(setup: GameSetup) -> GameResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 3:
            all_three.set()
        await all_three.wait()
        await trio.sleep(0.002)
        running -= 1
        return ending(Termination.NORMAL)

    house.run(play, rounds=4, concurrency=3)
    assert most == 3


def test_a_game_that_is_nobodys_loss_is_replayed(house: House) -> None:
    """At most twice; then the game stays void and the others go on."""
    tries: Counter[str] = Counter()

    async def play(setup: GameSetup) -> GameResult:
        tries[setup.label] += 1
        is_void = setup.label == "2" or (setup.label == "3" and tries["3"] < 3)
        return ending(Termination.VOID if is_void else Termination.NORMAL)

    house.run(play)
    assert tries == {"1": 1, "2": 3, "3": 3, "4": 1, "5": 1, "6": 1}
    stored = {number: (attempt, end) for number, attempt, end in house.stored()}
    assert stored[2] == (3, Termination.VOID)
    assert stored[3] == (3, Termination.NORMAL)
    replays = [e.replayed for e in house.events if isinstance(e, GameFinished) and e.game.number == 2]
    assert replays == [True, True, False]
    assert not any(isinstance(event, BotWithdrawn) for event in house.events)
    with League.open_for_reading(house.directory) as league:
        table = league_table([league])
    assert sum(row.games for row in table.rows) == 10
    assert any("1 game void" in note and "2 (" in note for note in table.notes)


LACK = ResourceError(errno.EMFILE, "no descriptor", "close some")


@pytest.mark.parametrize("error", [ZeroDivisionError("injected"), LACK], ids=["a fault", "a lack"])
def test_what_is_no_bots_failure_stops_all_games(house: House, error: Exception) -> None:
    """Those under way leave no trace, and are played when the run goes on."""
    has_begun = trio.Event()
    left: list[str] = []

    async def play(setup: GameSetup) -> GameResult:
        if setup.label in ("1", "2"):
            await has_begun.wait()
        if setup.label == "3":
            has_begun.set()
            await trio.testing.wait_all_tasks_blocked()
            raise error
        if setup.label == "4":
            try:
                await trio.sleep_forever()
            finally:
                left.append("4")
        return ending(Termination.NORMAL)

    with pytest.raises(BaseExceptionGroup) as caught:
        house.run(play, concurrency=4)
    assert list(leaves(caught.value)) == [error]
    assert left == ["4"]
    assert sorted(house.stored()) == [(1, 1, Termination.NORMAL), (2, 1, Termination.NORMAL)]
    assert not any(isinstance(event, BotWithdrawn) for event in house.events)
    house.run(fair, concurrency=4)
    assert sorted(house.stored()) == [(number, 1, Termination.NORMAL) for number in range(1, 7)]


def broken(*_: object, **__: object) -> None:
    raise ZeroDivisionError("injected")


@pytest.mark.parametrize(
    ("place", "stored"),
    [
        ("arbiter.tournament.runner.Form.note", [1]),
        ("arbiter.tournament.runner.write_bundle", [1]),
        ("arbiter.tournament.runner.Agenda.end", [1]),
        ("arbiter.tournament.runner.Agenda.settle_ties", []),
        ("arbiter.tournament.runner.Agenda.is_last", []),
        ("arbiter.tournament.runner.Agenda.begin", []),
        ("arbiter.store.league.League.add", []),
    ],
)
def test_a_fault_elsewhere_stops_the_run_and_keeps_what_was_finished(
    house: House, monkeypatch: pytest.MonkeyPatch, place: str, stored: list[int]
) -> None:
    async def play(setup: GameSetup) -> GameResult:
        await trio.lowlevel.checkpoint()
        return ending(Termination.CRASH, Side.WHITE)

    with monkeypatch.context() as patch:
        patch.setattr(place, broken)
        with pytest.raises((BaseExceptionGroup, ZeroDivisionError)) as caught:
            house.run(play)
    assert {type(leaf) for leaf in leaves(caught.value)} == {ZeroDivisionError}
    assert [number for number, _, _ in house.stored()] == stored
    house.run(fair)
    assert [number for number, _, _ in house.stored()] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("kind", [GameStarted, PlayBegins, GameFinished])
def test_a_fault_of_who_watches_stops_the_run(house: House, kind: type) -> None:
    def watch(event: Event) -> None:
        if isinstance(event, kind):
            raise ZeroDivisionError("injected")

    with pytest.raises((BaseExceptionGroup, ZeroDivisionError)):
        house.run(fair, watch)
    assert [number for number, _, _ in house.stored()] == ([1] if kind is GameFinished else [])


def test_what_could_not_be_stored_for_want_of_a_thread_is_stored_at_the_end(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(trio.to_thread, "run_sync", refuse)
    with pytest.raises(BaseExceptionGroup) as caught:
        house.run(fair)
    (error,) = leaves(caught.value)
    assert lack_behind(error) is not None
    assert [number for number, _, _ in house.stored()] == [1]


def test_void_games_left_by_an_earlier_run_are_not_tried_for_ever(house: House) -> None:
    tries: Counter[str] = Counter()

    async def play(setup: GameSetup) -> GameResult:
        tries[setup.label] += 1
        return ending(Termination.VOID)

    for _ in range(3):
        house.run(play, max_failures=99)
    assert set(tries.values()) == {3}


def test_a_bot_that_fails_again_and_again_is_withdrawn(house: House) -> None:
    async def play(setup: GameSetup) -> GameResult:
        for side in Side:
            if setup.competitor(side).bot.name == "b":
                return ending(Termination.CRASH, side)
        return ending(Termination.NORMAL)

    house.run(play, rounds=5, max_failures=3)
    (withdrawn,) = [event for event in house.events if isinstance(event, BotWithdrawn)]
    reason = "failed 3 games, none finished in between, the last by crash: because"
    assert withdrawn == BotWithdrawn("b", reason, 17)
    ends = Counter(end for _, _, end in house.stored())
    assert ends == {Termination.CRASH: 3, Termination.NORMAL: 10}
    house.events.clear()
    house.run(play, rounds=5, max_failures=3)
    assert not any(isinstance(event, GameStarted) for event in house.events)


def test_one_good_game_makes_up_for_failures(house: House) -> None:
    played: Counter[str] = Counter()

    async def play(setup: GameSetup) -> GameResult:
        for side in Side:
            name = setup.competitor(side).bot.name
            if name == "b":
                played[name] += 1
                if played[name] % 3:
                    return ending(Termination.TIMEOUT, side)
        return ending(Termination.NORMAL)

    house.run(play, rounds=5, max_failures=3)
    assert not any(isinstance(event, BotWithdrawn) for event in house.events)
    assert len(list(house.stored())) == 30


def test_failures_in_a_row_are_remembered_across_runs(house: House) -> None:
    async def play(setup: GameSetup) -> GameResult:
        for side in Side:
            if setup.competitor(side).bot.name == "b":
                return ending(Termination.CRASH, side)
        return ending(Termination.NORMAL)

    house.run(play, max_failures=5)
    assert not any(isinstance(event, BotWithdrawn) for event in house.events)
    house.run(play, max_failures=5, rounds=2)
    assert [e.bot for e in house.events if isinstance(e, BotWithdrawn)] == ["b"]


async def white_crashes(setup: GameSetup) -> GameResult:
    await trio.lowlevel.checkpoint()
    return ending(Termination.CRASH, Side.WHITE)


def test_a_game_that_the_opponent_forfeits_makes_up_for_nothing(house: House) -> None:
    """Bots that all fail win by each other's failures, and are hopeless all the same."""
    house.run(white_crashes, rounds=5, max_failures=3)
    withdrawn = [event.bot for event in house.events if isinstance(event, BotWithdrawn)]
    assert len(withdrawn) == 2
    assert len(list(house.stored())) < 9


def test_what_the_opponent_forfeited_in_an_earlier_run_makes_up_for_nothing_either(house: House) -> None:
    house.run(white_crashes, max_failures=3, limit=4)
    assert not any(isinstance(event, BotWithdrawn) for event in house.events)
    house.run(white_crashes, max_failures=3, limit=8, rounds=2)
    assert [e.bot for e in house.events if isinstance(e, BotWithdrawn)] != []


@pytest.mark.parametrize("termination", [Termination.NORMAL, Termination.RESIGN])
def test_a_game_that_was_played_makes_up_for_failures(house: House, termination: Termination) -> None:
    async def play(setup: GameSetup) -> GameResult:
        await trio.lowlevel.checkpoint()
        if int(setup.label) % 3 == 0:
            return ending(termination, Side.BLACK if termination is Termination.RESIGN else None)
        return ending(Termination.CRASH, Side.WHITE)

    house.run(play, rounds=4, max_failures=3)
    assert not any(isinstance(event, BotWithdrawn) for event in house.events)
    assert len(list(house.stored())) == 24


def plays(setup: GameSetup, name: str) -> Side | None:
    return next((side for side in Side if setup.competitor(side).bot.name == name), None)


@pytest.mark.parametrize(("most", "late_fails"), [(4, False), (2, True)])
def test_the_order_in_which_games_ended_outlasts_the_run(house: House, most: int, late_fails: bool) -> None:
    """The first game of ``b`` ends last: by the numbers of the games it would be in other form."""
    begun, others_are_over = Counter[str](), trio.Event()

    def fate(side: Side, *, fails: bool) -> GameResult:
        return ending(Termination.CRASH, side) if fails else ending(Termination.NORMAL)

    async def first_run(setup: GameSetup) -> GameResult:
        if (side := plays(setup, "b")) is None:
            return await fair(setup)
        begun["b"] += 1
        if begun["b"] == 1:
            await others_are_over.wait()
            return fate(side, fails=late_fails)
        if begun["b"] == 4:
            others_are_over.set()
        return fate(side, fails=not late_fails)

    async def second_run(setup: GameSetup) -> GameResult:
        side = plays(setup, "b")
        return await fair(setup) if side is None else fate(side, fails=True)

    house.run(first_run, max_failures=most, concurrency=2)
    house.run(second_run, max_failures=most, rounds=2, limit=9)
    withdrawn = [event.bot for event in house.events if isinstance(event, BotWithdrawn)]
    assert withdrawn == (["b"] if late_fails else [])


def test_a_withdrawal_is_stored_with_the_game_that_led_to_it(house: House) -> None:
    """So that no end of a run comes between them."""
    seen: list[tuple[int, bool]] = []

    def watch(event: Event) -> None:
        if isinstance(event, GameFinished):
            with League.open_for_reading(house.directory) as league:
                seen.append((event.game.number, any(row["withdrawn"] for row in league.bots())))

    house.run(white_crashes, watch, max_failures=1, limit=1)
    assert seen == [(1, True)]


def test_a_try_that_was_to_be_repeated_is_no_failure_of_an_earlier_run(house: House) -> None:
    both_failed = replace(ending(Termination.VOID), both_failed=True)
    tries, second_began = Counter[str](), trio.Event()

    async def stopped(setup: GameSetup) -> GameResult:
        tries[setup.label] += 1
        if tries[setup.label] == 2:
            second_began.set()
            await trio.sleep_forever()
        return both_failed

    async def play(setup: GameSetup) -> GameResult:
        return both_failed

    house.run(stopped, stop=second_began, max_failures=2, limit=1)
    house.run(play, max_failures=2, limit=1)
    assert [attempt for _, attempt, _ in house.stored()] == [3]
    assert not any(isinstance(event, BotWithdrawn) for event in house.events)


def test_an_annulled_failure_is_forgiven(house: House) -> None:
    house.run(white_crashes, max_failures=4)
    with League.open_for_writing(house.directory) as league:
        for number in range(1, 7):
            league.annul(number, "power cut", "2026-11-29T21:10:03+00:00", replay=False)
    house.run(white_crashes, max_failures=4, rounds=2, limit=9)
    assert not any(isinstance(event, BotWithdrawn) for event in house.events)


def test_an_annulled_game_that_stays_void_was_played_again_all_the_same(house: House) -> None:
    house.run(fair)
    with League.open_for_writing(house.directory) as league:
        league.annul(2, "power cut", "2026-11-29T21:10:03+00:00", replay=True)

    async def play(setup: GameSetup) -> GameResult:
        await trio.lowlevel.checkpoint()
        return ending(Termination.VOID)

    house.run(play)
    with League.open_for_reading(house.directory) as league:
        table = league_table([league])
    assert "Game 2 was annulled and played again: power cut." in table.notes
    assert any("1 game void" in note for note in table.notes)


def test_both_at_fault_makes_a_void_game_and_counts_against_both(house: House) -> None:
    async def play(setup: GameSetup) -> GameResult:
        names = {setup.white.bot.name, setup.black.bot.name}
        both_failed = replace(ending(Termination.VOID), both_failed=True)
        return both_failed if names == {"a", "b"} else ending(Termination.NORMAL)

    house.run(play, max_failures=2)
    assert {e.bot for e in house.events if isinstance(e, BotWithdrawn)} == {"a", "b"}


def test_a_game_is_stored_before_anybody_hears_of_it(house: House) -> None:
    seen: list[int] = []

    def watch(event: Event) -> None:
        if isinstance(event, GameFinished):
            assert event.game.number in {number for number, _, _ in house.stored()}
            seen.append(event.game.number)

    house.run(fair, watch, rounds=3, concurrency=4)
    assert sorted(seen) == list(range(1, 19))


def test_stopping_keeps_what_was_finished_and_nothing_else(house: House) -> None:
    last_began = trio.Event()

    async def play(setup: GameSetup) -> GameResult:
        if int(setup.label) > 4:
            if setup.label == "6":
                last_began.set()
            await trio.sleep_forever()
        return ending(Termination.NORMAL)

    house.run(play, stop=last_began, rounds=2, concurrency=2)
    assert [number for number, _, _ in house.stored()] == [1, 2, 3, 4]


def test_a_limit_cuts_the_schedule_short(house: House) -> None:
    house.run(fair, rounds=1_000_000, limit=3)
    assert [number for number, _, _ in house.stored()] == [1, 2, 3]
    assert house.events[0] == PlayBegins(3, 0)


def test_seeds_differ_by_game_and_bot_and_not_by_run() -> None:
    seeds = {game_seed(1, number, name) for number in range(100) for name in NAMES}
    assert len(seeds) == 300
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert game_seed(1, 1, "a") == game_seed(1, 1, "a") != game_seed(2, 1, "a")
