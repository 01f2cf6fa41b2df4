"""Starter bots: a directory in which an author goes on, one for each of some languages.

Their files lie beside the sample bots, some of which are the same programs; ``starters.yaml`` describes them.
"""

import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from unicodedata import combining, normalize

from arbiter.tournament.bots import load_sample_catalogue
from arbiter.tournament.nodes import parse
from arbiter.tournament.problems import ConfigurationError, did_you_mean, listed, quoted

_WIDTH = 100
_LONGEST = 40
"""Characters of a bot's name."""


class StarterError(ConfigurationError):
    """There is no such language, or the directory cannot be used."""


@dataclass(frozen=True, slots=True)
class Starter:
    """One language of the catalogue, whose keys the fields are; ``key`` is how people write the language.

    ``needs`` maps tools to the packages of Debian and Ubuntu that have them.
    """

    key: str
    language: str
    aliases: tuple[str, ...]
    directory: str
    bot: str
    sources: tuple[str, ...]
    edit: str
    needs: Mapping[str, str]
    elsewhere: str
    build: str | None
    run: str
    built: tuple[str, ...]
    hint: str

    @property
    def missing_tools(self) -> tuple[str, ...]:
        """Tools that are not on this machine."""
        return tuple(tool for tool in self.needs if shutil.which(tool) is None)

    @property
    def remedy(self) -> str:
        """How to get the missing tools, in words."""
        packages = dict.fromkeys(self.needs[tool] for tool in self.missing_tools)
        return f"`sudo apt install {' '.join(packages)}` on Debian and Ubuntu, or {self.elsewhere}"

    @property
    def steps(self) -> dict[str, str]:
        """What to type in the directory of the bot, one command after the other, and what each is for."""
        bot = f'"{self.run}"' if " " in self.run else self.run
        steps = {
            f"arbiter match {bot} sample:random": "play against a sample bot",
            "arbiter run league.yaml": "play a league against two of them",
            f"arbiter check {bot}": "does it do all that a bot has to do?",
        }
        return {self.build: "build it", **steps} if self.build else steps

    def files(self, name: str) -> dict[str, str]:
        """The texts of a bot of this name, by their paths in its directory."""
        width = max(map(len, self.steps))
        readme = _template(
            "README.template.md",
            name=name,
            language=self.language,
            edit=self.edit,
            commands="\n".join(f"{step:<{width}}  # {reason}" for step, reason in self.steps.items()),
            hint=self.hint.replace("{python}", sys.executable),
        )
        build = f"    build: {self.build}\n" if self.build else ""
        league = _template("league.template.yaml", name=name, run=self.run, build=build)
        return {
            **{path: _read(self.directory, path).replace(self.bot, name) for path in self.sources},
            "league.yaml": league,
            "README.md": _wrapped(readme),
            ".gitignore": "".join(f"{path}\n" for path in (*self.built, "results/")),
        }


@cache
def load_starter_catalogue() -> dict[str, Starter]:
    """Every language there is a starter for, in the order of the catalogue."""
    document = parse(_read("starters.yaml"))
    assert not document.problems, document.problems
    return {
        key: Starter(
            key=key,
            language=entry["language"],
            aliases=tuple(entry["aliases"]),
            directory=entry.get("directory", key),
            bot=entry["bot"],
            sources=tuple(entry["files"]),
            edit=entry["edit"],
            needs=entry["needs"],
            elsewhere=entry["elsewhere"],
            build=entry.get("build"),
            run=entry["run"],
            built=tuple(entry["built"]),
            hint=entry["hint"],
        )
        for key, entry in document.data.items()
    }


def find_starter(word: str) -> Starter:
    """The starter for a language or one of its other names; StarterError with those there are."""
    catalogue = load_starter_catalogue()
    known = {name: starter for starter in catalogue.values() for name in (starter.key, *starter.aliases)}
    if starter := known.get(word.casefold()):
        return starter
    hint = did_you_mean(word, known)
    raise StarterError(
        f"there is no starter for the language {quoted(word)}{hint or ';'} available: {listed(catalogue)}"
    )


def name_for(directory: Path) -> str:
    """A bot's name made of that of its directory: letters, digits, ``.``, ``_`` and ``-``.

    It stands in the sources of eight languages, so letters lose their accents.
    """
    plain = "".join(each for each in normalize("NFKD", directory.name) if not combining(each))
    words = re.findall(r"[A-Za-z0-9._-]+", plain)
    name = "-".join(words).strip("._-")[:_LONGEST] or "mybot"
    return f"my-{name}" if name.casefold() in load_sample_catalogue() else name


def why_renamed(directory: Path, name: str) -> str:
    """Why a bot does not have the name of its directory; empty when it has."""
    if name == directory.name:
        return ""
    if name == f"my-{directory.name}":
        return f"sample:{directory.name.casefold()} is another bot"
    return f"its name is made of at most {_LONGEST} letters from A to Z, digits, `.`, `_` and `-`"


def write_files(texts: Mapping[str, str], directory: Path) -> None:
    """Write files into a directory, which is made unless it is there and empty.

    Either all of them are there in the end or none, and no directory more than before.

    Raises:
        StarterError: the directory is in use, or something cannot be written.
    """
    _check_unused(directory)
    made = [path for path in (directory, *directory.parents) if not path.exists()]
    try:
        for path, text in texts.items():
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).write_text(text, encoding="utf-8")
    except BaseException as error:
        _undo(texts, directory, made)
        if isinstance(error, OSError):
            raise StarterError(f"cannot write to {directory}: {error.strerror}") from None
        raise


def _check_unused(directory: Path) -> None:
    try:
        if directory.is_dir():
            if any(directory.iterdir()):
                raise StarterError(f"{directory} is not empty; name a new directory")
        elif directory.exists() or directory.is_symlink():
            raise StarterError(f"{directory} is there already and no directory; name a new one")
    except OSError as error:
        raise StarterError(f"cannot look into {directory}: {error.strerror}") from None


def _undo(texts: Mapping[str, str], directory: Path, made: Sequence[Path]) -> None:
    """Remove what was written into a directory that was empty, and the directories ``made`` for it."""
    for name in {Path(path).parts[0] for path in texts} if directory.is_dir() else ():
        if (directory / name).is_dir():
            shutil.rmtree(directory / name, ignore_errors=True)
        else:
            (directory / name).unlink(missing_ok=True)
    for path in made:
        if path.is_dir():
            path.rmdir()


def _template(file: str, **places: str) -> str:
    text = _read(file)
    for place, value in places.items():
        text = text.replace("{" + place + "}", value)
    return text


def _wrapped(text: str) -> str:
    """Markdown with paragraphs on lines that a terminal shows whole; blocks of code stay as they are."""
    paragraphs = text.strip().split("\n\n")
    filled = (
        paragraph
        if paragraph.startswith("```")
        else textwrap.fill(paragraph, _WIDTH, break_long_words=False, break_on_hyphens=False)
        for paragraph in paragraphs
    )
    return "\n\n".join(filled) + "\n"


def _read(*path: str) -> str:
    return files("sample_bots").joinpath("starters", *path).read_text(encoding="utf-8")
