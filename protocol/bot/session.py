"""The conversation of a bot with the arbiter: what it hears, and when it owes an answer."""

import random
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from protocol.bot.clock import Clock
from protocol.bot.options import Option, Spin
from protocol.bot.player import Bot, Choose, FunctionBot, Game, Result
from protocol.bot.streams import Heard, Inbox, Outbox, Sink, Source, own_streams
from protocol.errors import ProtocolError
from protocol.rules import PASS, Ply, Position, Rules, Side, parse_dpos, parse_ply

FEATURES = ("reuse", "stop", "nolegal", "noboard")
"""Those that an author may announce; ``ready`` is announced for bots that have to get ready."""

_HINT = """\
This is a DVONN bot, and it waits for an arbiter. Let it play:  arbiter match "python3 {file}" sample:random
Or type what an arbiter says:  dvp 1,  position start moves D1 F4,  go,  quit"""


def run(
    player: Bot | type[Bot] | Choose,
    *,
    name: str = "",
    author: str = "",
    version: str = "",
    options: Sequence[Option[Any]] = (),
    features: Sequence[str] = (),
    stdin: Source | None = None,
    stdout: Sink | None = None,
) -> None:
    """Play games until ``quit`` or the end of the input.

    ``player`` is a function, or a :class:`Bot`, which brings its own ``options``. ``name`` (else the bot's
    own, or that of the program's file), ``author``, ``version`` and ``features`` introduce it. ``stdin`` and
    ``stdout`` stand for those of the process, for tests: both or none.

    :raises TypeError: ``player`` is neither.
    :raises ValueError: a feature does not exist, two options have the same name, or one stream is missing.
        Exceptions of the author's code pass through.
    """
    bot = _bot(player, options)
    bot.name = name or bot.name or _default_name(bot)
    bot.author = author or bot.author
    bot.version = version or bot.version
    bot.features = tuple(features or bot.features)
    if stdin is not None and stdout is not None:
        Session(bot, Outbox(stdout)).run(Inbox(stdin))
    elif stdin is not None or stdout is not None:
        raise ValueError("stdin and stdout are replaced together")
    else:
        _run_here(bot)


def _run_here(bot: Bot) -> None:
    """Talk over the streams of this process."""
    if sys.stdin is not None and sys.stdin.isatty():
        _log(_HINT.format(file=sys.argv[0]))
    try:
        with own_streams() as (source, output):
            Session(bot, Outbox(output)).run(Inbox(source))
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _bot(player: Bot | type[Bot] | Choose, options: Sequence[Option[Any]]) -> Bot:
    bot = _called(player) if isinstance(player, type) else player
    if isinstance(bot, Bot):
        if options:
            raise ValueError("a class has its options as attributes")
        return bot
    if not callable(bot):
        raise TypeError(f"run needs a Bot, a class of bots or a function, not {bot!r}")
    return FunctionBot(bot, options)


def _called(kind: type[Bot]) -> Bot:
    """A bot of this class."""
    if not issubclass(kind, Bot):
        raise TypeError(f"the class {kind.__name__} that run was given is not derived from protocol.bot.Bot")
    return kind()


def _default_name(bot: Bot) -> str:
    if isinstance(bot, FunctionBot):
        return sys.argv[0].rpartition("/")[2].removesuffix(".py") or "bot"
    return type(bot).__name__


class Session:
    """One conversation. Lines that a person types out of order are answered as far as they make sense."""

    def __init__(self, bot: Bot, outbox: Outbox) -> None:
        self._bot = bot
        self._say = outbox.say
        bot.on_say(outbox.say)
        self._seed = Spin("Seed", 0, 0, 2**31 - 1)
        self._options = _by_name(self._seed, *bot.options)
        self._features = _features(bot)
        for option in self._options.values():
            option.reset()
        self._board = self._start = ""
        self._moves: Sequence[str] = ()
        self._handlers: Mapping[str, Callable[[Heard], None]] = {
            "dvp": self._introduce,
            "setoption": self._set_option,
            "newgame": self._begin,
            "isready": self._get_ready,
            "position": self._set_up,
            "board": self._look,
            "go": self._answer,
            "error": self._complain,
            "result": self._end,
        }
        self._scatter()

    def run(self, inbox: Inbox) -> None:
        """Answer line by line; what is not known is skipped."""
        for heard in inbox:
            if handler := self._handlers.get(heard.word):
                handler(heard)

    def _introduce(self, heard: Heard) -> None:
        texts = {"name": self._bot.name, "author": self._bot.author, "version": self._bot.version}
        lines = [f"id {kind} {' '.join(text.split())}" for kind, text in texts.items() if text.strip()]
        lines += [f"option {option.name} {option.declaration}" for option in self._options.values()]
        if self._features:
            lines.append(f"feature {' '.join(self._features)}")
        self._say(*lines, "dvpok")

    def _set_option(self, heard: Heard) -> None:
        name, value = (*heard.rest.split(maxsplit=1), "", "")[:2]
        option = self._options.get(name)
        if option is None:
            return
        try:
            option.set(value)
        except ValueError as error:
            _log(f"option {name}: {error}; it stays {option.value!r}")
        if option is self._seed:
            self._scatter()

    def _scatter(self) -> None:
        """Start all chance from the seed; the module's own chance is independent of the bot's."""
        self._bot.random = random.Random(self._seed.value)
        random.seed(f"module {self._seed.value}")

    def _begin(self, heard: Heard) -> None:
        self._board = self._start = ""
        self._moves = ()
        self._bot.start, self._bot.plies = Position.start(), ()
        self._scatter()
        self._bot.game = _game(heard.rest)
        self._bot.new_game(self._bot.game)

    def _get_ready(self, heard: Heard) -> None:
        """Lines are taken in order, so by now the bot is ready."""
        if "ready" in self._features:
            self._say("readyok")

    def _set_up(self, heard: Heard) -> None:
        words = heard.rest.split()
        end = words.index("moves") if "moves" in words else len(words)
        self._start = "" if words[:end] == ["start"] else " ".join(words[:end])
        self._moves, self._board = words[end + 1 :], ""

    def _look(self, heard: Heard) -> None:
        self._board = heard.rest

    def _answer(self, heard: Heard) -> None:
        try:
            position = self._position()
        except ProtocolError as error:
            self._say(f"error {error}")
            return
        plies = position.legal_plies()
        if not plies:
            self._say(f"error the game is over: {position}")
        elif plies == [PASS]:
            self._say(f"move {PASS}")
        else:
            clock = Clock.of_turn(_numbers(heard.rest), position, heard.stamp, heard.stop)
            self._say(_move(self._bot.choose(position, clock)))

    def _position(self) -> Position:
        """The position of the turn: as the arbiter drew it, or from the plies."""
        rules = self._bot.game.rules
        start = parse_dpos(self._start, rules) if self._start else Position.start(rules)
        self._bot.start, self._bot.plies = start, tuple(map(parse_ply, self._moves))
        if self._board:
            return parse_dpos(self._board, rules)
        for ply in self._bot.plies:
            start = start.play(ply)
        return start

    def _complain(self, heard: Heard) -> None:
        _log(f"the arbiter says: {heard.rest}")

    def _end(self, heard: Heard) -> None:
        text, *words = heard.rest.split() or ["*"]
        values = dict(zip(words[::2], words[1::2], strict=False))
        counts = _naturals(values)
        result = Result(text, counts.get("white", 0), counts.get("black", 0), values.get("reason", ""))
        self._bot.result(result)


def _by_name(seed: Spin, *options: Option[Any]) -> dict[str, Option[Any]]:
    found: dict[str, Option[Any]] = {seed.name: seed}
    for option in options:
        if option.name == seed.name:
            raise ValueError(f"an option {seed.name} is there already, behind `self.random`: leave it out")
        if option.name in found:
            raise ValueError(f"two options have the name {option.name}")
        found[option.name] = option
    return found


def _features(bot: Bot) -> tuple[str, ...]:
    for feature in bot.features:
        if feature not in FEATURES:
            raise ValueError(f"there is no feature {feature!r} to announce; there are {', '.join(FEATURES)}")
    gets_ready = type(bot).new_game is not Bot.new_game
    return (*(("ready",) if gets_ready else ()), *bot.features)


def _game(text: str) -> Game:
    """The game that ``newgame`` announces; ``opponent`` takes the rest of the line."""
    side, *words = text.split() or ["white"]
    end = next((i for i in range(0, len(words), 2) if words[i] == "opponent"), len(words))
    values = dict(zip(words[:end:2], words[1:end:2], strict=False))
    numbers = _naturals(values)
    return Game(
        side=Side.BLACK if side == "black" else Side.WHITE,
        opponent=" ".join(words[end + 1 :]),
        rules=_rules(values.get("rules", "")),
        name=values.get("game", ""),
        time=numbers.get("time"),
        increment=numbers.get("inc", 0),
        movetime=numbers.get("movetime"),
        grace=numbers.get("grace", 0),
        clock=values.get("clock", "wall"),
        ponder=values.get("ponder") == "on",
    )


def _rules(word: str) -> Rules:
    return Rules(word) if word in list(Rules) else Rules.STANDARD


def _numbers(text: str) -> dict[str, int]:
    words = text.split()
    return _naturals(dict(zip(words[::2], words[1::2], strict=False)))


def _naturals(values: Mapping[str, str]) -> dict[str, int]:
    return {key: int(value) for key, value in values.items() if value.isascii() and value.isdigit()}


def _move(answer: Ply | str) -> str:
    """The line for what ``choose`` gave. Whether the ply is legal is for the arbiter to say."""
    if isinstance(answer, Ply):
        return f"move {answer}"
    if not isinstance(answer, str):
        raise TypeError(f"choose gave {answer!r}; it has to give a ply, the text of one, or RESIGN")
    word = answer.strip()
    if word.lower() == "resign":
        return "resign"
    if word.split() != [word]:
        raise ValueError(f"choose gave {answer!r}, which is not one word")
    return f"move {word}"


def _log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
