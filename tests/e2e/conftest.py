"""Fixtures of the end-to-end tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arbiter.cli import main
from tests.e2e.table import Table


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A table; whatever was played there, no process may be left."""
    table = Table(tmp_path)
    yield table
    assert table.left_behind() == []


@pytest.fixture
def refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """A command whose arguments are refused in two lines at most, without a process; what it says."""
    monkeypatch.chdir(tmp_path)

    def say(*arguments: str) -> str:
        status = main(arguments)
        said = capsys.readouterr()
        assert (status, said.out) == (2, "")
        assert 1 <= len(said.err.splitlines()) <= 2
        return said.err

    return say
