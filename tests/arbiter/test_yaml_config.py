"""A tournament's place on disk, its canonical form, what changed since, and the schema for editors."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.tournament.config import Differences, differences, slugify
from arbiter.tournament.load import load_tournament
from arbiter.tournament.model import BotModel, TournamentModel, tournament_schema

FILE = """
tournament: Cup
rounds: 2
time: 5s
bots:
  - ./a
  - {name: Mine, run: ./mybot, dir: sub, options: {Hash: 64}, time: 9s}
"""


def canonical(directory: Path, text: str) -> dict[str, Any]:
    file = directory / "cup.yaml"
    file.write_text(text)
    return load_tournament(file).canonical()


@pytest.mark.parametrize(
    "name, slug",
    [
        ("Spring league", "spring-league"),
        ("  Frühjahr / ÉTÉ 1.10 ", "fruhjahr-ete-1-10"),
        ("Straße", "strasse"),
        ("../../etc/passwd", "etc-passwd"),
        ("..", "tournament-5ec1f7e7"),
        ("🏆", "tournament-7b7d2a5a"),
        ("春のリーグ", "春のリーグ"),
        ("007", "007"),
        ("x" * 80, "x" * 60),
    ],
)
def test_slugs(name: str, slug: str) -> None:
    if slug.startswith("tournament-"):
        assert slugify(name).startswith("tournament-")
        assert len(slugify(name)) == len(slug)
    else:
        assert slugify(name) == slug


@given(st.text())
def test_a_slug_is_always_one_plain_directory_name(name: str) -> None:
    slug = slugify(name.encode("utf-8", "ignore").decode())
    assert slug
    assert slug == slug.strip(". ")
    assert not set(slug) & set('/\\\0\n:*?"<>|')
    assert len(slug.encode()) <= 255


def test_the_canonical_form_is_plain_and_does_not_depend_on_the_place(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    first, second = canonical(tmp_path / "one", FILE), canonical(tmp_path / "two", FILE)
    assert first == second == json.loads(json.dumps(first))
    assert str(tmp_path) not in json.dumps(first)
    assert not differences(first, second)


@pytest.mark.parametrize(
    "before, after, expected",
    [
        ("time: 5s", "time: 10s + 1s", (["time: 5s -> 10s + 1s"], [], [])),
        (
            "time: 5s",
            "time: {game: 5s, grace: 0s, start: 20s}",
            (["time: 5s -> 5s, grace 0s, start 20s"], [], []),
        ),
        ("time: 5s", "nodes: 100", (["nodes: nothing -> 100"], [], [])),
        ("rounds: 2", "rounds: 3", ([], ["rounds: 2 -> 3"], [])),
        ("rounds: 2", "rounds: 1", (["rounds: 2 -> 1"], [], [])),
        ("rounds: 2", "rounds: 2\nconcurrency: 4", ([], [], ["concurrency: 1 -> 4"])),
        ("rounds: 2", "rounds: 2\nmax_failures: 9", ([], [], ["max_failures: 3 -> 9"])),
        ("rounds: 2", "rounds: 2\nanchor: {a: 5}", ([], [], ["anchor: nothing -> a: 5.0"])),
        ("rounds: 2", "rounds: 2\nseed: 5", (["seed: nothing -> 5"], [], [])),
        ("rounds: 2", "rounds: 2\nrules: black-first", (["rules: standard -> black-first"], [], [])),
        ("./mybot", "[./mybot, -x]", (["bot `Mine`: run: ./mybot -> ./mybot -x"], [], [])),
        ("dir: sub", "dir: other", (["bot `Mine`: dir: sub -> other"], [], [])),
        ("Hash: 64", "Hash: 65", (["bot `Mine`: options: Hash: 64 -> Hash: 65"], [], [])),
        ("time: 9s", "time: 8s", (["bot `Mine`: time: 9s -> 8s"], [], [])),
        ("time: 9s", "optional: true", (["bot `Mine`: time: 9s -> nothing"], [], [])),
        ("- ./a", "- ./a\n  - ./c", ([], ["bot added: c"], [])),
        ("- ./a", "- ./c", (["bot removed: a"], ["bot added: c"], [])),
        ("Cup", "Cup 2", (["tournament: Cup -> Cup 2"], [], [])),
        ("./mybot", "./mybot  # a remark", ([], [], [])),
    ],
)
def test_differences(tmp_path: Path, before: str, after: str, expected: tuple[list[str], ...]) -> None:
    assert before in FILE
    old, new = canonical(tmp_path, FILE), canonical(tmp_path, _swap(before, after))
    found = differences(json.loads(json.dumps(old)), new)
    assert found == Differences(*expected)
    assert bool(found) == any(expected)


def _swap(before: str, after: str) -> str:
    if "#" in after:
        return FILE + "# a remark\n"
    return FILE.replace(before, after)


def test_another_order_of_the_bots_is_a_difference(tmp_path: Path) -> None:
    old = canonical(tmp_path, "tournament: x\nbots: [./a, ./b, ./c]")
    new = canonical(tmp_path, "tournament: x\nbots: [./a, ./c, ./b]")
    assert differences(old, new) == Differences(["bots in another order: a, c, b"], [], [])


def test_a_seed_that_was_drawn_is_no_difference(tmp_path: Path) -> None:
    new = canonical(tmp_path, FILE)
    assert not differences({**new, "seed": 12345}, new)


def test_the_schema_names_what_is_available_and_nothing_else() -> None:
    schema = tournament_schema()
    keys, bot = schema["properties"], schema["$defs"]["BotModel"]["anyOf"][1]["properties"]
    assert schema["required"] == ["tournament", "bots"]
    assert schema["additionalProperties"] is False
    later = {"reuse", "ponder"}
    assert keys.keys() == TournamentModel.model_fields.keys() - later
    assert bot.keys() == BotModel.model_fields.keys()
    assert all(entry.get("description") for entry in (*keys.values(), *bot.values()))
    assert keys["format"]["enum"] == ["round-robin", "gauntlet", "swiss", "knockout", "sprt"]
    assert (keys["rounds"]["minimum"], keys["rounds"]["maximum"], keys["rounds"]["type"]) == (
        *(1, 10_000_000),
        "integer",
    )
    assert schema["$defs"]["OpeningsModel"]["anyOf"][0]["examples"] == [
        "empty",
        "random",
        "balanced",
        "symmetric",
        "book",
    ]
    assert keys["time"]["default"] == "5s"
    assert "null" not in json.dumps(schema)
