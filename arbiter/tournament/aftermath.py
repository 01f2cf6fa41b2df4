"""What follows when a game is taken out of a tournament."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arbiter.rating.table import Annulment
from arbiter.store import League
from arbiter.tournament.course import Course, annulments


def aftermath(league: League, game: Mapping[str, Any]) -> Iterator[str]:
    """Lines about a game that was just annulled, a row of the store: whether it is played again, what
    becomes of its tie in a knockout or of a test, and which rounds stay though its result led to them.
    """
    course = Course.of(league)
    *_, annulment = (each for each in annulments(league) if each.number == game["number"])
    yield _replay(annulment, _left_out(league, game))
    since = "until then" if annulment.replayed else "without it"
    rounds = course.drawn_after(game["round"])
    for tie in course.ties:
        if tie.round == game["round"] and {tie.one, tie.other} == {game["white"], game["black"]}:
            goes_on = "" if tie.is_over or tie.pending else ": the next `arbiter run` plays on"
            yield f"{since} {tie}{goes_on}"
    if course.test is not None:
        yield f"{since} the test is at {course.test.line}"
    if rounds:
        yield _rounds(rounds)


def _left_out(league: League, game: Mapping[str, Any]) -> list[str]:
    """Those of its players that the last run left out."""
    players = game["white"], game["black"]
    return [row["name"] for row in league.bots() if row["left_out"] and row["name"] in players]


def _replay(annulment: Annulment, left_out: Sequence[str]) -> str:
    if not annulment.replayed:
        return "it is not played again"
    condition = f" in which {' and '.join(left_out)} play{'s' * (len(left_out) == 1)}" if left_out else ""
    return f"it is played again by the next `arbiter run` of this tournament{condition}"


def _rounds(rounds: Sequence[int]) -> str:
    if len(rounds) == 1:
        return f"round {rounds[0]} stays as it was drawn"
    return f"rounds {rounds[0]} {'and' if len(rounds) == 2 else 'to'} {rounds[-1]} stay as they were drawn"
