"""Every example in a docstring of the protocol runs, and whatever bot authors may call has one."""

import doctest
import inspect
import pkgutil
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import protocol
from protocol import bot, dvp, records, rules
from protocol.dvp import Connection
from protocol.rules import Position

MODULES = ["protocol", *(found.name for found in pkgutil.walk_packages(protocol.__path__, "protocol."))]


def names_of(module: str) -> dict[str, Any]:
    """What an example may use: the names of its module and the public ones of its package."""
    package = import_module(".".join(module.split(".")[:2]))
    public = {name: getattr(package, name) for name in getattr(package, "__all__", ())}
    return public | vars(import_module(module))


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str) -> None:
    found = doctest.testmod(import_module(module), globs=names_of(module), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


@pytest.mark.parametrize("package", [rules, dvp, records, bot], ids=lambda package: package.__name__)
def test_public_functions_have_examples(package: ModuleType) -> None:
    public = [getattr(package, name) for name in package.__all__]
    functions = [thing for thing in public if inspect.isfunction(thing)]
    assert [function.__name__ for function in functions if not has_example(function, package)] == []


@pytest.mark.parametrize("owner", [Position, Connection])
def test_public_methods_have_examples(owner: type) -> None:
    methods = [thing for name, thing in vars(owner).items() if inspect.isfunction(thing) and name[0] != "_"]
    assert [method.__name__ for method in methods if ">>> " not in (method.__doc__ or "")] == []


def has_example(function: Any, package: ModuleType) -> bool:
    """In its own docstring, or by name in an example of its package's."""
    examples = [example.source for example in doctest.DocTestParser().get_examples(package.__doc__ or "")]
    return ">>> " in (function.__doc__ or "") or any(f"{function.__name__}(" in text for text in examples)
