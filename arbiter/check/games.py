"""The steps in which plies are judged: placement, movement, passes, set-ups, long lines."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from arbiter.check import advice, answers
from arbiter.check.conformance import Case, dialogues, positions
from arbiter.check.examination import Examination, Trial, is_about_passes, ran_out_of_time, step_of
from arbiter.check.excerpt import excerpt, kind_of
from arbiter.check.opponent import Aim, Opponent
from arbiter.check.outcome import Outcome, Verdict, failed, passed, skipped
from arbiter.check.sitting import Sitting
from arbiter.check.tongues import retold
from arbiter.match.termination import Termination
from protocol.errors import PlySyntaxError
from protocol.rules import PASS, Phase, Position, Side, parse_ply

_SET_UP_SECONDS = 6.0
_STARTS_TO_COME = 14
_SET_UP_TIME = 1_000
"""Milliseconds of a clock there: what counts are many positions."""
_INCREMENT = 10
_WIDEST = "many plies"
"""The step about long lines takes this one."""
_PLACEMENTS = 6
"""Plies of the bot in a set-up in which pieces are still to be placed."""
_MORE_GAMES = 3
_TIME_FOR_A_GAME = 14.0
_PLACED, _DOUBLE_TURN = 49, 50
_WHITE_AGAIN = (
    "After the 49th placement White moves again: as Black read two lines there, the placement and White's "
    "first stack move, before answering."
)


async def placement_as_white(exam: Examination) -> Verdict:
    sitting = await exam.game(Side.WHITE)
    verdict = _of_game(exam, sitting, "placement as White", last=_PLACED)
    is_at_once = verdict.outcome is Outcome.FAIL and not sitting.plies
    return await retold(exam, verdict) if is_at_once and not exam.is_dvp else verdict


async def placement_as_black(exam: Examination) -> Verdict:
    unasked = "" if exam.is_dvp else (await exam.introduce()).unasked
    if _is_ply(unasked):
        problem = f"it wrote {unasked} before it was told anything"
        change = "Only White's bot begins, when it gets `Start`. Black's waits for White's first placement."
        return failed(problem, change, excerpt((await exam.introduce()).sitting.transcript))
    return _of_game(exam, await exam.game(Side.BLACK), "placement as Black", last=_PLACED)


def _is_ply(text: str) -> bool:
    try:
        parse_ply(text)
    except PlySyntaxError:
        return False
    return True


async def movement_as_white(exam: Examination) -> Verdict:
    return _of_movement(exam, await exam.game(Side.WHITE), "movement as White")


async def movement_as_black(exam: Examination) -> Verdict:
    white, black = [await exam.game(side) for side in Side]
    verdict = _of_movement(exam, black, "movement as Black")
    if verdict.outcome is Outcome.FAIL and _is_the_same(white, black):
        return skipped("it fails as White does")
    return verdict


def _is_the_same(one: Sitting, other: Sitting) -> bool:
    """Whether two games broke off for the same reason, which need not be told twice."""
    if one.slip is None or other.slip is None or one.slip.termination is not other.slip.termination:
        return False
    rule = answers.rule_of(one.slip)
    return rule == answers.rule_of(other.slip) and (rule != "" or step_of(one) == "movement as White")


async def double_turn(exam: Examination) -> Verdict:
    """White's last placement, and the first stack move right after it."""
    sitting = await exam.game(Side.WHITE)
    if sitting.slip is not None and sitting.slip.number <= _PLACED:
        return skipped(f"the game ended at ply {sitting.slip.number}")
    change = "White acts twice in a row: after the 49th placement White also makes the first stack move."
    return _of_game(exam, sitting, "double turn", change, last=_DOUBLE_TURN)


def _of_game(
    exam: Examination, sitting: Sitting, title: str, change: str = "", last: int | None = None
) -> Verdict:
    """What a game says about one step of it, which ends with the ply ``last``.

    Slips that belong to other steps are told there.
    """
    slip = sitting.slip
    if slip is None or (last is not None and slip.number > last):
        return passed()
    owner = step_of(sitting)
    if owner == title:
        early = f"Ply {sitting.early} had been written before its turn came. " if sitting.early else ""
        return exam.verdict(slip, sitting, f"{early}{change}".strip())
    if slip.termination is Termination.RESIGN:
        return passed(f"it resigned at ply {slip.number}")
    return passed(f"seen up to ply {slip.number}, at which the step `{owner}` failed")


def _of_movement(exam: Examination, sitting: Sitting, title: str) -> Verdict:
    slip = sitting.slip
    if slip is not None and slip.number <= _DOUBLE_TURN and step_of(sitting) != title:
        return skipped(f"the game ended at ply {slip.number}")
    verdict = _of_game(exam, sitting, title, _WHITE_AGAIN if sitting.early == _DOUBLE_TURN + 1 else "")
    if verdict.outcome is Outcome.PASS and slip is None:
        score = sitting.position.score
        return passed(f"{len(sitting.plies)} plies, {score.white}:{score.black}")
    return verdict


# --- passes


async def forced_pass(exam: Examination) -> Verdict:
    """It passes when it must, and goes on after its own and its opponent's passes."""
    for side in Side:
        await exam.game(side)
    for sitting in exam.sittings:
        if sitting.slip is not None and is_about_passes(sitting) and not ran_out_of_time(sitting):
            return exam.verdict(sitting.slip, sitting)
    return await (talk(exam, "forced pass") if exam.is_dvp else _look_for_passes(exam))


async def _look_for_passes(exam: Examination) -> Verdict:
    """A CodeCup bot has to be led to a pass: play until both kinds were seen, as long as there is time."""
    games = [await exam.game(side) for side in Side]
    while missing := [side for side in (True, False) if not any(_passes(game)[side] for game in games)]:
        if len(games) >= 2 + _MORE_GAMES or exam.seconds_left < _TIME_FOR_A_GAME:
            break
        side = Side(len(games) % 2)
        aim = Aim.STIFLE if missing[0] else Aim.YIELD
        opponent = Opponent(100 + len(games), aim)
        sitting = await exam.play(Trial("a game that leads to passes", side, control=exam.control), opponent)
        if sitting.slip is not None and step_of(sitting) == "forced pass":
            return exam.verdict(sitting.slip, sitting)
        games.append(sitting)
    own = sum(_passes(game)[True] for game in games)
    theirs = sum(_passes(game)[False] for game in games)
    note = f"in {len(games)} games it passed {_times(own)}, and its opponent {_times(theirs)}"
    return passed(note if own and theirs else f"{note}; what did not come up could not be tried")


def _passes(sitting: Sitting) -> dict[bool, int]:
    """How often the bot itself (True) and its opponent passed."""
    count = {True: 0, False: 0}
    position = sitting.seat.setup.start
    for text in sitting.plies:
        if text == PASS.text:
            count[position.to_move is sitting.seat.side] += 1
        position = position.play(parse_ply(text))
    return count


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


# --- positions and dialogues


async def set_ups(exam: Examination) -> Verdict:
    """Games from set-up positions, every answer judged."""
    # A bot that starts slowly needs the rest for the steps to come.
    share = exam.seconds_left - _STARTS_TO_COME * exam.start_seconds
    deadline = time.monotonic() + min(share, _SET_UP_SECONDS)
    cases = [
        case
        for case in positions().values()
        if case.name != _WIDEST and case.position.legal_plies() not in ([], [PASS])
    ]
    done = 0
    for number, case in enumerate(cases):
        if number and time.monotonic() > deadline:
            break
        verdict = await _set_up(exam, case)
        if verdict.outcome is not Outcome.PASS:
            return verdict
        done += not verdict.notes
    variant = await talk(exam, "set-up positions")
    return passed(f"{done} of {len(cases)} positions, played on to the end", *variant.notes)


async def _set_up(exam: Examination, case: Case) -> Verdict:
    position = case.position
    most = _PLACEMENTS if position.phase is Phase.PLACEMENT else None
    what = f"the position `{case.name}`"
    control = replace(exam.control, game=_SET_UP_TIME, increment=_INCREMENT)
    sitting = await exam.play(Trial(what, position.to_move, position, control), Opponent(1), most)
    if is_about_passes(sitting):
        return passed()  # there is a step for that
    verdict = exam.judge(sitting, _about_set_up(position, sitting))
    if verdict.outcome is Outcome.PASS:
        return verdict
    return Verdict(
        verdict.outcome,
        f"from {what} ({case.about.rstrip('.')}): {verdict.problem}",
        verdict.change,
        verdict.dialogue,
    )


def _about_set_up(position: Position, sitting: Sitting) -> str:
    if position == Position.start() or sitting.slip is None or sitting.slip.number > 6:
        return ""
    return "A game may begin from any position: `position DPOS` stands in the place of the empty board."


async def long_game(exam: Examination) -> Verdict:
    """The longest lines there can be. Histories only where the bot takes over games that it did not play."""
    taken_over, history, longest_list = dialogues("long game", exam.bot.dialect)
    change = "Make room for lines of any length: a fixed buffer of 256 or 512 bytes is too short."
    notes: list[str] = []
    if not exam.is_pressed:
        first = await exam.converse(taken_over)
        verdict = passed() if first.slip is not None else exam.judge(await exam.converse(history), change)
        if verdict.outcome is not Outcome.PASS:
            return verdict
        if first.slip is not None:
            why = advice.noted(first.slip)
            notes.append(f"it takes over no game that it did not play, as `arbiter replay` asks for: {why}")
    verdict = exam.judge(await exam.converse(longest_list), change)
    return verdict if verdict.outcome is not Outcome.PASS else passed(*notes)


async def unusual_lines(exam: Examination) -> Verdict:
    """Lines that the language allows, though the arbiter seldom or never writes them."""
    return await talk(
        exam,
        "unusual lines",
        "Skip what you do not know: a line by its first word, a key together with its value. The name of an "
        "opponent takes the rest of its line.",
    )


async def talk(exam: Examination, step: str, change: str = "") -> Verdict:
    """The dialogues of a step; a slip in a harmless one is a note."""
    notes: list[str] = []
    all_of_them = dialogues(step, exam.bot.dialect)
    for number, dialogue in enumerate(all_of_them):
        if number and exam.is_pressed:
            seconds = f"{exam.start_seconds:.1f} s"
            notes.append(f"only the first of {len(all_of_them)} dialogues: it takes {seconds} to start")
            break
        sitting = await exam.converse(dialogue)
        slip = sitting.slip
        if slip is None or slip.termination is Termination.RESIGN or ran_out_of_time(sitting):
            continue
        if dialogue.harmless:
            notes.append(f"`{dialogue.name}` ({dialogue.about.rstrip('.')}): {advice.noted(slip)}")
            continue
        verdict = exam.judge(sitting, change)
        if verdict.outcome is not Outcome.PASS:
            problem = f"in `{dialogue.name}`: {verdict.problem}"
            return Verdict(verdict.outcome, problem, verdict.change, verdict.dialogue, tuple(notes))
    return passed(*notes)


def unique(notes: Iterable[str], most: int) -> Iterator[str]:
    """Each kind of note once, numbers and plies in them not minded, and not too many of them."""
    kinds: dict[str, str] = {}
    for note in notes:
        kinds.setdefault(kind_of(note), note)
    kept = list(kinds.values())
    yield from kept[:most]
    if len(kept) > most:
        yield f"... and {len(kept) - most} more of the kind"
