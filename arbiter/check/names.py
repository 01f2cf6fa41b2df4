"""Other names for spaces than those of this board, as authors know them from other games."""

from collections.abc import Callable, Collection

_WITHOUT_I = dict(zip("JKL", "IJK", strict=True))
_FROM_BELOW = dict(zip("12345", "54321", strict=True))
_FROM_ONE = dict(zip("01234", "12345", strict=True))


def _translated(names: dict[str, str]) -> Callable[[str], str]:
    return lambda text: "".join(names.get(char, char) for char in text)


def _from_one(text: str) -> str:
    return "".join(_FROM_ONE.get(char, char) for char in text) if "0" in text else text


def _swapped(text: str) -> str:
    return "".join(text[at : at + 2][::-1] for at in range(0, len(text), 2))


_MANNERS: tuple[tuple[Callable[[str], str], str], ...] = (
    (_swapped, "the letter of the column comes first, then the number of the row"),
    (_from_one, "rows are counted from 1"),
    (_translated(_WITHOUT_I), "the columns are A to K, and no letter is left out, I neither"),
    (_translated(_FROM_BELOW), "row 1 is at the bottom, and `board` begins with row 5 at the top"),
)


def other_names(answer: str, legal: Collection[str]) -> str:
    """What to say about spaces that do not exist where the same ply is legal in other names, if it is."""
    found = {meant: words for manner, words in _MANNERS if (meant := manner(answer)) in legal}
    told = "; ".join(f"as `{meant}`: {words}" for meant, words in found.items())
    return f"If `{answer}` is meant {told}." if told else ""
