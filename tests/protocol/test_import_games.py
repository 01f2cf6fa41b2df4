"""Any game by the rules comes back from each foreign format as it was; nothing that is spoiled does harm."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.records import Reading, Record, format_record, read_records, verify_record
from protocol.records.formats import Format, decode_foreign, recognise, scan_foreign
from protocol.text import CONTROLS
from tests.protocol.drec_samples import golden_games
from tests.protocol.foreign_samples import (
    Writer,
    boardspace,
    codecup,
    deeds,
    little_golem,
    positions,
    random_game,
    sgf,
)

GOLDEN = Path(__file__).parents[3] / "shared" / "golden" / "boardspace"
WRITERS: dict[Format, Writer] = {
    Format.BOARDSPACE: boardspace,
    Format.LITTLE_GOLEM: little_golem,
    Format.CODECUP: codecup,
}
SEEDS = st.integers(0, 2**32)


def readings(data: bytes) -> list[Reading]:
    text = decode_foreign(data, "f")
    form = recognise(text)
    return list(scan_foreign(text, "f", form)) if form else []


def read_one(text: str) -> Record:
    (reading,) = readings(text.encode())
    assert (reading.faults, reading.warnings) == ((), ())
    assert reading.record is not None
    assert verify_record(reading.record) == []
    return reading.record


def texts(record: Record) -> tuple[str, ...]:
    return tuple(ply.text for ply in record.plies)


@pytest.mark.parametrize("form", WRITERS)
@given(seed=SEEDS, cut=st.none() | st.integers(1, 90))
def test_a_game_comes_back_from_every_format(form: Format, seed: int, cut: int | None) -> None:
    chance = random.Random(seed)
    plies = random_game(chance, cut)
    record = read_one(WRITERS[form](plies, chance))
    final = positions(plies)[-1]
    assert texts(record) == plies
    assert record.headers["White"] == "Ann"
    assert record.headers["Score"] == f"{final.score.white}-{final.score.black}"
    assert (record.headers.get("Termination") == "normal") is final.is_over
    assert (record.result == "*") is not final.is_over


@pytest.mark.parametrize("form", WRITERS)
@given(seeds=st.lists(SEEDS, min_size=2, max_size=4))
@settings(max_examples=30)
def test_games_in_one_file_are_told_apart(form: Format, seeds: list[int]) -> None:
    games = [random_game(random.Random(seed)) for seed in seeds]
    chance = random.Random(len(seeds))
    text = "\n".join(WRITERS[form](plies, chance) for plies in games)
    found = [reading.record for reading in readings(text.encode())]
    assert [texts(record) if record else None for record in found] == games
    assert [record.game for record in found if record] == list(range(1, len(games) + 1))


@given(seed=SEEDS, cut=st.integers(0, 80), player=st.integers(0, 1))
def test_either_player_resigns_at_any_time(seed: int, cut: int, player: int) -> None:
    chance = random.Random(seed)
    plies = random_game(chance, cut)
    record = read_one(boardspace(plies, chance, end=f"\n; P{player}[resign]\n; P{player}[done]"))
    final = positions(plies)[-1]
    assert texts(record) == plies
    if final.is_over:
        assert record.headers["Termination"] == "normal"
    else:
        assert (record.result, record.resigned) == (["0-1", "1-0"][player], True)
        assert record.headers["Termination"] == "resign"
        named = {} if final.to_move == player else {"by": ["white", "black"][player]}
        assert record.closing_comments == named


def test_games_known_to_be_right_come_back() -> None:
    for index, game in enumerate(golden_games()[:40]):
        chance = random.Random(index)
        for writer in WRITERS.values():
            record = read_one(writer(game["moves"], chance))
            assert list(texts(record)) == game["moves"]
            assert record.headers["Score"] == f"{game['white']}-{game['black']}"


@pytest.mark.skipif(not GOLDEN.is_dir(), reason="the samples of real files are not here")
def test_real_files_of_boardspace() -> None:
    expected = json.loads((GOLDEN / "expected.json").read_text())
    for entry in expected:
        record = read_one((GOLDEN / entry["file"]).read_text())
        assert list(texts(record)) == entry["moves"], entry["file"]
        assert record.headers["Score"] == f"{entry['white']}-{entry['black']}"
        assert (record.headers["Termination"] == "normal") is entry["over"]
        assert record.resigned is ("resign" in entry["tags"])
        (again,) = read_records(format_record(record), "f")
        assert (again, verify_record(again)) == (record, [])
    assert len(expected) == 18


# --- spoiled files -----------------------------------------------------------------------------------------

PIECES = [bytes([each]) for each in b'[]();{}#\\"\n \0\xff'] + [b"P1[", b"A5", b"pass", b"1."]


def spoil(data: bytes, chance: random.Random) -> bytes:
    """The same with a few bytes changed, parts doubled or lost, and lines moved."""
    for _ in range(chance.choice([1, 1, 2, 5])):
        at, size = chance.randrange(len(data) + 1), chance.choice([1, 1, 3, 40, len(data)])
        part = data[at : at + size]
        put = chance.choice([b"", b"", part * 2, chance.choice(PIECES), bytes([chance.randrange(256)])])
        data = data[:at] + put + data[at + size :]
        if chance.random() < 0.3:
            lines = data.split(b"\n")
            lines.insert(chance.randrange(len(lines)), lines.pop(chance.randrange(len(lines))))
            data = b"\n".join(lines)
    return data


def check(data: bytes) -> None:
    """Each game is in order or has a fault with its place; one in order stays so when written."""
    for reading in readings(data.replace(b"\0", b"")):
        assert (reading.record is None) is bool(reading.faults)
        for fault in (*reading.faults, *reading.warnings):
            assert 1 <= fault.line <= data.count(b"\n") + data.count(b"\r") + 1
            assert len(fault.message) < 500
            assert not CONTROLS.search(fault.message)
        if reading.record is not None:
            assert verify_record(reading.record) == []
            (again,) = read_records(format_record(reading.record), "f")
            assert (again, verify_record(again)) == (reading.record, [])


def run_spoiled(rounds: int) -> int:
    imported = 0
    for number in range(rounds):
        chance = random.Random(number)
        form = chance.choice(list(WRITERS))
        plies = random_game(chance, chance.choice([None, chance.randrange(80)]))
        data = spoil(WRITERS[form](plies, chance).encode(), chance)
        try:
            check(data)
        except Exception as error:
            error.add_note(f"in round {number}")
            raise
        imported += 1
    return imported


def test_spoiled_files_give_faults_and_nothing_else() -> None:
    assert run_spoiled(400) == 400


@pytest.mark.sweep
def test_many_spoiled_files() -> None:
    assert run_spoiled(20_000) == 20_000


@given(st.binary(max_size=300))
def test_arbitrary_bytes(data: bytes) -> None:
    check(data)
    check(b"(;GM[Dvonn]" + data)
    check(b"Event [x] 1. a1 " + data)
    check(b"A1 B1\n" + data)
    assert readings(b"") == []


def test_every_beginning_of_a_file_is_named_or_understood() -> None:
    data = sgf(deeds(random_game(random.Random(5)))).encode()
    for end in range(0, len(data), 3):
        check(data[:end])
    assert readings(data)[0].record is not None
