"""The rules of DVONN in the plainest form: a dict from space to a string of pieces, bottom first.

It shares nothing with the bitboards, so the two can be compared. Pieces are ``W``, ``B`` and ``R``.
"""

import random
from dataclasses import dataclass, field

COLUMNS = "ABCDEFGHIJK"
SPACES = [c + "1" for c in "ABCDEFGHI"] + [c + "2" for c in "ABCDEFGHIJ"] + [c + "3" for c in COLUMNS]
SPACES += [c + "4" for c in "BCDEFGHIJK"] + [c + "5" for c in "CDEFGHIJK"]
STEPS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)]


def away(space: str, step: tuple[int, int], distance: int) -> str | None:
    """The space so many steps from another, or None when that is off the board."""
    column = COLUMNS.index(space[0]) + step[0] * distance
    row = int(space[1]) + step[1] * distance
    name = f"{COLUMNS[column]}{row}" if 0 <= column < len(COLUMNS) else ""
    return name if name in SPACES else None


def neighbours(space: str) -> list[str]:
    """The two to six spaces next to one."""
    return [near for step in STEPS if (near := away(space, step, 1)) is not None]


@dataclass
class Oracle:
    """A game in progress; ``play`` changes it."""

    stacks: dict[str, str] = field(default_factory=dict)
    mover: str = "W"
    placing: bool = True
    black_first: bool = False

    def moves_of(self, side: str) -> list[str]:
        """Stack moves of a side, sorted."""
        found = []
        for space, pieces in self.stacks.items():
            near = neighbours(space)
            if pieces[-1] != side or (len(near) == 6 and all(other in self.stacks for other in near)):
                continue
            landings = [away(space, step, len(pieces)) for step in STEPS]
            found += [space + landing for landing in landings if landing in self.stacks]
        return sorted(found)

    def legal(self) -> list[str]:
        """All plies, sorted."""
        if self.placing:
            return sorted(space for space in SPACES if space not in self.stacks)
        other = "B" if self.mover == "W" else "W"
        return self.moves_of(self.mover) or (["PASS"] if self.moves_of(other) else [])

    def play(self, ply: str) -> int:
        """Play a legal ply; returns the number of pieces that leave the board."""
        if self.placing:
            self.stacks[ply] = "R" if len(self.stacks) < 3 else self.mover
        elif ply != "PASS":
            self.stacks[ply[2:]] += self.stacks.pop(ply[:2])
        self.mover = "B" if self.mover == "W" else "W"
        if self.placing and len(self.stacks) == len(SPACES):
            self.placing = False
            self.mover = "B" if self.black_first else "W"
        return 0 if self.placing else self.remove_adrift()

    def remove_adrift(self) -> int:
        """Take away every stack without a chain to a red."""
        linked = {space for space, pieces in self.stacks.items() if "R" in pieces}
        edge = set(linked)
        while edge:
            edge = {n for space in edge for n in neighbours(space) if n in self.stacks and n not in linked}
            linked |= edge
        adrift = [space for space in self.stacks if space not in linked]
        return sum(len(self.stacks.pop(space)) for space in adrift)

    def score(self) -> tuple[int, int]:
        """Layers of White and Black."""
        white, black = (sum(len(p) for p in self.stacks.values() if p[-1] == side) for side in "WB")
        return white, black

    def dpos(self) -> str:
        """The position on one line, written without any of the project's code."""
        rows = ["".join(self._cell(space) for space in SPACES if space[1] == row) for row in "54321"]
        return f"{'/'.join(rows)} {self.mover.lower()} {'p' if self.placing else 'm'}"

    def _cell(self, space: str) -> str:
        pieces = self.stacks.get(space, "")
        if pieces in ("", "R"):
            return "r" if pieces else "."
        height = str(len(pieces)) if len(pieces) > 1 else ""
        return pieces[-1].lower() + height + ("*" if "R" in pieces else "")


def random_setup(rng: random.Random) -> Oracle:
    """Any lawful movement position: towers, few stacks, strings along the edge, a crowded board."""
    spaces = rng.sample(SPACES, rng.choice([1, 2, 3, 5, 8, 13, 20, 30, 40, 49]))
    if rng.random() < 0.3:
        spaces = [space for space in spaces if len(neighbours(space)) < 6] or spaces
    left = {"W": 23, "B": 23}
    stacks: dict[str, str] = {}
    for space in spaces:
        side = rng.choice([side for side in "WB" if left[side]] or ["R"])
        if side != "R":
            stacks[space] = side
            left[side] -= 1
    for space in rng.sample(list(stacks), min(len(stacks), rng.randint(1, 3))):
        stacks[space] = "R" if rng.random() < 0.4 else "R" + stacks[space]
    spare = 49 - sum(len(pieces) for pieces in stacks.values())
    for space in rng.choices(list(stacks), k=rng.randint(0, max(spare, 0))) if rng.random() < 0.8 else []:
        if stacks[space] != "R":
            stacks[space] = "W" + stacks[space] if rng.random() < 0.5 else "B" + stacks[space]
    while sum(len(pieces) for pieces in stacks.values()) > 49:
        del stacks[next(space for space, pieces in stacks.items() if "R" not in pieces)]
    game = Oracle(stacks, rng.choice("WB"), placing=False)
    game.remove_adrift()
    return game
