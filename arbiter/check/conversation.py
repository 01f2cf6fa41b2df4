"""A dialogue with a bot, word for word: lines are said, and the answers that are due are waited for."""

from dataclasses import replace
from functools import partial

import trio

from arbiter.check.conformance import Dialogue, Exchange
from arbiter.check.failure import Breach, Failure
from arbiter.check.probe import SECOND_ANSWER, Probe
from arbiter.check.seats import SpokenCodecupSeat, SpokenDvpSeat
from arbiter.check.shutdown import QUIT_GRACE
from arbiter.match.clock import Clock
from protocol import dvp
from protocol.rules import Position, Rules, parse_dpos

_LISTEN = 200
_LIMIT = 10_000
"""Milliseconds of silence that are enough, and those for an answer where the lines do not say."""
_ANSWERS = ("move", "ply")


class Conversation:
    """Leads a probe through a dialogue; what goes wrong is the probe's failure."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._seat = probe.seat
        self._referee = probe.session.referee
        self._rules = Rules.STANDARD

    async def go_through(self, dialogue: Dialogue, *, ends_by_itself: bool) -> bool:
        """Say and hear all of it; False at a failure. ``ends_by_itself``: its end is a part of it."""
        if isinstance(self._seat, SpokenCodecupSeat):
            self._seat.greet()
        for exchange in dialogue.turns:
            if exchange.needs and exchange.needs not in self._seat.features:
                continue
            if exchange.say == ("stop",) and self._referee.reply is not None:
                exchange = replace(exchange, say=())  # it has met its answer on the way
            self._say(exchange)
            if exchange.hear == "end" and not ends_by_itself:
                break
            await self._hear(exchange)
            if self._probe.failure is not None:
                return False
        return True

    # Saying

    def _say(self, exchange: Exchange) -> None:
        messages = [dvp.parse(line.encode(), dvp.Role.ARBITER) for line in exchange.say]
        request = next((message for message in messages if isinstance(message, dvp.Go)), None)
        self._set_clock(exchange, request)
        self._set_up(messages)
        if request is not None or exchange.hear == "ply":
            self._seat.script = exchange.say
            self._probe.ask()
        else:
            for line in exchange.say:
                self._probe.session.table.perform(partial(self._seat.say, line))
        if exchange.hear == "end":
            self._probe.session.finish()
        if exchange.close:
            self._probe.session.process.close_input()

    def _set_clock(self, exchange: Exchange, request: dvp.Go | None) -> None:
        """Let the clock hold what an answer may take."""
        within = exchange.within if exchange.hear in _ANSWERS else None
        if request is not None:
            within = within or request.values.get("movetime") or request.values.get("time")
        if request is not None or exchange.hear in _ANSWERS:
            control = replace(self._seat.clock.control, game=within or _LIMIT, increment=0, move=None)
            self._seat.clock = Clock(control)

    def _set_up(self, messages: list[dvp.Message | dvp.Unknown]) -> None:
        """Keep up with what the bot is told: rules and position."""
        for message in messages:
            match message:
                case dvp.NewGame(_, values):
                    self._rules = Rules(values.get("rules", Rules.STANDARD))
                case dvp.Setup("start", plies):
                    self._referee.set_up(Position.start(self._rules), plies)
                case dvp.Setup(start, plies):
                    self._referee.set_up(parse_dpos(start, self._rules), plies)

    # Hearing

    async def _hear(self, exchange: Exchange) -> None:
        match exchange.hear:
            case "dvpok" | "readyok":
                await self._probe.reaches(lambda: not self._seat.wanted)
            case "move" | "ply":
                await self._hear_ply()
            case "nothing":
                await self._hear_nothing((exchange.within or _LISTEN) / 1_000)
            case "end":
                await self._see_end(exchange)

    async def _hear_ply(self) -> None:
        ply = await self._probe.hear()
        if isinstance(self._seat, SpokenDvpSeat):
            await trio.sleep(SECOND_ANSWER)
        elif ply is not None:
            self._probe.session.play(ply)

    async def _hear_nothing(self, seconds: float) -> None:
        probe, referee = self._probe, self._referee
        before, is_open = len(self._seat.uncalled), referee.reply is None

        def is_broken() -> bool:
            return len(self._seat.uncalled) > before or (is_open and referee.reply is not None)

        await probe.reaches(is_broken, seconds)
        if len(self._seat.uncalled) > before:
            probe.failure = Failure(Breach.UNASKED, answer=self._seat.uncalled[-1])
        elif is_open and referee.reply is not None and referee.reply.answer is not None:
            probe.failure = Failure(Breach.BEFORE_STOP)

    async def _see_end(self, exchange: Exchange) -> None:
        shutdown = self._probe.shutdown
        if await shutdown.ends_within(QUIT_GRACE):
            return
        if not exchange.close:
            await shutdown.try_at_last()
        self._probe.failure = Failure(Breach.STILL_RUNNING)
