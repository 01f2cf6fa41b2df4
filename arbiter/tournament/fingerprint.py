"""Telling one version of a program from another by the content of its files."""

import hashlib
import shutil
from pathlib import Path

from arbiter.match.bot import Bot

KIND = 2
"""Counts the ways of making fingerprints: those of different kinds say nothing about each other."""


def fingerprint(bot: Bot) -> str:
    """The first 16 hex digits of a SHA-256 over the files that its command names, and over the command.

    The files are the program itself and every argument that is a file, such as the script an
    interpreter runs; what these load in turn is not seen.
    """
    digest = hashlib.sha256()
    for position, word in enumerate(bot.argv):
        found = (shutil.which(word) or word) if position == 0 else word
        path = bot.directory / found
        # By the name behind all links: a virtual environment calls its interpreter this or that.
        name = path.resolve().name if path.is_file() else Path(word).name
        digest.update(name.encode(errors="surrogateescape") + b"\0")
        if path.is_file():
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]
