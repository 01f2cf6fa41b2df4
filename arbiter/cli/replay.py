"""``arbiter replay``: a recorded game, or a bundle of a failed one, put to one bot again."""

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.cli.errors import UsageError
from arbiter.cli.records import choose_record, load_records, source_name, whole_number
from arbiter.cli.single import confined, find_bot
from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl
from protocol.records import Record, replay_until_fault
from protocol.rules import Side

if TYPE_CHECKING:
    from arbiter.match.game import Competitor
    from arbiter.match.replay import Repeated

NAME = "replay"
HELP = "put the questions of a recorded game to a bot again and compare its answers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument("record", metavar="RECORD", help="a bundle, a record file or a results directory")
    parser.add_argument(
        "bot", nargs="?", metavar="BOT", help="the bot to ask (default: the one of the bundle that failed)"
    )
    parser.add_argument("--game", type=int, metavar="N", help="the game, where there are several")
    parser.add_argument(
        "--ply", type=int, metavar="N", help="ask for this ply only (default: the last; of a bundle: all)"
    )
    parser.add_argument(
        "--all", action="store_true", help="ask for every ply of the bot's side (of a bundle: anyway)"
    )
    parser.add_argument(
        "--isolation",
        choices=("none", "limits", "jail", "auto"),
        help="what holds the bot back (default: as in a bundle's game, else none)",
    )
    parser.add_argument(
        "--side", choices=("white", "black"), help="the side to play, where the name does not tell"
    )
    parser.epilog = (
        "examples:\n"
        "  arbiter replay results/league/failures/game-37\n"
        "  arbiter replay games.drec ./mybot --game 37 --all\n"
        "exit status: 0 all answers as recorded, 1 not"
    )


def run(arguments: argparse.Namespace) -> int:
    """Ask, print a line for each answer; 0 when they are those of the record."""
    import trio

    from arbiter.isolation.tree import become_subreaper
    from arbiter.match.game import GameSetup
    from arbiter.match.replay import Script, replay

    case = _case(arguments)
    position = case.record.start()
    plies = _sound_plies(case.record)
    competitors = {side: case.competitor(side) for side in Side}
    setup = GameSetup(
        competitors[Side.WHITE],
        competitors[Side.BLACK],
        position,
        label=str(whole_number(case.record.headers.get("Number", "")) or 1),
        depth=case.facts.get("depth"),
        nodes=case.facts.get("nodes"),
    )
    lefts = [_left(case.record, index) for index in range(len(plies))]
    numbers = _numbers(arguments, case, plies)
    become_subreaper()
    repeated = trio.run(replay, Script(setup, case.side, plies, lefts, numbers))
    shown = (
        repeated
        if arguments.all
        else [each for each in repeated if each is repeated[-1] or not _is_same(each, case)]
    )
    for each in shown:
        _tell(each, case)
    same = [_is_same(each, case) for each in repeated]
    print(f"{sum(same)} of {len(same)} as recorded")
    return 0 if same and all(same) else 1


@dataclass(frozen=True, slots=True)
class _Case:
    """What is to be repeated: the game, the side asked, its bot, a bundle's facts if there are any."""

    record: Record
    side: Side
    bot: Bot
    facts: dict[str, Any]

    def competitor(self, side: Side) -> "Competitor":
        """The bot with the clock, options and seed it had; the other side only lends its clock."""
        from arbiter.match.game import Competitor
        from arbiter.tournament.bundle import time_control

        facts = self.facts.get(side.word, {})
        time = time_control(facts) if facts else _time(self.record, side)
        return Competitor(self.bot, time, facts.get("seed", _seed(self.record, side)))


def _case(arguments: argparse.Namespace) -> _Case:
    from arbiter.tournament.bundle import bot_of

    source = source_name(arguments.record)
    record = choose_record(load_records(arguments.record), source, arguments.game)
    facts = _facts(Path(arguments.record))
    if arguments.bot is None and not facts:
        raise UsageError("which BOT is to be asked?", f"arbiter replay {source} ./mybot")
    given = None if arguments.bot is None else find_bot(arguments.bot)
    side = _side(arguments, record, facts, given)
    bot = bot_of(facts[side.word]) if given is None else given
    if given is not None and facts:
        bot = replace(given, isolation=bot_of(facts[side.word]).isolation)
    # As told, else as in the game, else in none.
    level = arguments.isolation or bot.isolation or "none"
    return _Case(record, side, confined(bot, level, Path(arguments.record), NAME), facts)


def _facts(directory: Path) -> dict[str, Any]:
    path = directory / "bundle.json"
    if not path.is_file():
        return {}
    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    return facts


def _named(word: object) -> Side:
    return Side.BLACK if word == "black" else Side.WHITE


def _side(arguments: argparse.Namespace, record: Record, facts: dict[str, Any], bot: Bot | None) -> Side:
    """The side that is asked: as told, the one that failed, the one with the bot's name, or the mover's."""
    if arguments.side:
        return _named(arguments.side)
    if facts.get("offender"):
        return _named(facts["offender"])
    names = [record.headers["White"], record.headers["Black"]]
    if bot is not None and names.count(bot.name) == 1:
        return Side(names.index(bot.name))
    ply: int | None = arguments.ply
    if ply is not None:
        positions, _ = replay_until_fault(record)
        if 1 <= ply <= len(positions):
            return positions[ply - 1].to_move
    raise UsageError(
        "which side is the bot to play?",
        f"{names[0]} was white and {names[1]} black: add --side white or black",
    )


def _sound_plies(record: Record) -> list[str]:
    """The plies up to the first that was played in place of a failed bot."""
    positions, fault = replay_until_fault(record)
    if fault is not None:
        raise UsageError(str(fault), "only a sound record can be replayed")
    plies = [ply.text for ply in record.plies[: len(positions)]]
    played = next((i for i, ply in enumerate(record.plies) if "substitute" in ply.comments), len(plies))
    return plies[:played]


def _numbers(arguments: argparse.Namespace, case: _Case, plies: list[str]) -> set[int]:
    positions, _ = replay_until_fault(case.record)
    movers = [position.to_move for position in positions[: len(plies) + 1]]
    own = [number for number, mover in enumerate(movers, 1) if mover is case.side]
    if positions[len(plies)].is_over and own and own[-1] == len(plies) + 1:
        own.pop()
    if arguments.all or (case.facts and arguments.ply is None):
        # A failure may have come from what the process had been through before.
        return set(own)
    if arguments.ply is None:
        return set(own[-1:])
    if arguments.ply not in own:
        raise UsageError(
            f"ply {arguments.ply} is none of {case.side.word}'s", f"those are {', '.join(map(str, own))}"
        )
    return {arguments.ply}


def _left(record: Record, index: int) -> int | None:
    return whole_number(record.plies[index].comments.get("left", ""))


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
    """The seed that the bot had in the game, which follows from the tournament's."""
    from arbiter.tournament.runner import game_seed

    headers = record.headers
    seed, number = whole_number(headers.get("Seed", ""), 19), whole_number(headers.get("Number", ""))
    if seed is None or number is None:
        return 0
    return game_seed(seed, number, headers["White" if side is Side.WHITE else "Black"])


def _tell(each: "Repeated", case: _Case) -> None:
    """Print one answer beside the recorded one."""
    was = each.recorded or f"{case.record.termination} {case.facts.get('answer') or ''}".strip()
    now = each.answer or ""
    if each.failure is not None:
        now = f"{each.failure.termination} {now}".strip()
    verdict = "the same" if _is_same(each, case) else "DIFFERENT"
    answers = f"recorded {was}, now {now} ({each.used / 1e6:.1f} ms)"
    print(f"ply {each.number}, {case.side.word}: {answers}: {verdict}")
    if each.failure is not None:
        print(f"  {each.failure.detail}")
        print(f"  position {each.position}")


def _is_same(each: "Repeated", case: _Case) -> bool:
    if each.recorded is None:
        return each.failure is not None and each.failure.termination == case.record.termination
    return each.failure is None and each.answer is not None and each.answer.upper() == each.recorded
