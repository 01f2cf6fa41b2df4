"""Which bots are in trouble: one that fails again and again without finishing a game between is withdrawn."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from arbiter.match.termination import Termination
from arbiter.store import League, PlayedGame, damaged_game, fault_of
from arbiter.tournament.agenda import is_over


class _Ending(NamedTuple):
    """As much of an attempt's end as tells who failed; ``offender`` and ``culprit`` are words for a side, the
    latter for one that computed in its opponent's turn when the machine made the opponent late.

    ``is_last``: whether the game is over with it; what is to be replayed counts against a culprit only.
    """

    white: str
    black: str
    termination: Termination
    offender: str | None
    both_failed: bool
    culprit: str
    is_last: bool

    def players(self) -> Iterator[tuple[str, bool]]:
        """Both bots, each with whether it failed."""
        for side, name in (("white", self.white), ("black", self.black)):
            yield name, self.culprit == side or (self.is_last and self._has_failed(side))

    def _has_failed(self, side: str) -> bool:
        return self.both_failed or (self.offender == side and self.termination.is_forfeit)


class Form:
    """The failures in a row of every bot of a league, in the order in which its games ended.

    ``withdrawn`` are the bots that play no more.
    """

    def __init__(self, league: League, max_failures: int) -> None:
        self._most = max_failures
        self._failures: Counter[str] = Counter()
        self.withdrawn = {row["name"] for row in league.bots() if row["withdrawn"]}
        self._recall(league)

    def note(self, game: PlayedGame, *, is_last: bool) -> dict[str, str]:
        """Learn of an attempt, the last one when the game is over with it; the bots that have to be withdrawn
        for it, with the reasons.
        """
        ending = _of_game(game, is_last=is_last)
        self._count(ending)
        hopeless = {
            name: _reason(self._failures[name], game, is_culprit=side == ending.culprit)
            for side, name in (("white", game.white), ("black", game.black))
            if self._failures[name] >= self._most and name not in self.withdrawn
        }
        self.withdrawn.update(hopeless)
        return hopeless

    def _recall(self, league: League) -> None:
        """What earlier runs left; a game that was taken out blames nobody, one that was forgiven not the bot
        that came back, and of one that is to be played again only a culprit.
        """
        forgiven = {(each["bot"], *game) for each in league.readmissions() for game in each["forgiven"]}
        last = {game.number: game.last for game in league.attempts() if is_over(game)}
        for row in league.endings():
            number, attempt = row["number"], row["attempt"]
            ending = _of_row(row, last.get(number) == attempt, league.directory)
            players = (ending.white, ending.black)
            self._count(ending, {name for name in players if (name, number, attempt) in forgiven})

    def _count(self, ending: _Ending, forgiven: Collection[str] = ()) -> None:
        """Count failures since a game that was finished; one that was not says something only about who
        failed: against a bot that fails, too, one wins without having shown anything.
        """
        for name, failed in ending.players():
            if name in forgiven:
                continue
            if failed:
                self._failures[name] += 1
            elif ending.termination in (Termination.NORMAL, Termination.RESIGN):
                self._failures[name] = 0


def _of_game(game: PlayedGame, is_last: bool) -> _Ending:
    outcome = game.outcome
    offender = None if outcome.offender is None else outcome.offender.word
    culprit = "" if outcome.fault is None else outcome.fault.text("culprit")
    return _Ending(
        game.white, game.black, outcome.termination, offender, outcome.both_failed, culprit, is_last
    )


def _of_row(row: Mapping[str, Any], is_last: bool, directory: Path) -> _Ending:
    """Raises StoreError when the row makes no sense; ``directory`` is where its database lies."""
    try:
        fault, termination = fault_of(row), Termination(row["termination"])
    except (ValueError, TypeError, KeyError) as error:
        raise damaged_game(directory, row["number"], error) from error
    culprit = "" if fault is None else fault.text("culprit")
    failed = row["offender"], bool(row["both_failed"])
    return _Ending(row["white"], row["black"], termination, *failed, culprit, is_last)


def _reason(count: int, last: PlayedGame, *, is_culprit: bool) -> str:
    games = f"{count} game{'' if count == 1 else 's'}"
    outcome = last.outcome
    how = "computing in its opponent's turn" if is_culprit else str(outcome.termination)
    return f"failed {games}, none finished in between, the last by {how}: {outcome.detail}"
