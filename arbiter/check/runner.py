"""Going through the steps, one after the other, within a time that no bot can stretch."""

import time
from collections.abc import Callable, Collection
from dataclasses import replace

import trio

from arbiter.check.allowance import memory_denied, with_room
from arbiter.check.examination import Examination
from arbiter.check.excerpt import excerpt
from arbiter.check.outcome import Outcome, StepReport, Verdict, not_tried, skipped
from arbiter.check.steps import STEPS, Step
from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl

LIMIT = 45
"""Seconds after which a check is over, whatever the bot does."""
_RESERVE = 4.0
"""Seconds of these for starting Python and for ending whatever the bot left."""


async def examine(
    bot: Bot,
    control: TimeControl,
    numbers: Collection[int],
    begin: Callable[[int, Step], None],
    tell: Callable[[StepReport], None],
) -> list[StepReport]:
    """Try the steps with these numbers (from 1); ``begin`` and ``tell`` hear of each in turn."""
    deadline = time.monotonic() + LIMIT - _RESERVE
    with with_room(bot) as at_home:
        return await _go_through(Examination(at_home, control, deadline), numbers, begin, tell)


async def _go_through(
    exam: Examination,
    numbers: Collection[int],
    begin: Callable[[int, Step], None],
    tell: Callable[[StepReport], None],
) -> list[StepReport]:
    reports: list[StepReport] = []
    bad: dict[str, int] = {}
    for number, step in enumerate(STEPS, 1):
        if number not in numbers:
            continue
        begin(number, step)
        began, before = time.monotonic(), len(exam.sittings)
        verdict = _reason_to_skip(exam, step, bad) or await _run(exam, step)
        if too_much := tuple(memory_denied(exam.bot.sandbox, exam.sittings[before:])):
            verdict = replace(verdict, denied=(*too_much, *verdict.denied))
        if verdict.outcome in (Outcome.FAIL, Outcome.SKIPPED):
            bad[step.title] = _root(step, bad) or number
        trials = tuple((each.what, excerpt(each.transcript)) for each in exam.sittings[before:])
        report = StepReport(number, step.title, step.tries, verdict, time.monotonic() - began, trials)
        reports.append(report)
        tell(report)
    return reports


def _reason_to_skip(exam: Examination, step: Step, bad: dict[str, int]) -> Verdict | None:
    if exam.bot.dialect not in step.dialects:
        return Verdict(Outcome.NOT_IN_DIALECT)
    root = _root(step, bad)
    return None if root is None else skipped(f"it needs step {root}, {STEPS[root - 1].title}")


def _root(step: Step, bad: dict[str, int]) -> int | None:
    """The step that failed first of those a skipped one needs."""
    return next((bad[title] for title in step.after if title in bad), None)


async def _run(exam: Examination, step: Step) -> Verdict:
    spent = not_tried(f"the {LIMIT} s of a check are over")
    if exam.seconds_left <= 0:
        return spent
    with trio.move_on_after(exam.seconds_left):
        return await step.run(exam)
    return spent
