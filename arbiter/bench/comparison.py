"""Two versions of a bot asked about the same positions: where do they answer differently?"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import trio

from arbiter.bench.interview import InterviewError, Limits, interview
from arbiter.bench.positions import Phase, Question
from arbiter.match.bot import Bot
from arbiter.match.groups import unwrapped
from arbiter.match.sitting import Reply

_ASKED_AGAIN = 20
_SLACK = 20_000
"""Nodes past the limit that say nothing yet: bots look at it every few thousand."""


def words_of(reply: Reply) -> str:
    """A reply as it is compared: the ply, or why there is none."""
    if reply.ply is not None:
        return reply.ply.text
    return str(reply.failure.termination) if reply.failure is not None else ""


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
    """What came of it. ``unsteady`` counts, for each bot, the answers that were others when asked again.

    ``asked_again`` is how many of the differing positions were put to both once more.
    """

    limits: Limits
    pairs: Sequence[Pair]
    asked_again: int
    unsteady: tuple[int, int]

    @property
    def differing(self) -> list[Pair]:
        return [pair for pair in self.pairs if not pair.is_same]

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
        return sum(pair.replies[index].used for pair in self.pairs) / len(self.pairs) / 1e6

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


async def compare(
    bots: tuple[Bot, Bot],
    questions: Sequence[Question],
    limits: Limits,
    seed: int,
    concurrency: int,
    tell: Progress,
) -> Comparison:
    """Put the questions to both bots, and some of those with two answers once more.

    Raises:
        InterviewError: when a bot cannot be started, or fails again and again.
    """
    cores = trio.CapacityLimiter(concurrency)
    replies = await _ask_both(bots, questions, limits, seed, cores, tell)
    pairs = [Pair(question, (replies[0][question], replies[1][question])) for question in questions]
    doubtful = [pair for pair in pairs if not pair.is_same][:_ASKED_AGAIN]
    unsteady = [0, 0]
    if doubtful:
        again = await _ask_both(bots, [p.question for p in doubtful], limits, seed, cores, lambda *_: None)
        for index in range(2):
            first = [words_of(pair.replies[index]) for pair in doubtful]
            second = [words_of(again[index][pair.question]) for pair in doubtful]
            unsteady[index] = sum(a != b for a, b in zip(first, second, strict=True))
    return Comparison(limits, pairs, len(doubtful), (unsteady[0], unsteady[1]))


async def _ask_both(
    bots: tuple[Bot, Bot],
    questions: Sequence[Question],
    limits: Limits,
    seed: int,
    cores: trio.CapacityLimiter,
    tell: Progress,
) -> tuple[dict[Question, Reply], dict[Question, Reply]]:
    replies: tuple[dict[Question, Reply], dict[Question, Reply]] = ({}, {})
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
            for index, bot in enumerate(bots):

                def note(question: Question, reply: Reply, index: int = index) -> None:
                    take(index, question, reply)

                nursery.start_soon(interview, bot, questions, limits, seed, cores, note)
    return replies
