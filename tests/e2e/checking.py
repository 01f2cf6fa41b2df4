"""Going through steps of the check in a test."""

from collections.abc import Collection

import trio

from arbiter.check import runner
from arbiter.check.outcome import Outcome, StepReport
from arbiter.check.steps import STEPS
from arbiter.isolation.tree import become_subreaper
from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl

NUMBERS = {step.title: number for number, step in enumerate(STEPS, 1)}
EVERY = frozenset(NUMBERS.values())
PATIENT = TimeControl()
HASTY = TimeControl(game=500, start=1_000)
"""For bots that will not answer anyway."""
MUTE = TimeControl(start=500)

GAME = ("placement as White", "double turn", "movement as White")
PLACEMENTS = ("placement as White", "placement as Black")
INTRODUCTION = ("starts", "handshake")


def examine(bot: Bot, titles: Collection[str] = (), control: TimeControl = PATIENT) -> dict[str, StepReport]:
    """The reports on these steps, or on all, by title."""
    numbers = {NUMBERS[title] for title in titles} or EVERY
    become_subreaper()

    def nothing(*_: object) -> None:
        pass

    reports = trio.run(runner.examine, bot, control, numbers, nothing, nothing)
    return {report.title: report for report in reports}


def failures(reports: dict[str, StepReport]) -> list[str]:
    return [title for title, report in reports.items() if report.verdict.outcome is Outcome.FAIL]
