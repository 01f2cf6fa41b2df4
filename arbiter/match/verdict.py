"""How a game can end otherwise than on the board, and how an answer is judged.

The order is that of ``protocol/SPEC.md``: time first, then form, then rules.
"""

from typing import NamedTuple

from arbiter.match.clock import MS, Clock, Spent
from arbiter.match.termination import Termination
from protocol.errors import PlySyntaxError
from protocol.rules import Ply, Position, Side, parse_ply


class Failure(NamedTuple):
    """Why a bot lost without the board saying so."""

    termination: Termination
    detail: str


class ForfeitError(Exception):
    """A side has lost: by a failure, with the ``answer`` that was one, or by resigning."""

    def __init__(self, side: Side, failure: Failure, answer: str | None = None) -> None:
        super().__init__(side, failure, answer)
        self.side = side
        self.failure = failure
        self.answer = answer


class NobodysFaultError(Exception):
    """The game cannot be judged fairly: it is void; the text says why."""


def judge_time(clock: Clock, spent: Spent, side: Side, contestable: int) -> None:
    """Charge the clock for an answer.

    ``contestable`` is how many nanoseconds of the ply the machine may have taken: a loss on time
    stands only when that cannot have caused it.

    Raises:
        ForfeitError: when the answer came too late.
        NobodysFaultError: when it is not certain whose fault that is.
    """
    limit, overrun = clock.limit, clock.overrun(spent)
    used = clock.control.clock.charge(spent)
    if overrun <= 0:
        clock.charge(used)
        return
    late = f"answered after {used / MS:.1f} ms, {overrun / MS:.1f} ms past the limit of {limit / MS:.1f} ms"
    if overrun <= contestable:
        raise NobodysFaultError(f"{side.word} {late}; the machine took {contestable / MS:.1f} ms of it")
    raise ForfeitError(side, Failure(Termination.TIMEOUT, late))


def judge_answer(text: str | None, position: Position) -> Ply:
    """The ply that an answer means; None as text means that the bot resigns.

    Raises:
        ForfeitError: when it is no ply, or none that the rules allow.
    """
    side = position.to_move
    if text is None:
        raise ForfeitError(side, Failure(Termination.RESIGN, ""))
    try:
        ply = parse_ply(text)
    except PlySyntaxError as error:
        raise ForfeitError(side, Failure(Termination.SYNTAX, str(error)), text) from None
    illegal = position.check(ply)
    if illegal is not None:
        raise ForfeitError(side, Failure(Termination.ILLEGAL, str(illegal)), text)
    return ply
