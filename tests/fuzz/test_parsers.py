"""Arbitrary lines: no error but those promised, the same however they are cut, and in bounded memory."""

import random
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol import codecup, dvp
from protocol.errors import LocalProtocolError, PlySyntaxError, PositionError, RecordError
from protocol.lines import LineBuffer
from protocol.records import decode_text, format_record, read_records, scan_records, verify_record
from protocol.rules import Rules, Side, parse_dpos, parse_ply
from protocol.states import Role
from protocol.text import CONTROLS
from tests.fuzz.lines import FROM_ARBITER, FROM_BOT, GAMES, HEADERS, PLIES, POSITIONS, RECORD, any_line

FEW = 20_000
MANY = 1_000_000
SHARES = {"dvp": 0.35, "codecup": 0.15, "plies": 0.15, "positions": 0.1, "records": 0.25}
"""How the lines are divided; a record takes about nine of them, a DPOS one."""

KNOWN = {Role.BOT: FROM_BOT, Role.ARBITER: FROM_ARBITER}
SMALL = {"max_line": 200, "max_lines": 12, "max_bytes": 600}


# What holds of one line, one text, one conversation.


def check_message(line: bytes, sender: Role) -> None:
    """A line means something or is unknown; what it means can be shown, and mostly be said again."""
    message = dvp.parse(line, sender)
    if isinstance(message, dvp.Unknown):
        assert not CONTROLS.search(message.text + message.hint)
        assert len(message.kind) < 60
        return
    try:
        said = dvp.format(message)
    except LocalProtocolError:
        return  # such as `move` without a ply, or an error code that we never use
    assert dvp.parse(said.encode(), sender) == message, said


def check_words(message: str) -> None:
    """Foreign text in a message is in bounds and cannot move a cursor."""
    assert len(message) < 300
    assert message.isprintable()


def check_ply(text: str) -> None:
    try:
        ply = parse_ply(text)
    except PlySyntaxError as error:
        check_words(str(error))
    else:
        assert ply.text == text.upper()
        assert parse_ply(ply.text) is ply


def check_position(text: str, rules: Rules) -> None:
    try:
        position = parse_dpos(text, rules)
    except PositionError as error:
        check_words(str(error))
    else:
        assert parse_dpos(position.dpos, rules) == position
        plies = position.legal_plies()
        assert bool(plies) != position.is_over
        for ply in plies[:3]:
            position.play(ply)


def check_records(data: bytes) -> None:
    """A file is refused as a whole, or each game in it is read, checked, and can be written again."""
    try:
        text = decode_text(data, "f")
    except RecordError:
        text = data.replace(b"\0", b"").decode(errors="replace")
    readings = list(scan_records(text, "f"))
    for reading in readings:
        assert reading.record is not None or reading.faults
        if reading.record is None:
            continue
        faults = verify_record(reading.record)
        assert all(fault.line >= 1 for fault in faults)
        if not reading.faults:
            (again,) = read_records(format_record(reading.record), "f")
            assert again == reading.record
            assert [fault.message for fault in verify_record(again)] == [fault.message for fault in faults]


def events(connection: dvp.Connection, data: list[bytes]) -> Any:
    heard = [event for piece in data for event in connection.receive(piece)]
    return heard, connection.state, connection.flood, connection.features, connection.unfinished


def dvp_connection(role: Role, state: int, limits: dict[str, int]) -> dvp.Connection:
    """One end of a conversation that has come so far."""
    connection = dvp.Connection(role)
    connection._lines = LineBuffer(**limits)
    if role is Role.ARBITER:
        for message, answer in (
            (dvp.Hello(), b"feature ready stop reuse\ndvpok\n"),
            (dvp.NewGame(Side.WHITE), b""),
            (dvp.IsReady(), b"readyok\n"),
            (dvp.Setup(), b""),
            (dvp.Board("........./........../.........../........../......... w p"), b""),
            (dvp.Go({"ply": 1}), b""),
        )[:state]:
            connection.send(message)
            connection.receive(answer)
        connection._lines.reset()
    return connection


def cut(data: bytes, chance: random.Random) -> list[bytes]:
    pieces = []
    while data:
        size = chance.choice((1, 2, 7, 40, 2_048))
        pieces.append(data[:size])
        data = data[size:]
    return pieces


def check_conversation(data: bytes, pieces: list[bytes], role: Role, state: int) -> None:
    whole, parts = (dvp_connection(role, state, SMALL) for _ in range(2))
    assert events(whole, [data]) == events(parts, pieces)
    dvp_connection(role, state, {}).receive(data)


def check_codecup(data: bytes, pieces: list[bytes], side: Side, role: Role) -> None:
    def hear(chunks: list[bytes]) -> Any:
        connection = codecup.Connection(side, role)
        connection._lines = LineBuffer(**SMALL)
        if role is Role.ARBITER and side is Side.WHITE:
            connection.start()
        heard = [text for chunk in chunks for text in connection.receive(chunk)]
        return (
            heard,
            connection.state,
            connection.plies,
            connection.early,
            connection.flood,
            connection.unfinished,
        )

    heard = hear([data])
    assert heard == hear(pieces)
    assert not any(CONTROLS.search(text) for text in heard[0])


# Random lines, many and fast.


def run_dvp(chance: random.Random) -> int:
    sender = chance.choice(list(Role))
    lines = [any_line(KNOWN[sender], chance) for _ in range(20)]
    for line in lines:
        check_message(line, sender)
    data = b"".join([line + chance.choice((b"\n", b"\n", b"\r\n", b"\n\n", b"")) for line in lines])
    check_conversation(data, cut(data, chance), sender.other, int(chance.random() * 7))
    return len(lines)


def run_codecup(chance: random.Random) -> int:
    lines = [any_line(PLIES, chance) for _ in range(20)]
    data = b"".join([line + chance.choice((b"\n", b"\n", b"\r\n", b" \n", b"")) for line in lines])
    check_codecup(data, cut(data, chance), chance.choice(list(Side)), chance.choice(list(Role)))
    return len(lines)


def run_plies(chance: random.Random) -> int:
    for _ in range(20):
        check_ply(any_line(PLIES, chance).decode(errors=chance.choice(("replace", "surrogateescape"))))
    return 20


def run_positions(chance: random.Random) -> int:
    check_position(any_line(POSITIONS, chance).decode(errors="replace"), chance.choice(list(Rules)))
    return 1


def run_records(chance: random.Random) -> int:
    """A file with a game that is well-formed but for a few lines, so that every check of it is reached."""
    headers = chance.sample(HEADERS, int(chance.random() * 6))
    lines = [*RECORD[:4], *headers, *chance.choice(GAMES), chance.choice(RECORD[-10:])]
    if chance.random() < 0.3:
        lines.insert(int(chance.random() * len(lines)), chance.choice(RECORD))
    for _ in range(chance.choice((0, 1, 1, 3))):
        at = int(chance.random() * len(lines))
        lines[at] = any_line([lines[at]], chance)
    check_records(b"\n".join(lines))
    return len(lines)


RUNS: dict[str, Callable[[random.Random], int]] = {
    "dvp": run_dvp,
    "codecup": run_codecup,
    "plies": run_plies,
    "positions": run_positions,
    "records": run_records,
}


def run(kind: str, count: int) -> None:
    """Check so many lines; a failure names the seed of its round."""
    done = round_number = 0
    while done < count:
        seed = f"{kind} {round_number}"
        try:
            done += RUNS[kind](random.Random(seed))
        except Exception as error:
            error.add_note(f"with RUNS[{kind!r}](random.Random({seed!r}))")
            raise
        round_number += 1
    assert done >= count


@pytest.mark.parametrize("kind", RUNS)
def test_spoiled_lines(kind: str) -> None:
    run(kind, int(FEW * SHARES[kind]))


@pytest.mark.sweep
@pytest.mark.parametrize("kind", RUNS)
def test_a_million_spoiled_lines(kind: str) -> None:
    run(kind, int(MANY * SHARES[kind]))


# Small ones, which hypothesis shortens.

chunks = st.lists(
    st.binary(max_size=20) | st.sampled_from([*FROM_BOT, *PLIES, b"\n", b"\r\n", b"\r"]), max_size=12
)


@given(chunks, st.sampled_from(Role), st.integers(0, 6))
def test_a_dvp_conversation_is_the_same_however_it_is_cut(parts: list[bytes], role: Role, state: int) -> None:
    check_conversation(b"".join(parts), parts, role, state)


@example([b" " * 190 + b"\n"] * 3 + [b"A1\n" + b"x" * 150], Side.WHITE, Role.ARBITER)
@given(chunks, st.sampled_from(Side), st.sampled_from(Role))
def test_a_codecup_conversation_is_the_same_however_it_is_cut(
    parts: list[bytes], side: Side, role: Role
) -> None:
    check_codecup(b"".join(parts), parts, side, role)


@given(st.text(max_size=12))
def test_any_text_is_a_ply_or_refused(text: str) -> None:
    check_ply(text)


@given(st.text("./rwb0123456789* pm", max_size=80) | st.text(max_size=20), st.sampled_from(Rules))
def test_any_text_is_a_position_or_refused(text: str, rules: Rules) -> None:
    check_position(text, rules)


@given(st.lists(st.sampled_from(RECORD) | st.binary(max_size=12), max_size=16).map(b"\n".join))
def test_any_file_is_read_or_refused(data: bytes) -> None:
    check_records(data)


# Floods.

FLOODS = [b"x", b"\n", b"\r", b"move A1\n", b"\0", b"info x-a 1\n", b"A1\nA1", b"\xff\n"]


@pytest.mark.parametrize("pattern", FLOODS, ids=ascii)
@pytest.mark.parametrize("dialect", ["dvp", "codecup"])
def test_a_flood_stays_small(dialect: str, pattern: bytes) -> None:
    """In the pieces in which a pipe is read, and beyond the limit; nothing of it is held by the caller."""
    connection = dvp.Connection(Role.ARBITER) if dialect == "dvp" else codecup.Connection(Side.WHITE)
    piece = (pattern * 2_048)[:2_048]
    began = time.process_time()
    tracemalloc.start()
    for _ in range(8 * 2**20 // len(piece) + 1):
        connection.receive(piece)
        if connection.flood:
            break
    for _ in range(200):
        assert connection.receive(piece) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert connection.flood is not None
    assert peak < 4 * 2**20
    assert time.process_time() - began < 20
