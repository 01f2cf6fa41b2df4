"""What the machine kept from a bot whose threads were ready to run and got no core. Numbers alone.

The kernel counts for every thread how long it was ready and did not run, and knows that when the wait is over
(`Documentation/scheduler/sched-stats.rst`). A thread that waits while others of its bot run waits for these:
what they ran meanwhile is taken off. Of several threads that waited between two looks the one counts that
lost most, since all lost the same time. So looks have to be frequent where several threads hand work to each
other; the sum of a single thread is exact however rare they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_MATERIAL = 100_000
"""Nanoseconds of new waiting that are worth a look at a thread's priority."""


class Thread(NamedTuple):
    """What the kernel says of a thread: for how many ns it ran and waited so far."""

    process: int
    number: int
    ran: int
    waited: int


class Look(NamedTuple):
    """When a look was taken (monotonic ns), and what the whole bot had run by then (ns)."""

    now: int
    ran: int


class _Window(NamedTuple):
    """The time between two looks at a thread: how long, and what the bot's other threads ran in it; in ns."""

    elapsed: int
    others: int

    def kept(self, waited: int) -> int:
        """How much of so long a wait in it the machine has to answer for."""
        return max(0, min(waited, self.elapsed) - self.others)


_NONE = _Window(0, 0)


@dataclass(slots=True)
class _Past:
    """A thread at the last look at which it had run or was asleep, and the time before that look."""

    ran: int
    waited: int
    look: Look
    window: _Window = _NONE
    is_trusted: bool = True

    def window_to(self, thread: Thread, look: Look) -> _Window:
        """The time since then."""
        others = look.ran - self.look.ran - (thread.ran - self.ran)
        return _Window(look.now - self.look.now, max(0, others))


class Waits:
    """The waits of all threads of a bot.

    ``keeps_standing`` tells whether a thread gets a core as soon as it did when it was started: who changed
    that waits by its own doing from then on. ``is_ready`` tells of a process and a thread of it whether it
    runs or waits for a core.
    """

    def __init__(self, keeps_standing: Callable[[int], bool], is_ready: Callable[[int, int], bool]) -> None:
        self._keeps_standing = keeps_standing
        self._is_ready = is_ready
        self._past: dict[int, _Past] = {}
        self._last: Look | None = None
        self._unseen = 0
        self.lost = 0
        """What the machine kept from the bot, in ns."""
        self.lasting = 0
        """What it has kept from it in a wait that was not over at the last look, in ns."""
        self.ready_since: int | None = None
        """Since when, in monotonic ns, a thread is ready and has not run, as far as the last look could tell:
        that look's own time where the thread may just as well be running, None where none is ready.
        """

    def look(
        self, threads: Sequence[Thread], used: int, now: int, *, is_same: bool, is_thorough: bool
    ) -> None:
        """Take note of what all threads have run and waited.

        ``used`` is the CPU time of the bot so far. ``is_same``: these are all that have lived since the last
        look. ``is_thorough``: of a thread for which nothing has changed it is found out whether it waits.
        """
        seen = sum(thread.ran for thread in threads)
        if not is_same:
            self._unseen = max(self._unseen, used - seen)
        look = Look(now, seen + self._unseen)
        if not is_same:
            self._past = {thread.number: self._past_of(thread, self._last or look) for thread in threads}
        self.ready_since, self.lasting, lost = None, 0, 0
        for thread in threads:
            lost = max(lost, self._note(thread, look, is_thorough=is_thorough))
        self.lost += lost
        self._last = look

    def look_at_lone(self, number: int, used: int, waited: int, now: int) -> bool:
        """The same for the only thread of a bot, as long as nothing else has to be looked at; else False."""
        past = self._past[number]
        grown = waited - past.waited
        if self.ready_since is not None or not 0 <= grown <= _MATERIAL:
            return False
        if grown or used != past.ran:
            if past.is_trusted:
                self.lost += grown
            self._last = Look(now, used + self._unseen)
            past.window = _Window(now - past.look.now, 0)
            past.ran, past.waited, past.look = used, waited, self._last
        return True

    def lost_with(self, number: int, waited: int) -> int:
        """What ``lost`` would be if a thread that rests, and has waited for so long, were looked at."""
        past = self._past[number]
        return self.lost + max(0, waited - past.waited) if past.is_trusted else self.lost

    def _past_of(self, thread: Thread, before: Look) -> _Past:
        """Of one that is new, or has the number of one that is gone, the past is that of the look before."""
        past = self._past.get(thread.number)
        if past is None or thread.waited < past.waited or thread.ran < past.ran:
            return _Past(0, 0, before)
        return past

    def _note(self, thread: Thread, look: Look, *, is_thorough: bool) -> int:
        """What the machine kept from a thread in waits that have ended since the last look."""
        past = self._past[thread.number]
        ran, waited = thread.ran - past.ran, thread.waited - past.waited
        if not (ran or waited or is_thorough):
            return 0
        window = past.window_to(thread, look)
        is_ready = is_thorough and past.is_trusted and self._is_ready(thread.process, thread.number)
        if past.is_trusted and (waited > _MATERIAL or is_ready):
            past.is_trusted = self._keeps_standing(thread.number)
        if is_ready and past.is_trusted:
            lasting = 0 if ran or waited else window.kept(window.elapsed)
            self.lasting = max(self.lasting, lasting)
            self.ready_since = min(self.ready_since or look.now, look.now - lasting)
            if not (ran or waited):
                return 0  # the same wait lasts; all of it counts when it is over
        # A thread that was ready at the last look may have been waiting since some time before it.
        earlier = max(0, waited + ran - window.elapsed)
        lost = window.kept(waited - earlier) + past.window.kept(earlier) if past.is_trusted else 0
        past.ran, past.waited, past.look, past.window = thread.ran, thread.waited, look, window
        return lost
