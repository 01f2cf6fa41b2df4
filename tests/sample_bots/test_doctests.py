"""Every example in a docstring of the sample bots runs."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import sample_bots

MODULES = [found.name for found in pkgutil.walk_packages(sample_bots.__path__, "sample_bots.")]


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str) -> None:
    assert doctest.testmod(import_module(module)).failed == 0
