"""Two versions of a bot asked about the same positions: where do they answer differently?"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import trio

from arbiter.bench.interview import InterviewError, Limits, interview
from arbiter.bench.positions import Phase, Question
from arbiter.match.bot import Bot
from arbiter.match.groups import unwrapped
from arbiter.match.judging import Reply

_ASKED_AGAIN = 20
_SLACK = 20_000
"""Nodes past the limit that say nothing yet: bots look at it every few thousand."""


def words_of(reply: Reply) -> str:
    """A reply as it is compared: the ply, or why there is none."""
    if reply.ply is not None:
        return reply.ply.text
    return str(reply.failure.termination) if reply.failure is not None else ""


def has_failed(reply: Reply) -> bool:
    """Whether there is no answer; to resign is one."""
    return reply.failure is not None and reply.failure.termination.is_forfeit


@dataclass(frozen=True, slots=True)
class Pair:
    """Two replies to one question."""

    question: Question
    replies: tuple[Reply, Reply]

    @property
    def is_same(self) -> bool:
        one, other = map(words_of, self.replies)
        return one == other

    @property
    def scores(self) -> tuple[str | None, str | None]:
        """The scores that the bots gave with ``info``."""
        one, other = (reply.info.get("score") for reply in self.replies)
        return one, other


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of it, of as many pairs as there are of ``wanted`` ones.

    ``unsteady`` counts, for each bot, the answers that were others when asked again; ``asked_again`` is how
    many of the positions with two different answers were put to both once more.
    """

    limits: Limits
    wanted: int
    pairs: Sequence[Pair]
    asked_again: int
    unsteady: tuple[int, int]

    @property
    def is_complete(self) -> bool:
        return len(self.pairs) == self.wanted

    @property
    def differing(self) -> list[Pair]:
        return [pair for pair in self.pairs if not pair.is_same]

    def failures(self, index: int) -> list[Pair]:
        """Where one of the bots failed."""
        return [pair for pair in self.pairs if has_failed(pair.replies[index])]

    @property
    def other_scores(self) -> int:
        """Same answers with different scores."""
        same = (pair.scores for pair in self.pairs if pair.is_same)
        return sum(None not in scores and scores[0] != scores[1] for scores in same)

    def by_phase(self) -> Iterator[tuple[Phase, int, int]]:
        """The phases met, with how many answers differ and of how many."""
        asked = Counter(pair.question.phase for pair in self.pairs)
        differ = Counter(pair.question.phase for pair in self.differing)
        for phase in Phase:
            if asked[phase]:
                yield phase, differ[phase], asked[phase]

    def mean_ms(self, index: int) -> float:
        """How long one of the bots took for an answer, in ms."""
        return sum(pair.replies[index].spent.wall for pair in self.pairs) / len(self.pairs) / 1e6

    def heeds_limits(self, index: int) -> str | None:
        """By how much one of the bots went past its limit at worst, if it did; as far as it tells."""
        infos = [pair.replies[index].info for pair in self.pairs]
        for name, limit in (("nodes", self.limits.nodes), ("depth", self.limits.depth)):
            values = [int(info[name]) for info in infos if info.get(name, "").isdecimal()]
            if limit is not None and values:
                worst = max(values)
                if worst > (max(2 * limit, limit + _SLACK) if name == "nodes" else limit):
                    return f"{name} {worst:,} where {limit:,} were asked for"
        return None


Progress = Callable[[int, int], None]
"""Called with how many pairs of answers there are so far, and how many of them differ."""


Replies = tuple[dict[Question, Reply], dict[Question, Reply]]
"""What each of the two answered."""


class Survey:
    """The questions put to both bots, and some of those with two answers once more."""

    def __init__(
        self,
        bots: tuple[Bot, Bot],
        questions: Sequence[Question],
        limits: Limits,
        seed: int,
        concurrency: int,
    ) -> None:
        """No more than ``concurrency`` bots think at a time; ``seed`` is that of their chance."""
        self._bots = bots
        self._questions = questions
        self._limits = limits
        self._seed = seed
        self._cores = trio.CapacityLimiter(concurrency)
        self._first: Replies = ({}, {})
        self._again: Replies = ({}, {})

    async def hold(self, tell: Progress) -> None:
        """Ask all that is to be asked.

        Raises:
            InterviewError: when a bot cannot be started, or fails again and again.
        """
        await self._ask(self._questions, self._first, tell)
        pairs = self._pairs(self._first)
        doubtful = [
            pair.question for pair in pairs if not (pair.is_same or any(map(has_failed, pair.replies)))
        ]
        await self._ask(doubtful[:_ASKED_AGAIN], self._again, lambda *_: None)

    @property
    def findings(self) -> Comparison:
        """What is known so far."""
        again = self._pairs(self._again)
        unsteady = [
            sum(words_of(pair.replies[i]) != words_of(self._first[i][pair.question]) for pair in again)
            for i in range(2)
        ]
        pairs = self._pairs(self._first)
        return Comparison(self._limits, len(self._questions), pairs, len(again), (unsteady[0], unsteady[1]))

    def _pairs(self, replies: Replies) -> list[Pair]:
        """The questions that both have answered, in their order."""
        one, other = replies
        return [
            Pair(each, (one[each], other[each])) for each in self._questions if each in one and each in other
        ]

    async def _ask(self, questions: Sequence[Question], replies: Replies, tell: Progress) -> None:
        differing = 0

        def take(index: int, question: Question, reply: Reply) -> None:
            nonlocal differing
            replies[index][question] = reply
            other = replies[1 - index].get(question)
            if other is not None:
                differing += words_of(other) != words_of(reply)
                tell(len(replies[0].keys() & replies[1].keys()), differing)

        with unwrapped(InterviewError):
            async with trio.open_nursery() as nursery:
                for index, bot in enumerate(self._bots):
                    note = partial(take, index)
                    nursery.start_soon(interview, bot, questions, self._limits, self._seed, self._cores, note)
