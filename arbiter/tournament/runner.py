"""Playing the schedule: games side by side, each stored before anybody hears of it.

Void games are replayed; a bot that fails again and again is withdrawn; what was played in an
earlier run is not played again.
"""

import gc
import hashlib
from dataclasses import dataclass, field, replace

import trio

from arbiter.isolation.affinity import share, usable_cores
from arbiter.isolation.resources import ResourceError
from arbiter.match.bot import Bot
from arbiter.match.dialogue import Said
from arbiter.match.driver import play_game
from arbiter.match.game import Competitor, GameResult, GameSetup, PlyRecord
from arbiter.store import League, PlayedGame, StoreError, explaining
from arbiter.tournament.agenda import Agenda
from arbiter.tournament.bundle import bundle_directory, is_failed, write_bundle
from arbiter.tournament.config import Tournament
from arbiter.tournament.events import (
    BotWithdrawn,
    GameFinished,
    GameStarted,
    Notice,
    Overheard,
    PlayBegins,
    PlyPlayed,
    SprtAdvanced,
    StageDrawn,
    TieSettled,
    Watcher,
)
from arbiter.tournament.form import Form
from arbiter.tournament.openings import Openings
from arbiter.tournament.room import Room
from arbiter.tournament.schedule import Fixture
from protocol.rules import Position


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
        openings: Openings,
        entries: dict[str, Entry],
        league: League,
        watcher: Watcher,
        limit: int | None = None,
        *,
        overhear: bool = False,
    ) -> None:
        """``entries`` are the bots that play, by name; others of the tournament are left out.

        ``limit`` is the number of the last game to be played; ``overhear``: whether the watcher wants
        to hear all that is said.
        """
        self._tournament = tournament
        self._seed = seed
        self._openings = openings
        self._entries = entries
        self._league = league
        self._watch = watcher
        self._overhears = overhear
        self._form = Form(league, tournament.max_failures)
        self._agenda = Agenda(tournament, entries.keys() - self._form.withdrawn, league, limit)
        self._keep_stages()
        self._test = self._agenda.test
        self._under_way = 0
        self._game_is_over = trio.Event()
        self._unstored: list[_Parcel] = []
        self._has_unstored = trio.Event()
        self._room = Room(tournament.concurrency)
        self._cores = share(usable_cores(), tournament.concurrency) if tournament.affinity else []

    async def run(self) -> None:
        """Play until the schedule is through.

        On cancellation finished games are still stored, and on an error as well: what the machine lacks
        and faults of the arbiter stop all games at once, for neither says anything of a bot, and a game
        that went on might blame one for it. Those under way count as not played.
        """
        agenda = self._agenda
        for line in agenda.latecomers:
            self._watch(Notice(line, is_warning=True))
        self._watch(PlayBegins(agenda.total, agenda.done, agenda.may_grow))
        # Full collections of a big heap would stop all clocks at once; what exists now stays anyway.
        gc.collect()
        gc.freeze()
        try:
            async with trio.open_nursery() as writing:
                writing.start_soon(self._keep_storing)
                async with trio.open_nursery() as playing:
                    for slot in range(self._tournament.concurrency):
                        cores = self._cores[slot] if self._cores else ()
                        playing.start_soon(self._play_games, cores, playing.cancel_scope)
                writing.cancel_scope.cancel()
        finally:
            if parcels := list(self._unstored):
                self._write(parcels)
                self._tell(parcels)

    def _keep_stages(self) -> None:
        """Put what is drawn on record before any of its games."""
        self._league.put(stages=[stage.as_json() for stage in self._agenda.stages])

    async def _next_fixture(self) -> Fixture | None:
        """The next game; waits for results on which it depends. None when there is none."""
        while (fixture := self._agenda.next()) is None:
            if self._under_way:
                await self._game_is_over.wait()
                continue
            drawn = self._agenda.draw()
            if not drawn:
                return None
            self._keep_stages()
            for stage in drawn:
                self._watch(StageDrawn(stage, self._agenda.total))
        return fixture

    # Playing

    async def _play_games(self, cores: tuple[int, ...], playing: trio.CancelScope) -> None:
        while (fixture := await self._next_fixture()) is not None:
            self._under_way += 1
            await self._play_out(fixture, cores)
            self._under_way -= 1
            self._game_is_over.set()
            self._game_is_over = trio.Event()
            if self._agenda.is_decided:
                # Games beyond the decision would only take time.
                playing.cancel()

    async def _play_out(self, fixture: Fixture, cores: tuple[int, ...]) -> None:
        """Play a game until it is over, or one of its bots was withdrawn. What the machine may have spoilt
        twice is played alone.
        """
        is_over = False
        while not is_over:
            is_alone = self._agenda.is_last_chance(fixture) and self._tournament.concurrency > 1
            if is_alone:
                self._watch(
                    Notice(f"game {fixture.number} was void twice: it is played without others beside it")
                )
            async with self._room.place(alone=is_alone):
                is_over = not self._agenda.can_play(fixture) or await self._play(fixture, cores)

    async def _play(self, fixture: Fixture, cores: tuple[int, ...]) -> bool:
        """Play one attempt; whether no other one follows."""
        attempt = self._agenda.begin(fixture)
        self._watch(GameStarted(fixture, attempt))
        opening = self._openings[fixture.meeting]
        setup = self._setup(fixture, opening.position, cores)
        outcome = await self._play_setup(setup, fixture)
        game = self._played(fixture, attempt, setup, outcome, opening.name)
        is_over = await self._store(game, setup, is_last=self._agenda.is_last(game))
        self._agenda.end(game)
        if is_over:
            self._tell_test()
            for tie in self._agenda.settle_ties():
                self._watch(TieSettled(tie))
        return is_over

    def _tell_test(self) -> None:
        """Say where a sequential test stands whenever a pair is complete."""
        if self._agenda.test not in (None, self._test):
            self._test = self._agenda.test
            self._watch(SprtAdvanced(self._test))

    async def _play_setup(self, setup: GameSetup, fixture: Fixture) -> GameResult:
        def observe(record: PlyRecord, position: Position) -> None:
            self._watch(PlyPlayed(fixture, record, position))

        def overhear(said: Said) -> None:
            self._watch(Overheard(fixture, said))

        return await play_game(setup, observe, overhear if self._overhears else None)

    def _setup(self, fixture: Fixture, start: Position, cores: tuple[int, ...]) -> GameSetup:
        return GameSetup(
            white=self._competitor(fixture.white, fixture.number),
            black=self._competitor(fixture.black, fixture.number),
            start=start,
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

    def _played(
        self, fixture: Fixture, attempt: int, setup: GameSetup, outcome: GameResult, opening: str | None
    ) -> PlayedGame:
        start = setup.start
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
            rules=str(start.rules),
            start=None if start == Position.start(start.rules) else start.dpos,
            seed=self._seed,
            outcome=_without_info(outcome) if self._tournament.record == "lean" else outcome,
            opening=opening,
        )

    # Storing

    async def _store(self, game: PlayedGame, setup: GameSetup, *, is_last: bool) -> bool:
        """Hand an attempt over and wait until it is stored and told, with the withdrawals that follow from
        it: no end of the run comes between them. Returns whether no other attempt follows.
        """
        parcel = _Parcel(game, setup, is_last)
        self._unstored.append(parcel)  # before anything else can go wrong
        parcel.withdrawn.update(self._form.note(game, is_last=is_last))
        self._has_unstored.set()
        await parcel.is_stored.wait()
        return not parcel.is_replayed

    async def _keep_storing(self) -> None:
        """Commit in groups, on another thread: waiting for the disk must not stop the clocks."""
        while True:
            await self._has_unstored.wait()
            self._has_unstored = trio.Event()
            parcels = list(self._unstored)
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self._write, parcels)
            self._tell(parcels)

    def _write(self, parcels: list["_Parcel"]) -> None:
        """Store games. A fault of ours in a bundle keeps none from being stored; what the disk refuses does:
        each failed game that is stored has its bundle.
        """
        fault: Exception | None = None
        try:
            self._write_bundles(parcels)
        except (StoreError, ResourceError):
            raise
        except Exception as caught:
            fault = caught
        withdrawn = {name: why for parcel in parcels for name, why in parcel.withdrawn.items()}
        self._league.add([parcel.game for parcel in parcels], withdrawn)
        for parcel in parcels:
            self._unstored.remove(parcel)
        if fault is not None:
            raise fault

    def _write_bundles(self, parcels: list["_Parcel"]) -> None:
        with explaining(self._league.directory):
            for parcel in parcels:
                if is_failed(parcel.game):
                    write_bundle(self._league.directory, parcel.game, parcel.setup, self._tournament.name)

    def _tell(self, parcels: list["_Parcel"]) -> None:
        for parcel in parcels:
            game = parcel.game
            bundle = bundle_directory(self._league.directory, game) if is_failed(game) else None
            self._watch(GameFinished(game, parcel.is_replayed, bundle))
            for name, reason in parcel.withdrawn.items():
                self._agenda.present.discard(name)
                self._watch(BotWithdrawn(name, reason, self._agenda.open_games(name)))
            parcel.is_stored.set()


@dataclass(frozen=True, slots=True, eq=False)
class _Parcel:
    """A finished attempt on its way to the store; ``is_last``: the game is over with it; ``withdrawn``: the
    bots that play no more, and why.
    """

    game: PlayedGame
    setup: GameSetup
    is_last: bool
    withdrawn: dict[str, str] = field(default_factory=dict)
    is_stored: trio.Event = field(default_factory=trio.Event)

    @property
    def is_replayed(self) -> bool:
        """Whether another attempt follows: not without its bots."""
        return not (self.is_last or self.withdrawn)


def game_seed(seed: int, number: int, name: str) -> int:
    """The value of a bot's ``Seed`` option in one game: from 0 to 2^31 - 1, the same in every run."""
    digest = hashlib.sha256(f"{seed}/{number}/{name}".encode()).digest()
    return int.from_bytes(digest[:4], "big") & 0x7FFF_FFFF


def _without_info(outcome: GameResult) -> GameResult:
    """A lean record: plies and times, without what the bots said."""
    return replace(
        outcome,
        plies=tuple(replace(record, info={}) for record in outcome.plies),
        white=replace(outcome.white, stderr=""),
        black=replace(outcome.black, stderr=""),
    )
