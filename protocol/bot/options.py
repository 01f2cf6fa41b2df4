"""What the owner of a tournament can set: options with a type, a default and bounds.

An option holds its value itself, so that functions can use it as well as classes:

>>> depth = Spin("Depth", 3, 1, 9)
>>> depth.value
3
>>> depth.set("5")
>>> depth.value
5
>>> depth.set("12")
Traceback (most recent call last):
...
ValueError: an integer from 1 to 9 is expected, not '12'
"""

import re
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")

NAME = re.compile(r"[A-Za-z0-9_-]+")
"""What options, and numbers of a bot's own, can be called."""
_INTEGER = re.compile(r"-?[0-9]{1,18}")


class Option(Generic[Value]):
    """What all options have: a ``name``, the ``default``, and the ``value`` that counts now.

    The name is made of letters, digits, ``_`` and ``-``.
    """

    def __init__(self, name: str, default: Value) -> None:
        if not NAME.fullmatch(name):
            raise ValueError(f"the name of an option has letters, digits, _ and - only: {name!r}")
        self.name = name
        self.default = default
        self.value = default

    @property
    def declaration(self) -> str:
        """The type as the line ``option`` tells it."""
        raise NotImplementedError

    def read(self, text: str) -> Value:
        """The value that a text stands for; ValueError with the reason when it is none."""
        raise NotImplementedError

    def set(self, text: str) -> None:
        """Take the value of a ``setoption`` line; ValueError with the reason when it is none."""
        self.value = self.read(text)

    def reset(self) -> None:
        """Go back to the default."""
        self.value = self.default


class Check(Option[bool]):
    """Yes or no.

    >>> Check("OwnBook", True).declaration
    'check true'
    """

    @property
    def declaration(self) -> str:
        return f"check {str(self.default).lower()}"

    def read(self, text: str) -> bool:
        if text not in ("true", "false"):
            raise ValueError(f"true or false is expected, not {text!r}")
        return text == "true"


class Spin(Option[int]):
    """An integer from ``low`` to ``high``.

    >>> Spin("Hash", 64, 1, 1024).declaration
    'spin 64 1 1024'
    """

    def __init__(self, name: str, default: int, low: int, high: int) -> None:
        if not low <= default <= high:
            raise ValueError(f"the default of {name} is not from {low} to {high}: {default}")
        super().__init__(name, default)
        self.low = low
        self.high = high

    @property
    def declaration(self) -> str:
        return f"spin {self.default} {self.low} {self.high}"

    def read(self, text: str) -> int:
        if not (_INTEGER.fullmatch(text) and self.low <= int(text) <= self.high):
            raise ValueError(f"an integer from {self.low} to {self.high} is expected, not {text!r}")
        return int(text)


class Combo(Option[str]):
    """One of several words; the first is the default.

    >>> Combo("Style", "solid", "wild").declaration
    'combo solid solid wild'
    """

    def __init__(self, name: str, *choices: str) -> None:
        if not choices or any(choice.split() != [choice] for choice in choices):
            raise ValueError(f"the choices of {name} are words without blanks: {list(choices)}")
        super().__init__(name, choices[0])
        self.choices = choices

    @property
    def declaration(self) -> str:
        return f"combo {self.default} {' '.join(self.choices)}"

    def read(self, text: str) -> str:
        if text not in self.choices:
            raise ValueError(f"one of {', '.join(self.choices)} is expected, not {text!r}")
        return text


class Text(Option[str]):
    """Any text on one line, such as the name of a file.

    >>> Text("Book", "my book.txt").declaration
    'string my book.txt'
    """

    def __init__(self, name: str, default: str = "") -> None:
        if not default.isprintable() or default.strip() != default:
            raise ValueError(f"the default of {name} is one line without blanks at its ends: {default!r}")
        super().__init__(name, default)

    @property
    def declaration(self) -> str:
        return f"string {self.default}".rstrip()

    def read(self, text: str) -> str:
        return text


class Button(Option[None]):
    """An action.

    >>> button = Button("ClearHash", lambda: print("cleared"))
    >>> button.declaration
    'button'
    >>> button.set("")
    cleared
    """

    def __init__(self, name: str, action: Callable[[], object]) -> None:
        super().__init__(name, None)
        self.action = action

    @property
    def declaration(self) -> str:
        return "button"

    def read(self, text: str) -> None:
        return None

    def set(self, text: str) -> None:
        """Do it."""
        self.action()
