"""Whole games without a process: bots are functions, time is a number, all that happens has its order."""

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from arbiter.match.clock import MS
from arbiter.match.game import GameSetup
from arbiter.match.referee import Referee
from protocol.rules import Position, Side, parse_ply
from tests.arbiter.match.harness import Harness


class Say(NamedTuple):
    """What a bot writes ``after`` so many ns, having computed for ``cpu`` and waited for ``wait`` of them."""

    data: bytes
    after: int = MS
    cpu: int = 0
    wait: int = 0


Script = Callable[[bytes], Iterable[Say]]
"""A bot: from bytes that it reads to what it writes then."""
Choose = Callable[[list[str]], str]
"""From the texts of all legal plies, in order, to one of them."""


class Took(NamedTuple):
    """What a bot takes for each ply, as in `Say`."""

    after: int = MS
    cpu: int = 0
    wait: int = 0


def dvp_bot(
    took: Took = Took(),  # noqa: B008 (it is immutable)
    choose: Choose = min,
    greeting: str = "dvpok\n",
    around: tuple[str, str] = ("", ""),
) -> Script:
    """A DVP bot; ``around`` stands before and after every move."""
    rest = b""
    legal: list[str] = []

    def hear(data: bytes) -> Iterable[Say]:
        nonlocal rest, legal
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            words = line.decode().split()
            if words[0] == "dvp":
                yield Say(greeting.encode())
            elif words[0] == "isready":
                yield Say(b"readyok\n")
            elif words[0] == "legal":
                legal = words[1:]
            elif words[0] == "go":
                yield Say(f"{around[0]}move {choose(legal)}\n{around[1]}".encode(), *took)

    return hear


def codecup_bot(side: Side, took: Took = Took(), choose: Choose = min) -> Script:  # noqa: B008
    """A CodeCup bot: it keeps the position itself."""
    position = Position.start()

    def answers() -> Iterable[Say]:
        nonlocal position
        while position.to_move is side and not position.is_over:
            text = choose(sorted(ply.text for ply in position.legal_plies()))
            position = position.play(parse_ply(text))
            yield Say(text.encode() + b"\n", *took)

    def hear(data: bytes) -> Iterable[Say]:
        nonlocal position
        for line in data.decode().split():
            if line == "Quit":
                return
            if line != "Start":
                position = position.play(parse_ply(line))
            yield from answers()

    return hear


class Simulation(Harness):
    """A game between scripts; ``sizes`` are those of the pieces in which what they say at once is read."""

    def __init__(
        self,
        setup: GameSetup,
        scripts: Mapping[Side, Script],
        sizes: Iterator[int] = itertools.repeat(1_000_000),  # noqa: B008 (endless)
        referee: type[Referee] = Referee,
    ) -> None:
        super().__init__(setup, referee=referee)
        self._scripts = scripts
        self._sizes = sizes
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0

    def run(self) -> "Simulation":
        """Play until the game is over."""
        self.spawn()
        self._react()
        while not self.referee.is_over:
            self._step()
        return self

    def _step(self) -> None:
        moment = self.referee.wake_at
        if moment is not None and (not self._due or moment < self._due[0][0]):
            self.now = max(self.now, moment)
            self.wake()
        elif self._due:
            self.now, _, happen = heapq.heappop(self._due)
            happen()
        else:
            raise AssertionError("nothing will ever happen")
        self._react()

    def _react(self) -> None:
        """Let the bots read what was written to them, and plan what they do then."""
        for side, bot in self.bots.items():
            heard, bot.heard = bot.heard, b""
            moment = self.now
            for said in self._scripts[side](heard) if heard else ():
                moment += said.after
                self._plan(moment, lambda side=side, said=said: self._say(side, said))  # type: ignore[misc]

    def _plan(self, moment: int, happen: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._due, (moment, self._count, happen))

    def _say(self, side: Side, said: Say) -> None:
        self.bots[side].cpu += said.cpu
        self.bots[side].wait += said.wait
        self.write(side, said.data)
        while self.bots[side].unread:
            self.read(side, most=next(self._sizes))
