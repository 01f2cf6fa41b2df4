"""Whatever stands in a file: a tournament comes out, or a TournamentFileError with places in the file."""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arbiter.tournament.load import load_tournament
from arbiter.tournament.model import BotModel, TimeModel, TournamentModel
from arbiter.tournament.problems import TournamentFileError

KEYS = sorted({key for model in (TournamentModel, BotModel, TimeModel) for key in model.model_fields})
VALUES = [
    "4", "0", "-1", "010", "no", "none", "true", "false", "5s", "5s + 100ms", "1:30", ".5", "x", "", "~",
    "swiss", "round-robin", "wall", "cpu", "./a", "./b c", "'", '"a', "sample:greedy", "sample:",
    "sample:x", "codecup:", "codecup:./a", "codecup:sample:greedy", "~nobody/x", "a\x00b", "a\nb", "&&",
    "\\", "/", "..", "A=1", "<<", "1" * 30,
]  # fmt: skip
FRAGMENTS = [
    ": ", ":", "- ", "\n", "  ", "\t", "#", "'", '"', "{", "}", "[", "]", ",", "&a ", "*a", "!!int ", "!x ",
    "|", ">", "---", "...", "%YAML 1.1", "? ", "\\x", "\\UFFFFFFFF", "\ufeff", "\x85", "\u2028", "é",
    "\x00", "<<", "@", "`", "\r",
]  # fmt: skip

scalars = st.sampled_from(VALUES) | st.text(max_size=8)
keys = st.sampled_from(KEYS) | scalars
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=12,
)
bots = st.dictionaries(st.sampled_from(sorted(BotModel.model_fields)) | scalars, trees, max_size=6) | scalars
files = st.fixed_dictionaries(
    {"bots": st.lists(bots, max_size=4) | trees},
    optional={key: trees for key in TournamentModel.model_fields if key != "bots"},
)


@pytest.fixture(scope="module")
def directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def check(directory: Path, data: bytes) -> None:
    file = directory / "x.yaml"
    file.write_bytes(data)
    try:
        assert len(load_tournament(file).bots) >= 2
        return
    except TournamentFileError as error:
        problems = error.problems
    assert problems
    assert list(problems) == sorted(set(problems))
    lines = len(re.split(rb"\r\n|[\r\n]|\xc2\x85|\xe2\x80[\xa8\xa9]", data))
    for line, column, message in problems:
        assert 0 <= line <= lines
        assert column >= 0
        assert message.isprintable()


@given(st.lists(st.sampled_from(FRAGMENTS) | st.sampled_from(KEYS) | st.sampled_from(VALUES), max_size=30))
@example(["tournament", ": ", "x", "\n", "rounds", ":", "4", "\n", "\t", "x"])
@settings(max_examples=100)
def test_any_text(directory: Path, parts: list[str]) -> None:
    check(directory, "".join(parts).encode())


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
@settings(max_examples=100)
def test_any_bytes(directory: Path, data: bytes) -> None:
    check(directory, data)


@given(trees)
@settings(max_examples=100)
def test_any_tree(directory: Path, tree: Any) -> None:
    check(directory, yaml.safe_dump(tree, allow_unicode=True).encode("utf-8", "surrogatepass"))


@given(files, st.booleans())
@settings(max_examples=100)
def test_trees_that_resemble_a_tournament(directory: Path, tree: Any, flow: bool) -> None:
    check(
        directory,
        yaml.safe_dump(tree, allow_unicode=True, default_flow_style=flow).encode("utf-8", "surrogatepass"),
    )


@given(st.data())
@settings(max_examples=100)
def test_a_good_file_with_one_piece_replaced(directory: Path, data: st.DataObject) -> None:
    """Cut anywhere, put anything in: never more than a refusal."""
    good = (
        "tournament: x\nrounds: 4\ntime: {game: 5s, move: 1s}\nbots:\n  - ./a\n  - name: b\n    run: ./b -x\n"
    )
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(len(good), start + 6)))
    piece = data.draw(st.sampled_from(FRAGMENTS) | st.sampled_from(VALUES) | st.text(max_size=3))
    check(directory, (good[:start] + piece + good[end:]).encode("utf-8", "surrogatepass"))
