"""What the processes of a bot are seen to hold in a probe: memory, files elsewhere, the network."""

import tempfile
from collections import Counter
from itertools import count
from pathlib import Path

import trio

from arbiter.isolation import descriptors
from arbiter.isolation.sandbox import USUAL, Level
from arbiter.isolation.usage import highest, measure, proportional
from arbiter.match.session import Session

TMPDIR = "TMPDIR"
_PAUSE = 0.05
_SELDOM = 4
_TRIES = 5
"""One look of so many is thorough; how often a socket is looked up that is none of the internet's."""
_HARMLESS = ("hsperfdata_", "__pycache__", ".dotnet", "clr-debug-pipe")
"""Parts of names of what runtimes write by themselves, and can do without."""


class Watch:
    """Looks at the processes of a program again and again.

    ``peak`` is the most memory held past the usual limit, in bytes, a page that several of them share
    counted once. ``files`` are those open for writing outside of the bot's directory and its $TMPDIR, and
    ``sockets`` those that lead out of the machine, in words. Both are looked for without isolation only:
    with it the system refuses them.
    """

    def __init__(self, session: Session) -> None:
        self.peak = 0
        self.files: dict[str, None] = {}
        self.sockets: dict[str, None] = {}
        self._session = session
        bot = session.seat.bot
        room = bot.env.get(TMPDIR, tempfile.gettempdir())
        self._own = [bot.directory.resolve(), Path(room).resolve()]
        self._tries: Counter[str] = Counter()

    async def run(self) -> None:
        """Look until cancelled."""
        for number in count():
            self.look(is_thorough=number % _SELDOM == 0)
            await trio.sleep(_PAUSE)

    def look(self, *, is_thorough: bool = True) -> None:
        """See what there is now, and the most memory that each process ever held.

        To look at what they have open as well takes a good part of a millisecond.
        """
        if not self._session.seat.is_spawned:
            return
        process = self._session.process
        pids = process.living()
        usual = USUAL.memory or 0
        memory = measure(pids).memory
        if memory > max(self.peak, usual):  # slow to read, so only where it decides
            self.peak = max(self.peak, proportional(pids) or memory)
        if (most := highest(pids)) > usual:
            self.peak = max(self.peak, most)
        if is_thorough and process.applied.level is Level.NONE:
            for pid in pids:
                self._look_at(pid)

    def _look_at(self, pid: int) -> None:
        found = descriptors.look(pid)
        self.files |= dict.fromkeys(filter(self._is_elsewhere, found.written))
        if fresh := [socket for socket in found.sockets if self._tries[socket] < _TRIES]:
            self._tries.update(fresh)
            self.sockets |= dict.fromkeys(descriptors.internet(pid, fresh))

    def _is_elsewhere(self, path: str) -> bool:
        """Whether a file is none of those that a bot may write, or that its runtime does."""
        if any(part in path for part in _HARMLESS) or any(map(Path(path).is_relative_to, self._own)):
            return False
        # What runtimes keep in hidden directories of one's home goes to one of the bot's own in a tournament.
        return not path.startswith(f"{Path.home()}/.")
