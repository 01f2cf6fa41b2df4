"""The steps about the end, and about what must not be there: stray output, processes, files."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from arbiter.check.allowance import files_denied, network_denied
from arbiter.check.conformance import dialogues
from arbiter.check.examination import Examination
from arbiter.check.excerpt import excerpt, shortened
from arbiter.check.games import talk, unique
from arbiter.check.outcome import Outcome, Verdict, failed, passed
from arbiter.check.sitting import Sitting
from arbiter.match.last_words import last_words
from arbiter.match.process import FULL_SPEED, describe_exit
from protocol import dvp
from protocol.dvp.messages import INFO_KEYS
from protocol.rules import Side

_NOTES = 5
_FILES = 8
_LONGEST_ERROR = 160
_PROCESSES = 3
_INFO_VALUES = {"score": "a number such as 1.5", "currmove": "a ply", "exact": "1"}
_FEW = 3
"""Children that may just have ended when one looks."""


async def quit_(exam: Examination) -> Verdict:
    """It ends when it is told to."""
    word = "quit" if exam.is_dvp else "Quit"
    (dialogue,) = dialogues("quit", exam.bot.dialect)
    sitting = await exam.converse(dialogue, ends_by_itself=True)
    slip = sitting.slip
    if slip is None:
        games = [each for each in exam.sittings if each.slip is None and each.position.is_over]
        odd = [note for game in games for note in _odd_exit(game, "the end of a game")]
        return passed(*_odd_exit(sitting, f"`{word}`"), *odd[:1], *_gone_on(sitting))
    if slip.termination is not None:
        return exam.judge(sitting)
    if sitting.departure.ended_at_last and not exam.is_dvp:
        return passed(_with_company(sitting, slip.detail))
    change = (
        f"End the program when the line `{word}` comes, which ends with `\\n` alone, not with `\\r\\n`; save "
        "files first, within two seconds."
    )
    return _still_there(sitting, slip.detail, change)


async def end_of_input(exam: Examination) -> Verdict:
    """It ends when its input does."""
    (dialogue,) = dialogues("end of input", exam.bot.dialect)
    sitting = await exam.converse(dialogue, ends_by_itself=True)
    slip = sitting.slip
    if slip is None:
        return passed(*_odd_exit(sitting, "the end of its input"), *_gone_on(sitting))
    if slip.termination is not None:
        return exam.judge(sitting)
    if not exam.is_dvp:
        return passed(_with_company(sitting, f"{slip.detail}; it is killed then"))
    change = (
        "End the program when reading finds no more input (an empty result of `readline`, `EOF`, `null`): "
        "else it runs on, and often at full speed, when the arbiter is gone."
    )
    return _still_there(sitting, slip.detail, change)


def _still_there(sitting: Sitting, problem: str, change: str) -> Verdict:
    """The failure of a bot that did not end; it may be waiting for a program of its own."""
    if sitting.departure.left_running:
        change = f"{change} First end what the program started, for it may be waiting for that."
    elif sitting.departure.threads > 1:
        change = f"{change} A thread that goes on can keep the program alive: end it, or make it a daemon."
    return failed(_with_company(sitting, problem), change, excerpt(sitting.transcript))


def _with_company(sitting: Sitting, problem: str) -> str:
    if sitting.departure.threads > 1:
        problem = f"{problem}; it had {sitting.departure.threads} threads"
    if not sitting.departure.left_running:
        return problem
    return f"{problem}; what it started was running, too: {_counted(sitting.departure.left_running)}"


def _gone_on(sitting: Sitting) -> Iterator[str]:
    if rest := sitting.departure.left_running:
        yield f"it ended, but these went on: {_counted(rest)}; see `leaves nothing behind`"


def _odd_exit(sitting: Sitting, after: str) -> Iterator[str]:
    status = sitting.seat.process.exit_status
    if status:
        last = last_words(sitting.seat.process.stderr)
        words = f"; its last words: {last}" if last else ""
        yield f"after {after} it {describe_exit(status)[1]}{words}"


# --- stray output


async def stray_output(exam: Examination) -> Verdict:
    """Nothing but answers, in all that was tried so far and in dialogues of this step."""
    await exam.game(Side.WHITE)
    await exam.game(Side.BLACK)
    if not exam.is_dvp:
        return _codecup_strays(exam)
    for sitting in exam.sittings:
        if sitting.uncalled:
            problem = f"in {sitting.what} it wrote {sitting.uncalled[0]}"
            return failed(problem, _ONE_ANSWER, excerpt(sitting.transcript, until="> error unexpected"))
    verdict = await talk(exam, "stray output", _ONE_ANSWER)
    if verdict.outcome is not Outcome.PASS:
        return verdict
    notes = [note for sitting in exam.sittings for note in _dvp_strays(sitting)]
    return passed(*unique(notes, _NOTES))


_ONE_ANSWER = (
    "Answer `go` and nothing else, with one `move` line; ten answers that nobody had asked for lose a game."
)


def _codecup_strays(exam: Examination) -> Verdict:
    for sitting in exam.sittings:
        if sitting.strays and not _is_its_slip(sitting, sitting.strays[0]):
            problem = (
                f"in {sitting.what} it wrote a line that is no ply: {shortened(repr(sitting.strays[0]))}"
            )
            change = (
                "In this dialect every line on standard output is an answer, and one that is no ply loses "
                "the game. Write everything else to standard error."
            )
            return failed(problem, change, excerpt(sitting.transcript, until=f"< {sitting.strays[0]}"))
    return passed()


def _is_its_slip(sitting: Sitting, line: str) -> bool:
    """Whether a line is what the game was lost by, which has been told."""
    return sitting.slip is not None and sitting.slip.answer == line


def _dvp_strays(sitting: Sitting) -> Iterator[str]:
    """Lines without effect, and odd ones among those with one."""
    if not sitting.seat.is_running:
        return
    for note in sitting.seat.report(with_transcript=False).notes:
        if note.startswith("ignored: "):
            yield shortened(note)
        elif note.startswith("error: "):
            yield f"it reported an {shortened(note, _LONGEST_ERROR)}"
    for line in sitting.heard:
        yield from _info_faults(line)
    if sitting.seat.process.turn_bytes > FULL_SPEED:
        yield f"{sitting.seat.process.turn_bytes:,} bytes in one turn; past 64 KiB they are read slowly"


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


async def leaves_nothing(exam: Examination) -> Verdict:
    """No process and no file that was not there before."""
    await exam.introduce()
    await exam.game(Side.WHITE)
    sandbox = exam.bot.sandbox
    denied = (
        *files_denied(sandbox, exam.new_files(), exam.sittings),
        *network_denied(sandbox, exam.sittings),
    )
    return replace(_left(exam), denied=denied)


def _left(exam: Examination) -> Verdict:
    notes = [*_files_left(exam), *_zombies(exam)]
    for sitting in exam.sittings:
        if sitting.departure.left_running and sitting.departure.ended_after is not None:
            names = _counted(sitting.departure.left_running)
            problem = f"after {sitting.what} the bot had ended, but these went on: {names}"
            change = (
                "End every program that you start, and wait for it, before you end yourself. The arbiter "
                "kills what is left."
            )
            return failed(problem, change, excerpt(sitting.transcript), notes)
    ended = any(sitting.departure.ended_after is not None for sitting in exam.sittings)
    return passed(*notes, *([] if ended else ["it never ended by itself, so it was killed"]))


def _counted(names: Sequence[str]) -> str:
    """The first of them, and how many others there are."""
    more = f" and {len(names) - _PROCESSES} more" if len(names) > _PROCESSES else ""
    return f"{', '.join(names[:_PROCESSES])}{more}"


def _zombies(exam: Examination) -> Iterator[str]:
    most = max(exam.sittings, key=lambda sitting: sitting.departure.zombies)
    if (count := most.departure.zombies) > _FEW:
        yield (
            f"in {most.what} it left {count} zombies: programs that had ended and for which it never "
            "waited; each counts as a process of the bot"
        )


def _files_left(exam: Examination) -> list[str]:
    files = exam.new_files()
    if not files:
        return []
    more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
    return [
        f"written in {exam.bot.directory} since the check began, by the bot or by anybody else: "
        f"{', '.join(map(shortened, files[:_FILES]))}{more}; "
        "what the bot writes there is shared by copies that play at the same time"
    ]
