"""Fixtures of the end-to-end tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.table import Table


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A table; whatever was played there, no process may be left."""
    table = Table(tmp_path)
    yield table
    assert table.left_behind() == []
