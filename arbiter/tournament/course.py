"""How a tournament stands by its format: from what is stored, and while games go on."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Self

from arbiter.rating.outcome import Outcome
from arbiter.rating.sprt import Sprt, SprtProgress
from arbiter.rating.table import Annulment, Readmission
from arbiter.rating.tiebreaks import Ranking
from arbiter.store import League
from arbiter.tournament import remarks
from arbiter.tournament.agenda import is_over
from arbiter.tournament.formats import Format, Knockout, SprtMatch, Swiss, Tie
from arbiter.tournament.formats.swiss import free_points
from arbiter.tournament.outcomes import outcomes
from arbiter.tournament.schedule import Stage


class Course:
    """What the format of a tournament makes of its stored games.

    It has to be told of all of them with ``note`` before it can be asked. Games of several tournaments,
    None, have no format.
    """

    def __init__(self, league: League | None) -> None:
        config = (league and league.get("config")) or {}
        self._names = [bot["name"] for bot in config.get("bots", ())]
        self._format = _format(config, self._names)
        self._over = _over(league) if league and self._format.needs_results else set()
        self._gone = {
            row["name"]
            for row in (league.bots() if league else ())
            if row["withdrawn"] or row["left_out"] or row["retired"]
        }
        self.stages = [Stage.from_json(stage) for stage in (league and league.get("stages")) or []]

    @classmethod
    def of(cls, league: League) -> Self:
        """After all games that a league has stored; to read them takes its time, if the format cares."""
        course = cls(league)
        if course._format.needs_results:
            deque(outcomes([league], course.note), maxlen=0)
        return course

    def note(self, round_number: int, outcome: Outcome) -> None:
        """Learn of a game. As in a run, those count that are over: others may be played again."""
        if outcome.number in self._over:
            self._format.note(round_number, outcome)

    @property
    def test(self) -> SprtProgress | None:
        """Where a sequential test stands."""
        return self._format.progress if isinstance(self._format, SprtMatch) else None

    @property
    def ties(self) -> list[Tie]:
        """The ties of a knockout, round by round."""
        if not isinstance(self._format, Knockout):
            return []
        return self._format.ties(self.stages, self._present)

    def ties_among(self, bots: Collection[str]) -> list[Tie]:
        """Those between two of these."""
        return [tie for tie in self.ties if {tie.one, tie.other} <= set(bots)]

    def drawn_after(self, round_number: int) -> list[int]:
        """The rounds after this one, where results led to them."""
        if not isinstance(self._format, Knockout | Swiss):
            return []
        return sorted({stage.last for stage in self.stages if stage.last > round_number})

    @property
    def ranking(self) -> Ranking:
        """How the format ranks the bots."""
        if isinstance(self._format, Knockout):
            return Ranking("knockout", survived=self._format.survived(self.stages, self._present))
        if isinstance(self._format, Swiss):
            return Ranking("swiss", free=self._format.free(self.stages, self._gone))
        return Ranking()

    def test_among(self, bots: Collection[str]) -> SprtProgress | None:
        """Where a sequential test stands, if it is between some of these."""
        return self.test if set(self._names) <= set(bots) else None

    def remarks(self, bots: Collection[str]) -> list[str]:
        """What the format has to say below a table of these bots."""
        test = self.test_among(bots)
        if test is not None:
            return list(remarks.verdict((self._names[0], self._names[1]), test))
        return remarks.ties(self.ties_among(bots))

    @property
    def _present(self) -> set[str]:
        return {bot for stage in self.stages for bot in stage.bots} - self._gone


def annulments(league: League) -> Iterator[Annulment]:
    """The games that were taken out, and what became of them."""
    rows = league.annulments()
    over = _over(league) if rows else set()
    left = {row["name"] for row in league.bots() if row["withdrawn"] or row["retired"]}
    last = {row["number"]: row["attempt"] for row in rows}
    for row in rows:
        number, attempt, replayed = row["number"], row["attempt"], bool(row["replay"])
        again = replayed and (number in over or attempt < last[number])
        missing = [bot for bot in (row["white"], row["black"]) if bot in left and replayed and not again]
        game = number, attempt, row["white"], row["black"]
        yield Annulment(*game, row["why"], row["at"], replayed, again, (*missing, None)[0])


def readmissions(league: League) -> Iterator[Readmission]:
    """The bots that were withdrawn and came back, each time."""
    for each in league.readmissions():
        forgiven = tuple((number, attempt) for number, attempt in each["forgiven"])
        yield Readmission(each["bot"], each["at"], each["withdrawn"], forgiven)


def _over(league: League) -> set[int]:
    return {game.number for game in league.attempts() if is_over(game)}


def _format(config: Mapping[str, Any], names: Sequence[str]) -> Format:
    """The format of a tournament, as far as it has something to say of games that are over."""
    match config.get("format"):
        case "knockout":
            return Knockout(config["seeds"], config["best_of"])
        case "sprt":
            return SprtMatch((names[0], names[1]), Sprt(**config["sprt"]), config["max_pairs"])
        case "swiss":
            return Swiss(names, config["rounds"])
    return Format()


def interim_ranking(form: str, stages: Sequence[Stage]) -> Ranking:
    """The ranking while games go on, from what was drawn so far: nobody is gone, no open tie is decided."""
    if form == "swiss":
        return Ranking("swiss", free=free_points(stages, {}, gone=()))
    if form == "knockout":
        survived: dict[str, int] = {}
        for stage in stages:
            survived |= dict.fromkeys(stage.bots, stage.last - 1) | dict.fromkeys(stage.byes, stage.last)
        return Ranking("knockout", survived=survived)
    return Ranking()
