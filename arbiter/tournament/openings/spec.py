"""Which openings are meant: what a tournament file or a command line asks for, before anything is read."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from arbiter.tournament.openings.boards import BOARD_KINDS, BoardKind
from arbiter.tournament.openings.opening import OpeningsError
from arbiter.tournament.problems import did_you_mean, listed, quoted

Kind: TypeAlias = Literal["empty", "book", "file"] | BoardKind
Order: TypeAlias = Literal["listed", "random"]

KIND_WORDS: tuple[Kind, ...] = ("empty", *BOARD_KINDS, "book")
"""The kinds that are named by a single word."""
ORDERS: tuple[Order, ...] = get_args(Order)

_SHUFFLED = "random:"


@dataclass(frozen=True, slots=True)
class OpeningsSpec:
    """Openings of a kind; ``file`` has a ``path`` and an ``order``: as listed, or shuffled by the seed.

    ``str()`` is the spelling that :func:`parse_openings` reads.
    """

    kind: Kind = "empty"
    path: str | None = None
    order: Order = "listed"

    def __post_init__(self) -> None:
        if bool(self.path) != (self.kind == "file"):
            raise ValueError(f"openings of kind {self.kind} with path {self.path!r}")
        if self.kind != "file" and self.order != "listed":
            raise ValueError(f"openings of kind {self.kind} have no order")

    def canonical(self) -> str | dict[str, str]:
        """The same as JSON, the way a tournament file gives it."""
        return self.kind if self.path is None else {"file": self.path, "order": self.order}

    def __str__(self) -> str:
        if self.path is None:
            return self.kind
        plain = _is_path(self.path) and not self.path.startswith(_SHUFFLED)
        path = self.path if plain else f"./{self.path}"
        return f"{_SHUFFLED}{path}" if self.order == "random" else path


def parse_openings(text: str) -> OpeningsSpec:
    """Read ``empty``, ``random``, ``balanced``, ``symmetric``, ``book``, ``FILE`` or ``random:FILE``.

    ``random:`` shuffles the file by the seed. A file has a dot or a slash in its path, so that a misspelled
    kind is not taken for one; ``./random`` is a file.

    :raises OpeningsError: the text is none of these.
    """
    if kind := next((kind for kind in KIND_WORDS if kind == text), None):
        return OpeningsSpec(kind)
    order: Order = "random" if text.startswith(_SHUFFLED) else "listed"
    path = text.removeprefix(_SHUFFLED)
    if not _is_path(path):
        raise OpeningsError([_slip(path)])
    return OpeningsSpec("file", path, order)


def _is_path(text: str) -> bool:
    return "/" in text or "." in text


def _slip(word: str) -> str:
    """What to write instead of a word that is neither a kind nor a path."""
    known = listed((*KIND_WORDS, "FILE", f"{_SHUFFLED}FILE"))
    if not word:
        return f"openings are missing; available: {known}"
    if word in KIND_WORDS:
        return (
            f"`{_SHUFFLED}` shuffles a file (one of this name is {quoted(f'./{word}')}); write {quoted(word)}"
        )
    hint = did_you_mean(word, KIND_WORDS) or f"; available: {known}"
    return f"{quoted(word)} is no kind of openings (a file of this name is {quoted(f'./{word}')}){hint}"
