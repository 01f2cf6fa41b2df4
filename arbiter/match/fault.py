"""What ended a game otherwise than on the board: a code with facts. `wording` makes the sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from arbiter.match.termination import Termination


class Code(StrEnum):
    """Every way in which a game ends without the board deciding it; each belongs to one termination."""

    RESIGNED = "resigned"

    NO_ANSWER = "no-answer"
    LATE = "late"

    NOT_A_PLY = "not-a-ply"
    ILLEGAL = "illegal"

    LONG_LINE = "long-line"
    MANY_LINES = "many-lines"
    MANY_BYTES = "many-bytes"
    UNASKED = "unasked"

    EXITED = "exited"
    SIGNALLED = "signalled"
    OUTPUT_CLOSED = "output-closed"
    KILLED = "killed"
    OVER_LIMIT = "over-limit"
    LARGEST = "largest"

    CANNOT_START = "cannot-start"
    NO_SANDBOX = "no-sandbox"
    REFUSED = "refused"
    NOT_READY = "not-ready"
    ENDED_BEFORE = "ended-before"
    BAD_PLACEMENT = "bad-placement"

    MACHINE_LATE = "machine-late"
    STARVED = "starved"
    STALLED = "stalled"
    OUT_OF_MEMORY = "out-of-memory"
    BOTH = "both"


_TERMINATIONS = {
    Code.RESIGNED: Termination.RESIGN,
    Code.NO_ANSWER: Termination.TIMEOUT,
    Code.LATE: Termination.TIMEOUT,
    Code.NOT_A_PLY: Termination.SYNTAX,
    Code.ILLEGAL: Termination.ILLEGAL,
    Code.LONG_LINE: Termination.FLOOD,
    Code.MANY_LINES: Termination.FLOOD,
    Code.MANY_BYTES: Termination.FLOOD,
    Code.UNASKED: Termination.FLOOD,
    Code.EXITED: Termination.CRASH,
    Code.SIGNALLED: Termination.CRASH,
    Code.OUTPUT_CLOSED: Termination.CRASH,
    Code.KILLED: Termination.KILLED,
    Code.OVER_LIMIT: Termination.MEMORY,
    Code.LARGEST: Termination.MEMORY,
    Code.CANNOT_START: Termination.START,
    Code.NO_SANDBOX: Termination.START,
    Code.REFUSED: Termination.START,
    Code.NOT_READY: Termination.START,
    Code.ENDED_BEFORE: Termination.START,
    Code.BAD_PLACEMENT: Termination.START,
    Code.MACHINE_LATE: Termination.VOID,
    Code.STARVED: Termination.VOID,
    Code.STALLED: Termination.VOID,
    Code.OUT_OF_MEMORY: Termination.VOID,
    Code.BOTH: Termination.VOID,
}

Fact: TypeAlias = "str | int | Fault | None"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a game ended, as data.

    ``facts`` are values by name; times are nanoseconds. A fault may hold another one: what happened before a
    bot was ready, or what each of two bots did.
    """

    code: Code
    facts: Mapping[str, Fact] = field(default_factory=dict)

    @property
    def termination(self) -> Termination:
        return _TERMINATIONS[self.code]

    @property
    def is_void(self) -> bool:
        """Whether it is nobody's: the game does not count."""
        return self.termination is Termination.VOID

    def with_facts(self, **facts: Fact) -> "Fault":
        """The same with more facts."""
        return Fault(self.code, {**self.facts, **facts})

    def number(self, name: str) -> int:
        """A fact that is a number; 0 when it is not known."""
        value = self.facts.get(name)
        return value if isinstance(value, int) else 0

    def text(self, name: str) -> str:
        """A fact that is a text; empty when it is not known."""
        value = self.facts.get(name)
        return value if isinstance(value, str) else ""

    def inner(self, name: str) -> "Fault":
        """A fact that is a fault itself."""
        value = self.facts[name]
        assert isinstance(value, Fault)
        return value


def as_json(fault: Fault) -> dict[str, object]:
    """A fault as JSON has it: its code, and its facts beside it."""
    facts = fault.facts.items()
    plain = {name: as_json(fact) if isinstance(fact, Fault) else fact for name, fact in facts}
    return {"code": str(fault.code), **plain}


def from_json(values: Mapping[str, object]) -> Fault:
    """The fault that ``as_json`` was given. Raises ValueError or KeyError for anything else."""
    facts: dict[str, Fact] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            facts[name] = from_json(value)
        elif value is None or isinstance(value, str | int):
            facts[name] = value
        else:
            raise ValueError(f"{name}: {value!r} is no fact")
    return Fault(Code(str(facts.pop("code"))), facts)
