"""What was played of a tournament, and what comes next."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from arbiter.rating.sprt import SprtProgress
from arbiter.store import Attempts, PlayedGame
from arbiter.tournament.config import Tournament
from arbiter.tournament.formats import Knockout, SprtMatch, Tie, format_of
from arbiter.tournament.outcomes import outcome_of_game, outcome_of_row
from arbiter.tournament.schedule import Fixture, Schedule, Stage

ATTEMPTS = 3
"""A void game is replayed at most twice."""


def is_over(game: Attempts) -> bool:
    """Whether a game is over and done with: it counts, was taken out for good, or was void too often."""
    return game.decided or game.void >= ATTEMPTS


class Past(Protocol):
    """What earlier runs left, as an agenda asks for it: the store has it all."""

    @property
    def directory(self) -> Path: ...

    def get(self, key: str) -> Any: ...

    def attempts(self) -> Iterator[Attempts]: ...

    def encounters(self) -> list[tuple[str, str, int]]: ...

    def brief_games(self) -> Iterator[Mapping[str, Any]]: ...


class Agenda:
    """The schedule of one tournament, with what its format adds as results come in.

    ``present``: the bots that can play; remove those that cannot any more. ``past`` is what earlier
    runs left, None before the first one; it is only read: ``stages`` are for others to store before any
    game of them is played. ``limit``: the number of the last game to be played.
    """

    def __init__(
        self, tournament: Tournament, present: set[str], past: Past | None, limit: int | None = None
    ) -> None:
        self.present = present
        self._limit = limit
        self._bots = [bot.name for bot in tournament.bots]
        self._format = format_of(tournament)
        self._schedule = Schedule(map(Stage.from_json, (past.get("stages") if past else None) or []))
        self._attempts: dict[int, int] = {}
        self._voids: Counter[int] = Counter()
        self._over: set[int] = set()
        self._begun: Counter[frozenset[str]] = Counter()
        self._to_replay: set[int] = set()
        if past is not None:
            self._recall(past)
        self._extend(self._format.extend(self._schedule.stages))
        self._open = self._open_fixtures(0)
        self._settled: set[tuple[int, str]] = set()
        self.settle_ties()

    @property
    def stages(self) -> Sequence[Stage]:
        """All that was drawn so far."""
        return self._schedule.stages

    @property
    def done(self) -> int:
        """How many games are over and done with."""
        return len(self._over)

    @property
    def total(self) -> int | None:
        """Games that were played or can be, and those that are still to be drawn; None when only the
        results will tell.
        """
        if self._format.is_open_ended:
            return None
        planned = self._schedule.planned.items()
        still_open = sum(max(0, n - self._begun[both]) for both, n in planned if both <= self.present)
        total = self._begun.total() + still_open
        total += self._format.undrawn(self._schedule.stages, self.present)
        return min(total, self._limit or total)

    @property
    def may_grow(self) -> bool:
        """Whether the total is only the least that there can be."""
        return self._format.may_grow and self.done != self.total

    @property
    def is_decided(self) -> bool:
        """Whether no further game is wanted."""
        return self._format.is_decided

    @property
    def test(self) -> SprtProgress | None:
        """Where the sequential test stands, if the format is one."""
        return self._format.progress if isinstance(self._format, SprtMatch) else None

    def settle_ties(self) -> list[Tie]:
        """The ties of a knockout that are over and were not when this was asked before."""
        if not isinstance(self._format, Knockout):
            return []
        ties = self._format.ties(self._schedule.stages, self.present)
        settled = [tie for tie in ties if self._is_settled(tie) and (tie.round, tie.one) not in self._settled]
        self._settled.update((tie.round, tie.one) for tie in settled)
        return settled

    def _is_settled(self, tie: Tie) -> bool:
        """Whether a tie is over and its last game, too: the second of a pair is played in any case."""
        return tie.is_over and not (tie.pending and {tie.one, tie.other} <= self.present)

    @property
    def latecomers(self) -> list[str]:
        """Lines about bots that can play, and will not: nothing is drawn for them any more."""
        stages = self._schedule.stages
        why = self._format.closed(stages)
        drawn = {bot for stage in stages for bot in stage.bots}
        return [f"{bot} is left out: {why}" for bot in self._bots if why and bot in self.present - drawn]

    def open_games(self, name: str) -> int:
        """How many games of a bot have not begun, against others that still play."""
        pairings = (frozenset((name, other)) for other in self.present - {name})
        return sum(max(0, self._schedule.planned[both] - self._begun[both]) for both in pairings)

    def next(self) -> Fixture | None:
        """The next game of those drawn so far."""
        return None if self.is_decided else next(self._open, None)

    def draw(self) -> list[Stage]:
        """What the format adds once all games are over; nothing at the end of the tournament."""
        if self.is_decided:
            return []
        known = len(self._schedule.stages)
        drawn = self._format.draw(self._schedule.stages, self.present)
        self._extend(drawn)
        self._open = self._open_fixtures(known)
        return drawn

    def coming(self) -> Iterator[Fixture]:
        """The games to be played next, as far as they are known before any of them is over; for a look only,
        since they are not given a second time.
        """
        while (fixture := self.next()) is None:
            if not self.draw():
                return
        while fixture is not None:
            yield fixture
            fixture = self.next()

    def can_play(self, fixture: Fixture) -> bool:
        """Whether both of its bots still play."""
        return {fixture.white, fixture.black} <= self.present

    def is_last_chance(self, fixture: Fixture) -> bool:
        """Whether a game that ends void once more is not replayed."""
        return self._voids[fixture.number] + 1 >= ATTEMPTS

    def begin(self, fixture: Fixture) -> int:
        """Count a try at a game; its number from 1."""
        attempt = self._attempts.get(fixture.number, 0) + 1
        self._attempts[fixture.number] = attempt
        is_new = attempt == 1 or fixture.number in self._to_replay
        self._to_replay.discard(fixture.number)
        self._begun[frozenset((fixture.white, fixture.black))] += is_new
        return attempt

    def is_last(self, game: PlayedGame) -> bool:
        """Whether a game is over with this try: it counts, or was void too often."""
        return not game.is_void or self._voids[game.number] + 1 >= ATTEMPTS

    def end(self, game: PlayedGame) -> None:
        """Learn how a try ended, once it is stored; one that is to be replayed has not begun."""
        is_last, players = self.is_last(game), frozenset((game.white, game.black))
        if game.is_void:
            self._voids[game.number] += 1
        if is_last:
            self._over.add(game.number)
            self._format.note(game.round, outcome_of_game(game))
        elif players <= self.present:
            self._to_replay.add(game.number)
            self._begun[players] -= 1

    def _recall(self, past: Past) -> None:
        """What earlier runs left."""
        for game in past.attempts():
            self._attempts[game.number] = game.last
            if game.void:
                self._voids[game.number] = game.void
            if is_over(game):
                self._over.add(game.number)
        for white, black, games in past.encounters():
            self._begun[frozenset((white, black))] += games
        # Reading every game takes its time, for nothing if the format does not care.
        for row in past.brief_games() if self._format.needs_results else ():
            if row["number"] in self._over:
                self._format.note(row["round"], outcome_of_row(row, past.directory))

    def _extend(self, stages: Iterable[Stage]) -> None:
        """Put stages at the end of the schedule."""
        for stage in stages:
            self._schedule.add(stage)

    def _open_fixtures(self, first_stage: int) -> Iterator[Fixture]:
        """The games still to be played, from a stage on."""
        for fixture in self._schedule.fixtures(first_stage, self._limit or None):
            if {fixture.white, fixture.black} <= self.present and fixture.number not in self._over:
                yield fixture
