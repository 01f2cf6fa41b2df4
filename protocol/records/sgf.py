"""SGF as a form: nodes with properties, whatever game they are about. Not more strict than it has to be.

Read is the main line only, which is what comes before the first closing parenthesis of a game.
See https://www.red-bean.com/sgf/ for the format.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""
    (?P<mark>[();])
  | (?P<name>[A-Za-z][A-Za-z0-9_]*)?\s*
    (?:
      # A name in quotes may hold a bracket that nobody escaped.
      \[(?P<value>\s*id\s+"(?:[^"\\\n]|\\.)*"\s*|[^\]\\]*(?:\\.[^\]\\]*)*)\]
      | (?P<open>\[)
    )
  | (?P<junk>[^\s();\[]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_BEGINNING = re.compile(r"\(\s*(?:;\s*)+(?=[A-Za-z][A-Za-z0-9_]*\s*\[)|\bGM\s*\[")
"""Where a game begins, in a file that may hold other text around it; the first marks may be lost."""
_BLANK = re.compile(r"\s*")
_ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)
_RESUMES = re.compile(r"\n[ \t]*(?=[();]|[A-Z][A-Z0-9]*[ \t]*\[)")
"""Where reading goes on after text that stands outside of brackets."""


@dataclass(frozen=True, slots=True)
class Property:
    """One property; ``line`` is where its name stands."""

    name: str
    value: str
    line: int


@dataclass(slots=True)
class Tree:
    """The main line of one game: its properties in the order of the file, those of the root first.

    ``oddities`` are what was skipped, and the lines where; ``is_cut_off`` says that the end is missing, and
    perhaps a part of the game with it.
    """

    line: int
    properties: list[Property] = field(default_factory=list)
    oddities: dict[str, list[int]] = field(default_factory=dict)
    is_cut_off: bool = False

    def first(self, name: str) -> Property | None:
        """The first property of this name."""
        return next((each for each in self.properties if each.name == name), None)


def looks_like_sgf(text: str) -> bool:
    """Whether a text begins as SGF does."""
    return re.match(r"\s*\(\s*;", text) is not None


def holds_sgf(text: str) -> bool:
    """Whether a game stands somewhere in a text."""
    return _BEGINNING.search(text) is not None


def read_trees(text: str) -> Iterator[Tree]:
    """The games of a file; lines have to end with a single LF. Never fails, whatever the text is.

    What stands before, between and after the games is nobody's.
    """
    reader = _Reader(text)
    while (tree := reader.read()) is not None:
        yield tree


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line, self.counted = 1, 0
        self.next: Tree | None = None
        """A game that began before the one before it had ended."""

    def read(self) -> Tree | None:
        """The next game, None at the end of the file."""
        tree, self.next = self.next, None
        if tree is None and not self.find():
            return None
        depth, is_main, name = int(tree is not None), True, ""
        before = depth, is_main
        """What held at the last property: parentheses in stray text do not count."""
        while (token := self.token()) is not None:
            line = self.line_of(token)
            tree = tree or Tree(line)
            if token["mark"]:
                depth += {"(": 1, ")": -1, ";": 0}[token["mark"]]
                is_main = is_main and token["mark"] != ")"
                if token["mark"] == ")" and depth <= 0:
                    return tree
            elif token["open"]:
                tree.oddities.setdefault("a bracket that is never closed", []).append(line)
                self.at = len(self.text)
            elif token["junk"]:
                tree.oddities.setdefault("text outside of brackets", []).append(line)
                depth, is_main = before
                self.resume()
            else:
                name = (token["name"] or name).upper()
                found = Property(name, _ESCAPE.sub(_unescaped, token["value"]), line)
                if name == "GM" and tree.first("GM"):
                    self.next, tree.is_cut_off = Tree(line, [found]), True
                    return tree
                if is_main:
                    tree.properties.append(found)
                before = depth, is_main
        if tree is not None:
            tree.is_cut_off = True
        return tree

    def find(self) -> bool:
        """Go to the next beginning of a game, if there is one."""
        found = _BEGINNING.search(self.text, self.at)
        self.at = len(self.text) if found is None else found.start()
        return found is not None

    def token(self) -> re.Match[str] | None:
        blank = _BLANK.match(self.text, self.at)
        assert blank is not None
        found = _TOKEN.match(self.text, blank.end())
        if found is not None:
            self.at = found.end()
        return found

    def line_of(self, token: re.Match[str]) -> int:
        self.line += self.text.count("\n", self.counted, token.start())
        self.counted = token.start()
        return self.line

    def resume(self) -> None:
        """Go on at the next line that begins like a node; most likely a comment held an odd bracket."""
        found = _RESUMES.search(self.text, self.at)
        self.at = len(self.text) if found is None else found.end()


def _unescaped(match: re.Match[str]) -> str:
    return "" if match[1] == "\n" else match[1]
