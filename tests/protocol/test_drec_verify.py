"""Replaying records and finding every contradiction in them, changes at random included."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from arbiter.match.termination import Termination
from protocol.errors import RecordError
from protocol.records import (
    RESULTS,
    TERMINATIONS,
    Record,
    RecordedPly,
    format_record,
    read_records,
    replay,
    replay_until_fault,
    verify_record,
)
from protocol.rules import Position, Side, parse_dpos
from tests.protocol.drec_samples import (
    EXAMPLE,
    broken_off,
    finished,
    golden_games,
    substituted,
    with_comment,
    with_header,
)
from tests.protocol.oracle import SPACES, Oracle

SETUP = "........w/....w4*b2..b3./.......b3w7*../......b3.../......... w m"


def found(record: Record) -> list[str]:
    return [fault.text.removeprefix("game 1") for fault in verify_record(record)]


def with_result(record: Record, result: str) -> Record:
    return replace(with_header(record, Result=result), result=result)


def with_plies(record: Record, *texts: str) -> Record:
    return replace(record, plies=tuple(map(RecordedPly, texts)))


def without(record: Record, *names: str) -> Record:
    return replace(record, headers={k: v for k, v in record.headers.items() if k not in names})


# --- replaying ---------------------------------------------------------------------------------------------


def test_replay_gives_the_position_before_ply_1_and_after_each() -> None:
    record = finished(0)
    positions = replay(record)
    assert positions[0] == Position.start()
    assert len(positions) == len(record.plies) + 1
    assert [len(p.legal_plies()) for p in positions[:-1]] == golden_games()[0]["legal_counts"]
    assert positions[-1].is_over


def test_replay_from_a_start_header() -> None:
    record = with_plies(with_header(finished(0), Start=SETUP, Rules="black-first"), "F4J4")
    assert replay(record)[0].dpos == parse_dpos(SETUP).dpos
    assert replay(record)[1].rules == "black-first"


def test_replay_stops_at_the_first_fault() -> None:
    (record,) = read_records(EXAMPLE.replace("G1 D5", "G1 G1"), "file")
    positions, fault = replay_until_fault(record)
    assert (len(positions), fault and fault.ply, fault and fault.line) == (4, 4, 11)
    with pytest.raises(RecordError, match=r"^file:11: game 1, ply 4: illegal \(.*\): G1") as error:
        replay(record)
    assert error.value.line == 11


# --- what is consistent ------------------------------------------------------------------------------------


def test_every_golden_game_is_consistent() -> None:
    for index in range(len(golden_games())):
        assert verify_record(finished(index)) == []


@pytest.mark.parametrize(
    "record",
    [
        broken_off(0, 0, "1-0", "start"),
        broken_off(0, 0, "0-1", "start"),
        broken_off(0, 7, "1-0", "timeout"),
        broken_off(0, 8, "0-1", "timeout"),
        broken_off(0, 49, "0-1", "timeout"),
        broken_off(0, 60, "1-0", "crash"),
        broken_off(0, 60, "0-1", "killed"),
        broken_off(0, 61, "*", "void"),
        replace(broken_off(0, 61, "0-1", "resign"), resigned=True),
        broken_off(0, 61, "0-1", "resign"),
        replace(broken_off(0, 61, "1-0", "resign"), resigned=True, closing_comments={"by": "black"}),
        replace(broken_off(0, 61, "0-1", "resign"), resigned=True, closing_comments={"by": "white"}),
        with_comment(broken_off(0, 3, "1-0", "illegal"), 2, illegal="A1K5"),
        with_comment(broken_off(0, 3, "1-0", "illegal"), 2, illegal="pass"),
        with_comment(broken_off(0, 3, "1-0", "syntax"), 2, illegal="A1 K5 {?}"),
        replace(broken_off(0, 0, "0-1", "syntax"), opening_comments={"illegal": "L9"}),
        substituted(0, 4),
        substituted(2, 55),
        with_comment(with_header(substituted(0, 4), Termination="illegal"), 3, illegal="PASS"),
        with_comment(with_header(substituted(0, 4), Termination="illegal"), 4, illegal="PASS"),
        without(finished(1), "Termination", "Score", "Date", "TimeControl"),
        without(broken_off(0, 9, "1-0", ""), "Termination"),
        without(broken_off(0, 9, "*", ""), "Termination"),
        without(replace(broken_off(0, 9, "1-0", ""), resigned=True), "Termination"),
        with_header(finished(0), Date="2026-11-29", TimeControl="-", WhiteTime="5000+0 movetime:200"),
        with_header(finished(0), Date="2026-11-29T21:10Z", TimeControl="movetime:200", Number="12"),
    ],
)
def test_consistent_records(record: Record) -> None:
    assert found(record) == []


def test_terminations_are_those_of_the_arbiter() -> None:
    assert set(TERMINATIONS) == {str(termination) for termination in Termination}


# --- what is not -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record, expected",
    [
        # headers
        (with_header(finished(0), Game="Chess"), ': header Game "Chess": should be DVONN'),
        (with_header(finished(0), Date="29.11.2026"), ': header Date "29.11.2026": should be ISO'),
        (with_header(finished(0), Date="2026-11-29T21:10:03"), ": header Date"),
        (with_header(finished(0), Date="2026-13-29"), ": header Date"),
        (with_header(finished(0), Score="12:12"), ': header Score "12:12": should be like 15-6'),
        (with_header(finished(0), TimeControl="5s"), ': header TimeControl "5s": should be like 5000+100'),
        (with_header(finished(0), BlackTime="5000"), ': header BlackTime "5000"'),
        (with_header(finished(0), Number="one"), ': header Number "one": should be a whole number'),
        (with_header(finished(0), Termination="mate"), ': header Termination "mate": unknown (known: normal'),
        (with_header(finished(0), Rules="house"), ': header Rules "house": unknown rules (known: standard'),
        (with_header(finished(0), Start="x w m"), ': header Start "x w m": '),
        # plies
        (with_plies(finished(0), "A1", "A1"), ", ply 2: illegal ("),
        (with_plies(finished(0), "A1", "B1", "A1B1"), ", ply 3: illegal ("),
        (with_plies(finished(0), "A1", "Z9"), ", ply 2: syntax: 'Z9' is not a ply"),
        (
            replace(finished(0), plies=(*finished(0).plies, RecordedPly("PASS"))),
            ", ply 79: PASS after the end: after ply 78 neither side could move",
        ),
        # score and result of a finished game
        (with_header(finished(0), Score="13-12"), ': header Score "13-12": the board says 12-12'),
        (with_result(finished(0), "1-0"), ": result: 1-0, but the game ended 12-12, which is 1/2-1/2"),
        (with_header(finished(0), Result="1-0"), ": result: 1/2-1/2 after the plies, but header Result"),
        (without(with_result(finished(0), "1-0"), "Termination"), ": result: 1-0, but the game ended"),
        (without(with_result(finished(0), "*"), "Termination"), ": result: *, but the game ended"),
        # terminations
        (
            broken_off(0, 9, "1-0", "normal"),
            ': header Termination "normal": but the game is not over after ply 9, Black is to',
        ),
        (broken_off(0, 9, "0-1", "timeout"), ": result: 0-1, but termination timeout can only be the fault"),
        (broken_off(0, 9, "1/2-1/2", "timeout"), ": result: termination timeout means that one side lost"),
        (broken_off(0, 9, "*", "crash"), ": result: termination crash means that one side lost"),
        (broken_off(0, 9, "1-0", "void"), ": result: a void game has the result *, not 1-0"),
        (
            replace(broken_off(0, 9, "1-0", "timeout"), resigned=True),
            ': header Termination "timeout": but the plies end with `resign`',
        ),
        (
            without(replace(broken_off(0, 9, "0-1", ""), resigned=True), "Termination"),
            ": result: 0-1, but termination resign can only be the fault of the side to move, B",
        ),
        (
            replace(broken_off(0, 61, "0-1", "resign"), resigned=True, closing_comments={"by": "black"}),
            ": result: 0-1, but the record says that black resigned",
        ),
        (
            replace(broken_off(0, 61, "1-0", "resign"), closing_comments={"by": "black"}),
            ": result: 1-0, but termination resign can only be the fault of the side to move, W",
        ),
        (with_header(finished(1), Termination="crash"), ": crash, but the game was over after ply 86"),
        # offending answers
        (
            with_comment(broken_off(0, 3, "1-0", "illegal"), 2, illegal="A1"),
            ", ply 4: the answer A1 is said to be illegal, but it is legal",
        ),
        (
            with_comment(broken_off(0, 3, "1-0", "illegal"), 2, illegal="huh"),
            ", ply 4: the answer huh is no ply, so it is syntax",
        ),
        (
            with_comment(broken_off(0, 3, "1-0", "syntax"), 2, illegal="A1K5"),
            ", ply 4: the answer A1K5 is a ply, so it is illegal",
        ),
        (
            with_comment(broken_off(0, 3, "1-0", "timeout"), 2, illegal="A1K5"),
            ", ply 4: the offending answer A1K5, but termination timeout",
        ),
        (
            with_comment(broken_off(0, 3, "1-0", "illegal"), 1, illegal="A1K5"),
            ", ply 3: the answer A1K5 is said to have lost the game, but the bot played on",
        ),
        # games finished for a bot that failed
        (with_header(substituted(0, 4), Termination="normal"), ", ply 5: a substituted ply, but termination"),
        (with_result(substituted(0, 4), "1-0"), ", ply 5: substituted for White, but result 1-0 is no loss"),
        (
            with_comment(substituted(0, 4), 4, substitute="yes"),
            ", ply 5: substitute=yes: only substitute=1 has a meaning",
        ),
        (
            with_comment(substituted(0, 4), 5, substitute="1"),
            ", ply 6: K5 is marked as substituted, but the first legal ply is A2",
        ),
    ],
)
def test_each_contradiction_is_named(record: Record, expected: str) -> None:
    faults = found(record)
    assert len(faults) == 1
    assert faults[0].startswith(expected)


def test_substituted_plies_are_marked_and_the_first_legal_ones() -> None:
    record = substituted(0, 4)
    plies = list(record.plies)
    plies[6] = RecordedPly(plies[6].text)
    unmarked = replace(record, plies=tuple(plies))
    assert found(unmarked) == [", ply 7: not marked {substitute=1}, though White failed before"]
    cut = replace(without(record, "Score"), plies=record.plies[:12])
    assert found(cut) == [", ply 12: the record stops, but a game with substituted plies goes on to its end"]


def test_all_contradictions_are_reported_with_their_lines() -> None:
    text = EXAMPLE.replace("1-1", "0-1").replace("timeout", "void").replace("1500+0", "1s")
    (record,) = read_records(text.replace("F4 {", "F4 {illegal=A1 "), "f")
    assert [str(fault).split(": ")[0:2] for fault in verify_record(record)] == [
        ["f:10", "game 1"],
        ["f:12", "game 1"],
        ["f:8", "game 1"],
        ["f:11", "game 1, ply 3"],
    ]


# --- changes at random -------------------------------------------------------------------------------------


def is_consistent(record: Record) -> bool:
    """A second, plain judgement, by the other implementation of the rules."""
    game = Oracle()
    for ply in record.plies:
        if ply.text not in game.legal():
            return False
        game.play(ply.text)
    score = [sum(len(s) for s in game.stacks.values() if s[-1] == side) for side in "WB"]
    result, termination, over = record.result, record.headers["Termination"], not game.legal()
    if result != record.headers["Result"] or record.headers["Score"] != f"{score[0]}-{score[1]}":
        return False
    if record.resigned and termination != "resign":
        return False
    by_score = RESULTS[0 if score[0] > score[1] else 1 if score[0] < score[1] else 2]
    to_move_lost = result == {"W": "0-1", "B": "1-0"}[game.mover]
    answer = next((p.comments["illegal"] for p in record.plies[-1:] if "illegal" in p.comments), None)
    if answer is not None:
        kind = "illegal" if len(answer) in (2, 4) and answer[:2] in SPACES else "syntax"
        if termination != kind or answer in game.legal():
            return False
    match termination:
        case "normal":
            return over and result == by_score
        case "void":
            return result == "*"
        case "resign" | "timeout" | "illegal" | "syntax":
            return not over and to_move_lost
    return not over and result in ("1-0", "0-1")


def change_ply(record: Record, chance: random.Random) -> Record:
    plies = list(record.plies)
    index = chance.randrange(len(plies))
    if index > 0 and chance.random() < 0.7:
        # Most arbitrary plies are plainly illegal; the legal ones are what could slip through.
        position = replay(replace(record, plies=record.plies[:index]))[-1]
        text = chance.choice(position.legal_plies()).text
    else:
        text = chance.choice([*SPACES, "PASS", chance.choice(SPACES) + chance.choice(SPACES)])
    plies[index] = RecordedPly(text, plies[index].comments)
    return replace(record, plies=tuple(plies))


def drop_or_double_ply(record: Record, chance: random.Random) -> Record:
    plies = list(record.plies)
    index = chance.choice([len(plies) - 1, chance.randrange(len(plies))])
    plies[index : index + 1] = [plies[index]] * chance.choice([0, 2])
    return replace(record, plies=tuple(plies))


def change_score(record: Record, chance: random.Random) -> Record:
    white, black = map(int, record.headers["Score"].split("-"))
    white, black = chance.choice([(white + 1, black), (white, black + 1), (black, white), (0, 0)])
    return with_header(record, Score=f"{white}-{black}")


def change_result(record: Record, chance: random.Random) -> Record:
    result = chance.choice(RESULTS)
    changes: list[Callable[[], Record]] = [
        lambda: with_result(record, result),
        lambda: with_header(record, Result=result),
        lambda: replace(record, result=result),
    ]
    return chance.choice(changes)()


def change_termination(record: Record, chance: random.Random) -> Record:
    return with_header(record, Termination=chance.choice(TERMINATIONS))


CHANGES = [change_ply, drop_or_double_ply, change_score, change_result, change_termination]


def random_record(chance: random.Random) -> Record:
    index = chance.randrange(len(golden_games()))
    whole = finished(index)
    if chance.random() < 0.3:
        return whole
    count = chance.randrange(1, len(whole.plies))
    mover = replay(replace(whole, plies=whole.plies[:count]))[-1].to_move
    lost = {Side.WHITE: "0-1", Side.BLACK: "1-0"}[mover]
    kind = chance.choice(["timeout", "resign", "illegal", "syntax", "crash", "void"])
    if kind == "void":
        return broken_off(index, count, "*", "void")
    if kind == "crash":
        return broken_off(index, count, chance.choice(["1-0", "0-1"]), "crash")
    record = broken_off(index, count, lost, kind)
    if kind == "resign":
        return replace(record, resigned=chance.random() < 0.5)
    answers = {"illegal": "A1K5", "syntax": "hello there", "timeout": None}
    answer = answers[kind] if chance.random() < 0.5 else None
    return record if answer is None else with_comment(record, count - 1, illegal=answer)


@pytest.mark.parametrize("rounds", [30, pytest.param(1500, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_found_exactly_when_it_makes_the_record_inconsistent(
    change: Callable[[Record, random.Random], Record], rounds: int
) -> None:
    chance = random.Random(change.__name__)
    inconsistent = 0
    for _ in range(rounds):
        record = random_record(chance)
        assert verify_record(record) == []
        changed = change(record, chance)
        (again,) = read_records(format_record(changed), "f")
        faults = verify_record(again)
        assert bool(faults) != is_consistent(changed), format_record(changed)
        inconsistent += bool(faults)
    assert inconsistent > rounds / 4
