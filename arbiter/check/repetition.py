"""The steps about other games: a second one in the same process, one at the same time, the same again."""

from dataclasses import replace
from itertools import zip_longest

import trio

from arbiter.check import advice
from arbiter.check.check import SHORT, Check, Trial
from arbiter.check.conformance import positions
from arbiter.check.excerpt import excerpt
from arbiter.check.failure import Failure, MachineBusyError
from arbiter.check.games import talk
from arbiter.check.opponent import Opponent
from arbiter.check.outcome import Verdict, failed, not_announced, passed
from arbiter.check.probe import Probe
from arbiter.match.clock import MS
from arbiter.match.driver import play_game
from arbiter.match.game import Competitor, GameResult, GameSetup
from arbiter.match.termination import Termination
from protocol.rules import Position, Side, parse_dpos

_TOGETHER = 6.0
"""Seconds that two copies play at most, besides the time to start."""
_SHARE_NOTHING = (
    "Several copies of a bot play at the same time. Share nothing between them: no file, lock or port of a "
    "fixed name; put temporary files into a directory of their own (`mktemp -d`)."
)
_REPEATED = "middle, Black"
_PLIES = 6
_THINKING = 30 * MS
"""Nanoseconds a ply from which a bot seems to think by the clock, which cannot be repeated exactly."""


async def reuse(check: Check) -> Verdict:
    """Four more games in the same process, if it says that it can."""
    found = await check.introduce()
    if "reuse" not in found.probe.seat.features:
        return not_announced("the feature `reuse`")
    change = "At `newgame` forget the game before: board, history, side and options that `newgame` sets."
    return await talk(check, "reuse", change)


async def two_copies(check: Check) -> Verdict:
    """A game of the bot against itself, judged by the referee of tournaments."""
    control = check.control if not check.is_dvp else replace(check.control, game=SHORT, increment=0)
    control = replace(control, start=check.start_limit)
    one, two = (Competitor(replace(check.bot, name=f"Copy {n}"), control, n) for n in (1, 2))
    result: GameResult | None = None
    with trio.move_on_after(_TOGETHER + control.start / 1_000):
        result = await play_game(GameSetup(one, two, Position.start(), quit_grace=check.patience.end))
    if result is None:
        return passed(f"they had not finished a game after {_TOGETHER:.0f} s")
    if result.fault is not None and result.fault.is_void and not result.both_failed:
        raise MachineBusyError(result.fault)
    if result.both_failed or (result.offender is not None and result.termination.is_forfeit):
        if result.termination is Termination.TIMEOUT and await _takes_long_alone(check):
            return passed(f"one lost on time, at ply {len(result.plies) + 1}")
        return _not_together(check, result)
    return passed(f"{len(result.plies)} plies, {result.score.white}:{result.score.black}")


async def _takes_long_alone(check: Check) -> bool:
    """Whether a game of a single copy takes it more than half of the short clock."""
    game = await check.game(Side.WHITE)
    return game.seat.clock.use().used > SHORT * MS // 2


def _not_together(check: Check, result: GameResult) -> Verdict:
    side = result.offender or Side.WHITE
    report = result.white if side is Side.WHITE else result.black
    number = len(result.plies) + 1
    at_start = result.both_failed or result.termination is Termination.START
    where = "the start" if at_start else f"ply {number}"
    problem = f"{side.word.capitalize()}'s copy failed at {where}, {result.termination}: {result.detail}"
    if at_start:
        return failed(problem, _SHARE_NOTHING, excerpt(report.transcript))
    assert result.fault is not None
    failure = Failure(
        result.fault,
        number,
        parse_dpos(result.final),
        result.answer,
        plies=tuple(record.ply for record in result.plies),
        start=Position.start(),
    )
    general = advice.change_for(failure, check.bot.dialect)
    change = (
        f"{general} If a single copy never fails like this, the two get in each other's way. {_SHARE_NOTHING}"
    )
    return failed(problem, change, excerpt(report.transcript))


async def same_again(check: Check) -> Verdict:
    """The same seed and the same questions, the same answers."""
    found = await check.introduce()
    if "Seed" not in [option.name for option in found.options]:
        return not_announced("the option `Seed`")
    first, second = [await _with_seed(check, 1) for _ in range(2)]
    for probe in (first, second):
        if probe.trouble is not None:
            return check.judge(probe)
    if first.plies != second.plies:
        return _different(check, first, second)
    if not check.is_pressed and (await _with_seed(check, 2)).plies == first.plies:
        return passed("another seed led to the same plies: is `Seed` used?")
    return passed()


async def _with_seed(check: Check, seed: int) -> Probe:
    """The first plies of a game, with limits of depth and nodes for bots that would think by the clock."""
    start = positions()[_REPEATED].position
    what = f"the first plies with Seed {seed}"
    trial = Trial(what, start.to_move, start, seed=seed, depth=2, nodes=2_000)
    return await check.play(trial, Opponent(1), _PLIES)


def _thinks(probe: Probe) -> bool:
    use = probe.seat.clock.use()
    return use.used > _THINKING * use.plies


def _different(check: Check, first: Probe, second: Probe) -> Verdict:
    number, (one, two) = next(
        (number, plies)
        for number, plies in enumerate(zip_longest(first.plies, second.plies, fillvalue="resign"), 1)
        if plies[0] != plies[1]
    )
    problem = f"with the same Seed it first answered {one} to ply {number}, then {two} to the same question"
    # Where only one of the two took long, the machine was busy.
    if all(map(_thinks, (first, second))):
        return passed(
            f"{problem}; a search that ends by the clock cannot be repeated, one by depth or nodes can"
        )
    change = (
        "Start all chance in the bot from the value of `Seed`, once, and from nothing else: not the time, "
        "not addresses, not the order of a hash table."
    )
    return failed(problem, change, excerpt(second.transcript))
