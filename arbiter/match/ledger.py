"""The books of a tree of processes: the CPU time of all that live or have ever lived in it. Numbers alone.

What a process used is known while it lives, and stays known as what it was at the last look. When its parent
waits for it the kernel adds all that it used to what the parent waited for, rounded down to clock ticks; when
the parent ignores its children the kernel forgets it. So what the dead of a time between two looks used is
the larger of two sums: what they had used at the look before, and what was waited for.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")

Identity = tuple[int, int]
"""The number of a process, and when it began."""


@dataclass(slots=True)
class Usage:
    """CPU time in ns: what a process used itself, and what those used that it has waited for."""

    own: int = 0
    waited_for: int = 0


class Ledger:
    """What a tree used; no sum ever falls, and nothing counts twice.

    ``ahead`` is by how much what the dead had used at their last look exceeds what was waited for: as far as
    this may come from rounding, it will be waited for later.
    """

    def __init__(self) -> None:
        self.living: dict[Identity, Usage] = {}
        self.collected = 0
        self._dead = 0
        self._ahead = 0

    @property
    def total(self) -> int:
        """In ns."""
        return self._dead + sum([usage.own for usage in self.living.values()])

    def look(self, living: Mapping[Identity, Usage], collected: int, *, is_settled: bool = True) -> None:
        """Note all that live, and what those used that the arbiter itself has waited for.

        ``is_settled``: whether what is missing was gone before the others were asked what they waited for.
        """
        gone = [self.living[process] for process in self.living.keys() - living.keys()]
        known = sum(usage.waited_for for usage in gone)
        used = sum(usage.own for usage in gone) + known
        waited_for = max(0, collected - self.collected) + sum(
            usage.waited_for - self.living.get(process, Usage()).waited_for
            for process, usage in living.items()
        )
        entered = max(used, waited_for - self._ahead)
        self._dead += entered - known
        self._ahead += entered - waited_for
        if is_settled:
            self._ahead = min(self._ahead, 2 * TICK * len(living))
        self.collected = max(collected, self.collected)
        self.living = dict(living)
