"""What every test shares: hypothesis without chance, and tools that may be missing."""

import os
import shutil
import signal

import pytest
from hypothesis import HealthCheck, settings

from arbiter.isolation.levels import look_at
from arbiter.isolation.sandbox import Level
from tests.starters import Workshop

settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("steady")

# The variable makes Python bots under test flush what they would keep in their buffers elsewhere.
os.environ.pop("PYTHONUNBUFFERED", None)

# A job that a script puts in the background ignores Ctrl-C, and so would every program under test.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test by name when a system tool it needs is missing; fail instead where none may be missing."""
    for mark in item.iter_markers("needs"):
        missing = [tool for tool in mark.args if shutil.which(tool) is None]
        if "bwrap" in mark.args and not missing and not look_at(Level.JAIL).works:
            missing = [f"a bwrap that works ({look_at(Level.JAIL).words})"]
        if missing:
            reason = f"not on this machine: {', '.join(missing)}"
            if os.environ.get("ARBITER_TESTS_NEED_ALL"):
                pytest.fail(reason)
            pytest.skip(reason)


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Starter bots, built once for all tests."""
    return Workshop(tmp_path_factory.mktemp("starters"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the sweeps out unless they are asked for with ``-m``."""
    if "sweep" in config.getoption("-m", ""):
        return
    sweeps = [item for item in items if item.get_closest_marker("sweep")]
    if sweeps:
        config.hook.pytest_deselected(items=sweeps)
        items[:] = [item for item in items if item not in sweeps]
