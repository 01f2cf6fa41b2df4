"""A dialogue with a bot, word for word: lines are said, and the answers that are due are waited for."""

from dataclasses import replace

import trio

from arbiter.check.conformance import Dialogue, Exchange
from arbiter.check.departure import QUIT_GRACE
from arbiter.check.seats import SpokenCodecupSeat, SpokenDvpSeat
from arbiter.check.sitting import SECOND_ANSWER, Sitting, after
from arbiter.check.slip import Slip
from arbiter.match.clock import Clock
from arbiter.match.termination import Termination
from protocol import dvp
from protocol.rules import Ply, Position, Rules, parse_dpos, parse_ply

_LISTEN = 200
_LIMIT = 10_000
"""Milliseconds of silence that are enough, and those for an answer where the lines do not say."""


class Conversation:
    """Leads a sitting through a dialogue; what goes wrong is the sitting's slip."""

    def __init__(self, sitting: Sitting) -> None:
        self._sitting = sitting
        self._seat = sitting.seat
        self._rules = Rules.STANDARD
        self._number = 1
        self._limit = _LIMIT

    async def go_through(self, dialogue: Dialogue, *, ends_by_itself: bool) -> bool:
        """Say and hear all of it; False at a slip. ``ends_by_itself``: its end is a part of it."""
        for exchange in dialogue.turns:
            if exchange.needs and exchange.needs not in self._features:
                continue
            if exchange.say == ("stop",) and self._seat.has_answer:
                exchange = replace(exchange, say=())  # it has met its answer on the way
            self._say(exchange)
            if exchange.hear == "end" and not ends_by_itself:
                break
            await self._hear(exchange)
            if self._sitting.slip is not None:
                return False
        return True

    @property
    def _features(self) -> frozenset[str]:
        return self._seat.features if isinstance(self._seat, SpokenDvpSeat) else frozenset()

    def _say(self, exchange: Exchange) -> None:
        self._limit = exchange.within or _LIMIT
        for line in exchange.say:
            self._seat.say(line)
            if isinstance(self._seat, SpokenCodecupSeat):
                self._follow_codecup(line)
            else:
                self._follow(line, exchange)
        if exchange.close:
            self._seat.process.close_input()

    def _follow(self, line: str, exchange: Exchange) -> None:
        """Keep up with what the bot was told: rules, position, the ply asked for and its limit."""
        match dvp.parse(line.encode(), dvp.Role.ARBITER):
            case dvp.NewGame(_, values):
                self._rules = Rules(values.get("rules", Rules.STANDARD))
            case dvp.Setup(start, plies):
                is_plain = start == "start"
                position = Position.start(self._rules) if is_plain else parse_dpos(start, self._rules)
                self._sitting.start = position
                for ply in plies:
                    position = position.play(parse_ply(ply))
                self._sitting.position, self._sitting.plies = position, list(plies)
            case dvp.Go(values):
                self._number = values.get("ply", 1)
                self._limit = exchange.within or values.get("movetime") or values.get("time") or _LIMIT

    def _follow_codecup(self, line: str) -> None:
        if line == "Start":
            self._sitting.position, self._number = Position.start(), 1
        elif line != "Quit":
            self._play(parse_ply(line))

    def _play(self, ply: Ply) -> None:
        self._sitting.position = self._sitting.position.play(ply)
        self._sitting.plies.append(ply.text)
        self._number = len(self._sitting.plies) + 1

    async def _hear(self, exchange: Exchange) -> None:
        match exchange.hear:
            case "dvpok" | "readyok":
                await self._hear_word(exchange.hear)
            case "move" | "ply":
                await self._hear_ply(exchange)
            case "nothing":
                await self._hear_nothing(exchange)
            case "end":
                await self._see_end(exchange)

    async def _hear_word(self, word: str) -> None:
        seat = self._seat
        assert isinstance(seat, SpokenDvpSeat)
        limit = seat.clock.control.start
        await self._sitting.bell.wait(lambda: not seat.is_owed or seat.has_fault(on_turn=True), after(limit))
        await seat.process.drain()
        if seat.has_fault(on_turn=True):
            self._sitting.goes_on(await seat.fault(), f"`{word}`")
        elif seat.is_owed:
            self._sitting.slip = Slip(Termination.START, f"no `{word}` within {limit} ms", f"`{word}`")
        elif seat.refusal:
            self._sitting.slip = Slip(Termination.START, f"the bot cannot play: {seat.refusal}", f"`{word}`")

    async def _hear_ply(self, exchange: Exchange) -> None:
        seat, number = self._seat, self._number
        seat.clock = Clock(replace(seat.clock.control, game=self._limit, increment=0, move=None))
        ply = await self._sitting.ply(number, self._sitting.position)
        if isinstance(seat, SpokenDvpSeat):
            await trio.sleep(SECOND_ANSWER)
        elif ply is not None:
            self._play(ply)

    async def _hear_nothing(self, exchange: Exchange) -> None:
        seat = self._seat
        assert isinstance(seat, SpokenDvpSeat)
        before, asked = len(seat.uncalled), _last_line(exchange)

        def is_broken() -> bool:
            answered = seat.owes and seat.has_answer
            return answered or len(seat.uncalled) > before or seat.has_fault(on_turn=True)

        await self._sitting.bell.wait(is_broken, after(exchange.within or _LISTEN))
        await seat.process.drain()
        if len(seat.uncalled) > before:
            self._sitting.slip = Slip(None, f"it wrote {seat.uncalled[-1]}", asked)
        elif seat.has_fault(on_turn=True):
            self._sitting.goes_on(await seat.fault(), asked)
        elif is_broken():
            self._sitting.slip = Slip(None, "it answered by itself, before `stop`", asked)

    async def _see_end(self, exchange: Exchange) -> None:
        departure = self._sitting.departure
        if await departure.ends_within(QUIT_GRACE):
            return
        what = "the end of its input" if exchange.close else f"`{exchange.say[-1]}`"
        detail = f"it was still running {QUIT_GRACE:.0f} s after {what}"
        if not exchange.close:
            how = "it ended when" if await departure.ends_at_last() else "it did not even end when"
            detail += f"; {how} its input was closed"
        self._sitting.slip = Slip(None, detail, what)


def _last_line(exchange: Exchange) -> str:
    return f"`{exchange.say[-1]}`" if exchange.say else "an answer"
