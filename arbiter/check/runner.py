"""Going through the steps, one after the other, within a time that no bot can stretch."""

import time
from collections.abc import Callable, Collection
from dataclasses import replace

import trio

from arbiter.check.check import Check
from arbiter.check.excerpt import excerpt
from arbiter.check.failure import MachineBusyError
from arbiter.check.outcome import Outcome, StepReport, Verdict, not_tried, skipped
from arbiter.check.permissions import memory_denied, with_room
from arbiter.check.steps import STEPS, Step
from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl
from arbiter.match.wording import describe

LIMIT = 45
"""Seconds after which a check is over, whatever the bot does."""
_RESERVE = 4.0
"""Seconds of these for starting Python and for ending whatever the bot left."""


async def check_bot(
    bot: Bot,
    control: TimeControl,
    numbers: Collection[int],
    begin: Callable[[int, Step], None],
    tell: Callable[[StepReport], None],
) -> list[StepReport]:
    """Try the steps with these numbers (from 1); ``begin`` and ``tell`` hear of each in turn."""
    deadline = time.monotonic() + LIMIT - _RESERVE
    with with_room(bot) as at_home:
        return await _go_through(Check(at_home, control, deadline), numbers, begin, tell)


async def _go_through(
    check: Check,
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
        began, before = time.monotonic(), len(check.probes)
        verdict = _reason_to_skip(check, step, bad) or await _run(check, step)
        if too_much := tuple(memory_denied(check.bot.sandbox, check.probes[before:])):
            verdict = replace(verdict, denied=(*too_much, *verdict.denied))
        if verdict.outcome in (Outcome.FAIL, Outcome.SKIPPED):
            bad[step.title] = _root(step, bad) or number
        trials = tuple((each.what, excerpt(each.transcript)) for each in check.probes[before:])
        report = StepReport(number, step.title, step.tries, verdict, time.monotonic() - began, trials)
        reports.append(report)
        tell(report)
    return reports


def _reason_to_skip(check: Check, step: Step, bad: dict[str, int]) -> Verdict | None:
    if check.bot.dialect not in step.dialects:
        return Verdict(Outcome.NOT_IN_DIALECT)
    root = _root(step, bad)
    return None if root is None else skipped(f"it needs step {root}, {STEPS[root - 1].title}")


def _root(step: Step, bad: dict[str, int]) -> int | None:
    """The step that failed first of those a skipped one needs."""
    return next((bad[title] for title in step.after if title in bad), None)


async def _run(check: Check, step: Step) -> Verdict:
    spent = not_tried(f"the {LIMIT} s of a check are over")
    if check.seconds_left <= 0:
        return spent
    try:
        with trio.move_on_after(check.seconds_left):
            return await step.run(check)
    except MachineBusyError as error:
        return not_tried(f"through this machine: {describe(error.fault)}")
    return spent
