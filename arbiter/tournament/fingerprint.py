"""Telling one version of a program from another by the content of its files."""

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from arbiter.match.bot import Bot
from arbiter.tournament.bots import RUNNERS

KIND = 3
"""Counts the ways of making fingerprints: those of different kinds say nothing about each other."""

_CLASS = re.compile(r"[A-Za-z_$][\w$]*([./][A-Za-z_$][\w$]*)*", re.ASCII)


def fingerprint(bot: Bot) -> str:
    """The first 16 hex digits of a SHA-256 over the files that its command names, and over the command.

    The files are the program itself, every argument that is a file, such as the script that an
    interpreter runs, and for Java the classes beside the one that is named. Interpreters count by
    their kind alone: an update of the system makes no new bot. What files load in turn is not seen.
    """
    digest = hashlib.sha256()
    for name, files in _parts(bot):
        digest.update(name.encode(errors="surrogateescape") + b"\0")
        for path in files:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


def fingerprinted(bot: Bot) -> list[Path]:
    """The files that make a bot's fingerprint."""
    return [path for _, files in _parts(bot) for path in files]


def _parts(bot: Bot) -> Iterator[tuple[str, list[Path]]]:
    """The words of a bot's command by name, each with the files that it stands for."""
    runner = RUNNERS.fullmatch(Path(bot.argv[0]).name)
    for position, word in enumerate(bot.argv):
        path = bot.directory / ((shutil.which(word) or word) if position == 0 else word)
        if position == 0 and runner:
            # A virtual environment calls its interpreter python or python3, the system python3.11.
            yield runner[1], []
        elif path.is_file():
            yield path.resolve().name, [path]
        else:
            yield Path(word).name, _classes(bot, word) if runner and runner[1] == "java" else []


def _classes(bot: Bot, word: str) -> list[Path]:
    """The compiled classes in the directory of the class that ``word`` names, if it names one."""
    if not _CLASS.fullmatch(word):
        return []
    options = dict(zip(bot.argv, bot.argv[1:], strict=False))
    path = next((options[key] for key in ("-cp", "-classpath", "--class-path") if key in options), ".")
    for entry in path.split(os.pathsep):
        main = bot.directory / entry / f"{word.replace('.', '/')}.class"
        if main.is_file():
            return sorted(main.parent.glob("*.class"))
    return []
