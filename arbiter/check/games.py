"""The steps in which plies are judged: placement, movement, passes, set-ups, long lines."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from arbiter.check import advice
from arbiter.check.check import Check, Trial, is_about_passes, ran_out_of_time, step_of
from arbiter.check.conformance import Case, dialogues, positions
from arbiter.check.dialects import retold
from arbiter.check.excerpt import excerpt, kind_of
from arbiter.check.opponent import Aim, Opponent
from arbiter.check.outcome import Outcome, Verdict, failed, passed, skipped
from arbiter.check.probe import Probe
from arbiter.match.termination import Termination
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


async def placement_as_white(check: Check) -> Verdict:
    probe = await check.game(Side.WHITE)
    verdict = _of_game(check, probe, "placement as White", last=_PLACED)
    is_at_once = verdict.outcome is Outcome.FAIL and not probe.plies
    return await retold(check, verdict) if is_at_once and not check.is_dvp else verdict


async def placement_as_black(check: Check) -> Verdict:
    unasked = "" if check.is_dvp else (await check.introduce()).unasked
    if unasked:
        problem = f"it wrote {unasked} before it was told anything"
        change = "Only White's bot begins, when it gets `Start`. Black's waits for White's first placement."
        return failed(problem, change, excerpt((await check.introduce()).probe.transcript))
    return _of_game(check, await check.game(Side.BLACK), "placement as Black", last=_PLACED)


async def movement_as_white(check: Check) -> Verdict:
    return _of_movement(check, await check.game(Side.WHITE), "movement as White")


async def movement_as_black(check: Check) -> Verdict:
    white, black = [await check.game(side) for side in Side]
    verdict = _of_movement(check, black, "movement as Black")
    if verdict.outcome is Outcome.FAIL and _is_the_same(white, black):
        return skipped("it fails as White does")
    return verdict


def _is_the_same(one: Probe, other: Probe) -> bool:
    """Whether two games broke off for the same reason, which need not be told twice."""
    first, second = one.failure, other.failure
    if first is None or second is None or first.termination is not second.termination:
        return False
    rule = first.fact("rule")
    return rule == second.fact("rule") and (rule != "" or step_of(one) == "movement as White")


async def double_turn(check: Check) -> Verdict:
    """White's last placement, and the first stack move right after it."""
    probe = await check.game(Side.WHITE)
    if probe.failure is not None and probe.failure.number <= _PLACED:
        return skipped(f"the game ended at ply {probe.failure.number}")
    change = "White acts twice in a row: after the 49th placement White also makes the first stack move."
    return _of_game(check, probe, "double turn", change, last=_DOUBLE_TURN)


def _of_game(check: Check, probe: Probe, title: str, change: str = "", last: int | None = None) -> Verdict:
    """What a game says about one step of it, which ends with the ply ``last``.

    Failures that belong to other steps are told there.
    """
    failure = probe.failure
    if failure is None or (last is not None and failure.number > last):
        return passed()
    owner = step_of(probe)
    if owner == title:
        number = probe.seat.early_ply
        early = f"Ply {number} had been written before its turn came. " if number else ""
        return check.verdict(probe, f"{early}{change}".strip())
    if failure.termination is Termination.RESIGN:
        return passed(f"it resigned at ply {failure.number}")
    return passed(f"seen up to ply {failure.number}, at which the step `{owner}` failed")


def _of_movement(check: Check, probe: Probe, title: str) -> Verdict:
    failure = probe.failure
    if failure is not None and failure.number <= _DOUBLE_TURN and step_of(probe) != title:
        return skipped(f"the game ended at ply {failure.number}")
    verdict = _of_game(check, probe, title, _WHITE_AGAIN if probe.seat.early_ply == _DOUBLE_TURN + 1 else "")
    if verdict.outcome is Outcome.PASS and failure is None:
        score = probe.position.score
        return passed(f"{len(probe.plies)} plies, {score.white}:{score.black}")
    return verdict


# --- passes


async def forced_pass(check: Check) -> Verdict:
    """It passes when it must, and goes on after its own and its opponent's passes."""
    for side in Side:
        await check.game(side)
    for probe in check.probes:
        if probe.failure is not None and is_about_passes(probe) and not ran_out_of_time(probe):
            return check.verdict(probe)
    return await (talk(check, "forced pass") if check.is_dvp else _look_for_passes(check))


async def _look_for_passes(check: Check) -> Verdict:
    """A CodeCup bot has to be led to a pass: play until both kinds were seen, as long as there is time."""
    games = [await check.game(side) for side in Side]
    while missing := [side for side in (True, False) if not any(_passes(game)[side] for game in games)]:
        if len(games) >= 2 + _MORE_GAMES or check.seconds_left < _TIME_FOR_A_GAME:
            break
        side = Side(len(games) % 2)
        aim = Aim.STIFLE if missing[0] else Aim.YIELD
        opponent = Opponent(100 + len(games), aim)
        probe = await check.play(Trial("a game that leads to passes", side, control=check.control), opponent)
        if probe.failure is not None and step_of(probe) == "forced pass":
            return check.verdict(probe)
        games.append(probe)
    own = sum(_passes(game)[True] for game in games)
    theirs = sum(_passes(game)[False] for game in games)
    note = f"in {len(games)} games it passed {_times(own)}, and its opponent {_times(theirs)}"
    return passed(note if own and theirs else f"{note}; what did not come up could not be tried")


def _passes(probe: Probe) -> dict[bool, int]:
    """How often the bot itself (True) and its opponent passed."""
    count = {True: 0, False: 0}
    position = probe.seat.setup.start
    for text in probe.plies:
        if text == PASS.text:
            count[position.to_move is probe.seat.side] += 1
        position = position.play(parse_ply(text))
    return count


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


# --- positions and dialogues


async def set_ups(check: Check) -> Verdict:
    """Games from set-up positions, every answer judged."""
    # A bot that starts slowly needs the rest for the steps to come.
    share = check.seconds_left - _STARTS_TO_COME * check.start_seconds
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
        verdict = await _set_up(check, case)
        if verdict.outcome is not Outcome.PASS:
            return verdict
        done += not verdict.notes
    variant = await talk(check, "set-up positions")
    return passed(f"{done} of {len(cases)} positions, played on to the end", *variant.notes)


async def _set_up(check: Check, case: Case) -> Verdict:
    position = case.position
    most = _PLACEMENTS if position.phase is Phase.PLACEMENT else None
    what = f"the position `{case.name}`"
    control = replace(check.control, game=_SET_UP_TIME, increment=_INCREMENT)
    probe = await check.play(Trial(what, position.to_move, position, control), Opponent(1), most)
    if is_about_passes(probe):
        return passed()  # there is a step for that
    verdict = check.judge(probe, _about_set_up(position, probe))
    if verdict.outcome is Outcome.PASS:
        return verdict
    return replace(verdict, problem=f"from {what} ({case.about.rstrip('.')}): {verdict.problem}")


def _about_set_up(position: Position, probe: Probe) -> str:
    if position == Position.start() or probe.failure is None or probe.failure.number > 6:
        return ""
    return "A game may begin from any position: `position DPOS` stands in the place of the empty board."


async def long_game(check: Check) -> Verdict:
    """The longest lines there can be. Histories only where the bot takes over games that it did not play."""
    taken_over, history, longest_list = dialogues("long game", check.bot.dialect)
    change = "Make room for lines of any length: a fixed buffer of 256 or 512 bytes is too short."
    notes: list[str] = []
    if not check.is_pressed:
        first = await check.converse(taken_over)
        if first.failure is None:
            verdict = check.judge(await check.converse(history), change)
            if verdict.outcome is not Outcome.PASS:
                return verdict
        else:
            why = advice.noted(first.failure)
            notes.append(f"it takes over no game that it did not play, as `arbiter replay` asks for: {why}")
    verdict = check.judge(await check.converse(longest_list), change)
    return verdict if verdict.outcome is not Outcome.PASS else passed(*notes)


async def unusual_lines(check: Check) -> Verdict:
    """Lines that the language allows, though the arbiter seldom or never writes them."""
    return await talk(
        check,
        "unusual lines",
        "Skip what you do not know: a line by its first word, a key together with its value. The name of an "
        "opponent takes the rest of its line.",
    )


async def talk(check: Check, step: str, change: str = "") -> Verdict:
    """The dialogues of a step; a failure in a harmless one is a note."""
    notes: list[str] = []
    all_of_them = dialogues(step, check.bot.dialect)
    for number, dialogue in enumerate(all_of_them):
        if number and check.is_pressed:
            seconds = f"{check.start_seconds:.1f} s"
            notes.append(f"only the first of {len(all_of_them)} dialogues: it takes {seconds} to start")
            break
        probe = await check.converse(dialogue)
        failure = probe.trouble
        if failure is None or ran_out_of_time(probe):
            continue
        if dialogue.harmless:
            notes.append(f"`{dialogue.name}` ({dialogue.about.rstrip('.')}): {advice.noted(failure)}")
            continue
        verdict = check.judge(probe, change)
        if verdict.outcome is not Outcome.PASS:
            problem = f"in `{dialogue.name}`: {verdict.problem}"
            return replace(verdict, problem=problem, notes=tuple(notes))
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
