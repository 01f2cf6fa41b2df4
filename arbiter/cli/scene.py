"""A moment of a recorded game, as people read it: the board, what the last ply did, what comes now."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from arbiter.cli.board import Look, board_key, draw_board, removed_stacks, stack_text
from arbiter.cli.records import printable
from protocol.records import TEXT, Fault, Record, replay_until_fault
from protocol.rules import Phase, Ply, Position, Stack, parse_ply

_WIDTH = 78


@dataclass(frozen=True, slots=True)
class Scene:
    """A moment of a game: the position after ``number`` plies, the ply that led to it and where from."""

    record: Record
    number: int
    position: Position
    ply: Ply | None = None
    before: Position | None = None

    @property
    def removed(self) -> dict[str, Stack]:
        """The stacks that the ply took off the board, by space."""
        if self.ply is None or self.before is None:
            return {}
        return removed_stacks(self.before, self.ply, self.position)


class Film:
    """All moments of a game, as far as its record is sound; ``fault`` is what stands against more."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._positions: Sequence[Position]
        self.fault: Fault | None
        self._positions, self.fault = replay_until_fault(record)

    @property
    def last(self) -> int:
        """The number of plies that can be shown; -1 when not even the start can."""
        return len(self._positions) - 1

    def scene(self, number: int) -> Scene:
        """The moment after so many plies, from 0 to ``last``."""
        if number == 0:
            return Scene(self.record, 0, self._positions[0])
        ply = parse_ply(self.record.plies[number - 1].text)
        return Scene(self.record, number, self._positions[number], ply, self._positions[number - 1])


def scene_text(scene: Scene, look: Look, *, legal: bool = False) -> str:
    """The whole scene; ``legal`` adds the legal plies."""
    board = draw_board(scene.position, look, ply=scene.ply, before=scene.before)
    key = board_key(look, marked=scene.ply is not None, gone=bool(scene.removed))
    before, after = map(printable, _summary(scene.record)), map(printable, _story(scene))
    return "\n".join(
        [*before, "", board, "", key, "", *after, *(legal_lines(scene.position) if legal else [])]
    )


def legal_lines(position: Position, *, start: str = "") -> list[str]:
    """The legal plies, sorted; ``start``: only those whose text begins so."""
    plies = sorted(ply.text for ply in position.legal_plies() if ply.text.startswith(start.upper()))
    return wrap(" ".join(["legal:", *plies]), _WIDTH, subsequent_indent="  ") if plies else ["legal: none"]


def _summary(record: Record) -> list[str]:
    """The headers that a reader wants first."""
    headers, number = record.headers, record.game
    event = [headers[name] for name in ("Event", "Date") if name in headers]
    event += [f"round {headers['Round']}"] if "Round" in headers else []
    event += [f"time {headers['TimeControl']}"] if "TimeControl" in headers else []
    score = f", score {headers['Score']}" if "Score" in headers else ""
    why = f", {record.termination}" if record.termination else ""
    detail = f" ({headers['Detail']})" if "Detail" in headers else ""
    lines = [
        f"game {number}: {headers.get('White', '?')} (white) against {headers.get('Black', '?')} (black)",
        f"result {record.result}{score}{why}{detail}",
    ]
    lines += [", ".join(event)] * bool(event)
    return [*lines, f"annulled: {headers['Annulled']}"] if "Annulled" in headers else lines


def _story(scene: Scene) -> list[str]:
    """What the last ply did, and what comes now."""
    record, number, position = scene.record, scene.number, scene.position
    lines = [f"start, {len(record.plies)} plies follow"]
    if scene.ply is not None and scene.before is not None:
        lines = [f"ply {number} of {len(record.plies)}: {scene.before.to_move.word} {scene.ply}"]
        if scene.removed:
            stacks = ", ".join(f"{space} {stack_text(stack)}" for space, stack in scene.removed.items())
            lines[0] += f", removed {stacks}"
    comments = record.plies[number - 1].comments if number else record.opening_comments
    if comments:
        said = (value if key == TEXT else f"{key}={value}" for key, value in comments.items())
        lines.append(f"  {' '.join(said)}")
    white, black = position.score
    return [*lines, f"score: white {white}, black {black}", _turn(scene)]


def _turn(scene: Scene) -> str:
    """Whose turn it is, or how the game ended."""
    record, task = scene.record, turn_text(scene.position)
    if not scene.position.is_over and scene.number == len(record.plies) and record.termination:
        task += f"; the game ended here: {record.termination}, {record.result}"
    return task


def turn_text(position: Position) -> str:
    """Whose turn it is and what there is to do."""
    if position.is_over:
        return "the game is over: neither side can move"
    mover = position.to_move.word
    plies = position.legal_plies()
    if plies[0].is_pass:
        return f"{mover} to move, but has no stack move and must pass"
    if position.phase is Phase.PLACEMENT:
        return f"{mover} to place {_piece(position)}, {len(plies)} empty spaces"
    return f"{mover} to move, {len(plies)} legal {'ply' if len(plies) == 1 else 'plies'}"


def _piece(position: Position) -> str:
    reds = sum(stack.has_red for stack in position.stacks().values())
    return "a red piece" if reds < 3 else f"a {position.to_move.word} piece"
