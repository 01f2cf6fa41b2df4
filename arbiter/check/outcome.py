"""What comes of a step of the conformance check."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from arbiter.check.failure import Breach
from arbiter.match.fault import Fault


class Outcome(StrEnum):
    """How a step ended."""

    PASS = "pass"
    FAIL = "fail"
    NOT_ANNOUNCED = "not announced"
    """The bot does not offer what the step is about, which is no fault."""
    NOT_IN_DIALECT = "not in this dialect"
    SKIPPED = "skipped"
    """It could not be tried, since an earlier step failed."""
    NOT_TRIED = "not tried"
    """No time was left for it, or the machine was too busy."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a step and what an author can do about it.

    ``problem`` says what happened, or why the step was skipped; ``change`` what to change;
    ``dialogue`` holds the lines said around it; ``notes`` are worth knowing but no fault.
    ``denied`` is what went well only since the bot was not held back as it is in most tournaments.
    ``cause`` is what a trial failed by, where one did.
    """

    outcome: Outcome
    problem: str = ""
    change: str = ""
    dialogue: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    cause: Fault | Breach | None = None


@dataclass(frozen=True, slots=True)
class StepReport:
    """One step as it is told: what was tried and what came of it, in how many seconds.

    ``trials`` are the processes that were started for it: what each was about, and what was said.
    """

    number: int
    title: str
    tried: str
    verdict: Verdict
    seconds: float
    trials: tuple[tuple[str, tuple[str, ...]], ...] = ()


def passed(*notes: str) -> Verdict:
    return Verdict(Outcome.PASS, notes=notes)


def failed(problem: str, change: str, dialogue: Sequence[str] = (), notes: Sequence[str] = ()) -> Verdict:
    return Verdict(Outcome.FAIL, problem, change, tuple(dialogue), tuple(notes))


def not_announced(what: str) -> Verdict:
    return Verdict(Outcome.NOT_ANNOUNCED, what)


def not_tried(why: str) -> Verdict:
    return Verdict(Outcome.NOT_TRIED, why)


def skipped(why: str) -> Verdict:
    return Verdict(Outcome.SKIPPED, why)
