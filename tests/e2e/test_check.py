"""``arbiter check`` with real bots: right ones pass, and each fault is named by the step that is about it."""

import json
import re
import sys
import time
from collections.abc import Collection
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from arbiter.check import check, repetition, runner
from arbiter.check.outcome import Outcome
from arbiter.check.probe import Probe
from arbiter.check.steps import STEPS
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import MS, TimeControl
from arbiter.match.fault import Code, Fault
from arbiter.match.game import GameSetup
from tests.e2e.checking import (
    BRISK,
    EVERY,
    GAME,
    HASTY,
    INTRODUCTION,
    MUTE,
    NUMBERS,
    PATIENT,
    PLACEMENTS,
    examine,
    failures,
    missed,
)
from tests.e2e.commands import arbiter
from tests.e2e.table import BOTS, Table


@pytest.fixture(autouse=True)
def _settled_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most bots here stay when they were started, so that need not be waited for; some are gone soon."""
    monkeypatch.setattr(check, "_SETTLES", 10 if "exits" in request.node.name else 0.02)


def faulty(table: Table, *fault: str) -> Bot:
    return table.bot(sys.executable, str(BOTS / "faulty.py"), *fault, name="faulty")


def cup(table: Table, *oddity: str) -> Bot:
    return table.bot(sys.executable, str(BOTS / "codecup.py"), *oddity, name="cup", dialect=Dialect.CODECUP)


# --- bots without fault


FEW = frozenset(NUMBERS[title] for title in (*INTRODUCTION, *GAME, "clock use", "quit", "stray output"))
SAMPLES = [
    ("random-c", ("cc",), EVERY),
    ("camel", ("perl",), EVERY),
    ("random-sh", ("sh",), FEW),
    ("random-js", ("node",), FEW),
    ("greedy", (), FEW),
]


@pytest.mark.parametrize(
    ("name", "steps"),
    [pytest.param(name, steps, id=name, marks=pytest.mark.needs(*needs)) for name, needs, steps in SAMPLES],
)
def test_the_sample_bots_pass(tmp_path: Path, name: str, steps: Collection[int]) -> None:
    chosen = [] if steps == EVERY else [word for step in steps for word in ("--step", str(step))]
    done = arbiter(tmp_path, "check", f"sample:{name}", *chosen, timeout=50)
    assert done.returncode == 0, done.stdout
    assert " failed" not in done.stdout
    assert "skipped" not in done.stdout
    assert ("ready for tournaments" in done.stdout) == (steps == EVERY)
    assert "no other" not in done.stdout


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["random", "greedy", "random-sh", "random-c", "random-js", "camel"])
def test_the_sample_bots_pass_every_step(tmp_path: Path, name: str) -> None:
    done = arbiter(tmp_path, "check", f"sample:{name}", timeout=50)
    assert done.returncode == 0, done.stdout
    assert "ready for tournaments" in done.stdout


def test_a_bot_with_everything_is_asked_everything(table: Table) -> None:
    titles = {*INTRODUCTION, "options", "readiness", "stop", "reuse", "same seed, same plies"}
    reports = examine(faulty(table, "everything"), titles)
    outcomes = {title: report.verdict.outcome for title, report in reports.items()}
    assert set(outcomes.values()) == {Outcome.PASS}, reports


def test_lines_that_come_in_pieces_are_no_fault(table: Table) -> None:
    titles = {*INTRODUCTION, "options", *GAME, "stray output"}
    reports = examine(faulty(table, "in-pieces"), titles)
    assert failures(reports) == []
    assert reports["options"].verdict.notes == ("2 offered: Hash, Seed",)
    assert reports["stray output"].verdict.notes == ()


@pytest.mark.parametrize("manner", ["", "rash", "lower", "relaxed"])
def test_manners_of_codecup_bots_are_no_faults(table: Table, manner: str) -> None:
    reports = examine(cup(table, *([manner] if manner else [])))
    assert failures(reports) == []
    assert reports["handshake"].verdict.outcome is Outcome.NOT_IN_DIALECT
    assert reports["forced pass"].verdict.notes[0].startswith("in 2 games it passed")


# --- faults: the bot, the step that names it, the words of it, and the steps tried besides

FAULTS: list[tuple[str, str, str, tuple[str, ...], TimeControl]] = [
    ("exits", "starts", "@exited", INTRODUCTION, PATIENT),
    ("dies-of-hello", "handshake", "@exited|KeyError: 'dvp'", INTRODUCTION, PATIENT),
    ("mute", "handshake", "@not-ready|Flush|codecup:", INTRODUCTION, MUTE),
    ("unflushed", "handshake", "kept in a buffer|flush=True", INTRODUCTION, MUTE),
    (r"hello DVPOK\n", "handshake", "@not-ready|in lower case", INTRODUCTION, MUTE),
    (r"hello uciok\n", "handshake", "@not-ready|Answer `dvp 1` with `dvpok`", INTRODUCTION, MUTE),
    (r"hello dvpok", "handshake", "@not-ready|End every answer with a line end", INTRODUCTION, MUTE),
    (r"hello dvpok\x202\n", "handshake", "@not-ready|Write `dvpok`, or `dvpok 1`:", INTRODUCTION, PATIENT),
    (r"hello error\x20no\x20book\n", "handshake", "@refused|no book", INTRODUCTION, PATIENT),
    ("floods", "handshake", "@many-lines|Write less", INTRODUCTION, PATIENT),
    ("blob", "handshake", "@long-line", INTRODUCTION, PATIENT),
    ("spin-order", "options", "the least value 1024 is above the greatest 64", (), PATIENT),
    ("spin-short", "options", "three integers are needed", (), PATIENT),
    ("name-with-blank", "options", "a name has no blanks", (), PATIENT),
    ("odd-default", "options", "default 'quick' is not among its choices (solid wild)", (), PATIENT),
    ("default-only-once", "options", "Style combo solid solid wild`", (), PATIENT),
    ("one-choice", "options", "the default stands among the choices, too: `option", (), PATIENT),
    ("dies-of-option", "options", "after `setoption Hash`|the least ones too", (), PATIENT),
    ("no-readyok", "readiness", "@not-ready|or do not announce", ("options",), MUTE),
    ("bare", "placement as White", "@no-answer|For `A1` write `move A1`", (), HASTY),
    ("no-line-end", "placement as White", "@no-answer|with a line end", (), HASTY),
    ("says move:\\x20PLY", "placement as White", "@no-answer|For `move: A1` write", (), HASTY),
    ("says move\\x20H9", "placement as White", "@not-a-ply", (), PATIENT),
    ("says move\\x20[PLY]", "placement as White", "For `move [A1]` write `move A1`, with nothing", (),
     HASTY),
    ("always-a1", "placement as White", "@occupied|on A1 itself, at ply 1", (), PATIENT),
    ("wrong-number", "placement as White", "`move A2 ply 1` with the number of another ply", (), BRISK),
    ("flood", "placement as White", "@many-lines", (), PATIENT),
    ("stops-itself", "placement as White", "@no-answer", (), HASTY),
    ("dies-as-black", "placement as Black", "@exited|NotImplementedError: black", GAME, PATIENT),
    ("waits-at-50", "double turn", "@no-answer|White acts twice in a row", GAME, BRISK),
    ("breaks not-your-stack", "double turn", "@not-your-stack|White acts twice", GAME, PATIENT),
    ("breaks distance", "movement as White", "@distance|so it must move exactly", GAME, PATIENT),
    ("breaks direction", "movement as White", "@direction|six directions", GAME, PATIENT),
    ("breaks surrounded", "movement as White", "@surrounded|has six neighbours", GAME, PATIENT),
    ("breaks lone-red", "movement as White", "@lone-red|belongs to nobody", GAME, PATIENT),
    ("breaks empty-target", "movement as White", "@empty-target|lands on an occupied space", GAME, PATIENT),
    ("passes", "movement as White", "@may-not-pass|that has no stack move", GAME, PATIENT),
    ("dies-at 61", "movement as White", "table overrun at ply 62", GAME, PATIENT),
    ("never-passes", "forced pass", "@no-answer|PASS is its only legal ply", GAME, BRISK),
    ("dies-of-pass", "forced pass", "IndexError: no moves", GAME, PATIENT),
    ("dies-after-pass", "forced pass", "Its opponent had just passed", GAME, PATIENT),
    ("start-only", "set-up positions", "@occupied|may begin from any position", GAME, PATIENT),
    ("no-tall-stacks", "set-up positions", "`tall`|a stack of ten or more", (), PATIENT),
    ("short-buffer 498", "long game", "fixed buffer of 256 or 512 bytes", GAME, PATIENT),
    ("strict-go", "unusual lines", "KeyError: 'mood'|a key together with its value", GAME, PATIENT),
    ("strict-newgame", "unusual lines", "KeyError: 'mood'", (), PATIENT),
    ("dies-of-words", "unusual lines", "unknown command 'greetings'", (), PATIENT),
    ("ascii-names", "unusual lines", "in `names`|UnicodeEncodeError", (), PATIENT),
    ("slow 0.1", "clock use", "lost on time with 500ms a game|Share `time`", GAME, HASTY),
    ("slow-late", "little time", "@no-answer|told `time 100`|Heed `time`", (), PATIENT),
    ("no-time-is-no-limit", "little time", "told `time 0`", (), PATIENT),
    ("needs-time", "little time", "KeyError: 'time'|`movetime 100`", (), PATIENT),
    ("deaf-to-stop", "stop", "read its input while it thinks", (), PATIENT),
    ("ignores-quit", "quit", "still running 2 s after `quit`; it ended when its input", (), PATIENT),
    ("waits-for-a-child", "quit", "started was running, too: sleep 60 (pid |First end what", (), PATIENT),
    ("deaf-to-the-end", "end of input", "still running 2 s after the end of its input", (), PATIENT),
    ("answers-legal", "stray output", "wrote `move A1` when no `go` was open|one `move` line", (), PATIENT),
    ("twice", "stray output", "the one before had been answered|one `move` line", GAME, PATIENT),
    ("remembers", "reuse", "@illegal|forget the game before", (), PATIENT),
    ("leaves-after-result", "reuse", "@exited", (), PATIENT),
    ("lock", "two copies at once", "FileExistsError|Share nothing between them", (), PATIENT),
    ("waits-for-lock", "two copies at once", "no `dvpok` within|Share nothing", INTRODUCTION, PATIENT),
    ("unseeded", "same seed, same plies", "to the same question|the value of `Seed`", (), PATIENT),
    ("leaves-a-child", "leaves nothing behind", "sleep 60 (pid |wait for it", (), PATIENT),
]  # fmt: skip


RELATED = {r"hello uciok\n", "hello dvpok", "blob", "spin-short", r"says move\x20[PLY]", "stops-itself"}
RELATED |= {"breaks direction", "breaks surrounded", "strict-newgame"}
"""Close relatives of others, left to the sweep."""


@pytest.mark.parametrize(
    ("fault", "title", "words", "besides", "control"),
    [pytest.param(*f, id=f[0], marks=[pytest.mark.sweep] if f[0] in RELATED else []) for f in FAULTS],
)
def test_a_fault_is_named_by_its_step(
    table: Table, fault: str, title: str, words: str, besides: tuple[str, ...], control: TimeControl
) -> None:
    arguments = [word.replace(r"\x20", " ") for word in fault.split(" ")]
    reports = examine(faulty(table, *arguments), {title, *besides}, control)
    assert failures(reports) == [title], reports
    verdict = reports[title].verdict
    assert missed(verdict, words) == [], verdict
    assert verdict.change
    if fault != "lock":
        assert verdict.dialogue or title == "starts"


def test_a_shell_that_flushes_for_the_bot_hides_nothing(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    reports = examine(faulty(table, "unflushed"), INTRODUCTION, MUTE)
    assert failures(reports) == ["handshake"]
    told = "PYTHONUNBUFFERED: set in this shell, not passed on; a bot has to flush without it"
    assert reports["starts"].verdict.notes == (told,)


FIRST_ADVICE = [
    ("moves-say move,PLY", "movement as White", "Write the ply on the line of `move`", GAME),
    ("moves-say PLY move", "movement as White", "For `A3A2 move` write `move A3A2`", GAME),
    ("moves-say my move is PLY,done", "movement as White", "For `my move is A3A2` write", GAME),
    ("dies-at-50", "double turn", "Find out why the program ended there", GAME),
    ("waits-at-50", "double turn", "White acts twice in a row", GAME),
    ("passes-say move,PLY", "forced pass", "Write the ply on the line of `move`", GAME),
    ("passes-say mv PLY", "forced pass", "For `mv PASS` write `move PASS`", GAME),
    ("dies-of-pass", "forced pass", "It has no stack move here", GAME),
    ("breaks-after-pass distance", "movement as Black", "The stack on ", PLACEMENTS),
    ("breaks-after-pass not-your-stack", "forced pass", "Its opponent had just passed", PLACEMENTS),
    ("dies-of-words", "unusual lines", "Find out why the program ended there", ()),
]


@pytest.mark.parametrize(
    ("fault", "title", "first", "besides"), FIRST_ADVICE, ids=[fault for fault, *_ in FIRST_ADVICE]
)
def test_the_first_advice_is_about_what_was_seen(
    table: Table, fault: str, title: str, first: str, besides: tuple[str, ...]
) -> None:
    name, _, argument = fault.partition(" ")
    reports = examine(faulty(table, name, *([argument] if argument else [])), {title, *besides}, BRISK)
    assert failures(reports) == [title], reports
    assert reports[title].verdict.change.startswith(first)


STARTING = replace(BRISK, game=3_000)
"""In this dialect the start is charged."""
CUP_FAULTS = [
    ("waits", "double turn", "@no-answer|without reading anything", GAME, STARTING),
    ("garbage", "placement as White", "@not-a-ply|Write nothing but plies", GAME, STARTING),
    ("forgets", "placement as White", "@occupied", (), PATIENT),
    ("passes", "placement as White", "@placement-phase", (), PATIENT),
    ("leaves", "placement as White", "@exited", (), PATIENT),
    ("dvp", "placement as White", "@not-a-ply|For `move A1` write `A1`", (), STARTING),
    ("banner", "stray output", "'Odd 1.0 by nobody'|standard error", GAME, PATIENT),
    ("debug", "stray output", "plies'|every line on standard output is an answer", GAME, PATIENT),
    ("stuck", "forced pass", "PASS is its only legal ply|writes PASS itself", GAME, STARTING),
    ("stickler", "forced pass", "PASS is no move|Its opponent had just passed", GAME, PATIENT),
]


@pytest.mark.parametrize(
    ("fault", "title", "words", "besides", "control"), CUP_FAULTS, ids=[f[0] for f in CUP_FAULTS]
)
def test_a_fault_of_a_codecup_bot_is_named_by_its_step(
    table: Table, fault: str, title: str, words: str, besides: tuple[str, ...], control: TimeControl
) -> None:
    reports = examine(cup(table, fault), {title, *besides}, control)
    assert failures(reports) == [title], reports
    assert missed(reports[title].verdict, words) == [], reports


@pytest.mark.parametrize("manner", ["", "leaves-unknown", "complains"])
def test_a_dvp_bot_is_told_from_a_codecup_bot(table: Table, manner: str) -> None:
    bot = replace(faulty(table, *([manner] if manner else [])), dialect=Dialect.CODECUP)
    reports = examine(bot, GAME, HASTY)
    assert failures(reports) == ["placement as White"]
    change = "It answers `dvp 1` with `dvpok`: the bot speaks DVP. Leave `codecup:` out."
    assert reports["placement as White"].verdict.change == change


def test_a_codecup_bot_is_told_from_a_dvp_bot(table: Table) -> None:
    reports = examine(replace(cup(table), dialect=Dialect.DVP), INTRODUCTION, HASTY)
    assert failures(reports) == ["handshake"]
    told = "It answers `Start` with `A1`: the bot speaks the CodeCup dialect. Write `codecup:` before its"
    assert reports["handshake"].verdict.change == f"{told} command."


NOTES = [
    ("misspelled-feature", "handshake", "did you mean `reuse`?"),
    ("debug", "stray output", "`info` has the key `cp`"),
    ("banner", "stray output", "ignored: 'Faulty 1.0"),
    ("odd-status", "quit", "exited with status 4"),
    ("leaves-a-child", "quit", "it ended, but these went on: sleep 60 (pid "),
    ("starts-a-child", "end of input", "it ended, but these went on: sleep 60 (pid "),
    ("impatient", "stop", "by itself, before `stop`"),
    ("own-games-only", "long game", "takes over no game that it did not play"),
    ("deaf-to-seed", "same seed, same plies", "is `Seed` used?"),
    ("leaves-a-file", "leaves nothing behind", "began, by the bot or by anybody else: log.txt;"),
]


@pytest.mark.parametrize(("oddity", "title", "words"), NOTES, ids=[note[0] for note in NOTES])
def test_what_is_odd_but_harmless_is_a_note(table: Table, oddity: str, title: str, words: str) -> None:
    report = examine(faulty(table, oddity), {title})[title]
    assert report.verdict.outcome is Outcome.PASS
    assert any(words in note for note in report.verdict.notes), report.verdict.notes


def test_a_fault_spoils_no_other_step(table: Table) -> None:
    titles = NUMBERS.keys() - {"set-up positions", "little time"}
    reports = examine(faulty(table, "dies-after-pass"), titles)
    assert failures(reports) == ["forced pass"]
    assert reports["movement as White"].verdict.outcome is Outcome.PASS
    assert "forced pass" in reports["movement as Black"].verdict.notes[0]
    assert reports["long game"].verdict.problem == "it needs step 11, forced pass"


def test_what_exits_fails_and_the_rest_is_skipped(table: Table) -> None:
    reports = examine(faulty(table, "exits"))
    outcomes = [report.verdict.outcome for report in reports.values()]
    assert outcomes == [Outcome.FAIL, *[Outcome.SKIPPED] * (len(STEPS) - 1)]
    assert {r.verdict.problem for r in reports.values() if r.number > 1} == {"it needs step 1, starts"}


def test_every_dialogue_belongs_to_a_step() -> None:
    data = (files("protocol") / "conformance" / "dialogues.jsonl").read_text(encoding="utf-8")
    assert {json.loads(line)["step"] for line in data.splitlines()} <= NUMBERS.keys()


def test_what_the_arbiter_looked_at_late_was_not_late(table: Table) -> None:
    """It is busy itself while the bot answers, and for longer than the bot has."""

    async def be_busy() -> None:
        while not (table.directory / "asked").exists():  # noqa: ASYNC110 (no event tells)
            await trio.sleep(0.001)
        time.sleep(0.8)  # noqa: ASYNC251 (that is the point)

    reports = examine(faulty(table, "asked"), {"placement as White"}, HASTY, be_busy)
    assert failures(reports) == [], reports


def test_what_the_machine_spoils_is_not_the_bots_failure(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Probe.ask

    def ask_and_stall(self: Probe) -> None:
        ask(self)
        stalled, ran = self.session.referee.stalled, {self.session.side: 9_000 * MS}
        self.session.table.perform(lambda: stalled(9_000 * MS, ran))

    monkeypatch.setattr(Probe, "ask", ask_and_stall)
    reports = examine(faulty(table, "hangs"), {*INTRODUCTION, "placement as White"})
    verdict = reports["placement as White"].verdict
    assert (verdict.outcome, failures(reports)) == (Outcome.NOT_TRIED, [])
    assert verdict.problem.startswith("through this machine: ")


def test_two_copies_in_a_game_that_the_machine_spoils_are_not_tried(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    starved = Fault(Code.STARVED, {"side": "white"})

    async def play_game(setup: GameSetup) -> SimpleNamespace:
        return SimpleNamespace(fault=starved, both_failed=False)

    monkeypatch.setattr(repetition, "play_game", play_game)
    verdict = examine(faulty(table), {"two copies at once"})["two copies at once"].verdict
    assert verdict.outcome is Outcome.NOT_TRIED


# --- whatever the bot does


@pytest.mark.parametrize("nuisance", ["hangs", "floods", "forks", "stubborn"])
def test_nothing_is_left_of_a_nuisance(table: Table, nuisance: str) -> None:
    titles = {"quit"} if nuisance == "stubborn" else {*INTRODUCTION, *GAME, "leaves nothing behind"}
    control = replace(HASTY, game=1_000 if nuisance == "hangs" else 10_000)
    began = time.monotonic()
    reports = examine(faulty(table, nuisance), titles, control)
    assert failures(reports) != []
    assert time.monotonic() - began < runner.LIMIT
    # The table's fixture sees to it that no process is left.


def test_a_check_is_over_in_time(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "LIMIT", 5.5)
    began = time.monotonic()
    reports = examine(faulty(table, "sleepy", "0.7"))
    assert time.monotonic() - began < runner.LIMIT
    assert failures(reports) == []
    last = list(reports.values())[-1].verdict
    assert (last.outcome, last.problem[:6]) == (Outcome.NOT_TRIED, "the 5.")


def test_a_slow_starter_is_tried_with_what_there_is_time_for(table: Table) -> None:
    reports = examine(faulty(table, "sleepy", "1.05"), {"handshake", "unusual lines"})
    notes = reports["unusual lines"].verdict.notes
    assert re.search(r"only the first of 5 dialogues: it takes [1-9]\.\d s to start", notes[0])
