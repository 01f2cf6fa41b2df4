"""What a bot spends of the machine, from the beginning of each of its turns to its answer."""

from arbiter.match.clock import Spent
from arbiter.match.usage import Meter


class Stopwatch:
    """Readings of one bot's counters, in the order in which its turns come.

    ``idle_cpu`` sums up, in nanoseconds, what its processes ran between its answers and its next
    turns: the opponent's time.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._start = Spent()
        self._answered: Spent | None = None
        self.idle_cpu = 0

    def prepare(self) -> None:
        """Read the counters right before a request is written."""
        self._start = self._meter.read()
        if self._answered is not None:
            self.idle_cpu += self._start.cpu - self._answered.cpu

    def start(self, stamp: int) -> None:
        """Let the turn begin at ``stamp`` (monotonic ns)."""
        self._start = self._start._replace(wall=stamp)

    def go_on(self) -> None:
        """Let a turn begin where the last answer ended."""
        if self._answered is not None:
            self._start = self._answered

    def start_earlier(self, earlier: int) -> None:
        """Let the turn have begun ``earlier`` nanoseconds before."""
        self._start = self._start._replace(wall=self._start.wall - earlier)

    @property
    def started_at(self) -> int:
        """When the turn began (monotonic ns)."""
        return self._start.wall

    def read(self, stamp: int) -> Spent:
        """The counters now, for something that happened at ``stamp``."""
        return self._meter.read()._replace(wall=stamp)

    def answered(self, reading: Spent) -> Spent:
        """Close the turn with the reading of its answer; what the turn took."""
        self._answered = reading
        return self.spent(reading)

    def spent(self, reading: Spent) -> Spent:
        """What the turn has taken up to a reading; never negative, for an answer may come early."""
        taken = reading.since(self._start)
        return Spent(*(max(0, value) for value in taken))
