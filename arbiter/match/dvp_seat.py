"""A bot that speaks DVP/1: told everything with each request, and owing an answer only then."""

import time
from collections.abc import Mapping

from arbiter.match.bell import Bell
from arbiter.match.clock import CHARGING, MS, Clock
from arbiter.match.game import GameSetup, Result
from arbiter.match.seat import Answer, Seat, Turn
from arbiter.match.termination import Termination
from arbiter.match.verdict import Failure
from protocol import dvp
from protocol.dvp import State
from protocol.rules import Position, Score, Side

_UNEXPECTED_LIMIT = 10
_ERROR_CODES = frozenset((Termination.ILLEGAL, Termination.SYNTAX, Termination.TIMEOUT, Termination.FLOOD))
_INFO_KEYS = 40
_INFO_LENGTH = 600


class DvpSeat(Seat):
    """Everything the bot says is taken as it comes; what it may say is in the protocol's tables."""

    def __init__(self, side: Side, setup: GameSetup, bell: Bell) -> None:
        super().__init__(side, setup, bell)
        self._talk = dvp.Connection(dvp.Role.ARBITER)
        self._answer: Answer | None = None
        self._unexpected = 0
        self._refusal = ""

    # Getting ready

    async def get_ready(self) -> Failure | None:
        failure = await self.greet()
        if failure is None:
            self._send_options()
            failure = await self.begin_game()
        return failure

    async def greet(self) -> Failure | None:
        """Say hello and hear the bot's introduction to its end."""
        return await self._expect(dvp.Hello(), State.HANDSHAKE, "dvpok")

    async def begin_game(self) -> Failure | None:
        """Announce the game; wait for a bot that wants to be asked whether it is ready."""
        self._send(self._new_game())
        if "ready" in self._talk.features:
            return await self._expect(dvp.IsReady(), State.SYNC, "readyok")
        return None

    @property
    def features(self) -> frozenset[str]:
        """What the bot announced that it can do."""
        return self._talk.features

    @property
    def options(self) -> Mapping[str, dvp.Option]:
        """The options that it offered, by name."""
        return self._talk.options

    async def _expect(self, request: dvp.Message, waiting: State, wanted: str) -> Failure | None:
        """Send ``request`` and wait until the bot has answered it."""
        self._send(request)
        deadline = time.monotonic_ns() + self.clock.control.start * MS
        await self._bell.wait(
            lambda: self._talk.state is not waiting or self.has_fault(on_turn=True), deadline
        )
        # The answer may stand there and was not read yet, when the machine was busy.
        await self.process.drain()
        if self._talk.state is State.REFUSED:
            return Failure(Termination.START, f"the bot cannot play: {self._refusal}")
        if self._talk.state is not waiting:
            return None
        if self.has_fault(on_turn=True):
            fault = await self.fault()
            return Failure(Termination.START, f"before `{wanted}`: {fault.detail}")
        return Failure(Termination.START, self._why_not_ready(wanted))

    def _why_not_ready(self, wanted: str) -> str:
        detail = f"no `{wanted}` within {self.clock.control.start} ms"
        return "; ".join([detail, *self._why_silent()])

    def _send_options(self) -> None:
        """Set the wanted options; ``Seed`` comes from the game unless its owner set it."""
        announced = self._talk.options
        wanted = dict(self.bot.options)
        if "Seed" in announced and "Seed" not in wanted:
            wanted["Seed"] = str(_within(self.seed, announced["Seed"]))
        for name, value in wanted.items():
            option = announced.get(name)
            if option is None:
                names = ", ".join(announced) or "none at all"
                self.note(f"option {name} was never announced; announced: {names}")
                continue
            if fault := option.fault(value):
                self.note(f"option {name} was not set to {value!r}: {fault}")
                continue
            self._send(dvp.SetOption(name, value))

    def _new_game(self) -> dvp.NewGame:
        control = self.clock.control
        values = {"time": control.game, "inc": control.increment or None, "movetime": control.move}
        texts = {key: str(value) for key, value in values.items() if value is not None}
        texts["grace"] = str(control.grace)
        if control.clock in CHARGING:
            texts["clock"] = str(control.clock)
        texts["ponder"] = "off"
        texts |= {"rules": str(self.setup.start.rules), "game": self.setup.label}
        opponent = self.setup.competitor(self.side.other).bot.name
        return dvp.NewGame(self.side, texts, opponent)

    # The game

    def _request(self, turn: Turn) -> None:
        self._answer = None
        request = self._describe(turn)
        self.wake()
        self.stopwatch.prepare()
        self.stopwatch.start(self._send(*request))

    def _describe(self, turn: Turn) -> list[dvp.Message]:
        start = turn.start or self.setup.start
        is_plain = start == Position.start(start.rules)
        messages: list[dvp.Message] = [dvp.Setup("start" if is_plain else start.dpos, tuple(turn.plies))]
        if "noboard" not in self._talk.features:
            messages.append(dvp.Board(turn.position.dpos))
        if "nolegal" not in self._talk.features:
            plies = sorted(ply.text for ply in turn.position.legal_plies())
            messages.append(dvp.Legal(tuple(plies)))
        messages.append(dvp.Go(self._go_values(turn)))
        return messages

    def _go_values(self, turn: Turn) -> dict[str, int]:
        mine, theirs = self.clock, turn.opponent_clock
        increment, their_increment = mine.control.increment, theirs.control.increment
        values = {
            "ply": turn.number,
            "time": _floor_ms(mine),
            "opptime": _floor_ms(theirs),
            "inc": increment or None,
            "oppinc": their_increment if their_increment != increment else None,
            "movetime": mine.control.move,
            "used": -(-mine.last_charge // MS) if turn.number > 2 else None,
            "depth": self.setup.depth,
            "nodes": self.setup.nodes,
        }
        return {key: value for key, value in values.items() if value is not None}

    @property
    def has_answer(self) -> bool:
        return self._answer is not None

    def _take_answer(self) -> Answer:
        assert self._answer is not None
        return self._answer

    def tell(self, ply: str) -> None:
        """Nothing to tell: every request carries the whole game."""

    # What the bot says

    def received(self, data: bytes, stamp: int) -> None:
        for event in self._talk.receive(data):
            self._take(event, stamp)
        self._bell.ring()

    def _take(self, event: dvp.Event, stamp: int) -> None:
        match event:
            case dvp.Move(ply):
                self._answer = Answer(ply, self.stopwatch.read(stamp))
            case dvp.Resign():
                self._answer = Answer(None, self.stopwatch.read(stamp))
            case dvp.Info(values, pv):
                self._keep_info(dict(values), pv)
            case dvp.InfoString(text):
                self._keep_info({"string": text}, ())
            case dvp.BotError(text):
                self._refusal = text
                self.note(f"error: {text}")
            case dvp.Ignored(text, hint, first):
                if first:
                    self.note(f"ignored: {text!r}" + (f"; {hint}" if hint else ""))
            case dvp.Unexpected(message):
                self._complain(message)
            case _:
                pass

    def _complain(self, message: dvp.Message) -> None:
        self._unexpected += 1
        if self._talk.allows(dvp.Error):
            self._send(dvp.Error("unexpected", f"`{message.word}` is not the answer to an open request"))
        self.note(f"unexpected: `{message.word}` is not the answer to an open request")

    def _keep_info(self, values: dict[str, str], pv: tuple[str, ...]) -> None:
        if pv:
            values["pv"] = ",".join(pv)
        for key, value in values.items():
            if key in self.info or len(self.info) < _INFO_KEYS:
                self.info[key] = value[:_INFO_LENGTH]

    def flood(self) -> str | None:
        if self._unexpected >= _UNEXPECTED_LIMIT:
            return f"{self._unexpected} answers that nobody had asked for"
        return self._talk.flood

    @property
    def unfinished(self) -> str:
        return self._talk.unfinished

    @property
    def identity(self) -> dict[str, str]:
        return dict(self._talk.ids)

    # The end

    def say_end(self, result: Result, score: Score, termination: Termination, failed: Failure | None) -> None:
        values = {"white": str(score.white), "black": str(score.black), "reason": str(termination)}
        farewell: list[dvp.Message] = [dvp.Result(result, values), dvp.Quit()]
        if failed is not None and failed.termination in _ERROR_CODES:
            farewell.insert(0, dvp.Error(str(failed.termination), failed.detail))
        for message in farewell:
            if self._talk.allows(type(message)):
                self._send(message)

    def _send(self, *messages: dvp.Message) -> int:
        return self.process.write(self._talk.send(*messages))


def _floor_ms(clock: Clock) -> int | None:
    return None if clock.left is None else clock.left // MS


def _within(seed: int, option: dvp.Option) -> int:
    """``seed`` folded into the range of a spin option."""
    return option.low + seed % (option.high - option.low + 1) if option.kind == "spin" else seed
