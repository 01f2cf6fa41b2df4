"""A bot that speaks DVP/1: told everything with each request, and owing an answer only then."""

from collections import deque
from collections.abc import Mapping

from arbiter.match.actions import Action
from arbiter.match.clock import CHARGING, MS, Reading
from arbiter.match.fault import Code, Fault
from arbiter.match.game import GameSetup, Result
from arbiter.match.seat import PLY, Answer, Seat, Turn, flood_of
from arbiter.match.termination import Termination
from arbiter.match.wording import describe
from protocol import dvp
from protocol.dvp import State
from protocol.rules import Position, Score, Side

_UNASKED_LIMIT = 10
_ERROR_CODES = frozenset((Termination.ILLEGAL, Termination.SYNTAX, Termination.TIMEOUT, Termination.FLOOD))
_INFO_KEYS = 40
_INFO_LENGTH = 600


class DvpSeat(Seat):
    """Everything the bot says is taken as it comes; what it may say is in the protocol's tables."""

    def __init__(self, side: Side, setup: GameSetup, actions: deque[Action]) -> None:
        super().__init__(side, setup, actions)
        self._talk = dvp.Connection(dvp.Role.ARBITER)
        self._start = _start_of(setup.start)
        self._answer: Answer | None = None
        self._unasked = 0
        self._refusal = ""

    # Getting ready

    def begin(self) -> None:
        self.expect("dvpok", self._talk.send(dvp.Hello()))

    def greeted(self) -> None:
        """The introduction is over: options, and the game."""
        self._send_options()
        self.begin_game()

    def begin_game(self) -> None:
        """Announce the game; wait for a bot that wants to be asked whether it is ready."""
        self._send(self._new_game())
        if "ready" in self._talk.features:
            self.expect("readyok", self._talk.send(dvp.IsReady()))
        else:
            self.get_ready()

    @property
    def features(self) -> frozenset[str]:
        return self._talk.features

    @property
    def options(self) -> Mapping[str, dvp.Option]:
        """The options that it offered, by name."""
        return self._talk.options

    @property
    def refusal(self) -> Fault | None:
        if self._talk.state is not State.REFUSED:
            return None
        return Fault(Code.REFUSED, {"text": self._refusal})

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

    def request(self, turn: Turn) -> None:
        self._answer = None
        features = self._talk.features
        board = None if "noboard" in features else turn.position.dpos
        legal = None if "nolegal" in features else sorted([ply.text for ply in turn.position.legal_plies()])
        begin = turn.start or self.setup.start
        start = self._start if begin is self.setup.start else _start_of(begin)
        data = self._talk.request(start, turn.plies, self._go_values(turn), board, legal)
        self.write(data, starts_clock=True)

    def _go_values(self, turn: Turn) -> dict[str, int]:
        mine, theirs, control = self.clock, turn.opponent_clock, self.clock.control
        values = {"ply": turn.number}
        if mine.left is not None:
            values["time"] = mine.left // MS
        if theirs.left is not None:
            values["opptime"] = theirs.left // MS
        if control.increment:
            values["inc"] = control.increment
        if theirs.control.increment != control.increment:
            values["oppinc"] = theirs.control.increment
        if control.move is not None:
            values["movetime"] = control.move
        if turn.number > 2:
            values["used"] = -(-mine.last_charge // MS)
        if self.setup.depth is not None:
            values["depth"] = self.setup.depth
        if self.setup.nodes is not None:
            values["nodes"] = self.setup.nodes
        return values

    @property
    def has_answer(self) -> bool:
        return self._answer is not None and self.wanted == PLY

    def pop_answer(self) -> Answer:
        assert self._answer is not None
        answer, self._answer = self._answer, None
        return answer

    def tell(self, ply: str) -> None:
        """Nothing to tell: every request carries the whole game."""

    # What the bot says

    def read(self, data: bytes, reading: Reading) -> None:
        for event in self._talk.receive(data):
            if self._unasked < _UNASKED_LIMIT:
                self.take(event, reading)

    def take(self, event: dvp.Event, reading: Reading) -> None:
        """Do what follows from one line of the bot."""
        match event:
            case dvp.Move(ply):
                self._answer = Answer(ply, reading)
            case dvp.Resign():
                self._answer = Answer(None, reading)
            case dvp.HelloOk():
                self.settle()
                self.greeted()
            case dvp.ReadyOk():
                self.settle()
                self.get_ready()
            case dvp.Info(values, pv):
                self._keep_info(dict(values), pv)
            case dvp.InfoString(text):
                self._keep_info({"string": text}, ())
            case dvp.BotError(text):
                self._refusal = text
                self.note(f"error: {text}")
            case dvp.Ignored(first=True):
                self.note(about_ignored(event))
            case dvp.Unexpected(message):
                self.complain(message)
            case _:
                pass

    def complain(self, message: dvp.Message) -> None:
        """Count an answer that nobody had asked for, and say so."""
        self._unasked += 1
        if self._talk.allows(dvp.Error):
            self._send(dvp.Error("unexpected", f"`{message.word}` is not the answer to an open request"))
        self.note(f"unexpected: `{message.word}` is not the answer to an open request")

    def _keep_info(self, values: dict[str, str], pv: tuple[str, ...]) -> None:
        """Keep what comes before the answer: how much of the rest is read with it is a matter of chance."""
        if self._answer is not None:
            return
        if pv:
            values["pv"] = ",".join(pv)
        for key, value in values.items():
            if key in self.info or len(self.info) < _INFO_KEYS:
                self.info[key] = value[:_INFO_LENGTH]

    def flood(self) -> Fault | None:
        if self._unasked >= _UNASKED_LIMIT:
            return Fault(Code.UNASKED, {"count": self._unasked})
        return flood_of(self._talk.flood)

    @property
    def unfinished(self) -> str:
        return self._talk.unfinished

    @property
    def identity(self) -> dict[str, str]:
        return dict(self._talk.ids)

    # The end

    def say_end(self, result: Result, score: Score, termination: Termination, failed: Fault | None) -> None:
        values = {"white": str(score.white), "black": str(score.black), "reason": str(termination)}
        farewell: list[dvp.Message] = [dvp.Result(result, values), dvp.Quit()]
        if failed is not None and failed.termination in _ERROR_CODES:
            farewell.insert(0, dvp.Error(str(failed.termination), describe(failed)))
        for message in farewell:
            if self._talk.allows(type(message)):
                self._send(message)

    def _send(self, *messages: dvp.Message) -> None:
        self.write(self._talk.send(*messages))


def about_ignored(event: dvp.Ignored) -> str:
    """A line without effect, in words."""
    return f"ignored: {event.text!r}" + (f"; {event.hint}" if event.hint else "")


def _start_of(position: Position) -> str:
    """What plies start from, as a request names it."""
    return "start" if position == Position.start(position.rules) else position.dpos


def _within(seed: int, option: dvp.Option) -> int:
    """``seed`` folded into the range of a spin option."""
    return option.low + seed % (option.high - option.low + 1) if option.kind == "spin" else seed
