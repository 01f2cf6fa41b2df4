"""The check as a stage of watching."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from arbiter.bench import checking
from arbiter.match.bot import Bot

BOT = Bot("mine", (sys.executable, "bot.py"), Path())


def report(number: int, outcome: str) -> SimpleNamespace:
    verdict = SimpleNamespace(outcome=outcome, problem=f"problem {number}", change=f"change {number}")
    return SimpleNamespace(number=number, title=f"title {number}", verdict=verdict)


def test_steps_are_counted_and_the_first_failures_told(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = [
        "pass",
        "not announced",
        "fail",
        "skipped",
        "fail",
        "pass",
        "fail",
        "fail",
        "not in this dialect",
        "not tried",
        "not tried",
    ]

    async def check_bot(
        bot: Bot, control: Any, numbers: range, begin: Any, tell: Any
    ) -> list[SimpleNamespace]:
        assert (bot, list(numbers)) == (BOT, list(range(1, 12)))
        return [report(number, outcome) for number, outcome in enumerate(outcomes, 1)]

    monkeypatch.setattr(checking, "check_bot", check_bot)
    monkeypatch.setattr(checking, "STEPS", outcomes)
    checked = trio.run(checking.check, BOT)
    assert (checked.passed, checked.steps, checked.skipped, checked.untried) == (2, 7, 1, 2)
    assert checked.failures[:2] == ("step 3, title 3: problem 3", "  change: change 3")
    assert checked.failures[-1] == "... and 1 more steps failed: arbiter check tells all"
    assert len(checked.failures) == 7
