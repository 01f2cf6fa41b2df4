"""Everything that is printed as JSON is as its schema says, and has no key that the schema leaves out."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from arbiter.match.fault import Code
from arbiter.schemas import OUTPUTS, load
from tests.e2e.commands import ODD, QUICK, at_once, entry, quick, write_cup

ROOT = Path(__file__).parents[2]
PAGES = ("crosstable", "pairing", "colour", "opening", "ending", "clock")


def strict(schema: Any) -> Any:
    """The schema without room for keys that it does not name."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(part) for key, part in schema.items()}
    if "properties" in closed and isinstance(closed.get("type", "object"), str | list):
        closed.setdefault("additionalProperties", False)
    return closed


def check(name: str, text: str) -> Any:
    """The document, which has to be as the schema says."""
    document = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    faults = [
        f"{name} at {'/'.join(map(str, fault.absolute_path))}: {fault.message}"
        for fault in Draft202012Validator(strict(load(name))).iter_errors(document)
    ]
    assert faults == []
    return document


def printed(*arguments: str, status: int = 0) -> str:
    done = at_once(*arguments)
    assert done.returncode == status, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Swiss system with a bye, forfeits, a resignation, a bot that is withdrawn and one that is left out,
    and a game that was annulled.
    """
    directory = tmp_path_factory.mktemp("league")
    bots = [
        quick("first"), quick("last", "last"), quick("gives-up", "resign"), quick("crashes", "crash"),
        entry("illegal", f"{ODD} say 'move A1A1\\\\n'"),
        entry("ghost", "./nowhere", optional="true"),
    ]  # fmt: skip
    write_cup(directory, "swiss", bots, "rounds: 4", "max_failures: 2", "anchor: {first: 1500}")
    done = at_once("run", "cup.yaml", "--results", "one", cwd=directory)
    assert done.returncode == 1, done.stderr
    annulled = at_once("annul", "one", "--game", "1", "--why", "a test", cwd=directory)
    assert annulled.returncode == 0
    return directory / "one"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of which no game counts."""
    directory = tmp_path_factory.mktemp("empty")
    write_cup(directory, "sprt", [quick("one", "resign"), quick("two", "last")], "sprt: {max_pairs: 1}")
    assert at_once("run", "cup.yaml", "--results", "one", cwd=directory).returncode == 0
    for number in ("1", "2"):
        assert at_once("annul", "one", "--game", number, "--why", "x", cwd=directory).returncode == 0
    return directory / "one"


def test_schemas_are_schemas_and_say_what_every_key_means() -> None:
    for name in OUTPUTS:
        schema = load(name)
        Draft202012Validator.check_schema(schema)
        assert schema["description"]
        undescribed = [
            key for key, part in properties(schema) if not ("description" in part or "$ref" in part)
        ]
        assert undescribed == [], name


def properties(schema: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
        for part in schema.values():
            yield from properties(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from properties(part)


def test_the_league_table(league: Path, empty: Path) -> None:
    table = check("table", printed("table", str(league), "--format", "json"))
    assert {"retired", "withdrawn", "annulled"} <= table.keys()
    assert [each["name"] for each in table["withdrawn"]]
    assert table["annulled"][0]["why"] == "a test"
    assert any(row["forfeits"] for row in table["bots"])
    nothing = check("table", printed("table", str(empty), "--format", "json"))
    assert (nothing["games"], nothing["draw_share"]) == (0, None)
    assert nothing["test"]["ending"] == "continue"
    several = check("table", printed("table", str(league), str(empty), "--format", "json"))
    assert (several["title"], several["test"]) == (None, None)
    assert len(several["groups"]) == 1 + bool(several["games"] > table["games"])


@pytest.mark.parametrize("page", PAGES)
def test_every_page(league: Path, empty: Path, page: str) -> None:
    view = ["--crosstable"] if page == "crosstable" else ["--by", page]
    sheet = check(page, printed("table", str(league), *view, "--format", "json"))
    assert sheet["rows"]
    assert sheet["rows"][0].keys() == load(page)["properties"]["rows"]["items"]["properties"].keys()
    check(page, printed("table", str(empty), *view, "--format", "json"))
    check(page, printed("table", str(league), str(empty), *view, "--format", "json"))


def test_exported_games(league: Path, empty: Path) -> None:
    games = check("games", printed("export", str(league), "--format", "json"))["games"]
    assert {game["termination"] for game in games} >= {"normal", "resign", "crash", "illegal"}
    assert [game["annulled"] for game in games[:2]] == ["a test", None]
    assert games[0].keys() == load("games")["properties"]["games"]["items"]["properties"].keys()
    check("games", printed("export", str(empty), "--format", "json"))


def test_every_code_of_a_fault_is_in_the_schema() -> None:
    assert set(load("games")["$defs"]["fault"]["properties"]["code"]["enum"]) == set(Code)


def test_ties_and_bots_that_came_back_are_data(tmp_path: Path) -> None:
    bots = [quick("a"), quick("b", "crash"), quick("c", "last"), quick("d", "first x")]
    write_cup(tmp_path, "knockout", bots, "max_failures: 1")
    assert at_once("run", "cup.yaml", "--results", "one", cwd=tmp_path).returncode == 1
    write_cup(tmp_path, "knockout", bots, "max_failures: 9")
    results = str(tmp_path / "one")
    before = check("table", printed("table", results, "--format", "json"))
    exported = check("games", printed("export", results, "--format", "json"))
    assert before["readmitted"] == exported["readmitted"] == []
    assert exported["withdrawn"] == before["withdrawn"]
    assert [each["name"] for each in before["withdrawn"]] == ["b"]
    assert exported["ties"] == before["ties"]
    first, second, final = before["ties"]
    assert (first["round"], first["one"], first["other"]) == (1, "a", "d")
    assert second == {
        "round": 1, "one": "b", "other": "c", "points": [0.0, 1.0], "margin": 0, "open_games": 1,
        "over": True, "winner": "c", "by": "absence",
    }  # fmt: skip
    assert (final["round"], final["over"]) == (2, True)
    only = check("table", printed("table", results, "--only", "b", "--only", "c", "--format", "json"))
    assert only["ties"] == [second]


def test_who_came_back_is_data(tmp_path: Path) -> None:
    write_cup(tmp_path, "round-robin", [quick("a"), quick("b", "crash")], "max_failures: 1")
    run = ("run", "cup.yaml", "--results", "one")
    assert at_once(*run, cwd=tmp_path).returncode == 1
    assert at_once(*run, "--readmit", "b", cwd=tmp_path).returncode == 1
    results = str(tmp_path / "one")
    (back,) = check("table", printed("table", results, "--format", "json"))["readmitted"]
    assert (back["name"], back["forgiven"]) == ("b", [{"number": 1, "attempt": 1}])
    assert back["why"].startswith("failed 1 game, ")
    exported = check("games", printed("export", results, "--format", "json"))
    assert exported["readmitted"] == [back]
    assert exported["ties"] == []
    without = check("table", printed("table", results, "--exclude", "b", "--format", "json"))
    assert without["readmitted"] == []


def test_positions_and_lists_of_games(league: Path) -> None:
    check("records", printed("show", str(league), "--format", "json"))
    check("position", printed("show", str(league), "--game", "1", "--format", "json"))
    check("position", printed("show", str(league), "--game", "5", "--ply", "7", "--format", "json"))
    done = at_once("show", str(league), "--game", "3", "--ply", "7", "--format", "json")
    assert done.stderr.startswith("arbiter: game 3 has no ply 7\n")


def test_what_is_there(tmp_path: Path) -> None:
    check("bots", printed("bots", "--format", "json"))
    done: subprocess.CompletedProcess[str] = at_once("doctor", "--format", "json")
    check("doctor", done.stdout)


def test_the_end_of_a_run(tmp_path: Path) -> None:
    write_cup(tmp_path, "round-robin", [quick("one"), quick("two", "last")])
    run = at_once("run", "cup.yaml", "--results", "one", "--format", "json", cwd=tmp_path)
    check("table", run.stdout)
    match = at_once("match", QUICK, f"{QUICK} last", "--results", "two", "--format", "json", cwd=tmp_path)
    check("table", match.stdout)


# The command


def test_schemas_are_printed_by_name() -> None:
    listed = printed("schema").splitlines()
    assert [line.split()[0] for line in listed] == ["tournament", *OUTPUTS]
    assert all("Later versions" not in line for line in listed)
    for name in OUTPUTS:
        assert json.loads(printed("schema", name)) == load(name)
    assert "did you mean" not in printed("schema", "tournament")
    assert "invalid choice: 'tabel'" in at_once("schema", "tabel").stderr


def test_tournament_files_are_as_their_schema_says() -> None:
    schema = json.loads(printed("schema", "tournament"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    files = sorted((ROOT / "tournaments").glob("*.yaml"))
    assert files
    for file in files:
        assert list(validator.iter_errors(yaml.safe_load(file.read_text()))) == []
    for wrong in (
        {"tournament": "x", "bots": ["./a", "./b"], "rouds": 2},
        {"tournament": "x", "bots": ["./a"]},
        {"tournament": "x", "bots": ["./a", {"name": "b"}]},
        {"tournament": "x", "bots": ["./a", "./b"], "format": "swis"},
        {"tournament": "x", "bots": ["./a", "./b"], "rounds": 0},
        {"bots": ["./a", "./b"]},
    ):
        assert list(validator.iter_errors(wrong))


KEYS = """
tournament: x
format: gauntlet
rounds: 4
challengers: [one]
seed: 7
time: {game: 5s, increment: 100ms, grace: 0s, start: 20s, clock: fair}
openings: {file: book.drec, order: random}
anchor: {one: 1500}
suspend_idle: true
bots:
  - {run: ./a, name: one, options: {Hash: "64"}, time: 1s + 10ms, memory: 1G, optional: true}
  - {run: [python3, b.py], name: two, protocol: codecup, isolation: jail}
"""


def test_every_kind_of_value_is_as_the_schema_says() -> None:
    schema = json.loads(printed("schema", "tournament"))
    document = yaml.safe_load(KEYS)
    assert list(Draft202012Validator(schema).iter_errors(document)) == []
    for part in (
        {"format": "knockout", "best_of": 3, "seeding": "rating"},
        {"format": "sprt", "sprt": {"elo0": 0, "elo1": 5.5, "alpha": 0.01, "model": "normalized"}},
        {"openings": "balanced", "challengers": 2},
    ):
        assert list(Draft202012Validator(schema).iter_errors({**document, **part})) == []
