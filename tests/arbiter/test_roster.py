"""Bots of one name in several directories: the same program is the same bot, another one is not."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.rating.table import LeagueTable
from arbiter.store import League
from arbiter.tournament import fingerprint
from arbiter.tournament.roster import Roster
from arbiter.tournament.standings import league_table
from arbiter.tournament.versions import enter_versions
from tests.arbiter.test_store import game

A, B, C = ("a" * 16, "b" * 16, "c" * 16)


class Months:
    """Directories, each with the games of one league."""

    def __init__(self, top: Path, stack: ExitStack) -> None:
        self.top, self._stack = top, stack
        self.leagues: list[League] = []

    def play(self, name: str, *programs: str, kind: int = fingerprint.KIND, anchor: str = "") -> None:
        """A league in which ``m`` had these programs, one after the other, and White against ``x``."""
        (self.top / name).mkdir()
        league = self._stack.enter_context(League.open_for_writing(self.top / name))
        self.leagues.append(league)
        for number, program in enumerate(programs, start=1):
            hashes = {"m": program, "x": C}
            league.put(fingerprints=fingerprint.KIND, anchor=[anchor, 0] if anchor else None)
            list(enter_versions(league, hashes, dict.fromkeys(hashes, ()), ("m",)))
            league.set_bots((bot, each, "", None) for bot, each in hashes.items())
            league.add([replace(game(number), white="m", black="x")])
        league.put(fingerprints=kind)

    def table(self, only: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> LeagueTable:
        return league_table(self.leagues, only, exclude)


@pytest.fixture
def months(tmp_path: Path) -> Iterator[Months]:
    with ExitStack() as stack:
        yield Months(tmp_path, stack)


def games(table: LeagueTable) -> dict[str, int]:
    return {row.bot: row.games for row in table.rows}


def told(table: LeagueTable) -> list[str]:
    return [note for note in table.notes if "program" in note]


def test_an_unchanged_program_is_one_bot_through_all_months(months: Months) -> None:
    for name in ("may", "june", "july"):
        months.play(name, A)
    assert games(months.table()) == {"m": 3, "x": 3}
    assert told(months.table()) == []


def test_programs_of_one_name_have_rows_of_their_own(months: Months) -> None:
    for name, program in (("may", A), ("june", B), ("july", A)):
        months.play(name, program)
    assert games(months.table()) == {"m@aaaaaaaa": 2, "m@bbbbbbbb": 1, "x": 3}
    assert told(months.table()) == [
        "m is 2 programs, told apart by hash: m@aaaaaaaa in may and 1 more; m@bbbbbbbb in june."
    ]


def test_a_version_that_was_replaced_is_the_program_that_it_was(months: Months) -> None:
    months.play("may", A)
    months.play("june", A, B)
    table = months.table()
    assert games(table) == {"m@aaaaaaaa": 2, "m@bbbbbbbb": 1, "x": 3}
    # In June it gave its name away, but in May it is there.
    assert table.retired == {}
    months.play("july", C)
    assert games(months.table()) == {"m@aaaaaaaa": 2, "m@bbbbbbbb": 1, "m@cccccccc": 1, "x": 4}


def test_directories_that_agree_about_the_program_keep_the_name(months: Months) -> None:
    months.play("may", A, B)
    months.play("june", B)
    table = months.table()
    assert games(table) == {"m": 2, "m@aaaaaaaa": 1, "x": 3}
    assert table.retired == {"m@aaaaaaaa": "its program changed"}
    assert len(told(table)) == 1  # that it plays no more


def test_a_name_chooses_all_its_programs_and_a_hash_one_of_them(months: Months) -> None:
    months.play("may", A)
    months.play("june", B)
    assert Roster(months.leagues).known == {"m", "m@aaaaaaaa", "m@bbbbbbbb", "x"}
    assert games(months.table(only=("m", "x"))) == {"m@aaaaaaaa": 1, "m@bbbbbbbb": 1, "x": 2}
    assert games(months.table(only=("m@bbbbbbbb", "x"))) == {"m@bbbbbbbb": 1, "x": 1}
    assert games(months.table(exclude=("m@bbbbbbbb",))) == {"m@aaaaaaaa": 1, "x": 1}
    alone = months.table(exclude=("m",))
    assert games(alone) == {"x": 0}
    assert told(alone) == []


def test_hashes_of_different_kinds_tell_nobody_apart(months: Months) -> None:
    months.play("may", A, kind=fingerprint.KIND - 1)
    months.play("june", B)
    assert games(months.table()) == {"m": 2, "x": 2}
    assert told(months.table()) == ["m may be several programs: the hashes were made in different ways."]


def test_the_anchor_is_the_program_that_it_was(months: Months) -> None:
    months.play("may", A, anchor="m")
    months.play("june", B)
    anchor = months.table().anchor
    assert anchor is not None
    assert anchor.bot == "m@aaaaaaaa"
    assert months.table(exclude=("m@aaaaaaaa",)).anchor is None


def test_an_annulled_game_is_told_where_its_bots_are(months: Months) -> None:
    months.play("may", A)
    months.play("june", B)
    months.leagues[0].annul(1, "a power cut", "2026-05-01", replay=False)
    (annulled,) = months.table().annulled
    assert (annulled.white, annulled.black) == ("m@aaaaaaaa", "x")
    without = months.table(exclude=("m@aaaaaaaa",))
    assert without.annulled == ()
    assert not any("annulled" in note for note in without.notes)
