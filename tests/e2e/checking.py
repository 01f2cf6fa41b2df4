"""Going through steps of the check in a test."""

from collections.abc import Awaitable, Callable, Collection

import trio

from arbiter.check import runner
from arbiter.check.outcome import Outcome, StepReport, Verdict
from arbiter.check.steps import STEPS
from arbiter.isolation.tree import become_subreaper
from arbiter.match.bot import Bot
from arbiter.match.clock import TimeControl
from arbiter.match.fault import Fault

NUMBERS = {step.title: number for number, step in enumerate(STEPS, 1)}
EVERY = frozenset(NUMBERS.values())
PATIENT = TimeControl()
HASTY = TimeControl(game=500)
"""For bots that will not answer anyway, from their first ply on."""
BRISK = TimeControl(game=2_000)
"""For those that fall silent later, and may be kept from answering before by what the machine does."""
MUTE = TimeControl(start=2_000)
"""For those that are silent from the start."""

GAME = ("placement as White", "double turn", "movement as White")
PLACEMENTS = ("placement as White", "placement as Black")
INTRODUCTION = ("starts", "handshake")


async def nothing_else() -> None:
    pass


def examine(
    bot: Bot,
    titles: Collection[str] = (),
    control: TimeControl = PATIENT,
    beside: Callable[[], Awaitable[None]] = nothing_else,
) -> dict[str, StepReport]:
    """The reports on these steps, or on all, by title; ``beside`` is done at the same time."""
    numbers = {NUMBERS[title] for title in titles} or EVERY
    become_subreaper()

    def nothing(*_: object) -> None:
        pass

    async def run() -> list[StepReport]:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(beside)
            return await runner.check_bot(bot, control, numbers, nothing, nothing)

    return {report.title: report for report in trio.run(run)}


def missed(verdict: Verdict, words: str) -> list[str]:
    """Which parts of the words, with bars between them, the author is not told.

    Such a part is a code or a broken rule of the cause where it begins with an @.
    """
    told, codes = f"{verdict.problem}\n{verdict.change}", codes_of(verdict.cause)
    parts = words.split("|")
    return [part for part in parts if (part[1:] not in codes if part[0] == "@" else part not in told)]


def codes_of(cause: object) -> set[str]:
    """The code of a cause, the rule that was broken, and the same of what is in it."""
    if not isinstance(cause, Fault):
        return {str(cause)}
    return {str(cause.code), cause.text("rule")} | codes_of(cause.facts.get("end"))


def failures(reports: dict[str, StepReport]) -> list[str]:
    return [title for title, report in reports.items() if report.verdict.outcome is Outcome.FAIL]
