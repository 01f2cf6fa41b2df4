"""Faults as data and as sentences: each code belongs to one termination, and reads as it is kept here."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.match.clock import MS
from arbiter.match.fault import Code, Fact, Fault, as_json, from_json
from arbiter.match.process import exit_fault
from arbiter.match.termination import Termination
from arbiter.match.wording import describe

SPEC = Path(__file__).parents[3] / "protocol" / "SPEC.md"
MESSAGES = Path(__file__).parents[2] / "data" / "messages" / "match.txt"
SILENT: dict[str, Fact] = {"limit": 1_050 * MS, "clock": "wall"}
KILLED = Fault(Code.KILLED, {"signal": 9, "level": "none"})
LATE: dict[str, Fact] = {"used": 1_100_400_000, "over": 50_400_000, "limit": 1_050 * MS}
ILLEGAL: dict[str, Fact] = {"answer": "a1", "ply": "A1", "reason": "it is taken", "legal": "A2 A3"}
EXITED: dict[str, Fact] = {"status": 1, "level": "none"}

EXAMPLES: tuple[Fault, ...] = (
    Fault(Code.RESIGNED),
    Fault(Code.NO_ANSWER, {**SILENT, "bytes": 0}),
    Fault(Code.NO_ANSWER, {**SILENT, "bytes": 0, "withheld": "PYTHONUNBUFFERED"}),
    Fault(Code.NO_ANSWER, {**SILENT, "clock": "cpu", "bytes": 9, "turn_bytes": 4, "unfinished": "move A"}),
    Fault(Code.NO_ANSWER, {**SILENT, "bytes": 9, "used": 4_000 * MS, "plies": 1, "turn_bytes": 0}),
    Fault(Code.NO_ANSWER, {**SILENT, "bytes": 9, "used": 4_000 * MS, "plies": 12, "turn_bytes": 0}),
    Fault(Code.NO_ANSWER, {**SILENT, "bytes": 9, "turn_bytes": 0, "plies": 0}),
    Fault(Code.NO_ANSWER, {**SILENT, "bytes": 9, "turn_bytes": 9, "note": "ignored: 'A1'"}),
    Fault(Code.NO_ANSWER, {**SILENT, "bytes": 9, "plies": 3, "must_pass": True}),
    Fault(Code.NO_ANSWER, {**SILENT, "bytes": 9, "plies": 3, "must_pass": False, "double_turn": True}),
    Fault(Code.LATE, LATE),
    Fault(Code.NOT_A_PLY, {"answer": "Z9", "reason": "there is no space Z9"}),
    Fault(Code.ILLEGAL, ILLEGAL),
    Fault(Code.ILLEGAL, {**ILLEGAL, "legal": ""}),
    Fault(Code.LONG_LINE, {"limit": 65_536}),
    Fault(Code.MANY_LINES, {"limit": 10_000}),
    Fault(Code.MANY_BYTES, {"limit": 8 * 2**20}),
    Fault(Code.UNASKED, {"count": 10}),
    Fault(Code.EXITED, EXITED),
    Fault(Code.EXITED, {**EXITED, "last_words": "KeyError: 'A1'"}),
    Fault(Code.EXITED, {"status": 139, "level": "none"}),
    Fault(Code.EXITED, {"status": 127, "level": "limits"}),
    Fault(Code.EXITED, {**EXITED, "level": "jail", "last_words": "[Errno 30] Read-only file system: 'x'"}),
    Fault(Code.EXITED, {**EXITED, "level": "limits", "last_words": "Sanitizer failed to allocate 0x1 bytes"}),
    Fault(Code.EXITED, {"status": 0, "level": "none", "wrapper": "gdb"}),
    Fault(Code.SIGNALLED, {"signal": 11, "level": "none"}),
    Fault(Code.SIGNALLED, {"signal": 250, "level": "none"}),
    Fault(Code.OUTPUT_CLOSED, {"level": "none"}),
    KILLED,
    Fault(Code.OVER_LIMIT, {"text": "more than 64 MiB of memory"}),
    Fault(Code.OVER_LIMIT, {"text": "more than 64 MiB of memory", "last_words": "Killed"}),
    Fault(Code.LARGEST, {"held": 3 * 2**30}),
    Fault(Code.CANNOT_START, {"text": "./bot: no such file"}),
    Fault(Code.NO_SANDBOX, {"text": "bwrap: no namespaces"}),
    Fault(Code.REFUSED, {"text": "no licence"}),
    Fault(Code.NOT_READY, {"wanted": "dvpok", "limit": 10_000 * MS, "bytes": 0}),
    Fault(Code.NOT_READY, {"wanted": "placement", "limit": 10_000 * MS, "bytes": 3, "unfinished": "D1"}),
    Fault(Code.ENDED_BEFORE, {"wanted": "readyok", "end": KILLED}),
    Fault(Code.ENDED_BEFORE, {"wanted": "placement", "end": Fault(Code.EXITED, EXITED)}),
    Fault(Code.BAD_PLACEMENT, {"text": "Z9: there is no space Z9"}),
    Fault(Code.MACHINE_LATE, {**LATE, "side": "white", "machine": 70_060_000}),
    Fault(
        Code.MACHINE_LATE,
        {**LATE, "side": "white", "machine": 70 * MS, "culprit": "black", "culprit_cpu": 900 * MS},
    ),
    Fault(Code.STARVED, {"side": "black", "machine": 10_001 * MS}),
    Fault(Code.STARVED, {"side": "black", "machine": 1, "culprit": "white", "culprit_cpu": 9_000 * MS}),
    Fault(Code.STALLED, {"time": 8_400 * MS}),
    Fault(Code.OUT_OF_MEMORY, {"side": "white"}),
    Fault(Code.BOTH, {"white": Fault(Code.REFUSED, {"text": "no licence"}), "black": KILLED}),
)


def test_every_code_has_an_example() -> None:
    assert {fault.code for fault in EXAMPLES} == set(Code)


def test_sentences() -> None:
    """As the file has them; after a change on purpose, write it anew from what this shows."""
    found = "".join(f"{fault.code}: {describe(fault)}".strip() + "\n" for fault in EXAMPLES)
    assert found == MESSAGES.read_text()


def test_no_fault_says_nothing() -> None:
    assert describe(None) == ""


@pytest.mark.parametrize("code", Code)
def test_every_code_has_a_sentence_without_facts(code: Code) -> None:
    """Facts of an older database may be missing; only faults inside of faults have to be there."""
    inner: dict[str, Fact] = {name: Fault(Code.RESIGNED) for name in ("end", "white", "black")}
    fault = Fault(code, inner if code in (Code.BOTH, Code.ENDED_BEFORE) else {})
    assert isinstance(describe(fault), str)
    assert isinstance(fault.termination, Termination)


def test_which_codes_are_nobodys_fault() -> None:
    assert {code for code in Code if Fault(code).is_void} == {
        *(Code.MACHINE_LATE, Code.STARVED, Code.STALLED, Code.OUT_OF_MEMORY, Code.BOTH)
    }


def test_terminations() -> None:
    """Every termination but that of a game played to its end comes from some code."""
    assert {Fault(code).termination for code in Code} == set(Termination) - {Termination.NORMAL}


@pytest.mark.parametrize(
    "status, code, fact",
    [
        (None, Code.OUTPUT_CLOSED, {}),
        (0, Code.EXITED, {"status": 0}),
        (7, Code.EXITED, {"status": 7}),
        (-11, Code.SIGNALLED, {"signal": 11}),
        (-6, Code.SIGNALLED, {"signal": 6}),
        (-9, Code.KILLED, {"signal": 9}),
        (-15, Code.KILLED, {"signal": 15}),
        (-2, Code.KILLED, {"signal": 2}),
        (-1, Code.KILLED, {"signal": 1}),
    ],
)
def test_ends(status: int | None, code: Code, fact: dict[str, Fact]) -> None:
    assert exit_fault(status) == Fault(code, fact)


@pytest.mark.parametrize("fault", EXAMPLES, ids=lambda fault: fault.code)
def test_examples_survive_json(fault: Fault) -> None:
    assert from_json(json.loads(json.dumps(as_json(fault)))) == fault


NAMES = st.text(min_size=1, max_size=8).filter(lambda name: name != "code")
FACTS = st.none() | st.text() | st.integers() | st.booleans()
FAULTS = st.recursive(
    st.builds(Fault, st.sampled_from(Code), st.dictionaries(NAMES, FACTS, max_size=4)),
    lambda inner: st.builds(Fault, st.sampled_from(Code), st.dictionaries(NAMES, FACTS | inner, max_size=4)),
    max_leaves=4,
)


@given(FAULTS)
def test_faults_survive_json(fault: Fault) -> None:
    assert from_json(json.loads(json.dumps(as_json(fault)))) == fault


@pytest.mark.parametrize("values", [{}, {"code": "unknown"}, {"code": None}, {"code": "late", "over": 1.5}])
def test_what_is_no_fault(values: dict[str, object]) -> None:
    with pytest.raises((KeyError, ValueError)):
        from_json(values)


def test_facts() -> None:
    fault = Fault(Code.LATE, {"used": 5, "side": "white"})
    assert (fault.number("used"), fault.number("side"), fault.number("over")) == (5, 0, 0)
    assert (fault.text("used"), fault.text("side"), fault.text("over")) == ("", "white", "")
    assert fault.with_facts(used=6, over=1) == Fault(Code.LATE, {"used": 6, "side": "white", "over": 1})
    assert fault.facts["used"] == 5


def test_the_specification_lists_every_code_with_its_word() -> None:
    rows = re.findall(r"^\| `([a-z]+)` \| (`[a-z, `-]+`) \|$", SPEC.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {(word, code) for word, codes in rows for code in re.findall(r"[a-z-]+", codes)}
    assert {(word, code) for word, code in listed if code in set(Code)} == {
        (_word(code), str(code)) for code in Code
    }


def _word(code: Code) -> str:
    return str(Fault(code).termination)
