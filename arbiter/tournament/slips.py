"""Slips of the hand over which a YAML parser can only stumble: tabs, and ``rounds:4`` without its blank."""

import re
from collections.abc import Collection, Iterator

from arbiter.tournament.problems import Problem, quoted
from arbiter.tournament.syntax import LINE_END


class Mender:
    """Finds slips of the hand that a parser can only stumble over, reports them, and puts them right."""

    def __init__(self, text: str, words: Collection[str]) -> None:
        self.text = text
        self.shifts: dict[int, int] = {}
        self._tabs: dict[int, int] = {}
        self._glued: list[Problem] = []
        # A slash after the colon would make it an address rather than a key.
        keys = "|".join(map(re.escape, sorted(words))) or "(?!)"
        self._glue = re.compile(rf"( *(?:- +)*)({keys}) *:(?=([^\s/].*))")

    @property
    def has_tabs(self) -> bool:
        return bool(self._tabs)

    @property
    def problems(self) -> list[Problem]:
        return [*self._glued, *self._tab_problem()]

    def mend(self, last_line: int) -> bool:
        """Look for slips that explain a fault in ``last_line``; True when something was put right."""
        lines = _split_keeping_ends(self.text)
        slips = list(self._slips(lines))
        if not slips or min(line for line, _, _ in slips) > last_line:
            return False
        for line, column, replacement in slips:
            text = lines[line - 1]
            if replacement == "\t":
                self._tabs.setdefault(line, column + 1)
                lines[line - 1] = text[:column] + " " + text[column + 1 :]
            else:
                self._glued.append(
                    Problem(line, column + 1, f"a blank is missing after the colon: {quoted(replacement)}")
                )
                self.shifts[line] = column + 1
                lines[line - 1] = text[:column] + " " + text[column:]
        self.text = "".join(lines)
        return True

    def _slips(self, lines: list[str]) -> Iterator[tuple[int, int, str]]:
        """Line (from 1), column (from 0) and, for a missing blank, the pair as it should be written."""
        for number, line in enumerate(lines, 1):
            if match := re.match(r"[ \t]*(?=[^\s#])", line):
                yield from ((number, tab.start(), "\t") for tab in re.finditer("\t", match[0]))
            if match := re.match(r"[^\"'#]*?:(\t+)(?=\S)", line):
                yield from ((number, column, "\t") for column in range(match.start(1), match.end(1)))
            if match := self._glue.match(line):
                yield number, match.end(), f"{match[2]}: {match[3].partition(' #')[0].strip()}"

    def _tab_problem(self) -> Iterator[Problem]:
        if self._tabs:
            first, *others = sorted(self._tabs)
            more = ", ".join(map(str, others[:5])) + (
                f" and {len(others) - 5} more" if len(others) > 5 else ""
            )
            also = f" (also in line{'s' if len(others) > 1 else ''} {more})" if others else ""
            yield Problem(first, self._tabs[first], f"a tab stands here; use blanks{also}")


def _split_keeping_ends(text: str) -> list[str]:
    ends = [match.end() for match in LINE_END.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
