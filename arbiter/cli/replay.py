"""``arbiter replay``: a recorded game, or a bundle of a failed one, put to one bot again."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from arbiter.cli.arguments import positive
from arbiter.cli.case import Case, cases_of
from arbiter.cli.errors import UsageError
from arbiter.cli.given import WRAP_HELP
from arbiter.cli.records import printable, say, whole_number
from arbiter.match.termination import Termination

if TYPE_CHECKING:
    from arbiter.match.game import GameSetup
    from arbiter.match.replay import Repeated

NAME = "replay"
HELP = "put the questions of a recorded game to a bot again and compare its answers"

_WIDEST = 40
_NO_SCORE = "-"
_HEAD = f"{'ply':>4}  {'side':<5}  {'recorded':<12} {'score':>7}  {'now':<12} {'score':>7}  {'ms':>9}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument("record", metavar="RECORD", help="a bundle, a record file or a results directory")
    parser.add_argument(
        "bot", nargs="?", metavar="BOT", help="the bot to ask (default: the one of the bundle that failed)"
    )
    parser.add_argument("--game", type=int, metavar="N", help="the game, where there are several")
    parser.add_argument(
        "--ply",
        type=int,
        metavar="N",
        help="ask for this ply only, or with --all from there on (default: the last; of a bundle: all)",
    )
    parser.add_argument(
        "--all", action="store_true", help="ask for every ply of the bot's side, and show them all"
    )
    parser.add_argument(
        "--side",
        choices=("white", "black", "both"),
        help="the side to play (default: the one that failed, or that of the bot's name)",
    )
    parser.add_argument("--depth", type=positive, metavar="N", help="a limit of depth to tell the bot")
    parser.add_argument("--nodes", type=positive, metavar="N", help="a limit of nodes to tell the bot")
    parser.add_argument(
        "--isolation",
        choices=("none", "limits", "jail", "auto"),
        help="what holds the bot back (default: as in a bundle's game, else none)",
    )
    parser.add_argument("--trace", action="store_true", help="show what is said, with times")
    parser.add_argument("--wrap", metavar="COMMAND", help=WRAP_HELP.format(bot="the bot"))
    parser.add_argument(
        "--keep-clock",
        action="store_true",
        help="with --wrap: let the bot lose on time all the same (default: its clock stands still)",
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="for people or for programs"
    )
    parser.epilog = (
        "examples:\n"
        "  arbiter replay results/league/failures/game-37\n"
        "  arbiter replay results/league/failures/game-37 --wrap gdb\n"
        "  arbiter replay games.drec ./mybot --game 37 --all\n"
        "Position, clock, options and seed are those of the game, as far as the record tells them.\n"
        "exit status: 0 all answers as recorded, 1 not"
    )


def run(arguments: argparse.Namespace) -> int:
    """Ask, tell each answer; 0 when they are those of the record."""
    from arbiter.cli.failures import require_room
    from arbiter.cli.interruptible import run_interruptible

    require_room(1)
    cases = cases_of(arguments)
    # Answers come one by one, unless a trace tells of them anyway.
    tell = None if arguments.trace or arguments.wrap or arguments.format == "json" else _say_now
    reports = [Report(case, _numbers(arguments, case), shows_all=arguments.all, tell=tell) for case in cases]
    run_interruptible(partial(_ask_all, reports, arguments))
    if arguments.format == "json":
        say(json.dumps(_as_json(reports), ensure_ascii=False, indent=2))
    else:
        for line in _end(reports, are_told=tell is not None):
            say(line)
    return 0 if all(report.is_as_recorded for report in reports) else 1


def _say_now(line: str) -> None:
    say(line)
    sys.stdout.flush()


def _numbers(arguments: argparse.Namespace, case: Case) -> set[int]:
    """The plies to ask for."""
    own, ply = case.own_numbers, arguments.ply
    if ply is not None and arguments.all:
        chosen = {number for number in own if number >= ply}
    elif ply is not None:
        chosen = {ply} & set(own)
    elif arguments.all or "bundle" in case.facts:
        # A failure may have come from what the process had been through before.
        chosen = set(own)
    else:
        chosen = set(own[-1:])
    if not chosen:
        what = "there is no ply" if ply is None else f"ply {ply} is none"
        raise UsageError(f"{what} of {case.side.word}'s", f"those are {', '.join(map(str, own)) or 'none'}")
    return chosen


async def _ask_all(reports: Sequence["Report"], arguments: argparse.Namespace) -> None:
    from arbiter.cli.building import build_all
    from arbiter.cli.dialogues import listening, screen_of, trace_of
    from arbiter.match.replay import Script, replay

    await build_all(report.case.bot for report in reports)
    for report in reports:
        case = report.case
        setup = _setup(case, arguments)
        script = Script(setup, case.side, case.plies, case.lefts, report.numbers)
        names = [case.record.headers["White"], case.record.headers["Black"]]
        names[case.side] = case.bot.name
        trace, screen = trace_of(arguments, [case.bot]), screen_of(arguments.format)
        async with listening(trace, screen, int(setup.label), names) as ear:
            notes = (await replay(script, report.take, ear)).notes
            report.notes = [*case.notes, *report.remarks, *notes]


def _setup(case: Case, arguments: argparse.Namespace) -> "GameSetup":
    from arbiter.match.game import GameSetup
    from protocol.rules import Side

    return GameSetup(
        case.competitor(Side.WHITE),
        case.competitor(Side.BLACK),
        case.record.start(),
        label=str(whole_number(case.record.headers.get("Number", "")) or 1),
        depth=arguments.depth or case.facts.get("depth"),
        nodes=arguments.nodes or case.facts.get("nodes"),
    )


# --- answers ---------------------------------------------------------------------------------------------


class Report:
    """The answers of one side."""

    def __init__(
        self, case: Case, numbers: set[int], *, shows_all: bool, tell: Callable[[str], None] | None
    ) -> None:
        """``tell`` gets the lines of the table as the answers come; without it they wait in ``lines``."""
        self.case = case
        self.numbers = numbers
        self.answers: list[Repeated] = []
        self.notes: Sequence[str] = ()
        self.lines: list[str] = []
        self._shows_all = shows_all
        self._tell = tell or self.lines.append
        self._has_begun = False

    def take(self, answer: "Repeated") -> None:
        """Note an answer."""
        self.answers.append(answer)
        is_last = answer.number == max(self.numbers)
        if self._shows_all or is_last or not self.is_same(answer):
            if not self._has_begun:
                self._tell(_HEAD)
                self._has_begun = True
            for line in self._row(answer):
                self._tell(line)

    def is_same(self, answer: "Repeated") -> bool:
        if answer.recorded is None:
            return self._fails_alike(answer) and not self.is_unclear(answer)
        return not answer.is_off_the_track

    def is_unclear(self, answer: "Repeated") -> bool:
        """Whether the bot ended as it did then, but only the tool it was started through knows how."""
        from arbiter.match.wording import describe_exit

        failure = answer.reply.failure
        if not (self.case.bot.wrap and self._fails_alike(answer) and failure):
            return False
        if failure.termination not in (Termination.CRASH, Termination.KILLED):
            return False
        return "wrapper" in failure.facts or describe_exit(failure) != self.case.detail.partition(";")[0]

    def _fails_alike(self, answer: "Repeated") -> bool:
        failure = answer.reply.failure
        if answer.recorded is not None or failure is None or answer.is_void:
            return False
        return failure.termination == self.case.record.termination

    @property
    def same(self) -> int:
        return sum(map(self.is_same, self.answers))

    @property
    def is_as_recorded(self) -> bool:
        return self.same == len(self.numbers)

    @property
    def remarks(self) -> list[str]:
        """What may explain why a bot is no longer the one of the game."""
        if self._has_missed_memory:
            return ["memory failures need not come at the same ply again"]
        others = sum(each.reply.failure is None and not self.is_same(each) for each in self.answers)
        if not self.case.is_recorded or others < 2 or 2 * others < len(self.numbers):
            return []
        return ["most answers are others than in the game: does it draw chance without the option Seed?"]

    @property
    def _has_missed_memory(self) -> bool:
        """Whether the game was lost by ``memory``, and the bot now did not fail so at the same ply."""
        if self.case.record.termination != Termination.MEMORY:
            return False
        others = ((each, each.reply.failure) for each in self.answers if not self.is_same(each))
        return any(
            each.recorded is None if failure is None else failure.termination == Termination.MEMORY
            for each, failure in others
        )

    def was(self, answer: "Repeated") -> str:
        """What the record has: a ply, or how the game ended in its place."""
        return answer.recorded or _outcome(self.case.record.termination, self.case.answer)

    def _row(self, answer: "Repeated") -> list[str]:
        from arbiter.match.wording import describe

        reply, failure = answer.reply, answer.reply.failure
        now = _outcome(None if failure is None else failure.termination, reply.answer)
        number, side, ms = answer.number or "-", self.case.side.word, reply.spent.wall / 1e6
        then, score = self.case.score(answer.number) or _NO_SCORE, reply.info.get("score", _NO_SCORE)
        row = f"{number:>4}  {side:<5}  {self.was(answer):<12} {then:>7}  {now:<12} {score:>7}  {ms:9.1f}"
        detail = [] if failure is None else [f"      {describe(failure)}"]
        if len(self.numbers) == 1 and "pv" in reply.info:
            detail.append(f"      line: {reply.info['pv'].replace(',', ' ')}")
        if self.is_unclear(answer):
            return [f"{row}  UNCLEAR", *detail, f"      recorded: {self.case.detail or 'nothing more'}"]
        return [f"{row}  {self._verdict(answer)}", *detail]

    def _verdict(self, answer: "Repeated") -> str:
        if answer.is_void:
            return "NOT REPEATED"
        return "same" if self.is_same(answer) else f"DIFFERENT  {answer.position}"

    def as_json(self) -> list[dict[str, Any]]:
        return [self._answer_as_json(answer) for answer in self.answers]

    def _answer_as_json(self, answer: "Repeated") -> dict[str, Any]:
        from arbiter.match.wording import describe

        reply, failure = answer.reply, answer.reply.failure
        return {
            "ply": answer.number,
            "side": self.case.side.word,
            "position": answer.position.dpos,
            "recorded": answer.recorded,
            "recorded_score": self.case.score(answer.number),
            "recorded_failure": None if answer.recorded else self.case.record.termination,
            "answer": reply.answer,
            "failure": failure and str(failure.termination),
            "detail": failure and describe(failure),
            "ms": round(reply.spent.wall / 1e6, 3),
            "info": dict(reply.info),
            "same": self.is_same(answer),
        }


def _outcome(termination: str | None, answer: str | None) -> str:
    """A ply, or how the game was lost; what bots say can be long."""
    words = " ".join(word for word in (termination, printable(answer or "")) if word)
    return shorten(words, _WIDEST, placeholder=" ...") or "nothing"


def _end(reports: Sequence[Report], *, are_told: bool) -> list[str]:
    lines = [] if are_told else [line for report in reports for line in report.lines]
    notes = [f"note: {note}" for report in reports for note in report.notes]
    answers = [(report, answer) for report in reports for answer in report.answers]
    asked, answered = sum(len(report.numbers) for report in reports), len(answers)
    same = sum(report.same for report in reports)
    rest = f"; {asked - answered} not asked any more" if asked > answered else ""
    if unclear := sum(report.is_unclear(answer) for report, answer in answers):
        rest += f"; {unclear} unclear: under --wrap only the tool knows how the bot ended"
    if void := sum(answer.is_void for _, answer in answers):
        rest += f"; {void} not repeated: the machine was too busy, try again"
    return [*lines, *notes, f"{same} of {answered} as recorded{rest}"]


def _as_json(reports: Sequence[Report]) -> dict[str, Any]:
    record = reports[0].case.record
    return {
        "game": record.game,
        "white": record.headers["White"],
        "black": record.headers["Black"],
        "bot": reports[0].case.bot.name,
        "asked": sum(len(report.numbers) for report in reports),
        "same": sum(report.same for report in reports),
        "notes": [note for report in reports for note in report.notes],
        "answers": sorted(
            (row for report in reports for row in report.as_json()), key=lambda row: row["ply"]
        ),
    }
