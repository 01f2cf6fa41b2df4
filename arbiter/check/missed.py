"""What the legal plies have in common that a bot did not find, and passed instead."""

from collections.abc import Iterator

from protocol.rules import SPACES, Ply, Position, parse_ply

_ALL_ROUND = 6


def about_missed(position: Position) -> str:
    """The rules that all stack moves of a position show, if any; else what makes the first legal."""
    if told := " ".join(_shown_by_all(position)):
        return told
    ply = position.legal_plies()[0]
    height = ply.distance
    return (
        f"Here {ply} is legal: the stack on {ply.source} has height {height}, and {ply.target} is occupied, "
        f"{height} space{'' if height == 1 else 's'} away in a straight line."
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
