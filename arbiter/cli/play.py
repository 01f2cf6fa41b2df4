"""``arbiter play``: a person against a bot, in the terminal."""

import argparse
import os
import secrets
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.cli.arguments import natural, positive
from arbiter.cli.errors import UsageError
from arbiter.cli.games import load_games
from arbiter.cli.given import BOT_HELP, OPENINGS_HELP, openings_of, start_of, time_of
from arbiter.cli.records import printable, say
from arbiter.cli.results import shown
from arbiter.cli.single import confined, find_bot
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import ClockKind, TimeControl
from protocol.records import format_record
from protocol.rules import Position, Side

if TYPE_CHECKING:
    from arbiter.cli.duel import Duel, Parties
    from arbiter.match.referee import Referee

NAME = "play"
HELP = "play against a bot yourself"

_PERSON = "human"
_ADVISER = "sample:greedy"
_MOST_BOTS = 3
"""The opponent, the same one led back to an earlier ply meanwhile, and who gives hints."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument("bot", metavar="BOT", help=BOT_HELP)
    parser.add_argument(
        "--side",
        choices=("white", "black", "random"),
        default="white",
        help="the side you play (default: white)",
    )
    parser.add_argument(
        "--clock", metavar="T", help='a clock for both, such as "5m + 5s" (default: you have all the time)'
    )
    parser.add_argument(
        "--think",
        metavar="T",
        default="2s",
        help="without --clock: the time a ply that the bot is told, and not held to (default: 2s)",
    )
    parser.add_argument("--depth", type=positive, metavar="N", help="a limit of depth to tell the bot")
    parser.add_argument("--nodes", type=positive, metavar="N", help="a limit of nodes to tell the bot")
    parser.add_argument(
        "--openings",
        default="empty",
        metavar="KIND",
        help=f"{OPENINGS_HELP} (default: empty; a board skips the placement)",
    )
    parser.add_argument("--position", metavar="DPOS", help="the position from which the game starts")
    parser.add_argument(
        "--hints",
        metavar="BOT",
        help=f"who gives hints (default: the bot itself, {_ADVISER} for a CodeCup bot)",
    )
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="where the game is kept; added to a file that is there (default: play-BOT-DATE.drec)",
    )
    parser.add_argument("--seed", type=natural, metavar="N", help="the seed of all chance (default: drawn)")
    parser.add_argument(
        "--isolation",
        choices=("none", "limits", "jail", "auto"),
        default="none",
        help="what holds the bot back (default: none)",
    )
    parser.epilog = (
        "examples:\n"
        "  arbiter play ./mybot --openings balanced\n"
        '  arbiter play sample:greedy --side black --clock "5m + 5s" --save mine.drec\n'
        "A ply is typed as in h1g1, a placement as in d1; `help` lists the commands. Forced passes are\n"
        "played for you. The game is kept however it ends, also by Ctrl-C. When a ply is taken back, a\n"
        "CodeCup bot is started anew and has to play the same plies again.\n"
        "exit status: 0, or 1 when the bot failed"
    )


def run(arguments: argparse.Namespace) -> int:
    """Play; 1 when the bot failed."""
    from arbiter.cli.duel import NOT_BEGUN, Duel
    from arbiter.cli.failures import require_room
    from arbiter.cli.input_lines import InputLines
    from arbiter.cli.interruptible import run_interruptible
    from arbiter.cli.look import terminal_look
    from arbiter.match.session import NotReadyError

    require_room(_MOST_BOTS)
    if arguments.position is not None and arguments.openings != "empty":
        raise UsageError("--openings and --position both say where the game starts", "leave one of them out")
    bot = confined(find_bot(arguments.bot), arguments.isolation, Path.cwd() / "results", NAME)
    seed = secrets.randbelow(2**31) if arguments.seed is None else arguments.seed
    path = Path(arguments.save) if arguments.save else _free_path(bot)
    number = _next_number(path)
    start, opening = _start(arguments, bot, seed)
    parties = _parties(arguments, bot, seed, number, start)
    duel = Duel(parties, InputLines(), terminal_look())
    started_at = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    try:
        run_interruptible(partial(_play, parties, duel))
    except NotReadyError as error:
        raise UsageError(f"{bot.name} cannot play: {error}", "arbiter check tells what is wrong") from None
    except KeyboardInterrupt:
        say("\ninterrupted" if duel.has_begun else f"\ninterrupted {NOT_BEGUN}")
        raise
    finally:
        if duel.has_begun:
            _keep(duel.game, started_at, path, number, seed, opening)
    failure = duel.game.faults.get(parties.person.other)
    return 1 if failure is not None and failure.termination.is_forfeit else 0


async def _play(parties: "Parties", duel: "Duel") -> None:
    import trio

    from arbiter.bench.stand import Stand
    from arbiter.cli.building import build_all
    from arbiter.match.groups import leaves

    error: Exception | None = None
    side = parties.person
    await build_all([parties.setup.competitor(side.other).bot, parties.advice.competitor(side).bot])
    async with trio.open_nursery() as nursery:
        stand = Stand(nursery)
        try:
            await duel.play(stand)
        except Exception as caught:
            # Raised again below, where the nursery does not make a group of it.
            error = caught
        stand.dismiss_all()
    if error is not None:
        raise next(leaves(error))


# --- who plays, and from where ---------------------------------------------------------------------------


def _parties(arguments: argparse.Namespace, bot: Bot, seed: int, number: int, start: Position) -> "Parties":
    from arbiter.cli.duel import Parties
    from arbiter.match.game import Competitor, GameSetup
    from arbiter.tournament.openings.chance import Chance
    from arbiter.tournament.runner import game_seed

    side = {"white": Side.WHITE, "black": Side.BLACK}.get(arguments.side)
    if side is None:
        side = Side(Chance("dvonn", "side", seed, number).below(2))
    told = _told(arguments)
    time = time_of(arguments.clock, "--clock") if arguments.clock else told
    person = Competitor(Bot(_PERSON, (), Path.cwd()), time)
    opponent = Competitor(bot, time, game_seed(seed, number, bot.name))
    adviser = Competitor(_adviser(arguments, bot), told, game_seed(seed, number, bot.name))

    def setup(own: Competitor) -> GameSetup:
        pair = (own, opponent) if side is Side.WHITE else (opponent, own)
        return GameSetup(*pair, start, label=str(number), depth=arguments.depth, nodes=arguments.nodes)

    return Parties(setup(person), setup(adviser), side)


def _told(arguments: argparse.Namespace) -> TimeControl:
    """Without a clock: what the bot is told it has for a ply. It is not held to it."""
    from arbiter.tournament.durations import parse_positive_duration
    from arbiter.tournament.problems import ConfigurationError

    try:
        return TimeControl(game=None, move=parse_positive_duration(arguments.think), clock=ClockKind.STILL)
    except ConfigurationError as error:
        raise UsageError(f"--think: {error}", "example: --think 500ms") from None


def _adviser(arguments: argparse.Namespace, bot: Bot) -> Bot:
    if arguments.hints is None and bot.dialect is Dialect.DVP:
        return bot
    adviser = find_bot(arguments.hints or _ADVISER)
    if adviser.dialect is Dialect.CODECUP:
        raise UsageError(
            f"--hints: {adviser.name} speaks the CodeCup dialect, in which no position can be told"
        )
    return adviser


def _start(arguments: argparse.Namespace, bot: Bot, seed: int) -> tuple[Position, str | None]:
    """Where the game starts, and the name of the opening."""
    from arbiter.tournament.openings import OpeningsError, open_openings

    position = start_of(arguments.position, [bot])
    if position is not None:
        return position, None
    try:
        opening = open_openings(openings_of(arguments.openings, [bot]), seed)[0]
    except OpeningsError as error:
        raise UsageError(f"--openings: {error}") from None
    if opening.position.is_over:
        raise UsageError("--openings: the game is over in the first of them: neither side can move")
    return opening.position, opening.name


# --- what is kept ----------------------------------------------------------------------------------------


def _free_path(bot: Bot) -> Path:
    """A file that is not there yet, named after the bot and the time."""
    from arbiter.tournament.config import slugify

    stem = f"play-{slugify(bot.name)}-{datetime.now():%Y%m%d-%H%M%S}"
    path, number = Path(f"{stem}.drec"), 1
    while path.exists():
        number += 1
        path = Path(f"{stem}-{number}.drec")
    return path


def _next_number(path: Path) -> int:
    """The number of the game in its file.

    Raises:
        UsageError: when there is a file that holds no game records, or it cannot be written.
    """
    if not path.parent.is_dir():
        raise UsageError(f"--save {path}: there is no directory {path.parent}")
    is_new = not os.path.lexists(path)
    if not is_new and not path.is_file():
        raise UsageError(f"--save {path}: {'a directory' if path.is_dir() else 'not a file'}", "name a file")
    try:
        path.open("a").close()  # a game is too much to be lost for it
    except OSError as error:
        hint = "--save names another file"
        raise UsageError(f"--save {path}: cannot be written: {error.strerror}", hint) from None
    if is_new:
        path.unlink()
        return 1
    games = load_games(str(path))
    faults = [fault for _, reading in games for fault in reading.faults]
    if faults:
        raise UsageError(f"--save: {faults[0]}", "name another file, or mend this one")
    return max(games.numbers, default=0) + 1


def _keep(game: "Referee", started_at: str, path: Path, number: int, seed: int, opening: str | None) -> None:
    """Write the game to its file, after others."""
    from arbiter.bench.sheet import record_of

    record = record_of(game, started_at, number, seed, opening)
    try:
        is_first = not path.exists() or path.stat().st_size == 0
        with path.open("a", encoding="utf-8") as file:
            file.write(("" if is_first else "\n") + format_record(record))
    except OSError as error:
        say(f"the game could not be kept: {printable(str(path))}: {error.strerror}; its plies:")
        say(" ".join(game.texts))
        return
    which = f" --game {number}" if number > 1 else ""
    say(f"kept in {shown(path)}; see it: arbiter show {shown(path)}{which}")
