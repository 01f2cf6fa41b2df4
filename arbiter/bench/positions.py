"""Positions to put to bots: of every phase, by chance from a seed, or out of recorded games."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from math import inf

from arbiter.tournament.openings import Openings
from arbiter.tournament.openings.chance import Chance
from protocol.records import Record, replay_until_fault
from protocol.rules import SPACES, Ply, Position, Rules, Side
from protocol.rules import Phase as RulesPhase

_TRIES = 50
"""How often in a row no new position may come up before there are held to be no more."""
_OF_PLACEMENT = 5
"""Every fifth position is one of the placement, where less is decided."""
_LONG = 40
"""Plies after which most games from a full board are nearly over."""
_FEW = 12
_EARLY, _LATE = 33, 16
"""Stacks on the board: with more it is early, with no more than the second late."""


class Phase(StrEnum):
    """How far a game has come."""

    PLACEMENT = "placement"
    EARLY = "early"
    MIDDLE = "middle"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Question:
    """A position with more than one legal ply, and how it came about: ``plies`` from ``start`` on.

    ``place`` says where it is from, such as ``game 12, ply 57``.
    """

    position: Position
    start: Position
    plies: tuple[str, ...]
    place: str = ""

    @property
    def number(self) -> int:
        """Of the ply that is asked for, from 1."""
        return len(self.plies) + 1

    @property
    def phase(self) -> Phase:
        if self.position.phase is RulesPhase.PLACEMENT:
            return Phase.PLACEMENT
        stacks = len(self.position.stacks())
        return Phase.EARLY if stacks > _EARLY else Phase.LATE if stacks <= _LATE else Phase.MIDDLE


def made_positions(amount: int, seed: int, openings: Openings | None = None) -> list[Question]:
    """So many different positions that depend on the seed alone, fewer where there are not so many.

    They come from games in which each ply is drawn, or the one of a few that gains most at once, with
    the same chance: so they look like positions of real games. Every fifth is of the placement; the
    others come from games that start from ``openings``, balanced boards when left out.
    """
    from arbiter.tournament.openings import OpeningsSpec, open_openings

    boards = openings or open_openings(OpeningsSpec("balanced"), seed)
    empty = open_openings(OpeningsSpec("empty"))
    candidates = (
        _drawn(empty if openings is None and index % _OF_PLACEMENT == 0 else boards, seed, index)
        for index in count()
    )
    return _different(candidates, amount, _TRIES)


def recorded_positions(records: Iterable[Record], amount: int, seed: int) -> list[Question]:
    """So many different positions of recorded games, drawn by the seed, in the order of the games."""
    found = [question for record in records for question in _questions_of(record)]
    order = Chance("dvonn", "questions", seed).shuffled(range(len(found)))
    chosen = {id(each) for each in _different((found[index] for index in order), amount)}
    return [question for question in found if id(question) in chosen]


def _different(candidates: Iterable[Question | None], amount: int, tries: float = inf) -> list[Question]:
    """The first with each position, until there are enough or so many in a row are no new ones."""
    found: dict[Position, Question] = {}
    failures = 0
    for question in candidates:
        if question is None or question.position in found:
            failures += 1
        else:
            failures = 0
            found[question.position] = question
        if len(found) == amount or failures == tries:
            break
    return list(found.values())


def _drawn(openings: Openings, seed: int, index: int) -> Question | None:
    """A position of one game of its own: after a drawn number of plies, or the last with a choice."""
    chance = Chance("dvonn", "question", seed, index)
    start = openings[index].position
    is_placement = start.phase is RulesPhase.PLACEMENT
    wanted = chance.below(len(SPACES) - 1 - len(start.stacks()) if is_placement else _LONG)
    positions, plies = [start], list[str]()
    while len(plies) < wanted and not positions[-1].is_over:
        ply = _chosen(positions[-1], chance)
        plies.append(ply.text)
        positions.append(positions[-1].play(ply))
    while positions and not _has_choice(positions[-1]):
        positions.pop()
    return Question(positions[-1], start, tuple(plies[: len(positions) - 1])) if positions else None


def _chosen(position: Position, chance: Chance) -> Ply:
    """Any ply, or of a few the one that makes the difference of the scores best for the mover."""
    plies = chance.shuffled(position.legal_plies())
    if position.phase is RulesPhase.PLACEMENT or chance.below(2):
        return plies[0]
    return max(plies[:_FEW], key=lambda ply: _margin(position.play(ply), position.to_move))


def _margin(position: Position, side: Side) -> int:
    white, black = position.score
    return white - black if side is Side.WHITE else black - white


def _has_choice(position: Position) -> bool:
    return len(position.legal_plies()) > 1


def _questions_of(record: Record) -> Iterator[Question]:
    positions, _ = replay_until_fault(record)
    texts: Sequence[str] = [ply.text for ply in record.plies]
    for number, position in enumerate(positions):
        # Bots are told of no other rules when they are asked out of a game.
        if position.rules is Rules.STANDARD and _has_choice(position):
            place = f"game {record.game}, ply {number + 1}"
            yield Question(position, positions[0], tuple(texts[:number]), place)
