"""Games against a bot that does anything: no exception, never a wrong winner, nothing left behind."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings

from arbiter.isolation.proc import keep_descriptor
from arbiter.isolation.tree import become_subreaper
from arbiter.match.bot import Dialect
from arbiter.match.game import GameResult
from arbiter.match.termination import Termination
from arbiter.store.drec import game_record
from arbiter.store.played import COLUMNS, PlayedGame, from_row, to_row
from protocol.records import format_record, scan_records, verify_record
from protocol.rules import Side
from tests.e2e.table import Table
from tests.fuzz.arena import PATIENT, Match, play
from tests.fuzz.judge import judge
from tests.fuzz.scripts import matches

_LATE = {Termination.TIMEOUT, Termination.START}

FEW, MANY = 40, 1_000
PAIRS_FEW, PAIRS_MANY = 12, 200


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    become_subreaper()
    return Table(tmp_path_factory.mktemp("chaos"))


def stored(result: GameResult) -> PlayedGame:
    names = {"white": "a", "black": "b", "white_time": "400+0", "black_time": "120000+0"}
    numbers = dict.fromkeys(("number", "attempt", "round", "game", "pair"), 1)
    texts = {"white_hash": "", "black_hash": "", "clock": "wall", "rules": "standard"}
    return PlayedGame(**numbers, **names, **texts, start=None, seed=0, outcome=result)  # type: ignore[arg-type]


def check_record(match: Match, result: GameResult) -> None:
    """What is stored comes back, and its record replays to the same end."""
    game = stored(result)
    row = dict(zip(COLUMNS, to_row(game), strict=True))
    again = from_row(row)
    assert again.outcome.plies == result.plies
    record = game_record(again)
    if match.start.dpos != type(match.start).start().dpos:
        record = type(record)({**record.headers, "Start": match.start.dpos}, record.plies, record.result)
    (reading,) = scan_records(format_record(record), "chaos")
    assert reading.faults == ()
    assert reading.record is not None
    assert [ply.text for ply in reading.record.plies] == [ply.ply for ply in result.plies]
    assert verify_record(reading.record) == []


def check(table: Table, match: Match) -> GameResult:
    """Play a game and hold it against everything that is known about games."""
    keep_descriptor()  # one is kept from the first game on
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    played = play(table, match)
    judge(played)
    check_record(match, played.result)
    assert table.left_behind() == []
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
    return played.result


def check_twice(table: Table, match: Match) -> None:
    """Without timing in the script, the verdict is always the same, but for a machine that stalls.

    That the bot was late indeed the judge has seen on the tape.
    """
    first, second = (check(table, match) for _ in range(2))
    ends = {first.termination, second.termination}
    if Termination.VOID in ends or (len(ends) == 2 and ends & _LATE):
        return
    assert (first.termination, first.result, first.answer) == (
        second.termination,
        second.result,
        second.answer,
    )
    shorter, longer = sorted(([record.ply for record in one.plies] for one in (first, second)), key=len)
    # When an exit is noticed, the opponent may have played one more ply; a stall may come at any.
    assert longer[: len(shorter)] == shorter
    if not ends & _LATE:
        assert len(longer) - len(shorter) <= (first.termination in (Termination.CRASH, Termination.KILLED))


SETTINGS = settings(
    suppress_health_check=list(HealthCheck), phases=[p for p in Phase if p is not Phase.reuse]
)


@pytest.mark.parametrize("side", list(Side), ids=["white", "black"])
@pytest.mark.parametrize("opponent", list(Dialect))
@pytest.mark.parametrize("dialect", list(Dialect))
def test_without_a_script_it_is_a_bot_without_faults(
    table: Table, dialect: Dialect, opponent: Dialect, side: Side
) -> None:
    result = check(table, Match((), dialect, side, opponent, time=PATIENT))
    assert result.termination is Termination.NORMAL
    assert len(result.plies) > 60


@example(Match((("play", 2), ("turn", b"move K5 ply 999\nMOVE K5\n".hex(), True, ""))))
# Chance seldom finds these: each limit passed, and what is just within.
@example(Match((("play", 2), ("await",), ("repeat", "780a", 10_001)), side=Side.BLACK))
@example(Match((("play", 2), ("await",), ("repeat", "0a", 9_999))))
@example(Match((("play", 2), ("await",), ("repeat", "78", 65_537))))
@example(Match((("play", 2), ("repeat", b"resign now\n".hex(), 12)), opponent=Dialect.CODECUP))
@example(Match((("play", 2), ("repeat", b"resign\n".hex(), 9), ("play", 20))))
@example(Match((("play", 3), ("repeat", "0a", 11_000)), Dialect.CODECUP))
@example(Match((("play", 3), ("await",), ("drip", b"resign\n".hex(), 5))))
@settings(SETTINGS, max_examples=FEW)
@given(matches(is_timed=True))
def test_no_bot_gets_a_wrong_verdict(table: Table, match: Match) -> None:
    check(table, match)


# Its last words have a character that no record may hold.
@example(Match((("stderr", b"a\0b\n".hex()), ("exit", 0))))
@settings(SETTINGS, max_examples=PAIRS_FEW)
@given(matches(is_timed=False))
def test_a_script_without_timing_always_has_the_same_verdict(table: Table, match: Match) -> None:
    check_twice(table, match)


@pytest.mark.sweep
@settings(SETTINGS, max_examples=MANY, derandomize=False, database=None)
@given(matches(is_timed=True))
def test_many_bots_get_no_wrong_verdict(table: Table, match: Match) -> None:
    check(table, match)


@pytest.mark.sweep
@settings(SETTINGS, max_examples=PAIRS_MANY, derandomize=False, database=None)
@given(matches(is_timed=False))
def test_many_scripts_without_timing_always_have_the_same_verdict(table: Table, match: Match) -> None:
    check_twice(table, match)
