"""The conformance check as one stage of a trial."""

from collections import Counter
from dataclasses import dataclass

from arbiter.check.runner import check_bot
from arbiter.check.steps import STEPS
from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl

_CONTROL = TimeControl(game=5_000)
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Checked:
    """How many of the steps that concern the bot it passed, how many could not be tried for that reason,
    and in lines what is wrong and what to change. ``untried`` are steps that there was no time for, or
    that the machine spoiled.
    """

    passed: int
    steps: int
    skipped: int
    untried: int
    failures: tuple[str, ...]


async def check(bot: Bot) -> Checked:
    """Go through all steps."""
    numbers = range(1, len(STEPS) + 1)
    reports = await check_bot(bot, _CONTROL, numbers, lambda *_: None, lambda _: None)
    count = Counter(str(report.verdict.outcome) for report in reports)
    failed = [report for report in reports if report.verdict.outcome == "fail"]
    failures = []
    for report in failed[:_SHOWN]:
        failures.append(f"step {report.number}, {report.title}: {report.verdict.problem}")
        failures.append(f"  change: {report.verdict.change}")
    if len(failed) > _SHOWN:
        failures.append(f"... and {len(failed) - _SHOWN} more steps failed: arbiter check tells all")
    steps = count["pass"] + count["fail"] + count["skipped"]
    return Checked(count["pass"], steps, count["skipped"], count["not tried"], tuple(failures))
