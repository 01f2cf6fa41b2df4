"""What ``replay`` is to repeat: the game, the sides asked, their bots, and all that is known of the game."""

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.cli.errors import UsageError
from arbiter.cli.games import choose_record, load_games
from arbiter.cli.given import wrapped
from arbiter.cli.records import source_name, whole_number
from arbiter.cli.single import confined, find_bot
from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl
from arbiter.match.termination import FORFEITS
from protocol.records import Record, replay_until_fault
from protocol.rules import Side

if TYPE_CHECKING:
    from arbiter.match.game import Competitor


@dataclass(frozen=True, slots=True)
class Case:
    """A game to be put to one bot again, at one side.

    ``facts`` are those of a bundle, or as many of them as a results directory knows; ``plies`` are the
    game's as far as both sides played it themselves.
    """

    record: Record
    side: Side
    bot: Bot
    facts: dict[str, Any]
    plies: Sequence[str]
    is_recorded: bool
    """Whether the bot is the one of the game, and no other that is put in its place."""

    @property
    def notes(self) -> list[str]:
        """What is odd before anything is asked."""
        from arbiter.tournament.bundle import change_of

        change = change_of(self.facts, self.side) if self.is_recorded else None
        return [] if change is None else [change]

    def competitor(self, side: Side) -> "Competitor":
        """The bot with the clock, options and seed it had; the other side only lends its clock."""
        from arbiter.match.game import Competitor

        return Competitor(self.bot, self._time(side), self.seed(side))

    def _time(self, side: Side) -> TimeControl:
        if side is self.side and self.bot.time is not None:
            return self.bot.time
        return time_of_side(self.record, self.facts, side)

    def seed(self, side: Side) -> int:
        """The seed that the bot of this side had, which follows from the tournament's."""
        known: int | None = self.facts.get(side.word, {}).get("seed")
        return _seed(self.record, side) if known is None else known

    @property
    def answer(self) -> str | None:
        """What the game was lost by, if it was by an answer, and if that is known."""
        answer: str | None = self.facts.get("answer")
        return answer

    def score(self, number: int) -> str | None:
        """What the player of a ply (from 1) expected of the game, if it told."""
        plies = self.record.plies
        return plies[number - 1].comments.get("score") if 1 <= number <= len(self.plies) else None

    @property
    def detail(self) -> str:
        """The words for how the game was lost, if it was by a failure."""
        return self.record.headers.get("Detail", "")

    @property
    def own_numbers(self) -> list[int]:
        """The plies of the side, from 1, and the one at which its game ended otherwise than on the board.

        That one may be the opponent's, in whose turn a bot can fail as well.
        """
        positions, _ = replay_until_fault(self.record)
        last = len(self.plies)
        movers = [position.to_move for position in positions[: last + 1]]
        own = [number for number, mover in enumerate(movers, 1) if mover is self.side]
        has_no_more = positions[last].is_over or self.record.termination is None
        if has_no_more and own and own[-1] == last + 1:
            own.pop()
        if movers[last] is not self.side and self._is_offender:
            own.append(last + 1)
        return own

    @property
    def _is_offender(self) -> bool:
        """Whether the side lost by a forfeit."""
        if self.record.termination not in FORFEITS:
            return False
        loser = {"1-0": Side.BLACK.word, "0-1": Side.WHITE.word}.get(self.record.result)
        return bool(self.facts.get("offender", loser) == self.side.word)

    @property
    def lefts(self) -> list[int | None]:
        """What the mover's clock showed after each ply, in ms."""
        comments = (self.record.plies[index].comments for index in range(len(self.plies)))
        return [whole_number(each.get("left", "")) for each in comments]


def cases_of(arguments: argparse.Namespace) -> list[Case]:
    """What the arguments of ``replay`` mean: one case, or two of ``--side both``.

    Raises:
        UsageError: when the game, the bot or the side is not there or not clear.
    """
    games = load_games(arguments.record)
    record = choose_record(games, source_name(arguments.record), arguments.game)
    facts = _facts(Path(arguments.record), record)
    given = None if arguments.bot is None else find_bot(arguments.bot)
    sides = _sides(arguments, record, facts, given)
    needs_bot = given is None and "bundle" not in facts
    if needs_bot or not sides:
        raise _unclear(arguments, record, needs_bot=needs_bot, needs_side=not sides)
    plies = _sound_plies(record)
    return [
        Case(record, side, _bot(arguments, record, facts, given, side), facts, plies, given is None)
        for side in sides
    ]


def _bot(
    arguments: argparse.Namespace, record: Record, facts: dict[str, Any], given: Bot | None, side: Side
) -> Bot:
    """The bot that is asked, as it was in the game as far as that is known."""
    bot = _recorded(arguments, facts, side) if given is None else _dressed(_found(given), facts, side)
    if arguments.wrap is not None:
        time = time_of_side(record, facts, side)
        # The bot of a bundle finds its files where it was; a tool leaves its own there, too.
        home = bot.directory if given is None else Path.cwd()
        bot = replace(wrapped(bot, arguments.wrap, time, keep_clock=arguments.keep_clock), directory=home)
    level = arguments.isolation or bot.isolation or "none"
    return confined(bot, level, Path(arguments.record), "replay")


def _recorded(arguments: argparse.Namespace, facts: dict[str, Any], side: Side) -> Bot:
    """The bot of a bundle. Raises UsageError when its program is not there any more."""
    from arbiter.isolation.launch import fault_of_command
    from arbiter.tournament.bundle import bot_of

    bot = bot_of(facts[side.word])
    if fault := fault_of_command(bot.argv[0], bot.directory):
        command = shlex.join(["arbiter", "replay", arguments.record, "./mybot"])
        raise UsageError(f"{bot.name} is not where it was: {fault}", f"name it: {command}")
    return bot


def _found(bot: Bot) -> Bot:
    """A bot of the command line. Raises UsageError when its program is not there and will not be built."""
    from arbiter.isolation.launch import fault_of_command

    if bot.build is None and (fault := fault_of_command(bot.argv[0], bot.directory)):
        raise UsageError(f"{bot.name}: {fault}")
    return bot


def _dressed(bot: Bot, facts: dict[str, Any], side: Side) -> Bot:
    """Another bot with the options, the environment and, of a bundle, the limits of the game's."""
    from arbiter.tournament.bundle import bot_of

    own = facts.get(side.word, {})
    bot = replace(bot, options=own.get("options", {}), env=own.get("env", {}))
    if "bundle" not in facts:
        return bot
    return replace(bot, isolation=bot_of(own).isolation, sandbox=bot_of(own).sandbox)


# --- what is known of the game ---------------------------------------------------------------------------


def _facts(path: Path, record: Record) -> dict[str, Any]:
    """Those of a bundle; of a game in a results directory those of its bundle, else of its tournament."""
    if (path / "bundle.json").is_file():
        return _read_bundle(path / "bundle.json")
    if not path.is_dir():
        return {}
    number = record.game
    for bundle in sorted(path.glob(f"failures/game-{number}*/bundle.json"), reverse=True):
        facts = _read_bundle(bundle)
        if (facts.get("number"), facts.get("termination")) == (number, record.termination):
            return facts
    return _facts_of_tournament(path, record)


def _read_bundle(path: Path) -> dict[str, Any]:
    from arbiter.tournament.bundle import BundleError, read_facts

    try:
        return read_facts(path)
    except BundleError as error:
        game = f"{path.parent}/game.drec"
        raise UsageError(f"{error}: not a bundle for this arbiter", f"its game alone: {game}") from None


def _facts_of_tournament(path: Path, record: Record) -> dict[str, Any]:
    """Limits, clocks and options as the results directory keeps them; its bots may live elsewhere now."""
    from arbiter.cli.results import reading

    with reading([str(path)]) as (league,):
        config: dict[str, Any] = league.get("config") or {}
    bots = {bot["name"]: bot for bot in config.get("bots", ())}
    facts: dict[str, Any] = {"nodes": config.get("nodes"), "depth": config.get("depth")}
    for side in Side:
        bot = bots.get(_name_at_play(record, side), {})
        known = {key: bot[key] for key in ("options", "env") if key in bot}
        time = bot.get("time") or config.get("time")
        facts[side.word] = {**known, **({"time": time} if time else {})}
    return facts


def time_of_side(record: Record, facts: dict[str, Any], side: Side) -> TimeControl:
    """The time control that a side had."""
    from arbiter.tournament.bundle import time_control

    known = facts.get(side.word, {})
    return time_control(known) if "time" in known else _time(record, side)


def _time(record: Record, side: Side) -> TimeControl:
    """The clock of a record; without one, or as far as it says nothing, time enough for any answer."""
    headers = record.headers
    text = headers.get("WhiteTime" if side is Side.WHITE else "BlackTime", headers.get("TimeControl", "-"))
    values: dict[str, int | None] = {"game": None}
    for part in text.split():
        if part.startswith("movetime:"):
            values["move"] = whole_number(part.removeprefix("movetime:"))
        else:
            game, _, increment = part.partition("+")
            values["game"], values["increment"] = whole_number(game), whole_number(increment) or 0
    return TimeControl(**values)  # type: ignore[arg-type]


def _seed(record: Record, side: Side) -> int:
    from arbiter.tournament.runner import game_seed

    headers = record.headers
    seed, number = whole_number(headers.get("Seed", ""), 19), whole_number(headers.get("Number", ""))
    if seed is None or number is None:
        return 0
    return game_seed(seed, number, _name_at_play(record, side))


def _name_at_play(record: Record, side: Side) -> str:
    """The name that a side's bot had in the game, though it may have lost it to a new version since."""
    from arbiter.tournament.versions import name_at_play

    header = side.word.capitalize()
    return name_at_play(record.headers[header], record.headers.get(f"{header}Hash", ""))


# --- sides and plies -------------------------------------------------------------------------------------


def _named(word: object) -> Side:
    return Side.BLACK if word == "black" else Side.WHITE


def _sides(
    arguments: argparse.Namespace, record: Record, facts: dict[str, Any], bot: Bot | None
) -> list[Side]:
    """As told, the one that failed, the one with the bot's name, or the mover's; none when it is unclear."""
    if arguments.side == "both":
        return list(Side)
    if arguments.side:
        return [_named(arguments.side)]
    if facts.get("offender"):
        return [_named(facts["offender"])]
    names = [record.headers["White"], record.headers["Black"]]
    for known in (names, [_name_at_play(record, side) for side in Side]):
        if bot is not None and known.count(bot.name) == 1:
            return [Side(known.index(bot.name))]
    ply: int | None = arguments.ply
    if ply is not None:
        positions, _ = replay_until_fault(record)
        if 1 <= ply <= len(positions):
            return [positions[ply - 1].to_move]
    return []


def _unclear(
    arguments: argparse.Namespace, record: Record, *, needs_bot: bool, needs_side: bool
) -> UsageError:
    """What has to be told besides, with the command that tells all of it."""
    sides = f"{record.headers['White']} was white and {record.headers['Black']} black"
    if not needs_bot:
        return UsageError(
            "which side is the bot to play?", f"{sides}: add --side white, --side black or --side both"
        )
    words = ["arbiter", "replay", arguments.record, "./mybot"]
    words += [] if arguments.game is None else ["--game", str(arguments.game)]
    words += [] if arguments.ply is None else ["--ply", str(arguments.ply)]
    words += ["--all"] if arguments.all else []
    if not needs_side:
        return UsageError("which BOT is to be asked?", f"name it: {shlex.join(words)}")
    command = shlex.join([*words, "--side", "white"])
    return UsageError("which BOT is to be asked, and at which side?", f"{sides}: {command}")


def _sound_plies(record: Record) -> list[str]:
    """The plies up to the first that was played in place of a failed bot."""
    positions, fault = replay_until_fault(record)
    if fault is not None:
        raise UsageError(str(fault), "only a sound record can be replayed")
    plies = [ply.text for ply in record.plies[: len(positions)]]
    played = next((i for i, ply in enumerate(record.plies) if "substitute" in ply.comments), len(plies))
    return plies[:played]
