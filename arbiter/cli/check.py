"""``arbiter check``: does a bot keep to its protocol? Step by step, with what to change where it does not."""

import argparse
import json
import os
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.cli.arguments import positive
from arbiter.cli.errors import INCOMPLETE, INTERRUPTED, UsageError
from arbiter.cli.records import printable, say
from arbiter.cli.single import confined, find_bot
from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl

if TYPE_CHECKING:
    from arbiter.check.findings import Findings
    from arbiter.check.outcome import StepReport
    from arbiter.check.steps import Step

NAME = "check"
HELP = "check that a bot keeps to its protocol, step by step, and say what to change"

_LONGEST_GAME = 10_000
_USUAL_TIME, _USUAL_LEVEL, _BEST_LEVEL = "5s", "none", "auto"
_TITLE = 24
_INDENT = " " * 7
_WIDTH = 110
_COLOURS = {"pass": "32", "fail": "1;31", "skipped": "33", "not tried": "33"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "bot",
        metavar="BOT",
        help="a path, a quoted command, or sample:NAME; codecup: before it for a bot of that dialect",
    )
    parser.add_argument(
        "--step",
        type=_numbers,
        action="extend",
        metavar="N",
        help="try only these steps: 5, 14-23 or 5,14-23 (repeatable; default: all)",
    )
    parser.add_argument(
        "--time",
        default=_USUAL_TIME,
        metavar="T",
        help="the time a game for whole games, at most 10s (default: 5s)",
    )
    parser.add_argument(
        "--isolation",
        choices=("none", "limits", "jail", "auto"),
        default=_USUAL_LEVEL,
        help="what holds the bot back (default: none)",
    )
    parser.add_argument(
        "--verbose", action="store_true", help="show what was said in every trial, also where all is well"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="for people or for programs"
    )
    parser.epilog = (
        "examples:\n"
        "  arbiter check ./mybot\n"
        '  arbiter check "codecup:python3 oldbot.py" --verbose\n'
        "It takes 45 s at most; a bot that starts slowly is tried in several runs with --step.\n"
        "exit status: 0 nothing failed and all was tried, 1 a step failed, 2 usage,\n"
        "3 nothing failed, but not all could be tried, 130 interrupted"
    )


def run(arguments: argparse.Namespace) -> int:
    """Try the steps, telling each as it is done."""
    from arbiter.check.findings import Findings
    from arbiter.check.steps import STEPS
    from arbiter.cli.failures import require_room
    from arbiter.isolation.tree import become_subreaper

    require_room(1)
    numbers = sorted(set(arguments.step or range(1, len(STEPS) + 1)))
    if numbers[-1] > len(STEPS):
        titles = ", ".join(f"{number} {step.title}" for number, step in enumerate(STEPS, 1))
        raise UsageError(f"there is no step {numbers[-1]}", f"the steps: {titles}")
    control = _time(arguments.time)
    bot = confined(find_bot(arguments.bot), arguments.isolation, Path.cwd() / "results", NAME)
    as_text = arguments.format == "text"
    screen = _Screen(arguments.verbose) if as_text else None
    become_subreaper()
    _build(bot, say if as_text else _nothing)
    if screen is not None:
        screen.head(bot)
    findings = Findings(numbers, len(numbers) == len(STEPS), bot.sandbox.level)
    try:
        _try_steps(bot, control, findings, screen)
    except KeyboardInterrupt:
        findings.is_interrupted = True
    rest = _command(arguments, findings.left, arguments.isolation)
    held_back = _command(arguments, numbers if findings.denied else (), _BEST_LEVEL)
    if screen is not None:
        screen.end(findings, {"the rest": rest, "held back as in tournaments": held_back})
    else:
        say(_as_json(bot, findings, rest, held_back))
    return _status(findings)


def _status(findings: "Findings") -> int:
    if findings.is_interrupted:
        return INTERRUPTED
    if findings.failed:
        return 1
    return 0 if findings.is_complete else INCOMPLETE


def _numbers(text: str) -> list[int]:
    """The numbers that ``5``, ``14-23`` or ``5,14-23`` names."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        found = range(positive(first), positive(last if dash else first) + 1)
        if not found:
            raise argparse.ArgumentTypeError(f"{part!r} goes backwards")
        numbers += found
    return numbers


def _command(arguments: argparse.Namespace, numbers: Sequence[int], level: str) -> str:
    """The command that tries these steps at an isolation level; empty when there are none."""
    from arbiter.check.findings import ranges
    from arbiter.check.steps import STEPS

    if not numbers:
        return ""
    every = ranges(range(1, len(STEPS) + 1))
    given = (
        ("--step", ranges(numbers), every),
        ("--time", arguments.time, _USUAL_TIME),
        ("--isolation", level, _USUAL_LEVEL),
    )
    options = [word for option, value, usual in given if value != usual for word in (option, value)]
    return shlex.join(["arbiter", NAME, arguments.bot, *options])


def _time(text: str) -> TimeControl:
    from arbiter.tournament.durations import parse_time_control
    from arbiter.tournament.problems import ConfigurationError

    try:
        time = parse_time_control(text)
    except ConfigurationError as error:
        raise UsageError(f"--time: {error}", "examples: --time 5s, --time 500ms") from None
    if time.game is None or time.move is not None or not 0 < time.game <= _LONGEST_GAME:
        raise UsageError(
            f"--time {text}: a time for the whole game is needed, from 1ms to 10s",
            "a check is over after 45 s, whatever the bot does",
        )
    return time


def _build(bot: Bot, tell: Callable[[str], None]) -> None:
    """Build a bot that wants it. Raises UsageError."""
    import trio

    from arbiter.tournament.bots import cache_directory
    from arbiter.tournament.prepare import build

    problem = trio.run(build, bot, cache_directory() / "logs", set(), tell)
    if problem is not None:
        raise UsageError(f"{bot.name}: {problem}")


def _try_steps(bot: Bot, control: TimeControl, findings: "Findings", screen: "_Screen | None") -> None:
    """Go through the steps, as far as nobody interrupts that."""
    from arbiter.check.runner import check_bot
    from arbiter.cli.interruptible import run_interruptible

    def tell(report: "StepReport") -> None:
        findings.reports.append(report)
        if screen is not None:
            screen.tell(report)

    async def work() -> None:
        begin = _nothing if screen is None else screen.begin
        await check_bot(bot, control, findings.numbers, begin, tell)

    run_interruptible(work)


def _nothing(*_: object) -> None:
    pass


class _Screen:
    """Tells steps as they are done; in a terminal their titles already when they begin."""

    def __init__(self, verbose: bool) -> None:
        self._verbose = verbose
        self._begun = ""
        self._is_terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._has_colour = self._is_terminal and not os.environ.get("NO_COLOR")

    def head(self, bot: Bot) -> None:
        level = f", isolation {bot.sandbox.level}" if bot.sandbox.level != "none" else ""
        say(f"{printable(bot.name)}: {printable(' '.join(bot.argv))} ({bot.dialect}{level})\n")

    def begin(self, number: int, step: "Step") -> None:
        self._begun = f"{number:>4}  {step.title:<{_TITLE}}"
        if self._is_terminal:
            print(self._begun, end="", flush=True)

    def tell(self, report: "StepReport") -> None:
        self._complete(self._outcome(report))
        for line in self._rest(report):
            say(line)
        sys.stdout.flush()

    def end(self, findings: "Findings", commands: Mapping[str, str]) -> None:
        """Say what it all comes to; ``commands`` are what to try next, by what they are for."""
        if self._begun:
            self._complete("interrupted")
        print(f"\n{findings.summary}")
        for purpose, command in commands.items():
            if command:
                say(f"{purpose}: {printable(command)}")

    def _complete(self, words: str) -> None:
        """End the line of a step that has begun."""
        say(words if self._is_terminal else f"{self._begun}{words}")
        self._begun = ""

    def _outcome(self, report: "StepReport") -> str:
        from arbiter.check.outcome import Outcome

        verdict = report.verdict
        word = "FAIL" if verdict.outcome is Outcome.FAIL else str(verdict.outcome)
        if self._has_colour:
            word = f"\x1b[{_COLOURS.get(verdict.outcome, '2')}m{word}\x1b[0m"
        if verdict.problem and verdict.outcome is not Outcome.FAIL:
            return f"{word}: {printable(verdict.problem)}"
        return word

    def _rest(self, report: "StepReport") -> Iterator[str]:
        from arbiter.check.outcome import Outcome

        verdict = report.verdict
        has_failed = verdict.outcome is Outcome.FAIL
        if has_failed or self._verbose:
            yield from _paragraph("tried", report.tried)
        if has_failed:
            yield from _paragraph("problem", verdict.problem)
            yield from _paragraph("change", verdict.change)
        for note in (*verdict.notes, *verdict.denied):
            yield from _paragraph("note", note)
        if self._verbose:
            yield from _paragraph("took", f"{report.seconds:.1f} s")
            for what, lines in report.trials:
                yield from _dialogue(f"in {what}", lines)
        elif has_failed and verdict.dialogue:
            yield from _dialogue("said", verdict.dialogue)


def _paragraph(label: str, text: str) -> list[str]:
    start = f"{_INDENT}{label:<9}"
    return textwrap.wrap(
        printable(text),
        _WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
    )


def _dialogue(label: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{_INDENT}{printable(label)} (ms since the start; > to the bot, < from it):"
    for line in lines:
        yield f"{_INDENT}{printable(line)}"


def _as_json(bot: Bot, findings: "Findings", rest: str, held_back: str) -> str:
    steps: list[dict[str, Any]] = [
        {
            "number": report.number,
            "title": report.title,
            "tried": report.tried,
            "outcome": str(report.verdict.outcome),
            "problem": report.verdict.problem,
            "change": report.verdict.change,
            "notes": list(report.verdict.notes),
            "denied": list(report.verdict.denied),
            "dialogue": list(report.verdict.dialogue),
            "seconds": round(report.seconds, 3),
        }
        for report in findings.reports
    ]
    about = {"name": bot.name, "protocol": str(bot.dialect), "command": list(bot.argv)}
    data = {
        "bot": about,
        "steps": steps,
        "failed": findings.failed,
        "left": findings.left,
        "rest": rest,
        "isolation": str(findings.level),
        "held_back": held_back,
        "interrupted": findings.is_interrupted,
        "summary": findings.summary,
    }
    return json.dumps(data, ensure_ascii=False, indent=2)
