"""The keys of a tournament file that belong to one format: what they mean, and where they make no sense."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from arbiter.tournament.config import SprtSettings
from arbiter.tournament.nodes import KeyPath
from arbiter.tournament.problems import did_you_mean, listed, quoted

if TYPE_CHECKING:  # pydantic takes long to import
    from arbiter.tournament.model import TournamentModel

_BELONGS_TO = {"challengers": "gauntlet", "best_of": "knockout", "seeding": "knockout", "sprt": "sprt"}
_WITHOUT_ROUNDS = {
    "knockout": "`best_of` sets the pairs of a tie",
    "sprt": "`sprt: {max_pairs: N}` sets the end",
}

Complain = Callable[[KeyPath, str], None]


def format_values(
    model: "TournamentModel", ratings: Mapping[str, float | None], is_complete: bool, complain: Complain
) -> dict[str, Any]:
    """What ``Tournament`` wants to know of the format, by field.

    ``ratings``: for each bot that is sound, in the order of the file, the rating that the file gives
    it; ``is_complete`` whether these are all bots. ``complain`` is called with place and message.
    """
    names = list(ratings)
    _check_keys(model, complain)
    if is_complete:
        _check_count(model, len(names), complain)
    return {
        "rounds": model.rounds or _usual_rounds(model.format, len(names)),
        "challengers": _challengers(model, names, is_complete, complain),
        "best_of": model.best_of or 1,
        "seeds": _seeds(model, ratings),
        "sprt": model.sprt.settings() if model.sprt else SprtSettings(),
    }


def _check_keys(model: "TournamentModel", complain: Complain) -> None:
    for key, owner in _BELONGS_TO.items():
        if key in model.model_fields_set and model.format != owner:
            complain((key,), f"`{key}` belongs to `format: {owner}`, and the format is {model.format}")
    if "rounds" in model.model_fields_set and (instead := _WITHOUT_ROUNDS.get(model.format)):
        complain(("rounds",), f"`format: {model.format}` has no `rounds`; {instead}")
    rated = [index for index, bot in enumerate(model.bots) if bot.rating is not None]
    if rated and model.seeding != "rating":
        complain(("bots", rated[0], "rating"), "`rating` is for a knockout with `seeding: rating`")


def _check_count(model: "TournamentModel", bots: int, complain: Complain) -> None:
    if model.format == "sprt" and bots > 2:
        complain(("bots",), f"`format: sprt` compares two bots; here are {bots}")


def _usual_rounds(kind: str, bots: int) -> int:
    """One; in a Swiss system as many as a knockout would need."""
    return max(1, (bots - 1).bit_length()) if kind == "swiss" else 1


def _challengers(
    model: "TournamentModel", names: Sequence[str], is_complete: bool, complain: Complain
) -> tuple[str, ...]:
    if model.format != "gauntlet":
        return ()
    wanted = model.challengers or 1
    if isinstance(wanted, int):
        chosen = list(names[:wanted])
    else:
        by_key = {name.casefold(): name for name in names}
        chosen = [by_key[name.casefold()] for name in wanted if name.casefold() in by_key]
        unknown = [name for name in wanted if name.casefold() not in by_key]
        if unknown and is_complete:
            hint = did_you_mean(unknown[0], names) or f"; there are {listed(names)}"
            complain(("challengers",), f"`challengers`: there is no bot {quoted(unknown[0])}{hint}")
    if is_complete and len(set(chosen)) >= len(names):
        complain(("challengers",), "`challengers` leaves nobody to be challenged")
    return tuple(dict.fromkeys(chosen))


def _seeds(model: "TournamentModel", ratings: Mapping[str, float | None]) -> tuple[str, ...]:
    """The bots, strongest first; those without a rating after all others, in the order of the file."""
    if model.format != "knockout":
        return ()
    if model.seeding != "rating":
        return tuple(ratings)

    def weakness(name: str) -> float:
        rating = ratings[name]
        return inf if rating is None else -rating

    return tuple(sorted(ratings, key=weakness))
