"""What is decided about a single ply by itself: was it in time, is it legal, who disturbed it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from arbiter.match.clock import MS, Clock, Spent
from arbiter.match.fault import Code, Fact, Fault
from protocol.errors import PlySyntaxError
from protocol.rules import Ply, Position, Side, parse_ply

IDLE_SHARE = 10
"""Percent of its opponent's thinking time that a bot may compute without being noticed."""
_IDLE_CPU = 100 * MS


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question: a legal ``ply``, or a ``fault``, which resigning is here as well.

    ``answer`` is what the bot said, None when it said no ply. A ply that came late through the machine's
    doing has both a ply and a fault, which is void. ``spent`` is what the answer took, ``info`` what was
    said with it.
    """

    ply: Ply | None
    answer: str | None
    fault: Fault | None
    spent: Spent = field(default_factory=Spent)
    info: Mapping[str, str] = field(default_factory=dict)

    @property
    def failure(self) -> Fault | None:
        """Why there is no ply; one that only the machine made late is as good as any."""
        return self.fault if self.ply is None else None


def judge_time(clock: Clock, spent: Spent, side: Side) -> Fault | None:
    """Charge the clock for an answer; the fault of one that came too late, void if the machine explains
    it.
    """
    over = clock.overrun(spent)
    used = clock.control.clock.charge(spent)
    if not over.is_late:
        clock.charge(used, spent)
        return None
    spent_of_limit, limit = clock.bound(spent)
    facts: dict[str, Fact] = {"used": spent_of_limit, "over": over.ns, "limit": limit}
    if not over.is_machines:
        return Fault(Code.LATE, facts)
    clock.charge(min(used, clock.limit), spent)
    return Fault(Code.MACHINE_LATE, {**facts, "side": side.word, "machine": over.machine})


def judge_answer(text: str | None, position: Position) -> tuple[Ply | None, Fault | None]:
    """The ply that an answer means, or the fault that it is; None as text means that the bot resigns."""
    if text is None:
        return None, Fault(Code.RESIGNED)
    try:
        ply = parse_ply(text)
    except PlySyntaxError as error:
        return None, Fault(Code.NOT_A_PLY, {"answer": text, "reason": error.reason})
    illegal = position.check(ply)
    if illegal is None:
        return ply, None
    legal = " ".join(each.text for each in illegal.legal)
    facts: dict[str, Fact] = {
        "answer": text, "ply": ply.text, "rule": illegal.rule, "reason": illegal.reason, "legal": legal,
    }  # fmt: skip
    return None, Fault(Code.ILLEGAL, facts)


def name_culprit(fault: Fault, idle: Side, cpu: int, spent: Spent) -> Fault:
    """A void ply, with the resting side as the culprit if it used too much CPU time (``cpu``, in ns)."""
    if cpu > _IDLE_CPU and cpu * 100 > spent.wall * IDLE_SHARE:
        return fault.with_facts(culprit=idle.word, culprit_cpu=cpu)
    return fault
