"""Whether a bot that does not answer speaks the other dialect: games never guess it, but advice may."""

from dataclasses import replace

import trio

from arbiter.check.examination import Examination, Trial
from arbiter.check.opponent import Opponent
from arbiter.check.outcome import Verdict
from arbiter.check.seats import SpokenDvpSeat
from arbiter.check.sitting import Sitting
from arbiter.match.bot import Dialect

_PATIENCE = 3.0
"""Seconds for its first answer, the start included."""


async def retold(exam: Examination, verdict: Verdict) -> Verdict:
    """The failure of a bot at the first words: that is all if it understands those of the other dialect."""
    other = Dialect.CODECUP if exam.is_dvp else Dialect.DVP
    async with exam.sit(Trial(f"the first words of {other}", dialect=other)) as sitting:
        with trio.move_on_after(_PATIENCE):
            if sitting.slip is None and (told := await _understands(sitting)):
                return replace(verdict, change=told)
    return verdict


async def _understands(sitting: Sitting) -> str:
    """What to do about a bot that answers here; empty when it does not."""
    if isinstance(sitting.seat, SpokenDvpSeat):
        if await sitting.seat.greet() is not None:
            return ""
        return "It answers `dvp 1` with `dvpok`: the bot speaks DVP. Leave `codecup:` out."
    if not await sitting.play(Opponent(1), most=1):
        return ""
    answer = f"It answers `Start` with `{sitting.plies[0]}`: the bot speaks the CodeCup dialect."
    return f"{answer} Write `codecup:` before its command."
