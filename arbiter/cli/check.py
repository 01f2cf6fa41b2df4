"""``arbiter check``: does a bot keep to its protocol? Step by step, with what to change where it does not."""

import argparse
import json
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.cli.arguments import positive
from arbiter.cli.errors import UsageError
from arbiter.cli.records import printable, say
from arbiter.cli.single import confined, find_bot
from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl

if TYPE_CHECKING:
    from arbiter.check.outcome import StepReport
    from arbiter.check.steps import Step

NAME = "check"
HELP = "check that a bot keeps to its protocol, step by step, and say what to change"

_LONGEST_GAME = 10_000
_TITLE = 24
_INDENT = " " * 7
_WIDTH = 110
_COLOURS = {"pass": "32", "fail": "1;31", "skipped": "33"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument(
        "bot",
        metavar="BOT",
        help="a path, a quoted command, or sample:NAME; codecup: before it for a bot of that dialect",
    )
    parser.add_argument(
        "--step",
        type=positive,
        action="append",
        metavar="N",
        help="try only the step with this number (repeatable; default: all)",
    )
    parser.add_argument(
        "--time",
        default="5s",
        metavar="T",
        help="the time a game for whole games, at most 10s (default: 5s)",
    )
    parser.add_argument(
        "--isolation",
        choices=("none", "limits", "jail", "auto"),
        default="none",
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
        "It takes 45 s at most. Exit status: 0 nothing failed, 1 a step failed, 2 usage."
    )


def run(arguments: argparse.Namespace) -> int:
    """Try the steps, telling each as it is done; 1 when one failed."""
    from arbiter.check.outcome import Outcome
    from arbiter.check.steps import STEPS
    from arbiter.isolation.tree import become_subreaper

    numbers = arguments.step or range(1, len(STEPS) + 1)
    if max(numbers) > len(STEPS):
        titles = ", ".join(f"{number} {step.title}" for number, step in enumerate(STEPS, 1))
        raise UsageError(f"there is no step {max(numbers)}", f"the steps: {titles}")
    control = _time(arguments.time)
    bot = confined(find_bot(arguments.bot), arguments.isolation, Path.cwd() / "results", NAME)
    as_text = arguments.format == "text"
    screen = _Screen(arguments.verbose) if as_text else None
    become_subreaper()
    _build(bot, say if as_text else _nothing)
    if screen is not None:
        screen.head(bot)
    reports = _examine(bot, control, set(numbers), screen)
    if screen is not None:
        print(f"\n{_summary(reports, len(STEPS))}")
    else:
        say(_as_json(bot, reports, _summary(reports, len(STEPS))))
    return 1 if any(report.verdict.outcome is Outcome.FAIL for report in reports) else 0


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


def _examine(
    bot: Bot, control: TimeControl, numbers: set[int], screen: "_Screen | None"
) -> "list[StepReport]":
    """Go through the steps."""
    from arbiter.check.runner import examine
    from arbiter.cli.interruptible import run_interruptible

    async def work() -> "list[StepReport]":
        if screen is None:
            return await examine(bot, control, numbers, _nothing, _nothing)
        return await examine(bot, control, numbers, screen.begin, screen.tell)

    return run_interruptible(work)


def _nothing(*_: object) -> None:
    pass


class _Screen:
    """Tells steps as they are done; in a terminal their titles already when they begin."""

    def __init__(self, verbose: bool) -> None:
        self._verbose = verbose
        self._is_terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._has_colour = self._is_terminal and not os.environ.get("NO_COLOR")

    def head(self, bot: Bot) -> None:
        level = f", isolation {bot.sandbox.level}" if bot.sandbox.level != "none" else ""
        say(f"{printable(bot.name)}: {printable(' '.join(bot.argv))} ({bot.dialect}{level})\n")

    def begin(self, number: int, step: "Step") -> None:
        if self._is_terminal:
            print(f"{number:>4}  {step.title:<{_TITLE}}", end="", flush=True)

    def tell(self, report: "StepReport") -> None:
        head = "" if self._is_terminal else f"{report.number:>4}  {report.title:<{_TITLE}}"
        say(head + self._outcome(report))
        for line in self._rest(report):
            say(line)
        sys.stdout.flush()

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
        for note in verdict.notes:
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


def _summary(reports: "Sequence[StepReport]", all_of_them: int) -> str:
    from arbiter.check.outcome import Outcome

    count = Counter(report.verdict.outcome for report in reports)
    words = {Outcome.PASS: "passed", Outcome.FAIL: "failed"}
    counts = ", ".join(f"{count[each]} {words.get(each, each)}" for each in Outcome if count[each])
    text = f"{len(reports)} step{'' if len(reports) == 1 else 's'}: {counts}"
    bad = [str(report.number) for report in reports if report.verdict.outcome is Outcome.FAIL]
    if bad:
        return f"{text}: see step{'' if len(bad) == 1 else 's'} {', '.join(bad)}"
    if count[Outcome.SKIPPED]:
        return f"{text}: no fault found, but not all was tried"
    return f"{text}: ready for tournaments" if len(reports) == all_of_them else text


def _as_json(bot: Bot, reports: "Sequence[StepReport]", summary: str) -> str:
    from arbiter.check.outcome import Outcome

    steps: list[dict[str, Any]] = [
        {
            "number": report.number,
            "title": report.title,
            "tried": report.tried,
            "outcome": str(report.verdict.outcome),
            "problem": report.verdict.problem,
            "change": report.verdict.change,
            "notes": list(report.verdict.notes),
            "dialogue": list(report.verdict.dialogue),
            "seconds": round(report.seconds, 3),
        }
        for report in reports
    ]
    failed = [step["number"] for step in steps if step["outcome"] == Outcome.FAIL]
    about = {"name": bot.name, "protocol": str(bot.dialect), "command": list(bot.argv)}
    data = {"bot": about, "steps": steps, "failed": failed, "summary": summary}
    return json.dumps(data, ensure_ascii=False, indent=2)
