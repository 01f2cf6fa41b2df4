"""Whether a bot that does not answer speaks the other dialect: games never guess it, but advice may."""

from contextlib import suppress
from dataclasses import replace

import trio

from arbiter.check.check import Check, Trial
from arbiter.check.failure import MachineBusyError
from arbiter.check.opponent import Opponent
from arbiter.check.outcome import Verdict
from arbiter.check.probe import Probe
from arbiter.check.seats import SpokenDvpSeat
from arbiter.match.bot import Dialect

_PATIENCE = 3.0
"""Seconds for its first answer, the start included."""


async def retold(check: Check, verdict: Verdict) -> Verdict:
    """The failure of a bot at the first words: that is all if it understands those of the other dialect."""
    other = Dialect.CODECUP if check.is_dvp else Dialect.DVP
    with suppress(MachineBusyError):
        async with check.probe(Trial(f"the first words of {other}", dialect=other)) as probe:
            with trio.move_on_after(_PATIENCE):
                if told := await _understands(probe):
                    return replace(verdict, change=told)
    return verdict


async def _understands(probe: Probe) -> str:
    """What to do about a bot that answers here; empty when it does not."""
    if isinstance(probe.seat, SpokenDvpSeat):
        if not await probe.greet():
            return ""
        return "It answers `dvp 1` with `dvpok`: the bot speaks DVP. Leave `codecup:` out."
    if not (await probe.get_ready() and await probe.play(Opponent(1), most=1)):
        return ""
    answer = f"It answers `Start` with `{probe.plies[0]}`: the bot speaks the CodeCup dialect."
    return f"{answer} Write `codecup:` before its command."
