"""The steps about the end, and about what must not be there: stray output, processes, files."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from arbiter.check.check import Check
from arbiter.check.conformance import dialogues
from arbiter.check.excerpt import excerpt, listed, shortened
from arbiter.check.failure import Breach
from arbiter.check.games import talk, unique
from arbiter.check.outcome import Outcome, Verdict, failed, passed
from arbiter.check.permissions import files_denied, network_denied
from arbiter.check.probe import Probe
from arbiter.check.shutdown import QUIT_GRACE
from arbiter.match.last_words import last_words
from arbiter.match.process import exit_fault
from arbiter.match.wording import describe
from protocol import dvp
from protocol.dvp.messages import INFO_KEYS
from protocol.rules import Side

_NOTES = 5
_FILES = 8
_LONGEST_STRAY = 160
_INFO_VALUES = {"score": "a number such as 1.5", "currmove": "a ply", "exact": "1"}
_FEW = 3
"""Children that may just have ended when one looks."""


async def quit_(check: Check) -> Verdict:
    """It ends when it is told to."""
    word = "quit" if check.is_dvp else "Quit"
    probe = await _asked_to_end(check, "quit")
    games = [each for each in check.probes if each.failure is None and each.position.is_over]
    odd = [note for game in games for note in _odd_exit(game, "the end of a game")]
    how = "it ended when" if probe.shutdown.ended_at_last else "it did not even end when"
    change = (
        f"End the program when the line `{word}` comes, which ends with `\\n` alone, not with `\\r\\n`; save "
        "files first, within two seconds."
    )
    if probe.failure is None:
        return passed(*_odd_exit(probe, f"`{word}`"), *odd[:1], *_gone_on(probe))
    is_fault = check.is_dvp or not probe.shutdown.ended_at_last
    return _not_ended(check, probe, f"`{word}`; {how} its input was closed", change if is_fault else "")


async def end_of_input(check: Check) -> Verdict:
    """It ends when its input does."""
    probe = await _asked_to_end(check, "end of input")
    change = (
        "End the program when reading finds no more input (an empty result of `readline`, `EOF`, `null`): "
        "else it runs on, and often at full speed, when the arbiter is gone."
    )
    if probe.failure is None:
        return passed(*_odd_exit(probe, "the end of its input"), *_gone_on(probe))
    if check.is_dvp:
        return _not_ended(check, probe, "the end of its input", change)
    return _not_ended(check, probe, "the end of its input; it is killed then", "")


async def _asked_to_end(check: Check, step: str) -> Probe:
    (dialogue,) = dialogues(step, check.bot.dialect)
    return await check.converse(dialogue, ends_by_itself=True)


def _not_ended(check: Check, probe: Probe, after: str, change: str) -> Verdict:
    """What is said of a bot that did not end; it may be waiting for a program of its own.

    Without anything to ``change`` that is no fault.
    """
    if probe.failure is None or probe.failure.cause is not Breach.STILL_RUNNING:
        return check.judge(probe)
    problem = _with_others(probe, f"it was still running {QUIT_GRACE:.0f} s after {after}")
    if not change:
        return passed(problem)
    if probe.shutdown.left_running:
        change = f"{change} First end what the program started, for it may be waiting for that."
    elif probe.shutdown.threads > 1:
        change = f"{change} A thread that goes on can keep the program alive: end it, or make it a daemon."
    return failed(problem, change, excerpt(probe.transcript))


def _with_others(probe: Probe, problem: str) -> str:
    if probe.shutdown.threads > 1:
        problem = f"{problem}; it had {probe.shutdown.threads} threads"
    if not probe.shutdown.left_running:
        return problem
    return f"{problem}; what it started was running, too: {listed(probe.shutdown.left_running)}"


def _gone_on(probe: Probe) -> Iterator[str]:
    if rest := probe.shutdown.left_running:
        yield f"it ended, but these went on: {listed(rest)}; see `leaves nothing behind`"


def _odd_exit(probe: Probe, after: str) -> Iterator[str]:
    process = probe.session.process
    if process.exit_status:
        end = exit_fault(process.exit_status).with_facts(last_words=last_words(process.stderr))
        yield f"after {after} it {describe(end)}"


# --- stray output


async def stray_output(check: Check) -> Verdict:
    """Nothing but answers, in all that was tried so far and in dialogues of this step."""
    await check.game(Side.WHITE)
    await check.game(Side.BLACK)
    if not check.is_dvp:
        return _codecup_strays(check)
    for probe in check.probes:
        if probe.seat.uncalled:
            problem = f"in {probe.what} it wrote {probe.seat.uncalled[0]}"
            return failed(problem, _ONE_ANSWER, excerpt(probe.transcript, until="> error unexpected"))
    verdict = await talk(check, "stray output", _ONE_ANSWER)
    if verdict.outcome is not Outcome.PASS:
        return verdict
    notes = [note for probe in check.probes for note in _dvp_strays(probe)]
    return passed(*unique(notes, _NOTES))


_ONE_ANSWER = (
    "Answer `go` and nothing else, with one `move` line; ten answers that nobody had asked for lose a game."
)


def _codecup_strays(check: Check) -> Verdict:
    for probe in check.probes:
        stray = next(iter(probe.seat.strays), None)
        if stray is not None and (probe.failure is None or probe.failure.answer != stray):
            problem = f"in {probe.what} it wrote a line that is no ply: {shortened(repr(stray))}"
            change = (
                "In this dialect every line on standard output is an answer, and one that is no ply loses "
                "the game. Write everything else to standard error."
            )
            return failed(problem, change, excerpt(probe.transcript, until=f"< {stray}"))
    return passed()


def _dvp_strays(probe: Probe) -> Iterator[str]:
    """Lines without effect, and odd ones among those with one."""
    for stray in probe.seat.strays:
        yield shortened(stray, _LONGEST_STRAY)
    for line in probe.seat.heard:
        yield from _info_faults(line)


def _info_faults(line: str) -> Iterator[str]:
    words = line.split()
    if words[:1] != ["info"] or words[1:2] == ["string"]:
        return
    message = dvp.parse(line.encode(), dvp.Role.BOT)
    taken = message.values if isinstance(message, dvp.Info) else {}
    end = words.index("pv") if "pv" in words else len(words)
    for key, value in zip_longest(words[1:end:2], words[2:end:2], fillvalue=""):
        if key not in INFO_KEYS and not key.startswith("x-"):
            yield f"`info` has the key `{shortened(key, 20)}`, which is skipped with the word after it"
        elif key not in taken:
            what = _INFO_VALUES.get(key, "a number such as 1.5" if key.startswith("x-") else "a whole number")
            yield f"`info` has `{shortened(f'{key} {value}', 40)}`, which is skipped: {what} is expected"


# --- what stays


async def leaves_nothing(check: Check) -> Verdict:
    """No process and no file that was not there before."""
    await check.introduce()
    await check.game(Side.WHITE)
    sandbox = check.bot.sandbox
    denied = (
        *files_denied(sandbox, check.new_files(), check.probes),
        *network_denied(sandbox, check.probes),
    )
    return replace(_left(check), denied=denied)


def _left(check: Check) -> Verdict:
    notes = [*_files_left(check), *_zombies(check)]
    for probe in check.probes:
        if probe.shutdown.left_running and probe.shutdown.has_ended:
            names = listed(probe.shutdown.left_running)
            problem = f"after {probe.what} the bot had ended, but these went on: {names}"
            change = (
                "End every program that you start, and wait for it, before you end yourself. The arbiter "
                "kills what is left."
            )
            return failed(problem, change, excerpt(probe.transcript), notes)
    ended = any(probe.shutdown.has_ended for probe in check.probes)
    return passed(*notes, *([] if ended else ["it never ended by itself, so it was killed"]))


def _zombies(check: Check) -> Iterator[str]:
    most = max(check.probes, key=lambda probe: probe.shutdown.zombies)
    if (count := most.shutdown.zombies) > _FEW:
        yield (
            f"in {most.what} it left {count} zombies: programs that had ended and for which it never "
            "waited; each counts as a process of the bot"
        )


def _files_left(check: Check) -> list[str]:
    files = [shortened(name) for name in check.new_files()]
    if not files:
        return []
    return [
        f"written in {check.bot.directory} since the check began, by the bot or by anybody else: "
        f"{listed(files, _FILES)}; what the bot writes there is shared by copies that play at the same time"
    ]
