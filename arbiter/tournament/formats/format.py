"""What every format can be asked."""

from collections.abc import Collection, Sequence

from arbiter.rating.outcome import Outcome
from arbiter.tournament.schedule import Stage


class Format:
    """Says which games come next, given the stages so far and the results it was told of.

    The stages are the memory: a format that is asked again after an interruption, or after results
    were taken out, sticks to what was drawn.
    """

    needs_results = False
    """Whether ``note`` has to be called at all."""
    is_open_ended = False
    """Whether only the results tell how many games there will be."""
    may_grow = False
    """Whether the results may lead to more games than were counted on."""

    def extend(self, stages: Sequence[Stage]) -> list[Stage]:
        """Stages that depend on no result and are not there yet; asked before the first game of a run."""
        return []

    def draw(self, stages: Sequence[Stage], present: Collection[str]) -> list[Stage]:
        """The stages that follow once all games so far are over; none ends the tournament.

        ``present``: the bots that can play.
        """
        return []

    def undrawn(self, stages: Sequence[Stage], present: Collection[str]) -> int:
        """How many games ``draw`` will still add, or the fewest that it can where there may be more."""
        return 0

    def closed(self, stages: Sequence[Stage]) -> str:
        """Why a bot that is in none of the stages will be in none at all, with the remedy; empty while it
        can be.
        """
        return ""

    def parted(self, stages: Sequence[Stage], bot: str) -> str:
        """Why a bot that left cannot come back; empty while it can."""
        return ""

    def note(self, round_number: int, outcome: Outcome) -> None:
        """Learn how a game ended, for good; games come in any order."""

    @property
    def is_decided(self) -> bool:
        """Whether no further game is wanted, whatever the schedule says."""
        return False
