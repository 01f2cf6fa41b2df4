"""Programs of the sample bots that several files of tests need, built once."""

import shutil
from pathlib import Path

import pytest

from tests.sample_bots.champion import build, build_sanitized


def _tool() -> None:
    if shutil.which("cc") is None:
        pytest.skip("not on this machine: cc")


@pytest.fixture(scope="session")
def champion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, as a tournament builds it."""
    _tool()
    return build(tmp_path_factory.mktemp("champion"))


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program under the sanitizers of addresses and of undefined behaviour."""
    _tool()
    return build_sanitized(tmp_path_factory.mktemp("sanitized"))
