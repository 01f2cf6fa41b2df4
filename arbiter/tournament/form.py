"""Which bots are in trouble: one that fails again and again without finishing a game between is withdrawn."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from arbiter.match.termination import Termination
from arbiter.store import League, PlayedGame
from arbiter.tournament.agenda import is_over


class _Ending(NamedTuple):
    """As much of a game's end as tells who failed; ``offender`` is the word for a side."""

    white: str
    black: str
    termination: Termination
    offender: str | None
    both_failed: bool

    def players(self) -> Iterator[tuple[str, bool]]:
        """Both bots, each with whether it failed."""
        for side, name in (("white", self.white), ("black", self.black)):
            yield name, self.both_failed or (self.offender == side and self.termination.is_forfeit)


class Form:
    """The failures in a row of every bot of a league, in the order in which its games ended.

    ``withdrawn`` are the bots that play no more.
    """

    def __init__(self, league: League, max_failures: int) -> None:
        self._most = max_failures
        self._failures: Counter[str] = Counter()
        self.withdrawn = {row["name"] for row in league.bots() if row["withdrawn"]}
        self._recall(league)

    def note(self, game: PlayedGame) -> dict[str, str]:
        """Learn of a game that is over; the bots that have to be withdrawn for it, with the reasons."""
        outcome = game.outcome
        offender = None if outcome.offender is None else outcome.offender.word
        ending = _Ending(game.white, game.black, outcome.termination, offender, outcome.both_failed)
        for name, failed in ending.players():
            self._count(name, ending.termination, failed=failed)
        hopeless = {
            name: _reason(self._failures[name], game)
            for name in (game.white, game.black)
            if self._failures[name] >= self._most and name not in self.withdrawn
        }
        self.withdrawn.update(hopeless)
        return hopeless

    def _recall(self, league: League) -> None:
        """What earlier runs left; a game that was taken out blames nobody, one that was forgiven not the bot
        that came back, and one that is to be played again has not ended.
        """
        forgiven = {(each["bot"], *game) for each in league.readmissions() for game in each["forgiven"]}
        over = {game.number for game in league.attempts() if is_over(game)}
        for row in league.endings():
            if row["number"] not in over or row["annulled"] is not None:
                continue
            ending = _of_row(row)
            for name, failed in ending.players():
                if (name, row["number"], row["attempt"]) not in forgiven:
                    self._count(name, ending.termination, failed=failed)

    def _count(self, name: str, termination: Termination, *, failed: bool) -> None:
        """Count failures since a game that was finished; one that was not says something only about who
        failed: against a bot that fails, too, one wins without having shown anything.
        """
        if failed:
            self._failures[name] += 1
        elif termination in (Termination.NORMAL, Termination.RESIGN):
            self._failures[name] = 0


def _of_row(row: Mapping[str, Any]) -> _Ending:
    return _Ending(
        row["white"], row["black"], Termination(row["termination"]), row["offender"], bool(row["both_failed"])
    )


def _reason(count: int, last: PlayedGame) -> str:
    games = f"{count} game{'' if count == 1 else 's'}"
    outcome = last.outcome
    return f"failed {games}, none finished in between, the last by {outcome.termination}: {outcome.detail}"
