"""The results database: what goes in comes out, and what goes wrong is said."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.match.clock import ClockUse, Spent
from arbiter.match.fault import Code, Fault
from arbiter.match.game import BotReport, GameResult, PlyRecord
from arbiter.match.termination import Termination
from arbiter.match.wording import describe
from arbiter.store import League, PlayedGame, StoreError, fault_of
from arbiter.store.drec import game_record
from arbiter.tournament.outcomes import outcome_of_row
from protocol.records import format_record, read_records, verify_record
from protocol.rules import Position, Score, Side, parse_ply


def report(stderr: str = "") -> BotReport:
    return BotReport({"name": "Bot é"}, stderr, ("odd: {x}",), ClockUse(2, 3, 4, 5, 6, 7, 1))


def game(number: int = 1, attempt: int = 1, **changes: object) -> PlayedGame:
    """Three placements, then White gives up on time."""
    position, plies = Position.start(), []
    for text in ("A1", "B1", "C1"):
        position = position.play(parse_ply(text))
        plies.append(
            PlyRecord(
                text,
                1_234_567,
                4_000_000_000,
                Spent(1_234_567, 1_000_000, 5_400),
                {"depth": "3", "string": "a b {c}"},
            )
        )
    outcome = GameResult(
        result="1-0",
        termination=Termination.TIMEOUT,
        words="no answer within 50 ms",
        offender=Side.BLACK,
        plies=tuple(plies),
        answer=None,
        score=position.score,
        final=position.dpos,
        white=report(),
        black=report("trace\nback"),
        started_at="2026-11-29T21:10:03+00:00",
        seconds=1.5,
    )
    outcome = replace(outcome, **changes)  # type: ignore[arg-type]
    return PlayedGame(
        number=number,
        attempt=attempt,
        round=1,
        game=number,
        pair=(number + 1) // 2,
        white="one",
        black="two",
        white_time="5000+0",
        black_time="5000+0",
        white_hash="aa",
        black_hash="bb",
        clock="wall",
        rules="standard",
        start=None,
        seed=7,
        outcome=outcome,
    )


def void(number: int, attempt: int) -> PlayedGame:
    return game(number, attempt, result="*", termination=Termination.VOID, offender=None)


def test_games_come_back_as_they_were(tmp_path: Path) -> None:
    games = [game(2), game(1), game(3, offender=Side.WHITE, result="0-1", answer="?", score=Score(3, 4))]
    with League.open_for_writing(tmp_path) as league:
        league.add(games)
    with League.open_for_reading(tmp_path) as league:
        assert list(league.games()) == sorted(games, key=lambda g: g.number)


CRASH = Fault(Code.EXITED, {"status": 3, "level": "none", "last_words": "ünd aus"})
FAULTS = [
    Fault(Code.RESIGNED),
    Fault(
        Code.MACHINE_LATE,
        {"side": "white", "used": 9, "over": 1, "limit": 8, "machine": 2, "culprit": "black"},
    ),
    Fault(Code.ENDED_BEFORE, {"wanted": "dvpok", "end": CRASH}),
    Fault(
        Code.BOTH, {"white": CRASH, "black": Fault(Code.NOT_READY, {"wanted": "readyok", "must_pass": False})}
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault.code))
def test_why_a_game_ended_comes_back_as_data_and_stands_there_in_words(tmp_path: Path, fault: Fault) -> None:
    with League.open_for_writing(tmp_path) as league:
        league.add([game(1, fault=fault, words="")])
        (back,) = league.games()
    assert back.outcome.fault == fault
    with closing(sqlite3.connect(tmp_path / "league.db")) as connection:
        assert connection.execute("SELECT detail FROM games").fetchone() == (describe(fault),)


@pytest.mark.parametrize("stored", ['{"code": "a later one", "x": 1}', '{"code": "late", "x": [1]}'])
def test_what_a_later_arbiter_alone_understands_is_told_in_its_words(tmp_path: Path, stored: str) -> None:
    with League.open_for_writing(tmp_path) as league:
        league.add([game(1)])
    with closing(sqlite3.connect(tmp_path / "league.db")) as connection, connection:
        connection.execute("UPDATE games SET fault = ?", (stored,))
    with League.open_for_reading(tmp_path) as league:
        (back,) = league.games()
        (brief,) = league.brief_games()
    assert (back.outcome.fault, back.outcome.detail) == (None, "no answer within 50 ms")
    assert outcome_of_row(brief, tmp_path).detail == "no answer within 50 ms"


def late(number: int, attempt: int) -> PlayedGame:
    return game(number, attempt, result="*", termination=Termination.VOID, offender=None, fault=FAULTS[1])


def test_every_attempt_is_there_with_why_it_ended_in_the_order_of_ending(tmp_path: Path) -> None:
    with League.open_for_writing(tmp_path) as league:
        league.add([void(2, 1), game(1), void(2, 2), void(3, 1)])
        league.add([late(2, 3), late(3, 2)])
        league.annul(3, "a test", "2026-11-29T21:10:03+00:00", replay=True)
        league.add([void(3, 3)])
        ended = [(row["number"], row["attempt"]) for row in league.endings()]
        assert ended == [(2, 1), (1, 1), (2, 2), (3, 1), (2, 3), (3, 3)]
        assert [fault_of(row) for row in league.endings()][-2:] == [FAULTS[1], None]
        # The annulled one is none that was void.
        assert [(row["number"], row["attempt"]) for row in league.replayed_games()] == [
            (2, 1),
            (2, 2),
            (3, 1),
        ]


def test_the_last_attempt_is_the_one_that_counts(tmp_path: Path) -> None:
    with League.open_for_writing(tmp_path) as league:
        league.add([void(1, 1), game(1, 2), void(2, 1)])
        assert [(g.number, g.attempt) for g in league.games()] == [(1, 2), (2, 1)]
        assert [row["termination"] for row in league.brief_games()] == ["timeout", "void"]
        assert list(league.attempts()) == [(1, 2, 1, True), (2, 1, 1, False)]


def test_a_group_of_games_is_stored_whole_or_not_at_all(tmp_path: Path) -> None:
    with League.open_for_writing(tmp_path) as league:
        league.add([game(1)])
        with pytest.raises(StoreError, match="UNIQUE"):
            league.add([game(2), game(1)])
        assert [g.number for g in league.games()] == [1]
        league.add([game(2)])
        assert [g.number for g in league.games()] == [1, 2]


@pytest.mark.parametrize("is_new", [True, False])
def test_what_is_committed_survives_a_power_cut(tmp_path: Path, is_new: bool) -> None:
    """As far as the disk keeps its word. No kill of a process can show that, so the setting is looked at."""
    if not is_new:
        with League.open_for_writing(tmp_path):
            pass
    with League.open_for_writing(tmp_path) as league:
        assert league._connection.execute("PRAGMA synchronous").fetchone()[0] == 2
        league.add([game(1)])
        assert not league._connection.in_transaction


def test_one_writer_and_any_readers(tmp_path: Path) -> None:
    with League.open_for_writing(tmp_path) as league:
        with pytest.raises(StoreError, match="another run is using these results"):
            League.open_for_writing(tmp_path)
        league.add([game(1)])
        with League.open_for_reading(tmp_path) as reader:
            assert [g.number for g in reader.games()] == [1]
            league.add([game(2)])
            assert [g.number for g in reader.games()] == [1, 2]
    with League.open_for_writing(tmp_path) as league:
        assert len(list(league.games())) == 2


def test_reading_where_nothing_is(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no results here"):
        League.open_for_reading(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_later_schema_is_refused_by_name(tmp_path: Path) -> None:
    League.open_for_writing(tmp_path).__exit__()
    with sqlite3.connect(tmp_path / "league.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    for opening in (League.open_for_writing, League.open_for_reading):
        with pytest.raises(StoreError, match="written by a later arbiter"):
            opening(tmp_path)


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"\0" * 5000])
def test_a_damaged_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "league.db").write_bytes(content)
    for opening in (League.open_for_writing, League.open_for_reading):
        with pytest.raises(StoreError, match=r"league\.db"):
            opening(tmp_path)
    assert (tmp_path / "league.db").read_bytes() == content


def test_a_damaged_game_is_named(tmp_path: Path) -> None:
    with League.open_for_writing(tmp_path) as league:
        league.add([game(1), game(2)])
    with sqlite3.connect(tmp_path / "league.db") as connection:
        connection.execute("UPDATE games SET facts = x'00' WHERE number = 2")
    connection.close()
    with League.open_for_reading(tmp_path) as league:
        games = league.games()
        assert next(games).number == 1
        with pytest.raises(StoreError, match="game 2 is damaged"):
            next(games)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot keep results here"):
        League.open_for_writing(tmp_path / "file")


def test_facts_and_bots(tmp_path: Path) -> None:
    with League.open_for_writing(tmp_path) as league:
        assert league.get("seed") is None
        league.put(seed=5)
        league.set_bots([("b", "h1", "./b", None), ("a", "h2", "./a", "no cc")])
        league.add([], {"b": "crashed"})
        league.set_bots([("b", "h3", "./b", None), ("a", "h2", "./a", None)])
        league.start_session("2026-11-29T21:10:03+00:00", "box", "{}")
    with League.open_for_reading(tmp_path) as league:
        assert league.get("seed") == 5
        rows = [(r["name"], r["hash"], r["left_out"], r["withdrawn"]) for r in league.bots()]
        assert rows == [("b", "h3", None, "crashed"), ("a", "h2", None, None)]
        assert [session["machine"] for session in league.sessions()] == ["box"]


@pytest.mark.parametrize(
    "stored",
    [
        game(),
        game(termination=Termination.RESIGN, words="", fault=Fault(Code.RESIGNED)),
        game(termination=Termination.ILLEGAL, answer="A1", offender=Side.BLACK),
        game(termination=Termination.SYNTAX, answer="what {now}?", offender=Side.BLACK),
        game(termination=Termination.CRASH, result="0-1", offender=Side.WHITE),
        void(1, 1),
    ],
    ids=lambda g: str(g.outcome.termination),
)
def test_the_record_of_a_stored_game_is_consistent(stored: PlayedGame) -> None:
    text = format_record(game_record(stored, 'Spring ["league"]', "box"))
    (record,) = read_records(text, "stored")
    assert verify_record(record) == []
    assert record.headers["Event"] == 'Spring ["league"]'
    fault = stored.outcome.fault
    assert record.headers.get("Fault") == (None if fault is None else fault.code)
    assert [ply.text for ply in record.plies] == ["A1", "B1", "C1"]
    assert record.plies[0].comments == {
        "used": "2",
        "left": "4000",
        "wall": "1.234",
        "cpu": "1.000",
        "wait": "0.005",
        "depth": "3",
        "string": "a b {c}",
    }
