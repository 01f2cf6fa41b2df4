"""The steps about time: whole games, little time left, and ``stop``."""

from dataclasses import replace

from arbiter.check.check import SHORT, Check, Trial, ran_out_of_time, step_of
from arbiter.check.conformance import dialogues, positions
from arbiter.check.failure import Breach, Failure
from arbiter.check.opponent import Opponent
from arbiter.check.outcome import Outcome, Verdict, not_announced, passed
from arbiter.check.probe import Probe
from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, Clock, TimeControl, format_ms
from arbiter.match.fault import Fault
from arbiter.match.termination import Termination
from arbiter.match.wording import describe
from protocol.rules import Side

LITTLE = 100
"""Milliseconds left where a bot is to show that it heeds its clock."""
_QUICK = 1_000
_HALT = 1_000
_LATE = "late, White"
_MOVES = 3
_TIMES = ("limit", "clock", "used", "over")


async def clock_use(check: Check) -> Verdict:
    """Whole games on the clock, as White and as Black."""
    games = [await check.game(side) for side in Side]
    notes = [_used(game) for game in games if game.seat.clock.use().plies]
    for game in games:
        if step_of(game) == "clock use" and game.failure is not None:
            return _flag(check, game)
    if check.is_dvp and any(game.seat.clock.use().used > _QUICK * MS // 2 for game in games):
        notes += await _quick_game(check)
    return passed(*notes)


def _flag(check: Check, game: Probe) -> Verdict:
    assert game.failure is not None
    total = format_ms(check.control.game or 0)
    use, number = game.seat.clock.use(), game.failure.number
    problem = (
        f"lost on time with {total} a game, as {game.seat.side.word.capitalize()} at ply {number}: "
        f"{use.used / MS:.0f} ms for {use.plies} plies, then {_lost_by(game.failure)}"
    )
    if check.bot.dialect is Dialect.CODECUP:
        change = "Count the time of the whole game, and think less as it runs out: 5 s is the usual limit."
    else:
        change = "Share `time` (ms left, in every `go`) among the plies to come, some 25 before and 25 after."
    return replace(check.verdict(game), problem=problem, change=change)


def _lost_by(failure: Failure) -> str:
    """The last ply alone: what may explain it is told apart."""
    assert isinstance(failure.cause, Fault)
    facts = failure.cause.facts.items()
    return describe(Fault(failure.cause.code, {name: fact for name, fact in facts if name in _TIMES}))


def _used(game: Probe) -> str:
    use = game.seat.clock.use()
    side = game.seat.side.word.capitalize()
    return f"as {side} {use.used / MS:.0f} ms for {use.plies} plies, the slowest {use.worst / MS:.0f} ms"


async def _quick_game(check: Check) -> list[str]:
    """A game with less time than it took before: does it adapt?"""
    game = await check.play(Trial("a quick game", control=TimeControl(game=_QUICK)), Opponent(0))
    if not ran_out_of_time(game) or game.failure is None:
        return []
    return [f"with {format_ms(_QUICK)} a game it would lose on time, at ply {game.failure.number}"]


# --- little time


async def little_time(check: Check) -> Verdict:
    """100 ms left late in a game, then none, and a limit for each ply alone."""
    for trial, words in ((_at_the_end, "time"), (_by_the_ply, "movetime")):
        probe, told = await trial(check)
        failure = probe.trouble
        if failure is None:
            continue
        if failure.termination is Termination.TIMEOUT:
            change = (
                f"Heed `{words}` of every `go`: stop thinking before it is used up, and answer at once when "
                "there is next to nothing left."
            )
            said = f"told `{words} {told}`: {describe(failure.root)}"
            return replace(check.verdict(probe), problem=said, change=change)
        return check.verdict(probe, f"It was told `{words} {told}`.")
    return passed()


async def _at_the_end(check: Check) -> tuple[Probe, int]:
    """Also gives the milliseconds that were told last, as the next one does."""
    told = SHORT
    start = positions()[_LATE].position
    async with check.probe(Trial("little time left", start.to_move, start)) as probe:
        if await probe.get_ready() and await probe.play(Opponent(1), most=1):
            # The first answer of a process may be slow; now the clock shows what it shows late in a game.
            for told, grace in ((LITTLE, check.control.grace), (0, _HALT)):
                _set(probe.seat.clock, told, grace)
                if not await probe.play(Opponent(1), most=1):
                    break
            else:
                await probe.end()
    return probe, told


async def _by_the_ply(check: Check) -> tuple[Probe, int]:
    start = positions()[_LATE].position
    control = replace(check.control, game=None, increment=0, move=LITTLE)
    async with check.probe(Trial("a limit for each ply", start.to_move, start, control)) as probe:
        if await probe.get_ready():
            probe.seat.clock.grace_left = _HALT * MS
            if await probe.play(Opponent(1), most=1):
                probe.seat.clock.grace_left = check.control.grace * MS
                if await probe.play(Opponent(1), most=_MOVES):
                    await probe.end()
    return probe, LITTLE


def _set(clock: Clock, left: int, grace: int) -> None:
    clock.left, clock.grace_left = left * MS, grace * MS


async def stop(check: Check) -> Verdict:
    """It can be told to stop, if it says so."""
    found = await check.introduce()
    if "stop" not in found.probe.seat.features:
        return not_announced("the feature `stop`")
    change = (
        "With the feature `stop` the bot has to read its input while it thinks: after `go infinite 1` it "
        "thinks until `stop`, and then answers within a second."
    )
    endless, in_a_turn = dialogues("stop")
    probe = await check.converse(endless)
    answers_by_itself = probe.failure is not None and probe.failure.cause is Breach.BEFORE_STOP
    notes = ["it answers `go infinite 1` by itself, before `stop`"] if answers_by_itself else []
    verdict = passed() if answers_by_itself else check.judge(probe, change)
    if verdict.outcome is Outcome.PASS:
        verdict = check.judge(await check.converse(in_a_turn), change)
    return verdict if verdict.outcome is Outcome.FAIL else passed(*notes)
