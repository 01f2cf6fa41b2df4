"""Faults as authors of bots really make them, in Python, C and shell: is each named in words to act on?"""

import errno
import re
import socket
import subprocess
import sys
from dataclasses import replace

import pytest

from arbiter.check import check, probe, watch
from arbiter.check.advice import change_for
from arbiter.check.failure import Failure
from arbiter.check.outcome import Outcome
from arbiter.isolation import scratch
from arbiter.isolation.sandbox import MIB, Sandbox
from arbiter.match.bot import Bot, Dialect
from arbiter.match.clock import TimeControl
from arbiter.match.fault import Code, Fault
from arbiter.match.judging import judge_answer
from protocol.rules import Position, parse_dpos
from tests.e2e.checking import BRISK, GAME, HASTY, MUTE, PATIENT, PLACEMENTS, examine, failures, missed
from tests.e2e.table import Table

PYTHON = """
import os, subprocess, sys, threading, time
legal, games = [], 0
{start}
for line in sys.stdin:
    words = line.split() or [""]
    if words[0] == "dvp":
        {hello}
    elif words[0] == "setoption":
        {option}
    elif words[0] == "newgame":
        games += 1
        {newgame}
    elif words[0] == "legal":
        legal = words[1:]
    elif words[0] == "go":
        values = dict(zip(words[1::2], map(int, words[2::2])))
        ply = legal[0]
        {go}
    elif words[0] == "quit":
        {quit}
        break
"""
USUAL = {
    "start": "",
    "hello": "print('dvpok', flush=True)",
    "option": "pass",
    "newgame": "",
    "go": "print('move', ply, flush=True)",
    "quit": "",
}

C = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    static char line[8192], *legal[200];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        char all[sizeof line];
        strcpy(all, line);
        char *word = strtok(line, " \n");
        if (!word) continue;
        NEWS
        if (!strcmp(word, "dvp")) puts("dvpok");
        else if (!strcmp(word, "legal")) {
            memset(legal, 0, sizeof legal);
            for (int n = 0; (word = strtok(NULL, " \n")); n++) legal[n] = strdup(word);
        } else if (!strcmp(word, "go")) { GO }
        else if (!strcmp(word, "quit")) break;
    }
    return 0;
}
"""

SHELL = """#!/bin/sh
{start}
while {read}; do
    case $word in
    dvp) echo dvpok ;;
    legal) ply=${{rest%% *}} ;;
    go) echo "move $ply" ;;
    quit) exit ;;
    esac
done
"""

CODECUP = """
import sys
from protocol.rules import Position, Side, parse_ply
position, own, told = Position.start(), None, []
{start}
while True:
    line = sys.stdin.readline().strip()
    if line in ("", "Quit"):
        break
    if line != "Start":
        own = own or "black"
        position = position.play(parse_ply(line))
        told.append(line)
    own = own or "white"
    while not position.is_over and position.to_move.word == own:
        ply = sorted(each.text for each in position.legal_plies())[0]
        {write}
        position = position.play(parse_ply(ply))
{after}
"""


@pytest.fixture(autouse=True)
def _settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "_SETTLES", 0.02)


def python(table: Table, **changes: str) -> Bot:
    """A bot without fault but for these lines."""
    path = table.directory / "mine.py"
    path.write_text(PYTHON.format(**(USUAL | changes)))
    return table.bot(sys.executable, str(path), name="mine")


def compiled(table: Table, news: str = "", go: str = 'printf("move %s\\n", legal[0]);') -> Bot:
    path = table.directory / "mine.c"
    path.write_text(C.replace("NEWS", news).replace("GO", go))
    subprocess.run(["cc", "-w", "-O1", "-o", path.with_suffix(""), path], check=True)
    return table.bot(str(path.with_suffix("")), name="mine")


def shell(table: Table, start: str = "", read: str = "read -r word rest") -> Bot:
    path = table.directory / "mine.sh"
    path.write_text(SHELL.format(start=start, read=read))
    return table.bot("sh", str(path), name="mine")


def codecup(table: Table, start: str = "", write: str = "print(ply, flush=True)", after: str = "") -> Bot:
    path = table.directory / "cup.py"
    path.write_text(CODECUP.format(start=start, write=write, after=after))
    return table.bot(sys.executable, str(path), name="cup", dialect=Dialect.CODECUP)


PROMPT = "print('> ', end='', flush=True)"
SWAPPED = "print('move', ply if len(ply) != 4 or ply == 'PASS' else ply[2:] + ply[:2], flush=True)"
ONE_ROW_OFF = "print('move', legal[-1][0] + str(int(legal[-1][1]) - 1), flush=True)"
UTF16 = "sys.stdout.buffer.write('dvpok\\n'.encode('utf-16-le')); sys.stdout.flush()"
CAUGHT = "print('Error: list index out of range' if len(ply) == 4 else f'move {ply}', flush=True)"
TALKS = "print(len(legal), 'plies'); print(*[f'move {ply}'] * (values['ply'] != 50), sep='', flush=True)"
EXACT = "len(words) == 1 and print('move', ply, flush=True)"
BLIND = "print('feature nolegal noboard', 'dvpok', sep='\\n', flush=True)"
EMPTY = "print('move', ply if values['ply'] < 5 else '', flush=True)"
ONCE = "assert games == 1, 'not twice'"
MILLISECONDS = "time.sleep(values['time'] / 40); print('move', ply, flush=True)"
PONDERING = "threading.Thread(target=time.sleep, args=(60,)).start()"
NO_MOVE = "print('move', ply, flush=True) if ply != 'PASS' else sys.exit()"
GIVES_UP = "print('resign' if ply == 'PASS' else f'move {ply}', flush=True)"
PASSES_TWICE = "print(*['move ' + ply] * (1 + (ply == 'PASS')), sep='\\n', flush=True)"

TWO_WORDS = "print('move', *[ply[:2], ply[2:]] if len(ply) == 4 and ply != 'PASS' else [ply], flush=True)"

SEEDED = "print('option Seed spin 0 0 2147483647', 'dvpok', sep='\\n', flush=True)"
SHORT_SEED = "assert int(words[2]) < 65536, 'seed too large'"
LATE_SEED = "games = int(words[2])"
LATE_START = "assert games <= 65536, 'seed too large'"

SHORT_BUFFER = "print('move', ('legal ' + ' '.join(legal))[:127].split()[-1], flush=True)"
HALF_A_WORD = "print('move', ply[:2] if len(ply) == 4 else ply, flush=True)"

UTF16_LATER = "sys.stdout.buffer.write(f'move {ply}\\n'.encode('utf-16')); sys.stdout.flush()"

SCANNER = """
    if words[0] == 'position' and len(line) > 200:
        break
    if 0:
        pass"""
EARLIER = """
        if values['ply'] == 5:
            print('KeyError: 3', file=sys.stderr, flush=True)
        if values['ply'] == 9:
            print('thinking', file=sys.stderr, flush=True)
        else:
            print('move', ply, flush=True)"""
REMEMBERS = """
    if words[0] == 'position' and words[1] == 'start':
        known += words[3 + len(known):]
    if 0:
        pass"""
REMEMBERED = """
        if len(known) == 48:
            ply = next((space for space in ('D2', 'H3') if space not in known), ply)
        print('move', ply, flush=True)"""
DAEMON = "os.fork() and os._exit(0); time.sleep(9)"
DEAD_THREAD = """
import queue
turns = queue.Queue()
def work():
    while True:
        ply = turns.get()
        print('move', 1 / (len(ply) - 4) and ply, flush=True)
threading.Thread(target=work, daemon=True).start()
"""

IN_PYTHON: list[tuple[str, dict[str, str], str, str, tuple[str, ...], TimeControl]] = [
    ("prompt", {"start": PROMPT}, "handshake", "it stood in `> dvpok`|A prompt", (), MUTE),
    ("slow start", {"start": "while True: pass"}, "handshake",
     "It was still computing: its start takes longer than the limit", (), TimeControl(start=500)),
    ("sleepy start", {"start": "time.sleep(9)"}, "handshake",
     "Flush standard output|It was not computing: if it sleeps", (), MUTE),
    ("daemon", {"hello": DAEMON}, "handshake", "What it started goes on: |in the foreground", (), MUTE),
    ("dead thread", {"start": DEAD_THREAD, "go": "turns.put(ply)"}, "double turn",
     "To standard error it wrote `ZeroDivisionError: |one that ended a thread", GAME, HASTY),
    ("earlier", {"go": EARLIER}, "placement as White", "To standard error it wrote `thinking`", (), HASTY),
    ("utf-16", {"hello": UTF16}, "handshake", "Write UTF-8:|PowerShell", (), MUTE),
    ("short seed", {"hello": SEEDED, "option": SHORT_SEED}, "options",
     "after `setoption Seed`|seed too large|the greatest, 2147483647,|announce a smaller range", (),
     PATIENT),
    ("short seed, found later", {"hello": SEEDED, "option": LATE_SEED, "newgame": LATE_START}, "options",
     "after `setoption Seed`|the greatest, 2147483647,", (), PATIENT),
    ("utf-16 later", {"go": UTF16_LATER}, "placement as White", "Write UTF-8:", (), HASTY),
    ("target first", {"go": SWAPPED}, "movement as White", "The other way round, `A3A2`, it is", GAME,
     PATIENT),
    ("short buffer", {"go": SHORT_BUFFER}, "placement as White", "`I` is the beginning of the|153 bytes",
     (), PATIENT),
    ("half a word", {"go": HALF_A_WORD}, "double turn", "`A3` is the beginning of the", GAME, PATIENT),
    ("two words", {"go": TWO_WORDS}, "movement as White", "For `move A3 A2` write `move A3A2`", GAME,
     PATIENT),
    ("a row off", {"go": ONE_ROW_OFF}, "placement as White", "on K4 itself, at ply 1", (), PATIENT),
    ("seconds", {"go": MILLISECONDS}, "placement as White", "It was waiting all that time", (), HASTY),
    ("caught", {"go": CAUGHT}, "movement as White", "Instead it wrote `Error: list index", GAME, BRISK),
    ("exact", {"go": EXACT}, "placement as White", "knows `go` only without words", (), HASTY),
    ("blind", {"hello": BLIND}, "placement as White", "IndexError|`nolegal`, so it is told no `board`", (),
     PATIENT),
    ("empty", {"go": EMPTY}, "placement as White", "ply 5 (white places): `move` stands|empty:", (),
     PATIENT),
    ("talkative", {"go": TALKS}, "double turn", "White acts twice", GAME, BRISK),
    ("no move", {"go": NO_MOVE}, "forced pass", "as if the game were over", GAME, PATIENT),
    ("scanner", {"newgame": SCANNER}, "movement as White",
     "It ended by itself, as if|Or reading ended early: `position` has 2", GAME, PATIENT),
    ("gives up", {"go": GIVES_UP}, "forced pass", "@resigned|(white has to pass)", GAME, PATIENT),
    ("passes twice", {"go": PASSES_TWICE}, "stray output", "`move PASS` when no `go` was open", (),
     PATIENT),
    ("ponders", {"start": PONDERING}, "quit", "it had 2 threads|thread that goes on", (), PATIENT),
    ("remembers plies",
     {"start": "known = []", "hello": "print('feature reuse', 'dvpok', sep='\\n', flush=True)",
      "newgame": REMEMBERS, "go": REMEMBERED,},
     "reuse", "@occupied|At `newgame` forget the game before", GAME, PATIENT),
    ("once", {"hello": "print('feature reuse', 'dvpok', sep='\\n', flush=True)", "newgame": ONCE}, "reuse",
     "AssertionError: not twice|Find out why|At `newgame` forget", (), PATIENT),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "title", "words", "besides", "control"),
    [pytest.param(*rest, id=name) for name, *rest in IN_PYTHON],
)
def test_in_python(
    table: Table,
    changes: dict[str, str],
    title: str,
    words: str,
    besides: tuple[str, ...],
    control: TimeControl,
) -> None:
    assert missing(python(table, **changes), title, words, besides, control) == []


def missing(bot: Bot, title: str, words: str, besides: tuple[str, ...], control: TimeControl) -> list[object]:
    """What the author is not told: that this step failed, and no other, or some of the words."""
    reports = examine(bot, {title, *besides}, control)
    if failures(reports) != [title]:
        return [title, reports]
    verdict = reports[title].verdict
    return [(part, verdict) for part in missed(verdict, words)]


SECOND = 'printf("move %c%s\\n", *legal[1], legal[1] + 1);'
ROOM_FOR_64 = 'if (legal[64]) abort(); printf("move %s\\n", legal[0]);'
ANY_WORD = 'if (strstr(all, "quit")) break;'
IN_C = [
    ("second ply", {"go": SECOND}, "placement as White", "@signalled|SIGSEGV|a single legal ply|sanitize"),
    ("64 plies", {"go": ROOM_FOR_64}, "long game", "SIGABRT|There were 116 legal plies"),
    ("any word", {"news": ANY_WORD}, "unusual lines", "takes the rest of its line"),
]


@pytest.mark.needs("cc")
@pytest.mark.parametrize(
    ("changes", "title", "words"), [pytest.param(*rest, id=name) for name, *rest in IN_C]
)
def test_in_c(table: Table, changes: dict[str, str], title: str, words: str) -> None:
    assert missing(compiled(table, **changes), title, words, (), PATIENT) == []


HEAD = 'line=$(head -n 1) && set -- $line && word=$1 && shift && rest="$*"'
IN_SHELL = [
    ("reads ahead", {"read": HEAD}, "placement as White", "For more input: then it reads ahead", HASTY),
    ("helper", {"start": "(while :; do sleep 60; done) &"}, "leaves nothing behind", "sleep 60 (pid ",
     PATIENT),
    ("endless", {"read": "read -r word rest || :"}, "end of input", "reading finds no more", PATIENT),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "title", "words", "control"), [pytest.param(*rest, id=name) for name, *rest in IN_SHELL]
)
def test_in_shell(
    table: Table, changes: dict[str, str], title: str, words: str, control: TimeControl
) -> None:
    assert missing(shell(table, **changes), title, words, (), control) == []


DASHED = "print(ply if len(ply) != 4 or ply == 'PASS' else ply[:2] + '-' + ply[2:], flush=True)"
EVALUATED = "print(f'{ply} (+3)', flush=True)"
ZERO = "print('0' if ply == 'PASS' else ply, flush=True)"
EAGER = "print('A1', flush=True); position, own = position.play(parse_ply('A1')), 'white'"
ONE_TURN = """
    if own == "black" and len(told) == 25 and position.to_move.word == "white":
        print("A1A2", flush=True)
"""
IN_CODECUP = [
    ("dashed", {"write": DASHED}, "movement as White", "For `A3-A2` write `A3A2`", (*GAME, "stray output")),
    ("evaluated", {"write": EVALUATED}, "placement as White", "For `A1 (+3)` write `A1`", ()),
    ("keeps silent", {"write": "ply == 'PASS' or print(ply, flush=True)"}, "forced pass",
     "only legal ply. A bot of this dialect writes PASS itself", GAME),
    ("zero", {"write": ZERO}, "forced pass", "`PASS` is the only legal ply here", (*GAME, "stray output")),
    ("no second turn for White", {"after": ONE_TURN}, "movement as Black",
     "@early|A1A2|White moves again: as Black read two lines", PLACEMENTS),
    ("eager", {"start": EAGER}, "placement as Black", "it wrote A1 before it was told|gets `Start`", ()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "title", "words", "besides"), [pytest.param(*rest, id=name) for name, *rest in IN_CODECUP]
)
def test_in_the_codecup_dialect(
    table: Table,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, str],
    title: str,
    words: str,
    besides: tuple[str, ...],
) -> None:
    if title == "placement as Black":
        monkeypatch.setattr(check, "_SETTLES", 5)  # it speaks long before
    if title == "movement as Black":
        monkeypatch.setattr(probe, "_SECOND_TURN", 5)  # the same
    assert missing(codecup(table, **changes), title, words, besides, PATIENT) == []


def test_a_machine_that_stood_still_is_not_taken_for_a_search_by_the_clock(table: Table) -> None:
    """One of two trials takes long, and the bot plays another ply in each."""
    count = "print('x', file=open('starts', 'a')); number = os.path.getsize('starts') // 2"
    wait = "os.path.exists('waited') or (open('waited', 'w').close(), time.sleep(1))"
    go = f"{wait}; print('move', legal[-(number % 2)], flush=True)"
    bot = python(table, start=count, hello=SEEDED, go=go)
    reports = examine(bot, {"same seed, same plies"})
    assert failures(reports) == ["same seed, same plies"], reports


def test_programs_that_nobody_waited_for_are_a_note(table: Table) -> None:
    bot = python(table, go="os.fork() or os._exit(0); print('move', ply, flush=True)")
    verdict = examine(bot, {"leaves nothing behind"})["leaves nothing behind"].verdict
    assert verdict.outcome is Outcome.PASS
    assert any("scripted opponent it left" in note and "zombies" in note for note in verdict.notes)


def test_memory_past_the_limit_is_told_with_the_limit(table: Table) -> None:
    hog = python(table, go="kept = b'x' * 2**27; time.sleep(9)")
    bot = replace(hog, sandbox=Sandbox(memory=64 * MIB))
    verdict = examine(bot, {"placement as White"})["placement as White"].verdict
    assert "of memory; the limit is 64 MiB" in verdict.problem
    assert verdict.change.startswith("Hold less")


SHORT_PEAK = "values['ply'] == 1 and bytearray(b'x') * (600 * 2**20); print('move', ply, flush=True)"


def test_a_short_peak_of_memory_is_not_missed(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "_PAUSE", 60)  # nobody looks while it holds that
    verdict = examine(python(table, go=SHORT_PEAK), {"placement as White"})["placement as White"].verdict
    assert verdict.outcome is Outcome.PASS
    assert len(verdict.denied) == 1
    assert "it held 6" in verdict.denied[0]
    assert "allows 512 MiB" in verdict.denied[0]


ELSEWHERE = "log = open('{path}', 'a')"
SERVER = "import socket; server = socket.create_server(('127.0.0.1', 0))"
CLIENT = "import socket; client = socket.create_connection(('127.0.0.1', {port}))"


def test_a_file_elsewhere_is_told(table: Table, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("elsewhere") / "bot.log"
    denied = _denied(python(table, start=ELSEWHERE.format(path=path)))
    assert len(denied) == 1
    assert f"in a first start it had files elsewhere open for writing: {path}; a tournament" in denied[0]


def test_a_port_is_told(table: Table) -> None:
    (denied,) = _denied(python(table, start=SERVER))
    assert re.match(r"in a first start it used the network: TCP port \d+; a tournament", denied)


def test_a_connection_is_told(table: Table) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        (denied,) = _denied(python(table, start=CLIENT.format(port=port)))
    assert f"it used the network: TCP to port {port}; a tournament" in denied


AT_HOME = """
import socket, tempfile
kept = tempfile.NamedTemporaryFile(), socket.socketpair(), open('/dev/null', 'w'), open('/etc/passwd')
"""


def test_what_tournaments_allow_is_not_told(table: Table) -> None:
    assert _denied(python(table, start=AT_HOME)) == ()


def test_a_check_does_without_a_directory_of_its_own(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: str) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(scratch, "make", fails)
    assert _denied(python(table, start=AT_HOME)) == ()


def _denied(bot: Bot) -> tuple[str, ...]:
    return examine(bot, {"leaves nothing behind"})["leaves nothing behind"].verdict.denied


def test_notes_that_differ_in_a_ply_are_one(table: Table) -> None:
    bot = python(table, go="print('thinking about', ply); print('move', ply, flush=True)")
    notes = examine(bot, {"stray output"})["stray output"].verdict.notes
    assert notes == ("ignored: 'thinking about A1'",)


GERMAN = "print('info depth 1 score 1,50 nodes 12.345 time 3', f'move {ply}', sep='\\n', flush=True)"


def test_info_that_is_skipped_is_a_note(table: Table) -> None:
    notes = examine(python(table, go=GERMAN), {"stray output"})["stray output"].verdict.notes
    assert notes == (
        "`info` has `score 1,50`, which is skipped: a number such as 1.5 is expected",
        "`info` has `nodes 12.345`, which is skipped: a whole number is expected",
    )


def test_a_bot_that_dies_of_the_result_is_told_so(table: Table) -> None:
    bot = python(table, newgame="\n    elif words[0] == 'result':\n        int(words[1])")
    reports = examine(bot, {*GAME, "quit"})
    assert failures(reports) == []
    (note,) = reports["quit"].verdict.notes
    assert note.startswith("after the end of a game it exited with status 1; its last words: ValueError")


NOT_A_NUMBER = """
from protocol.bot import run, Bot

class Mine(Bot):
    def choose(self, position, clock):
        self.info(depth=1, score=float("nan"))
        return min(position.legal_plies())

run(Mine)
"""


def test_thoughts_that_nobody_can_read_lose_no_game_and_are_told(table: Table) -> None:
    path = table.directory / "mine.py"
    path.write_text(NOT_A_NUMBER)
    reports = examine(table.bot(sys.executable, str(path), name="mine"), {*GAME, "stray output"})
    assert failures(reports) == []
    told = (
        "it reported an error: info: score is nan, where a finite number below 1e18 is expected; it is left"
    )
    assert reports["stray output"].verdict.notes == (f"{told} out",)


def illegal(position: Position, answer: str, reversible: tuple[bool, ...] = ()) -> Failure:
    _, fault = judge_answer(answer, position)
    assert fault is not None
    return Failure(fault, 60, position, answer, reversible=reversible)


A_NEIGHBOUR_OF_BLACK = parse_dpos("........./..b......./..wrw....../........../......... w m")


@pytest.mark.parametrize(
    ("dpos", "words"),
    [
        ("........./........../.........../ww......../bwr...... b m", "never surrounded"),
        ("........./........../.........../........../b3*..w2*..... b m", "A1D1 jumps over an empty space"),
        ("........./..b......./..wrw....../........../......... b m", ""),
    ],
)
def test_plies_that_a_bot_missed_show_the_rule(dpos: str, words: str) -> None:
    told = change_for(illegal(parse_dpos(dpos), "PASS"), Dialect.DVP)
    assert told.startswith("PASS is allowed only to a side that has no stack move.")
    assert words in told
    assert ("surrounded" in told, "jumps" in told) == ("surrounded" in words, "jumps" in words)


@pytest.mark.parametrize(
    ("reversible", "first"),
    [
        ((), "The stack on D4 has a black piece on top, and the side to move is white: only the side whose"),
        ((True, True), "The other way round, `C3D4`, it is legal"),
        ((True, False), "The stack on D4 has a black piece on top"),
    ],
)
def test_a_way_back_that_is_legal_by_chance_hides_no_rule(reversible: tuple[bool, ...], first: str) -> None:
    failure = illegal(A_NEIGHBOUR_OF_BLACK, "D4C3", reversible)
    assert change_for(failure, Dialect.DVP).startswith(first)


@pytest.mark.parametrize(
    ("share", "words"), [(0.01, "It was waiting"), (0.3, "Answer every"), (0.9, "It was still thinking.")]
)
def test_a_bot_that_waits_is_told_from_one_that_thinks(share: float, words: str) -> None:
    failure = Failure(Fault(Code.NO_ANSWER, {"limit": 50}), 1, share=share)
    assert change_for(failure, Dialect.DVP).startswith(words)


def test_a_file_that_is_not_found_is_looked_for_in_the_right_place(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "_SETTLES", 5)  # it is gone long before
    bot = python(table, start="open('book.txt')")
    verdict = examine(bot, {"starts"})["starts"].verdict
    assert "No such file or directory: 'book.txt'" in verdict.problem
    assert f"by hand in {table.directory}, where it is started" in verdict.change
