"""Bots that sit down one after another, or side by side, and leave when they are no longer needed."""

from dataclasses import dataclass, field

import trio

from arbiter.match.game import GameSetup
from arbiter.match.session import Session, open_session
from protocol.rules import Side


@dataclass(slots=True)
class Stand:
    """Each bot has a task of its own in the nursery, so that any of them may leave first."""

    nursery: trio.Nursery
    _farewells: dict[Session, trio.Event] = field(default_factory=dict)

    async def seat(self, side: Side, setup: GameSetup) -> Session:
        """Start the bot of this side.

        Raises:
            NotReadyError: when it cannot be started, or does not get ready.
        """
        session: Session = await self.nursery.start(self._host, side, setup)
        return session

    def dismiss(self, session: Session) -> None:
        """Let a bot leave."""
        self._farewells.pop(session).set()

    def dismiss_all(self) -> None:
        """Let all bots leave."""
        for session in list(self._farewells):
            self.dismiss(session)

    async def _host(self, side: Side, setup: GameSetup, task_status: trio.TaskStatus[Session]) -> None:
        async with open_session(side, setup) as session:
            farewell = self._farewells[session] = trio.Event()
            task_status.started(session)
            await farewell.wait()
