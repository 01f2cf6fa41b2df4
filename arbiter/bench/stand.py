"""Bots that sit down one after another, or side by side, and leave when they are no longer needed."""

from dataclasses import dataclass, field

import trio

from arbiter.match.game import GameSetup
from arbiter.match.sitting import Sitting, sit_down
from protocol.rules import Side


@dataclass(slots=True)
class Stand:
    """Each bot has a task of its own in the nursery, so that any of them may leave first."""

    nursery: trio.Nursery
    _farewells: dict[Sitting, trio.Event] = field(default_factory=dict)

    async def seat(self, side: Side, setup: GameSetup) -> Sitting:
        """Start the bot of this side.

        Raises:
            NotReadyError: when it cannot be started, or does not get ready.
        """
        sitting: Sitting = await self.nursery.start(self._host, side, setup)
        return sitting

    def dismiss(self, sitting: Sitting) -> None:
        """Let a bot leave."""
        self._farewells.pop(sitting).set()

    def dismiss_all(self) -> None:
        """Let all bots leave."""
        for sitting in list(self._farewells):
            self.dismiss(sitting)

    async def _host(self, side: Side, setup: GameSetup, task_status: trio.TaskStatus[Sitting]) -> None:
        async with sit_down(side, setup) as sitting:
            farewell = self._farewells[sitting] = trio.Event()
            task_status.started(sitting)
            await farewell.wait()
