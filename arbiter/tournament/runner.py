"""Playing the schedule: games side by side, each stored before anybody hears of it.

Void games are replayed; a bot that fails again and again is withdrawn; what was played in an
earlier run is not played again.
"""

import gc
import hashlib
import itertools
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import trio

from arbiter.isolation.affinity import share, usable_cores
from arbiter.match.bot import Bot
from arbiter.match.game import BotReport, Competitor, GameResult, GameSetup, PlyRecord
from arbiter.match.referee import play_game
from arbiter.match.termination import Termination
from arbiter.store import League, PlayedGame
from arbiter.tournament.bundle import bundle_directory, is_failed, write_bundle
from arbiter.tournament.config import Tournament
from arbiter.tournament.events import BotWithdrawn, GameFinished, GameStarted, PlayBegins, PlyPlayed, Watcher
from arbiter.tournament.schedule import Fixture, games_in_round_robin, round_robin
from protocol.rules import Position, Score, Side

ATTEMPTS = 3
"""A void game is replayed at most twice."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot that plays, and the fingerprint of its program."""

    bot: Bot
    hash: str


class Runner:
    """Plays what is left of one tournament."""

    def __init__(
        self,
        tournament: Tournament,
        seed: int,
        start: Position,
        entries: dict[str, Entry],
        league: League,
        watcher: Watcher,
        limit: int | None = None,
    ) -> None:
        """``entries`` are the bots that play, by name; others of the tournament are left out.

        ``limit`` is the number of the last game to be played.
        """
        self._tournament = tournament
        self._seed = seed
        self._start = start
        self._entries = entries
        self._league = league
        self._watch = watcher
        self._limit = limit
        self._tries: dict[int, int] = {}
        self._decided: set[int] = set()
        self._failures_in_a_row = dict.fromkeys(entries, 0)
        self._withdrawn = {row["name"] for row in league.bots() if row["withdrawn"]}
        self._begun: Counter[frozenset[str]] = Counter()
        self._unstored: list[_Parcel] = []
        self._has_unstored = trio.Event()
        self._database = trio.Lock()
        self._schedule = self._open_fixtures()
        self._cores = share(usable_cores(), tournament.concurrency) if tournament.affinity else []

    async def run(self) -> None:
        """Play until the schedule is through. On cancellation, finished games are still stored."""
        self._recall()
        self._watch(PlayBegins(*self._count()))
        # Full collections of a big heap would stop all clocks at once; what exists now stays anyway.
        gc.collect()
        gc.freeze()
        try:
            async with trio.open_nursery() as writing:
                writing.start_soon(self._keep_storing)
                async with trio.open_nursery() as playing:
                    for slot in range(self._tournament.concurrency):
                        playing.start_soon(self._play_games, self._cores[slot] if self._cores else ())
                writing.cancel_scope.cancel()
        finally:
            if self._unstored:
                parcels = self._take_unstored()
                self._write(parcels)
                self._tell(parcels)

    def _recall(self) -> None:
        """What earlier runs left: decided games, tries, and bots in trouble."""
        for number, tries, decided in self._league.attempts():
            self._tries[number] = tries
            if decided or tries >= ATTEMPTS:
                self._decided.add(number)
        for row in self._league.brief_games():
            self._begun[frozenset((row["white"], row["black"]))] += 1
            for side in ("white", "black"):
                termination = Termination(row["termination"])
                failed = row["both_failed"] or (row["offender"] == side and termination.is_forfeit)
                self._note_form(row[side], failed, termination)

    def _count(self) -> tuple[int, int]:
        total = games_in_round_robin(len(self._entries), self._tournament.rounds)
        total -= sum(self._open_games(name) for name in self._withdrawn)
        return min(total, self._limit or total), len(self._decided)

    def _open_games(self, name: str) -> int:
        """How many games of a bot have not begun, against others that still play."""
        others = self._entries.keys() - self._withdrawn - {name}
        return sum(2 * self._tournament.rounds - self._begun[frozenset((name, other))] for other in others)

    def _open_fixtures(self) -> Iterator[Fixture]:
        """The games still to be played. Every bot of the file has its place, so that numbers stay."""
        names = [bot.name for bot in self._tournament.bots]
        for fixture in itertools.islice(round_robin(names, self._tournament.rounds), self._limit):
            sides = {fixture.white, fixture.black}
            can_play = sides <= self._entries.keys() and sides.isdisjoint(self._withdrawn)
            if can_play and fixture.number not in self._decided:
                yield fixture

    # Playing

    async def _play_games(self, cores: tuple[int, ...]) -> None:
        for fixture in self._schedule:
            while not await self._play(fixture, cores):
                pass

    async def _play(self, fixture: Fixture, cores: tuple[int, ...]) -> bool:
        """Play one attempt; whether the game is over and done with."""
        attempt = self._tries.get(fixture.number, 0) + 1
        self._tries[fixture.number] = attempt
        self._begun[frozenset((fixture.white, fixture.black))] += attempt == 1
        self._watch(GameStarted(fixture, attempt))
        setup = self._setup(fixture, cores)
        outcome, at_fault = await self._play_or_void(setup, fixture)
        is_last = outcome.termination is not Termination.VOID or attempt >= ATTEMPTS
        await self._store(self._played(fixture, attempt, setup, outcome), setup)
        if is_last:
            for side in Side:
                self._note_form(getattr(fixture, side.word), side in at_fault, outcome.termination)
                await self._withdraw_if_hopeless(getattr(fixture, side.word), outcome)
        return is_last

    async def _play_or_void(self, setup: GameSetup, fixture: Fixture) -> tuple[GameResult, set[Side]]:
        """The game's result and the sides that failed; a fault of our own makes it void."""

        def observe(record: PlyRecord, position: Position) -> None:
            self._watch(PlyPlayed(fixture, record, position))

        try:
            outcome = await play_game(setup, observe)
        except Exception as error:
            return _void_result(setup, error), set()
        if outcome.termination is Termination.VOID:
            return outcome, set(Side) if outcome.both_failed else set()
        is_at_fault = outcome.offender is not None and outcome.termination.is_forfeit
        return outcome, {outcome.offender} if is_at_fault and outcome.offender is not None else set()

    def _setup(self, fixture: Fixture, cores: tuple[int, ...]) -> GameSetup:
        return GameSetup(
            white=self._competitor(fixture.white, fixture.number),
            black=self._competitor(fixture.black, fixture.number),
            start=self._start,
            label=str(fixture.number),
            depth=self._tournament.depth,
            nodes=self._tournament.nodes,
            charge_start=self._tournament.clock_from == "spawn",
            substitute=self._tournament.on_failure == "substitute",
            suspend_idle=self._tournament.suspend_idle,
            cores=cores,
        )

    def _competitor(self, name: str, number: int) -> Competitor:
        bot = self._entries[name].bot
        return Competitor(bot, bot.time or self._tournament.time, game_seed(self._seed, number, name))

    def _played(self, fixture: Fixture, attempt: int, setup: GameSetup, outcome: GameResult) -> PlayedGame:
        return PlayedGame(
            number=fixture.number,
            attempt=attempt,
            round=fixture.round,
            game=fixture.game,
            pair=fixture.pair,
            white=fixture.white,
            black=fixture.black,
            white_time=setup.white.time.header,
            black_time=setup.black.time.header,
            white_hash=self._entries[fixture.white].hash,
            black_hash=self._entries[fixture.black].hash,
            clock="/".join(dict.fromkeys(str(c.time.clock) for c in (setup.white, setup.black))),
            rules=str(setup.start.rules),
            start=None if self._start == Position.start(self._start.rules) else self._start.dpos,
            seed=self._seed,
            outcome=_without_info(outcome) if self._tournament.record == "lean" else outcome,
        )

    # Bots in trouble

    def _note_form(self, name: str, failed: bool, termination: Termination) -> None:
        """Count failures in a row; a void game says something only about those who made it void."""
        if failed:
            self._failures_in_a_row[name] = self._failures_in_a_row.get(name, 0) + 1
        elif termination is not Termination.VOID:
            self._failures_in_a_row[name] = 0

    async def _withdraw_if_hopeless(self, name: str, outcome: GameResult) -> None:
        if self._failures_in_a_row[name] < self._tournament.max_failures or name in self._withdrawn:
            return
        count = self._failures_in_a_row[name]
        reason = f"failed {count} games in a row, the last by {outcome.termination}: {outcome.detail}"
        self._withdrawn.add(name)
        async with self._database:
            await trio.to_thread.run_sync(self._league.withdraw, name, reason)
        self._watch(BotWithdrawn(name, reason, self._open_games(name)))

    # Storing

    async def _store(self, game: PlayedGame, setup: GameSetup) -> None:
        """Hand a game over and wait until it is stored and told."""
        parcel = _Parcel(game, setup, trio.Event())
        self._unstored.append(parcel)
        self._has_unstored.set()
        await parcel.is_stored.wait()

    async def _keep_storing(self) -> None:
        """Commit in groups, on another thread: waiting for the disk must not stop the clocks."""
        while True:
            await self._has_unstored.wait()
            parcels = self._take_unstored()
            with trio.CancelScope(shield=True):
                async with self._database:
                    await trio.to_thread.run_sync(self._write, parcels)
            self._tell(parcels)

    def _take_unstored(self) -> list["_Parcel"]:
        parcels, self._unstored = self._unstored, []
        self._has_unstored = trio.Event()
        return parcels

    def _write(self, parcels: list["_Parcel"]) -> None:
        for parcel in parcels:
            if is_failed(parcel.game):
                write_bundle(self._league.directory, parcel.game, parcel.setup, self._tournament.name)
        self._league.add([parcel.game for parcel in parcels])

    def _tell(self, parcels: list["_Parcel"]) -> None:
        for parcel in parcels:
            game = parcel.game
            bundle = bundle_directory(self._league.directory, game) if is_failed(game) else None
            self._watch(GameFinished(game, game.is_void and game.attempt < ATTEMPTS, bundle))
            parcel.is_stored.set()


@dataclass(frozen=True, slots=True, eq=False)
class _Parcel:
    """A finished game on its way to the store."""

    game: PlayedGame
    setup: GameSetup
    is_stored: trio.Event


def game_seed(seed: int, number: int, name: str) -> int:
    """The value of a bot's ``Seed`` option in one game: from 0 to 2^31 - 1, the same in every run."""
    digest = hashlib.sha256(f"{seed}/{number}/{name}".encode()).digest()
    return int.from_bytes(digest[:4], "big") & 0x7FFF_FFFF


def _void_result(setup: GameSetup, error: Exception) -> GameResult:
    """What is stored of a game that the arbiter itself broke off."""
    trace = "".join(traceback.format_exception(error))
    nothing = BotReport(identity={}, stderr="", notes=(), transcript=trace)
    return GameResult(
        result="*",
        termination=Termination.VOID,
        detail=f"fault of the arbiter: {_innermost(error)!r}",
        offender=None,
        plies=(),
        answer=None,
        score=Score(0, 0),
        final=setup.start.dpos,
        white=nothing,
        black=nothing,
        started_at=datetime.now(UTC).astimezone().isoformat(timespec="seconds"),
        seconds=0.0,
    )


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _without_info(outcome: GameResult) -> GameResult:
    """A lean record: plies and times, without what the bots said."""
    return replace(
        outcome,
        plies=tuple(replace(record, info={}) for record in outcome.plies),
        white=replace(outcome.white, stderr=""),
        black=replace(outcome.black, stderr=""),
    )
