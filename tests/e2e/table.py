"""A table at which tests let odd bots play: real processes, clocks by wish, and a look at what is left."""

import os
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import trio

from arbiter.isolation.sandbox import Sandbox
from arbiter.isolation.tree import become_subreaper
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import TimeControl
from arbiter.match.driver import play_game
from arbiter.match.game import Competitor, GameResult, GameSetup
from protocol.rules import Position

BOTS = Path(__file__).parent.parent / "bots"
AMPLE = TimeControl(game=20_000, start=20_000)
"""More than any bot here needs, on a machine that stands still for a second now and then, too."""


@dataclass
class Table:
    """Plays games whose processes carry a mark, by which those left behind are found."""

    directory: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    sandbox: Sandbox = field(default_factory=Sandbox)

    def bot(self, *argv: str, name: str = "bot", dialect: Dialect = Dialect.DVP) -> Bot:
        return Bot(name, argv, self.directory, dialect, env={"TEST_MARK": self.mark}, sandbox=self.sandbox)

    def odd(self, *arguments: str, name: str = "odd") -> Bot:
        """The bot that plays by itself until it does what ``arguments`` say."""
        return self.bot(sys.executable, str(BOTS / "odd.py"), *arguments, name=name)

    def fair(self) -> Bot:
        """An opponent without faults."""
        return self.odd("none", name="fair")

    def play(
        self,
        white: Bot,
        black: Bot | None = None,
        time: TimeControl = AMPLE,
        start: Position | None = None,
        black_time: TimeControl | None = None,
        **more: object,
    ) -> GameResult:
        """One game; both bots have the same ``time`` unless Black is given its own."""
        black = black or self.fair()
        setup = GameSetup(
            Competitor(white, time),
            Competitor(black, black_time or time),
            start or Position.start(),
            **more,  # type: ignore[arg-type]
        )
        become_subreaper()
        return trio.run(play_game, setup)

    def left_behind(self) -> list[int]:
        """Processes with the mark that are still alive."""
        wanted = f"TEST_MARK={self.mark}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
        return [pid for pid in found if pid != os.getpid()]
