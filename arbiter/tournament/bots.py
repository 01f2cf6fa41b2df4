"""From what people write for a bot to a command that can be executed.

A BOT is a path, a command, or ``sample:NAME``; ``codecup:`` before it names the dialect.
"""

import hashlib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from arbiter.match.bot import Bot, Dialect
from arbiter.tournament.nodes import parse
from arbiter.tournament.problems import ConfigurationError, did_you_mean, listed, quoted

RUNNERS = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|java|ruby|perl|php|lua|luajit|sh|bash|dash|zsh|ksh|awk|gawk|mawk|tclsh|"
    r"guile|racket|julia|Rscript|dotnet|mono|env|wine|stdbuf|nice|timeout|taskset|valgrind|exec)[0-9.]*"
)
"""Names of programs that run others; the first group is the kind, without a version."""
LONGEST_NAME = 64
_SHELL_WORDS = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "<", "2>&1", "2>"})
_SUFFIX = re.compile(r"(?<=.)\.[A-Za-z][A-Za-z0-9]*$")


class CommandError(ConfigurationError):
    """The text names no bot."""


@dataclass(frozen=True, slots=True)
class Command:
    """A bot's command, found. The fields are those of ``Bot``; ``name`` serves unless the owner gives one."""

    argv: tuple[str, ...]
    name: str
    dialect: Dialect
    directory: Path
    build: tuple[str, ...] | None = None

    def bot(self) -> Bot:
        return Bot(self.name, self.argv, self.directory, self.dialect, self.build)


@dataclass(frozen=True, slots=True)
class Sample:
    """One reference player of the catalogue; ``needs`` are the tools it takes to build and run it.

    In ``build`` and ``run`` stand ``{python}``, ``{here}`` and ``{out}``; ``command`` fills them in.
    """

    name: str
    language: str
    about: str
    dialect: Dialect
    needs: tuple[str, ...]
    build: str | None
    run: str

    @property
    def missing_tools(self) -> tuple[str, ...]:
        return tuple(tool for tool in self.needs if shutil.which(tool) is None)

    @property
    def output(self) -> Path:
        """The directory for what is built: another one for each version of the sources and of the command.

        The headers beside a source count as well, since the command does not name them.
        """
        digest = hashlib.sha256((self.build or "").encode())
        for word in shlex.split(self.build or ""):
            source = Path(word.replace("{here}", str(_here())))
            if "{here}" in word and source.is_file():
                for part in (source, *sorted(source.parent.glob("*.h"))):
                    digest.update(part.read_bytes())
        return cache_directory() / "builds" / f"{self.name}-{digest.hexdigest()[:16]}"

    def command(self, arguments: Sequence[str] = ()) -> Command:
        """Give the command with its places filled in, and ``arguments`` after it.

        What has been built before, from the same sources, is not built again.
        """
        run = self._fill(self.run)
        build = self._fill(self.build) if self.build and not Path(run[0]).is_file() else None
        return Command((*run, *arguments), self.name, self.dialect, _here(), build)

    def _fill(self, command: str) -> tuple[str, ...]:
        places = {"{python}": sys.executable, "{here}": str(_here()), "{out}": str(self.output)}
        words = shlex.split(command)
        for place, value in places.items():
            words = [word.replace(place, value) for word in words]
        return tuple(words)


def cache_directory() -> Path:
    """Where built programs and the like are kept, for this user."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "dvonn-arbiter"


def _here() -> Path:
    return Path(str(files("sample_bots")))


@cache
def load_sample_catalogue() -> dict[str, Sample]:
    """Every reference player by name, in the order of the catalogue."""
    document = parse((_here() / "bots.yaml").read_text(encoding="utf-8"))
    assert not document.problems, document.problems
    return {
        name: Sample(
            name=name,
            language=entry["language"],
            about=entry["about"],
            dialect=Dialect(entry.get("protocol", "dvp")),
            needs=tuple(entry.get("needs", ())),
            build=entry.get("build"),
            run=entry["run"],
        )
        for name, entry in document.data.items()
    }


def resolve_command(
    command: str | Sequence[str], directory: Path, protocol: Dialect | None = None
) -> Command:
    """Find the program that a text or a list of words names.

    A first word with a slash is a path from ``directory``; without one it is a file in
    ``directory`` if there is such a file, else a program on ``PATH``. ``protocol`` is what the
    owner said elsewhere about the dialect. Raises CommandError; whether the program exists is not
    looked at, for it may have to be built first.
    """
    words, prefixed = _without_prefix(_split(command, directory))
    if prefixed and protocol not in (None, prefixed):
        raise CommandError(f"`{prefixed}:` and `protocol: {protocol}` contradict each other")
    if words[0].startswith("sample:"):
        return _sample_command(words, prefixed or protocol)
    words = [expand_home(word) for word in words]
    argv = (_find_program(words[0], directory), *words[1:])
    return Command(
        argv, _program_name(words, directory), prefixed or protocol or Dialect.DVP, locate(directory)
    )


def split_command(text: str) -> list[str]:
    """Split a command into words as a shell does; nothing else of a shell is done. Raises CommandError."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        what = "an opening quote has no closing one" if "quot" in str(error) else "it ends in a backslash"
        raise CommandError(f"{quoted(text)} cannot be split into words: {what}") from None
    if not words or not words[0]:
        raise CommandError("the command is empty")
    if shell := next((word for word in words if word in _SHELL_WORDS or word.endswith(";")), None):
        raise CommandError(f"{quoted(shell)} means something to a shell only; write `sh -c '…'` to have one")
    if re.fullmatch(r"[A-Za-z_]\w*=.*", words[0], re.DOTALL):
        raise CommandError(
            f"{quoted(words[0])} is no program; put variables under `env:`, or write `env` before them"
        )
    return words


def resolve_build(command: str | Sequence[str], directory: Path) -> tuple[str, ...]:
    """Find the words of a build command, which runs in ``directory``. Raises CommandError."""
    words = split_command(command) if isinstance(command, str) else list(command)
    if not words or not words[0]:
        raise CommandError("the command is empty")
    program = expand_home(words[0])
    return (str(locate(directory / program)) if "/" in program else program, *words[1:])


def resolve_bots_on_command_line(texts: Iterable[str]) -> list[Bot]:
    """Find the bots named on a command line; the second of equal names gets ``-2``, the next ``-3``.

    Raises CommandError.
    """
    bots: list[Bot] = []
    taken: set[str] = set()
    for text in texts:
        if not text.isascii() and text != text.encode(errors="replace").decode():
            raise CommandError(f"{quoted(text)} is no UTF-8 text; rename the file, or give a link to it")
        bot = resolve_command(text, Path.cwd()).bot()
        bot = replace(bot, name=_presentable(bot.name))
        name, number = bot.name, 1
        while name.casefold() in taken:
            number += 1
            name = f"{bot.name}-{number}"
        taken.add(name.casefold())
        bots.append(replace(bot, name=name))
    return bots


def find_sample(name: str) -> Sample:
    """Raise CommandError with the names there are when ``name`` is none of them."""
    catalogue = load_sample_catalogue()
    if name not in catalogue:
        hint = did_you_mean(name, catalogue)
        raise CommandError(
            f"there is no sample bot {quoted(name)}{hint or ';'} available: {listed(catalogue)}"
        )
    return catalogue[name]


def _split(command: str | Sequence[str], directory: Path) -> list[str]:
    if not isinstance(command, str):
        if not command or not command[0]:
            raise CommandError("the command is empty")
        return list(command)
    prefix = "codecup:" if command.startswith("codecup:") else ""
    path = command.removeprefix(prefix)
    if _is_file(directory / expand_home(path)):
        return [command]
    return split_command(command)


def _without_prefix(words: list[str]) -> tuple[list[str], Dialect | None]:
    if not words[0].startswith("codecup:"):
        return words, None
    first = words[0].removeprefix("codecup:")
    words = [first, *words[1:]] if first else words[1:]
    if not words:
        raise CommandError("`codecup:` needs a command after it")
    return words, Dialect.CODECUP


def _sample_command(words: list[str], protocol: Dialect | None) -> Command:
    sample = find_sample(words[0].removeprefix("sample:"))
    if protocol not in (None, sample.dialect):
        raise CommandError(f"`sample:{sample.name}` speaks {sample.dialect}, not {protocol}")
    if sample.build:
        _make_directory(sample.output)
    return sample.command(words[1:])


def _make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "the variable XDG_CACHE_HOME can name another directory"
        raise CommandError(f"cannot make {path} for built programs: {error.strerror}; {hint}") from None


def _find_program(word: str, directory: Path) -> str:
    path = directory / word
    return str(locate(path)) if "/" in word or _is_file(path) else word


def locate(path: Path) -> Path:
    """Make a path absolute, following links among its directories (``..`` leads out of the link's target).

    The last part keeps its name, link or not.
    """
    try:
        return path.parent.resolve() / path.name
    except (OSError, RuntimeError):
        return path.absolute()


def expand_home(word: str) -> str:
    """Replace a leading ``~`` or ``~user`` as a shell does; a word that names no home stays as it is."""
    if not word.startswith("~"):
        return word
    try:
        return str(Path(word).expanduser())
    except RuntimeError:
        return word


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _program_name(words: list[str], directory: Path) -> str:
    """The stem of the first word that is the owner's program, and not what runs it."""
    for before, word in zip(["", *words], words, strict=False):
        if before == "-m":
            return word
        if before == "-c":  # a script in one word
            break
        own = "/" in word or _is_file(directory / word) or (before and _looks_like_a_program(word))
        if own and not word.startswith("-") and not RUNNERS.fullmatch(Path(word).name):
            return _stem(word)
    return _stem(words[0])


def _presentable(name: str) -> str:
    """The name of a file as one that no table or message is spoiled by."""
    return "".join(char if char.isprintable() else "_" for char in name)[:LONGEST_NAME]


def _looks_like_a_program(word: str) -> bool:
    return (
        re.fullmatch(r"[\w-]+\.(py|js|mjs|ts|jar|class|rb|pl|php|lua|sh|awk|jl|R|dll|exe|scm|rkt|tcl)", word)
        is not None
    )


def _stem(word: str) -> str:
    return _SUFFIX.sub("", Path(word).name) or word
