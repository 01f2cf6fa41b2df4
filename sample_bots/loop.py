"""The conversation that the Python sample bots share: what they hear, and when they owe an answer."""

import io
import random
import sys
from collections.abc import Callable, Iterator

from protocol.rules import Ply, Position, Rules, parse_dpos

Choose = Callable[[Position, random.Random], tuple[Ply, str]]
"""From a position with the bot to move and a source of chance: a ply, and what ``info`` says of it or ""."""


def run(name: str, choose: Choose) -> None:
    """Play games as the bot ``name`` until ``quit`` or the end of the input.

    Chance starts from the option ``Seed``, 0 when it is never set: the same seed and the same positions lead
    to the same answers.
    """
    rng = random.Random(0)
    rules = Rules.STANDARD
    dpos = ""
    for word, rest in _messages():
        if word == "dvp":
            _say(f"id name {name}", "option Seed spin 0 0 2147483647", "dvpok")
        elif word == "setoption" and rest.startswith("Seed "):
            rng.seed(int(rest.split()[1]))
        elif word == "newgame":
            rules = _rules(rest)
        elif word == "board":
            dpos = rest
        elif word == "go":
            ply, info = choose(parse_dpos(dpos, rules), rng)
            _say(*([f"info {info}"] if info else []), f"move {ply}")
        elif word == "quit":
            return


def _messages() -> Iterator[tuple[str, str]]:
    """The first word of each line and the rest of it; bytes that are not UTF-8 never stop a bot."""
    for line in io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"):
        word, rest = (*line.strip().split(maxsplit=1), "", "")[:2]
        yield word, rest


def _rules(newgame: str) -> Rules:
    """The rules of a game, from the words after ``newgame``; ``opponent`` takes the rest of the line."""
    words = newgame.split(" opponent ")[0].split()
    return Rules(words[words.index("rules") + 1]) if "rules" in words else Rules.STANDARD


def _say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)
