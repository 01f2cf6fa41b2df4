"""The steps about time: whole games, little time left, and ``stop``."""

from dataclasses import replace

from arbiter.check.conformance import dialogues, positions
from arbiter.check.examination import SHORT, Examination, Trial, ran_out_of_time, step_of
from arbiter.check.opponent import Opponent
from arbiter.check.outcome import Outcome, Verdict, failed, not_announced, passed
from arbiter.check.sitting import Sitting
from arbiter.match.bot import Dialect
from arbiter.match.clock import MS, Clock, TimeControl, format_ms
from arbiter.match.termination import Termination
from protocol.rules import Side

LITTLE = 100
"""Milliseconds left where a bot is to show that it heeds its clock."""
_QUICK = 1_000
_HALT = 1_000
_LATE = "late, White"
_MOVES = 3


async def clock_use(exam: Examination) -> Verdict:
    """Whole games on the clock, as White and as Black."""
    games = [await exam.game(side) for side in Side]
    notes = [_used(game) for game in games if game.seat.clock.use().plies]
    for game in games:
        if step_of(game) == "clock use" and game.slip is not None:
            return _flag(exam, game)
    if exam.is_dvp and any(game.seat.clock.use().used > _QUICK * MS // 2 for game in games):
        notes += await _quick_game(exam)
    return passed(*notes)


def _flag(exam: Examination, game: Sitting) -> Verdict:
    assert game.slip is not None
    total = format_ms(exam.control.game or 0)
    use = game.seat.clock.use()
    problem = (
        f"lost on time with {total} a game, as {game.seat.side.word.capitalize()} at ply {game.slip.number}: "
        f"{use.used / MS:.0f} ms for {use.plies} plies, then {game.slip.detail.partition(';')[0]}"
    )
    if exam.bot.dialect is Dialect.CODECUP:
        change = "Count the time of the whole game, and think less as it runs out: 5 s is the usual limit."
    else:
        change = "Share `time` (ms left, in every `go`) among the plies to come, some 25 before and 25 after."
    verdict = exam.verdict(game.slip, game)
    return failed(problem, change, verdict.dialogue)


def _used(game: Sitting) -> str:
    use = game.seat.clock.use()
    side = game.seat.side.word.capitalize()
    return f"as {side} {use.used / MS:.0f} ms for {use.plies} plies, the slowest {use.worst / MS:.0f} ms"


async def _quick_game(exam: Examination) -> list[str]:
    """A game with less time than it took before: does it adapt?"""
    game = await exam.play(Trial("a quick game", control=TimeControl(game=_QUICK)), Opponent(0))
    if not ran_out_of_time(game) or game.slip is None:
        return []
    return [f"with {format_ms(_QUICK)} a game it would lose on time, at ply {game.slip.number}"]


# --- little time


async def little_time(exam: Examination) -> Verdict:
    """100 ms left late in a game, then none, and a limit for each ply alone."""
    for trial, words in ((_at_the_end, "time"), (_by_the_ply, "movetime")):
        sitting, told = await trial(exam)
        if sitting.slip is not None and sitting.slip.termination is Termination.TIMEOUT:
            sitting, told = await trial(exam)  # the machine may have been busy
        slip = sitting.slip
        if slip is None or slip.termination is Termination.RESIGN:
            continue
        if slip.termination is Termination.TIMEOUT:
            change = (
                f"Heed `{words}` of every `go`: stop thinking before it is used up, and answer at once when "
                "there is next to nothing left."
            )
            return failed(
                f"told `{words} {told}`: {slip.detail}", change, exam.verdict(slip, sitting).dialogue
            )
        return exam.verdict(slip, sitting, f"It was told `{words} {told}`.")
    return passed()


async def _at_the_end(exam: Examination) -> tuple[Sitting, int]:
    """Also gives the milliseconds that were told last, as the next one does."""
    told = SHORT
    start = positions()[_LATE].position
    async with exam.sit(Trial("little time left", start.to_move, start)) as sitting:
        if await sitting.get_ready() and await sitting.play(Opponent(1), most=1):
            # The first answer of a process may be slow; now the clock shows what it shows late in a game.
            for told, grace in ((LITTLE, exam.control.grace), (0, _HALT)):
                _set(sitting.seat.clock, told, grace)
                if not await sitting.play(Opponent(1), most=1):
                    break
            else:
                sitting.say_end()
                await sitting.part()
    return sitting, told


async def _by_the_ply(exam: Examination) -> tuple[Sitting, int]:
    start = positions()[_LATE].position
    control = replace(exam.control, game=None, increment=0, move=LITTLE)
    async with exam.sit(Trial("a limit for each ply", start.to_move, start, control)) as sitting:
        if await sitting.get_ready():
            sitting.seat.clock.grace_left = _HALT * MS
            if await sitting.play(Opponent(1), most=1):
                sitting.seat.clock.grace_left = exam.control.grace * MS
                if await sitting.play(Opponent(1), most=_MOVES):
                    sitting.say_end()
                    await sitting.part()
    return sitting, LITTLE


def _set(clock: Clock, left: int, grace: int) -> None:
    clock.left, clock.grace_left = left * MS, grace * MS


async def stop(exam: Examination) -> Verdict:
    """It can be told to stop, if it says so."""
    found = await exam.introduce()
    if "stop" not in found.features:
        return not_announced("the feature `stop`")
    change = (
        "With the feature `stop` the bot has to read its input while it thinks: after `go infinite 1` it "
        "thinks until `stop`, and then answers within a second."
    )
    endless, in_a_turn = dialogues("stop")
    sitting = await exam.converse(endless)
    answers_by_itself = sitting.slip is not None and sitting.slip.termination is None
    notes = ["it answers `go infinite 1` by itself, before `stop`"] if answers_by_itself else []
    verdict = passed() if answers_by_itself else exam.judge(sitting, change)
    if verdict.outcome is Outcome.PASS:
        verdict = exam.judge(await exam.converse(in_a_turn), change)
    return verdict if verdict.outcome is Outcome.FAIL else passed(*notes)
