"""A YAML file as plain data in which every value knows its line and column, and stays the text it was.

YAML 1.1 turns ``1:30`` into 90 and ``no`` into false, and keeps the last of two equal keys in
silence. Here no scalar is converted, and equal keys are refused.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from arbiter.tournament.problems import Place, Problem, did_you_mean, quoted
from arbiter.tournament.slips import Mender
from arbiter.tournament.syntax import SyntaxFault, compose, place_after

KeyPath = tuple[str | int, ...]
"""The way from the root to a value: ``("bots", 0, "name")``."""

_LARGEST = 2**20
_MOST_REPAIRS = 20


class UnreadableFileError(Exception):
    """The file is missing or its bytes are no text; ``problem`` says so."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.problem = Problem(line, column, message)


@dataclass(slots=True)
class Document:
    """A file's plain data (texts, lists, dicts) with the place of each part.

    A key without a value is left out, an empty entry of a list is None; both are among the problems.
    """

    data: Any = None
    values: dict[KeyPath, Place] = field(default_factory=dict)
    keys: dict[KeyPath, Place] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def place(self, path: KeyPath) -> Place:
        """Where the value stands; for a value that is not there, where the next outer one stands."""
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, Place(1, 1))

    def key_place(self, path: KeyPath) -> Place:
        """Where the key of the value stands; for an entry of a list, the entry."""
        return self.keys.get(path) or self.place(path)


def read_text(path: Path) -> str:
    """The text of a UTF-8 file of moderate size. Raises UnreadableFileError."""
    try:
        if path.is_dir():
            raise UnreadableFileError("this is a directory; a YAML file is wanted")
        if not path.exists():
            raise UnreadableFileError(f"there is no such file{_similar_file(path)}")
        if not path.is_file():
            raise UnreadableFileError("this is not a regular file")
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file can have this name"
        raise UnreadableFileError(f"cannot be read: {reason}") from None
    if len(data) > _LARGEST:
        raise UnreadableFileError(f"is larger than {_LARGEST // 2**20} MiB; that is no tournament file")
    return _decode(data)


def _similar_file(path: Path) -> str:
    files = path.parent.iterdir() if path.parent.is_dir() else ()
    names = {file.stem: file.name for file in files if file.suffix in (".yaml", ".yml")}
    if path.name in names:
        return f"; did you mean `{names[path.name]}`?"
    hint = did_you_mean(path.stem, sorted(names))
    return next(
        (hint.replace(f"`{stem}`", f"`{name}`") for stem, name in names.items() if f"`{stem}`" in hint), ""
    )


def _decode(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableFileError("is written in UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", "replace")
        raise UnreadableFileError(
            f"the byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8", *place_after(before)
        ) from None


def parse(text: str, words: Collection[str] = ()) -> Document:
    """Read YAML; what is wrong goes to the document's ``problems``, nothing is raised.

    ``words`` are the keys the file may hold; they tell ``rounds:4`` with its missing blank from a
    text. Such slips are reported and mended, so that the rest of the file is checked as well.
    """
    text = text.removeprefix("\ufeff")
    mender = Mender(text, words)
    document = Document()
    for _ in range(_MOST_REPAIRS):
        try:
            root = compose(mender.text)
        except SyntaxFault as fault:
            if mender.mend(fault.problem.line):
                continue
            if not mender.problems or not mender.has_tabs:
                document.problems.append(fault.problem)
            break
        if not isinstance(root, yaml.MappingNode) and mender.mend(last_line=1):
            continue
        _Walk(document, mender.shifts).root(root)
        break
    document.problems.extend(mender.problems)
    return document


class _Walk:
    """Turns nodes into plain data, noting every place and every fault on the way."""

    def __init__(self, document: Document, shifts: dict[int, int]) -> None:
        self._document = document
        self._shifts = shifts

    def root(self, node: yaml.Node | None) -> None:
        if node is None or (isinstance(node, yaml.ScalarNode) and not node.value and node.style is None):
            self._document.problems.append(Problem(1, 1, "the file is empty"))
            return
        if not isinstance(node, yaml.MappingNode):
            kind = "a list" if isinstance(node, yaml.SequenceNode) else "a text"
            self._complain(node, f"the file must consist of `key: value` lines, but holds {kind}")
            return
        self._document.data = self._value(node, ())

    def _value(self, node: yaml.Node, path: KeyPath) -> Any:
        self._document.values[path] = self._place(node)
        if node.tag != yaml.resolver.Resolver.DEFAULT_SCALAR_TAG and isinstance(node, yaml.ScalarNode):
            self._refuse_tag(node)
        if isinstance(node, yaml.MappingNode):
            if node.tag != yaml.resolver.Resolver.DEFAULT_MAPPING_TAG:
                self._refuse_tag(node)
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            if node.tag != yaml.resolver.Resolver.DEFAULT_SEQUENCE_TAG:
                self._refuse_tag(node)
            return [self._value(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if key is None:
                continue
            if key in data:
                first = self._document.keys[(*path, key)]
                self._complain(
                    key_node, f"{quoted(key)} stands here a second time; the first is in line {first.line}"
                )
                continue
            self._document.keys[(*path, key)] = self._place(key_node)
            value = self._value(value_node, (*path, key))
            if value is not None:
                data[key] = value
        return data

    def _key(self, node: yaml.Node) -> str | None:
        if not isinstance(node, yaml.ScalarNode):
            self._complain(node, "a key must be a word, not a list or a mapping")
            return None
        if node.value == "<<":
            self._complain(node, "merging with `<<` is not supported; write the keys out")
            return None
        if node.value == "":
            self._complain(node, "a key is missing before the colon")
            return None
        return str(node.value)

    def _scalar(self, node: yaml.Node, path: KeyPath) -> str | None:
        text = str(node.value)
        if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text):
            self._complain(node, "the text holds an escape that stands for no character")
            return None
        if text == "" and getattr(node, "style", None) is None:
            self._complain_of_no_value(path)
            return None
        return text

    def _complain_of_no_value(self, path: KeyPath) -> None:
        key, place = path[-1], self._document.key_place(path)
        if isinstance(key, int):
            self._document.problems.append(Problem(*place, "this entry is empty"))
        elif match := re.fullmatch(r"([\w-]+):(\S.*)", key):
            self._document.problems.append(
                Problem(*place, f"a blank is missing after the colon: {quoted(f'{match[1]}: {match[2]}')}")
            )
        else:
            self._document.problems.append(Problem(*place, f"{quoted(key)} has no value"))

    def _refuse_tag(self, node: yaml.Node) -> None:
        tag = str(node.tag).replace("tag:yaml.org,2002:", "!!")
        self._complain(
            node, f"the tag {quoted(tag)} is not supported; a text that begins with `!` needs quotes"
        )

    def _complain(self, node: yaml.Node, message: str) -> None:
        self._document.problems.append(Problem(*self._place(node), message))

    def _place(self, node: yaml.Node) -> Place:
        """Where the node begins, in the file as the user wrote it."""
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        return Place(line, column - (column > self._shifts.get(line, column)))
