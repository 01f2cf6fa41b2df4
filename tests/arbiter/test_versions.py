"""Whose name and whose games: programs that change, and come back."""

from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.store import League
from arbiter.tournament import fingerprint
from arbiter.tournament.schedule import Stage
from arbiter.tournament.standings import league_table
from arbiter.tournament.versions import ChangedProgramError, enter_versions, name_at_play
from tests.arbiter.test_store import game

A, B, C = ("a" * 16, "b" * 16, "c" * 16)


def run(
    league: League, hashes: dict[str, str], new: tuple[str, ...] = (), *, games: bool = True
) -> list[str]:
    """One run with these programs: who enters, then one game between the first two; the notices."""
    notices = list(enter_versions(league, hashes, dict.fromkeys(hashes, ()), new))
    league.set_bots((name, program, "", None) for name, program in hashes.items())
    league.put(fingerprints=fingerprint.KIND)
    if games:
        white, black = list(hashes)[:2]
        number = len(list(league.games())) + 1
        league.add([replace(game(number), white=white, black=black)])
        stages = league.get("stages") or []
        league.put(stages=[*stages, Stage(((white, black),), 1, 1).as_json()])
    return notices


def names(league: League) -> dict[str, str]:
    """The bots that play by name, and those that do not in brackets, with their programs."""
    return {
        f"({row['name']})" if row["retired"] else row["name"]: row["hash"]
        for row in league.bots()
        if row["name"] != "x"
    }


def whites(league: League) -> list[str]:
    """Who had White, by the games and by the stages, which agree."""
    found = [each.white for each in league.games()]
    assert [stage["pairings"][0][0] for stage in league.get("stages")] == found
    return found


def test_three_programs_each_keep_their_games_whatever_the_order(tmp_path: Path) -> None:
    with League.open_for_writing(tmp_path) as league:
        for program in (A, B, C, A, C, B, B):
            run(league, {"m": program, "x": C}, ("m",))
        assert names(league) == {"(m@aaaaaaaa)": A, "m": B, "(m@cccccccc)": C}
        assert whites(league) == [
            {A: "m@aaaaaaaa", B: "m", C: "m@cccccccc"}[program] for program in (A, B, C, A, C, B, B)
        ]


def test_a_program_without_games_leaves_no_trace_when_it_goes(tmp_path: Path) -> None:
    with League.open_for_writing(tmp_path) as league:
        run(league, {"m": A, "x": C})
        run(league, {"m": B, "x": C}, ("m",), games=False)
        # Nobody has to be asked: the name stands for no other games.
        assert run(league, {"m": A, "x": C}) == [
            "m: back to the program of m@aaaaaaaa, whose games are its own again"
        ]
        assert names(league) == {"m": A, "(m@bbbbbbbb)": B}
        assert whites(league) == ["m", "m"]
        table = league_table([league])
        assert ([row.bot for row in table.rows], table.retired) == (["m", "x"], {})


def test_the_version_of_another_bot_is_none_of_ones_own(tmp_path: Path) -> None:
    """``a@b`` has versions whose names begin like those of ``a``."""
    with League.open_for_writing(tmp_path) as league:
        run(league, {"m@b": A, "m": C})
        run(league, {"m@b": B, "m": C}, ("m@b",))
        notices = run(league, {"m": A, "m@b": B}, ("m",))
        assert notices == ["m: a new version; its games so far stay under m@cccccccc"]
        assert names(league) == {"(m@b@aaaaaaaa)": A, "(m@cccccccc)": C, "m@b": B, "m": A}


def test_who_is_asked_for_hears_which_programs_were_here_before(tmp_path: Path) -> None:
    with League.open_for_writing(tmp_path) as league:
        run(league, {"m": A, "x": A})
        run(league, {"m": B, "x": A}, ("m",))
        with pytest.raises(ChangedProgramError) as refused:
            run(league, {"m": A, "x": C}, ("x",))
        assert refused.value.names == ("m", "x")
        _, back, new, remedy = str(refused.value).splitlines()
        assert back.endswith("; it played here before, now as m@aaaaaaaa")
        assert (
            new
            == "  x: the program was aaaaaaaa and is now cccccccc, by the content of nothing but its command"
        )
        assert "add --new-version m --new-version x to enter what changed as the bot that it was" in remedy
        assert "before or as a new bot (the old one" in remedy
        assert names(league) == {"(m@aaaaaaaa)": A, "m": B}


def test_a_bot_of_the_file_may_have_the_name_of_a_version(tmp_path: Path) -> None:
    with League.open_for_writing(tmp_path) as league:
        run(league, {"m": A, "x": C})
        run(league, {"m": B, "x": C}, ("m",))
        run(league, {"m": B, "x": C, "m@aaaaaaaa": A})
        assert names(league) == {"m@aaaaaaaa": A, "m": B}


@pytest.mark.parametrize(
    "name, program, expected",
    [
        ("m", A, "m"),
        ("m@aaaaaaaa", A, "m"),
        ("m@aaaaaaaa-2", A, "m"),
        ("m@aaaaaaaa", B, "m@aaaaaaaa"),
        ("m@b@aaaaaaaa", A, "m@b"),
        ("m@", "", "m@"),
    ],
)
def test_the_name_in_the_games(name: str, program: str, expected: str) -> None:
    assert name_at_play(name, program) == expected
