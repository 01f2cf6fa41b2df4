"""The conformance check, where this arbiter has it."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl

_CONTROL = TimeControl(game=5_000)


@dataclass(frozen=True, slots=True)
class Checked:
    """How many of the steps that concern the bot it passed, and what is wrong with the others."""

    passed: int
    steps: int
    failures: tuple[str, ...]


async def check(bot: Bot) -> Checked | None:
    """Go through all steps; None when there is no check in this version."""
    try:
        runner: Any = import_module("arbiter.check.runner")
        steps: Any = import_module("arbiter.check.steps")
    except ModuleNotFoundError:
        return None
    numbers = range(1, len(steps.STEPS) + 1)
    reports = await runner.examine(bot, _CONTROL, numbers, lambda *_: None, lambda _: None)
    by_outcome = [(str(report.verdict.outcome), report) for report in reports]
    failures = tuple(
        f"step {report.number}, {report.title}: {report.verdict.problem}"
        for outcome, report in by_outcome
        if outcome == "fail"
    )
    passed = sum(outcome == "pass" for outcome, _ in by_outcome)
    skipped = sum(outcome == "skipped" for outcome, _ in by_outcome)
    return Checked(passed, passed + len(failures) + skipped, failures)
