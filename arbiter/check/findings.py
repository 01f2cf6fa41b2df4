"""What a check comes to: the steps tried, what they found, and what is left to try."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from arbiter.check.outcome import Outcome, StepReport
from arbiter.isolation.sandbox import Level

_WORDS = {Outcome.PASS: "passed", Outcome.FAIL: "failed"}


@dataclass(slots=True)
class Findings:
    """The reports on steps with these numbers, as they come; ``every`` tells whether these are all there are.

    ``level`` is the isolation at which the bot was tried. ``is_interrupted``: no more of them will come.
    """

    numbers: Sequence[int]
    every: bool
    level: Level = Level.NONE
    reports: list[StepReport] = field(default_factory=list)
    is_interrupted: bool = False

    @property
    def failed(self) -> list[int]:
        """The steps that failed."""
        return self._with(Outcome.FAIL)

    @property
    def denied(self) -> list[int]:
        """The steps that saw what went well only since the bot was not held back."""
        return [report.number for report in self.reports if report.verdict.denied]

    @property
    def left(self) -> list[int]:
        """The steps that there was no time for, or that the machine spoiled."""
        told = {report.number for report in self.reports} - set(self._with(Outcome.NOT_TRIED))
        return [number for number in self.numbers if number not in told]

    @property
    def is_complete(self) -> bool:
        """Whether all was tried."""
        return not self.left and not self._with(Outcome.SKIPPED)

    @property
    def summary(self) -> str:
        """All of it in a sentence."""
        text = f"interrupted; {self._counts()}" if self.is_interrupted else self._counts()
        if self.failed:
            return (
                f"{text}: see step{'' if len(self.failed) == 1 else 's'} {', '.join(map(str, self.failed))}"
            )
        if not self.is_complete:
            return f"{text}: no fault found, but not all was tried"
        if self.denied:
            where = f"step{'' if len(self.denied) == 1 else 's'} {', '.join(map(str, self.denied))}"
            return (
                f"{text}: no fault found at isolation {self.level}, "
                f"but {where} saw what most tournaments deny"
            )
        return f"{text}: ready for tournaments at isolation {self.level}" if self.every else text

    def _counts(self) -> str:
        if not self.reports:
            return "no step was tried"
        count = Counter(report.verdict.outcome for report in self.reports)
        counts = ", ".join(f"{count[each]} {_WORDS.get(each, each)}" for each in Outcome if count[each])
        return f"{len(self.reports)} step{'' if len(self.reports) == 1 else 's'}: {counts}"

    def _with(self, outcome: Outcome) -> list[int]:
        return [report.number for report in self.reports if report.verdict.outcome is outcome]


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers as people write them: ``3,14-23``."""
    return ",".join(_ranges(numbers))


def _ranges(numbers: Sequence[int]) -> Iterator[str]:
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        yield str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}"
