"""One position from which all games start."""

from dataclasses import dataclass

from arbiter.tournament.openings.opening import Opening
from protocol.rules import Position


@dataclass(frozen=True, slots=True)
class FixedPosition:
    """Openings that are all the same position."""

    position: Position
    count: int = 1
    description: str = "one position"
    notices: tuple[str, ...] = ()

    def __getitem__(self, index: int) -> Opening:
        return Opening(self.position, None)

    def canonical(self) -> str:
        return self.position.dpos
