"""Openings by number: from chance, a file or the book, the same ones whenever a tournament goes on."""

import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from arbiter.tournament.openings.boards import BoardKind, set_up_board
from arbiter.tournament.openings.book import read_book
from arbiter.tournament.openings.chance import Chance
from arbiter.tournament.openings.files import read_openings
from arbiter.tournament.openings.opening import Opening, OpeningsError
from arbiter.tournament.openings.spec import OpeningsSpec, Order
from arbiter.tournament.problems import did_you_mean
from protocol.errors import RecordError
from protocol.records import decode_text
from protocol.rules import Position, Rules


class Openings(Protocol):
    """A sequence of openings in the order in which they are played."""

    @property
    def count(self) -> int | None:
        """How many there are; None when they never end."""

    @property
    def description(self) -> str:
        """What they are, in a few words: ``balanced boards``, ``12 openings from book.drec``."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should be told before the first game."""

    def __getitem__(self, index: int) -> Opening:
        """The opening of this index, from 0; past the last one they begin anew."""

    def canonical(self) -> Any:
        """What is compared when a tournament goes on, as JSON; for a file with a hash of its openings."""


def open_openings(
    spec: OpeningsSpec, seed: int = 0, rules: Rules = Rules.STANDARD, base: Path = Path()
) -> Openings:
    """The openings that are meant; a file is found from the directory ``base``, read and checked.

    :raises OpeningsError: with every fault and its place.
    """
    if spec.kind == "empty":
        return _EmptyBoard(rules)
    if spec.kind == "book":
        return _open_book(seed, rules)
    if spec.kind == "file":
        return _open_file(spec.path or "", spec.order, seed, rules, base)
    return _Boards(spec.kind, seed, rules)


def fault_of_openings(spec: OpeningsSpec, base: Path) -> str | None:
    """What is wrong with the file that is meant, as far as that shows without reading it."""
    from arbiter.tournament.bots import expand_home  # brings YAML along, which boards do without

    return None if spec.path is None else _fault_of_file(base / expand_home(spec.path), spec.path)


@dataclass(frozen=True, slots=True)
class _EmptyBoard:
    rules: Rules
    count: int = 1
    description: str = "the empty board"
    notices: tuple[str, ...] = ()

    def __getitem__(self, index: int) -> Opening:
        _require_natural(index)
        return Opening(Position.start(self.rules), None)

    def canonical(self) -> str:
        return "empty"


@dataclass(frozen=True, slots=True)
class _Boards:
    """Full boards, each made when it is asked for."""

    kind: BoardKind
    seed: int
    rules: Rules
    count: None = None
    notices: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        return f"{self.kind} boards"

    def __getitem__(self, index: int) -> Opening:
        _require_natural(index)
        return Opening(set_up_board(self.kind, self.seed, index, self.rules), f"{self.kind} {index + 1}")

    def canonical(self) -> str:
        return self.kind


@dataclass(frozen=True, slots=True)
class _Listed:
    """Openings that were read, in the order in which they are played; after the last one they begin anew."""

    description: str
    given: dict[str, str]
    listed: tuple[Opening, ...]
    played: tuple[Opening, ...]
    notices: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return len(self.listed)

    def __getitem__(self, index: int) -> Opening:
        _require_natural(index)
        return self.played[index % len(self.played)]

    def canonical(self) -> dict[str, str]:
        positions = "\n".join(opening.position.dpos for opening in self.listed)
        return {**self.given, "sha256": sha256(positions.encode()).hexdigest()[:16]}


def _open_file(path: str, order: Order, seed: int, rules: Rules, base: Path) -> Openings:
    from arbiter.tournament.bots import expand_home  # brings YAML along, which boards do without

    found = read_openings(_text(base / expand_home(path), path), path, rules)
    count, shuffled = len(found.openings), order == "random"
    return _Listed(
        f"{count} opening{'' if count == 1 else 's'} from {path}{', shuffled' if shuffled else ''}",
        {"file": path, "order": order},
        found.openings,
        _shuffled(found.openings, seed) if shuffled else found.openings,
        found.notices,
    )


def _open_book(seed: int, rules: Rules) -> Openings:
    """The book, shuffled, or all short matches would play its first openings and no others."""
    openings = read_book(rules)
    description = f"{len(openings)} openings from the book, shuffled"
    return _Listed(description, {"kind": "book"}, openings, _shuffled(openings, seed))


def _shuffled(openings: tuple[Opening, ...], seed: int) -> tuple[Opening, ...]:
    return tuple(Chance("dvonn", "order", seed).shuffled(openings))


def _text(file: Path, path: str) -> str:
    if fault := _fault_of_file(file, path):
        raise OpeningsError([fault])
    try:
        return decode_text(file.read_bytes(), path)
    except RecordError as error:
        raise OpeningsError([str(error)]) from None
    except OSError as error:
        raise OpeningsError([f"{path}: cannot be read: {error.strerror}"]) from None


def _fault_of_file(file: Path, path: str) -> str | None:
    try:
        mode = file.stat().st_mode
        if stat.S_ISDIR(mode):
            remedy = f"the games of a results directory as a file: arbiter export {path} > games.drec"
            return f"{path}: a directory, not a file of openings; {remedy}"
        if not stat.S_ISREG(mode):  # whoever opens it may wait for ever
            return f"{path}: not a regular file; a tournament that goes on reads its openings again"
    except (FileNotFoundError, ValueError):  # the latter for what no name can hold, such as a NUL
        return f"{path}: no such file{_suggestion(file, path)}"
    except OSError as error:
        return f"{path}: cannot be read: {error.strerror}"
    return None


def _suggestion(file: Path, path: str) -> str:
    """What may have been meant: the order behind the file, or a file in the same directory."""
    if path.endswith(":random"):
        return f"; did you mean `random:{path.removesuffix(':random')}`?"
    try:
        return did_you_mean(file.name, (other.name for other in file.parent.iterdir()))
    except (OSError, ValueError):
        return ""


def _require_natural(index: int) -> None:
    if index < 0:
        raise IndexError(f"openings have indices from 0, not {index}")
