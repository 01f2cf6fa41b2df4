"""YAML's grammar without its types: a tree of nodes in which every scalar is text.

What a tournament file has no use for is refused: anchors and aliases (which can blow up a file
without bound), several documents, control characters.
"""

import re
from typing import Any

import yaml

from arbiter.tournament.problems import Place, Problem, quoted

LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
"""Where YAML ends a line."""
_DEEPEST = 20
_MOST = 40_000
"""Keys and values of a file: twenty of each for every one of a thousand bots, read in about a second."""
_NO_ANCHORS = (
    "anchors and aliases are not supported; write the value out, or put {} in quotes if it is a text"
)
_NO_COLON = "this is neither `key: value` nor `- entry`; is a colon missing?"


class SyntaxFault(Exception):  # noqa: N818 - becomes a Problem
    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.problem = Problem(*place, message)


def _place_of(mark: Any) -> Place:
    return Place(mark.line + 1, mark.column + 1) if mark else Place(0, 0)


class _TextLoader(yaml.SafeLoader):
    """A loader for which every scalar is text, and which refuses anchors, aliases, and what is too deep or
    too long.
    """

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own class attribute
    depth = 0
    count = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        place = _place_of(event.start_mark)
        if anchor := getattr(event, "anchor", None):
            sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
            raise SyntaxFault(place, _NO_ANCHORS.format(quoted(sign + anchor)))
        if self.depth == _DEEPEST:
            raise SyntaxFault(place, f"nested more than {_DEEPEST} levels deep")
        if self.count == _MOST:
            raise SyntaxFault(place, f"more than {_MOST:,} keys and values; that is no tournament file")
        self.count += 1
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def compose(text: str) -> yaml.Node | None:
    """The one document of the text as a tree of nodes; None when it is empty."""
    loader = None
    try:
        loader = _TextLoader(text)
        return loader.get_single_node()
    except yaml.reader.ReaderError as error:
        code = f"U+{ord(text[error.position]):04X}"
        place = place_after(text[: error.position])
        raise SyntaxFault(
            place,
            f"the control character {code} cannot stand in a file of text; take it out",
        ) from None
    except yaml.MarkedYAMLError as error:
        raise _neither_key_nor_entry(error, text) or _translate(error) from None
    except (ValueError, OverflowError):
        # PyYAML passes on what chr() and int() say about an escape or a version far out of range.
        place = Place(loader.line + 1, loader.column + 1) if loader else Place(0, 0)
        raise SyntaxFault(place, "an escape or a number is out of range here; leave it out") from None


_AT_CONTEXT = {
    "could not find expected ':'": _NO_COLON,
    "found unexpected end of stream": "the quote opened here is never closed",
    "found unexpected document separator": "the quote opened here is never closed",
}
_AT_PROBLEM = {
    "mapping values are not allowed here": "no colon is expected here: the indentation does not fit the "
    "lines above, or a text that holds `: ` needs quotes",
    "but found ':'": "a key is missing before the colon",
    "expected <block end>": "the indentation does not fit the lines above",
    "expected ',' or ']'": "the list opened with `[` in line {line} needs a `,` or its `]` here",
    "expected ',' or '}'": "the mapping opened with `{{` in line {line} needs a `,` or its `}}` here",
    "sequence entries are not allowed": "an entry (`- …`) cannot begin here; give it a line of its own",
    "but found another document": "a second document begins here; a file holds one tournament",
    "expected '<document start>'": "this does not belong to the lines above; is the indentation right?",
    "unknown escape": "an unknown escape in double quotes; single quotes take `\\` as it is",
    "escape sequence of": "an unknown escape in double quotes; single quotes take `\\` as it is",
    "but found '*'": "a text that begins with `*` needs quotes",
    "expected alphabetic or numeric": "a text that begins with `*`, `&` or `%` needs quotes",
    "chomping or indentation": "a text that begins with `|` or `>` needs quotes",
    "but found '<document end>'": "the file ends here (`...`) before it holds anything",
    "incompatible YAML document": "a file is written in YAML 1; leave the line with `%YAML` out",
    "undefined tag handle": "a text that begins with `!` needs quotes",
}


def _translate(error: yaml.MarkedYAMLError) -> SyntaxFault:
    """Say in our words, at the place where the user must look, what PyYAML found."""
    problem = error.problem or ""
    place = _place_of(error.problem_mark or error.context_mark)
    for words, message in _AT_CONTEXT.items():
        if words in problem:
            return SyntaxFault(_place_of(error.context_mark or error.problem_mark), message)
    for words, message in _AT_PROBLEM.items():
        if words in problem:
            return SyntaxFault(place, message.format(line=_place_of(error.context_mark).line))
    if match := re.search(r"found character '(.+)' that cannot start", problem):
        if match[1] == "\\t":
            return SyntaxFault(place, "a tab stands here; use blanks")
        return SyntaxFault(place, f"a text that begins with `{match[1]}` needs quotes")
    return SyntaxFault(place, f"this is not YAML: {problem}")


def _neither_key_nor_entry(error: yaml.MarkedYAMLError, text: str) -> SyntaxFault | None:
    """PyYAML stumbles over the first colon after a line without one; the fault is that line's."""
    if "mapping values are not allowed" not in (error.problem or ""):
        return None
    lines = list(enumerate(LINE_END.split(text), 1))[: _place_of(error.problem_mark).line - 1]
    number, line = next(((n, line) for n, line in reversed(lines) if line.split("#")[0].strip()), (0, ":"))
    if ":" in line or line.lstrip().startswith("- "):
        return None
    return SyntaxFault(Place(number, len(line) - len(line.lstrip()) + 1), _NO_COLON)


def place_after(text: str) -> Place:
    lines = LINE_END.split(text)
    return Place(len(lines), len(lines[-1]) + 1)
