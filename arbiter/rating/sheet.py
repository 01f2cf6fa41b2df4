"""A table of values with a title and notes, in four formats.

A sheet's rows are mappings with the same keys in all rows. CSV and JSON have these keys and full
precision; text and Markdown have columns made from them.
"""

import csv
import io
import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from arbiter.rating.layout import (
    LONGEST_NAME,
    csv_cell,
    joined,
    markdown_escaped,
    markdown_table,
    printable,
    text_table,
)

_NAME_WIDTHS = (LONGEST_NAME, 18, 12)

Values = Mapping[str, Any]
"""JSON values by key; a mapping among them becomes one CSV column for each of its keys."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column for people. ``cell`` makes its text of a row; ``name``: it may hold anything."""

    heading: str
    cell: Callable[[Values], str]
    align: str = "right"
    name: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """``kind`` says what the rows are. ``keys`` are those of every row."""

    kind: str
    title: str | None
    keys: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Values, ...]
    notes: tuple[str, ...] = ()

    def as_text(self, width: int = 100) -> str:
        """For a terminal. Notes are wrapped at ``width``; names become shorter where that helps to keep
        it.
        """
        for longest in _NAME_WIDTHS:
            body = self._body(partial(text_table, longest=longest))
            if max(map(len, body.splitlines())) <= width:
                break
        notes = [textwrap.fill(printable(note), width, subsequent_indent="  ") for note in self.notes]
        return joined([printable(self._heading), body, "\n".join(notes)])

    def as_markdown(self) -> str:
        notes = "\n".join(f"- {markdown_escaped(note)}" for note in self.notes)
        return joined([f"## {markdown_escaped(self._heading)}", self._body(markdown_table), notes])

    def as_csv(self) -> str:
        """One header line and one line a row; empty fields where there is no value."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        rows = [dict(_flat(row)) for row in self.rows]
        writer.writerow(map(csv_cell, rows[0] if rows else self.keys))
        for row in rows:
            writer.writerow(map(csv_cell, row.values()))
        return out.getvalue()

    def as_json(self) -> str:
        """``page`` (the kind), ``title``, ``rows`` and ``notes``; null where there is no value."""
        document = {
            "page": self.kind,
            "title": self.title,
            "rows": [dict(row) for row in self.rows],
            "notes": list(self.notes),
        }
        return json.dumps(document, indent=2, allow_nan=False) + "\n"

    @property
    def _heading(self) -> str:
        return f"{self.title}: {self.kind}" if self.title else self.kind.capitalize()

    def _body(self, layout: Callable[[Sequence[str], list[list[str]], list[str], list[int]], str]) -> str:
        if not self.rows:
            return "Nothing to show yet."
        columns = self.columns
        return layout(
            [column.heading for column in columns],
            [[column.cell(row) for column in columns] for row in self.rows],
            [column.align for column in columns],
            [place for place, column in enumerate(columns) if column.name],
        )


def _flat(row: Values) -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield from ((f"{key} {inner}", each) for inner, each in value.items())
        else:
            yield key, value
