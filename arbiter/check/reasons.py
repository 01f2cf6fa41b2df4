"""Why the rules forbid a ply, told of the very spaces, and of the ply that made them what they are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arbiter.check.failure import Failure
from protocol.rules import SPACES, Ply, Position, Side, Stack, parse_ply

_RULES = {
    "placement-phase": "Until all 49 pieces lie, a ply is one empty space, such as `D1`.",
    "game-over": "The game was over.",
    "movement-phase": "After 49 placements a ply names two spaces, such as `H1G1`.",
    "must-pass": "A side without a stack move answers PASS while the other side has one.",
    "same-space": "A stack move leads to another space.",
}
_ALL_ROUND = 6


@dataclass(frozen=True, slots=True)
class Scene:
    """An illegal ply and the board it was meant for.

    ``plies``, the ``first`` of which has that number, led there from ``start``; ``legal`` is sorted.
    """

    ply: Ply
    legal: Sequence[str]
    position: Position
    start: Position
    plies: Sequence[Ply]
    first: int

    @property
    def source(self) -> str:
        return self.ply.source or ""

    @property
    def target(self) -> str:
        return self.ply.target or ""

    @property
    def stack(self) -> Stack:
        """The stack that was to be moved."""
        return self.position.stacks()[self.source]

    @property
    def height(self) -> str:
        return f"The stack on {self.source} has height {self.stack.height}"


def reason(failure: Failure) -> str:
    """What forbids an illegal answer, in sentences about this position."""
    assert failure.position is not None
    # Without its beginning nothing is known of a game but the board.
    plies = tuple(map(parse_ply, failure.plies)) if failure.start is not None else ()
    start, first = failure.start or failure.position, failure.number - len(plies)
    ply, legal = parse_ply(failure.fact("ply")), failure.fact("legal").split()
    scene = Scene(ply, legal, failure.position, start, plies, first)
    tell = _TELLERS.get(failure.fact("rule"))
    return tell(scene) if tell else _RULES.get(failure.fact("rule"), "")


def _distance(scene: Scene) -> str:
    count = scene.stack.height
    must = (
        f"{scene.height}{_since(scene, scene.source)}, so it must move exactly "
        f"{_spaces(count)} in a straight line; {scene.target} is {scene.ply.distance} away."
    )
    return f"{must} {_instead(scene)}"


def _empty_target(scene: Scene) -> str:
    return (
        f"{scene.height}, and {scene.target} is {_spaces(scene.ply.distance)} away, but empty"
        f"{_gone(scene, scene.target)}. A stack lands on an occupied space. {_instead(scene)}"
    )


def _surrounded(scene: Scene) -> str:
    around = " ".join(space for space in SPACES if parse_ply(f"{scene.source}{space}").distance == 1)
    return (
        f"The stack on {scene.source} has six neighbours, {around}, all of them occupied: it cannot move, "
        "however high it is."
    )


def _not_your_stack(scene: Scene) -> str:
    own, top = scene.position.to_move, scene.stack.top
    assert top is not None
    return (
        f"The stack on {scene.source} has {_colour(top)} on top{_since(scene, scene.source)}, "
        f"and the side to move is {own.word}: only the side whose piece is on top may move a stack."
    )


def _colour(side: Side) -> str:
    return f"a {side.word} piece"


def _empty_source(scene: Scene) -> str:
    return (
        f"There is no stack on {scene.source}{_gone(scene, scene.source)}. Keep track of what moves away, "
        "and of what is cut off from the reds and removed."
    )


def _lone_red(scene: Scene) -> str:
    return f"On {scene.source} is a red piece alone: it belongs to nobody and never moves."


def _direction(scene: Scene) -> str:
    source, target = scene.source, scene.target
    columns, rows = ord(target[0]) - ord(source[0]), int(target[1]) - int(source[1])
    return (
        f"From {source} to {target} is ({columns:+}, {rows:+}) in columns and rows, no straight line: there "
        "are six directions, (±1, 0), (0, ±1), (+1, +1) and (-1, -1)."
    )


def _occupied(scene: Scene) -> str:
    if scene.ply not in scene.plies:
        return f"{scene.ply} is occupied: a piece goes on an empty space."
    index = scene.plies.index(scene.ply)
    number = scene.first + index
    if (len(scene.plies) - index) % 2:
        return f"Its opponent placed a piece on {scene.ply}, at ply {number}: keep its placements, too."
    return f"It placed a piece on {scene.ply} itself, at ply {number}: keep your own placements."


def _may_not_pass(scene: Scene) -> str:
    return f"PASS is allowed only to a side that has no stack move. {_about_missed(scene.position)}".strip()


def _about_missed(position: Position) -> str:
    """The rules that all stack moves of a position show, if any; else what makes the first legal."""
    if told := " ".join(_shown_by_all(position)):
        return told
    ply = position.legal_plies()[0]
    return (
        f"Here {ply} is legal: the stack on {ply.source} has height {ply.distance}, and {ply.target} is "
        f"occupied, {_spaces(ply.distance)} away in a straight line."
    )


def _shown_by_all(position: Position) -> Iterator[str]:
    stacks = position.stacks()
    occupied = set(stacks)
    plies = position.legal_plies()
    if all(stacks[ply.source or ""].has_red for ply in plies):
        yield f"In {plies[0]} a stack with a red inside moves, as any other does: only a lone red stays."
    if all(_is_hemmed_in_at_the_edge(ply, occupied) for ply in plies):
        yield (
            f"In {plies[0]} and all others a stack moves whose neighbours are all occupied: it stands at the "
            "edge, has fewer than six of them, and so is never surrounded."
        )
    if all(_jumps_over_a_gap(ply, occupied) for ply in plies):
        yield (
            f"{plies[0]} jumps over an empty space: nothing between the two spaces of a stack move counts, "
            "occupied or not."
        )


def _is_hemmed_in_at_the_edge(ply: Ply, occupied: set[str]) -> bool:
    around = [space for space in SPACES if parse_ply(f"{ply.source}{space}").distance == 1]
    return len(around) < _ALL_ROUND and occupied.issuperset(around)


def _jumps_over_a_gap(ply: Ply, occupied: set[str]) -> bool:
    return not occupied.issuperset(_between(ply))


def _between(ply: Ply) -> Iterator[str]:
    """The spaces over which a stack move goes."""
    for space in SPACES:
        there, on = parse_ply(f"{ply.source}{space}"), parse_ply(f"{space}{ply.target}")
        if there.distance > 0 < on.distance and there.distance + on.distance == ply.distance:
            yield space


_TELLERS = {
    "occupied": _occupied,
    "may-not-pass": _may_not_pass,
    "empty-source": _empty_source,
    "lone-red": _lone_red,
    "not-your-stack": _not_your_stack,
    "surrounded": _surrounded,
    "direction": _direction,
    "distance": _distance,
    "empty-target": _empty_target,
}


def _spaces(count: int) -> str:
    return f"{count} space" if count == 1 else f"{count} spaces"


def _instead(scene: Scene) -> str:
    """Where the stack may go."""
    legal = [ply for ply in scene.legal if ply.startswith(scene.source)]
    if not legal:
        return "It has no legal move here."
    return f"Legal for it: {' '.join(legal)}."


def _since(scene: Scene, space: str) -> str:
    """The stack move that made a space what it is; empty if it is as it was in the beginning."""
    found = _last_change(scene, space)
    return "" if found is None else f" since ply {found[0]}, {found[1]}"


def _gone(scene: Scene, space: str) -> str:
    """The same for a space that is empty, with how it came to be."""
    found = _last_change(scene, space)
    if found is None:
        return ""
    how = "by which its stack moved away" if found[1].source == space else "which cut it off from the reds"
    return f"{_since(scene, space)}, {how}"


def _last_change(scene: Scene, space: str) -> tuple[int, Ply] | None:
    """The last stack move that changed a space, with its number."""
    position, found = scene.start, None
    for number, ply in enumerate(scene.plies, scene.first):
        after = position.play(ply)
        if ply.source and position.stacks().get(space) != after.stacks().get(space):
            found = number, ply
        position = after
    return found
